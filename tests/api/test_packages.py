"""checkpoint.translate: packages outside of the user's own code, open for translation or closed again."""

from __future__ import annotations

import importlib
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import checkpoint
from checkpoint.errors import RunError, SourceError
from checkpoint.lang.python.source import boundary, requirements


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Yield a package that is installed: for the user, the system or elsewhere, the folder's name tells."""
    tmp_path = tmp_path / "dist-packages"
    package = tmp_path / "outside_of_tests"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("def cube(x):\n    return x * x * x\n")
    (package / "inner.py").write_text("def square(x):\n    return x * x\n")
    (tmp_path / "outside_of_tests_too.py").write_text("def double(x):\n    return 2.0 * x\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("outside_of_tests")
    for name in [name for name in sys.modules if name.startswith("outside_of_tests")]:
        del sys.modules[name]


def test_functions_that_were_met_before(outside: ModuleType, engine: str) -> None:
    slope = checkpoint.grad(lambda x: outside.cube(x) + x, engine=engine)
    said = r"checkpoint.translate\('outside_of_tests'\), or CHECKPOINT_CONVERT=outside_of_tests"
    with pytest.raises(SourceError, match=said):
        slope(2.0)
    with checkpoint.translate("outside_of_tests") as opened:
        assert slope(2.0) == 13.0
        assert repr(opened) == "<translation of outside_of_tests>"
    with pytest.raises(SourceError, match=said):
        slope(2.0)
    with checkpoint.translate(outside):
        assert slope(2.0) == 13.0


def test_parts_of_packages(outside: ModuleType) -> None:
    inner = importlib.import_module("outside_of_tests.inner")
    other = importlib.import_module("outside_of_tests_too")
    slopes = [checkpoint.grad(f) for f in (outside.cube, inner.square, other.double)]
    with checkpoint.translate("outside_of_tests.inner"):
        assert slopes[1](2.0) == 4.0
        for closed in (slopes[0], slopes[2]):
            with pytest.raises(SourceError):
                closed(2.0)
    with checkpoint.translate("outside_of_tests", other):
        assert [slope(2.0) for slope in slopes] == [12.0, 4.0, 2.0]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Yield a package that requires another, which requires two: one of them has compiled code."""
    sources = {
        "outside_of_tests": "from outside_of_tests_too import double\n"
        "def four(x):\n    return double(double(x))\n",
        "outside_of_tests_too": "import outside_of_tests_three as three\n"
        "def double(x):\n    return three.twice(x)\n",
        "outside_of_tests_three": "def twice(x):\n    return x + x\n",
        "outside_of_tests_compiled": "def thrice(x):\n    return x + x + x\n",
    }
    needed = {
        "outside_of_tests": ["Outside.Of_tests-too (>=1.0)", 'outside_of_tests_compiled; extra == "all"'],
        "outside_of_tests_too": [
            "outside_of_tests_compiled",
            "outside-of-tests-three>=1; python_version >= '3'",
            "not-there",
        ],
    }
    tmp_path = tmp_path / "site-packages"
    tmp_path.mkdir()
    for name, text in sources.items():
        (tmp_path / f"{name}.py").write_text(text)
        about = tmp_path / f"{name}-1.0.dist-info"
        about.mkdir()
        requires = "".join([f"Requires-Dist: {line}\n" for line in needed.get(name, [])])
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{requires}")
        files = [f"{name}.py", *([f"{name}_part.abi3.so"] if name.endswith("compiled") else [])]
        for each in files[1:]:
            (tmp_path / each).touch()  # Python 3.12 passes by files that are not there
        (about / "RECORD").write_text("".join([f"{each},,\n" for each in files]))
    monkeypatch.syspath_prepend(tmp_path)
    _forget_distributions()
    yield importlib.import_module("outside_of_tests")
    _forget_distributions()
    for name in [name for name in sys.modules if name.startswith("outside_of_tests")]:
        del sys.modules[name]


def _forget_distributions() -> None:
    for kept in (requirements._distributions, requirements._modules, requirements._is_python):
        kept.cache_clear()
    requirements.with_requirements.cache_clear()


def test_what_a_package_requires_is_opened_with_it(installed: ModuleType, engine: str) -> None:
    slope = checkpoint.grad(installed.four, engine=engine)
    with pytest.raises(SourceError, match=r"checkpoint.translate\('outside_of_tests'\)"):
        slope(2.0)
    with checkpoint.translate("outside_of_tests"):
        assert slope(2.0) == 4.0


def test_metadata_is_read_for_functions_of_other_packages_alone(installed: ModuleType) -> None:
    compiled = importlib.import_module("outside_of_tests_compiled")
    with checkpoint.translate("outside_of_tests"):
        assert boundary.is_allowed(installed.four)
        assert boundary.is_allowed(test_parts_of_packages)
        assert not boundary.is_allowed(textwrap.dedent)
        assert requirements.with_requirements.cache_info().misses == 0
        assert not boundary.is_allowed(compiled.thrice)
        assert requirements.with_requirements.cache_info().misses == 1
    with checkpoint.translate("textwrap"):
        assert boundary.is_allowed(textwrap.dedent)


def test_compiled_packages_are_not_opened_with_others(installed: ModuleType) -> None:
    compiled = importlib.import_module("outside_of_tests_compiled")
    with (
        checkpoint.translate("outside_of_tests"),
        pytest.raises(SourceError, match=r"checkpoint.translate\('outside_of_tests_compiled'\)"),
    ):
        checkpoint.grad(compiled.thrice)(2.0)
    with checkpoint.translate("outside_of_tests_compiled"):
        assert checkpoint.grad(compiled.thrice)(2.0) == 3.0


def test_a_package_is_closed_by_whoever_opened_it_last(outside: ModuleType) -> None:
    slope = checkpoint.grad(outside.cube)
    with checkpoint.translate("outside_of_tests"):
        with checkpoint.translate("outside_of_tests"):
            assert slope(1.0) == 3.0
        assert slope(1.0) == 3.0
    with pytest.raises(SourceError):
        slope(1.0)


def test_without_a_with(outside: ModuleType) -> None:
    opened = checkpoint.translate("outside_of_tests")
    try:
        assert checkpoint.grad(outside.cube)(1.0) == 3.0
    finally:
        opened.__exit__(None, None, None)


@pytest.mark.parametrize("name", ["no_such_package", "json.no_such_module", "", "a b", "json.", 3])
def test_packages_that_are_not_there(name: str) -> None:
    with pytest.raises(RunError, match=r"there is no package .* to translate"):
        checkpoint.translate(name)
