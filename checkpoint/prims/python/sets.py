"""Sets: dictionaries of the elements by tokens.

An element's *token* is a key that is equal for equal elements. Which elements are equal does not depend on
derivatives, so tokens hold no real; the elements themselves, which may be reals, are the values of the
dictionary, in the order in which they were inserted.
"""

from __future__ import annotations

import dataclasses
import types
import weakref
from collections.abc import Callable
from enum import Enum
from typing import Any

from checkpoint.ad.arrays import Discrete, Native, current_data
from checkpoint.ad.containers import ITEMS, Dict, Object, Record
from checkpoint.ad.numbers import NUMBERS, real_part
from checkpoint.ad.opaque import is_constant
from checkpoint.ad.storage import FROZEN, Now
from checkpoint.ad.values import Closure
from checkpoint.errors import RunError, UnfitKey, an
from checkpoint.lang.python.library.stand_ins import callable_of
from checkpoint.lang.python.library.standard.values import STORED, value_base_of
from checkpoint.lang.python.library.tokens import (
    OBJECT,
    RANGE,
    SET,
    constant_of,
    of_complex,
    of_number,
    of_real,
)
from checkpoint.lang.python.source.members import found as found_in
from checkpoint.lang.python.source.members import is_generated
from checkpoint.prims.python.native import class_of, is_set
from checkpoint.prims.python.support import (
    FUNCTIONS,
    elements,
    is_object,
    is_tuple,
    key_of,
    python_result,
    rearrange,
    select,
    tuple_of,
)
from checkpoint.prims.python.tangents import is_complex
from checkpoint.prims.python.updates import dict_of


def token_of(now: Now, x: Any) -> Any:
    """Return the token of a value; raise Python's TypeError for what cannot be in a set."""
    kind = type(x)
    if kind in (str, int, bool, bytes) or x is None:
        return x
    if kind is range:
        return (RANGE, *((x[0], x[-1], x.step)[: min(len(x) + 1, 3)] if len(x) else ()))
    if kind is Discrete and current_data(now, x).shape == ():
        return x.data.item()
    if kind in NUMBERS:
        return _of_real(real_part(x))
    if is_complex(x):
        return _of_real(complex(*map(real_part, x.items)))
    if kind is Native and (isinstance(x.value, Enum | type | FUNCTIONS) or is_constant(type(x.value))):
        token = of_number(x.value)
        return x if token is x.value else token
    if is_value(x):
        return token_of(now, x.items[x.layout.index[ITEMS]])
    function = _function_of(x)
    if function is not None:
        return Native(function)
    if kind is Record and x.layout.cls is frozenset:
        return _of_set(x)
    if kind is Record:
        python_result(now, hash, x)
        cls = x.layout.cls
        if issubclass(cls, tuple):
            return tuple([token_of(now, item) for item in x.items])
        return (OBJECT, cls.__qualname__, *[token_of(now, item) for item in _told_apart_by(x)])
    python_result(now, hash, x)
    raise RunError(
        f"{an(class_of(x).__name__)} cannot be in a set here: use strings, numbers or tuples of them"
    )


def _told_apart_by(x: Record) -> list[Any]:
    """Return the fields of a dataclass's object by which it is compared or hashed; of all others each."""
    fields = getattr(x.layout.cls, "__dataclass_fields__", {})
    apart = {name for name, field in fields.items() if not (field.compare or field.hash)}
    return [item for name, item in zip(x.layout.names, x.items, strict=True) if name not in apart]


def is_value(x: Any) -> bool:
    """Return whether a value is an object that is a number or text, and is hashed and compared as such."""
    base = value_base_of(x.layout.cls) if type(x) is Object else None
    return base is not None and found_in(x.layout.cls, "__hash__") is STORED[base]["__hash__"]


def _function_of(x: Any) -> Any:
    """Return the Python function that a value is; None for one that the run made, and for other values."""
    thing = callable_of(x)
    thing = thing() if isinstance(thing, weakref.ref) else thing
    return thing if isinstance(thing, FUNCTIONS | type) else None


IDENTITY = "(identity)"  # the field of an object that was hashed by its identity; no name of Python's


def _hashed_by(now: Now, x: Any) -> str:
    """Return by what a value is hashed: "" for what has a token by itself, or the first part of its token."""
    if not is_object(x):
        has_objects = is_tuple(x) and any(_hashed_by(now, item) for item in x.items)
        return "%parts" if has_objects else ""
    cls = class_of(x)
    method = found_in(cls, "__hash__")
    if method is None:
        raise TypeError(f"unhashable type: {cls.__name__!r}")
    if is_generated(method):
        has_objects = type(x) is Object or any(_hashed_by(now, item) for item in x.items)
        return "%parts" if has_objects else ""
    if is_value(x):
        return ""
    if isinstance(method, types.FunctionType) and not _gives_address(method):
        return "%method"
    by_address = method is object.__hash__ or isinstance(method, types.FunctionType)
    return "%identity" if type(x) is Object and by_address else ""


def _address(self: Any) -> int:
    return id(self)


def _gives_address(method: types.FunctionType) -> bool:
    """Return whether a `__hash__` does nothing but `return id(self)`."""
    code, own = method.__code__, _address.__code__
    same = code.co_code == own.co_code and code.co_names == own.co_names
    return same and method.__globals__.get("id", id) is id


def _hashed_parts(now: Now, x: Any) -> Record:
    """Return the parts of a tuple or dataclass that its hash is made of."""
    if is_tuple(x):
        return tuple_of(x.items)
    fields = dataclasses.fields(class_of(x))
    names = [f.name for f in fields if (f.compare if f.hash is None else f.hash)]
    return tuple_of([x.items[x.layout.index[name]] for name in names])


