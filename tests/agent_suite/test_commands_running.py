"""``agent.commands``: what becomes of a body with its placeholders, commands and files."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from panto import CommandResult
from panto.permissions.approval import Approval
from panto_agent.commands import _outputs
from panto_agent.commands._arguments import Arguments
from panto_agent.commands._shell_line import shell_line
from panto_agent.commands._template import Argument
from tests.agent_suite.test_commands import Place, put, said
from tests.support.extension_host import Stage


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """An empty project and an empty home."""
    return Place(tmp_path)


async def refused(stage: Stage, name: str, arguments: str = "") -> str:
    """Why a command was not run."""
    stage.notices.clear()
    assert await stage.command(name, arguments) == CommandResult()
    await stage.bus.settle()
    (notice,) = stage.notices
    return notice


@pytest.mark.parametrize(
    ("body", "arguments", "expected"),
    [
        ("Fix $ARGUMENTS now", "a  'b c'", "Fix a  'b c' now"),
        ("$1|$2|$3", "a 'b c'", "a|b c|"),
        ("$1 $2", "it's fine", "it's fine"),
        ("$10 $0 $100 $ARGUMENTSX $ARGUMENT ${1}", "a", "$10 $0 $100 $ARGUMENTSX $ARGUMENT ${1}\n\na"),
        ("$1, $2.", "a b", "a, b."),
        ("$9$1", "a b c d e f g h i", "ia"),
        ("$1st", "a", "ast"),
        (r"\$1 \$ARGUMENTS \$HOME $1", "a", "$1 $ARGUMENTS $HOME a"),
        (r"\$1", "a", "$1\n\na"),
        (r"\@AGENTS.md \!`touch x` me\@there", "", "@AGENTS.md !`touch x` me@there"),
        (r"\n \\ \x", "", r"\n \\ \x"),
        ("No place", "for  this", "No place\n\nfor  this"),
        ("No place", "", "No place"),
        ("\n\nBlank\n\n lines \n\n\n", "", "Blank\n\n lines "),
        ("", "only this", "only this"),
        ("`println!` and `vec!`, `foo()!` or `x`", "", "`println!` and `vec!`, `foo()!` or `x`"),
        ("!`` !` ` x!`y`", "", "!`` !` ` x!`y`"),
        ("me@AGENTS.md @nothing @media @", "", "me@AGENTS.md @nothing @media @"),
    ],
)
async def test_text_and_arguments(place: Place, body: str, arguments: str, expected: str) -> None:
    put(place.project / "AGENTS.md", "RULES")
    put(place.user / "x.md", body)
    async with place.stage() as stage:
        assert await said(stage, "x", arguments) == expected
        assert stage.user.asked == []


async def test_what_is_shown_is_what_was_typed(place: Place) -> None:
    put(place.user / "ns/x.md", "---\nmodel: other/small\n---\nLong text of $1")
    put(place.user / "y.md", "text")
    async with place.stage() as stage:
        result = await stage.command("ns:x", "'a b'  c")
        assert result.text == ""
        assert result.prompt is not None
        assert (result.prompt.shown, result.prompt.model) == ("/ns:x 'a b'  c", "other/small")
        plain = (await stage.command("y")).prompt
        assert plain is not None
        assert (plain.shown, plain.model, plain.own_turn, plain.tag) == ("/y", None, False, "")


async def test_the_file_is_read_anew_each_time(place: Place) -> None:
    path = put(place.user / "x.md", "first")
    async with place.stage() as stage:
        assert await said(stage, "x") == "first"
        path.write_text("second")
        assert await said(stage, "x") == "second"
        path.write_text("---\nmodel\n---\n")
        assert f"{path}:2: its front matter" in await refused(stage, "x")
        path.unlink()
        assert await refused(stage, "x") == f"/x was not run: {path}: it can't be read: no such file or directory"


@pytest.mark.parametrize("body", ["", "  \n\t\n", "---\ndescription: x\n---\n", "$1", "!`true`"])
async def test_nothing_is_not_sent(place: Place, body: str) -> None:
    path = put(place.user / "x.md", body)
    async with place.stage() as stage:
        assert await refused(stage, "x") == f"/x was not run: it says nothing; {path} holds its text"


async def test_what_fits_into_no_model_is_not_sent(place: Place) -> None:
    put(place.user / "x.md", "$ARGUMENTS" * 20_000)
    async with place.stage() as stage:
        assert "more than 1000000 characters" in await refused(stage, "x", "long" * 100)


async def test_an_agent_and_a_model_that_can_not_be_had_are_told(place: Place) -> None:
    put(place.user / "x.md", "---\nagent: reviewer # the strict one\nmodel: sonnet\n---\nGo")
    put(place.user / "y.md", "---\nmodel: inherit\n---\nGo")
    async with place.stage() as stage:
        prompt = (await stage.command("x")).prompt
        assert prompt is not None
        assert (prompt.text, prompt.model) == ("Go", None)
        await stage.bus.settle()
        agent, model = stage.notices
        assert "/x names the agent reviewer:" in agent
        assert "/x names the model 'sonnet'" in model
        stage.notices.clear()
        await said(stage, "y")
        await stage.bus.settle()
        assert stage.notices == []


async def test_output_stands_in_the_place_of_its_command_in_order(place: Place) -> None:
    put(place.user / "x.md", "A !`echo one >> log; cat log` B (!`echo two >> log; cat log`) \"!`printf '\\033[1mx'`\"")
    async with place.stage() as stage:
        assert await said(stage, "x") == 'A one B (one\ntwo) "x"'
        assert [(request.title, request.needs[0].subject) for request in stage.user.asked] == [
            ("/x", "echo one >> log; cat log"),
            ("/x", "echo two >> log; cat log"),
            ("/x", "printf '\\033[1mx'"),
        ]
        assert (place.project / "log").exists()


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("false", "[exit code 1]"),
        ("echo out; echo err >&2; exit 3", "out\nerr\n[exit code 3]"),
        ("kill -9 $$", "[ended by SIGKILL]"),
        ("$1", "[not run: there is no command]"),
        ("sleep 100", "[timed out after 0.2 seconds]"),
    ],
)
async def test_what_went_wrong_with_a_command_is_said_in_its_place(
    place: Place, command: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "sleep" in command:
        monkeypatch.setattr(_outputs, "TIMEOUT_SECONDS", 0.2)
    put(place.user / "x.md", f"<!`{command}`>")
    async with place.stage() as stage:
        assert await said(stage, "x") == f"<{expected}>"


async def test_long_output_is_cut_where_it_is_seen(place: Place) -> None:
    put(place.user / "x.md", "!`seq 1 100000`")
    async with place.stage() as stage:
        text = await said(stage, "x")
        assert len(text) < 31_000
        assert "bytes left out]" in text
        assert text.startswith("1\n2\n")
        assert text.endswith("100000")


async def test_a_refused_command_is_said_in_its_place_and_the_next_one_is_asked_about(place: Place) -> None:
    put(place.user / "x.md", "A !`touch one` B !`touch two`")
    async with place.stage() as stage:
        stage.user.answer = Approval("no", "not today")
        said_no = "[not run: The user does not want this to run and says: not today]"
        assert await said(stage, "x") == f"A {said_no} B {said_no}"
        assert len(stage.user.asked) == 2
        assert not (place.project / "one").exists()
        stage.shell.guard.gate.mode = "plan"
        text = await said(stage, "x")
        assert text.startswith("A [not run: Denied: the mode is plan")
        assert len(stage.user.asked) == 2


async def test_a_project_that_is_not_trusted_has_nothing_run(place: Place) -> None:
    for directory in (place.own, place.project / ".claude/commands", place.project / ".agents/commands"):
        path = put(directory / "x.md", "!`touch ran`")
        put(directory / "y.md", r"$ARGUMENTS \!`touch ran`")
        async with place.stage() as stage:
            why = await refused(stage, "x")
            assert f"read {path} and copy it to {place.user}" in why
            assert await said(stage, "y", "!`touch ran`") == "!`touch ran` !`touch ran`"
            assert stage.user.asked == []
        shutil.rmtree(directory)
    put(place.own / "x.md", "!`echo ran`")
    async with place.stage(trusts_project=True) as stage:
        assert await said(stage, "x") == "ran"
        assert len(stage.user.asked) == 1
    put(place.base / "z.md", "!`echo base`")
    async with place.stage() as stage:
        assert await said(stage, "z") == "base"


async def test_stopping_a_command_ends_what_it_runs(place: Place) -> None:
    put(place.user / "x.md", "!`echo $$ > pid; exec sleep 300`")
    async with place.stage() as stage:
        running = asyncio.create_task(stage.command("x"))
        pid = place.project / "pid"
        while not (pid.exists() and pid.read_text().strip()):
            await asyncio.wait({running}, timeout=0.01)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid.read_text()), 0)


@pytest.mark.parametrize(
    ("command", "arguments", "expected"),
    [
        ("printf '<%s>' $1 $2", "'a  b' c", "<a  b><c>"),
        ("printf '<%s>' $ARGUMENTS", "'a  b' c", "<a  b><c>"),
        ("printf '<%s>' \"$ARGUMENTS\"", "'a  b' c", "<'a  b' c>"),
        ("printf '<%s>' '$1'x\"$1\"", "it\"s'", "<it\"s'xit\"s'>"),
        ("printf '<%s>' a $1 $2", "", "<a>"),
        ("printf '<%s>' a \"$1\" b$1", "", "<a><><b>"),
        ("printf '<%s>' $1", "''", "<>"),
        ("printf '<%s>' $1$2", "a b", "<ab>"),
        (r"printf '<%s>' \$1 $1", "a", "<a>"),
        (r"echo a b | awk '{print \$2}'", "", "b"),
        ('printf \'<%s>\' "${HOME}" "$(echo x)" $1 | tail -c 6', "a", "<x><a>"),
        ("cat <<< $1", "a", "a"),
        ("printf '<%s>' $(echo $1)", "a", "<a>"),
    ],
)
async def test_arguments_are_words_to_the_shell(place: Place, command: str, arguments: str, expected: str) -> None:
    put(place.user / "x.md", f"!`{command}`")
    async with place.stage() as stage:
        assert await said(stage, "x", arguments) == expected


@pytest.mark.parametrize(
    "command",
    [
        'echo "$(echo "$1")"',
        'echo "${x:-$1}"',
        "echo $(($1))",
        "(( x = $1 ))",
        "echo $[$1]",
        "echo $'$1'",
        "echo $$1",
        "cat <<$1",
        "true # $1",
        "true # it's $1",
        'echo "$(case x in x) echo " $1 ";; esac)"',
    ],
)
async def test_where_an_argument_can_not_be_quoted_nothing_runs(place: Place, command: str) -> None:
    put(place.user / "x.md", f"!`{command}`")
    async with place.stage() as stage:
        text = await said(stage, "x", "$(touch${IFS}ran)")
        assert text.startswith("[not run: an argument stands in or behind something")
        assert stage.user.asked == []


def test_what_stands_around_a_missing_argument_does_not_meet() -> None:
    """Two brackets that met would be arithmetic, in which an argument runs commands of its own."""
    parts = ("echo $(", Argument(2), "(echo ", Argument(1), "))")
    assert shell_line(parts, Arguments("x")) == "echo $(''(echo x))"


_CONTEXTS = (
    "$1",
    '"$1"',
    "'$1'",
    "a$1",
    "\"a b $1 c\"'d'",
    "$(printf %s $1)",
    "<(true)$1",
    "$ARGUMENTS",
    '"$ARGUMENTS"',
)
_NASTY = st.text("ab '\"\\$`(){}!;&|<>#*?~=-\n\t[]", max_size=12)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(contexts=st.lists(st.sampled_from(_CONTEXTS), min_size=1, max_size=3), word=_NASTY)
async def test_no_argument_is_more_than_a_word(
    tmp_path_factory: pytest.TempPathFactory, contexts: list[str], word: str
) -> None:
    """Whatever an argument holds, the shell reads the same command: a file beside it is never made."""
    place = Place(tmp_path_factory.mktemp("place"))
    put(place.user / "x.md", f"<!`printf %s {' '.join(contexts)} >/dev/null; echo end`>")
    quoted = "'" + (word + ";touch ran;$(touch ran)\"'$(touch ran)#").replace("'", "'\"'\"'") + "'"
    async with place.stage() as stage:
        assert await said(stage, "x", quoted) == "<end>"
        assert not (place.project / "ran").exists()
