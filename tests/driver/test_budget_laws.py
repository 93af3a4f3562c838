"""Budgets on the engines: lengths, threads, pickles, exceptions, effects, and derivatives of derivatives."""

from __future__ import annotations

import gc
import io
import pickle
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from typing import Any

import pytest

import checkpoint
from checkpoint import engines, grad, hessian, hvp, jacrev, resume, vjp
from checkpoint.driver.budget import Budget
from checkpoint.driver.schedule import Plain, Schedule
from tests.support.budgets import Watched, tightest
from tests.support.same import difference

pytestmark = pytest.mark.parametrize("engine", engines.usable())

MEMORY = 40_000  # bytes; too few for the tape of any program here, on any engine
REPEATED = 40  # runs whose memory is counted


def wave(x: float, n: int = 700) -> float:
    """Alike steps, a small state."""
    y = x
    for i in range(n):
        y = y + 0.01 * x * y - 0.001 * y * y * (i % 3)
    return y


def lists(x: float) -> list[float]:
    """A list that grows while it is read."""
    xs = [x, 0.5 * x]
    for i in range(400):
        xs.append(0.9 * xs[i] - 0.1 * xs[i + 1] * xs[i])
    return [xs[-1], xs[200]]


def printing(x: float) -> float:
    for i in range(240):
        x = x - 0.001 * x * x
        if i % 20 == 0:
            print(i, x)
    return x


def failing(x: float) -> float:
    for i in range(500):
        x = x - 0.001 * x * x
        if i == 450:
            raise LookupError(i, x)
    return x


def inside(x: float) -> float:
    """A derivative in each iteration."""
    y = x
    for _ in range(60):
        y = y - 0.01 * grad(lambda z: z * z * z)(y)
    return y


def within(take: Callable[[Schedule], Any], memory: int = MEMORY) -> Any:
    """Return a gradient taken within a budget, or the least that is enough; assert that it is cut."""
    found, watched = tightest(take, memory)
    assert watched.pieces > 2
    return found


@pytest.mark.parametrize("f", [wave, printing, inside])
def test_gradients_of_pieces_are_those_of_one_tape(f: Callable[..., float], engine: str) -> None:
    with redirect_stdout(io.StringIO()):
        expected = vjp(f, 0.7, engine=engine, schedule=Plain())
        assert within(lambda schedule: vjp(f, 0.7, engine=engine, schedule=schedule)) == expected


@pytest.mark.parametrize("share", [0.0001, 0.5, 0.999, 1.0, 1.001, 20.0])
def test_a_length_changes_no_bit(share: float, engine: str) -> None:
    length = max(1, int(share * checkpoint.primops(wave, 0.7, engine=engine)))
    expected = vjp(wave, 0.7, engine=engine, schedule=Plain())
    found, watched = tightest(
        lambda schedule: vjp(wave, 0.7, engine=engine, schedule=schedule), MEMORY, length
    )
    assert found == expected
    assert watched.pieces > 2


def test_in_threads(engine: str) -> None:
    points = [0.1 * i for i in range(1, 7)]
    expected = [grad(wave, engine=engine, schedule="plain")(x) for x in points]
    derivative = grad(wave, engine=engine, memory=MEMORY)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(derivative, points)) == expected


def test_a_pickled_derivative(engine: str) -> None:
    expected = grad(wave, engine=engine, schedule="plain")(0.7)
    derivative = grad(wave, engine=engine, schedule=Budget(MEMORY, length=30_000))
    again = pickle.loads(pickle.dumps(derivative))
    assert again.schedule == Budget(MEMORY, length=30_000)
    assert again(0.7) == derivative(0.7) == expected


# The program's own actions


def test_what_is_printed_is_printed_once(engine: str) -> None:
    texts = []
    for how in ({"schedule": "plain"}, {"memory": 30_000}, {"memory": MEMORY}):
        with redirect_stdout(io.StringIO()) as printed:
            grad(printing, engine=engine, **how)(0.7)
        texts.append(printed.getvalue())
    assert texts == [texts[0]] * 3
    assert texts[0].count("\n") == 12


def test_the_exception_is_that_of_the_run(engine: str) -> None:
    caught = []
    for how in ({"schedule": "plain"}, {"memory": MEMORY}):
        with pytest.raises(LookupError) as found:
            grad(failing, engine=engine, **how)(0.7)
        caught.append((type(found.value), found.value.args, found.value.__notes__))
    assert caught[0] == caught[1]


class Stopping(io.StringIO):
    """An output at whose sixth line the user presses Ctrl-C."""

    def write(self, text: str) -> int:
        if self.getvalue().count("\n") == 5:
            raise KeyboardInterrupt
        return super().write(text)


def test_what_is_stopped_leaves_nothing_behind(engine: str) -> None:
    derivative, broken = (
        grad(printing, engine=engine, memory=40_000),
        grad(failing, engine=engine, memory=40_000),
    )

    def stopped() -> None:
        with pytest.raises(KeyboardInterrupt), redirect_stdout(Stopping()):
            derivative(0.7)
        with pytest.raises(LookupError):
            broken(0.7)

    stopped()
    with redirect_stdout(io.StringIO()):
        expected = derivative(0.7)
        stopped()
        # What a run leaves behind shows every time; a table of Python's that grows shows once.
        assert any(blocks_left_by(stopped) <= 2 * REPEATED for _ in range(6))
        assert derivative(0.7) == expected
    assert gc.isenabled()


def blocks_left_by(action: Callable[[], None]) -> int:
    """Return how many more blocks of memory Python holds after REPEATED times an action."""
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(REPEATED):
        action()
    gc.collect()
    return sys.getallocatedblocks() - before


# Derivatives of derivatives, and of parts


TAKES: dict[str, Callable[..., Any]] = {
    "jacrev": lambda **how: jacrev(lists, **how)(0.7),
    "hessian": lambda **how: hessian(lambda x: wave(x, 100), **how)(0.7),
    "hvp": lambda **how: hvp(lambda x: wave(x, 300), 0.7, 1.3, **how),
}


@pytest.mark.parametrize("name", TAKES)
def test_jacobians_and_hessians(name: str, engine: str) -> None:
    take = TAKES[name]
    plain = Watched(Plain())
    expected = take(engine=engine, schedule=plain)
    assert within(lambda schedule: take(engine=engine, schedule=schedule), plain.most // 4) == expected


@pytest.mark.parametrize("share", [0.1, 0.9])
def test_the_rest_of_a_run(share: float, engine: str) -> None:
    """A capsule is differentiated within a budget."""
    cut = int(share * checkpoint.primops(wave, 0.7, engine=engine))
    z = checkpoint.interrupt(wave, 0.7, cut, engine=engine)
    y, zbar = vjp(resume, z, schedule=Plain())
    found, watched = tightest(lambda schedule: vjp(resume, z, schedule=schedule), 20_000)
    assert found[0] == y
    assert difference(found[1], zbar) is None
    assert watched.pieces > 1
