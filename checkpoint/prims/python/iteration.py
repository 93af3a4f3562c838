"""Primitives of loops and calls of values: the elements of anything, the procedure of so many arguments.

The result is an operand itself, or what it holds; nothing is made but the keys of a dictionary.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from checkpoint.ad.containers import TUPLE, Dict, List, Record, current
from checkpoint.ad.numbers import NUMBERS, fresh, real_part
from checkpoint.ad.storage import Now
from checkpoint.ad.values import Closure
from checkpoint.errors import RunError
from checkpoint.lang.python.source import mismatch
from checkpoint.prims.python.native import class_of, source_name
from checkpoint.prims.python.support import elements, is_tuple, python_operands, rearrange, select, to_value


def _sequence(now: Now, x: Any) -> Any:
    kind = type(x)
    if kind is List or is_tuple(x):
        current(now, x)
        return x
    if kind is str or kind is range:
        return x
    if kind is Dict:
        return Record(TUPLE, tuple([to_value(now, key) for key in current(now, x)]))
    return elements(now, x)


def _callee(now: Now, function: Any, count: int) -> Any:
    if type(function) is not Record or function.layout.cls.__name__ != "Overloads":
        return function
    position = function.layout.index.get(str(count))
    if position is not None:
        return function.items[position]
    fewest, most = function.items[0].lam, function.items[-1].lam
    required = [source_name(param) for param in fewest.params]
    if source_name(most.params[-1]).startswith("*") and count > len(required):
        raise RunError(
            f"a function with {source_name(most.params[-1])} that is a value takes at most "
            f"{len(most.params)} arguments here, not {count}: let it take a list"
        )
    raise TypeError(mismatch.by_position(most.name, required, len(most.params), count))


def _nowhere(now: Now, *operands: Any) -> None:
    """Return None: nothing that these primitives give is a copy of a field."""


_AS_IT_IS = "({0} if type({0}) is range or (type({0}) is List and m.steps < {0}.stale) else {p}(m, {0}))"
select("sequence", 1, "what can be indexed, for what can be iterated", _sequence, _nowhere, inline=_AS_IT_IS)
select("callee", 2, "a procedure: what is called, the number of arguments", _callee, _nowhere)


def _callable(now: Now, x: Any) -> bool:
    return type(x) is Closure or (type(x) is Record and issubclass(class_of(x), Callable))  # type: ignore[arg-type]


def _reals(now: Now, x: Any) -> list[float]:
    return [
        real_part(i) * 1.0 if type(i) in NUMBERS else python_operands(now, (i,))[0] for i in elements(now, x)
    ]


def _replaced(now: Now, x: Any, changes: Dict) -> Record:
    if type(x) is not Record or x.layout.cls is tuple:
        raise TypeError(f"{class_of(x).__name__} has no fields to replace")
    unknown = [name for name in changes.items if name not in x.layout.index]
    if unknown:
        raise TypeError(
            f"{x.layout.cls.__name__}.__init__() got an unexpected keyword argument {unknown[0]!r}"
        )
    names = x.layout.names
    return Record(
        x.layout, tuple([fresh(changes.items.get(n, i)) for n, i in zip(names, x.items, strict=True)])
    )


def _fields(now: Now, x: Any) -> Dict:
    names = getattr(class_of(x), "_fields", None)
    if type(x) is not Record or names is None:
        raise AttributeError(f"{class_of(x).__name__!r} object has no attribute '_asdict'")
    return Dict(dict(zip(names, map(fresh, x.items), strict=True)), owner=now.owner)


rearrange("callable", 1, "callable(x)", _callable, discrete=True)
rearrange("exact-sum", 1, "math.fsum(x), without derivative", lambda now, x: math.fsum(_reals(now, x)))
rearrange("norm", 1, "math.hypot(*x), without derivative", lambda now, x: math.hypot(*_reals(now, x)))
rearrange("replaced", 2, "dataclasses.replace: an object, the new fields as a dictionary", _replaced)
rearrange("fields", 1, "x._asdict()", _fields)
