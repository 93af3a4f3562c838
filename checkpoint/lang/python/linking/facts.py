"""Facts about a whole program that determine how single expressions are translated.

In: what translation meets: classes, kinds of calls, sets. Out: Facts. They are found on the way; a new one
that matters for what has been translated already is a reason to translate that again (FactsChanged).
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from typing import Any

from checkpoint.ad.array_library import ArrayLibrary, libraries
from checkpoint.ad.arrays import Array
from checkpoint.ad.opaque import is_constant
from checkpoint.ad.tables import Table
from checkpoint.dataclass import dataclass
from checkpoint.errors import Span
from checkpoint.lang.control import MayShift
from checkpoint.lang.python.calls import arrays
from checkpoint.lang.python.context.contexts import ProgramContext
from checkpoint.lang.python.library import tables
from checkpoint.lang.python.library.generators import generator
from checkpoint.lang.python.library.stand_ins import BY_CLASS
from checkpoint.lang.python.linking.stubs import Reached
from checkpoint.lang.python.linking.surveys import OwnMember, classes_in
from checkpoint.lang.python.source.members import FOLLOWING, has_members, is_fraction, member_of

# Facts of one word by what stands for them among the classes of a program.
MARKS: dict[Any, str] = {
    types.FunctionType: "varying",
    Table: "tables",
    set: "sets",
    slice: "slices",
    Array: "arrays",
    "types of elements": "dtypes",
    MayShift: "control",
}


@dataclass(eq=False, repr=False)
class Facts:
    """Facts about the whole program, found during its translation.

    classes: the classes whose objects the program may meet, in the order of their discovery.
    own_members: what hides a method in the objects that it is given.
    stored: the names of those, and of the attributes to which it assigns. never_stored: those of
        methods of Python's own types that were translated as if it assigns to none.
    dtypes: whether types of elements, such as np.float32, are values that it may call.
    slices: whether slices are values that lists may be indexed by.
    varying: whether some value takes a varying number of arguments.
    control: whether functions that it calls may shift: its own, or those that it is given (captures.py).
    tables: whether tables of pandas are among the arguments and inputs.
    general: whether a value is called with `*`, `**` or keywords. most: the most arguments by position of a
        call of a value. sets, generators, arrays: whether there are any.
    libraries: those of arrays, as far as they have methods of their own.
    used: `next` and the functions that make iterators, as far as it uses them.
    modules: those that are values, by their names.
    has_state: whether the caller receives what the run leaves of what came in from outside.
    assigned: the variables outside of its functions to which it assigns (assigned.py), each with the place of
        the first assignment. deleted: those of them that it deletes.
    valued: the classes that are values of the program; None: classes are no values (class_values.py).
    takes_types: whether the class of any object may be a value. compares_types: whether two are compared.
    reached: of a large program, the functions that runs have reached; None: all are translated.
    """

    classes: dict[type, Any] = field(default_factory=dict)
    stored: set[str] = field(default_factory=set)
    never_stored: set[str] = field(default_factory=set)
    dtypes: bool = False
    slices: bool = False
    varying: bool = False
    control: bool = False
    tables: bool = False
    general: bool = False
    most: int = 4
    sets: bool = False
    arrays: bool = False
    libraries: dict[ArrayLibrary, None] = field(default_factory=dict)
    modules: dict[str, types.ModuleType] = field(default_factory=dict)
    has_state: bool = False
    assigned: dict[tuple[int, str], Span] = field(default_factory=dict)
    deleted: set[tuple[int, str]] = field(default_factory=set)
    valued: dict[type, None] | None = None
    takes_types: bool = False
    compares_types: bool = False
    generators: bool = False
    used: set[Any] = field(default_factory=set)
    own_members: dict[OwnMember, None] = field(default_factory=dict)
    reached: Reached | None = None

    @staticmethod
    def of(classes: Iterable[Any]) -> Facts:
        """Return the facts that follow from classes_in(arguments)."""
        facts = Facts()
        for cls in classes:
            if isinstance(cls, types.GenericAlias):
                facts.valued = {**(facts.valued or {}), cls.__args__[0]: None}
                facts.dtypes = facts.dtypes or arrays.is_constant(cls.__args__[0])
            elif isinstance(cls, types.ModuleType):
                facts.modules[cls.__name__] = cls
            elif isinstance(cls, OwnMember):
                facts.own_members[cls] = None
                facts.stored.add(cls.name)
            elif cls in MARKS:
                setattr(facts, MARKS[cls], True)
            elif cls in libraries:
                facts.libraries[libraries[cls]] = None
            else:
                facts.classes[cls] = None
        facts.generators = generator in facts.classes
        return facts

    def with_reached(self, others: Facts) -> Facts:
        """Return these facts of a large program, and others, for its next translation."""
        assert self.reached is not None
        flags: dict[str, Any] = {name: True for name in MARKS.values() if getattr(others, name)}
        if others.valued is not None:
            flags["valued"] = {**(self.valued or {}), **others.valued}
        return replace(
            self,
            classes={**self.classes, **others.classes},
            own_members={**self.own_members, **others.own_members},
            stored=self.stored | others.stored,
            libraries={**self.libraries, **others.libraries},
            modules={**self.modules, **others.modules},
            generators=self.generators or others.generators,
            reached=Reached(self.reached.keys),
            **{**flags, "control": others.control},
        )

    def met(self) -> tuple[Any, ...]:
        """Return what other programs must know that take objects of this one, as classes_in gives it."""
        marks = [mark for mark, name in MARKS.items() if getattr(self, name) and name != "varying"]
        of_libraries = [kind for kind, library in libraries.items() if library in self.libraries]
        valued = [type[cls] for cls in self.valued or ()]
        return (*self.classes, *self.own_members, *valued, *marks, *of_libraries, *self.modules.values())


class FactsChanged(Exception):
    """A new fact: what was translated without it must be translated again."""


class Notes(ProgramContext):
    """The facts about a program, and how they are noted."""

    facts: Facts
    _sorted_classes: Sequence[type] = ()

    @property
    def classes(self) -> Sequence[type]:
        """Return the program's classes, derived ones first."""
        if len(self._sorted_classes) != len(self.facts.classes):  # none is ever removed
            self._sorted_classes = sorted(self.facts.classes, key=lambda cls: -len(cls.__mro__))
        return self._sorted_classes

    def note_class(self, cls: type) -> None:
        """Record a class whose objects the program may meet."""
        if is_constant(cls) and not is_fraction(cls):
            return
        found = [c for c in cls.__mro__ if c not in self.facts.classes and self._matters(c)]
        if found:
            self.facts.classes.update(dict.fromkeys(found))
            raise FactsChanged

    def _matters(self, cls: type) -> bool:
        """Return whether a class has members, or is a value of the program."""
        return _may_have_objects(cls) or is_fraction(cls) or (self.facts.takes_types and is_of_program(cls))

    def note_stored(self, name: str) -> None:
        """Note that the program assigns to attributes of this name."""
        if name not in self.facts.stored:
            self.facts.stored.add(name)
            is_relied_on = name in self.facts.never_stored
            if is_relied_on or any(isinstance(member_of(c, name), FOLLOWING) for c in self.facts.classes):
                raise FactsChanged

    def note_any_stored(self) -> None:
        """Note that the program assigns to attributes whose names are only known at run time."""
        names = {
            name
            for cls in self.facts.classes
            if not cls.__module__.startswith("checkpoint.lang.python.library")
            for name, member in vars(cls).items()
            if isinstance(member, FOLLOWING) and not name.startswith("__")
        }
        if not names <= self.facts.stored:
            self.facts.stored |= names
            raise FactsChanged

    def is_stored(self, name: str) -> bool:
        return name in self.facts.stored

    def may_be_hidden(self, method: str) -> bool:
        if method not in self.facts.stored:
            self.facts.never_stored.add(method)
        return method in self.facts.stored

    def note_classes_of(self, value: Any) -> None:
        """Record the classes of the objects in an input."""
        for cls in classes_in([value]):
            if cls is types.FunctionType:
                self.note_varying()
            elif cls is MayShift:
                self.facts.control = True  # of the whole program, which is converted when it is complete
            elif isinstance(cls, OwnMember):
                self.facts.own_members[cls] = None
                self.note_stored(cls.name)
            elif cls is set:
                self.note_sets()
            elif cls is Table:
                self.note_tables()
            elif isinstance(cls, types.GenericAlias):
                self.note_class_value(cls.__args__[0])
                if arrays.is_constant(cls.__args__[0]):
                    self.note_dtypes()
            elif cls in libraries:
                self.note_library(libraries[cls])
            elif cls is not Array:
                self.note_class(cls)

    def note_library(self, library: ArrayLibrary) -> None:
        """Record a library of arrays that has methods of its own."""
        if library not in self.facts.libraries:
            self.facts.libraries[library] = None
            raise FactsChanged

    def libraries_with(self, method: str) -> list[ArrayLibrary]:
        return [library for library in self.facts.libraries if library.method(method) is not None]

    def note_dtypes(self) -> None:
        if not self.facts.dtypes:
            self.facts.dtypes = True
            raise FactsChanged

    def note_slices(self) -> None:
        if not self.facts.slices:
            self.facts.slices = True
            raise FactsChanged

    def has_slices(self) -> bool:
        return self.facts.slices

    def note_tables(self) -> None:
        """Record that the program reads a table of pandas."""
        if not self.facts.tables:
            self.facts.tables = True
            raise FactsChanged

    @property
    def meets_tables(self) -> bool:  # type: ignore[override]  # known only while it is translated
        """Whether tables of pandas are among the program's arguments and inputs."""
        return self.facts.tables

    def note_varying(self) -> None:
        if not self.facts.varying:
            self.facts.varying = True
            raise FactsChanged

    def takes_any(self) -> bool:
        return self.facts.general

    def most_arguments(self) -> int:
        return self.facts.most

    def note_general(self) -> None:
        """Note that a value is called with `*`, `**` or keywords."""
        if not self.facts.general:
            self.facts.general = True
            raise FactsChanged

    def note_sets(self) -> None:
        """Note that the program has sets."""
        if not self.facts.sets:
            self.facts.sets = True
            raise FactsChanged

    def note_generators(self) -> None:
        """Note that the program has generators."""
        if not self.facts.generators:
            self.facts.generators = True
            self.facts.classes.setdefault(generator)
            raise FactsChanged

    def note_module(self, module: types.ModuleType) -> None:
        """Note a module that is a value."""
        if module.__name__ not in self.facts.modules:
            self.facts.modules[module.__name__] = module
            raise FactsChanged

    def modules_with(self, name: str) -> list[types.ModuleType]:
        return [module for module in self.facts.modules.values() if hasattr(module, name)]

    def note_count(self, count: int) -> None:
        """Note a call of a value with so many arguments by position."""
        if count > self.facts.most:
            self.facts.most = count
            raise FactsChanged

    def has_class_values(self) -> bool:
        return self.facts.valued is not None

    def note_class_value(self, cls: type | None) -> None:
        """Note that a class is a value of the program; None: the classes of objects are."""
        if self.facts.valued is None:
            self.facts.valued = {}
            self.facts.takes_types = cls is None
            self.facts.valued.update({} if cls is None else {cls: None})
            raise FactsChanged
        if cls is not None and cls not in self.facts.valued:
            self.facts.valued[cls] = None
            raise FactsChanged
        if cls is None and not self.facts.takes_types:
            self.facts.takes_types = True
            raise FactsChanged

    def note_compared_types(self) -> None:
        """Note that the program compares the classes of two objects."""
        if not self.facts.compares_types:
            self.facts.compares_types = True
            raise FactsChanged

    def class_values(self) -> list[type]:
        """Return the classes that may be values."""
        if self.facts.valued is None:
            return []
        more = self.facts.classes if self.facts.takes_types else {}
        return list({**self.facts.valued, **more})


def is_of_program(cls: type) -> bool:
    """Return whether a class is none of Python's own, nor of NumPy."""
    return cls.__module__.partition(".")[0] not in _OF_PYTHON and bool(cls.__flags__ & (1 << 9))


def _may_have_objects(cls: type) -> bool:
    """Return whether a class's objects, or those of classes derived from it, have members that matter."""
    if tables.is_opened(cls):
        return cls not in BY_CLASS
    if issubclass(cls, int) and getattr(cls, "__members__", None):
        return True  # such as calendar.Day and http.HTTPStatus: members are numbers
    return cls.__module__.partition(".")[0] not in _OF_PYTHON and has_members(cls)


_OF_PYTHON = frozenset((*(sys.stdlib_module_names - {"builtins"}), "numpy"))
