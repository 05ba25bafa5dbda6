"""`panto-py doctor` in a real terminal, which it asks what it can do."""

from tests.e2e.conftest import World
from tests.support.llm_server import LLMServer


def test_the_terminal_answers_and_is_left_as_it_was(world: World) -> None:
    with LLMServer([]) as server:
        world.configure(server)
        terminal = world.start("doctor", columns=120, rows=50, keyboard="kitty")
        terminal.wait_exit()
    screen = terminal.screen_text()
    assert "is told from Enter" in screen
    assert "120 x 50" in screen
    assert "^[" not in screen
