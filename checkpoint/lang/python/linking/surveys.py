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
    found = _Survey()
    found.wait_for(values)
    seen: set[int] = set()
    while found.pending:
        each = found.pending.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if type(each) is list or type(each) is tuple:  # most are
            found.wait_for(each)
        else:
            found.visit(each)
    return tuple(found.classes), found.functions


class _Survey:
    """Notes what values hold.

    classes: those found, as keys. functions: functions, methods and classes. pending: objects to visit.
    """

    def __init__(self) -> None:
        self.classes: dict[Any, None] = {}
        self.functions: list[Any] = []
        self.pending: list[Any] = []

    def wait_for(self, values: Iterable[Any]) -> None:
        """Add values to the pending ones, but for those that hold nothing; arrays are noted at once."""
        self.pending += _no_leaves(values, self.classes)

    def visit(self, each: Any) -> None:
        """Note the class of an object that is no plain list or tuple, and have what it holds visited."""
        if type(each) is complex:
            self.classes[Complex] = None
        elif (stand_in := stand_in_of(each)) is not None:
            if stand_in.cls not in self.classes:
                self._add(c for c in stand_in.cls.__mro__ if c.__module__ != "builtins")
            self.wait_for(stand_in.taken(each).values())
        else:
            self._visit_items(each)
            if isinstance(each, type):
                self._add(filter(_is_of_statement, each.__mro__))
                self.classes[type[each]] = None
            else:
                self._visit_object(each)

    def _add(self, classes: Iterable[Any]) -> None:
        self.classes.update(dict.fromkeys(classes))

    def _visit_items(self, each: Any) -> None:
        """Have the items of a container visited, of whatever class."""
        if isinstance(each, list | tuple) or type(each) in VIEWS:
            self.wait_for(each)
        elif isinstance(each, dict):
            self.wait_for(each.values())
        elif isinstance(each, set | frozenset):
            self.classes[set] = None
            self.wait_for(each)

    def _visit_object(self, each: Any) -> None:
        """Note what is no class."""
        kind = type(each)
        is_own = kind.__module__.startswith("checkpoint.")  # a derivative, procedure or capsule
        if is_own and getattr(each, "may_shift", False):
            self.classes[MayShift] = None
        if not is_data(each) or (is_own and callable(each)):
            self.classes[types.FunctionType] = None
            self.functions.append(each)
        elif is_of_pandas(kind):
            self.classes[Table] = None
        elif is_fraction(kind):
            self.classes[kind] = None
        elif is_opaque(each) or kind is type(os.environ):
            return
        elif is_array(each):
            note_array(kind, self.classes)
        elif _is_of_statement(kind) and not is_of_machine(kind) and not is_bare(each):
            self._add((*filter(_is_of_statement, kind.__mro__), *_hiding(each)))
            if not is_own:  # a capsule holds a whole run
                self.wait_for(_attributes(each))


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
