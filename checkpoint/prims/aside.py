"""What a step runs aside of the program: on values without derivatives, in a context that prints nothing."""

from __future__ import annotations

import math
from typing import Any

from checkpoint.ad.graph import numbers, replace
from checkpoint.ad.numbers import fresh, real_part
from checkpoint.driver.effects import EffectLog, Effects
from checkpoint.prims.operators import Context


def silent(context: Context) -> Context:
    """Return a context in which nothing is printed."""
    log = EffectLog()
    log.furthest = (math.inf,)  # type: ignore[assignment]  # no path is further
    return Context(context.engine, context.tags, Effects(log))


def constant(value: Any) -> Any:
    """Return a value whose numbers have no derivatives."""
    found = numbers(value)
    return replace(value, found, [fresh(real_part(number)) for number in found])
