"""Capsules as values of runs whose parts nobody reads: what comes out is what hybrid makes of their parts."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

import checkpoint
from checkpoint import Bisection, Plain, engines
from checkpoint.ad.values import is_sealed
from checkpoint.ctarget.capsules.sealed import Sealed, places_of_reals
from checkpoint.functions.python_functions import run_of
from tests.support.corpus import usable_engines

pytestmark = pytest.mark.skipif(
    "c" not in [engine.name for engine in usable_engines()], reason="engine c is not there"
)
X = 1.25
ENGINE: Any = engines.get("c")


def deep(n: int, x: float) -> float:
    return x if n == 0 else deep(n - 1, x * 1.01) * 0.99 + x * n


def f(x: float) -> float:
    return deep(30, x) * x


STEPS = int(checkpoint.primops(f, X))
CUTS = [1, STEPS // 3, STEPS // 2, STEPS - 2]


def cut_at(cut: int) -> Any:
    def alone(x: float) -> Any:
        return checkpoint.interrupt(f, x, cut)

    return alone


def after_a_loop(cut: int) -> Any:
    def looped(x: float) -> Any:
        y = x
        for i in range(40):
            y = y * 0.9 + 0.1 * x / (i + 1)
        return checkpoint.interrupt(f, y, cut)

    return looped


def resumed(cut: int) -> Any:
    def whole(x: float) -> Any:
        return checkpoint.resume(checkpoint.interrupt(f, x * x, cut)) * x

    return whole


def twice(cut: int) -> Any:
    def of_both(x: float) -> Any:
        z = checkpoint.interrupt(f, x, cut)
        return checkpoint.resume(z) * checkpoint.resume(z) + checkpoint.resume(
            checkpoint.interrupt(f, x, cut)
        )

    return of_both


def differentiated(cut: int) -> Any:
    def slope(x: float) -> Any:
        z = checkpoint.interrupt(f, x, cut)
        y, zbar = checkpoint.vjp(checkpoint.resume, z)
        return checkpoint.vjp(lambda u: checkpoint.interrupt(f, u, cut), x, zbar)[1] * y

    return slope


@pytest.mark.parametrize("schedule", [None, Plain(), Bisection(base=25)])
@pytest.mark.parametrize("make", [cut_at, after_a_loop])
@pytest.mark.parametrize("cut", CUTS)
def test_the_cotangent_of_an_interruption(cut: int, make: Any, schedule: Any) -> None:
    zbar = checkpoint.vjp(checkpoint.resume, checkpoint.interrupt(f, X, cut))[1]
    g = make(cut)
    found = [checkpoint.vjp(g, X, zbar, engine=engine, schedule=schedule)[1] for engine in ("c", "hybrid")]
    assert found[0] == found[1]
    assert make is not cut_at or found[0] == checkpoint.grad(f)(X)


@pytest.mark.parametrize("make", [resumed, twice, differentiated])
@pytest.mark.parametrize("cut", CUTS)
def test_programs_that_read_the_capsule(cut: int, make: Any) -> None:
    found = [checkpoint.vjp(make(cut), X, engine=engine) for engine in ("c", "hybrid")]
    assert found[0] == found[1]


@pytest.mark.parametrize("cut", CUTS[1:])
def test_the_value_of_a_run_stays_sealed(cut: int) -> None:
    run = run_of(cut_at(cut), (X,), {}, "c")
    end: Any = run.ends()[1]
    assert is_sealed(end.value)
    assert is_sealed(run.ends()[1].value)
    assert not is_sealed(checkpoint.vjp(cut_at(cut), X, zeros(cut))[0])
    assert end.value.birth + 1 + len(end.value.sealed.objects) == end.births


def zeros(cut: int) -> Any:
    return checkpoint.vjp(checkpoint.resume, checkpoint.interrupt(f, X, cut), 0.0)[1]


@pytest.mark.parametrize("cut", CUTS[1:])
def test_births_and_steps_are_those_of_hybrid(cut: int) -> None:
    ends: list[Any] = [run_of(cut_at(cut), (X,), {}, engine).ends()[1] for engine in ("c", "hybrid")]
    c, hybrid = ends
    assert (c.births, c.steps) == (hybrid.births, hybrid.steps)
    assert c.value.birth == hybrid.value.birth
    assert c.value.sealed.reals == len(places_of_reals(hybrid.value)) == len(places_of_reals(c.value))
    assert c.value.sealed is None


def test_a_pullback_of_an_interruption_is_asked_twice() -> None:
    cut = CUTS[2]
    z, pulled = checkpoint.pullback(cut_at(cut), X)
    zbar = checkpoint.vjp(checkpoint.resume, z)[1]
    none = zeros(cut)
    assert pulled(zbar) == checkpoint.grad(f)(X)
    assert pulled(none) == 0.0
    assert pulled(zbar) == checkpoint.grad(f)(X)


def test_a_capsule_of_another_run_is_refused() -> None:
    other = checkpoint.vjp(checkpoint.resume, checkpoint.interrupt(f, X, CUTS[1]))[1]
    messages = []
    for engine in ("c", "hybrid"):
        with pytest.raises(checkpoint.RunError) as error:
            checkpoint.vjp(cut_at(CUTS[2]), X, other, engine=engine)
        messages.append(str(error.value))
    assert messages[0] == messages[1]


class Fields:
    """A cotangent, as Sealed sees it."""

    def __init__(self) -> None:
        self.objects: dict[Any, Any] = {}


def test_what_was_received_moves_to_fields() -> None:
    capsule = run_of(cut_at(CUTS[2]), (X,), {}, "c").ends()[1].value
    count = capsule.sealed.reals
    given = array("d", [i + 0.5 for i in range(count)])
    sealed, fields = Sealed(), Fields()
    sealed.give(capsule, given)
    assert sealed.bytes == 8 * count
    sealed.open(capsule.birth + 1, fields)
    assert not fields.objects
    sealed.open(capsule.birth, fields)
    assert sealed.bytes == 0
    assert list(fields.objects.values()) == list(given)
    assert list(fields.objects) == [(capsule.birth, place) for place in places_of_reals(capsule)]
    assert list(sealed.take(capsule, fields)) == list(given)
    assert not fields.objects
    sealed.open(capsule.birth, fields, takes=True)
    fresh = run_of(cut_at(CUTS[2]), (X,), {}, "c").ends()[1].value
    assert list(sealed.take(fresh, fields)) == [0.0] * count
    assert is_sealed(fresh)
