"""Comparisons of values that are not two reals: deep, as in Python, and without recursion.

In: values. Out: a boolean, or Python's own exception. Numbers compare by their real parts, integers with
reals exactly. Objects compare by a dataclass's rule or by a method of their class; where Python would
compare identities, which the values of a program do not have, the run ends.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from itertools import zip_longest
from typing import Any
from weakref import ReferenceType

from checkpoint.ad.arrays import ARRAYS
from checkpoint.ad.containers import CONTAINERS, MUTABLE_CONTAINERS, Dict, Layout, List, Object, Record, Types
from checkpoint.ad.library import dtype_of
from checkpoint.ad.numbers import NUMBERS, real_part
from checkpoint.ad.storage import FROZEN, Now
from checkpoint.ad.tables import NATIVES
from checkpoint.ad.values import Closure, Symbol, Unusable
from checkpoint.errors import RunError
from checkpoint.lang.core import MADE
from checkpoint.lang.python.source.compared import compared_fields, owner_of
from checkpoint.prims.python.native import class_of, is_set
from checkpoint.prims.python.sets import constant_key, has_element, same_elements
from checkpoint.prims.python.support import (
    ANY_NUMBER,
    INDEXED,
    PLAIN,
    elements,
    is_object,
    is_tuple,
    python_operands,
    python_result,
    rearrange,
    refuse,
    tuple_of,
)

_MISSING = object()
_MIRRORED: dict[Any, Any] = {
    operator.lt: operator.gt,
    operator.le: operator.ge,
    operator.gt: operator.lt,
    operator.ge: operator.le,
}


def equal(now: Now, x: Any, y: Any, in_container: bool = False) -> bool:
    """Return x == y; in_container: as containers compare their items, where one object equals itself."""
    pending = [(x, y)]
    while pending:
        x, y = pending.pop()
        if in_container and _is_nan(x) and _is_nan(y):
            raise RunError(_NAN)
        if is_set(x) or is_set(y):
            if not same_elements(now, x, y):
                return False
            continue
        if x is y and type(x) in MUTABLE_CONTAINERS and not _compares_itself(x):
            continue
        if type(real_part(x)) in ARRAYS or type(real_part(y)) in ARRAYS:
            if not (_one_array(x, y) or python_result(now, operator.eq, x, y)):  # or NumPy's error
                return False
        elif type(x) in CONTAINERS and type(y) in CONTAINERS:
            inner = _equal_shapes(now, x, y)
            if inner is None:
                return False
            pending.extend(reversed(inner))
            in_container = True
        elif (type(x) in NATIVES or type(y) in NATIVES) and _is_class_of_procedure(x, y, True):
            continue
        elif (is_object(x) or is_object(y)) and not (_is_late(x) or _is_late(y)):
            if not python_result(now, operator.eq, x, y):
                return False
        elif not _equal_atoms(x, y):
            return False
    return True


_NAN = (
    "a NaN in a container is compared with a NaN: Python asks whether both are one object, and reals have no "
    "identity here; test for it by math.isnan"
)


def _is_nan(x: Any) -> bool:
    """Return whether a value is a real, or a real of NumPy's, that is no number."""
    real = real_part(x) if type(x) in NUMBERS else x
    if type(real) in ARRAYS and real.data.ndim == 0:
        real = real.data
    return isinstance(real, float) and math.isnan(real)


def plain(value: Any) -> Any:
    """Return the library's own object in what a program can only pass on."""
    return value.value if type(value) in NATIVES else value


def _equal_atoms(x: Any, y: Any) -> bool:
    """Return x == y where at most one operand is a container, and none an object."""
    kind, other = type(x), type(y)
    if kind in NUMBERS:
        x = real_part(x)
    if other in NUMBERS:
        y = real_part(y)
    if kind is Layout and other is Layout:
        return x.cls is y.cls
    if kind in NATIVES or other in NATIVES:
        return bool(plain(x) == plain(y)) or _is_class_of_procedure(x, y, True)
    if kind is Unusable or other is Unusable:
        return _equal_unusable(x, y)
    if kind is Types and other is Types:
        return bool(x.classes == y.classes)
    if kind is Closure and other is Closure:
        return same_function(x, y)
    return bool(x == y)


def _is_class_of_procedure(x: Any, y: Any, compares: bool = False) -> bool:
    """Return whether of two values one is a class as a constant, and the other its constructor.

    compares: whether a dtype counts that equals the class.
    """
    constant, other = (x, y) if type(x) in NATIVES else (y, x)
    procedure = other.items[0] if class_of(other).__name__ == "Overloads" else other
    cls, value = procedure.lam.stands_for if type(procedure) is Closure else None, constant.value
    is_dtype = compares and isinstance(cls, type) and dtype_of(value) is value
    return value is cls is not None or (is_dtype and bool(value == cls))


def _equal_unusable(x: Any, y: Any) -> bool:
    """Return x == y, where one is no value of a program; code of its own for it is refused."""
    things = [each.thing if type(each) is Unusable else each for each in (x, y)]
    if things[0] is things[1]:
        return True
    for each, other in ((x, y), (y, x)):
        if type(each) is not Unusable:
            continue
        if each.late is not None and type(other) is not Unusable and _is_function(each, other):
            return True
        if owner_of(type(each.thing), "__eq__") is not object:
            raise each.error()
    return False


