"""The fields by which objects are compared, where `dataclasses.dataclass` has made the methods for it.

In: a class and the name of a comparison, such as `__lt__`. Out: the names of fields, in their order. What
always holds: they are fields of the class that has the method; a class that derives from it may have more.
"""

from __future__ import annotations

import dataclasses

from checkpoint.lang.python.source.members import is_generated


def owner_of(cls: type, name: str) -> type:
    """Return the class that gives objects of a class a method which all objects have."""
    return next(base for base in cls.__mro__ if name in vars(base))


def compared_fields(cls: type, name: str = "__eq__") -> list[str] | None:
    """Return the fields that a comparison compares, if `dataclass` has made it; None for all others."""
    owner = owner_of(cls, name)
    if not (is_generated(vars(owner)[name]) and dataclasses.is_dataclass(owner)):
        return None
    return [each.name for each in dataclasses.fields(owner) if each.compare]
