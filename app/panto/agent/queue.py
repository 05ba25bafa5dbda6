"""What the user has said and the model has not heard yet."""

from dataclasses import dataclass

from panto.messages import Text, User
from panto.offers import Prompt


@dataclass(frozen=True)
class Queued:
    """A prompt that waits. ``text`` is what became of its text on the way in."""

    prompt: Prompt
    text: str

    @property
    def user(self) -> User:
        """The message that it will be."""
        attached = self.prompt.attached
        texts = [Text(each.text) for each in attached if each.text]
        shown = self.text if texts and self.prompt.shown is None else self.prompt.shown
        notes = tuple(each.note for each in attached)
        return User((Text(self.text), *texts, *self.prompt.images), shown, notes)

    @property
    def steers(self) -> bool:
        """Whether it may go into a turn that is running."""
        return not self.prompt.own_turn and self.prompt.model is None
