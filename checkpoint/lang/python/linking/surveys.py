"""The classes of the objects in arguments and data, for which programs are translated.

In: arguments of a call, or the inputs of a program. Out: the classes whose methods a function may call, and
the functions among the objects. Lists, tuples and dictionaries of numbers and arrays are passed as wholes.
"""

from __future__ import annotations

import os
import types
from collections.abc import Iterable
from typing import Any, NamedTuple

from checkpoint.ad.attributes import own_attributes, stored
from checkpoint.ad.opaque import is_of_machine, is_opaque
from checkpoint.ad.tables import Table, is_of_pandas
from checkpoint.lang.control import MayShift
from checkpoint.lang.python.calls.arrays import are_arrays, is_array, is_noted, note_array
from checkpoint.lang.python.library.complex_numbers import Complex
from checkpoint.lang.python.library.stand_ins import VIEWS, stand_in_of
from checkpoint.lang.python.linking.inputs import is_data
from checkpoint.lang.python.source.members import is_bare, is_fraction, method_names

LEAVES = frozenset((float, int, str, bool, type(None)))


class OwnMember(NamedTuple):
    """Stands, among classes, for objects with an attribute of their own where their class has a method.

    name: that of the attribute.
    """

    name: str


def classes_in(values: Iterable[Any]) -> tuple[type, ...]:
    """Return the classes of the objects in arguments or data, whose methods a function may call.

    FunctionType stands for functions among them, MayShift for procedures and capsules of programs that may
    shift (that Python functions do is found from their programs), Array for arrays, set for sets and
    frozensets, type[C] for a class C that is itself among them, an OwnMember for what hides a
    method. The class of an array is given if its library
    has methods of its own.
    """
    return survey(values)[0]


def survey(values: Iterable[Any]) -> tuple[tuple[type, ...], list[Any]]:
    """Return the classes of `classes_in`, and the functions, methods and classes themselves."""
    found: dict[Any, None] = {}
    functions: list[Any] = []
    pending, seen = _no_leaves(values, found), set()
    while pending:
        each = pending.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        kind = type(each)
        if kind is list or kind is tuple:
            pending.extend(_no_leaves(each, found))
            continue
        if kind is complex:
            found[Complex] = None
            continue
        if (stand_in := stand_in_of(each)) is not None:
            if stand_in.cls not in found:
                found.update(dict.fromkeys(c for c in stand_in.cls.__mro__ if c.__module__ != "builtins"))
            pending.extend(_no_leaves(stand_in.taken(each).values(), found))
            continue
        if isinstance(each, list | tuple) or kind in VIEWS:
            pending.extend(_no_leaves(each, found))
        elif isinstance(each, dict):
            pending.extend(_no_leaves(each.values(), found))
        elif isinstance(each, set | frozenset):
            found[set] = None
            pending.extend(_no_leaves(each, found))
        if isinstance(each, type):
            found.update(dict.fromkeys(filter(_is_of_statement, each.__mro__)))
            found[type[each]] = None
            continue
        if kind.__module__.startswith("checkpoint.") and getattr(each, "may_shift", False):
            found[MayShift] = None
        if not is_data(each) or (kind.__module__.startswith("checkpoint.") and callable(each)):
            found[types.FunctionType] = None  # those of this package are derivatives and procedures
            functions.append(each)
        elif is_of_pandas(kind):
            found[Table] = None
        elif is_fraction(kind):
            found[kind] = None
        elif is_opaque(each) or kind is type(os.environ):
            continue
        elif is_array(each):
            note_array(kind, found)
        elif _is_of_statement(kind) and not is_of_machine(kind) and not is_bare(each):
            found.update(dict.fromkeys((*filter(_is_of_statement, kind.__mro__), *_hiding(each))))
            if not kind.__module__.startswith("checkpoint."):  # a capsule holds a whole run
                pending.extend(_no_leaves(_attributes(each), found))
    return tuple(found), functions


def _hiding(value: Any) -> list[OwnMember]:
    """Return what an object's own attributes hide of the methods of its class."""
    cls: type = type(value)
    methods, own = method_names(cls), own_attributes(value)
    return [] if methods.isdisjoint(own) else [OwnMember(name) for name in own if name in methods]


def _is_of_statement(cls: type) -> bool:
    """Return whether a class is not one of Python's own; `exec` may make some of no other module."""
    return cls.__module__ != "builtins" or bool(cls.__flags__ & (1 << 9))


def _attributes(value: Any) -> list[Any]:
    """Return the values in an object's dictionary and slots."""
    found = list(own_attributes(value).values())
    for base in type(value).__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if isinstance(base.__dict__.get(name), types.MemberDescriptorType):
                found.append(stored(value, name))
    return found


def _no_leaves(values: Iterable[Any], found: dict[Any, None]) -> list[Any]:
    if LEAVES.issuperset(map(type, values)) or are_arrays(values, found):
        return []
    return [x for x in values if type(x) not in LEAVES and not is_noted(x, found)]
