"""One proxy for all tests here, and for each test what is behind it as new."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.litellm_proxy import LiteLLM, NotInstallableError, install, running

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests here first: so one worker gets them all, and one proxy is started.

    Work is shared out in runs of tests, and taken over from the far end of a worker's run.
    """
    items.sort(key=lambda item: HERE not in item.path.parents)


@pytest.fixture(scope="session")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiteLLM]:
    """The running proxy. Skips the test if it can't be installed."""
    try:
        program = install()
    except NotInstallableError as error:
        pytest.skip(f"the third-party server can't be installed: {error}")
    with running(program, tmp_path_factory.mktemp("litellm")) as started:
        yield started


@pytest.fixture
def lite(proxy: LiteLLM) -> Iterator[LiteLLM]:
    """The proxy, with an empty script behind it, which must be used up in the end, and by good requests only."""
    proxy.upstream.forget()
    yield proxy
    proxy.upstream.assert_clean()
