"""Runs of the C engine in which memory ends: at allocation N, for N = 1, 2, 3, 5, 8, ... until none fails.

In: programs of the corpus, Python functions of the corpora. Out: nothing, or an AssertionError that names the
program and N. What must hold:
- the run ends with MemoryError, or as it does when there is memory;
- what a run that did not fail has used is given back to its heap, in which heap_check finds nothing wrong;
- no heap outlives its run, and no Python object of this package that was made for it;
- the next run of the same program is right.

    python -m tests.hostile.allocations [--most N] [--functions STEP] [--translated] [PROGRAM ...]

Without names: all programs, and every STEPth function. --translated: what runs is translated to C soon; units
stay with the program, so that nothing is said of objects then.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from random import Random
from typing import ClassVar
from unittest.mock import patch

from checkpoint import engines
from checkpoint.ad.graph import enter
from checkpoint.ad.values import Pair
from checkpoint.ctarget import engine as c_engine
from checkpoint.ctarget.states import Heap
from checkpoint.driver.effects import Effects
from checkpoint.driver.raised import Raised
from checkpoint.driver.schedule import Bisection
from checkpoint.errors import RunError
from checkpoint.functions import runs
from checkpoint.lang.printer import write_value
from tests.hostile import functions, patience  # noqa: F401  (patience: of the compiler)
from tests.support.corpus import ENTRIES, Entry
from tests.support.translation import forced
from tests.support.world import World

SCHEDULE = Bisection(base=50)
SETTLED, ROUNDS = 3, 10  # runs that use as much in a row, and those in which they must be


class Watched(Heap):
    """A heap in which an allocation fails, and that is remembered as long as it lives."""

    fails_at = 0
    alive: ClassVar[weakref.WeakSet[Watched]] = weakref.WeakSet()

    def __init__(self, limit: int | None = None) -> None:
        super().__init__(limit)
        self.fail_at(Watched.fails_at)
        Watched.alive.add(self)


@contextmanager
def failing(allocation: int) -> Iterator[None]:
    """Let the Nth allocation of each heap fail inside the `with` block; none for 0."""
    Watched.fails_at = allocation
    try:
        with patch.object(c_engine, "Heap", Watched):
            yield
    finally:
        Watched.fails_at = 0


def outcome(action: Callable[[], str]) -> str | None:
    """Return the text of what an action gives or raises, or None where memory ended."""
    try:
        return action()
    except MemoryError:
        return None
    except RunError as error:
        return f"error: {error.message}"


def actions(entry: Entry) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield the actions on a program: its value, a capsule resumed, its gradient, that of the rest."""
    engine = engines.get("c")
    case = entry.case(engine)

    def whole() -> str:
        with World(entry.input):
            return write_value(runs.call_values(case.f, case.x, engine))

    def in_two() -> str:
        with World(entry.input):
            cut = Random(entry.name).randint(0, length)
            z = runs.interrupt_values(case.f, case.x, cut, engine)
            return write_value(runs.call_values(runs.RESUME, z, engine))

    def gradient() -> str:
        with World(entry.input):
            y, xbar = runs.vjp_values(case.f, case.x, case.ybar, engine, SCHEDULE)
            return f"{write_value(y)} {write_value(xbar)}"

    def gradient_of_rest() -> str:
        with World(entry.input):
            z = runs.interrupt_values(case.f, case.x, length // 2, engine)
            y, zbar = runs.vjp_values(runs.RESUME, z, case.ybar, engine, SCHEDULE)
            return f"{write_value(y)} {[write_value(number) for number in zbar.numbers]}"

    yield "run", whole
    if not entry.fails:
        with World(entry.input):
            length = runs.primops_values(case.f, case.x, engine)
        yield "resumed", in_two
    if entry.is_differentiable:
        yield "gradient", gradient
        yield "gradient of the rest", gradient_of_rest


def check_idle_heaps(where: str) -> None:
    """Check that all heaps have gone."""
    gc.collect()
    count = len(Watched.alive)
    Watched.alive.clear()
    assert count == 0, f"{where}: {count} heaps are still there"


def check_bytes(entry: Entry) -> None:
    """Check that runs give back what they used, all but the constants of the code, which a heap keeps.

    These are made as runs need them: also in later runs, where C has learnt meanwhile to do another step. So
    SETTLED runs in a row must use as much, among the first ROUNDS.
    Of a run that fails the heap keeps everything until it goes itself.
    """
    engine = c_engine.C()
    case = entry.case(engine)
    start = engine.start(0, enter(Pair(case.f, case.x)), 0)
    used: list[int] = []
    while len(used) < SETTLED or len({*used[-SETTLED:]}) > 1:
        assert len(used) < ROUNDS, f"{entry.name}: {used} bytes are in use after one run more each"
        try:
            with World(entry.input):
                end = engine.advance(start, None, Effects())
            with World(entry.input):
                engine.tape(start, end.steps // 2, Effects())
        except Raised:
            return
        del end
        gc.collect()
        start.heap.check()
        used.append(start.heap.bytes)


@contextmanager
def only_what_is_new() -> Iterator[None]:
    """Hide from the garbage collector the objects that existed before: they take most of its time."""
    was_frozen = gc.get_freeze_count() > 0
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        if was_frozen:
            gc.freeze()


def own_objects() -> int:
    """Return the number of new objects of this package's classes."""
    gc.collect()
    return sum(str(type(x).__module__).startswith("checkpoint.") for x in gc.get_objects())


def check(entry: Entry, most: int | None = None, translated: bool = False) -> int:
    """Check one program, and return the number of failed runs. most: the greatest N that is tried."""
    check_bytes(entry)
    return check_actions(entry.name, actions(entry), most, translated)


def check_actions(
    name: str,
    todo: Iterable[tuple[str, Callable[[], str]]],
    most: int | None = None,
    translated: bool = False,
) -> int:
    """Check all actions on a program under failing allocations, and return the number of failed runs."""
    failed = 0
    for what, action in todo:
        expected = outcome(action)
        assert outcome(action) == expected, f"{name}, {what}: two runs differ"
        with only_what_is_new():
            failed += check_action(f"{name}, {what}", action, expected, most, translated)
    return failed


def check_action(
    where: str, action: Callable[[], str], expected: str | None, most: int | None, translated: bool
) -> int:
    """Check one action with each allocation failing in turn, and return the number of failed runs."""
    tries, n, following = 0, 1, 2
    while most is None or n <= most:
        with failing(n):
            found = outcome(action)
        check_idle_heaps(f"{where}, allocation {n}")
        assert found in {None, expected}, f"{where}, allocation {n}: {found} for {expected}"
        assert outcome(action) == expected, f"{where}: wrong after allocation {n} had failed"
        if found is not None:
            break
        tries += 1
        n, following = following, n + following
    left = 0 if translated else own_objects()
    assert left < max(tries, 1), f"{where}: {left} objects are left of {tries} runs"
    return tries


def checks(
    names: list[str], step: int, most: int | None, translated: bool
) -> Iterator[tuple[str, Callable[[], int]]]:
    """Yield the checks of these programs and functions, or of all programs and some functions."""
    for entry in ENTRIES:
        if not names or entry.name in names:
            yield entry.name, lambda entry=entry: check(entry, most, translated)  # type: ignore[misc]
    examples = functions.all_functions()
    for name in names or list(examples)[::step]:
        if name in examples:
            todo = functions.actions(*examples[name])
            yield (
                name,
                lambda name=name, todo=todo: check_actions(  # type: ignore[misc]
                    name, todo, most, translated
                ),
            )


@contextmanager
def untranslated() -> Iterator[None]:
    """Let nothing be translated: on a slow machine it would be, and units stay with the program."""
    with patch.dict(os.environ, CHECKPOINT_JIT="off"):
        yield


def main() -> int:
    """Run the checks that the command line asks for, and return the exit status."""
    parser = argparse.ArgumentParser(description="Runs in which the Nth allocation fails.")
    parser.add_argument("--most", type=int, help="the greatest N; without it until none fails")
    parser.add_argument("--functions", type=int, default=7, metavar="STEP", help="every STEPth function")
    parser.add_argument("--translated", action="store_true", help="have what runs be translated to C soon")
    parser.add_argument("names", nargs="*", metavar="PROGRAM")
    given = parser.parse_args()
    faults = 0
    translation = forced if given.translated else untranslated
    for name, do in checks(given.names, given.functions, given.most, given.translated):
        try:
            with translation():
                print(f"{name}: {do()} runs without memory", flush=True)
        except AssertionError as fault:
            faults += 1
            print(f"FAULT: {fault}", flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
