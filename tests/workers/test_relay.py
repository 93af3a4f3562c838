"""The law of relays: a gradient that workers take has the same bits, whatever becomes of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import RunError
from checkpoint.driver.budget import Budget
from checkpoint.driver.schedule import Bisection, Plain
from checkpoint.workers import Processes, Threads, Workers, cuts, handed
from tests.durable import round_trips, subjects
from tests.durable.child import GENERATORS, procedure_and_argument
from tests.durable.round_trips import quietly, steps_of
from tests.support.corpus import usable_engines
from tests.workers import jobs

ENGINES = [engine.name for engine in usable_engines() if engine.name != "interp"]


@pytest.fixture(scope="module")
def processes() -> Iterator[Processes]:
    with Processes(2) as workers:
        yield workers


@contextmanager
def often(steps: int, seconds: float = 0.0) -> Iterator[None]:
    """Cut runs into segments of so many steps, or of more that take so many seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts, "SECONDS", seconds)
        patch.setattr(cuts, "FIRST_PACE", steps)
        patch.setattr(cuts, "adapted", lambda pace, took, seconds: pace)
        yield


class Counting:
    """Workers that count the segments which they are given."""

    def __init__(self, workers: Workers) -> None:
        self.workers, self.size, self.segments = workers, workers.size, 0

    def submit(self, job: Callable[..., Any], *given: Any) -> Any:
        self.segments += 1
        return self.workers.submit(job, *given)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.workers, name)


def gradient(f: Any, x: Any, engine: str, schedule: Any, workers: Any = None) -> str:
    """Return all bits of the value of f at x and of the cotangent of x, and what is printed; or the error."""
    with quietly() as printed:
        found = round_trips.gradient(f, x, engine, schedule, workers=workers)
        return f"{found} {printed.getvalue()}"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", subjects.ARGUMENTS)
