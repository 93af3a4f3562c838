"""Primitives of loops and calls of values: the elements of anything, the procedure of so many arguments.

The result is an operand itself, or what it holds; nothing is made but the keys of a dictionary.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import is_dataclass
from typing import Any

from checkpoint.ad.arrays import ARRAYS, Discrete
from checkpoint.ad.containers import TUPLE, WITH_ATTRIBUTES, Dict, Layout, List, Object, Record
from checkpoint.ad.numbers import NUMBERS, fresh, real_part
from checkpoint.ad.record import Purity
from checkpoint.ad.storage import Now
from checkpoint.ad.tables import NATIVES
from checkpoint.ad.values import Closure, Unusable
from checkpoint.errors import RunError
from checkpoint.lang.python.source import mismatch
from checkpoint.lang.python.source.members import found as found_in
from checkpoint.lang.python.source.members import is_generated
from checkpoint.lang.python.source.mismatch import source_name
from checkpoint.prims.python.native import class_name, class_of, native
from checkpoint.prims.python.support import (
    ANY_NUMBER,
    INDEXED,
    PLAIN,
    elements,
    is_tuple,
    no_attribute,
    python_operands,
    rearrange,
    select,
    to_value,
    tuple_of,
)


def _sequence(now: Now, x: Any) -> Any:
    kind = type(x)
    if kind is List or is_tuple(x):
        return x
    if kind in INDEXED:
        return x
    if kind is Dict:
        return Record(TUPLE, tuple([to_value(now, key) for key in x.items]))
    found = elements(now, x)
    return Record(TUPLE, tuple(found)) if kind in NATIVES else found


MAX_APPLIED = 12  # the most arguments that `apply_` of the library passes one by one
GENERAL = "**"  # the field of the procedure that takes a tuple of arguments and a dictionary of keywords


def _is_overloads(function: Any) -> bool:
    return type(function) is Record and function.layout.cls.__name__ == "Overloads"


def _procedures(function: Record) -> list[Any]:
    """Return the procedures that a record of them has for numbers of arguments, the fewest first."""
    fields = zip(function.layout.names, function.items, strict=True)
    return [item for name, item in fields if name.isdecimal()]


def _callee(now: Now, function: Any, count: int) -> Any:
    if not _is_overloads(function):
        return function
    position = function.layout.index.get(str(count))
    if position is not None:
        return function.items[position]
    by_count = _procedures(function)
    fewest, most = by_count[0].lam, by_count[-1].lam
    required = [source_name(param) for param in fewest.params]
    if source_name(most.params[-1]).startswith("*") and count > len(required):
        raise RunError(
            f"a function with {source_name(most.params[-1])} that is a value takes at most "
            f"{len(most.params)} arguments here, not {count}: let it take a list"
        )
    raise TypeError(mismatch.by_position(most.name, required, len(most.params), count))


def callee_of(function: Any, count: int) -> Any:
    """Return the procedure that a function has for so many arguments, the function itself if it is one; None:
    it has none, or takes arguments as a tuple and a dictionary.
    """
    if not _is_overloads(function):
        return function
    position = None if GENERAL in function.layout.index else function.layout.index.get(str(count))
    return None if position is None else function.items[position]


def _has_general(now: Now, function: Any) -> bool:
    return _is_overloads(function) and GENERAL in function.layout.index


def _general(now: Now, function: Any) -> Any:
    return function.items[function.layout.index[GENERAL]]


def _arguments(now: Now, function: Any, args: Any, keywords: Dict) -> Record:
    """Return the arguments of a call by position; raise Python's TypeErrors for keywords that do not fit."""
    named = keywords.items
    if _is_overloads(function) and GENERAL not in function.layout.index and len(_procedures(function)) == 1:
        function = function.items[0]  # a procedure with attributes
    if type(function) is not Closure:
        if named and type(function) is Record:
            raise RunError("a function without a text takes no keywords where it is only known when it runs")
        return tuple_of(args.items)
    name, params = (
        function.lam.name or "<lambda>",
        [source_name(each) for each in function.lam.params],
    )
    found = list(args.items)
    if len(params) > MAX_APPLIED:
        raise RunError(
            f"a call of {name} with `*` or by keywords, where it is only known when it runs, can pass at "
            f"most {MAX_APPLIED} arguments: let it take a tuple or a dataclass"
        )
    for key in named:
        if key not in params:
            raise TypeError(f"{name}() got an unexpected keyword argument {key!r}")
        if key in params[: len(found)]:
            raise TypeError(f"{name}() got multiple values for argument {key!r}")
    if len(found) > len(params):
        raise TypeError(mismatch.too_many(name, len(params), len(params), len(found)))
    rest = params[len(found) :]
    absent = [each for each in rest if each not in named]
    if absent:
        raise TypeError(mismatch.missing(name, absent))
    return tuple_of([*found, *(named[each] for each in rest)])


def _known_keywords(now: Now, keywords: Dict, name: str, *known: str) -> Dict:
    """Return the keywords of a library's function; end the run at one that has no rule."""
    for key in keywords.items:
        if key not in known:
            raise RunError(
                f"the argument {key} of {name} is not supported where {name} is a value: leave it out"
            )
    return keywords


def _nowhere(now: Now, *operands: Any) -> None:
    """Return None: nothing that these primitives give is a copy of a field."""


def _reversible(now: Now, x: Any) -> Any:
    """Return a value of Python's own that `reversed` takes; raise Python's TypeError for all others."""
    part = real_part(x)
    if type(part) in NATIVES or type(part) in ARRAYS or type(part) in _IN_ORDER or is_tuple(x):
        return x
    raise TypeError(f"{type(native(x, now)).__name__!r} object is not reversible")


