"""Every fault that is on the list has its tests, and they are where the list says."""

import ast
import tomllib
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
REPORTS = tomllib.loads((TESTS / "data/field_reports.toml").read_text(encoding="utf-8"))
ROWS = [(fault, test) for faults in REPORTS.values() for fault, tests in faults.items() for test in tests]


@cache
def names_in(file: Path) -> frozenset[str]:
    """The names of a file's tests."""
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@pytest.mark.parametrize(("fault", "test"), ROWS)
def test_a_fault_has_its_test(fault: str, test: str) -> None:
    path, _, name = test.partition("::")
    assert name in names_in(TESTS / path), f"{fault}: there is no {test}"


def test_no_fault_is_without() -> None:
    assert all(tests for faults in REPORTS.values() for tests in faults.values())
