"""How long it takes to discover 1,000 skills of 8 KB, beside the time to open and read those files in plain Python.

Run it as a script: ``python tests/bench/bench_skills.py``. Both sides run in turn, in one process, over the same files,
and the best round of each counts, so that the ratio holds on a busy machine too.
"""

import gc
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from panto_agent.skill._catalogue import Root, discover

SKILLS = 1000
SIZE = 8 * 1024
ROUNDS = 15
LIMIT = 3.0

_PLAIN = """\
---
name: {name}
description: Sorts and weighs the parcels of depot {number}. Use it when somebody asks for parcels or labels.
license: Apache-2.0
---
"""
_RICH = """\
---
name: {name}
description: >-
  Works on the parcels of depot {number}: sorts them, weighs them, and writes the labels.
  Use it when somebody asks for parcels, labels, weights, or the state of a delivery.
license: Apache-2.0
compatibility: Needs git and a shell.
metadata:
  author: depot-{number}
  version: "1.{number}"
  tags: [parcels, labels]
allowed-tools: Bash(git add:*) Bash(git commit:*) Read Grep
disallowed-tools:
  - WebFetch
  - Bash(rm *)
---
"""


def write_skills(root: Path, template: str) -> None:
    """Make the skills, with their front matter from a template."""
    for number in range(SKILLS):
        name = f"skill-{number:04}"
        front = template.format(name=name, number=number)
        line = f"Step {number}: take the next parcel, look at its label, and put it on the right belt.\n"
        body = (line * (SIZE // len(line) + 1))[: SIZE - len(front)]
        path = root / name / "SKILL.md"
        path.parent.mkdir()
        path.write_text(front + body)


def _names(root: Path) -> list[str]:
    with os.scandir(root) as entries:
        return sorted(entry.name for entry in entries)


def read_plainly(root: Path) -> int:
    """Open and read every file."""
    characters = 0
    for name in _names(root):
        with (root / name / "SKILL.md").open(encoding="utf-8") as file:
            characters += len(file.read())
    return characters


def discover_all(root: Path) -> int:
    """Discover the skills as the extension does; how many there are without a warning."""
    found = discover([Root("bench", root)], strict=False)
    return sum(not skill.header.warnings for skill in found.skills.values())


def best(rounds: int, *works: Callable[[], int]) -> list[float]:
    """The shortest time of each work, in seconds, with the works taking turns."""
    times = [float("inf")] * len(works)
    for _ in range(rounds):
        for index, work in enumerate(works):
            gc.collect()
            start = time.perf_counter()
            work()
            times[index] = min(times[index], time.perf_counter() - start)
    return times


def measure(template: str) -> tuple[float, float]:
    """The seconds to open and read the skills' files, and to discover the skills."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        write_skills(root, template)
        found = discover_all(root)
        if found != SKILLS:
            raise SystemExit(f"only {found} of {SKILLS} skills were discovered without a warning")
        plain, whole = best(ROUNDS, lambda: read_plainly(root), lambda: discover_all(root))
    return plain, whole


def main() -> None:
    """Measure, and print a table."""
    print(f"{SKILLS} skills of {SIZE} bytes, best of {ROUNDS} rounds; the ratio is to be {LIMIT:g} at most")
    print("  front matter   open and read    discover   ratio")
    for label, template in (("three keys", _PLAIN), ("all keys", _RICH)):
        plain, whole = measure(template)
        print(f"  {label:<12} {plain * 1000:10.1f} ms {whole * 1000:8.1f} ms {whole / plain:7.2f}")


if __name__ == "__main__":
    main()
