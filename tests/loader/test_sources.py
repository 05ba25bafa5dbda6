"""Finding extensions, without running any of their code."""

import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from panto.loader import Candidate, Sources, sources as module
from panto.loader.sources import make_importable
from tests.loader.conftest import World


def found(sources: Sources) -> dict[str, Candidate]:
    candidates, _ = sources.find()
    return {one.id: one for one in candidates if one.layer != "built-in"}


def problems(sources: Sources) -> list[str]:
    _, told = sources.find()
    return [f"{problem.where}: {problem.message}" for problem in told]


def test_the_built_in_suites_are_always_there() -> None:
    candidates, told = Sources().find()
    ids = [candidate.id for candidate in candidates]
    assert {"std.read", "std.shell", "agent.rules", "agent.skill"} <= set(ids)
    assert all(candidate.layer == "built-in" and candidate.trusted for candidate in candidates)
    assert not [name for name in ids if "._" in name]
    assert all(candidate.file.is_file() for candidate in candidates)
    assert told == []


async def test_files_in_a_layer(world: World) -> None:
    for path in ("foo/bar.py", "foo/_shared.py", "_x.py", "bar.py", "_foo/x.py", "foo/deep/er.py", "foo/notes.md"):
        world.write(f"user/{path}", "")
    world.write("user/foo/__init__.py", "")
    world.write("base/foo/other.py", "")
    candidates = found(world.sources())
    assert {name: (one.layer, one.trusted) for name, one in candidates.items()} == {
        "foo.other": ("base", True),
        "user.bar": ("user", True),
        "foo.bar": ("user", True),
    }
    assert candidates["foo.bar"].file == world.root / "user/foo/bar.py"


async def test_what_a_project_brings_is_not_trusted(world: World) -> None:
    world.write("project/foo/bar.py", "")
    world.write("checkout/panto_baz/__init__.py", "")
    world.write("checkout/panto_baz/qux.py", "")
    candidates = found(world.sources(paths=["checkout"], paths_layer=["project"]))
    assert {name: one.trusted for name, one in candidates.items()} == {"foo.bar": False, "baz.qux": False}


async def test_a_checkout_with_its_packages_in_three_places(world: World) -> None:
    for path in (
        "panto_a/one.py",
        "src/panto_b/two.py",
        "extensions/panto_c/three.py",
        "extensions/panto_c/four/__init__.py",
    ):
        world.write(f"checkout/{path}", "")
    for package in ("panto_a", "src/panto_b", "extensions/panto_c", "panto_a/_private"):
        world.write(f"checkout/{package}/__init__.py", "")
    world.write("checkout/panto_plain.py", "")
    world.write("checkout/other/__init__.py", "")
    candidates = found(world.sources(paths=["checkout"]))
    assert sorted(candidates) == ["a.one", "b.two", "c.four", "c.three"]
    assert candidates["c.four"].module == "panto_c.four"
    assert candidates["c.four"].file == world.root / "checkout/extensions/panto_c/four/__init__.py"


async def test_finding_runs_nothing_and_lets_nothing_be_imported(world: World) -> None:
    world.extension("user/foo/bar.py")
    world.extension("project/foo/baz.py")
    world.write("checkout/panto_found/__init__.py", world.mark("package"))
    world.extension("checkout/panto_found/one.py")
    path, modules = list(sys.path), set(sys.modules)
    assert sorted(found(world.sources(paths=["checkout"]))) == ["foo.bar", "foo.baz", "found.one"]
    assert sys.path == path
    assert set(sys.modules) == modules
    assert world.marks == []


async def test_a_place_with_nothing_in_it_is_told(world: World) -> None:
    world.write("empty/README", "")
    told = problems(world.sources(paths=["empty", "gone"], packages=["no-such-package"]))
    assert told == [
        "no-such-package: no installed package of that name offers extensions (group panto.extensions)",
        f"{world.root / 'empty'}: no package whose name begins with panto_ is there",
        f"{world.root / 'gone'}: no package whose name begins with panto_ is there",
    ]


async def test_the_first_of_equal_ids_counts(world: World) -> None:
    world.write("base/foo/bar.py", "")
    world.write("user/foo/bar.py", "")
    world.write("user/std/read.py", "")
    sources = world.sources()
    assert found(sources)["foo.bar"].layer == "base"
    assert "std.read" not in found(sources)
    told = problems(sources)
    assert (
        f"{world.root}/user/foo/bar.py: foo.bar is left out: {world.root}/base/foo/bar.py has that id already" in told
    )
    assert any(problem.startswith(f"{world.root}/user/std/read.py: std.read is left out") for problem in told)


async def test_an_untrusted_one_never_keeps_out_a_trusted_one(world: World) -> None:
    world.write("user/guard/secrets.py", "")
    world.write("checkout/panto_guard/__init__.py", "")
    world.write("checkout/panto_guard/secrets.py", "")
    sources = world.sources(paths=["checkout"], paths_layer=["project"])
    assert found(sources)["guard.secrets"].layer == "user"


def installed(monkeypatch: pytest.MonkeyPatch, distribution: str, target: str) -> None:
    class Distribution:
        name = distribution

    point = EntryPoint("any", target, module.ENTRY_POINT_GROUP)
    vars(point)["dist"] = Distribution()

    def entry_points(*, group: str) -> list[EntryPoint]:
        return [point] if group == module.ENTRY_POINT_GROUP else []

    monkeypatch.setattr(module, "entry_points", entry_points)


@pytest.mark.parametrize("spelled", ["panto-foo", "Panto_Foo", "panto.foo"])
async def test_an_installed_package_by_any_spelling_of_its_name(
    world: World, monkeypatch: pytest.MonkeyPatch, spelled: str
) -> None:
    world.write("site/panto_foo/__init__.py", world.mark("package"))
    world.extension("site/panto_foo/bar.py")
    monkeypatch.setattr(sys, "path", [*sys.path, str(world.root / "site")])
    installed(monkeypatch, "panto-foo", "panto_foo")
    candidates = found(world.sources(packages=[spelled]))
    assert candidates["foo.bar"].module == "panto_foo.bar"
    assert candidates["foo.bar"].root is None
    assert world.marks == []


async def test_an_installed_package_within_another_runs_nothing_either(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.write("site/outer_test/__init__.py", world.mark("outer"))
    world.write("site/outer_test/panto_in/__init__.py", world.mark("package"))
    world.extension("site/outer_test/panto_in/bar.py")
    monkeypatch.setattr(sys, "path", [*sys.path, str(world.root / "site")])
    installed(monkeypatch, "outer", "outer_test.panto_in")
    assert found(world.sources(packages=["outer"]))["in.bar"].module == "outer_test.panto_in.bar"
    assert world.marks == []


@pytest.mark.parametrize("target", ["no_such_module_at_all", "no_such.parent.of_it", "json.decoder"])
async def test_an_entry_point_that_leads_nowhere_is_told(
    world: World, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    installed(monkeypatch, "panto-foo", target)
    (told,) = problems(world.sources(packages=["panto-foo"]))
    assert told == f"panto-foo: its entry point any names {target}, which is no package"


async def test_modules_of_one_directory_are_not_taken_for_those_of_another(world: World, tmp_path: Path) -> None:
    import importlib  # noqa: PLC0415 - what this test is about

    values: list[str] = []
    for place in ("one", "two"):
        world.write(f"{place}/foo/bar.py", f"VALUE = {place!r}")
        candidate = found(Sources(layers=[("user", tmp_path / place)]))["foo.bar"]
        make_importable(candidate)
        values.append(importlib.import_module(candidate.module).VALUE)
    assert values == ["one", "two"]
