"""Capsules that C resumes as they are: what it does is what Python does that takes the capsule apart."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import checkpoint
from checkpoint import engines
from checkpoint.ad.graph import containers_in, enter
from checkpoint.ad.values import Capsule, Pair
from checkpoint.ctarget.capsules import closed
from checkpoint.ctarget.states import Heap
from checkpoint.functions.python_functions import rest_of
from checkpoint.functions.run import RESUME
from tests.support.corpus import usable_engines

pytestmark = pytest.mark.skipif(
    "c" not in [engine.name for engine in usable_engines()], reason="engine c is not there"
)
X = 1.25


def deep(n: int, x: float) -> float:
    return x if n == 0 else deep(n - 1, x * 1.01) * 0.99 + x * n


def of_reals(x: float) -> float:
    return deep(40, x) + deep(7, 0.5 * x)


def of_tuples(x: float) -> Any:
    def turn(n: int, pair: Any) -> Any:
        if n == 0:
            return pair
        a, (b, c) = turn(n - 1, (pair[0] * 1.01, (pair[0], pair[1][1])))
        return a * b + pair[1][0], (c, pair[1][0])

    return turn(25, (x, (2.0 * x, x * x)))[0]


def of_closures(x: float) -> Any:
    def scaled(by: float) -> Any:
        def g(n: int, y: float) -> float:
            return y if n == 0 else g(n - 1, y * by) + by * x

        return g

    def both(f: Any, g: Any, n: int) -> Any:
        return f(5, x) if n == 0 else both(g, f, n - 1) * 0.5 + g(3, x)

    return both(scaled(0.9), scaled(1.1), 9)


def of_names(x: float, kind: str = "text") -> float:
    def named(n: int, kind: str, rest: Any) -> float:
        return x if n == 0 else named(n - 1, kind, range(n)) * len(kind) * 0.3 + x * len(rest)

    return named(12, kind, range(3))


def of_lists(x: float) -> float:
    def listed(n: int, xs: list[float]) -> float:
        return xs[0] if n == 0 else listed(n - 1, [xs[0] * 0.5, xs[1]]) + xs[1]

    return listed(15, [x, 2.0 * x])


def of_arrays(x: float) -> Any:
    def summed(n: int, a: Any) -> Any:
        return a.sum() if n == 0 else summed(n - 1, a * 0.5) + a[1] * x

    return summed(9, np.array([1.0, 2.0]) * x)


class Ball(NamedTuple):
    """A record with names."""

    at: float
    speed: float


@dataclass
class Counter:
    """An object that a run changes."""

    total: float
    seen: list[float]


def of_changes(x: float) -> float:
    counter = Counter(x, [])

    def turn(n: int, ball: Ball) -> float:
        counter.total += ball.speed * 0.1
        counter.seen.append(ball.at)
        if n == 0:
            return counter.total * len(counter.seen)
        below = turn(n - 1, Ball(ball.at + 0.1 * ball.speed, ball.speed * 0.9))
        counter.seen[n] = counter.seen[n] * 1.01 + below
        return below + ball.at * counter.seen[n // 2] + ball.speed

    return turn(12, Ball(x, 2.0 * x)) + counter.seen[3]


def of_dictionaries(x: float) -> float:
    def turn(n: int, table: dict[str, float]) -> float:
        return table["a"] if n == 0 else turn(n - 1, {"a": table["a"] * 0.9}) + table["a"]

    return turn(9, {"a": x})


CLOSED = [of_reals, of_tuples, of_closures, of_names, of_lists, of_changes]
OPEN = [of_dictionaries, of_arrays]
ENGINE: Any = engines.get("c")


def cuts(f: Any) -> list[int]:
    steps = int(checkpoint.primops(f, X, engine="c"))
    return sorted({1, steps // 5, steps // 3, steps // 2, 3 * steps // 4, steps - 1})


def cases(functions: list[Any]) -> list[Any]:
    return [pytest.param(f, cut, id=f"{f.__name__}-{cut}") for f in functions for cut in cuts(f)]


def capsule_at(f: Any, cut: int) -> Capsule:
    return checkpoint.interrupt(f, X, cut, engine="c")


def by_python(z: Capsule) -> tuple[Any, Any]:
    """Return u and the start of the run that resumes a capsule, which enters."""
    u = enter(Pair(RESUME, Capsule(z.state, z.engine, z.open_tags, z.origin)))
    return u, ENGINE.start(0, u, 0)


def shown(state: Any) -> Any:
    """Return what a state of hybrid's holds, objects by their births."""

    def text(value: Any) -> Any:
        if type(value) is tuple:
            return tuple(map(text, value))
        born = [(type(part).__name__, getattr(part, "birth", None)) for part in containers_in((value,))]
        return repr(value) if type(value) in (float, int, str, range) else born

    frames, frame = [], state.frame
    while frame is not None:
        frames.append((frame.block, frame.handler, frame.call, text(frame.saved)))
        frame = frame.next
    return state.block, state.index, state.steps, state.tags, state.births, text(state.values), frames


def bits_of(cotangent: Any) -> list[bytes]:
    return [np.asarray(getattr(number, "data", number)).tobytes() for number in cotangent.numbers]


def bits(numbers: Any) -> list[str]:
    return [float(number).hex() for number in numbers]


