"""The strict loader on a disk: directories, links, odd files, and what it says of them."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from panto_agent.skill import (
    Skill,
    SkillFile,
    SkillHeader,
    SkillWarning,
    check_skills,
    load_skills_directory,
    read_skill_header,
)

GOOD = "---\nname: {}\ndescription: Sorts the parcels.\n---\nStep one.\n"


def put(path: Path, content: str | bytes = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def skill(directory: Path) -> Path:
    return put(directory / "SKILL.md", GOOD.format(directory.name)).parent


def load(root: Path, contain: Path | None = None, budget: int = 1000) -> tuple[list[Skill], list[SkillWarning]]:
    warnings: list[SkillWarning] = []
    skills = load_skills_directory(
        root, contain_within=contain, max_attachment_bytes=budget, on_warning=warnings.append
    )
    return skills, warnings


def only(warnings: list[SkillWarning]) -> SkillWarning:
    assert len(warnings) == 1, warnings
    return warnings[0]


def test_a_skill_is_read_whole(tmp_path: Path) -> None:
    head = "---\r\nname: alpha\r\ndescription: >-\r\n  Sorts\r\n  parcels.\r\nallowed-tools: Read, Grep\r\n---\r\n"
    put(tmp_path / "alpha/SKILL.md", f"\ufeff{head}\r\n  Step.\r\n---\r\n")
    put(tmp_path / "alpha/a/b.txt", "b\r\n")
    skills, warnings = load(tmp_path)
    files = [SkillFile("a/b.txt", "b\r\n")]
    assert skills == [Skill("alpha", "Sorts parcels.", "\r\n  Step.\r\n---\r\n", ["Read", "Grep"], None, files)]
    assert warnings == []


def test_warnings_say_where_and_what_became_of_it(tmp_path: Path) -> None:
    put(tmp_path / "alpha/SKILL.md", "---\nname: alpha\n# c\nlicense: 'MIT\n---\nhunter2\n")
    warning = only(load(tmp_path)[1])
    assert (warning.code, warning.skill, warning.file, warning.line) == (
        "no_frontmatter",
        "alpha",
        tmp_path / "alpha/SKILL.md",
        4,
    )
    assert "SKILL.md line 4: `license`" in warning.detail
    assert "skill skipped" in warning.detail


@pytest.mark.parametrize(
    "field", ["name: SECRET", "name: alpha\nSECRET", "name: SECRET-x\ndescription: x", "name: alpha\nx: 'SECRET"]
)
def test_details_hold_no_contents(field: str, tmp_path: Path) -> None:
    put(tmp_path / "alpha/SKILL.md", f"---\n{field}\n---\nSECRET\n")
    put(tmp_path / "alpha/x.bin", b"SECRET\xff")
    assert "SECRET" not in only(load(tmp_path)[1]).detail


def test_details_are_one_line_of_harmless_text(tmp_path: Path) -> None:
    put(skill(tmp_path / "alpha") / "\x1b[31m\nx\u202e.bin", b"\xff")
    put(tmp_path / "beta/SKILL.md", f"---\nname: beta\nx: y\n  {'k' * 500}\x1b\x07: z\n---\n")
    for warning in load(tmp_path)[1]:
        assert warning.detail.isprintable()
        assert len(warning.detail) < 300


def test_names_that_are_no_text(tmp_path: Path) -> None:
    os.mkdir(os.fsencode(tmp_path) + b"/\xff")  # noqa: PTH102 - a name that pathlib has no bytes for
    root = tmp_path / "root"
    put(skill(root / "alpha") / "ok.txt", "ok")
    put(Path(os.fsdecode(os.fsencode(root) + b"/alpha/\xff.txt")), "x")
    skills, warnings = load(root)
    assert [file.path for file in skills[0].files] == ["ok.txt"]
    assert "\\udcff.txt" in only(warnings).detail
    for warning in load(tmp_path)[1]:
        warning.skill.encode()
        warning.detail.encode()


def test_links_that_lead_nowhere_or_around(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (skill(root / "alpha") / "around").symlink_to("around")
    (root / "loop").symlink_to("loop")
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")
    skills, warnings = load(root)
    assert [s.name for s in skills] == ["alpha"]
    assert [(w.code, w.skill) for w in warnings] == [
        ("attachment_skipped", "alpha"),
        ("read_failed", "loop"),
        ("read_failed", "one"),
        ("read_failed", "two"),
    ]


def test_two_links_out_of_the_container(tmp_path: Path) -> None:
    skill(tmp_path / "outside/alpha")
    (tmp_path / "repo/skills").mkdir(parents=True)
    (tmp_path / "repo/hop").symlink_to("../outside/alpha")
    (tmp_path / "repo/skills/alpha").symlink_to("../hop")
    (tmp_path / "repo/skills/gone").symlink_to("../../outside/gone")
    (tmp_path / "repo/skills/note").symlink_to("../../outside/alpha/SKILL.md")
    skills, warnings = load(tmp_path / "repo/skills", tmp_path / "repo")
    assert skills == []
    assert [(w.code, w.skill) for w in warnings] == [("outside_root", "alpha"), ("read_failed", "gone")]


@pytest.mark.parametrize("container", ["absent", "file", "loop"])
def test_a_container_must_be_a_directory_that_exists(container: str, tmp_path: Path) -> None:
    put(tmp_path / "file")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "root").mkdir()
    with pytest.raises(OSError, match=container):
        load(tmp_path / "root", tmp_path / container)


def test_fifos_and_devices_are_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (skill(tmp_path / "alpha") / "null").symlink_to("/dev/null")
    os.mkfifo(tmp_path / "alpha/pipe")
    (tmp_path / "beta").mkdir()
    os.mkfifo(tmp_path / "beta/SKILL.md")
    (tmp_path / "gamma").mkdir()
    (tmp_path / "gamma/SKILL.md").symlink_to("/dev/zero")
    skills, warnings = load(tmp_path)
    assert [(s.name, s.files) for s in skills] == [("alpha", [])]
    assert sorted((str(w.code), w.skill) for w in warnings) == [
        ("attachment_skipped", "alpha"),
        ("attachment_skipped", "alpha"),
        ("read_failed", "beta"),
        ("read_failed", "gamma"),
    ]
    assert isinstance(read_skill_header(tmp_path / "beta/SKILL.md"), SkillWarning)


@pytest.mark.parametrize(
    ("sizes", "budget", "taken"),
    [
        ({"a": 4, "b": 4}, 8, ["a", "b"]),
        ({"a": 4, "b": 5, "c": 1, "d": 0}, 8, ["a"]),  # the first that does not fit ends it
        ({"a": 0, "b": 0, "c": 1}, 0, ["a", "b"]),
        ({"a/z": 2, "a-b": 2, "a.b": 2}, 5, ["a-b", "a.b"]),  # by the whole path
    ],
)
def test_the_budget_is_spent_in_the_order_of_paths(
    sizes: dict[str, int], budget: int, taken: list[str], tmp_path: Path
) -> None:
    directory = skill(tmp_path / "alpha")
    for name, size in sizes.items():
        put(directory / name, "x" * size)
    skills, warnings = load(tmp_path, budget=budget)
    assert [file.path for file in skills[0].files] == taken
    left = sorted(set(sizes) - set(taken))
    assert [w.code for w in warnings] == ["attachment_skipped"] * len(left)
    assert [name for name, warning in zip(left, warnings, strict=True) if name not in warning.detail] == []


def test_what_is_no_text_costs_nothing_however_large_it_is(tmp_path: Path) -> None:
    directory = skill(tmp_path / "alpha")
    put(directory / "a.bin", b"x" * 200_000 + b"\xff")
    put(directory / "b.bin", b"x" * 200_000 + b"\xc3")  # half a character
    put(directory / "c.bin", b"x" * 70_000 + b"\0")
    put(directory / "d.txt", b"x" * 65_535 + "é".encode() * 5)  # a character over two pieces
    skills, warnings = load(tmp_path, budget=65_545)
    assert [file.path for file in skills[0].files] == ["d.txt"]
    assert skills[0].files[0].content.endswith("xééééé")
    assert [name for name, w in zip("abc", warnings, strict=True) if f"{name}.bin: it is no" not in w.detail] == []


def test_links_cannot_multiply_a_tree_without_end(tmp_path: Path) -> None:
    directory = skill(tmp_path / "alpha")
    for level in range(16):
        here = directory / f"d{level:02}"
        put(here / "x.txt", "x")
        for link in range(2):
            (here / f"l{link}").symlink_to(f"../d{level + 1:02}")
    (directory / "d16").mkdir()
    skills, warnings = load(tmp_path, budget=10**6)
    assert len(skills[0].files) < 1000
    assert any("too many links" in w.detail for w in warnings)


def test_a_linked_folder_inside_is_taken_under_both_names(tmp_path: Path) -> None:
    directory = skill(tmp_path / "alpha")
    put(directory / "a/x.txt", "x")
    (directory / "b").symlink_to("a")
    (directory / "copy.md").symlink_to("SKILL.md")
    skills, warnings = load(tmp_path)
    assert [file.path for file in skills[0].files] == ["a/x.txt", "b/x.txt", "copy.md"]
    assert warnings == []


def test_the_line_end_of_a_block_scalar_is_not_counted(tmp_path: Path) -> None:
    put(tmp_path / "alpha/SKILL.md", f"---\nname: alpha\ndescription: |\n  {'d' * 1024}\n---\n")
    put(tmp_path / "beta/SKILL.md", f"---\nname: beta\ndescription: |\n  {'d' * 1025}\n---\n")
    skills, warnings = load(tmp_path)
    assert [len(s.description) for s in skills] == [1024]
    assert only(warnings).code == "description_too_long"
    assert only(warnings).line == 3


def test_check_gives_a_verdict_for_each_skill(tmp_path: Path) -> None:
    put(skill(tmp_path / "alpha") / "x.bin", b"\xff")
    put(tmp_path / "beta/SKILL.md", "---\nname: gamma\ndescription: d\n---\n")
    (tmp_path / "delta").mkdir()
    verdicts = check_skills(tmp_path)
    assert [(v.skill, v.loaded, [str(w.code) for w in v.warnings]) for v in verdicts] == [
        ("alpha", True, ["attachment_skipped"]),
        ("beta", False, ["name_mismatch"]),
        ("delta", False, ["no_skill_file"]),
    ]
    assert verdicts[1].file == tmp_path / "beta/SKILL.md"
    assert verdicts[1].warnings[0].line == 2


def test_check_takes_a_single_skill_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(skill(tmp_path / "alpha"))
    assert [(v.skill, v.loaded, v.warnings) for v in check_skills(".")] == [("alpha", True, ())]
    with pytest.raises(FileNotFoundError):
        check_skills(tmp_path / "absent")


LINES = (
    b"---\n",
    b"---",
    b"\nname: alpha\n",
    b"\nallowed-tools:",
    b"\nx:",
    b" Read",
    b"\n- ",
    b" [a, ",
    b"]",
    b"\r\n",
    b"\n",
    b"\n  ",
)
MARKS = (
    b"\xff",
    b"\0",
    b"\xef\xbb\xbf",
    b"d",
    b" ",
    b'"',
    b"'",
    b": ",
    b" |\n  ",
    b" >\n  ",
    b"{",
    b"}",
    b" #",
    b"\\",
    b"\xc3\xa9",
)
PIECES = st.lists(st.sampled_from((*LINES, *MARKS)), max_size=6).map(b"".join)
HEAD = b"---\nname: alpha\ndescription:"
STARTS = st.sampled_from([b"", b"---\n", HEAD, HEAD + b" d", HEAD + b" d\nx:", HEAD + b" d\nallowed-tools:"])
ENDS = st.sampled_from([b"", b"\n---\n", b"\n---", b"\n---\r\nBody"])


@settings(max_examples=300)
@given(st.binary(max_size=60) | st.builds(lambda *parts: b"".join(parts), STARTS, PIECES, ENDS))
def test_no_bytes_make_a_reader_raise_and_the_lenient_takes_all_the_strict_does(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    root = tmp_path_factory.mktemp("root")
    file = put(root / "alpha/SKILL.md", data)
    skills, warnings = load(root)
    assert len(skills) + len(warnings) == 1
    header = read_skill_header(file)
    if not skills:
        return
    assert isinstance(header, SkillHeader)
    assert (header.name, header.warnings) == ("alpha", ())
    assert header.allowed_tools == skills[0].allowed_tools
    assert header.disallowed_tools == skills[0].disallowed_tools
    if "\n " not in data.decode():  # no line goes on
        assert header.description == skills[0].description
