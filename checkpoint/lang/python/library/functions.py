"""Python's builtin and library functions, written in the language that is translated.

In: the arguments of a call. Out: what Python returns. They are translated like a user's functions, when one
of them is first called. Iterators are lists here, such as the results of `map`, `zip` and their kin. Methods
are in methods.py.
"""

from __future__ import annotations

import builtins
import copy
import dataclasses
import math
import sys
from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library import compensated
from checkpoint.lang.python.library.intrinsics import prim

MISSING = "a default that is not given"
EMPTY = "iterable argument is empty" if sys.version_info >= (3, 12) else "arg is an empty sequence"


def sum_(items: Any, /, start: Any = 0) -> Any:
    """See builtins.sum, of Python before 3.12."""
    if isinstance(start, str):
        raise TypeError("sum() can't sum strings [use ''.join(seq) instead]")
    total = start
    for item in items:
        total = total + item
    return total


def printed(values: Any, sep: Any) -> Any:
    """Return the text that builtins.print writes for values."""
    return sep.join([str(value) for value in values])


def any_(items: Any) -> Any:
    """See builtins.any."""
    return any(item for item in items)


def all_(items: Any) -> Any:
    """See builtins.all."""
    return all(item for item in items)


def max_(first: Any, *rest: Any, key: Any = None, default: Any = MISSING) -> Any:
    """See builtins.max."""
    items = prim("py.sequence", first) if not rest else (first, *rest)
    if len(items) == 0:
        if default == MISSING:
            raise ValueError("max() " + EMPTY)
        return default
    best = items[0]
    if key is None:
        for i in range(1, len(items)):
            best = items[i] if items[i] > best else best
        return best
    measure = key(best)
    for i in range(1, len(items)):
        other = key(items[i])
        if other > measure:
            best = items[i]
            measure = other
    return best


def min_(first: Any, *rest: Any, key: Any = None, default: Any = MISSING) -> Any:
    """See builtins.min."""
    items = prim("py.sequence", first) if not rest else (first, *rest)
    if len(items) == 0:
        if default == MISSING:
            raise ValueError("min() " + EMPTY)
        return default
    best = items[0]
    if key is None:
        for i in range(1, len(items)):
            best = items[i] if items[i] < best else best
        return best
    measure = key(best)
    for i in range(1, len(items)):
        other = key(items[i])
        if other < measure:
            best = items[i]
            measure = other
    return best


def tuple_(items: Any = ()) -> Any:
    """See builtins.tuple."""
    return prim("py.tuple-of", items)


def list_(items: Any = ()) -> Any:
    """See builtins.list."""
    return prim("py.list-of", items)


def fromkeys(iterable: Any, value: Any = None, /) -> Any:
    """See dict.fromkeys."""
    return {key: value for key in iterable}  # noqa: C420  # this is what fromkeys is translated as


def dict_(items: Any = (), /, **more: Any) -> Any:
    """See builtins.dict."""
    return prim("py.merge", merged(prim("py.dict"), items), more)


def merged(d: Any, other: Any) -> Any:
    """Return a dictionary with the items of another one, or of a sequence of pairs, added."""
    if isinstance(other, dict):
        return prim("py.merge", d, other)
    if prim("py.is-mapping", other):
        return prim("py.merge", d, other.table)
    if prim("py.has-keys", other):
        if prim("py.is-derived", other) and not prim("py.overrides", other, "__iter__"):
            return prim("py.merge", d, prim("py.attribute", other, "(items)"))
        for key in other.keys():  # noqa: SIM118  # as Python: its `__iter__` is not asked
            prim("py.set", d, key, other[key])
        return d
    for pair in other:
        key, value = pair
        d = prim("py.set", d, key, value)
    return d


def spread(mapping: Any) -> Any:
    """Return the dictionary of `**mapping`, of an object that is no dictionary."""
    return merged(prim("py.dict"), mapping)


def sorted_(items: Any, /, *, key: Any = None, reverse: Any = False) -> Any:
    """See builtins.sorted."""
    found = prim("py.list-of", items)
    if key is None:
        return prim("py.permuted", found, prim("py.order", found, bool(reverse)))
    return prim("py.permuted", found, prim("py.order", keys_of(found, key), bool(reverse)))


def keys_of(items: Any, key: Any) -> Any:
    """Return the keys of items; each run of a continuation that `key` captures has a list of its own."""
    keys: Any = []
    count = 0
    for item in items:
        found = key(item)
        if prim("py.len", keys) != count:  # another run of the continuation has appended
            keys = keys[:count]
        keys.append(found)
        count += 1  # noqa: SIM113 (a pair for each item takes more steps)
    return keys


def map_(function: Any, *items: Any) -> Any:
    """See builtins.map."""
    if len(items) == 1:
        return [function(item) for item in items[0]]
    return [function(*parts) for parts in zip_(*items)]


def filter_(function: Any, items: Any) -> Any:
    """See builtins.filter."""
    if function is None:
        return [item for item in items if item]
    return [item for item in items if function(item)]


def zip_(*items: Any, strict: Any = False) -> Any:
    """See builtins.zip."""
    if not items:
        return []
    columns = [prim("py.sequence", each) for each in items]
    lengths = [len(column) for column in columns]
    shortest = min(lengths)
    if strict:
        for i in range(1, len(lengths)):
            if lengths[i] != lengths[0]:
                kind = "longer" if lengths[i] > lengths[0] else "shorter"
                others = "argument 1" if i == 1 else f"arguments 1-{i}"
                raise ValueError(f"zip() argument {i + 1} is {kind} than {others}")
    return [tuple([column[i] for column in columns]) for i in range(shortest)]


