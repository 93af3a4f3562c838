"""Primitives of objects: their attributes and classes; and plain reals of any value."""

from __future__ import annotations

import inspect
from typing import Any

from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import Layout, Record, Types
from checkpoint.ad.graph import numbers, replace
from checkpoint.ad.numbers import NUMBERS, fresh, real_part
from checkpoint.ad.opaque import is_constant
from checkpoint.ad.record import PYTHON_FAILURES, Operator, Purity, register
from checkpoint.ad.storage import Now
from checkpoint.ad.values import Capsule
from checkpoint.errors import RunError
from checkpoint.prims.python.native import CAUSE, class_of
from checkpoint.prims.python.support import rearrange, select, to_value

_OF_NUMBERS = frozenset(("real", "imag", "numerator", "denominator"))
_WITH_METHODS = frozenset((list, dict, str, tuple, float, int, bool))
_OF_RANGES = frozenset(("start", "stop", "step"))


def _attribute(now: Now, x: Any, name: str) -> Any:
    if type(x) is Record:
        position = x.layout.index.get(name)
        if position is not None:
            return fresh(x.items[position])
    if (type(x) in (int, bool) and name in _OF_NUMBERS) or (type(x) is range and name in _OF_RANGES):
        return getattr(x, name)
    if type(x) is Native and is_constant(type(x.value)):
        found = getattr(x.value, name)
        if not callable(found):
            return to_value(now, found)
    if type(x) is Capsule and name == "steps":
        return x.steps
    if type(x) in NUMBERS and name == "imag":
        return 0.0
    cls = class_of(x)
    if name == CAUSE and issubclass(cls, BaseException):
        return None  # one that was raised from another one has a field of this name
    missing = object()
    if inspect.getattr_static(cls, name, missing) is missing:
        if inspect.getattr_static(cls, "__getattr__", None) is not None:
            raise RunError(
                f"the attribute {name} of a {cls.__name__} comes from its `__getattr__`, which no program "
                f"runs: read it outside of the function, and pass it"
            )
        raise AttributeError(f"{cls.__name__!r} object has no attribute {name!r}")
    advice = f": call it where it stands, x.{name}(...)" if _is_called(cls, name) else ""
    raise RunError(f"the attribute {name} of a {cls.__name__} cannot be used as a value here{advice}")


def _is_called(cls: type, name: str) -> bool:
    return cls in _WITH_METHODS and not name.startswith("__")


def _attribute_place(now: Now, x: Any, name: str) -> Any:
    return x.layout.index[name] if type(x) is Record else None


def classes_of(types: Any) -> tuple[type, ...]:
    """Return the classes that a constant is or holds."""
    return (types.cls,) if type(types) is Layout else types.classes


def _instance(now: Now, x: Any, types: Types) -> bool:
    return issubclass(class_of(x), classes_of(types))


select(
    "attribute",
    2,
    "x.name: x, the name",
    _attribute,
    _attribute_place,
    inline="({0}.items[{0}.layout.index[{1}]] if type({0}) is Record else {p}(m, {0}, {1}))",
    inline_place="{0}.layout.index[{1}]",
)


def _variable(now: Now, cell: Any, name: str) -> Any:
    if now.steps >= cell.stale:
        raise RunError(
            f"the variable {name} was assigned again after the function that reads it here was made: Python "
            f"would show the new value. Give the function the value as a default, {name}={name}"
        )
    return fresh(cell.items[0])


select("variable", 2, "a variable that functions share: its cell, its name", _variable, lambda *_: 0)
rearrange("instance", 2, "isinstance(x, classes)", _instance, discrete=True)


def _stopped(_: Any, x: Any) -> Any:
    found = numbers(x)
    return replace(x, found, [fresh(real_part(number)) for number in found])


register(
    Operator(
        name="py.stop",
        arity=1,
        purity=Purity.PURE,
        doc="x, its reals without derivatives",
        failures=PYTHON_FAILURES,
        value=_stopped,
        derivative="zero: its reals are constants",
    )
)
