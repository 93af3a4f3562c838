"""Short trials of runs that begin again: what a run reaches next, found without compiling it.

In: a run of a program that lacks functions (lang/python/linking/stubs.py), prepared for engine interp, which
resolves a function when it is entered and makes nothing else of it. Out: the error with which the run reaches
one more, if it does so soon. What it prints and reads is in the log of its effects, as of any run that begins
again. A trial that fails otherwise, or takes longer, decides nothing: the run itself follows.

The trial of a program that has just been made takes up the functions of the program that it reaches
(lang/python/linking/growth.py), so that one trial finds most of them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from time import thread_time
from typing import Any

from checkpoint import engines
from checkpoint.ad.array_library import remembered
from checkpoint.ad.values import Pair
from checkpoint.driver.effects import Effects
from checkpoint.errors import UnfitKey, Unreached
from checkpoint.lang.python.linking.growth import Grown, Growth

ENGINE = "interp"
SLICE = 10_000  # steps between two readings of the clock
STEPS = 1_000_000
SECONDS = 4.0  # of the processor: much less than the passes take for so large a program
ALL = Grown()  # what a trial has reached that came to its end

Met = Unreached | UnfitKey | None


class GrowingTrial:
    """A trial of a program that grows.

    value_of: returns the value of an input that the program reads by now.
    locked: the context in which programs are translated.
    """

    def __init__(
        self, growth: Growth, value_of: Callable[[str], Any], locked: AbstractContextManager[Any]
    ) -> None:
        self._growth = growth
        self._value_of = value_of
        self._locked = locked

    def reached(self, u: Any, tags: int, effects: Effects, steps: int | None) -> Met:
        """Return the error with which u reaches what is not translated, as `reached` does.

        The functions that it has taken up are noted then, and the program is to be made with them.
        """
        from checkpoint.interp.growing import Growing  # noqa: PLC0415  (few programs are tried)

        growing = Growing(self._growth, self._growth.cells, self._locked, self._value_of)
        is_all, met = _tried(Pair(growing.entry(self._growth.entry), u.cdr), tags, effects, steps)
        if met is None and self._growth.has_grown:
            return Unreached(ALL if is_all else Grown())
        return met


def has_ended(met: Met) -> bool:
    """Return whether a trial came to the end of its run, so that no other one is needed."""
    return isinstance(met, Unreached) and met.function is ALL


def reached(u: Any, tags: int, effects: Effects, steps: int | None) -> Met:
    """Return the error with which the application u reaches what is not translated; None if it does not.

    steps: how many the run has; None: all. The trial has no more, so that it prints nothing that comes later.
    """
    return _tried(u, tags, effects, steps)[1]


def _tried(u: Any, tags: int, effects: Effects, steps: int | None) -> tuple[bool, Met]:
    """Return whether a trial came to its end, and the error with which it reaches something."""
    restore = remembered()
    try:
        return _advance(u, tags, effects, STEPS if steps is None else min(steps, STEPS)), None
    except (Unreached, UnfitKey) as error:
        return False, error
    except Exception:  # the run itself says it
        return False, None
    finally:
        restore()  # what the trial's steps have set


def _advance(u: Any, tags: int, effects: Effects, steps: int) -> bool:
    """Advance a run by at most so many steps; return whether it has ended."""
    engine = engines.get(ENGINE)
    state = engine.start(0, u, tags)
    late, last = thread_time() + SECONDS, state.steps + steps
    while state.steps < last and thread_time() < late:
        goal = min(state.steps + SLICE, last)
        state = engine.advance(state, goal, effects)
        if state.steps < goal:
            return True
    return False
