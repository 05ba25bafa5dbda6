"""`/config` in a real terminal."""

from tests.e2e.conftest import World, say, told, wait_ready
from tests.support.llm_server import LLMServer, Reply


def test_a_theme_is_chosen_written_and_shown_and_the_session_goes_on(world: World) -> None:
    with LLMServer([Reply("Here.")]) as server:
        world.configure(server)
        terminal = world.start()
        say(terminal, "hello")
        terminal.wait_for("Here.")
        dark = terminal.cell(0, 0).background
        say(terminal, "/config theme")
        terminal.wait_for("─ settings ─")
        terminal.press("enter")
        terminal.wait_for("─ theme ─")
        terminal.type_text("panto-light")
        terminal.press("enter")
        terminal.wait_for("written to ─")
        terminal.press("enter")
        told(terminal, 'theme = "panto-light"', "user")
        terminal.press("escape")
        terminal.wait_gone("─ settings ─")
        wait_ready(terminal)
        terminal.wait_for(lambda terminal: terminal.cell(0, 0).background != dark)
        terminal.wait_for("Here.")
        assert 'theme = "panto-light"' in world.config_file.read_text()
        assert "model = " in world.config_file.with_name("config.toml.bak").read_text()
