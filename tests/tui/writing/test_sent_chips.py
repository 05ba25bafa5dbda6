"""A text that comes back unsent has its chips again."""

from panto.messages import Image
from panto.tui.writing.chips import Chips
from panto.tui.writing.sent_chips import MOST, SentChips


def test_pictures_and_pastes_come_back() -> None:
    chips, sent = Chips(), SentChips()
    image = Image("image/png", b"x")
    paste = "\n".join(map(str, range(30)))
    here = f"{chips.image('/tmp/a.png', 'a.png', image)} and {chips.paste(paste)}!"
    sent.add(chips, here)
    text, _ = chips.said(here)
    again = Chips()
    back = sent.again(again, f"before\n{text}")
    assert again.said(back) == (f"before\n{text}", (image,))
    assert [chip.label for _, _, chip in again.at(back)] == ["[image 1: a.png 1 B]", "[paste 1: 30 lines]"]


def test_no_more_than_so_many_are_kept() -> None:
    chips, sent = Chips(), SentChips()
    pastes = [f"{number}\n" * 30 for number in range(MOST + 1)]
    sent.add(chips, "".join(map(chips.paste, pastes)))
    assert sent.again(Chips(), pastes[0]) == pastes[0]
    assert sent.again(Chips(), pastes[1]) != pastes[1]
