"""How long a server asks to wait, however it says so."""

from email.utils import formatdate

import pytest

from panto.llm.retry_after import retry_after

NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "17"}, 17.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": formatdate(NOW + 40, usegmt=True)}, 40.0),
        ({"retry-after": formatdate(NOW - 40, usegmt=True)}, 0.0),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "next week"}, None),
        ({"retry-after": "Mon, 99 Foo 2024 00:00:00 GMT"}, None),
        ({"retry-after": ""}, None),
    ],
)
def test_what_headers_say(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


def test_there_is_an_end_to_it() -> None:
    assert retry_after({"retry-after": "inf"}, NOW) == retry_after({"retry-after": "1e99"}, NOW) == 366 * 86_400
