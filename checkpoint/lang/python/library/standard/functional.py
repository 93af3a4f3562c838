"""The functions of functools and operator, beside those that primitives implement."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.functions import MISSING
from checkpoint.lang.python.library.intrinsics import prim


def reduce_(function: Any, items: Any, initial: Any = MISSING, /) -> Any:
    """See functools.reduce."""
    found = prim("py.sequence", items)
    if isinstance(initial, str) and initial == MISSING:
        if len(found) == 0:
            raise TypeError("reduce() of empty iterable with no initial value")
        total = found[0]
        for i in range(1, len(found)):
            total = function(total, found[i])
        return total
    total = initial
    for item in found:
        total = function(total, item)
    return total


def cache_(user_function: Any, /) -> Any:
    """See functools.cache: the results are kept in a dictionary of the run."""
    kept = prim("py.dict")

    def call(*args: Any) -> Any:
        key = prim("py.cache-key", kept, args)
        if key is None:
            return user_function(*args)
        if key in kept:
            return kept[key]
        value = user_function(*args)
        prim("py.set", kept, key, value)
        return value

    return call


def lru_cache_(maxsize: Any = 128, typed: Any = False) -> Any:
    """See functools.lru_cache; what it forgets means nothing to a run, except that it is computed anew."""
    return cache_(maxsize) if callable(maxsize) else cache_


def itemgetter_(item: Any, /, *more: Any) -> Any:
    """See operator.itemgetter."""
    if len(more) == 0:
        return lambda x: x[item]
    items = (item, *more)
    return lambda x: tuple([x[each] for each in items])


def concat_(a: Any, b: Any, /) -> Any:
    """See operator.concat."""
    prim("py.standard", "operator.concat", a, b)
    return a + b


def count_of_(a: Any, b: Any, /) -> Any:
    """See operator.countOf."""
    count = 0
    for item in a:
        if b in (item,):
            count += 1
    return count


def index_of_(a: Any, b: Any, /) -> Any:
    """See operator.indexOf."""
    for i, item in enumerate(a):
        if b in (item,):
            return i
    raise ValueError("sequence.index(x): x not in sequence")


def is_not_(a: Any, b: Any, /) -> Any:
    """See operator.is_not."""
    return a is not b


def length_hint_(obj: Any, default: Any = 0, /) -> Any:
    """See operator.length_hint."""
    return len(obj)


def setitem_(a: Any, b: Any, c: Any, /) -> Any:
    """See operator.setitem."""
    a[b] = c


def delitem_(a: Any, b: Any, /) -> Any:
    """See operator.delitem."""
    del a[b]


def iconcat_(a: Any, b: Any, /) -> Any:
    """See operator.iconcat."""
    a += b
    return a


def type_(x: Any, /) -> Any:
    """See type; of one argument, the only use that it has as a value."""
    return type(x)


def ior_(a: Any, b: Any, /) -> Any:
    """See operator.ior."""
    a |= b
    return a


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    type: type_,
    functools.cache: cache_,
    functools.lru_cache: lru_cache_,
    functools.reduce: reduce_,
    operator.itemgetter: itemgetter_,
    operator.setitem: setitem_,
    operator.delitem: delitem_,
    operator.iconcat: iconcat_,
    operator.ior: ior_,
    operator.concat: concat_,
    operator.countOf: count_of_,
    operator.indexOf: index_of_,
    operator.is_not: is_not_,
    operator.length_hint: length_hint_,
}
