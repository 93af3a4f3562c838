"""Dictionaries: making and copying them, their keys and values; the `__dict__` of objects."""

from __future__ import annotations

from typing import Any

from checkpoint.ad.containers import TUPLE, WITH_ATTRIBUTES, Dict, List, Object, Record
from checkpoint.ad.numbers import NUMBERS
from checkpoint.ad.record import Purity
from checkpoint.ad.storage import FROZEN, Now
from checkpoint.ad.tables import NATIVES
from checkpoint.ad.values import Closure
from checkpoint.errors import RunError, an
from checkpoint.lang.python.library.stand_ins import BY_STAND_IN, ITERATORS, Overloads
from checkpoint.lang.python.library.standard.containers import Mapping
from checkpoint.lang.python.library.standard.namespaces import SimpleNamespace
from checkpoint.lang.python.source.members import base_of, found
from checkpoint.prims.python.native import class_name, class_of, is_namespace, namespace_of
from checkpoint.prims.python.support import (
    ANY_NUMBER,
    PLAIN,
    copies_of,
    elements,
    is_tuple,
    key_of,
    list_of,
    no_attribute,
    python_operands,
    rearrange,
    to_value,
    tuple_of,
)
from checkpoint.prims.python.updates import dict_of, entries


def _dictionary(x: Any, method: str) -> Any:
    if type(x) is not Dict:
        raise no_attribute(x, method)
    return x


def _no_dictionary(now: Now, x: Any, method: str) -> None:
    """Raise Python's error for a method of dictionaries, of what is none."""
    _dictionary(x, method)


def _mapping(now: Now, x: Any) -> Any:
    """Return what `{**x}` unpacks; raise Python's TypeError for what is certainly no mapping."""
    if type(x) in NUMBERS or type(x) in _NO_MAPPINGS or type(x) in PLAIN or class_of(x) is Overloads:
        raise TypeError(f"{class_name(x)!r} object is not a mapping")
    return x


_NO_MAPPINGS = frozenset((List, Record, Closure))


def _keys(now: Now, x: Any) -> Record:
    return tuple_of(elements(now, _dictionary(x, "keys")))


def _values(now: Now, x: Any) -> Record:
    return tuple_of(_dictionary(x, "values").items.values())


def _copy(now: Now, x: Any) -> Any:
    if type(x) is List:
        return list_of(now, x.items)
    if is_namespace(x):
        return dict_of(now, namespace_of(x.items[0]))
    if type(x) is Object:
        return Object(x.layout, copies_of(x.items), owner=now.owner)
    return dict_of(now, _dictionary(x, "copy").items)


_SHARING = frozenset((SimpleNamespace, *ITERATORS))  # copies of these share what they refer to


def _own_containers(_: Now, x: Object) -> Record:
    """Return the names of an object's attributes whose containers are its own: a copy has others."""
    if base_of(x.layout.cls) is not None:
        return tuple_of(["(items)"])
    if x.layout.cls not in BY_STAND_IN or x.layout.cls in _SHARING:
        return tuple_of(())
    held = zip(x.layout.names, x.items, strict=True)
    return tuple_of(name for name, item in held if type(item) in (List, Dict))


rearrange("dict", 0, "an empty dictionary", lambda now: Dict({}, owner=now.owner), (), Purity.PURE)
rearrange("dict-of", 1, "dict(x), of a dictionary", lambda now, x: dict_of(now, entries(now, x)))
rearrange("no-dictionary", 2, "the error for a method of dictionaries: x, its name", _no_dictionary)
rearrange("mapping", 1, "what `{**x}` unpacks, checked", _mapping)
rearrange("keys", 1, "the tuple of a dictionary's keys", _keys)
rearrange("values", 1, "the tuple of a dictionary's values", _values)
rearrange("copy", 1, "x.copy() of a list or dictionary, an object with the same attributes as x", _copy)
rearrange(
    "own-containers",
    1,
    "the names of attributes of an object whose containers a copy of it does not share",
    _own_containers,
    discrete=True,
)
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


def _is_derived(now: Now, x: Any) -> bool:
    return type(x) is Object and base_of(x.layout.cls) is not None


def _overrides(now: Now, x: Any, name: str) -> bool:
    cls = class_of(x)
    base = base_of(cls)
    return base is not None and found(cls, name) is not found(base, name)


rearrange("is-derived", 1, "whether the class of x derives from dict or list", _is_derived, discrete=True)
rearrange("overrides", 2, "whether the class of such an object has its own method", _overrides, discrete=True)
rearrange(
    "has-keys",
    1,
    "whether x is an object with a method keys",
    lambda _, x: type(x) is Object and hasattr(x.layout.cls, "keys"),
    discrete=True,
)
rearrange("is-mapping", 1, "whether x is a dictionary of collections", _is_mapping, discrete=True)


# The attributes of objects by their names: `vars(x)`


def _has_namespace(now: Now, x: Any) -> bool:
    cls = class_of(x)
    if type(x) not in WITH_ATTRIBUTES or (cls in BY_STAND_IN and cls is not SimpleNamespace):
        held = x.value if type(x) in NATIVES else python_operands(now, (x,))[0]
        return _refused(cls) if hasattr(held, "__dict__") else False
    return bool(getattr(cls, "__dictoffset__", 0))


def _refused(cls: type) -> bool:
    raise RunError(f"the `__dict__` of {an(cls.__name__)} is no value here: name the attributes, x.name")


def _own_names(now: Now, x: Any) -> Record:
    return Record(TUPLE, tuple(namespace_of(x)))


def _names_own(now: Now, x: Any, key: Any) -> bool:
    return key_of(now, key) in namespace_of(x)


def _with_namespace(now: Now, x: Any) -> Any:
    if type(x) is not Object:
        raise RunError(
            f"{an(class_of(x).__name__)} cannot be changed through its `__dict__`: make a new one, "
            f"dataclasses.replace(x, name=value)"
        )
    return x


def _attribute_key(now: Now, key: Any) -> str:
    if type(key) is not str:
        raise RunError("the keys of an object's `__dict__` are strings here: use another dictionary")
    return key


rearrange("has-namespace", 1, "whether an object has a `__dict__`", _has_namespace, discrete=True)
rearrange("own-names", 1, "the names of the attributes in the `__dict__` of an object", _own_names)
rearrange(
    "names-own", 2, "whether the `__dict__` of an object has a key: x, the key", _names_own, discrete=True
)
rearrange("with-namespace", 1, "an object that may be changed through its `__dict__`", _with_namespace)
rearrange("attribute-key", 1, "a key of a `__dict__`, a string", _attribute_key, discrete=True)