def enumerate_(iterable: Any, start: Any = 0) -> Any:
    """See builtins.enumerate."""
    return [(start + i, item) for i, item in enumerate(iterable)]


def reversed_(items: Any) -> Any:
    """See builtins.reversed."""
    found = prim("py.sequence", prim("py.reversible", items))
    return prim("py.list-of", prim("py.slice", found, None, None, -1))


def divmod_(x: Any, y: Any) -> Any:
    """See builtins.divmod."""
    found = prim("py.divmod-check", x, y)  # None, but for objects, whose methods give it
    return (x // y, x % y) if found is None else found


def round_(number: Any, ndigits: Any = None) -> Any:
    """See builtins.round."""
    return prim("py.round", number) if ndigits is None else prim("py.round", number, ndigits)


def int_(x: Any = 0, base: Any = None) -> Any:
    """See builtins.int."""
    return prim("py.int", x) if base is None else prim("py.int", x, base)


def float_(x: Any = 0.0) -> Any:
    """See builtins.float."""
    return prim("py.float", x)


def str_(x: Any = "") -> Any:
    """See builtins.str."""
    return str(x)


def bool_(x: Any = False) -> Any:
    """See builtins.bool."""
    return bool(x)


def callable_(x: Any) -> Any:
    """See builtins.callable."""
    return prim("py.callable", x)


def prod_(items: Any, /, *, start: Any = 1) -> Any:
    """See math.prod."""
    total = start
    for item in items:
        total = total * item
    return total


def isclose_(a: Any, b: Any, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> Any:
    """See math.isclose; floats are compared without a call of Python's function."""
    are_floats = isinstance(a, float) and isinstance(b, float) and isinstance(rel_tol, float)
    if not (are_floats and isinstance(abs_tol, float)) or rel_tol < 0.0 or abs_tol < 0.0:
        return prim("py.math.isclose", a, b, rel_tol, abs_tol)
    if a == b:
        return True
    if math.isinf(a) or math.isinf(b):
        return False
    difference = abs(b - a)
    return difference <= abs(rel_tol * b) or difference <= abs(rel_tol * a) or difference <= abs_tol


def log_(x: Any, base: Any = None, /) -> Any:
    """See math.log."""
    return prim("py.math.log", x) if base is None else prim("py.math.log_base", x, base)


def modf_(x: Any) -> Any:
    """See math.modf."""
    return (prim("py.math.modf-fraction", x), prim("py.math.modf-whole", x))


def frexp_(x: Any) -> Any:
    """See math.frexp."""
    return (prim("py.math.frexp-mantissa", x), prim("py.math.frexp-exponent", x))


def ldexp_(x: Any, i: Any, /) -> Any:
    """See math.ldexp."""
    return prim("py.math.ldexp", x, prim("py.math.ldexp-exponent", i))


def pow_(base: Any, exp: Any, mod: Any = None) -> Any:
    """See builtins.pow."""
    return base**exp if mod is None else prim("py.power-modulo", base, exp, mod)


def fromkeys_(iterable: Any, value: Any = None, /) -> Any:
    """See dict.fromkeys."""
    found: Any = {}
    for key in iterable:
        found[key] = value
    return found


def replace_(x: Any, /, **changes: Any) -> Any:
    """See dataclasses.replace."""
    if prim("py.is-made-anew", x):
        return type(x)(**prim("py.fields-with", x, changes))
    return prim("py.replaced", x, changes)


def deepcopy_(x: Any, memo: Any = None) -> Any:
    """See copy.deepcopy."""
    return x.copy() if prim("py.is-array", x) else prim("py.deep-copy", x)


def copy_(x: Any) -> Any:
    """See copy.copy."""
    if isinstance(x, list | dict | set | frozenset) or prim("py.is-array", x):
        return x.copy()
    if not prim("py.is-object", x):
        return x
    made = prim("py.copy", x)
    for name in prim("py.own-containers", x):
        prim("py.set-attribute", made, name, prim("py.copy", prim("py.attribute", x, name)))
    return made


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    builtins.sum: compensated.sum_ if compensated.COMPENSATED else sum_,
    builtins.any: any_,
    builtins.all: all_,
    builtins.max: max_,
    builtins.min: min_,
    builtins.tuple: tuple_,
    builtins.list: list_,
    builtins.dict: dict_,
    builtins.dict.fromkeys: fromkeys,
    builtins.sorted: sorted_,
    builtins.map: map_,
    builtins.filter: filter_,
    builtins.zip: zip_,
    builtins.enumerate: enumerate_,
    builtins.reversed: reversed_,
    builtins.divmod: divmod_,
    builtins.round: round_,
    builtins.int: int_,
    builtins.float: float_,
    builtins.str: str_,
    builtins.bool: bool_,
    builtins.pow: pow_,
    builtins.callable: callable_,
    math.prod: prod_,
    math.isclose: isclose_,
    math.log: log_,
    math.modf: modf_,
    math.frexp: frexp_,
    math.ldexp: ldexp_,
    dataclasses.replace: replace_,
    dict.fromkeys: fromkeys_,
    copy.copy: copy_,
    copy.deepcopy: deepcopy_,
}
