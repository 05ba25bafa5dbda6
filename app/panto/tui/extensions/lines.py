"""The lines above and below the list: the title, and which file is written."""

from collections.abc import Mapping

from textual.content import Content

from panto.loader import Target
from panto.tui.safe_text import safe_line


def title_line(counted: str, width: int) -> Content:
    """What this is, and how many there are."""
    return Content.assemble(("Extensions", "bold"), (f"  {counted}", "$muted")).truncate(width, ellipsis=True)


def target_line(files: Mapping[Target, str], chosen: Target, width: int) -> Content:
    """Which of the config files a switch is written to. Where it is narrow, the other one is only named."""
    line = Content()
    for lead, other_has_file in (("written to  ", True), ("written to  ", False), ("", False)):
        parts = [_target(name, file, name == chosen, other_has_file) for name, file in files.items()]
        line = Content.assemble((lead, "$muted"), Content("   ").join(parts))
        if line.cell_length <= width:
            break
    return line.truncate(width, ellipsis=True)


def _target(name: Target, file: str, chosen: bool, with_file: bool) -> Content:
    if chosen:
        return Content.assemble(("● ", "$accent"), (name, "bold"), f"  {safe_line(file)}")
    return Content.styled(f"○ {name}" + (f"  {safe_line(file)}" if with_file else ""), "$muted")
