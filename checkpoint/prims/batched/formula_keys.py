"""Finds what a formula depends on (item_formulas.py): the texts of procedures, and the structure of values.

In: nests of arrays, and procedures with what they have captured. Out: keys, by which formulas are kept for
the next call. Reals in captured containers are read, unless there are many; arrays are not.
"""

from __future__ import annotations

from typing import Any

from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import CONTAINERS, Dict
from checkpoint.ad.numbers import NUMBERS, real_part
from checkpoint.ad.values import Closure
from checkpoint.lang.closures import captured
from checkpoint.prims.lane_values import is_array, is_pytree, structure

DEEPEST_KEY = 6  # captured functions within each other, where a formula is kept for the next call
MOST_PARTS = 200  # of a captured container whose reals are read
WITHOUT_REALS = frozenset((Closure, Native, int, bool, str, type(None)))
UNKNOWN = Native(object())  # a captured array or large container


class NoFormula(Exception):
    """Raised where a procedure has no formula."""


def outline(nest: Any) -> Any:
    """Return what a formula depends on of a nest of arrays: its structure."""
    if is_array(nest):
        return is_array
    if is_pytree(nest):
        return form_of(nest), *map(outline, nest.parts())
    if type(nest) not in WITHOUT_REALS:
        raise NoFormula
    return type(nest), nest


def captured_outline(value: Any, reals: dict[int, tuple[int, Any]], depth: int = 0) -> Any:
    """Return what a formula depends on of what is captured: all but the values of reals.

    reals: the place and value of those met so far, by identity; more are added. NoFormula: functions are too
    deep within each other.
    """
    if depth > DEEPEST_KEY:
        raise NoFormula
    if type(value) is Closure:
        return value.lam, *[captured_outline(x, reals, depth + 1) for _, x in captured(value)]
    if type(value) in WITHOUT_REALS:
        return type(value), value
    if is_real(value):
        return float, reals.setdefault(id(value), (len(reals), value))[0]
    if is_pytree(value) and is_small(value):
        return form_of(value), *[captured_outline(x, reals, depth) for x in value.parts()]
    return UNKNOWN


def form_of(container: Any) -> Any:
    """Return what two containers have in common that differ in their parts alone."""
    return type(container), tuple(container.items) if type(container) is Dict else structure(container)


def is_real(value: Any) -> bool:
    return type(value) in NUMBERS and type(real_part(value)) is float


def is_small(container: Any) -> bool:
    """Return whether a container has at most MOST_PARTS parts, those of its parts among them."""
    waiting, count = [container], 0
    while waiting:
        part = waiting.pop()
        if is_pytree(part):
            count += len(part.items) if type(part) in CONTAINERS else 2
            if count > MOST_PARTS:
                return False
            waiting.extend(part.parts())
    return True
