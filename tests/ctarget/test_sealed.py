"""Capsules as values of runs whose parts nobody reads: what comes out is what hybrid makes of their parts."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

import checkpoint
from checkpoint import Bisection, Plain, engines
from checkpoint.ad.values import is_sealed
from checkpoint.ctarget.capsules.sealed import Sealed, keys_of_reals
from checkpoint.functions.python_functions import run_of
from tests.support.corpus import usable_engines

pytestmark = pytest.mark.skipif(
    "c" not in [engine.name for engine in usable_engines()], reason="engine c is not there"
)
X = 1.25
ENGINE: Any = engines.get("c")


def deep(n: int, x: float) -> float:
    return x if n == 0 else deep(n - 1, x * 1.01) * 0.99 + x * n


def of_floats(x: float) -> float:
    return deep(30, x) * x


class Box:
    """An object that each frame has of its own."""

    def __init__(self, item: float) -> None:
        self.item = item


def boxed(n: int, box: Box) -> float:
    return box.item if n == 0 else boxed(n - 1, Box(box.item * 1.01)) * 0.99 + box.item * n


def of_objects(x: float) -> float:
    return boxed(20, Box(x)) * x


def listed(n: int, x: float, both: list[float]) -> float:
    if n == 0:
        return x
    both[1] = both[1] * 1.001 + x
    return listed(n - 1, x * 1.01, both) * 0.99 + both[0] * both[1]


def of_one_list(x: float) -> float:
    return listed(20, x, [x, 1.0]) * x


def paired(n: int, pair: tuple[float, Any]) -> float:
    def late(y: float) -> float:
        return y * pair[0]

    return late(pair[0]) if n == 0 else paired(n - 1, (pair[0] * 1.01, pair)) * 0.99 + late(0.5) + len(pair)


def of_chains(x: float) -> float:
    return paired(20, (x, None)) * x


PROGRAMS = [of_floats, of_objects, of_one_list, of_chains]
WHERE = ["begin", "third", "half", "late"]


def steps_of(f: Any, where: str) -> int:
    steps = int(checkpoint.primops(f, X))
    return {"begin": 1, "third": steps // 3, "half": steps // 2, "late": steps - 2}[where]


def alone(f: Any, cut: int) -> Any:
    return lambda x: checkpoint.interrupt(f, x, cut)


def after_a_loop(f: Any, cut: int) -> Any:
    def looped(x: float) -> Any:
        y = x
        for i in range(40):
            y = y * 0.9 + 0.1 * x / (i + 1)
        return checkpoint.interrupt(f, y, cut)

    return looped


def also_resumed(f: Any, cut: int) -> Any:
    def kept(x: float) -> Any:
        z = checkpoint.interrupt(f, x, cut)
        return z if checkpoint.resume(z) == checkpoint.resume(z) else None

    return kept


def resumed(f: Any, cut: int) -> Any:
    return lambda x: checkpoint.resume(checkpoint.interrupt(f, x * x, cut)) * x


def twice(f: Any, cut: int) -> Any:
    def of_both(x: float) -> Any:
        z = checkpoint.interrupt(f, x, cut)
        again = checkpoint.resume(checkpoint.interrupt(f, x, cut))
        return checkpoint.resume(z) * checkpoint.resume(z) + again

    return of_both


def differentiated(f: Any, cut: int) -> Any:
    def slope(x: float) -> Any:
        z = checkpoint.interrupt(f, x, cut)
        y, zbar = checkpoint.vjp(checkpoint.resume, z)
        return checkpoint.vjp(lambda u: checkpoint.interrupt(f, u, cut), x, zbar)[1] * y

    return slope


of_programs = pytest.mark.parametrize("f", PROGRAMS)
at_points = pytest.mark.parametrize("where", WHERE)


@of_programs
@at_points
@pytest.mark.parametrize("make", [alone, after_a_loop, also_resumed])
def test_the_cotangent_of_an_interruption(f: Any, where: str, make: Any) -> None:
    cut = steps_of(f, where)
    zbar = checkpoint.vjp(checkpoint.resume, checkpoint.interrupt(f, X, cut))[1]
    g = make(f, cut)
    wanted = checkpoint.vjp(g, X, zbar, engine="hybrid", schedule=Plain())[1]
    for schedule in (None, Plain(), Bisection(base=25)):
        assert checkpoint.vjp(g, X, zbar, engine="c", schedule=schedule)[1] == wanted
    assert make is not alone or wanted == checkpoint.grad(f)(X)


@of_programs
@at_points
@pytest.mark.parametrize("make", [resumed, twice, differentiated])
def test_programs_that_read_the_capsule(f: Any, where: str, make: Any) -> None:
    g = make(f, steps_of(f, where))
    wanted = checkpoint.vjp(g, X, engine="hybrid", schedule=Plain())
    for schedule in (None, Bisection(base=100)):
        assert checkpoint.vjp(g, X, engine="c", schedule=schedule) == wanted


@of_programs
@pytest.mark.parametrize("where", WHERE[1:])
def test_the_value_of_a_run_stays_sealed(f: Any, where: str) -> None:
    cut = steps_of(f, where)
    run = run_of(alone(f, cut), (X,), {}, "c")
    end: Any = run.ends()[1]
    assert is_sealed(end.value)
    assert is_sealed(run.ends()[1].value)
    assert not is_sealed(checkpoint.vjp(alone(f, cut), X, zeros(f, cut))[0])
    assert end.value.birth + 1 + end.value.sealed.births == end.births


def zeros(f: Any, cut: int) -> Any:
    return checkpoint.vjp(checkpoint.resume, checkpoint.interrupt(f, X, cut), 0.0)[1]


@of_programs
@pytest.mark.parametrize("where", WHERE[1:])
def test_births_and_steps_are_those_of_hybrid(f: Any, where: str) -> None:
    cut = steps_of(f, where)
    ends: list[Any] = [run_of(alone(f, cut), (X,), {}, engine).ends()[1] for engine in ("c", "hybrid")]
    c, hybrid = ends
    assert (c.births, c.steps) == (hybrid.births, hybrid.steps)
    assert c.value.birth == hybrid.value.birth
    assert c.value.sealed.reals == len(keys_of_reals(hybrid.value))
    assert keys_of_reals(c.value) == keys_of_reals(hybrid.value)
    assert c.value.sealed is None


def test_a_capsule_is_resumed_as_it_was_left() -> None:
    z = checkpoint.interrupt(of_one_list, X, steps_of(of_one_list, "half"))
    assert checkpoint.resume(z) == checkpoint.resume(z) == of_one_list(X)


@of_programs
def test_a_pullback_of_an_interruption_is_asked_twice(f: Any) -> None:
    cut = steps_of(f, "half")
    z, pulled = checkpoint.pullback(alone(f, cut), X)
    zbar = checkpoint.vjp(checkpoint.resume, z)[1]
    none = zeros(f, cut)
    assert pulled(zbar) == checkpoint.grad(f)(X)
    assert pulled(none) == 0.0
    assert pulled(zbar) == checkpoint.grad(f)(X)


@of_programs
def test_a_capsule_of_another_run_is_refused(f: Any) -> None:
    third, half = (steps_of(f, where) for where in ("third", "half"))
    other = checkpoint.vjp(checkpoint.resume, checkpoint.interrupt(f, X, third))[1]
    messages = []
    for engine in ("c", "hybrid"):
        with pytest.raises(checkpoint.RunError) as error:
            checkpoint.vjp(alone(f, half), X, other, engine=engine)
        messages.append(str(error.value))
    assert messages[0] == messages[1]


class Fields:
    """A cotangent, as Sealed sees it."""

    def __init__(self) -> None:
        self.objects: dict[Any, Any] = {}

    def holds(self, capsule: Any) -> bool:
        inside = range(capsule.birth + 1, capsule.birth + 1 + capsule.sealed.births)
        return any(birth in inside for birth, _ in self.objects)


def value_of(f: Any) -> Any:
    return run_of(alone(f, steps_of(f, "half")), (X,), {}, "c").ends()[1].value


@of_programs
def test_what_was_received_moves_to_fields(f: Any) -> None:
    capsule = value_of(f)
    count = capsule.sealed.reals
    given = array("d", [i + 0.5 for i in range(count)])
    sealed, fields = Sealed(), Fields()
    sealed.give(capsule, given)
    assert sealed.bytes == 8 * count
    sealed.open(capsule.birth + 1, fields)
    sealed.open_object(capsule.birth + 1 + capsule.sealed.births, fields)
    assert not fields.objects
    sealed.open(capsule.birth, fields)
    assert sealed.bytes == 0
    assert list(fields.objects.values()) == list(given)
    assert list(fields.objects) == keys_of_reals(capsule)
    assert list(sealed.take(capsule, fields)) == list(given)
    assert not fields.objects
    sealed.open(capsule.birth, fields, takes=True)
    fresh = value_of(f)
    assert list(sealed.take(fresh, fields)) == [0.0] * count
    assert is_sealed(fresh)


def test_a_field_of_an_object_opens_its_capsule() -> None:
    capsule, read = value_of(of_objects), value_of(of_objects)
    keys = keys_of_reals(read)
    at = max(i for i, (birth, _) in enumerate(keys) if birth != read.birth)
    sealed, fields = Sealed(), Fields()
    sealed.give(capsule, array("d", range(1, 1 + capsule.sealed.reals)))
    sealed.open_object(keys[at][0], fields)
    assert list(fields.objects) == keys
    fields.objects = {keys[at]: 1.0}
    assert list(Sealed().take(value_of(of_objects), fields)) == [float(i == at) for i in range(len(keys))]
