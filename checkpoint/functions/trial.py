"""Short trials of runs that begin again: what a run reaches next, found without compiling it.

In: a run of a program that lacks functions (lang/python/linking/stubs.py), prepared for engine interp, which
resolves a function when it is entered and makes nothing else of it. Out: the error with which the run reaches
one more, if it does so soon. What it prints and reads is in the log of its effects, as of any run that begins
again. A trial that fails otherwise, or takes longer, decides nothing: the run itself follows.
"""

from __future__ import annotations

from time import thread_time
from typing import Any

from checkpoint import engines
from checkpoint.ad.array_library import remembered
from checkpoint.driver.effects import Effects
from checkpoint.errors import UnfitKey, Unreached

ENGINE = "interp"
SLICE = 10_000  # steps between two readings of the clock
STEPS = 1_000_000
SECONDS = 4.0  # of the processor: much less than the passes take for so large a program


def reached(u: Any, tags: int, effects: Effects, steps: int | None) -> Unreached | UnfitKey | None:
    """Return the error with which the application u reaches what is not translated; None if it does not.

    steps: how many the run has; None: all. The trial has no more, so that it prints nothing that comes later.
    """
    restore = remembered()
    try:
        _advance(u, tags, effects, STEPS if steps is None else min(steps, STEPS))
    except (Unreached, UnfitKey) as error:
        return error
    except Exception:  # the run itself says it
        return None
    finally:
        restore()  # what the trial's steps have set
    return None


def _advance(u: Any, tags: int, effects: Effects, steps: int) -> None:
    engine = engines.get(ENGINE)
    state = engine.start(0, u, tags)
    late, last = thread_time() + SECONDS, state.steps + steps
    while state.steps < last and thread_time() < late:
        goal = min(state.steps + SLICE, last)
        state = engine.advance(state, goal, effects)
        if state.steps < goal:
            return
