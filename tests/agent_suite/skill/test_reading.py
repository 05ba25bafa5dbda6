"""The lenient reader: what it lets pass, what it folds, what it refuses, and how little it reads."""

import os
from pathlib import Path

import pytest

from panto_agent.skill import SkillError, SkillHeader, SkillWarning, read_skill_body, read_skill_header
from panto_agent.skill._fences import MOST_HEADER_BYTES


def put(tmp_path: Path, content: str | bytes, name: str = "alpha") -> Path:
    path = tmp_path / name / "SKILL.md"
    path.parent.mkdir()
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def header(path: Path) -> SkillHeader:
    found = read_skill_header(path)
    assert isinstance(found, SkillHeader), found
    return found


def refused(path: Path) -> SkillWarning:
    found = read_skill_header(path)
    assert isinstance(found, SkillWarning), found
    return found


def described(tmp_path: Path, description: str) -> SkillHeader:
    return header(put(tmp_path, f"---\nname: alpha\ndescription:{description}\n---\nBody\n"))


def test_a_header(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        "---\nname: alpha\ndescription: d\nlicense: 'MIT'\nmetadata:\n  a: b\nallowed-tools: [Read]\n"
        "disallowedTools: Bash\ndisable-model-invocation: true # ours\n---\nBody\n",
    )
    found = header(path)
    assert (found.path, found.directory) == (path, path.parent)
    assert (found.name, found.description, found.warnings) == ("alpha", "d", ())
    assert (found.allowed_tools, found.disallowed_tools) == (["Read"], ["Bash"])
    assert found.fields == {"license": "MIT", "disable-model-invocation": "true # ours"}
    assert found.flag("disable-model-invocation")


@pytest.mark.parametrize(
    ("value", "yes"),
    [
        ("true", True),
        ("Yes", True),
        ("'on'", True),
        ("false", False),
        ("", False),
        ("truely", False),
        ("[true]", False),
    ],
)
def test_flags(value: str, yes: bool, tmp_path: Path) -> None:
    found = header(put(tmp_path, f"---\nname: alpha\ndescription: d\nx: {value}\n---\n"))
    assert found.flag("x") is yes
    assert found.flag("absent") is False


@pytest.mark.parametrize(
    ("fields", "name", "codes"),
    [
        ("name: beta\ndescription: d", "beta", ["name_mismatch"]),
        ("name: Alpha Skill\ndescription: d", "Alpha Skill", ["invalid_name", "name_mismatch"]),
        (f"name: {'n' * 65}\ndescription: d", "n" * 65, ["invalid_name", "name_mismatch"]),
        (f"name: alpha\ndescription: {'d' * 1025}", "alpha", ["description_too_long"]),
        ("name: |\n  alpha\ndescription: d", "alpha", ["invalid_name", "name_mismatch"]),
    ],
)
def test_what_breaks_the_format_but_does_no_harm_is_a_warning(
    fields: str, name: str, codes: list[str], tmp_path: Path
) -> None:
    path = put(tmp_path, f"---\n{fields}\n---\n")
    found = header(path)
    assert found.name == name
    assert [str(warning.code) for warning in found.warnings] == codes
    for warning in found.warnings:
        assert (warning.skill, warning.file) == ("alpha", path)
        assert f"SKILL.md line {warning.line}: `" in warning.detail
        assert "loaded all the same" in warning.detail


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        ("---\ndescription: d\n---\n", "missing_name", None),
        ("---\nname: alpha\n---\n", "missing_description", None),
        ("---\nname: alpha\ndescription: '' # none\n---\n", "missing_description", 3),
        ("---\nname: alpha\ndescription:\n  a: b\n---\n", "missing_description", 3),
        ("---\nname: alpha\ndescription:\n- a\n---\n", "missing_description", 3),
        ("---\nname: alpha\ndescription:\n  [a]\n---\n", "missing_description", 3),
        ("---\nname: alpha\ndescription:\n  Use when\n  asked: now\n---\n", "missing_description", 3),
        ("---\nname: alpha\ndescription:\n  'Use when\n---\n", "no_frontmatter", 4),
        ("---\nname: alpha\ndescription: Use\n  when: asked\n---\n", "no_frontmatter", 4),
        ("---\nname: alpha\ndescription: d\nallowed-tools: Bash(ls\n---\n", "no_frontmatter", 4),
        ("---\nname: alpha\ndescription: d\n", "no_frontmatter", 1),
        ("# Alpha\n", "no_frontmatter", 1),
        ("", "no_frontmatter", 1),
        ("---", "no_frontmatter", 1),
        (b"---\nname: alpha\ndescription: caf\xe9\n---\n", "read_failed", None),
    ],
)
def test_what_is_refused(content: str | bytes, code: str, line: int | None, tmp_path: Path) -> None:
    path = put(tmp_path, content)
    warning = refused(path)
    assert (warning.code, warning.line, warning.skill, warning.file) == (code, line, "alpha", path)
    assert "skill skipped" in warning.detail


