"""A text as it was written: all of it, and which pieces of it came as large pastes."""

import json
from dataclasses import dataclass

from panto.json_values import array_at, is_object


@dataclass(frozen=True)
class Written:
    """A whole text. ``pastes`` are the places of the pieces that are shown as one word, in their order."""

    text: str = ""
    pastes: tuple[tuple[int, int], ...] = ()

    def __add__(self, other: "Written") -> "Written":
        """This with another right behind it."""
        length = len(self.text)
        moved = ((start + length, end + length) for start, end in other.pastes)
        return Written(self.text + other.text, (*self.pastes, *moved))

    def to_json(self) -> bytes:
        """It, on one line of ASCII."""
        record = {"text": self.text, **({"pastes": self.pastes} if self.pastes else {})}
        return json.dumps(record, ensure_ascii=True).encode("ascii")

    @classmethod
    def from_json(cls, data: bytes) -> "Written | None":
        """What such a line holds; None if it holds something else. Places that can't be are left out."""
        try:
            record: object = json.loads(data)
        except (ValueError, RecursionError):
            return None
        text = record.get("text") if is_object(record) else None
        if not is_object(record) or not isinstance(text, str):
            return None
        pastes: list[tuple[int, int]] = []
        for pair in array_at(record, "pastes"):
            match pair:
                case [int(start), int(end)] if (pastes[-1][1] if pastes else 0) <= start < end <= len(text):
                    pastes.append((start, end))
                case _:
                    pass
        return cls(text, tuple(pastes))
