"""The law of journals: killed at any moment, however often, the same call returns the same bits."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

import checkpoint
from checkpoint.driver.budget import Budget
from checkpoint.driver.schedule import Bisection
from checkpoint.errors import RunError
from tests.durable import round_trips, subjects
from tests.durable.child import GENERATORS, procedure_and_argument
from tests.durable.journal.disks import Disk, Fuse, Killed, Pieces, often, on
from tests.durable.round_trips import quietly, steps_of
from tests.support.corpus import usable_engines

ENGINES = [engine.name for engine in usable_engines() if engine.name != "interp"]
BUDGET = Budget()
SUBJECTS = [name for name in subjects.ARGUMENTS if name not in ("higher", "containers")]


def gradient(f: Any, x: Any, engine: str, journal: Path | None = None, schedule: Any = BUDGET) -> str:
    """Return all bits of the value of f at x and of the cotangent of x, whatever f returns; or its error."""
    with quietly():
        return round_trips.gradient(f, x, engine, schedule, journal)


def resumed(
    call: Callable[[], str], disk: Disk | None, random: Random, shortest: int, longest: int
) -> tuple[str, int]:
    """Return the outcome of a call that is killed again and again, and the number of its processes."""
    for attempt in range(200):
        fuse = Fuse(random.randint(shortest, longest) if attempt < 150 else -1)
        try:
            with on(disk, fuse):
                return call(), attempt + 1
        except Killed:
            if disk is not None:
                disk.lose_power(random)
    raise AssertionError("the call never ended")


@pytest.mark.parametrize("engine", ENGINES)
def test_killed_at_each_operation(engine: str, tmp_path: Path) -> None:
    """Of a small run with a durable point at each step: each operation of the disk."""

    def small(x: float) -> float:
        y = math.sin(x) * x + 1.0
        return y * math.exp(y) - x / y

    expected = checkpoint.value_and_grad(small, engine=engine)(1.5)
    with often(1):
        for operation in range(1 + ENGINES.index(engine), 1000, 5):
            folder = tmp_path / str(operation)
            schedule = Pieces(steps=1)
            call = checkpoint.value_and_grad(small, engine=engine, journal=folder, schedule=schedule)
            with on(None, fuse := Fuse(operation)), suppress(Killed):
                assert call(1.5) == expected
            with on(None, Fuse()):
                assert call(1.5) == expected
                assert call(1.5) == expected
            if fuse.left > 0:
                break
        assert operation > 80


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", SUBJECTS)
def test_killed_again_and_again(name: str, engine: str, tmp_path: Path) -> None:
    f, x = getattr(subjects, name), subjects.ARGUMENTS[name]
    expected = gradient(f, x, engine)
    random = Random(name)
    steps = max(1, steps_of(f, x) // 9)
    for schedule in (Pieces(steps=steps), Bisection(steps)):
        with often(steps):
            take = partial(gradient, f, x, engine, tmp_path / type(schedule).__name__, schedule)
            found, processes = resumed(take, None, random, 15, 40)
        assert found == expected
        assert processes > 1


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("generator", GENERATORS)
def test_random_programs_that_lose_power(generator: str, engine: str, tmp_path: Path) -> None:
    """Random programs, whose disk keeps any part of what was not synced: same bits, and no file refused."""
    killed = 0
    for seed in range(2 if generator == "objects" else 6):
        f, x = procedure_and_argument(generator, seed)
        random = Random(f"{generator} {seed}")
        expected = gradient(f, x, engine)
        steps = max(1, steps_of(f, x) // 8)
        schedule = Bisection(steps) if seed % 3 == 2 else Pieces(steps=steps, taped=seed % 3)
        with often(steps):
            take = partial(gradient, f, x, engine, tmp_path / f"{seed}", schedule)
            found, processes = resumed(take, Disk(), random, 8, 45)
        assert found == expected, (generator, seed)
        killed += processes - 1
    assert killed > 1  # how many operations a disk sees depends on the clock, too


@pytest.mark.parametrize("engine", ENGINES)
def test_budgets(engine: str, tmp_path: Path) -> None:
    """Of a run that outgrows its memory: the first pass keeps states in series, reversed likewise."""

    def f(x: float) -> float:
        y, xs = x, [x, 1.0, x * x]
        for i in range(turns):
            y = math.sin(y) + 0.3 * x * xs[i % 3]
            xs[i % 3] = 0.5 * y
        return y

    turns = 6000 if engine == "c" else 1500
    expected = gradient(f, 0.5, engine)
    for seed, memory in enumerate(("200KiB", "1MiB", "64MiB")):
        random = Random(seed)
        with often(500):
            take = partial(gradient, f, 0.5, engine, tmp_path / memory, Budget(memory))
            found, processes = resumed(take, Disk(), random, 8, 40)
        assert found == expected
        assert processes > 1 or memory == "64MiB"


def test_other_engine(tmp_path: Path) -> None:
    """A call that began on one engine goes on on the other."""
    expected = checkpoint.value_and_grad(subjects.loop)(0.7)
    for seed in range(3):
        with often(20):
            random, disk = Random(seed), Disk()
            for attempt in range(100):
                call = checkpoint.value_and_grad(
                    subjects.loop,
                    engine=ENGINES[attempt % len(ENGINES)],
                    journal=tmp_path,
                    schedule=Pieces(steps=20),
                )
                try:
                    with on(disk, Fuse(random.randint(25, 60))):
                        assert call(0.7) == expected
                    break
                except Killed:
                    disk.lose_power(random)
            else:
                raise AssertionError("it never ended")


def test_errors_are_the_programs(tmp_path: Path) -> None:
    def fails(x: float) -> float:
        for i in range(20):
            x = x / (10.0 - float(i))
        return x

    with often(10):
        for _ in range(2):
            with pytest.raises(ZeroDivisionError, match="float division by zero"):
                checkpoint.grad(fails, journal=tmp_path)(1.0)
    with pytest.raises(RunError, match="needs a function that returns a real"):
        checkpoint.grad(lambda x: [x], journal=tmp_path / "other")(1.0)
