"""A toggle's new lists: they say what was wanted, and nothing else of any other extension."""

from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given, strategies as st

from panto.config import load
from panto.config.edit import EditError
from panto.loader.policy import Policy
from panto.loader.rewriting import exactly, rewritten, write
from panto.paths import Paths

KNOWN = ("agent.rules", "agent.skill", "std.read", "std.shell", "std.write")
ids = st.text("ab.*?[]!-", min_size=1, max_size=5)
globs = st.one_of(st.text("ab.*?[]!-", max_size=5), st.sampled_from(["*", "a*", "*.b", "[!a]*", "?.*"]))


@given(st.lists(globs, max_size=4), st.lists(globs, max_size=4), st.sets(ids, min_size=1), st.data())
def test_what_was_wanted_is_so_and_every_other_is_judged_as_before(
    allow: list[str], deny: list[str], known: set[str], data: st.DataObject
) -> None:
    policy = Policy(allow, deny)
    toggled = data.draw(st.sampled_from(sorted(known)))
    on = data.draw(st.booleans())
    result = rewritten(policy, toggled, on, known)
    assert result.allows(toggled) == on
    assert {one: result.allows(one) for one in known - {toggled}} == {
        one: policy.allows(one) for one in known - {toggled}
    }
    if policy.allows(toggled) == on:
        assert result is policy


@given(st.lists(globs, max_size=4), st.lists(globs, max_size=4), st.sets(ids, min_size=1), st.data())
def test_toggling_twice_leaves_every_judgement_as_it_was(
    allow: list[str], deny: list[str], known: set[str], data: st.DataObject
) -> None:
    policy = Policy(allow, deny)
    toggled = data.draw(st.sampled_from(sorted(known)))
    was = policy.allows(toggled)
    there = rewritten(policy, toggled, not was, known)
    back = rewritten(there, toggled, was, known)
    assert {one: back.allows(one) for one in known} == {one: policy.allows(one) for one in known}


@given(st.lists(globs, max_size=4), st.sets(ids, min_size=1), st.data())
def test_what_deny_has_denied_it_denies_still(deny: list[str], known: set[str], data: st.DataObject) -> None:
    """Also where ``allow`` would not have it: the lists hold their own, whatever is changed in the other later."""
    toggled = data.draw(st.sampled_from(sorted(known)))
    result = rewritten(Policy(["*"], deny), toggled, True, known)
    for other in known - {toggled}:
        assert Policy(["*"], result.deny).allows(other) == Policy(["*"], deny).allows(other)


@given(ids, ids)
def test_an_id_is_matched_by_its_own_glob_alone(one: str, other: str) -> None:
    assert Policy([exactly(one)]).allows(other) == (one == other)


Lists: TypeAlias = tuple[list[str], list[str]]
CHANGES: list[tuple[list[str], list[str], str, bool, Lists]] = [
    (["*"], [], "std.read", False, (["*"], ["std.read"])),
    (["*"], ["std.read"], "std.read", True, (["*"], [])),
    (["*"], ["std.*"], "std.read", True, (["*"], ["std.shell", "std.write"])),
    (["*"], ["a*", "std.*", "std.write"], "std.read", True, (["*"], ["a*", "std.shell", "std.write"])),
    (["*"], ["*", "std.*"], "agent.rules", True, (["*"], ["agent.skill", "std.*"])),
    (["agent.*"], [], "std.read", True, (["agent.*", "std.read"], [])),
    (["agent.*"], ["std.*"], "std.read", True, (["agent.*", "std.read"], ["std.shell", "std.write"])),
    ([], [], "std.read", False, ([], [])),
]


@pytest.mark.parametrize(("allow", "deny", "toggled", "on", "result"), CHANGES)
def test_the_change_is_the_smallest(allow: list[str], deny: list[str], toggled: str, on: bool, result: Lists) -> None:
    policy = rewritten(Policy(allow, deny), toggled, on, KNOWN)
    assert (list(policy.allow), list(policy.deny)) == result


def test_a_file_without_a_list_of_its_own_starts_from_the_one_in_effect(tmp_path: Path) -> None:
    paths = Paths.discover(tmp_path)
    assert write(paths, paths.project, Policy(["*"], ["std.read"]), "std.write", False, KNOWN)
    assert load(paths).extensions.deny == ("std.read", "std.write")
    assert paths.project.config_file.read_text() == '[extensions]\ndeny = ["std.read", "std.write"]\n'


def test_comments_stay_and_both_lists_change_where_both_must(tmp_path: Path) -> None:
    paths = Paths.discover(tmp_path)
    paths.user.config_file.parent.mkdir(parents=True)
    paths.user.config_file.write_text(
        '# mine\n[extensions]\nallow = ["agent.*"]  # few\ndeny = [\n  # no tools\n  "std.*",\n]\n'
    )
    before = Policy(["agent.*"], ["std.*"])
    assert write(paths, paths.user, before, "std.read", True, KNOWN)
    text = paths.user.config_file.read_text()
    assert all(comment in text for comment in ("# mine", "# few", "# no tools"))
    extensions = load(paths).extensions
    assert (extensions.allow, extensions.deny) == (("agent.*", "std.read"), ("std.shell", "std.write"))
    assert not write(paths, paths.user, Policy(extensions.allow, extensions.deny), "std.read", True, KNOWN)


def test_what_another_program_wrote_meanwhile_is_kept(tmp_path: Path) -> None:
    paths = Paths.discover(tmp_path)
    paths.user.config_file.parent.mkdir(parents=True)
    paths.user.config_file.write_text('[extensions]\ndeny = ["agent.skill"]\n')
    assert write(paths, paths.user, Policy(), "std.read", False, KNOWN)
    assert load(paths).extensions.deny == ("agent.skill", "std.read")


def test_a_list_that_does_not_count_is_not_built_on(tmp_path: Path) -> None:
    paths = Paths.discover(tmp_path)
    paths.user.config_file.parent.mkdir(parents=True)
    paths.user.config_file.write_text("[extensions]\ndeny = [1]\n")
    assert write(paths, paths.user, Policy(), "std.read", False, KNOWN)
    assert load(paths).extensions.deny == ("std.read",)


def test_a_projects_file_that_leads_elsewhere_is_not_written(tmp_path: Path) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    project.mkdir()
    elsewhere.mkdir()
    (project / ".panto").symlink_to(elsewhere)
    paths = Paths.discover(project)
    with pytest.raises(EditError, match="leads out of"):
        write(paths, paths.project, Policy(), "std.read", False, KNOWN)
    assert list(elsewhere.iterdir()) == []
