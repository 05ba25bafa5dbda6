"""Models on screen: how much they think, why a request waits, and what it all has cost."""

from tests.e2e.conftest import World, say, told
from tests.support.llm_server import Failure, LLMServer, Reply, Usage

PRICES = """
[providers.local.models."test-model"]
thinking = "effort"
price_input = 1000
price_output = 2000
"""


def test_thinking_is_chosen_shown_and_asked_for_and_survives_a_reload(world: World) -> None:
    with LLMServer([Reply("One."), Reply("Two."), Reply("Three.")]) as server:
        world.configure(server)
        world.write_config(world.config_file.read_text() + PRICES)
        terminal = world.start(columns=160)
        say(terminal, "first")
        terminal.wait_for("One.")
        say(terminal, "/thinking high")
        terminal.wait_for("local/test-model · high")
        say(terminal, "second")
        terminal.wait_for("Two.")
        say(terminal, "/reload")
        terminal.wait_for("local/test-model · high")
        say(terminal, "third")
        terminal.wait_for("Three.")
        first, second, third = server.wait_for_requests(3)
        assert "reasoning_effort" not in first.body
        assert (second.body["reasoning_effort"], third.body["reasoning_effort"]) == ("high", "high")


def test_what_it_costs_is_shown_and_comes_back_with_the_session(world: World) -> None:
    with LLMServer([Reply("Dear.", usage=Usage(input=100, output=50))]) as server:
        world.configure(server)
        world.write_config(world.config_file.read_text() + PRICES)
        terminal = world.start()
        say(terminal, "hello")
        terminal.wait_for("Dear.")
        terminal.wait_for("$0.20")
        say(terminal, "/cost")
        told(terminal, "local/test-model", "100", "50", "$0.20")
        terminal.press("ctrl+d")
        assert terminal.wait_exit() == 0
        again = world.start("--continue")
        again.wait_for("$0.20")


def test_a_request_that_waits_says_why_in_one_line_that_settles(world: World) -> None:
    with LLMServer([Failure("overloaded"), Failure("overloaded"), Reply("Here I am.")]) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "hello")
        told(terminal, "overloaded", "try 2 of 4", "Esc stops")
        terminal.wait_for("Here I am.")
        told(terminal, "answered at try 3 of 4")
        assert terminal.screen_text().count("overloaded:") == 1


def test_a_wait_that_is_too_long_fails_at_once_with_the_time_named(world: World) -> None:
    with LLMServer([Failure("rate_limit", retry_after=900), Reply("Back.")]) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "hello")
        told(terminal, "the server asks to wait 15 min")
        say(terminal, "again")
        terminal.wait_for("Back.")
