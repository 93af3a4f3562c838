"""Methods of Python's own types, written in the language that is translated.

In: the object, then the arguments of the call. Out: what Python returns; for a method that changes a list or
dictionary, the tuple of the new object and of the method's result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.errors import refusal
from checkpoint.lang.python.library.functions import MISSING, keys_of, merged
from checkpoint.lang.python.library.intrinsics import prim

# Methods that change nothing


def method_get(d: Any, key: Any, default: Any = None, /) -> Any:
    """See dict.get."""
    if not isinstance(d, dict):
        prim("py.no-dictionary", d, "get")
    if key in d:
        return d[key]
    return default


def method_keys(d: Any) -> Any:
    """See dict.keys, as a tuple."""
    return prim("py.keys", d)


def method_values(d: Any) -> Any:
    """See dict.values, as a tuple."""
    return prim("py.values", d)


def method_items(d: Any) -> Any:
    """See dict.items, as a list."""
    if not isinstance(d, dict):
        prim("py.no-dictionary", d, "items")
    return [(key, d[key]) for key in prim("py.keys", d)]


def method_copy(x: Any) -> Any:
    """See list.copy, dict.copy."""
    return prim("py.copy", x)


def method_conjugate(x: Any) -> Any:
    """See float.conjugate, int.conjugate."""
    return +x if isinstance(x, float | int) else prim("py.number-method", x, "conjugate")


def method_index(x: Any, value: Any, *bounds: Any) -> Any:
    """See list.index, tuple.index, str.index."""
    if isinstance(x, str | bytes):
        if len(bounds) == 0:
            return prim("py.text-method", x, "index", value)
        if len(bounds) == 1:
            return prim("py.text-method", x, "index", value, bounds[0])
        return prim("py.text-method", x, "index", value, bounds[0], bounds[1])
    if len(bounds) == 0:
        return prim("py.position", x, value)
    if len(bounds) == 1:
        return prim("py.position", x, value, bounds[0])
    return prim("py.position", x, value, bounds[0], bounds[1])


def method_count(x: Any, value: Any) -> Any:
    """See list.count, tuple.count, str.count."""
    if isinstance(x, str | bytes):
        return prim("py.text-method", x, "count", value)
    return prim("py.count", x, value)


def method_fromkeys(x: Any, iterable: Any, value: Any = None, /) -> Any:
    """See dict.fromkeys."""
    found: Any = {}
    for key in iterable:
        found[key] = value
    return found


def method__asdict(x: Any) -> Any:
    """Return the dictionary of a named tuple."""
    return prim("py.fields", x)


def method__replace(x: Any, /, **changes: Any) -> Any:
    """Return a named tuple with some fields replaced."""
    return prim("py.replaced", x, changes)


def method___enter__(x: Any) -> Any:
    """Raise Python's error for what is no context manager."""
    return prim("py.no-manager", x)


# Methods that change a list or dictionary


def change_pop(x: Any, index: Any = MISSING, default: Any = MISSING, /) -> Any:
    """See list.pop, dict.pop."""
    if isinstance(x, dict):
        if isinstance(index, str) and index == MISSING:
            raise TypeError("pop expected at least 1 argument, got 0")
        if index in x:
            value = x[index]
            return (prim("py.delete", x, index), value)
        if isinstance(default, str) and default == MISSING:
            raise KeyError(index)
        return (x, default)
    if not (isinstance(default, str) and default == MISSING):
        raise TypeError("pop expected at most 1 argument, got 2")
    at = -1 if isinstance(index, str) and index == MISSING else index
    value = prim("py.pop-item", x, at)
    return (prim("py.delete", x, at), value)


def change_remove(x: Any, value: Any) -> Any:
    """See list.remove."""
    return (prim("py.delete", x, prim("py.position-to-remove", x, value)), None)


def sort_along(x: Any, axis: Any = -1, kind: Any = None) -> Any:
    """See numpy.ndarray.sort, with an axis or an algorithm, which the sort of lists does not take."""
    if not prim("py.is-array", x):
        if not isinstance(x, list):
            prim("py.check-method", x, "sort")
        raise TypeError("sort() takes no positional arguments")
    return (prim("py.set-slice", x, None, None, None, prim("py.array-sorted", x, axis, kind)), None)


def change_sort(x: Any, *, key: Any = None, reverse: Any = False) -> Any:
    """See list.sort; of an array along the last axis."""
    if prim("py.is-array", x):
        return (prim("py.set-slice", x, None, None, None, prim("py.array-sorted", x, -1, None)), None)
    if not isinstance(x, list):
        prim("py.check-method", x, "sort")
    if key is None:
        return (prim("py.permute", x, prim("py.order", x, bool(reverse))), None)
    return (prim("py.permute", x, prim("py.order", keys_of(x, key), bool(reverse))), None)


def change_setflags(x: Any, write: Any = None, align: Any = None, uic: Any = None) -> Any:
    """See numpy.ndarray.setflags; what is written to a read-only array raises NumPy's error."""
    if align is not None or uic is not None:
        raise refusal("setflags with align or uic has no rule here: leave them out")
    return (x if write is None else prim("py.set-flags", x, write), None)


def change_update(d: Any, other: Any = (), /, **more: Any) -> Any:
    """See dict.update."""
    if not isinstance(d, dict):
        prim("py.no-dictionary", d, "update")
    return (prim("py.merge", merged(d, other), more), None)


def change_setdefault(d: Any, key: Any, default: Any = None, /) -> Any:
    """See dict.setdefault."""
    if not isinstance(d, dict):
        prim("py.no-dictionary", d, "setdefault")
    if key in d:
        return (d, d[key])
    return (prim("py.set", d, key, default), default)


def change_popitem(d: Any) -> Any:
    """See dict.popitem."""
    if not isinstance(d, dict):
        prim("py.no-dictionary", d, "popitem")
    if len(d) == 0:
        raise KeyError("popitem(): dictionary is empty")
    keys = prim("py.keys", d)
    key = keys[-1]
    value = d[key]
    return (prim("py.delete", d, key), (key, value))


METHODS: dict[str, Callable[..., Any]] = {
    name.removeprefix("method_"): function
    for name, function in list(globals().items())
    if name.startswith("method_")
}

CHANGES: dict[str, Callable[..., Any]] = {
    name.removeprefix("change_"): function
    for name, function in list(globals().items())
    if name.startswith("change_")
}
