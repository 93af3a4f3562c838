"""What of a sweep is its caller's, and what a call does without."""

from __future__ import annotations

from types import FunctionType
from typing import cast

import numpy as np
import pytest

from checkpoint.ad import graph
from checkpoint.ad.arrays import Array, Memory
from checkpoint.ad.containers import TUPLE, Record
from checkpoint.ad.library import load_imported
from checkpoint.ad.values import Closure, Environment
from checkpoint.driver import outside
from checkpoint.lang.python.source.members import default_of


def test_without_array_libraries_nothing_is_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    x = Record(TUPLE, (1.0, 2.0))
    expected = outside.outside(x, [1.0, 2.0])

    def refused(root: object) -> list[object]:
        raise AssertionError("the arguments were walked")

    monkeypatch.setattr(outside, "installed", [])
    monkeypatch.setattr(outside, "containers_in", refused)
    found = outside.outside(x, [1.0, 2.0])
    assert found == expected
    assert (found.given, found.results) == (frozenset(), 0)
    assert min(found.least, found.entered) >= 16


def test_what_is_not_wanted_has_no_cotangents() -> None:
    load_imported()
    array = Array(np.zeros(10), Memory())
    x = Record(TUPLE, (1.0, 2.0, array))
    both, one, shown = (
        outside.outside(x, [1.0, 2.0, array], 1, wanted)
        for wanted in (None, outside.Wanted([1], [2.0]), outside.Wanted([2], [array]))
    )
    assert both.least == 2 * one.least
    assert shown.least == 0
    assert both.entered == one.entered == shown.entered > outside.outside(x, [1.0, 2.0, array]).entered
    assert both.results == one.results == shown.results == array.data.nbytes


def test_closures_over_atoms_are_told_from_others() -> None:
    atoms = Environment((None, "a", Environment((1, Environment((True,))))))
    assert graph.holds_atoms(Closure(None, atoms))
    assert not graph.holds_atoms(Closure(None, Environment((atoms, Environment((0.5,))))))
    assert not graph.holds_atoms(Closure(None, Environment((Record(TUPLE, ()),))))


def test_default_values_are_those_of_now() -> None:
    def written(a: float, b: float = 2.0, *, c: float = 3.0, d: float) -> float:
        return a * b * c * d

    f = cast(FunctionType, written)

    assert (default_of(f, "b"), default_of(f, "c")) == (2.0, 3.0)
    for name in ("a", "d", "e"):
        with pytest.raises(KeyError):
            default_of(f, name)
    f.__defaults__, f.__kwdefaults__ = (4.0, 5.0), {"d": 6.0}
    assert [default_of(f, name) for name in "abd"] == [4.0, 5.0, 6.0]
