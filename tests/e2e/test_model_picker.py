"""``/model``: pick who answers, from a list that fills as the servers answer."""

import json
import threading
import tomllib

from tests.e2e.conftest import KEY, World, ask, say, told, wait_ready
from tests.e2e.test_set_aside import png
from tests.support.json_server import JSONServer
from tests.support.llm_server import Call, Gate, LLMServer, Reply
from tests.support.terminal import Terminal

NAMES = ("other-0", "other-1", "other-2", "\x1b[31mred", "[bold]b[/]")
OTHERS: dict[str, object] = {"data": [{"id": name} for name in NAMES]}
"""What another server lists: also names that a terminal, or markup, might obey."""


def provider(name: str, url: str) -> str:
    """A provider's table."""
    return f'\n[providers.{name}]\napi = "openai-chat"\nbase_url = "{url}"\napi_key = "{KEY}"\n'


def configure(world: World, server: LLMServer, more: str = "") -> None:
    """Two models of the scripted server, and more providers."""
    world.write_config(
        f'# mine\nmodel = "local/test-model"  # this one\n{provider("local", server.base_url)}'
        '[providers.local.models."second-model"]\ncontext_window = 64000\nprice_input = 3\nprice_output = 15\n'
        '[providers.local.models."test-model"]\ncontext_window = 32000\n' + more
    )


def open_picker(terminal: Terminal, words: str = "") -> None:
    say(terminal, f"/model {words}".rstrip())
    terminal.wait_for("Enter use")


def test_another_model_is_found_by_typing_and_goes_on_with_the_conversation(world: World) -> None:
    with LLMServer(models=("test-model", "second-model")) as server, JSONServer({"/v1/models": OTHERS}) as other:
        configure(world, server, provider("other", f"{other.url}/v1"))
        terminal = world.start(columns=160)
        ask(terminal, server, "first")
        open_picker(terminal)
        told(terminal, "● local/test-model default")
        terminal.wait_for("other/other-2")
        terminal.wait_for("[bold]b[/]")
        told(terminal, "local/second-model", "64k", "3 / 15")
        terminal.type_text("sec")
        terminal.wait_gone("other/other-2")
        terminal.press("enter")
        terminal.wait_gone("Enter use")
        told(terminal, "local/second-model")
        request = ask(terminal, server, "second")
        assert request.model == "second-model"
        assert request.reading.user_texts == ["first", "second"]
        assert b"\x1b[31mred" not in terminal.raw


def test_the_default_is_written_and_favourites_are_kept(world: World) -> None:
    with LLMServer(models=("test-model", "second-model")) as server:
        configure(world, server)
        terminal = world.start(columns=160)
        wait_ready(terminal)
        open_picker(terminal, "")
        terminal.type_text("second")
        terminal.wait_gone("● local/test-model")
        terminal.press("ctrl+f")
        told(terminal, "local/second-model is a favourite")
        terminal.press("ctrl+d")
        told(terminal, "local/second-model is the default from the next start on")
        terminal.press("escape")
        terminal.wait_gone("Enter use")
        told(terminal, "local/test-model")
        terminal.press("ctrl+d")
        assert terminal.wait_exit() == 0
        text = world.config_file.read_text()
        assert text.startswith('# mine\nmodel = "local/second-model"  # this one\n')
        assert tomllib.loads(text)["providers"]["local"]["base_url"] == server.base_url
        again = world.start(columns=160)
        wait_ready(again)
        told(again, "local/second-model")
        open_picker(again)
        again.wait_for("favourites")


def test_who_types_faster_than_the_screen_follows_gets_what_was_typed(world: World) -> None:
    listed: dict[str, object] = {"data": [{"id": f"model-{number}"} for number in range(3_000)]}
    with LLMServer(models=("test-model", "second-model")) as server, JSONServer({"/v1/models": listed}) as many:
        configure(world, server, provider("many", f"{many.url}/v1"))
        terminal = world.start(columns=160)
        wait_ready(terminal)
        open_picker(terminal)
        terminal.wait_for("many/model-0")
        terminal.type_text("model-2999\r")
        terminal.wait_gone("Enter use")
        told(terminal, "many/model-2999")
        open_picker(terminal)
        terminal.type_text("second\r")
        terminal.wait_gone("Enter use")
        assert ask(terminal, server, "hello").model == "second-model"


