"""Whether a run that was called from outside, or by a solver, has a value: not if a shift captured all of it.

In: what a run ended with. Out: the same, if it is a value; else the shift fails, at its place, as it does
inside of programs (checkpoint/lang/control).
"""

from __future__ import annotations

from typing import Any

from checkpoint.ad.graph import enter
from checkpoint.ad.values import Pair
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine
from checkpoint.errors import RunError
from checkpoint.lang.control import captured, resumption_without_reset
from checkpoint.lang.control.convert import CALL

UNSEEN = "a shift has no reset in this call, and a handler received that; write (reset expression) around it"


def complete(value: Any, engine: Engine, tags: int, where: str = CALL) -> Any:
    """Return the value with which a run ended; tags: a tag above those in it; where: what messages name."""
    capture = captured(value)
    if capture is None:
        return value
    start = engine.start(0, enter(Pair(*resumption_without_reset(capture, where))), tags)
    engine.advance(start, None, Effects())
    raise RunError(UNSEEN)
