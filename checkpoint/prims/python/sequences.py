"""Primitives of tuples, lists, strings and ranges: making, reading, slicing, unpacking."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from typing import Any

from checkpoint.ad.arrays import ARRAYS, current_data
from checkpoint.ad.containers import TUPLE, Dict, Layout, List, Record, Types, tuple_layout
from checkpoint.ad.numbers import NUMBERS, fresh, real_part
from checkpoint.ad.record import PYTHON_FAILURES, VARIADIC, Data, Purity, register
from checkpoint.ad.storage import Now
from checkpoint.ad.tables import NATIVES
from checkpoint.ad.values import Unusable
from checkpoint.errors import RunError
from checkpoint.prims.python.native import class_name, is_set
from checkpoint.prims.python.sets import known_key
from checkpoint.prims.python.support import (
    ANY_NUMBER,
    INDEXED,
    PLAIN,
    WHOLE,
    by_python,
    elements,
    is_tuple,
    list_of,
    no_attribute,
    python_operands,
    python_result,
    rearrange,
    refuse,
    select,
    tuple_of,
)


def builds(name: str, doc: str, value: Any, header: int = 0, mutable: bool = False) -> None:
    """Register a primitive that makes a container of its operands after the first `header` ones."""
    register(
        Data(
            name=f"py.{name}",
            arity=VARIADIC,
            purity=Purity.PURE,
            doc=doc,
            failures=PYTHON_FAILURES,
            value=value,
            builds=True,
            mutable=mutable,
            header=header,
        )
    )


def _record(layout: Layout, *items: Any) -> Record:
    return Record(layout, tuple(map(fresh, items)))


builds("tuple", "a tuple of its operands", lambda *items: Record(TUPLE, tuple(map(fresh, items))))
builds("list", "a list of its operands", lambda *items: List(list(map(fresh, items))), mutable=True)
builds("record", "an object: its layout, its fields", _record, header=1)


# Reading


def _item(now: Now, x: Any, i: Any) -> Any:
    kind = type(x)
    if type(i) is Record and i.layout.cls is slice:
        raise RunError("a slice as a value is for arrays: write the bounds where they are used, xs[i:j]")
    if kind is List or kind in INDEXED or is_tuple(x):
        items = x.items if kind is List or kind is Record else x
        if type(i) not in WHOLE:
            i = python_operands(now, (i,))[0]
        return fresh(items[i])
    if kind is Dict:
        return fresh(x.items[known_key(now, x, i)])
    return refuse(now, operator.getitem, x, i)


def _item_place(now: Now, x: Any, i: Any) -> Any:
    if type(x) is Dict:
        return known_key(now, x, i)
    if type(x) not in (List, Record):
        return None
    i = operator.index(python_operands(now, (i,))[0])
    return i if i >= 0 else i + len(x.items)


def _popped(now: Now, x: Any, i: Any) -> Any:
    if type(x) is List:
        items = x.items
        if not items or type(i) not in WHOLE or not -len(items) <= i < len(items):
            i = python_operands(now, (i,))[0]
            list.pop([None] * len(items), i)  # raises what Python raises
        return fresh(items[operator.index(i)])
    if type(x) is Dict:
        return _item(now, x, i)
    raise no_attribute(x, "pop")


def _slice(now: Now, x: Any, low: Any, high: Any, stride: Any) -> Any:
    where = slice(*python_operands(now, (low, high, stride)))
    kind = type(x)
    if kind is List:
        return list_of(now, x.items[where])
    if is_tuple(x):
        return tuple_of(x.items[where])
    if kind in INDEXED:
        return x[where]
    return refuse(now, lambda x: operator.getitem(x, where), x)


def _length(now: Now, x: Any) -> int:
    kind = type(x)
    if kind is List or kind is Dict or is_tuple(x):
        return len(x.items)
    if kind in INDEXED:
        return len(x)
    if is_set(x):
        return len(x.items[0].items)
    length: int = refuse(now, len, x)
    return length


def truth(now: Now, x: Any) -> bool:
    """Return bool(x); an object whose class does not define it is true."""
    kind = type(x)
    if kind in PLAIN:
        return bool(x)
    if kind in NUMBERS:
        x = real_part(x)
    if type(x) in ARRAYS:
        return bool(current_data(now, x))
    if type(x) is float:
        return x != 0.0
    if kind is List or kind is Dict or is_tuple(x):
        return bool(x.items)
    if is_set(x):
        return bool(x.items[0].items)
    if kind in NATIVES:
        return bool(x.value)  # false of a flag without bits, of no time, of the fraction 0
    return bool(x.thing) if kind is Unusable else True


select(
    "item",
    2,
    "x[i]: x, i",
    _item,
    _item_place,
    (operator.getitem,),
    inline="({0}.items[{1}] if type({0}) is List or "
    "(type({0}) is Record and {0}.layout is TUPLE) else {p}(m, {0}, {1}))",
    inline_place="({1} if {1} >= 0 else {1} + len({0}.items))",
)
select(
    "item-to-change",
    2,
    "x[i], of an array a copy: for an operation in place, after which it is put back: x, i",
    _item,
    _item_place,
    inline="({0}.items[{1}] if type({0}) is List or "
    "(type({0}) is Record and {0}.layout is TUPLE) else {p}(m, {0}, {1}))",
    inline_place="({1} if {1} >= 0 else {1} + len({0}.items))",
)
select("pop-item", 2, "the element that x.pop(i) gives, with its errors: x, i", _popped, _item_place)
rearrange("slice", 4, "x[low:high:step]: x, low, high, step", _slice)
rearrange("slice-to-change", 4, "the same, of an array a copy: x, low, high, step", _slice)
rearrange(
    "len",
    1,
    "len(x)",
    _length,
    (len,),
    discrete=True,
    inline="(len({0}.items) if type({0}) is List else {p}(m, {0}))",
)
rearrange("truth", 1, "bool(x)", truth, (bool, operator.truth), Purity.PURE, discrete=True)
rearrange("not", 1, "not x", lambda now, x: not truth(now, x), (operator.not_,), Purity.PURE, discrete=True)
by_python("range", ANY_NUMBER, "range(stop), range(start, stop), range(start, stop, step)", range)


# Converting


def _as_list(now: Now, x: Any) -> List:
    return list_of(now, elements(now, x))


def _as_tuple(now: Now, x: Any) -> Record:
    return tuple_of(elements(now, x))


def _spread(make: Callable[[Now, Any], Any]) -> Callable[[Now, Any], Any]:
    """Return a function of what follows a star, with Python's error where that is not iterable."""

    def spread(now: Now, x: Any) -> Any:
        try:
            return make(now, x)
        except TypeError as error:
            if not str(error).endswith(" object is not iterable"):
                raise
            raise TypeError(f"Value after * must be an iterable, not {class_name(x)}") from None

    return spread


