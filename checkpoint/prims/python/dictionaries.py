"""Dictionaries: making and copying them, their keys and values."""

from __future__ import annotations

from typing import Any

from checkpoint.ad.containers import Dict, List, Object, Record
from checkpoint.ad.record import Purity
from checkpoint.ad.storage import FROZEN, Now
from checkpoint.lang.python.library.stand_ins import BY_STAND_IN
from checkpoint.lang.python.library.standard.containers import Mapping
from checkpoint.prims.python.native import class_of
from checkpoint.prims.python.support import (
    ANY_NUMBER,
    copies_of,
    elements,
    is_tuple,
    key_of,
    list_of,
    rearrange,
    to_value,
    tuple_of,
)
from checkpoint.prims.python.updates import dict_of, entries


def _dictionary(x: Any, method: str) -> Any:
    if type(x) is not Dict:
        raise AttributeError(f"{class_of(x).__name__!r} object has no attribute {method!r}")
    return x


def _keys(now: Now, x: Any) -> Record:
    return tuple_of(elements(now, _dictionary(x, "keys")))


def _values(now: Now, x: Any) -> Record:
    return tuple_of(_dictionary(x, "values").items.values())


def _copy(now: Now, x: Any) -> Any:
    if type(x) is List:
        return list_of(now, x.items)
    if type(x) is Object:
        return _object_like(now, x)
    return dict_of(now, _dictionary(x, "copy").items)


def _object_like(now: Now, x: Object) -> Object:
    """Return another object with the same attributes; that of a stand-in holds containers of its own."""
    items = copies_of(x.items)
    if x.layout.cls in BY_STAND_IN:
        items = [_copy(now, item) if type(item) in (List, Dict) else item for item in items]
    return Object(x.layout, items, owner=now.owner)


rearrange("dict", 0, "an empty dictionary", lambda now: Dict({}, owner=now.owner), (), Purity.PURE)
rearrange("dict-of", 1, "dict(x), of a dictionary", lambda now, x: dict_of(now, entries(now, x)))
rearrange("keys", 1, "the tuple of a dictionary's keys", _keys)
rearrange("values", 1, "the tuple of a dictionary's values", _values)
rearrange("copy", 1, "x.copy() of a list or dictionary, copy.copy(x) of an object", _copy)
rearrange(
    "is-object", 1, "whether x is an object that may change", lambda _, x: type(x) is Object, discrete=True
)
rearrange("key", 1, "a value as a key of a dictionary, checked", lambda now, x: to_value(now, key_of(now, x)))


def _cache_key(now: Now, cache: Dict, *args: Any) -> Record | None:
    """Return the key of a call's arguments in a cache; None where the call is not to be kept."""
    if cache.owner is FROZEN:
        return None
    pending, is_key = list(args), True
    while pending:
        part = pending.pop()
        if is_tuple(part):
            pending.extend(part.items)
        elif type(part) is List or type(part) is Dict:
            key_of(now, part)  # raises what Python raises
        elif part is not None and type(part) not in (str, int, bool):
            is_key = False
    return tuple_of(args) if is_key else None


rearrange("cache-key", ANY_NUMBER, "the arguments of a call as a key: a dictionary, arguments", _cache_key)


def _without(now: Now, x: Dict, keys: Any) -> Dict:
    left_out = {key_of(now, key) for key in keys.items}
    return dict_of(now, {key: item for key, item in x.items.items() if key not in left_out})


rearrange("without-keys", 2, "a dictionary without some keys: x, the tuple of the keys", _without)


def _keywords(
    now: Now, mapping: Any, function: str, taken: str, keywords: str, names: str, takes_more: bool
) -> Dict:
    """Return what f(..., **mapping) passes beyond the names of parameters, or raise its errors."""
    if type(mapping) is not Dict:
        kind = class_of(mapping).__name__
        raise TypeError(f"{function}() argument after ** must be a mapping, not {kind}")
    rest = {}
    for key, item in mapping.items.items():
        if type(key) is not str:
            raise TypeError("keywords must be strings")
        if key in keywords.split():
            raise TypeError(f"{function}() got multiple values for keyword argument {key!r}")
        if key in taken.split():
            raise TypeError(f"{function}() got multiple values for argument {key!r}")
        if key not in names.split():
            rest[key] = item
    if rest and not takes_more:
        raise TypeError(f"{function}() got an unexpected keyword argument {next(iter(rest))!r}")
    return dict_of(now, rest)


rearrange(
    "keywords",
    6,
    "the keywords beyond parameters: **mapping, the function's name, those given by position and by "
    "keyword, the parameters' names, whether more are taken",
    _keywords,
)


def _is_mapping(now: Now, x: Any) -> bool:
    return type(x) is Object and issubclass(x.layout.cls, Mapping)


rearrange("is-mapping", 1, "whether x is a dictionary of collections", _is_mapping, discrete=True)
