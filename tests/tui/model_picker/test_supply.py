"""Where the models come from: what is known at once, and what the servers say meanwhile."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from panto.llm.known_providers import KNOWN
from panto.permissions.approval import Approval, ApprovalRequest
from panto.program import Options, Program, open_program
from panto.tui.model_picker.stock import Stock
from panto.tui.model_picker.supply import Supply
from tests.support.json_server import JSONServer

DESCRIBED = '[providers.{name}.models."known"]\ncontext_window = 1000\nprice_input = 0.5\nprice_output = 2\n'


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No server is asked that is not of this test: nobody's keys are in the environment."""
    for known in KNOWN.values():
        for variable in known.key_variables:
            monkeypatch.delenv(variable, raising=False)


async def refuse(_request: ApprovalRequest) -> Approval:
    """Nobody is asked here."""
    raise AssertionError


@asynccontextmanager
async def program(home: Path, project: Path, **urls: str) -> AsyncGenerator[Program]:
    """A program whose config describes these servers, each with one model that it knows."""
    file = home / ".config/panto/config.toml"
    file.parent.mkdir(parents=True)
    tables = (
        f'[providers.{name}]\napi = "openai-chat"\nbase_url = "{url}/v1"\napi_key = "k"\n{DESCRIBED.format(name=name)}'
        for name, url in urls.items()
    )
    file.write_text("\n".join(tables))
    async with open_program(Options(project), refuse) as opened:
        yield opened


def names(stock: Stock, provider: str) -> list[str]:
    """A provider's models."""
    return [model.model for model in stock.offered[provider]]


async def test_what_is_known_at_once_and_what_comes(home: Path, tmp_path: Path) -> None:
    with JSONServer({"/v1/models": {"data": [{"id": "b"}, {"id": "a"}]}}) as server, JSONServer({}) as broken:
        async with program(home, tmp_path, mine=server.url, broken=broken.url) as opened:
            supply = Supply(opened)
            assert names(supply.stock(), "mine") == ["known"]
            seen: list[Stock] = []
            await supply.ask(lambda: seen.append(supply.stock()))
            assert {"mine", "broken"} <= seen[0].asking
            last = seen[-1]
            assert names(last, "mine") == ["known", "a", "b"]
            assert names(last, "broken") == ["known"]
            assert last.asking == frozenset()
            assert "404" in last.trouble["broken"]
            assert "openai" in last.keyless


async def test_what_is_known_is_described_once(home: Path, tmp_path: Path) -> None:
    with JSONServer({"/v1/models": {"data": [{"id": "a"}]}}) as server:
        async with program(home, tmp_path, mine=server.url) as opened:
            supply = Supply(opened)
            await supply.ask(lambda: None)
            first = supply.stock()
            assert supply.stock().offered["mine"] is first.offered["mine"]
            await opened.models.listed_anew("mine")
            assert supply.stock().offered["mine"] is not first.offered["mine"]
            assert names(supply.stock(), "mine") == ["known", "a"]


async def test_prices_are_told_and_never_guessed(home: Path, tmp_path: Path) -> None:
    with JSONServer({"/v1/models": {"data": [{"id": "a"}]}}) as server:
        async with program(home, tmp_path, mine=server.url) as opened:
            supply = Supply(opened)
            assert supply.price is None
            await supply.ask(lambda: None)
            assert supply.price is not None
            known, unknown = supply.stock().offered["mine"]
            assert (supply.price(known), supply.price(unknown)) == ("0.5 / 2", "?")