def test_a_project_that_names_its_own_default_is_told_of(world: World) -> None:
    world.write(".panto/config.toml", 'model = "local/test-model"\n')
    with LLMServer(models=("test-model", "second-model")) as server:
        configure(world, server)
        terminal = world.start(columns=160)
        wait_ready(terminal)
        open_picker(terminal)
        terminal.type_text("second")
        terminal.wait_gone("● local/test-model")
        terminal.press("ctrl+d")
        told(terminal, "local/second-model is the default", "not in this project", "project:")
        assert 'model = "local/second-model"  # this one' in world.config_file.read_text()


def test_a_model_chosen_during_a_turn_answers_from_the_next_one_on(world: World) -> None:
    gate = Gate()
    script = [Reply(["Looking", gate], tool_calls=[Call("std_list", {})]), Reply("Seen.")]
    with LLMServer(script, models=("test-model", "second-model")) as server:
        configure(world, server)
        terminal = world.start(columns=160)
        say(terminal, "look around")
        gate.wait_reached(30)
        open_picker(terminal)
        terminal.type_text("second\r")
        terminal.wait_gone("Enter use")
        told(terminal, "local/second-model")
        gate.open()
        terminal.wait_for("Seen.")
        assert ask(terminal, server, "and now?").model == "second-model"
        assert [request.model for request in server.requests] == ["test-model", "test-model", "second-model"]


def test_a_model_that_sees_no_images_says_so_if_there_are_any(world: World) -> None:
    (world.project / "grey.png").write_bytes(png(77))
    script = [Reply(tool_calls=[Call("std_read", {"path": "grey.png"})]), Reply("It is grey.")]
    blind = '[providers.local.models."blind-model"]\ninput = ["text"]\n'
    with LLMServer(script, models=("test-model", "second-model", "blind-model")) as server:
        configure(world, server, blind)
        terminal = world.start(columns=160)
        wait_ready(terminal)
        say(terminal, "/model blind")
        told(terminal, "local/blind-model")
        say(terminal, "/model local/test-model")
        told(terminal, "local/test-model")
        assert "can't see images" not in terminal.screen_text()
        say(terminal, "what colour is it?")
        terminal.wait_for("It is grey.")
        say(terminal, "/model blind")
        told(terminal, "local/blind-model can't see images", "left out")
        assert b"image/png" not in ask(terminal, server, "and now?").raw


def test_a_part_of_a_name_is_enough(world: World) -> None:
    with LLMServer(models=("test-model", "second-model")) as server:
        configure(world, server)
        terminal = world.start(columns=160)
        wait_ready(terminal)
        say(terminal, "/model second")
        assert ask(terminal, server, "hello").model == "second-model"
        open_picker(terminal, "model")  # which could be either
        terminal.wait_for("local/second-model")
        terminal.press("escape")
        terminal.wait_gone("Enter use")
        open_picker(terminal, "local/unheard of")
        terminal.press("escape")
        terminal.wait_gone("Enter use")
        say(terminal, "/model nosuch/model")
        told(terminal, "there is no provider 'nosuch'")


def test_a_server_that_hangs_or_fails_holds_nobody_up(world: World) -> None:
    release = threading.Event()

    def hang(_asked: object) -> object:
        release.wait()
        return {"data": []}

    with (
        LLMServer(models=("test-model", "second-model")) as server,
        JSONServer({"/v1/models": hang}) as hanging,
        JSONServer({}) as broken,
    ):
        try:
            more = provider("hanging", f"{hanging.url}/v1") + provider("broken", f"{broken.url}/v1")
            configure(world, server, more)
            terminal = world.start(columns=160)
            wait_ready(terminal)
            open_picker(terminal)
            told(terminal, "asking hanging")
            told(terminal, "broken", "404")
            terminal.type_text("second")
            terminal.wait_gone("● local/test-model")
            terminal.press("enter")
            terminal.wait_gone("Enter use")
            assert ask(terminal, server, "hello").model == "second-model"
            terminal.press("ctrl+d")
            assert terminal.wait_exit() == 0
        finally:
            release.set()


def test_thousands_of_models_are_searched_as_one_types(world: World) -> None:
    listed = json.loads(json.dumps({"data": [{"id": f"maker{n % 50}/model-{n}"} for n in range(4_000)]}))
    with LLMServer() as server, JSONServer({"/v1/models": listed}) as many:
        configure(world, server, provider("many", f"{many.url}/v1"))
        terminal = world.start(columns=160)
        wait_ready(terminal)
        open_picker(terminal)
        terminal.wait_for("4,0")
        terminal.type_text("model-3999")
        terminal.wait_for("many/maker49/model-3999")
        terminal.wait_gone("local/test-model")
        terminal.press("enter")
        terminal.wait_gone("Enter use")
        told(terminal, "many/maker49/model-3999")