def same_function(x: Closure, y: Closure) -> bool:
    """Return whether two closures are one function: one known object, or one text that captures nothing."""
    one, other = x.lam.stands_for, y.lam.stands_for
    if one is not None and other is not None and not one is other is MADE:
        return bool(one == other)
    if x.lam is not y.lam and x.lam.shown and y.lam.shown:
        return False
    if x.lam is y.lam and (x.env is y.env or not x.env.values):
        return True
    raise _functions_compared()


def _functions_compared() -> RunError:
    return RunError(
        "two functions are compared: functions have no identity here; compare strings or numbers that "
        "tell them apart"
    )


def _equal_shapes(now: Now, x: Any, y: Any) -> list[tuple[Any, Any]] | None:
    """Return the pairs of parts that must be equal for two containers to be equal; None if they differ."""
    left, right = x.items, y.items
    if is_object(x) or is_object(y):
        return _equal_objects(now, x, y)
    if type(x) is not type(y):
        return None
    if len(left) != len(right):
        return None
    if type(x) is not Dict:
        return list(zip(left, right, strict=True))
    pairs = [(item, right.get(key, _MISSING)) for key, item in left.items()]
    return None if any(item is _MISSING for _, item in pairs) else pairs


def _equal_objects(now: Now, x: Any, y: Any) -> list[tuple[Any, Any]] | None:
    cls = class_of(x)
    if cls.__name__ == "Overloads" and cls is class_of(y):
        return [] if same_function(x.items[0], y.items[0]) else None
    if cls is class_of(y):
        names = compared_fields(cls)
        if names is not None:
            return [(field_of(x, name), field_of(y, name)) for name in names]
        if not _compares_itself(x):
            frozen = type(x) is Record or (type(y) is Object and x.owner is y.owner is FROZEN)
            return [] if frozen and _one_outside(now, x, y) else None
    return [] if python_result(now, operator.eq, x, y) else None


def _one_outside(now: Now, x: Any, y: Any) -> bool:
    """Return False for two objects that never change and differ; RunError where they may be one."""
    if class_of(x) is class_of(y) and len(x.items) == len(y.items) and _same_fields(now, x, y):
        raise RunError(
            f"two equal objects of type {class_of(x).__name__} that came in from outside are compared by "
            f"identity, which they have not here: make them in the function, or compare their fields"
        )
    return False


def _same_fields(now: Now, x: Any, y: Any) -> bool:
    parts = [list(each.items.values()) if type(each) is Dict else list(each.items) for each in (x, y)]
    plain = [(a, b) for a, b in zip(*parts, strict=True) if type(a) not in CONTAINERS]
    return all(type(b) not in CONTAINERS and _equal_atoms(a, b) for a, b in plain)


def _compares_itself(x: Any) -> bool:
    """Return whether a value is an object whose class has an `__eq__` of its own."""
    return is_object(x) and owner_of(class_of(x), "__eq__") is not object


def field_of(x: Any, name: str) -> Any:
    """Return a field of an object, or what its class stores under the name."""
    position = x.layout.index.get(name)
    return getattr(class_of(x), name) if position is None else x.items[position]


def ordered(now: Now, function: Callable[[Any, Any], Any], x: Any, y: Any) -> bool:
    """Return x < y, or with <=, >, >=: sequences, or fields of objects, by the first that differ."""
    x, y = _by_fields(x, y)
    while (type(x) is List and type(y) is List) or (is_tuple(x) and is_tuple(y)):
        if class_of(x) is not class_of(y) and issubclass(class_of(y), class_of(x)):
            x, y, function = y, x, _MIRRORED[function]  # Python asks a subclass first
        left, right = x.items, y.items
        for item, other in zip_longest(left, right, fillvalue=_MISSING):
            if item is _MISSING or other is _MISSING:
                return bool(function(len(left), len(right)))
            if not equal(now, item, other, in_container=True):
                x, y = _by_fields(item, other)
                break
        else:
            return bool(function(len(left), len(right)))
    if type(x) in PLAIN and type(y) in PLAIN:
        return bool(function(x, y))
    return bool(python_result(now, function, x, y))


def _by_fields(x: Any, y: Any) -> tuple[Any, Any]:
    """Return the fields by which `dataclass` orders two objects of a class, as tuples; all else itself."""
    names = compared_fields(class_of(x), "__lt__") if is_object(x) and class_of(x) is class_of(y) else None
    if names is None:
        return x, y
    first, second = (tuple_of([field_of(each, name) for name in names]) for each in (x, y))
    return first, second


