"""The rooms put together, without a screen."""

from pathlib import Path

import pytest

from panto.messages import Text, User
from panto.permissions.approval import Approval, ApprovalRequest
from panto.program import Options, open_program


async def nobody(_request: ApprovalRequest) -> Approval:
    """Nobody is there to be asked."""
    return Approval("no")


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    """A project, and a home with a config."""
    file = home / ".config/panto/config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('model = "local/a"\nmode = "ask"\n')
    (tmp_path / "shop").mkdir()
    return tmp_path / "shop"


async def test_what_was_chosen_since_the_start_leads_back_and_the_rest_is_read_anew(project: Path) -> None:
    given = Options(project, theme="panto-light")
    async with open_program(given, nobody) as program:
        session = await program.open_session()
        assert program.options_now() == given
        await session.conversation.append(User((Text("hello"),)))
        await program.set_mode("plan")
        await program.set_model("local/b")
        program.models.choose_thinking("high")
        now = program.options_now()
    assert now == Options(project, "local/b", "plan", "panto-light", False, "high", resume=session.conversation.id)
    async with open_program(now, nobody) as program:
        again = await program.open_session()
        assert (program.gate.mode, program.models.name, program.models.thinking) == ("plan", "local/b", "high")
        assert [message for message in again.conversation.messages if isinstance(message, User)] == [
            User((Text("hello"),))
        ]


async def test_the_demo_model_stays_unless_another_was_chosen(project: Path) -> None:
    async with open_program(Options(project, demo=True), nobody) as program:
        assert program.options_now() == Options(project, demo=True)
        await program.set_model("local/b")
        assert program.options_now() == Options(project, "local/b")


async def test_a_stored_key_is_found_by_the_program(project: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GROQ_API_KEY", raising=False)
    file = home / ".local/share/panto/keys/groq.key"
    async with open_program(Options(project, "groq/some-model"), nobody) as program:
        assert program.models.problem() is not None
    file.parent.mkdir(parents=True)
    file.write_text("gsk-0123456789\n")
    async with open_program(Options(project, "groq/some-model"), nobody) as program:
        assert program.models.problem() is None
        assert "gsk-" not in repr(program)
