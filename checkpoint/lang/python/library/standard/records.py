"""The functions of dataclasses, and those of functools that make keys of comparisons.

They are written in the language that is translated.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import sys
import types
from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.intrinsics import prim


def _field(x: Any, name: Any) -> Any:
    """Return a field; the class has that of a field(init=False, default=...)."""
    return (
        prim("py.attribute", x, name) if prim("py.is-stored", x, name) else prim("py.field-default", x, name)
    )


def asdict_(obj: Any, *, dict_factory: Any = None) -> Any:
    """See dataclasses.asdict."""
    if not prim("py.is-dataclass", obj):
        raise TypeError("asdict() should be called on dataclass instances")
    return _as_dict(obj, dict_factory)


def _as_dict(x: Any, factory: Any) -> Any:
    if prim("py.is-dataclass", x):
        names = prim("py.field-names", x)
        pairs = [(name, _as_dict(_field(x, name), factory)) for name in names]
        return dict(pairs) if factory is None else factory(pairs)
    if isinstance(x, tuple):
        return prim("py.tuple-like", x, [_as_dict(item, factory) for item in x])
    if isinstance(x, list):
        return [_as_dict(item, factory) for item in x]
    if isinstance(x, dict):
        return {_as_dict(key, factory): _as_dict(x[key], factory) for key in x}
    return copy.deepcopy(x)


def astuple_(obj: Any, *, tuple_factory: Any = None) -> Any:
    """See dataclasses.astuple."""
    if not prim("py.is-dataclass", obj):
        raise TypeError("astuple() should be called on dataclass instances")
    return _as_tuple(obj, tuple_factory)


def _as_tuple(x: Any, factory: Any) -> Any:
    if prim("py.is-dataclass", x):
        found = [_as_tuple(_field(x, name), factory) for name in prim("py.field-names", x)]
        return tuple(found) if factory is None else factory(found)
    if isinstance(x, tuple):
        return prim("py.tuple-like", x, [_as_tuple(item, factory) for item in x])
    if isinstance(x, list):
        return [_as_tuple(item, factory) for item in x]
    if isinstance(x, dict):
        return {_as_tuple(key, factory): _as_tuple(x[key], factory) for key in x}
    return copy.deepcopy(x)


def fields_(class_or_instance: Any, /) -> Any:
    """See dataclasses.fields, of an object."""
    return prim("py.dataclass-fields", class_or_instance)


def is_dataclass_(obj: Any, /) -> Any:
    """See dataclasses.is_dataclass, of an object."""
    return prim("py.is-dataclass", obj)


def copy_replace_(obj: Any, /, **changes: Any) -> Any:
    """See copy.replace of Python 3.13."""
    if prim("py.is-dataclass", obj):
        return dataclasses.replace(obj, **changes)
    if isinstance(obj, tuple) and hasattr(obj, "_fields"):
        return obj._replace(**changes)  # type: ignore[attr-defined]
    if isinstance(obj, types.SimpleNamespace):
        made = copy.copy(obj)
        vars(made).update(changes)
        return made
    if not hasattr(obj, "__replace__"):
        raise TypeError(f"replace() does not support {type(obj).__name__} objects")
    return obj.__replace__(**changes)


class Key:
    """An object that is ordered by a comparison; see functools.cmp_to_key."""

    __hash__: Any = None

    def __init__(self, compare: Any, obj: Any) -> None:
        self.compare = compare
        self.obj = obj

    def __lt__(self, other: Any) -> Any:
        return self.compare(self.obj, other.obj) < 0

    def __gt__(self, other: Any) -> Any:
        return self.compare(self.obj, other.obj) > 0

    def __le__(self, other: Any) -> Any:
        return self.compare(self.obj, other.obj) <= 0

    def __ge__(self, other: Any) -> Any:
        return self.compare(self.obj, other.obj) >= 0

    def __eq__(self, other: Any) -> Any:
        return self.compare(self.obj, other.obj) == 0


def cmp_to_key_(mycmp: Any, /) -> Any:
    """See functools.cmp_to_key."""
    return lambda obj: Key(mycmp, obj)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    dataclasses.asdict: asdict_,
    dataclasses.astuple: astuple_,
    dataclasses.fields: fields_,
    dataclasses.is_dataclass: is_dataclass_,
    functools.cmp_to_key: cmp_to_key_,
}
if sys.version_info >= (3, 13):
    FUNCTIONS[copy.replace] = copy_replace_