def _reversed_by(now: Now, x: Any) -> str | None:
    """Return the method of an object by which `reversed` goes through it; None for all other values."""
    methods = ("__reversed__", "__getitem__") if type(x) is Object else ()
    return next((name for name in methods if found_in(class_of(x), name) is not None), None)


_IN_ORDER = INDEXED | {List, Dict, Discrete, Unusable}
_AS_IT_IS = "({0} if type({0}) is range or type({0}) is List else {p}(m, {0}))"
select("sequence", 1, "what can be indexed, for what can be iterated", _sequence, _nowhere, inline=_AS_IT_IS)
select("callee", 2, "a procedure: what is called, the number of arguments", _callee, _nowhere)
select(
    "general",
    1,
    "the procedure of a function that takes a tuple of arguments and a dictionary",
    _general,
    _nowhere,
)
rearrange(
    "has-general", 1, "whether a function has such a procedure", _has_general, (), Purity.PURE, discrete=True
)
select("reversible", 1, "what has an order that can be reversed, itself", _reversible, _nowhere)
rearrange(
    "reversed-by", 1, "the method of an object that `reversed` calls, or None", _reversed_by, discrete=True
)
rearrange("arguments", 3, "the tuple of a call's arguments in order: function, *args, **keywords", _arguments)
select(
    "known-keywords",
    ANY_NUMBER,
    "the keywords themselves: keywords, a function, its parameters",
    _known_keywords,
    _nowhere,
)


def _callable(now: Now, x: Any) -> bool:
    if type(x) in (Closure, Layout) or _is_overloads(x):
        return True
    if type(x) is Unusable:
        return callable(x.thing)
    if type(x) in NATIVES:
        return callable(x.value)
    return type(x) in WITH_ATTRIBUTES and found_in(class_of(x), "__call__") is not None


def _reals(now: Now, x: Any) -> list[float]:
    return [
        real_part(i) * 1.0 if type(i) in NUMBERS else python_operands(now, (i,))[0] for i in elements(now, x)
    ]


def _sum_of_products(now: Now, p: Any, q: Any) -> float | int:
    numbers = [[real_part(i) * 1.0 if type(i) in NUMBERS else i for i in elements(now, x)] for x in (p, q)]
    total: float | int = vars(math)["sumprod"](*numbers)
    return total


def _replaced(now: Now, x: Any, changes: Dict) -> Record | Object:
    if type(x) not in WITH_ATTRIBUTES or x.layout.cls is tuple:
        raise TypeError(f"{class_name(x)} has no fields to replace")
    unknown = [name for name in changes.items if name not in x.layout.index]
    if unknown:
        raise TypeError(
            f"{x.layout.cls.__name__}.__init__() got an unexpected keyword argument {unknown[0]!r}"
        )
    items = [fresh(changes.items.get(n, i)) for n, i in zip(x.layout.names, x.items, strict=True)]
    return Record(x.layout, tuple(items)) if type(x) is Record else Object(x.layout, items, owner=now.owner)


def _is_made_anew(now: Now, x: Any) -> bool:
    """Return whether dataclasses.replace calls the class, which does more than to set fields."""
    cls: Any = x.layout.cls if type(x) in WITH_ATTRIBUTES else None
    if cls is None or not is_dataclass(cls):
        return False
    taken = {field.name for field in dataclasses.fields(cls) if field.init}
    is_plain = is_generated(x.layout.cls.__init__) and not hasattr(cls, "__post_init__")
    return not (is_plain and taken.issuperset(x.layout.names))


def _fields_with(now: Now, x: Any, changes: Dict) -> Dict:
    """Return the changes and the other fields, which dataclasses.replace passes to the class."""
    found = {name: fresh(value) for name, value in changes.items.items()}
    for field in dataclasses.fields(x.layout.cls):
        if not field.init and field.name in found:
            raise ValueError(
                f"field {field.name} is declared with init=False, it cannot be specified with replace()"
            )
        if field.init and field.name not in found:
            found[field.name] = _attribute(x, field.name)
    return Dict(found, owner=now.owner)


def _attribute(x: Any, name: str) -> Any:
    position = x.layout.index.get(name)
    if position is None:
        raise AttributeError(f"{x.layout.cls.__name__!r} object has no attribute {name!r}")
    return fresh(x.items[position])


def _fields(now: Now, x: Any) -> Dict:
    names = getattr(class_of(x), "_fields", None)
    if type(x) is not Record or names is None:
        raise no_attribute(x, "_asdict")
    return Dict(dict(zip(names, map(fresh, x.items), strict=True)), owner=now.owner)


def _is_of_python(x: Any) -> bool:
    """Return whether a value is a real or one of Python's own objects, and no array."""
    return type(real_part(x)) is float if type(x) in NUMBERS else type(x) in PLAIN


rearrange("callable", 1, "callable(x)", _callable, discrete=True)
rearrange(
    "holds-objects",
    1,
    "whether an element of a sequence is no number of Python's",
    lambda now, x: not all(map(_is_of_python, elements(now, x))),
    discrete=True,
)
rearrange("exact-sum", 1, "math.fsum(x), without derivative", lambda now, x: math.fsum(_reals(now, x)))
rearrange("exact-sum-of-products", 2, "math.sumprod(p, q), without derivative", _sum_of_products)
rearrange("norm", 1, "math.hypot(*x), without derivative", lambda now, x: math.hypot(*_reals(now, x)))
rearrange("replaced", 2, "dataclasses.replace: an object, the new fields as a dictionary", _replaced)
rearrange("is-made-anew", 1, "whether dataclasses.replace calls the class", _is_made_anew, discrete=True)
rearrange("fields-with", 2, "the changes and the other fields, as a dictionary", _fields_with)
rearrange("fields", 1, "x._asdict()", _fields)