@pytest.mark.parametrize(
    ("description", "text"),
    [
        (
            " Sorts\n  the parcels\n\n  and packs # them\n  # not this\n  all\n",
            "Sorts the parcels\nand packs # them all",
        ),
        (" Sorts\n\tthe parcels", "Sorts the parcels"),
        (" &d Sorts\n  more", "&d Sorts more"),
        (" [one,\n  two]", "[one, two]"),
        (' "Sorts\n  it" and\n  packs', '"Sorts it" and'),
        ("\n  Sorts\n  the parcels", "Sorts the parcels"),
        (" # c\n\n  'Sorts\n   when: asked'", "Sorts when: asked"),
        ("\n  |\n  a\n  b", "a\nb"),
        (" 'Sorts'\n  and more", "Sorts"),
        (" >\n  Sorts\n\n  all\n", "Sorts\nall"),
        (" |-\n  |-", "|-"),
    ],
)
def test_descriptions_over_lines(description: str, text: str, tmp_path: Path) -> None:
    assert described(tmp_path, description).description == text


@pytest.mark.parametrize("size", [0, 8170, 8185, 8192, 8193, 16384, 70_000])
def test_front_matter_of_any_size_and_no_more_of_the_file(size: int, tmp_path: Path) -> None:
    """What follows the piece with the closing fence is not even decoded."""
    head = f"---\nname: alpha\ndescription: d\nx: {'x' * size}\n---\n".encode()
    found = header(put(tmp_path, head + b"\xff" * 100))
    assert len(found.fields.get("x", "")) == size


@pytest.mark.parametrize("cut", range(-1, 6))
def test_a_fence_across_two_pieces(cut: int, tmp_path: Path) -> None:
    head = "---\nname: alpha\ndescription: d\nx: "
    head += "x" * (8192 - cut - len(head) - 1)
    body = "x" * (MOST_HEADER_BYTES + 8192)  # far more than is read in search of a fence
    assert header(put(tmp_path, f"{head}\n---\n{body}")).fields == {"x": head[head.index("x: ") + 3 :]}


@pytest.mark.parametrize("cut", range(5))
def test_a_key_across_two_pieces_is_no_fence(cut: int, tmp_path: Path) -> None:
    head = "---\nname: alpha\ndescription: d\nx: "
    head += "x" * (8192 - cut - len(head) - 1)
    assert header(put(tmp_path, f"{head}\n---k: v\n---\n")).fields["---k"] == "v"


@pytest.mark.parametrize("end", ["\n---", "\n---\n", "\n--- \t\r\nBody", "\r\n---\r\n---x"])
def test_closing_fences(end: str, tmp_path: Path) -> None:
    head = f"\ufeff---  \nname: alpha\ndescription: |\n  ---\n{'# ' + 'c' * 8000}\nx: ---{end}"
    assert header(put(tmp_path, head)).fields == {"x": "---"}


def test_a_file_without_an_end_is_given_up(tmp_path: Path) -> None:
    path = put(tmp_path, "---\n" + "# c\n" * (MOST_HEADER_BYTES // 4))
    warning = refused(path)
    assert warning.code == "no_frontmatter"
    assert str(MOST_HEADER_BYTES) in warning.detail
    path.write_text("x" * 3 * MOST_HEADER_BYTES)
    assert refused(path).code == "no_frontmatter"


@pytest.mark.parametrize("kind", ["absent", "directory", "fifo", "dangling"])
def test_what_is_no_file(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "alpha/SKILL.md"
    path.parent.mkdir()
    if kind == "directory":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "dangling":
        path.symlink_to("lost.md")
    warning = refused(path)
    assert warning.code == "read_failed"
    with pytest.raises(SkillError) as caught:
        read_skill_body(path)
    assert caught.value.warning.code == "read_failed"
    assert str(path) in str(caught.value)


def test_the_directory_of_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "---\nname: alpha\ndescription: d\n---\n")
    monkeypatch.chdir(tmp_path / "alpha")
    assert header(Path("SKILL.md")).warnings == ()
    monkeypatch.chdir(tmp_path)
    assert header(Path("alpha/SKILL.md")).warnings == ()


def test_bodies(tmp_path: Path) -> None:
    path = put(tmp_path, "---\nname: alpha\ndescription: d\n---\n\n  One.\r\n\n---\n\nTwo.")
    assert read_skill_body(str(path)) == "\n  One.\r\n\n---\n\nTwo."
    path.write_bytes(b"---\nname: alpha\ndescription: d\n---\n\xff")
    assert header(path).name == "alpha"
    with pytest.raises(SkillError, match="UTF-8"):
        read_skill_body(path)
    path.write_text("---\nname: alpha\n")
    with pytest.raises(SkillError, match="never closed"):
        read_skill_body(path)
