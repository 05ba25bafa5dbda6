"""The strict loader: each skill of a directory whole and as the format has it, or left out with a warning."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from panto_agent.skill._attachments import Attachments, read_attachments
from panto_agent.skill._fences import find_fences
from panto_agent.skill._files import SKILL_FILE, read_whole, resolved
from panto_agent.skill._frontmatter import read_front_matter
from panto_agent.skill._policy import field_problems, problem_of, stripped, warning_of
from panto_agent.skill._records import FrontMatterError, Problem, Skill, SkillVerdict, SkillWarning, WarningCode

DEFAULT_ATTACHMENT_BYTES = 262_144

StrPath = str | os.PathLike[str]


def load_skills_directory(
    root: StrPath,
    *,
    contain_within: StrPath | None = None,
    max_attachment_bytes: int = DEFAULT_ATTACHMENT_BYTES,
    on_warning: Callable[[SkillWarning], None] | None = None,
) -> list[Skill]:
    """Load each subdirectory of ``root`` that holds a ``SKILL.md``, ordered by directory name.

    A skill that breaks the format is left out and reported to ``on_warning``; it never stops the others.
    ``contain_within`` is an existing directory in which every skill's directory and ``SKILL.md`` must really lie, links
    followed. ``max_attachment_bytes`` bounds the text of one skill's other files, in bytes of UTF-8. What is read is
    checked for its form only: its text is the caller's to trust.

    Raises OSError when ``root`` can't be listed as a directory, or ``contain_within`` names no existing directory.
    """
    skills: list[Skill] = []
    for reading in _readings(Path(root), contain_within, max_attachment_bytes):
        if on_warning is not None:
            for warning in reading.warnings:
                on_warning(warning)
        if reading.skill is not None:
            skills.append(reading.skill)
    return skills


def check_skills(
    directory: StrPath,
    *,
    contain_within: StrPath | None = None,
    max_attachment_bytes: int = DEFAULT_ATTACHMENT_BYTES,
) -> list[SkillVerdict]:
    """What the strict loader says of each skill: of the one in ``directory`` when that is a skill's own, else of those
    in its subdirectories, ordered by name.

    Raises OSError as ``load_skills_directory`` does.
    """
    own = Path(directory).absolute()
    if any(path.name == SKILL_FILE for path in own.iterdir()):
        readings = [_read(own, _container(contain_within), max_attachment_bytes)]
    else:
        readings = list(_readings(own, contain_within, max_attachment_bytes))
    return [SkillVerdict(r.directory.name, r.file, r.skill is not None, r.warnings) for r in readings]


def refusal(directory: Path) -> SkillWarning | None:
    """Why the strict loader leaves out the skill in a directory; None if it takes it. Its other files stay unread."""
    reading = _read(directory, None, None)
    return None if reading.skill is not None else reading.warnings[-1]


class _Reading(NamedTuple):
    """One directory as the strict loader saw it."""

    directory: Path
    file: Path
    skill: Skill | None
    warnings: tuple[SkillWarning, ...]


class _RefusedError(Exception):
    """A skill is left out, for this problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.reason)
        self.problem = problem


def _readings(root: Path, contain_within: StrPath | None, budget: int) -> Iterator[_Reading]:
    container = _container(contain_within)
    for directory in sorted(root.iterdir(), key=lambda path: path.name):
        if _may_be_directory(directory):
            yield _read(directory, container, budget)


def _may_be_directory(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except OSError:
        return True  # it can't be resolved, and reading it will say why


def _container(contain_within: StrPath | None) -> Path | None:
    if contain_within is None:
        return None
    real = resolved(Path(contain_within))
    if not real.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "contain_within is not a directory", os.fspath(contain_within))
    return real


def _read(directory: Path, container: Path | None, budget: int | None) -> _Reading:
    """Read the skill in a directory. Its name is the directory's own under the root, not that of a link's target.

    ``budget`` bounds its attachments; None leaves them out.
    """
    problems: list[Problem] = []
    skill: Skill | None = None
    done = "left out"
    try:
        skill = _skill(directory, container, budget, problems)
    except _RefusedError as refused:
        problems.append(refused.problem)
        done = "skill skipped"
    file = directory / SKILL_FILE
    warnings = tuple(warning_of(problem, directory.name, file, done) for problem in problems)
    return _Reading(directory, file, skill, warnings)


def _skill(directory: Path, container: Path | None, budget: int | None, problems: list[Problem]) -> Skill:
    real = _resolve(directory, container, "the skill's directory")
    data = _skill_file(real, container)
    try:
        data.decode()
        fences = find_fences(data)
        front = read_front_matter(data[fences.block : fences.end].decode())
    except (UnicodeDecodeError, FrontMatterError) as error:
        raise _RefusedError(problem_of(error)) from None
    description = front.texts.get("description")
    for problem in field_problems(front, description, directory.name):
        raise _RefusedError(problem)
    attachments = Attachments([], []) if budget is None else read_attachments(real, budget)
    problems.extend(attachments.problems)
    return Skill(
        name=directory.name,
        description=stripped(description),
        body=data[fences.body :].decode(),
        allowed_tools=front.allowed_tools,
        disallowed_tools=front.disallowed_tools,
        files=attachments.files,
    )


def _resolve(path: Path, container: Path | None, what: str) -> Path:
    try:
        real = resolved(path)
    except OSError as error:
        raise _RefusedError(problem_of(error, what)) from None
    if container is not None and not real.is_relative_to(container):
        raise _RefusedError(Problem(WarningCode.OUTSIDE_ROOT, f"{what} resolves outside the directory it must lie in"))
    return real


def _skill_file(directory: Path, container: Path | None) -> bytes:
    """The bytes of the directory's SKILL.md, by that exact spelling, on disks that are blind to case too."""
    try:
        names = os.listdir(directory)  # noqa: PTH208 - names are what is looked for, not paths
    except OSError as error:
        raise _RefusedError(problem_of(error, "the skill's directory")) from None
    if SKILL_FILE not in names:
        raise _RefusedError(Problem(WarningCode.NO_SKILL_FILE, f"the directory holds no {SKILL_FILE}"))
    real = _resolve(directory / SKILL_FILE, container, SKILL_FILE)
    try:
        return read_whole(real)
    except OSError as error:
        raise _RefusedError(problem_of(error)) from None