@pytest.mark.parametrize(("f", "cut"), cases(CLOSED))
def test_a_run_starts_as_by_python(f: Any, cut: int) -> None:
    run = rest_of(capsule_at(f, cut))
    assert run.is_closed
    start = ENGINE.start(0, run.u, run.tags)
    assert start.start is None
    u, expected = by_python(capsule_at(f, cut))
    assert shown(start.python()) == shown(expected.python())
    assert (u.birth, u.cdr.birth) == (run.u.birth, run.u.cdr.birth)


@pytest.mark.parametrize(("f", "cut"), cases(CLOSED + OPEN))
def test_value_and_cotangent(f: Any, cut: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    z = capsule_at(f, cut)
    found = checkpoint.vjp(checkpoint.resume, z)
    rest = checkpoint.interrupt(checkpoint.resume, z, 1)
    rest.save(tmp_path / "rest")
    y, pulled = checkpoint.pullback(checkpoint.resume, z)
    monkeypatch.setattr(type(ENGINE), "closed", lambda self, capsule: None)
    other = capsule_at(f, cut)
    expected = checkpoint.vjp(checkpoint.resume, other)
    assert not rest_of(other).is_closed
    assert found[0] == expected[0] == checkpoint.resume(z)
    assert found[1].identity == expected[1].identity
    assert bits_of(found[1]) == bits_of(expected[1])
    checkpoint.interrupt(checkpoint.resume, other, 1).save(tmp_path / "other")
    assert (tmp_path / "rest").read_bytes() == (tmp_path / "other").read_bytes()
    assert (y, bits_of(pulled())) == (found[0], bits_of(found[1]))


@pytest.mark.parametrize("f", OPEN)
def test_what_may_change_enters(f: Any) -> None:
    assert not rest_of(capsule_at(f, cuts(f)[3])).is_closed


@pytest.mark.parametrize(("f", "cut"), cases(CLOSED))
def test_cotangents_of_a_state(f: Any, cut: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of its capsule make the cotangent again, and are as Python finds them."""
    state = capsule_at(f, cut).state.in_c
    run = rest_of(capsule_at(f, cut))
    given = [1.0 / (i + 3) for i in range(len(run.found))]
    cotangent = ENGINE.seed_capsule(state, given)
    found = ENGINE.capsule_cotangents(state, cotangent)
    assert bits(found) == bits(given)
    with monkeypatch.context() as patched:
        patched.setattr("checkpoint.ctarget.capsules.closed.given", lambda *_: None)
        patched.setattr("checkpoint.ctarget.capsules.closed.received_all", lambda *_: None)
        by_python = ENGINE.seed_capsule(state, given)
        assert bits(ENGINE.capsule_cotangents(state, by_python)) == bits(given)
        assert bits(ENGINE.capsule_cotangents(state, cotangent)) == bits(given)
    assert bits(ENGINE.capsule_cotangents(state, by_python)) == bits(given)
    assert ENGINE.cotangent_bytes(by_python) == ENGINE.cotangent_bytes(cotangent)


@pytest.mark.parametrize(("f", "cut"), cases(CLOSED))
def test_the_place_is_that_of_the_frames(f: Any, cut: int) -> None:
    rest = capsule_at(f, cut).state
    found = rest.place()
    assert rest.in_c is not None
    assert found == rest._python.place() == rest.place()


@pytest.mark.parametrize("f", CLOSED)
def test_forward_mode_takes_it_apart(f: Any) -> None:
    z = capsule_at(f, cuts(f)[2])
    _, zbar = checkpoint.vjp(checkpoint.resume, z)
    y, slope = checkpoint.jvp(checkpoint.resume, z, zbar)
    assert y == checkpoint.resume(z)
    assert slope == pytest.approx(sum(number * number for number in zbar.numbers), rel=1e-12)


def test_the_capsule_stays_as_it_was() -> None:
    z = capsule_at(of_reals, cuts(of_reals)[2])
    first = checkpoint.resume(z)
    assert z.state.in_c is not None
    assert z.state.births > 0  # from here on hybrid's
    assert z.state.in_c is None
    assert checkpoint.resume(z) == first


def test_memory_may_end_at_any_allocation_of_a_start() -> None:
    """Python's lock is let go of: objects and tuples with names need their layouts in the new heap."""
    run = rest_of(capsule_at(of_changes, cuts(of_changes)[3]))
    heap = Heap()
    assert closed.begun(heap, run.u, run.tags) is not None
    peak = heap.peak
    for limit in range(16, peak, 16):
        with pytest.raises(MemoryError):
            closed.begun(Heap(limit), run.u, run.tags)
    heap = Heap(peak)
    assert closed.begun(heap, run.u, run.tags) is not None
    assert (heap.peak, checkpoint.resume(run.u.cdr)) == (peak, of_changes(X))


def test_too_few_cotangents_are_refused() -> None:
    z = capsule_at(of_reals, cuts(of_reals)[2])
    state, count = z.state.in_c, len(rest_of(z).found)
    cotangent = ENGINE.seed_capsule(state, [1.0] * count)
    assert closed.received(state, cotangent, count + 1) is None
    assert closed.received(state, cotangent, count - 1) is None
    assert closed.given(state, [1.0] * (count + 1)) is None
    assert closed.given(state, [1.0] * (count - 1)) is None
