"""checkpoint.translate: packages outside of the user's own code, open for translation or closed again."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import checkpoint
from checkpoint.errors import RunError, SourceError
from checkpoint.lang.python.source import boundary


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Yield a package that counts as installed."""
    package = tmp_path / "outside_of_tests"
    package.mkdir()
    (package / "__init__.py").write_text("def cube(x):\n    return x * x * x\n")
    (package / "inner.py").write_text("def square(x):\n    return x * x\n")
    (tmp_path / "outside_of_tests_too.py").write_text("def double(x):\n    return 2.0 * x\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(boundary, "_installed", lambda: (str(tmp_path),))
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