def test_threads_give_the_same_bits(name: str, engine: str) -> None:
    f, x = getattr(subjects, name), subjects.ARGUMENTS[name]
    expected = gradient(f, x, engine, Budget())
    steps = max(1, steps_of(f, x) // 7)
    for count, schedule in ((1, Budget()), (2, Bisection(5)), (3, Budget("1 MiB")), (7, Plain())):
        with often(steps), Threads(count) as threads:
            workers = Counting(threads)
            assert gradient(f, x, engine, schedule, workers) == expected
        assert workers.segments > 1


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("generator", GENERATORS)
def test_threads_give_the_same_bits_for_random_programs(generator: str, engine: str) -> None:
    with Threads(2) as threads:
        for seed in range(3):
            f, x = procedure_and_argument(generator, seed)
            expected = gradient(f, x, engine, Budget())
            steps = max(1, steps_of(f, x) // Random(seed).randint(2, 12))
            with often(steps):
                assert gradient(f, x, engine, Budget(), threads) == expected, (generator, seed)


@pytest.mark.parametrize("engine", ENGINES)
def test_processes_give_the_same_bits(engine: str, processes: Processes) -> None:
    for name in ("objects", "arrays", "primitives"):
        f, x = getattr(subjects, name), subjects.ARGUMENTS[name]
        expected = gradient(f, x, engine, Budget())
        with often(max(1, steps_of(f, x) // 5)):
            workers = Counting(processes)
            assert gradient(f, x, engine, Budget(), workers) == expected, name
        assert workers.segments > 1


@pytest.mark.parametrize("segments", [3, pytest.param(51, marks=pytest.mark.long)])
def test_a_worker_that_dies_in_each_segment_in_turn_changes_nothing(
    segments: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    f, x = subjects.loop, subjects.ARGUMENTS["loop"]
    expected = gradient(f, x, "hybrid", Budget())
    job = partial(jobs.reversed_at_the_second_attempt, str(tmp_path))
    monkeypatch.setattr(handed, "reversed_segment", job)
    with Processes(2) as workers, often(max(1, steps_of(f, x) // segments)):
        assert gradient(f, x, "hybrid", Budget(), workers) == expected
    assert len(list(tmp_path.iterdir())) >= segments - 1


def test_a_segment_with_which_workers_die_again_and_again_ends_the_call(
    processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    f, x = subjects.loop, subjects.ARGUMENTS["loop"]
    monkeypatch.setattr(handed, "reversed_segment", jobs.never_reversed)
    with often(max(1, steps_of(f, x) // 5)):
        found = gradient(f, x, "hybrid", Budget(), processes)
    assert found.startswith("RunError: the segment of the run from step ")
    assert "the worker that ran it died, 3 times" in found


def test_a_segment_that_fails_ends_the_call_with_its_own_error(monkeypatch: pytest.MonkeyPatch) -> None:
    f, x = subjects.loop, subjects.ARGUMENTS["loop"]
    monkeypatch.setattr(handed, "reversed_segment", jobs.fails_oddly_as_a_segment)
    with often(max(1, steps_of(f, x) // 5)), Threads(2) as threads:
        assert gradient(f, x, "hybrid", Budget(), threads).startswith("Unpicklable: 1 and 2")


def test_the_public_functions_take_workers(capsys: pytest.CaptureFixture[str]) -> None:
    def f(w: list[float], n: int, scale: float = 1.0) -> tuple[float, int]:
        y = w[0]
        for i in range(n):
            y = math.sin(y) + scale * w[i % 2] * 0.3
            if i == n // 2:
                print("half", n)
        return y, n

    for engine in ENGINES:
        known: dict[str, Any] = {"engine": engine, "has_aux": True}
        expected = checkpoint.value_and_grad(f, **known)([0.5, 0.7], 400, scale=2.0)
        by_argnums = checkpoint.grad(f, argnums=(0,), **known)([0.5, 0.7], 400)
        capsys.readouterr()
        with often(500):
            found = checkpoint.value_and_grad(f, workers=2, **known)([0.5, 0.7], 400, scale=2.0)
            assert found == expected
            assert capsys.readouterr().out == "half 400\n"
            assert checkpoint.grad(f, argnums=(0,), workers=2, **known)([0.5, 0.7], 400) == by_argnums
            capsys.readouterr()

    def g(x: Any) -> Any:
        for _ in range(100):
            x = np.sin(x) * 1.1
        return x

    x, ybar = np.linspace(0.1, 1.0, 5), np.linspace(1.0, 2.0, 5)
    y, xbar = checkpoint.vjp(g, x, ybar)
    with often(50):
        z, zbar = checkpoint.vjp(g, x, ybar, workers=2)
    assert (y.tobytes(), xbar.tobytes()) == (z.tobytes(), zbar.tobytes())


def test_states_are_thinned_where_they_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuts, "MOST", 3)
    f, x = subjects.loop, subjects.ARGUMENTS["loop"]
    expected = gradient(f, x, "hybrid", Budget())
    with often(max(1, steps_of(f, x) // 40)), Threads(2) as threads:
        workers = Counting(threads)
        assert gradient(f, x, "hybrid", Budget(), workers) == expected
    assert 3 <= workers.segments <= 6


@pytest.mark.skipif("c" not in ENGINES, reason="engine c is not here")
def test_states_without_arrays_are_left_to_c(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: Any) -> Any:
        raise AssertionError("Python has read the parts of a state")

    f, x = subjects.loop, subjects.ARGUMENTS["loop"]
    expected = gradient(f, x, "c", Budget())
    monkeypatch.setattr(cuts, "numbers", read)
    with often(max(1, steps_of(f, x) // 20)), Threads(2) as threads:
        workers = Counting(threads)
        assert gradient(f, x, "c", Budget(), workers) == expected
    assert workers.segments > 3


@pytest.mark.parametrize("back_end", [Threads, Processes])
def test_states_are_thinned_where_they_are_too_large(back_end: Any) -> None:
    def f(x: Any) -> Any:
        for _ in range(200):
            x = np.sin(x) * 1.1
        return x.sum()

    x = np.linspace(0.1, 1.0, 20_000)
    expected = checkpoint.grad(f)(x)
    with often(steps_of(f, x) // 100), back_end(2) as made:
        workers = Counting(made)
        found = checkpoint.grad(f, memory="4 MiB", workers=workers)(x)
    assert found.tobytes() == expected.tobytes()
    assert 4 <= workers.segments <= 4 * 2**20 / x.nbytes < 50  # without thinning there were 100


def test_what_does_not_go_together_is_refused() -> None:
    def f(x: float) -> float:
        return x * x

    with pytest.raises(RunError, match="workers= and each= cannot be combined yet"):
        checkpoint.grad(f, workers=2, each=print)
    with pytest.raises(RunError, match=r"workers is a number of threads, .*not 'four'"):
        checkpoint.grad(f, workers="four")  # type: ignore[arg-type]
    with pytest.raises(RunError, match="workers= needs engine 'c' or 'hybrid'"):
        checkpoint.grad(f, workers=2, engine="interp")(1.0)
    assert checkpoint.grad(f, workers=2)(3.0) == 6.0
