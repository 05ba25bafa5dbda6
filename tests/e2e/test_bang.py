"""``!`` runs a command of the user's own, in a terminal of its own: seen, stopped, and told to the model."""

from tests.e2e.conftest import World, say, told, wait_ready
from tests.support.llm_server import Hold, LLMServer, Reply


def test_its_output_is_shown_and_told_to_the_model_with_the_next_request(world: World) -> None:
    with LLMServer([Reply("I know of it.")]) as server:
        world.configure(server)
        terminal = world.start()
        wait_ready(terminal)
        say(terminal, "!test -t 1 && echo in a terminal; echo $((40 + 2)); exit 3")
        terminal.wait_for("exit code 3")
        told(terminal, "in a terminal", "42")
        assert server.requests == []
        say(terminal, "what came out?")
        terminal.wait_for("I know of it.")
        (request,) = server.wait_for_requests(1)
        sent = "\n".join(request.user_texts)
        assert "in a terminal" in sent
        assert "42" in sent
        assert "[exit code 3]" in sent
        terminal.press("ctrl+d")
        terminal.wait_exit()
        again = world.start("--continue")
        told(again, "!test -t 1", "what came out?", "I know of it.")


def test_two_marks_tell_the_model_nothing(world: World) -> None:
    with LLMServer([Reply("Hello.")]) as server:
        world.configure(server)
        terminal = world.start()
        wait_ready(terminal)
        say(terminal, "!!echo only-$((1 + 1))-here")
        terminal.wait_for("only-2-here")
        say(terminal, "hello")
        terminal.wait_for("Hello.")
        (request,) = server.wait_for_requests(1)
        assert "only-" not in "\n".join(request.user_texts)


def test_esc_stops_it_with_all_that_it_started(world: World) -> None:
    terminal = world.start("--demo")
    wait_ready(terminal)
    say(terminal, "!echo begun-$((1 + 1)); sleep 300 & sleep 300")
    terminal.wait_for("begun-2")
    terminal.wait_for(lambda terminal: any("sleep 300" in process.command for process in terminal.descendants()))
    terminal.press("escape")
    terminal.wait_for("stopped")
    terminal.wait_for(lambda terminal: not any("sleep" in process.command for process in terminal.descendants()))


def test_it_runs_beside_a_turn(world: World) -> None:
    hold = Hold(after="I think")
    with LLMServer([hold]) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "think")
        terminal.wait_for("I think")
        say(terminal, "!echo beside-$((1 + 1))")
        terminal.wait_for("beside-2")
        hold.release()


def test_hostile_output_is_seen_and_not_obeyed(world: World) -> None:
    terminal = world.start("--demo")
    wait_ready(terminal)
    say(terminal, "!printf 'a\\033]0;owned\\007b\\033[31mred\\033[0m [bold]x[/] \\xff\\n'; echo end-$((1 + 1))")
    terminal.wait_for("end-2")
    assert "owned" not in terminal.title
    told(terminal, "red", "[bold]x[/]")
