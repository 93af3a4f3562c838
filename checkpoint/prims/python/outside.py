"""What a program does to the world around it, and what it reads from there: each once.

    (py.perform f args keywords)    call f for its effect, when this step is first executed; None
    (py.observe f args keywords)    call f when this step is first executed; what it returned then, always

f: a Native, a Python function. args, keywords: a tuple and a dictionary, which f receives as Python's own
objects, with floats for reals. What f raises is raised each time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import Dict, Record
from checkpoint.ad.record import Effect, Purity, register
from checkpoint.driver.effects import Effects
from checkpoint.errors import RunError, an
from checkpoint.prims.python.native import from_native, native


def _perform(effects: Effects, step: int, function: Native, args: Record, keywords: Dict) -> None:
    effects.perform(step, lambda: function.value(*native(args), **native(keywords)))


def _observe(effects: Effects, step: int, function: Native, args: Record, keywords: Dict) -> Any:
    found = effects.read(step, lambda: _outcome(function.value, native(args), native(keywords)))
    if isinstance(found, ObservedFailure):
        raise found.error
    return from_native(found, _no_value)


class ObservedFailure:
    """Holds what a function raised instead of returning."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def _outcome(function: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    try:
        return function(*args, **keywords)
    except Exception as error:  # the program's own: it is raised again at each execution of the step
        return ObservedFailure(error)


def _no_value(value: Any) -> Any:
    raise RunError(f"this gives {an(type(value).__name__)}, which no program can take: read it outside of it")


register(
    Effect(
        name="py.perform",
        arity=3,
        purity=Purity.EFFECT,
        doc="call a function for its effect, once: the function, arguments, keywords",
        failures=(Exception,),
        value=_perform,
        copies=False,
    )
)
register(
    Effect(
        name="py.observe",
        arity=3,
        purity=Purity.EFFECT,
        doc="what a function returned when it was called, once: the function, arguments, keywords",
        failures=(Exception,),
        value=_observe,
        copies=False,
    )
)
