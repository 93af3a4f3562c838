"""What translation knows of the functions and classes of a program, whatever the place in it.

ClassesContext   the program's classes and their methods, the functions of the library
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from checkpoint.ad.array_library import ArrayLibrary
from checkpoint.ad.containers import Layout
from checkpoint.errors import Span
from checkpoint.lang.core import Expr
from checkpoint.lang.python.context.meanings import Binding, Callee, Env, Group, Reference
from checkpoint.lang.python.scopes.scopes import Scope
from checkpoint.lang.python.scopes.written import Argument


class ClassesContext(ABC):
    """The functions and classes of the program that is being translated.

    A parameter t is the FunctionContext (contexts.py) of the place.
    """

    @abstractmethod
    def libraries_with(self, method: str) -> list[ArrayLibrary]:
        """Return the libraries of arrays met so far that have a method of their own of this name."""

    @abstractmethod
    def note_class(self, cls: type) -> None:
        """Record a class whose objects the program may meet."""

    @abstractmethod
    def has_method(self, *names: str) -> bool:
        """Return whether a class of the program has one of these methods."""

    @abstractmethod
    def classes_with_field(self, name: str) -> tuple[type, ...]:
        """Return the program's classes that have a field of this name."""

    @property
    @abstractmethod
    def classes(self) -> Sequence[type]:
        """Return the program's classes, derived ones first."""

    @abstractmethod
    def identities(self) -> str:
        """Return the core variable of the dictionary that counts identities (library/hashing.py)."""

    @abstractmethod
    def functions_input(self) -> str:
        """Return the core variable of the functions used as values (checkpoint.prims.python.own)."""

    @abstractmethod
    def note_varying(self) -> None:
        """Note that some value of the program takes a varying number of arguments."""

    @abstractmethod
    def has_class_values(self) -> bool:
        """Return whether classes are values of the program."""

    @abstractmethod
    def note_class_value(self, cls: type | None) -> None:
        """Note that a class is a value of the program; None: the classes of objects are."""

    @abstractmethod
    def note_compared_types(self) -> None:
        """Note that the program compares the classes of two objects."""

    @abstractmethod
    def class_of(self, t: Any, scope: Scope, name: str) -> Any:
        """Return the LocalClass (linking/local_classes.py) that a name denotes in a function."""

    @abstractmethod
    def local_class(self, t: Any, scope: Scope, name: str) -> Reference:
        """Return the class that a name denotes, which the function with a scope defines."""

    @abstractmethod
    def made_once(self, t: Any, name: str) -> str:
        """Return the core variable that says whether a class statement has run, or "" if it may run again."""

    @abstractmethod
    def class_values(self) -> list[type]:
        """Return the classes that may be values."""

    @abstractmethod
    def groups(self, *names: str) -> list[Group]:
        """Return the classes that have one of these methods, derived ones first."""

    @abstractmethod
    def in_class(self, cls: type, name: str) -> Reference | str | None:
        """Return the meaning of what a class stores under a name."""

    @abstractmethod
    def class_attribute(self, cls: type, name: str) -> Reference | str | None:
        """Return the meaning of an attribute of a class."""

    @abstractmethod
    def layout(self, cls: type, names: tuple[str, ...]) -> Layout:
        """Return the layout of objects of a class with these attributes; the same one each time."""

    @abstractmethod
    def constructor_of(self, cls: type) -> Callee | None:
        """Return a constructor made of a class's `__init__` (normal/initial.py), or None."""

    @abstractmethod
    def writer(self, callee: Callee) -> Callee:
        """Return the function that returns what one writes into, too (Callee.written), or that one."""

    @abstractmethod
    def reference_of(self, thing: Any) -> Reference:
        """Return a known class or module as a reference through which its attributes are found."""

    @abstractmethod
    def attribute_of(self, base: Reference, name: str) -> Reference | str | None:
        """Return the meaning of an attribute of a known object."""

    @abstractmethod
    def note_module(self, module: ModuleType) -> None:
        """Note a module that is a value."""

    @abstractmethod
    def modules_with(self, name: str) -> list[ModuleType]:
        """Return the modules that are values of the program and have an attribute of this name."""

    @abstractmethod
    def written_by_nested(self, t: Any, child: Scope) -> tuple[str, ...]:
        """Return the parameters of a nested function that hold arrays which it writes into."""

    @abstractmethod
    def note_writer(self, callee: Callee, writer: Callee) -> None:
        """Note what `writer` returns for a nested function."""

    @abstractmethod
    def read_outside(self, cell: str, span: Span) -> Expr:
        """Return what a variable outside of the functions holds that the program assigns; cell: its cell."""

    @abstractmethod
    def outside_attribute(self, holder: Any, name: str) -> Binding | None:
        """Return the meaning of an attribute of a module or class, if the program assigns to it."""

    @abstractmethod
    def read_attribute(self, holder: Any, name: str, span: Span) -> Expr | None:
        """Return what an attribute of a module or class holds, if the program assigns to it."""

    @abstractmethod
    def is_assigned(self, cls: type, name: str) -> bool:
        """Return whether the program assigns to an attribute of a class itself."""

    @abstractmethod
    def check_read(self, value: Any, name: str) -> None:
        """Refuse a use of an attribute that the program assigns, other than reading its value."""

    @abstractmethod
    def assign_attribute(self, holder: Any, name: str, value: Expr) -> Expr | None:
        """Assign to an attribute of a module or class; None where that has no data of this name itself."""

    @abstractmethod
    def to_change(self, t: Any, name: str, env: Env) -> Binding | Reference | str | None:
        """Return the meaning of a name whose object is changed."""

    @abstractmethod
    def is_outside(self, t: Any, name: str, env: Env) -> bool:
        """Return whether a name that is assigned is a variable outside of all functions of the text."""

    @abstractmethod
    def note_deleted(self, t: Any, name: str, span: Span) -> None:
        """Note that the program deletes such a variable."""

    @abstractmethod
    def write_outside(self, t: Any, name: str, value: Expr) -> Expr:
        """Assign to such a variable (linking/assigned.py); the value of the expression means nothing."""

    @abstractmethod
    def written_by(self, t: Any, call: ast.Call) -> Mapping[Argument, ast.expr]:
        """Return the arguments of a call that the callee writes into, those that can be stored again."""

    @abstractmethod
    def class_method_of(self, cls: Reference, owner: type, name: str) -> Callee | None:
        """Return the class method that a class stores, as a function of the arguments for another class."""

    @abstractmethod
    def accessor(self, cls: type, name: str, kind: str) -> Callee | None:
        """Return a function of a property of a class; kind: its access, such as "getter"."""

    @abstractmethod
    def bound_method(self, callee: Callee, self_: Expr, span: Span) -> Expr:
        """Return a method of an object as a value."""

    @abstractmethod
    def note_generators(self) -> None:
        """Note that the program has generators."""

    @abstractmethod
    def note_dtypes(self) -> None:
        """Note that a type of elements, such as np.float32, is a value of the program."""

    @abstractmethod
    def note_slices(self) -> None:
        """Note that a slice is a value of the program, by which a list may be indexed."""

    @abstractmethod
    def has_slices(self) -> bool:
        """Return whether slices are such values."""

    @abstractmethod
    def note_stored(self, name: str) -> None:
        """Note that the program assigns to attributes of this name."""

    @abstractmethod
    def note_any_stored(self) -> None:
        """Note that the program assigns to attributes whose names are only known at run time."""

    @abstractmethod
    def is_stored(self, name: str) -> bool:
        """Return whether the program may assign to attributes of this name."""

    @abstractmethod
    def may_be_hidden(self, method: str) -> bool:
        """Return whether objects may hold functions under the name of a method of Python's own types."""

    @abstractmethod
    def owners_of(self, name: str) -> list[tuple[type, Callee, bool]]:
        """Return the classes with a method, derived ones first; the flag: if it takes the object."""

    @abstractmethod
    def callee_in_class(self, cls: type, name: str) -> Callee | None:
        """Return a method of a class as a function that takes the object first, or None."""

    @abstractmethod
    def mapping(self, t: Any, value: Expr, node: ast.AST) -> Expr:
        """Return a value that `**` spreads, or its dictionary if it is an object of these classes."""

    @abstractmethod
    def has_iterators(self) -> bool:
        """Return whether objects of the program's classes can be iterated over."""

    @abstractmethod
    def library_callee(self, value: Any) -> Callee | None:
        """Return the library function that stands for a Python object, or None."""

    @abstractmethod
    def library_function(self, function: Any) -> Callee:
        """Return a function of the library."""

    @abstractmethod
    def library_method(self, name: str) -> Callee | None:
        """Return the library function for a method of Python's own types, or None."""

    @abstractmethod
    def changing_method(self, name: str) -> Callee | None:
        """Return the library function for a method that changes a list or dictionary, or None."""

    @abstractmethod
    def callee(self, known: Reference) -> Callee | None:
        """Return the translated function that a known object is, or None."""

    @abstractmethod
    def classes_of(self, t: Any, node: ast.expr, env: Env) -> tuple[type, ...]:
        """Return the classes that an expression names, as `except` takes them."""

    @abstractmethod
    def known_classes(self, t: Any, node: ast.expr, env: Env) -> tuple[type, ...] | None:
        """Return the classes that an expression names, as `isinstance` takes them; None for other values."""
