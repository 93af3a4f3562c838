"""Methods of lists, dictionaries, strings and constants as values, `f = d.get` or `map(dict.copy, ds)`.

Written in the language that is translated. In: the object, then the arguments of the call. Out: what the
method returns. METHODS: by the method's name; a value `x.name` is the one of that name with x as its first
argument. FUNCTIONS: the methods of a class, as attributes of the class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.functions import MISSING
from checkpoint.lang.python.library.intrinsics import prim


def as_function(dtype: Any, /) -> Any:
    """Return what a type of elements, such as np.float32, does when it is called."""
    return lambda x: prim("tensorlib.as-array", x, dtype, None, True)[()]


def get_(x: Any, key: Any, default: Any = None, /) -> Any:
    """See dict.get."""
    return x.get(key, default)


def keys_(x: Any, /) -> Any:
    """See dict.keys."""
    return x.keys()


def values_(x: Any, /) -> Any:
    """See dict.values."""
    return x.values()


def items_(x: Any, /) -> Any:
    """See dict.items."""
    return x.items()


def copy_(x: Any, /) -> Any:
    """See list.copy, dict.copy."""
    return x.copy()


def pop_(x: Any, index: Any = MISSING, default: Any = MISSING, /) -> Any:
    """See list.pop, dict.pop."""
    if isinstance(index, str) and index == MISSING:
        return x.pop()
    if isinstance(default, str) and default == MISSING:
        return x.pop(index)
    return x.pop(index, default)


def popitem_(x: Any, /) -> Any:
    """See dict.popitem."""
    return x.popitem()


def setdefault_(x: Any, key: Any, default: Any = None, /) -> Any:
    """See dict.setdefault."""
    return x.setdefault(key, default)


def update_(x: Any, other: Any = (), /, **more: Any) -> Any:
    """See dict.update."""
    x.update(other, **more)


def append_(x: Any, item: Any, /) -> Any:
    """See list.append."""
    x.append(item)


def extend_(x: Any, items: Any, /) -> Any:
    """See list.extend."""
    x.extend(items)


def insert_(x: Any, index: Any, item: Any, /) -> Any:
    """See list.insert."""
    x.insert(index, item)


def remove_(x: Any, item: Any, /) -> Any:
    """See list.remove."""
    x.remove(item)


def add_(x: Any, item: Any, /) -> Any:
    """See set.add."""
    x.add(item)


def discard_(x: Any, item: Any, /) -> Any:
    """See set.discard."""
    x.discard(item)


def clear_(x: Any, /) -> Any:
    """See list.clear, dict.clear."""
    x.clear()


def reverse_(x: Any, /) -> Any:
    """See list.reverse."""
    x.reverse()


def sort_(x: Any, *, key: Any = None, reverse: Any = False) -> Any:
    """See list.sort."""
    x.sort(key=key, reverse=reverse)


def index_(x: Any, value: Any, *bounds: Any) -> Any:
    """See list.index, tuple.index, str.index."""
    return x.index(value, *bounds)


def count_(x: Any, value: Any, /) -> Any:
    """See list.count, tuple.count, str.count."""
    return x.count(value)


def getitem_(x: Any, index: Any, /) -> Any:
    """See list.__getitem__, dict.__getitem__."""
    return x[index]


def setitem_(x: Any, index: Any, item: Any, /) -> Any:
    """See list.__setitem__, dict.__setitem__."""
    x[index] = item


def contains_(x: Any, item: Any, /) -> Any:
    """See list.__contains__, dict.__contains__."""
    return item in x


def text_method(x: Any, name: Any, /) -> Any:
    """Return a method of a string, number or constant, which Python itself computes, as a value."""
    return lambda *args: prim("py.text-call", x, name, args, prim("py.dict"))


METHODS: dict[str, Callable[..., Any]] = {
    **{
        function.__name__.removesuffix("_"): function
        for function in (
            *(get_, keys_, values_, items_, copy_, pop_, popitem_, setdefault_, update_, append_, extend_),
            *(insert_, remove_, add_, discard_, clear_, reverse_, sort_, index_, count_),
        )
    },
    "__getitem__": getitem_,
    "__setitem__": setitem_,
    "__contains__": contains_,
}

OF_TYPES = (list, dict, tuple, str, bytes, set, frozenset)

FUNCTIONS: dict[Any, Callable[..., Any]] = {
    getattr(cls, name): function
    for cls in (list, dict, tuple)
    for name, function in METHODS.items()
    if name in vars(cls)
}


def types_with(name: str) -> tuple[type, ...]:
    """Return Python's own types of containers that have a method of this name."""
    return tuple(cls for cls in OF_TYPES if name in vars(cls)) if name in METHODS else ()


def texts_with(name: str) -> tuple[type, ...]:
    """Return the types of strings and numbers that have such a method."""
    types = (str, bytes, int, float)
    return tuple(cls for cls in types if name in vars(cls) and callable(vars(cls)[name]))


# Of constants, such as patterns and dates: those that are no usual names of attributes of other objects.
OF_CONSTANTS = frozenset(
    (
        *("fullmatch", "match", "search", "findall", "finditer", "sub", "split", "isoformat", "strftime"),
        *("total_seconds", "weekday", "isoweekday", "toordinal", "quantize", "limit_denominator", "format"),
        *("substitute", "safe_substitute", "with_suffix", "joinpath", "timetuple", "timestamp"),
    )
)


def is_known(name: str) -> bool:
    """Return whether a method of this name can be a value."""
    return name in METHODS or name in OF_CONSTANTS or (bool(texts_with(name)) and name not in _OF_NUMBERS)


_OF_NUMBERS = frozenset(("conjugate",))
