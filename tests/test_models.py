"""Which model is talked to, and what is said when there is none."""

from pathlib import Path

from panto.agent.model_call import Model, ModelUnavailable
from panto.config import load
from panto.models import DEMO, Models
from panto.paths import Paths


def test_without_a_choice_it_says_what_to_set_and_offers_the_demo(tmp_path: Path) -> None:
    problem = Models(load(Paths.discover(tmp_path)), {}).problem()
    assert isinstance(problem, ModelUnavailable)
    assert "config.toml" in problem.hint
    assert "/demo" in problem.hint


def test_a_key_in_the_environment_is_found_and_a_model_for_it_named(tmp_path: Path) -> None:
    problem = Models(load(Paths.discover(tmp_path)), {"ANTHROPIC_API_KEY": "secret-key"}).problem()
    assert isinstance(problem, ModelUnavailable)
    assert "there is a key for anthropic (ANTHROPIC_API_KEY): type /model anthropic/claude-" in problem.hint
    assert "secret-key" not in problem.hint


async def test_the_choice_is_kept_until_another_is_made(tmp_path: Path) -> None:
    models = Models(load(Paths.discover(tmp_path)), {})
    models.choose(DEMO)
    first = await models.current()
    assert isinstance(first, Model)
    assert await models.current() is first
    assert models.context_window == first.context_window
    models.choose("nobody/knows")
    assert isinstance(await models.current(), ModelUnavailable)