def _permuted(now: Now, x: Any, order: Record) -> List:
    items = elements(now, x)
    return list_of(now, [items[i] for i in order.items])


rearrange("list-of", 1, "list(x)", _as_list, (list,))
rearrange("tuple-of", 1, "tuple(x)", _as_tuple, (tuple,))
rearrange("list-of-star", 1, "[*x]", _spread(_as_list))
rearrange("tuple-of-star", 1, "(*x,)", _spread(_as_tuple))
rearrange("permuted", 2, "the list of x's elements in an order, as py.order gives it: x, order", _permuted)


# Taking apart


@cache
def _unpacking(before: int, rest: bool, after: int) -> Any:
    """Raise what Python raises for an assignment to that many names."""
    names = [
        *(f"a{i}" for i in range(before)),
        *(["*rest"] if rest else []),
        *(f"b{i}" for i in range(after)),
    ]
    scope: dict[str, Any] = {}
    exec(f"def unpack(x):\n    [{', '.join(names)}] = x", scope)
    return scope["unpack"]


def _not_unpacked(now: Now, x: Any, before: int, rest: bool, after: int) -> Any:
    return refuse(now, _unpacking(before, rest, after), x)


def _parts(now: Now, x: Any, before: int, rest: bool, after: int) -> Any:
    """Return the elements of x, or raise if they are not as many as asked for."""
    if type(x) in (List, Dict) or type(x) in INDEXED or is_tuple(x):
        items = elements(now, x)
        if len(items) == before + after or (rest and len(items) > before + after):
            return items
    if type(x) in NATIVES:
        python_result(now, _unpacking(before, rest, after), x)
        return elements(now, x)
    return _not_unpacked(now, x, before, rest, after)


def _unpack(now: Now, x: Any, n: int) -> Record:
    return tuple_of(_parts(now, x, n, False, 0))


def _unpack_star(now: Now, x: Any, before: int, after: int) -> Record:
    items = _parts(now, x, before, True, after)
    return tuple_of([*items[:before], *items[len(items) - after :]])


def _unpack_rest(now: Now, x: Any, before: int, after: int) -> List:
    items = _parts(now, x, before, True, after)
    return list_of(now, items[before : len(items) - after])


def _tuple_as(now: Now, types: Types, x: Any) -> Record:
    items = elements(now, x)
    return Record(tuple_layout(types.classes[0], len(items)), tuple(map(fresh, items)))


rearrange("tuple-as", 2, "an object of a class that derives from tuple: the class, the items", _tuple_as)
rearrange("unpack", 2, "the n elements of x: x, n", _unpack)
rearrange("unpack-star", 3, "the first and last elements of x: x, how many, how many", _unpack_star)
rearrange("unpack-rest", 3, "the elements of x between these: x, how many, how many", _unpack_rest)
