from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from panto.permissions.rules import ANYTHING, Rule, RuleError, first_covering, parse_rule, rule_for_all_meant
from panto.tools import Ability, Need

PROJECT = Path("/work/shop")


def covers(rule: str, ability: Ability, subject: str, project: Path = PROJECT) -> bool:
    return parse_rule(rule).covers(Need(ability, subject), project)


def allows(rule: str, ability: Ability, subject: str, project: Path = PROJECT) -> bool:
    return parse_rule(rule).allows(Need(ability, subject), project)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("fs.read(**/.env*)", Rule("fs.read", "**/.env*")),
        ("command.run(sudo *)", Rule("command.run", "sudo *")),
        ("  net.http  ", Rule("net.http", None)),
        ("command.run(echo (a))", Rule("command.run", "echo (a)")),
        ("mcp.use(github.*)", Rule("mcp.use", "github.*")),
    ],
)
def test_rules_as_they_stand_in_config(text: str, rule: Rule) -> None:
    assert parse_rule(text) == rule


@pytest.mark.parametrize(
    "text",
    ["", "fs", "fs.", "fs.reed(x)", "FS.READ(x)", "fs.read(x", "fs.read()", "read(x)", "sudo *", "fs.read(x) or"],
)
def test_what_is_no_rule_is_named_with_what_one_looks_like(text: str) -> None:
    with pytest.raises(RuleError) as caught:
        parse_rule(text)
    assert repr(text) in str(caught.value)
    assert "fs.read(**/.env)" in str(caught.value)


@given(st.text())
def test_any_text_is_a_rule_or_an_error(text: str) -> None:
    with suppress(RuleError):
        parse_rule(text)
    assert rule_for_all_meant(text).pattern is None


@pytest.mark.parametrize(
    ("text", "ability"),
    [
        ("fs.reed(x)", "fs"),
        ("Fs.Read(x)", "fs"),
        (" fs (x)", "fs"),
        ("command.rnu(sudo *)", "command"),
        ("fs.read()", "fs"),
        ("sudo *", ANYTHING),
        ("f.read(x)", ANYTHING),
        ("", ANYTHING),
    ],
)
def test_what_a_rule_may_have_meant_at_most(text: str, ability: str) -> None:
    assert rule_for_all_meant(text) == Rule(ability, None)


@pytest.mark.parametrize(
    "path",
    ["/work/shop/.env", "/work/shop/.env.local", "/work/shop/a/b/.env", "/etc/.env", "/.env"],
)
def test_a_glob_with_any_directories_hits_nested_and_absolute_paths(path: str) -> None:
    assert covers("fs.read(**/.env*)", "fs.read", path)


@pytest.mark.parametrize("path", ["/work/shop/env", "/work/shop/a.env", "/work/shop/.env.d/x", "/work/shop/.en"])
def test_and_nothing_else(path: str) -> None:
    assert not covers("fs.read(**/.env*)", "fs.read", path)


@pytest.mark.parametrize(
    ("rule", "path", "held"),
    [
        ("fs.read(secrets/**)", "/work/shop/secrets/a/b", True),
        ("fs.read(secrets/**)", "/work/shop/other/secrets/a", False),
        ("fs.read(secrets/*)", "/work/shop/secrets/a", True),
        ("fs.read(secrets/*)", "/work/shop/secrets/a/b", False),
        ("fs.read(/etc/**)", "/etc/passwd", True),
        ("fs.read(/etc/**)", "/work/shop/etc/passwd", False),
        ("fs.read(*.pem)", "/work/shop/deep/key.pem", True),
        ("fs.read(key.pem)", "/work/shop/key.pem", True),
        ("fs.read(key.pem)", "/work/shop/deep/key.pem", True),
        ("fs.read(key.pem)", "/work/shop/monkey.pem", False),
        ("fs.read(key.p?m)", "/work/shop/key.pam", True),
        ("fs.read(key.pem)", "/work/shop/keyxpem", False),
        ("fs.read(a[1].txt)", "/work/shop/a[1].txt", True),
    ],
)
def test_path_patterns(rule: str, path: str, held: bool) -> None:
    assert covers(rule, "fs.read", path) is held