def identical(now: Now, x: Any, y: Any) -> bool:
    """Return x is y, for what has an identity: what may change, None, booleans, classes, small integers."""
    if x is None or y is None or type(x) is bool or type(y) is bool:
        return x is y
    if is_set(x):
        return x.items[0] is y.items[0] if is_set(y) else False
    if type(x) in NATIVES and type(y) in NATIVES:
        return x.value is y.value
    if type(x) in NATIVES or type(y) in NATIVES:
        return _is_class_of_procedure(x, y)
    if type(x) in MUTABLE_CONTAINERS or type(y) in MUTABLE_CONTAINERS:
        return x is y or (type(x) is type(y) and x.owner is y.owner is FROZEN and _one_outside(now, x, y))
    if type(x) is Unusable or type(y) is Unusable:
        return _one_thing(x, y)
    if class_of(x) is not class_of(y):
        return False
    if type(x) is Layout or type(x) is Closure or class_of(x).__name__ == "Overloads":
        return equal(now, x, y)
    if type(x) is Symbol or type(y) is Symbol:
        return x is y
    if type(x) in (int, str) and x != y:
        return False
    if type(x) is int and -5 <= x <= 256:
        return True
    found = _one_array(x, y)
    if found is not None:
        return found
    raise RunError(f"two values of type {class_of(x).__name__} have no identity to compare with 'is': use ==")


def _one_thing(x: Any, y: Any) -> bool:
    """Return whether two values are one object, where one is no value of a program."""
    if type(x) is type(y):
        return bool(x.thing is y.thing)
    held, other = (x, y) if type(x) is Unusable else (y, x)
    return held.late is not None and _is_function(held, other)


def _is_late(x: Any) -> bool:
    return type(x) is Unusable and x.late is not None


def _is_function(held: Unusable, other: Any) -> bool:
    """Return whether a value is a function that is not translated yet; which ends the run if it may be."""
    procedure = other.items[0] if class_of(other).__name__ == "Overloads" else other
    if type(procedure) is not Closure:
        return False
    known = procedure.lam.stands_for() if type(procedure.lam.stands_for) is ReferenceType else None
    if known is held.thing:
        return True
    if known is None or getattr(known, "__code__", None) is getattr(held.thing, "__code__", None):
        raise held.error()
    return False


def _one_array(x: Any, y: Any) -> bool | None:
    """Return whether two values are one array; None for other values, and for an array and a view of it.

    NumPy's functions may return their operand itself; here they return a view of it.
    """
    one, other = real_part(x), real_part(y)
    if type(one) not in ARRAYS or type(other) not in ARRAYS:
        return None
    if one.data is other.data:
        return True
    same = one.memory is other.memory and one.data.shape == other.data.shape
    return None if same else False


def contains(now: Now, x: Any, v: Any) -> bool:
    """Return v in x."""
    if type(x) is Dict:
        return constant_key(now, v) in x.items
    if type(x) is List or is_tuple(x):
        return any(equal(now, item, v, in_container=True) for item in x.items)
    if is_set(x):
        return has_element(now, x, v)
    if type(x) in INDEXED:
        return bool(python_result(now, operator.contains, x, v))
    return bool(refuse(now, operator.contains, x, v))


def position(now: Now, x: Any, v: Any, *bounds: Any) -> int:
    """Return x.index(v) of a list or tuple, between bounds."""
    items = elements(now, x)
    for i in range(len(items))[slice(*position_bounds(now, bounds))]:
        if equal(now, items[i], v, in_container=True):
            return i
    nothing: Any = [] if type(x) is List else ()
    return int(nothing.index(*python_operands(now, (v, *bounds))))  # Python's own ValueError


def position_bounds(now: Now, bounds: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a slice's bounds, checked by Python itself."""
    checked = python_operands(now, bounds)
    if not all(type(bound) in (int, bool) for bound in checked):
        nothing: Any = []
        nothing.index(None, *checked)
    return (checked[0] if checked else 0, checked[1] if len(checked) > 1 else None)


def position_to_remove(now: Now, x: Any, v: Any) -> int:
    """Return the position at which x.remove(v) finds v in a list."""
    for i, item in enumerate(elements(now, x)):
        if equal(now, item, v, in_container=True):
            return i
    raise ValueError("list.remove(x): x not in list")


def count(now: Now, x: Any, v: Any) -> int:
    """Return x.count(v) of a list or tuple."""
    return sum(equal(now, item, v, in_container=True) for item in elements(now, x))


def order(now: Now, x: Any, reverse: Any) -> Record:
    """Return the positions of x's elements in the order of a stable sort."""
    keys = python_operands(now, elements(now, x))
    return tuple_of(python_result(now, _sorted_positions, keys, reverse))


def _sorted_positions(keys: list[Any], reverse: bool) -> list[int]:
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)


rearrange("contains", 2, "whether v is in x: x, v", contains, (operator.contains,), discrete=True)
rearrange("is", 2, "whether two values are one object", identical, (operator.is_,), discrete=True)
rearrange("order", 2, "the positions of x's elements, sorted: x, whether in reverse", order)
rearrange(
    "position",
    ANY_NUMBER,
    "the first position of v in a list or tuple: x, v, from, to",
    position,
    discrete=True,
)
rearrange(
    "position-to-remove",
    2,
    "the position of v in a list that loses it: x, v",
    position_to_remove,
    discrete=True,
)
rearrange("count", 2, "how often v is in a list or tuple: x, v", count, discrete=True)
