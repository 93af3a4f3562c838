"""Delimited control: `shift` and `reset`, made of the core before steps are counted.

While a program is desugared they are two primitives that no engine has; `direct` (convert.py) replaces them:

    (control.reset tag thunk)       the value of the thunk, as far as shifts with this tag capture
    (control.shift tag receiver)    the receiver of the continuation up to the nearest reset with this tag
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from checkpoint.ad.values import Pair, Symbol

RESET = "control.reset"
SHIFT = "control.shift"
RESUMED = (
    "control.resumed"  # looks at what a capsule returns to a program that may be given functions that shift
)
DEFAULT_TAG = "%default"
CAPTURED, REFUSED = Symbol("%captured"), Symbol("%refused")
CONTROLS = frozenset((RESET, SHIFT))


class MayShift:
    """Stands, among the classes that a program knows, for functions that may shift or what may hold one."""


def note_shifts(lambdas: Iterable[Any]) -> None:
    """Record in the lambdas of a program that it may shift, for those to whom its procedures are given."""
    for lam in lambdas:
        lam.may_shift = True


def captured(value: Any) -> Pair | None:
    """Return the capture that a run left in place of a value (control.vlad); None if it has a value."""
    if type(value) is Pair and type(value.car) is Symbol and value.car == CAPTURED:
        return value
    return None


def resumption_without_reset(capture: Pair, where: str) -> tuple[Any, Pair]:
    """Return the procedure and argument whose run fails at the shift; where: what has no reset for it."""
    return capture.cdr.car, Pair(REFUSED, Symbol(where))