def _identity(now: Now, x: Object) -> int | None:
    """Return the number that an object is hashed by; None if it has none yet."""
    position = x.layout.index.get(IDENTITY)
    if position is None:
        return 0 if x.owner is FROZEN else None
    found: int = x.items[position]
    return found


def _of_real(x: Any) -> Any:
    """Return the token of a float, a complex number or an array that is a scalar."""
    if type(x) not in (float, complex):
        if type(x.data).__hash__ is None:  # an array; np.float64 can be in a set
            raise TypeError(f"unhashable type: {type(x.data).__name__!r}")
        number = x.data.item()
        x = number if type(number) is complex else float(number)
    if x != x:  # noqa: PLR0124  # complex numbers, too
        raise RunError("a NaN is in a set: Python tells them apart by their identities")
    return of_complex(x) if type(x) is complex else of_real(x)


def _of_set(x: Record) -> Any:
    return (SET, *sorted(x.items[0].items, key=repr))


def _tokens(now: Now, x: Any) -> Record:
    return tuple_of([token_of(now, item) for item in elements(now, x)])


def _table(now: Now, tokens: Record, x: Any) -> Dict:
    """Return the dictionary of elements; of equal ones the first stays, as in Python."""
    found: dict[Any, Any] = {}
    for token, item in zip(tokens.items, elements(now, x), strict=True):
        found.setdefault(_key(token), item)
    return dict_of(now, found)


def _key(token: Any) -> Any:
    """Return the dictionary's key that a token is, which a program holds as a tuple of its own."""
    if type(token) is Record:
        return tuple(map(_key, token.items))
    return token.value if type(token) is Native else token


def _combining(choose: Callable[[Any, Any], list[tuple[Any, Any]]]) -> Callable[[Now, Any, Any], Dict]:
    def combined(now: Now, x: Any, y: Any) -> Dict:
        return dict_of(now, dict(choose(x.items, y.items)))

    return combined


def _union(x: Any, y: Any) -> list[tuple[Any, Any]]:
    return [*x.items(), *((key, item) for key, item in y.items() if key not in x)]


def _intersection(x: Any, y: Any) -> list[tuple[Any, Any]]:
    return [(key, item) for key, item in x.items() if key in y]


def _difference(x: Any, y: Any) -> list[tuple[Any, Any]]:
    return [(key, item) for key, item in x.items() if key not in y]


def _symmetric(x: Any, y: Any) -> list[tuple[Any, Any]]:
    return [*_difference(x, y), *_difference(y, x)]


def _token(now: Now, x: Any) -> Any:
    token = token_of(now, x)
    return _as_value(token)


def constant_key(now: Now, key: Any) -> Any:
    """Return a value as a key of a dictionary of constants; numbers that are values, as what they equal."""
    try:
        return key_of(now, key)
    except UnfitKey:
        if not _is_numeric(key):
            raise
        return constant_of(token_of(now, key))


def known_key(now: Now, x: Dict, key: Any) -> Any:
    """Return the key by which a dictionary of constants has a value."""
    constant = constant_key(now, key)
    if type(key) in _NO_REALS:
        return constant
    if constant not in x.items:
        return key_of(now, key)  # which a dictionary for keys of any kind may have
    return constant if type(constant) is int else next(known for known in x.items if known == constant)


_NO_REALS = frozenset((str, int, bool, bytes, type(None), Native, Discrete))


def _is_numeric(key: Any) -> bool:
    """Return whether a value is a number, or a tuple of numbers and constants."""
    if is_tuple(key):
        return all(map(_is_numeric, key.items))
    return is_complex(key) or type(key) not in (Record, Object, Closure)


def _as_value(token: Any) -> Any:
    return tuple_of(map(_as_value, token)) if type(token) is tuple else token


def has_element(now: Now, x: Record, v: Any) -> bool:
    """Return whether a value is in a set."""
    token = _of_set(v) if is_set(v) else token_of(now, v)  # a set is found as a frozenset is
    return _key(_as_value(token)) in x.items[0].items


def same_elements(now: Now, x: Any, y: Any) -> bool:
    """Return whether two values are equal, of which at least one is a set."""
    if not (is_set(x) and is_set(y)):
        return False
    return bool(x.items[0].items.keys() == y.items[0].items.keys())


def _checked(now: Now, x: Any, method: str) -> Any:
    """Return a set that has a method; raise Python's error for all others."""
    cls = class_of(x)
    if not is_set(x) or not hasattr(cls, method):
        raise AttributeError(f"{cls.__name__!r} object has no attribute {method!r}")
    return x


rearrange("hashed-by", 1, "by what an element of a set is hashed", _hashed_by, discrete=True)
rearrange("hashed-parts", 1, "the parts of a tuple or dataclass that its hash is made of", _hashed_parts)
rearrange("identity", 1, "the number that an object is hashed by, or None", _identity, discrete=True)
rearrange("kind", 1, "the name of a value's class", lambda now, x: class_of(x).__name__, discrete=True)
select("checked-set", 2, "a set that has a method: the set, the method's name", _checked, lambda *_: None)
rearrange("token", 1, "the token of a set's element", _token, discrete=True)
rearrange("tokens", 1, "the tuple of the tokens of a sequence's elements", _tokens, discrete=True)
rearrange("table", 2, "the dictionary of elements by tokens: the tokens, the elements", _table)
rearrange("table-or", 2, "the elements of two sets", _combining(_union))
rearrange("table-and", 2, "the elements that two sets share", _combining(_intersection))
rearrange("table-sub", 2, "the elements of the first set that the second has not", _combining(_difference))
rearrange("table-xor", 2, "the elements that only one of two sets has", _combining(_symmetric))