def test_home_in_a_pattern(home: Path) -> None:
    assert covers("fs.read(~/.ssh/**)", "fs.read", f"{home}/.ssh/id_rsa")
    assert not covers("fs.read(~/.ssh/**)", "fs.read", "/root2/.ssh/id_rsa")


def test_a_rule_holds_for_its_own_ability_and_category() -> None:
    assert not covers("fs.read(**/.env*)", "fs.write", "/work/shop/.env")
    assert not covers("net.http", "command.run", "curl")
    assert Rule("fs", None).covers(Need("fs.write", "/x"), PROJECT)
    assert not Rule("fs", None).covers(Need("command.run", "x"), PROJECT)
    assert Rule(ANYTHING, None).covers(Need("mcp.use", "x"), PROJECT)


def test_a_link_is_what_it_is_called_and_what_it_leads_to(tmp_path: Path) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    (project / ".env").write_text("KEY=1")
    (project / "notes.txt").symlink_to(".env")
    (project / "dir").symlink_to("/etc")
    (project / ".env.link").symlink_to("README")
    assert covers("fs.read(**/.env*)", "fs.read", f"{project}/notes.txt", project)
    assert covers("fs.read(/etc/**)", "fs.read", f"{project}/dir/passwd", project)
    assert covers("fs.read(dir/**)", "fs.read", f"{project}/dir/passwd", project)
    assert covers("fs.read(**/.env*)", "fs.read", f"{project}/.env.link", project)


def test_a_project_reached_by_a_link_is_the_same_project(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "link").symlink_to("shop")
    for project in (tmp_path / "shop", tmp_path / "link"):
        for spelled in ("shop/src/a", "link/src/a"):
            assert covers("fs.write(src/*)", "fs.write", f"{tmp_path}/{spelled}", project)
            assert allows("fs.write(src/*)", "fs.write", f"{tmp_path}/{spelled}", project)


def test_an_allow_rule_goes_by_where_a_path_really_leads(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "out").symlink_to("/etc")
    assert allows("fs.write(build/**)", "fs.write", f"{tmp_path}/build/a", tmp_path)
    assert not allows("fs.write(build/**)", "fs.write", f"{tmp_path}/build/out/passwd", tmp_path)


def test_a_circle_of_links_has_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert covers("fs.read(a)", "fs.read", f"{tmp_path}/a", tmp_path)


@pytest.mark.parametrize("command", ["sudo rm x", "sudo -i", "sudo cat /etc/shadow", "  sudo x", "sudo a\nb"])
def test_commands_by_their_beginning(command: str) -> None:
    assert covers("command.run(sudo *)", "command.run", command)


@pytest.mark.parametrize("command", ["sudo", "sudoedit x", "echo sudo x"])
def test_and_no_others(command: str) -> None:
    assert not covers("command.run(sudo *)", "command.run", command)


def test_a_star_for_commands_takes_slashes_whatever_else_is_in_the_pattern() -> None:
    assert covers("command.run(rm -rf /*)", "command.run", "rm -rf /etc/passwd")
    assert covers("command.run(./deploy.sh *)", "command.run", "./deploy.sh a/b")
    assert covers("net.http(https://evil.example/*)", "net.http", "https://evil.example/a/b")


def test_an_allow_rule_covers_one_plain_command() -> None:
    assert allows("command.run(git status*)", "command.run", "git status --short")
    assert not allows("command.run(git status*)", "command.run", "git push")


@given(
    st.sampled_from(["*", "git *", "git status*"]),
    st.text(max_size=10),
    st.sampled_from([*";&|<>`$(){}\n\\!*?[]~#'\""]),
    st.text(max_size=10),
)
def test_it_never_covers_one_with_shell_syntax(pattern: str, before: str, syntax: str, after: str) -> None:
    assert not allows(f"command.run({pattern})", "command.run", f"git status {before}{syntax}{after}")


def test_the_first_rule_that_covers() -> None:
    rules = [parse_rule(text) for text in ("net.http", "fs.read(*.pem)", "fs.read(key*)")]
    assert first_covering(rules, Need("fs.read", "/work/shop/key.pem"), PROJECT) is rules[1]
    assert first_covering(rules, Need("fs.read", "/work/shop/a"), PROJECT) is None
