"""The real program, with a proxy that others wrote as its provider."""

import pytest

from tests.e2e.conftest import World, say, told, world
from tests.support.litellm_proxy import BEHIND, KEY, MOCKED, LiteLLM
from tests.support.llm_server import Call, Reply, Usage

__all__ = ["world"]

pytestmark = pytest.mark.slow


def configure(world: World, lite: LiteLLM, api: str, model: str, key: str = KEY) -> None:
    world.write_config(
        f'model = "lite/{model}"\n\n[providers.lite]\napi = "{api}"\nbase_url = "{lite.base_url(api)}"\n'
        f'api_key = "{key}"\n'
    )


@pytest.mark.parametrize(
    ("api", "model"),
    [
        ("openai-chat", "to-anthropic"),
        ("openai-responses", "to-openai"),
        ("anthropic", "to-openai"),
        ("gemini", "to-gemini"),
    ],
)
def test_a_conversation_with_tools(world: World, lite: LiteLLM, api: str, model: str) -> None:
    world.write("a.txt", "alpha\n")
    world.write("sub/b.txt", "beta\n")
    calls = [Call("std_read", {"path": "a.txt"}), Call("std_list", {"path": "sub"})]
    usage = Usage(1200, 34)
    lite.upstream.add(
        Reply("Good **day**.", usage=usage), Reply("I'll look.", tool_calls=calls, usage=usage), Reply("All seen.")
    )
    configure(world, lite, api, model)
    terminal = world.start()
    say(terminal, "hello")
    told(terminal, "Good day.", "1.2k in", "34 out")
    say(terminal, "look around")
    told(terminal, "I'll look.", "read", "a.txt", "list", "sub", "1 entry", "All seen.")
    terminal.press("ctrl+d")
    assert terminal.wait_exit() == 0
    asked = lite.upstream.requests[-1]
    assert asked.user_texts[-2:] == ["hello", "look around"]
    alpha, beta = (result.text for result in asked.tool_results)
    assert "alpha" in alpha
    assert "b.txt" in beta


def test_a_wrong_key_is_told_with_what_to_do(world: World, lite: LiteLLM) -> None:
    configure(world, lite, "openai-chat", "plain", key="sk-another-0f9d")
    terminal = world.start()
    say(terminal, "hello")
    told(terminal, "check the key (api_key in [providers.lite])")
    assert "0f9d" not in terminal.screen_text()


def test_a_rate_limit_is_waited_for_and_can_be_stopped(world: World, lite: LiteLLM) -> None:
    configure(world, lite, "openai-chat", "busy")
    terminal = world.start()
    say(terminal, "hello")
    told(terminal, "RateLimitError", "try 2 of 4", "Esc stops")
    terminal.press("escape")
    terminal.wait_for("stopped")
    say(terminal, "/model lite/plain")
    terminal.wait_for("lite/plain")
    say(terminal, "and now?")
    terminal.wait_for(MOCKED["plain"])


def test_its_models_are_listed(world: World, lite: LiteLLM) -> None:
    configure(world, lite, "openai-chat", "plain")
    terminal = world.start("models", "lite")
    assert terminal.wait_exit() == 0
    told(terminal, f"lite: {len(BEHIND) + len(MOCKED)} models", *sorted({*BEHIND, *MOCKED}))
