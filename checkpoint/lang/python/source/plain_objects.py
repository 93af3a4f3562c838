"""Python objects that are no more than their attributes, and the names of these.

Nothing here runs code of an object's class.
"""

from __future__ import annotations

import dataclasses
import types
from enum import Enum
from typing import Any

from checkpoint.ad.attributes import own_attributes
from checkpoint.ad.opaque import is_of_machine
from checkpoint.lang.python.library.standard.values import plain_value
from checkpoint.lang.python.source.members import found, is_derived_tuple


def is_plain_object(value: Any) -> bool:
    """Return whether an object is no more than the attributes that it was given."""
    cls = type(value)
    made_by_class_statement = bool(cls.__flags__ & (1 << 9))
    if isinstance(value, (type, Enum)) or not made_by_class_statement:
        return False
    if hasattr(cls, "__del__") or reads_its_own_way(cls):
        return False
    if cls.__module__.startswith("checkpoint.") or is_of_machine(cls):  # capsules, procedures, derivatives
        return False
    try:
        object.__new__(cls)
    except TypeError:  # its instances hold what only code in C can make
        return False
    return True


def reads_its_own_way(cls: type) -> bool:
    """Return whether the user's code decides what each attribute of an object is, stored ones too."""
    return isinstance(found(cls, "__getattribute__"), types.FunctionType)


def is_plain_tuple(value: tuple[Any, ...]) -> bool:
    """Return whether a tuple has names of fields, or is no more than its items."""
    cls: Any = type(value)
    if reads_its_own_way(cls):
        return False
    return hasattr(cls, "_fields") or (is_derived_tuple(cls) and not own_attributes(value))


def attribute_names(value: Any) -> tuple[str, ...]:
    """Return the names of an object's attributes: a dataclass's fields, slots, then the others in order."""
    names: dict[str, None] = {}
    if isinstance(value, BaseException):
        names["args"] = None
    if dataclasses.is_dataclass(value):
        names.update(dict.fromkeys(field.name for field in dataclasses.fields(value)))
    for base in reversed(type(value).__mro__):
        slots = vars(base).get("__slots__", ())
        names.update(dict.fromkeys((slots,) if isinstance(slots, str) else slots))
    names.update(dict.fromkeys(own_attributes(value)))
    hidden = ("__dict__", "__weakref__")
    return tuple(name for name in names if name not in hidden and _has(value, name))


def getattr_of(value: Any, name: str) -> Any:
    """Return an object's own attribute, whatever its class defines."""
    return object.__getattribute__(value, name)


def items_of(value: Any) -> Any:
    """Return the list, dictionary, number or text that an object is, as one of Python's own class."""
    if isinstance(value, str | float | int):
        return plain_value(value)
    if isinstance(value, dict):
        return dict(dict.items(value))
    return list.copy(value)


def with_items(cls: type, base: type, items: Any) -> Any:
    """Return a new object of a class that derives from a type of Python's own, without code of its class."""
    of_value: Any = base
    if base in (float, int, str) and type(items) is base:
        return of_value.__new__(cls, items)
    made = of_value.__new__(cls)
    if base in (dict, list):
        fill_items(made, items)
    return made


def fill_items(made: Any, items: Any) -> None:
    """Give a new object of a class that derives from dict or list its items, without code of its class."""
    if isinstance(made, dict):
        dict.update(made, items)
    else:
        list.extend(made, items)


def _has(value: Any, name: str) -> bool:
    try:
        getattr_of(value, name)
    except AttributeError:
        return False
    return True
