"""Translate operations on objects of the program's classes.

In: an operation, attribute or call of values, and the classes whose objects the program may meet. Out: the
primitive, if no class has a method for the operation; else a choice by the class of the operand. The classes
are those of the program's inputs, those of which its functions make objects, and the enumerations that they
name.
"""

from __future__ import annotations

import ast
import types
from abc import abstractmethod
from functools import partial
from typing import Any

from checkpoint.ad.containers import Layout
from checkpoint.ad.library import refusal
from checkpoint.errors import SourceError, Span
from checkpoint.lang.core import App, Expr, If, Lambda
from checkpoint.lang.python.calls import arrange, classes, iterables, operators
from checkpoint.lang.python.calls.attributes import Attributes
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import bind, const, copy_of, instance, prim, raise_error
from checkpoint.lang.python.context.contexts import CallContext, FunctionContext
from checkpoint.lang.python.context.meanings import Callee, Env, Group, Reference, unavailable
from checkpoint.lang.python.library import inner, tables
from checkpoint.lang.python.library.intrinsics import apply
from checkpoint.lang.python.library.stand_ins import NAMED_AS
from checkpoint.lang.python.library.unbound import as_function
from checkpoint.lang.python.linking import class_values, values
from checkpoint.lang.python.linking.caches import Caches
from checkpoint.lang.python.linking.facts import Notes
from checkpoint.lang.python.linking.inputs import FUNCTIONS, Inputs
from checkpoint.lang.python.source.members import (
    METHOD_TYPES,
    all_fields,
    derives,
    found,
    is_generated,
    member_of,
    stored_in,
    without_cache,
)


class Objects(Notes):
    """The operations of a program on the objects of its classes; the linker adds functions."""

    inputs: Inputs
    caches: Caches
    callees: dict[Any, Callee]
    bindings: dict[str, Lambda]
    made_class = ""
    variables: dict[int, str]
    known_groups: dict[tuple[str, ...], list[Group]]
    layouts: dict[tuple[type, tuple[str, ...]], Layout]

    def identities(self) -> str:
        return self.caches.identities(self.names)

    def functions_input(self) -> str:
        """Return the core variable of the functions used as values (checkpoint.prims.python.own)."""
        found = self.find(0, FUNCTIONS, FUNCTIONS)
        assert isinstance(found, str)
        return found

    def class_maker(self) -> str:
        """Return the core variable of the procedure from classes to their constructors."""
        self.made_class = self.made_class or self.names.fresh("class")
        return self.made_class

    @abstractmethod
    def find(self, parent: int, kind: str, key: Any) -> Reference | str | None:
        """Return the meaning of what one step from an input leads to."""

    @abstractmethod
    def bound_parts(
        self, t: CallContext, known: Reference, node: ast.AST
    ) -> tuple[Reference, list[Expr], dict[str, Expr]]:
        """Return the function of a bound method or partial object, and the arguments that it holds."""

    @abstractmethod
    def attribute_of(self, base: Reference, name: str) -> Reference | str | None:
        """Return the meaning of an attribute of a known object."""

    def index_of(self, variable: str) -> int | None:
        """Return the index of the input that a variable stands for; None for other variables."""
        return next((i for i, name in self.variables.items() if name == variable), None)

    def input_of(self, variable: str) -> Any:
        """Return the object that an input's variable stands for, during translation."""
        return self.inputs.value(next(i for i, name in self.variables.items() if name == variable))

    def has_method(self, *names: str) -> bool:
        """Return whether a class of the program has one of these methods."""
        return any(member_of(cls, name) is not None for cls in self.facts.classes for name in names)

    def classes_with_field(self, name: str) -> tuple[type, ...]:
        return tuple(cls for cls in self.facts.classes if name in all_fields(cls))

    def reference_of(self, thing: Any) -> Reference:
        """Return a known class or module as a reference through which its attributes are found."""
        index, _ = self.inputs.find(0, "library", thing)
        return Reference(thing, index)

    def in_class(self, cls: type, name: str) -> Reference | str | None:
        self.check_read(cls, name)
        base = self.reference_of(cls)
        assert base.input is not None
        return self.find(base.input, "in class", name)

    def class_attribute(self, cls: type, name: str) -> Reference | str | None:
        """Return the meaning of an attribute of a class."""
        return self.attribute_of(self.reference_of(cls), name)

    def layout(self, cls: type, names: tuple[str, ...]) -> Layout:
        """Return the layout of new objects of a class with these attributes; the same one each time."""
        self.note_class(cls)
        return self.layouts.setdefault((cls, names), Layout(cls, names))

    def accessor(self, cls: type, name: str, kind: str) -> Callee | None:
        """Return a function of a property of a class; kind: its access, such as "getter"."""
        base = self.in_class(cls, name)
        assert isinstance(base, Reference)
        assert base.input is not None
        found = self.find(base.input, kind, None)
        return self.callee(found) if isinstance(found, Reference) else None

    def bound_method(self, callee: Callee, self_: Expr, span: Span) -> Expr:
        """Return a method of an object as a value."""
        return values.bound_method(self, callee, self_, span)

    def callee_in_class(self, cls: type, name: str) -> Callee | None:
        """Return a method of a class as a function that takes the object first, or None."""
        if not isinstance(without_cache(stored_in(cls, cls).get(name, member_of(cls, name))), METHOD_TYPES):
            return None
        barred = refusal(next((base for base in cls.__mro__ if name in vars(base)), cls))
        if barred is not None:  # of a library's class that no program may use
            shown, instead = refusal(cls) or barred
            return unavailable(SourceError(f"{shown}.{name} cannot be differentiated: {instead}"))
        return self._callee_of(self.in_class(cls, name))

    def _callee_of(self, found: Reference | str | None) -> Callee | None:
        """Return the function that a member of a class is; one without a text is refused by its calls."""
        if not isinstance(found, Reference):
            return None
        try:
            return self.callee(found)
        except SourceError as error:
            return unavailable(error)

    def owners_of(self, name: str) -> list[tuple[type, Callee, bool]]:
        """Return the classes with a method, derived ones first; the flag: if it takes the object."""
        found: list[tuple[type, Callee, bool]] = []
        kept: list[tuple[type, Any]] = []
        for cls in reversed(self.classes):
            member = member_of(cls, name)
            inherited = next((m for c, m in kept if derives(cls, c)), None)
            if member is inherited and not isinstance(member, classmethod):
                continue
            callee = self._method(cls, name, member)
            if callee is not None:
                kept.insert(0, (cls, member))
                found.insert(0, (cls, callee, isinstance(member, METHOD_TYPES)))
        return found

    def _method(self, cls: type, name: str, member: Any) -> Callee | None:
        """Return a method as a function; a static or class method does not take the object."""
        if isinstance(member, METHOD_TYPES):
            return self.callee_in_class(cls, name)
        if isinstance(member, staticmethod | classmethod):
            known = self.class_attribute(cls, name)
            return self._callee_of(known)
        return None

    def groups(self, *names: str) -> list[Group]:
        """Return the classes that have one of these methods, derived ones first."""
        if names not in self.known_groups:
            self.known_groups[names] = self._groups(names)
        return self.known_groups[names]

    def _groups(self, names: tuple[str, ...]) -> list[Group]:
        groups: list[Group] = []
        kept: list[tuple[type, list[Any]]] = []
        for cls in reversed(self.classes):
            members = [member_of(cls, name) or _generated(cls, name) for name in names]
            inherited = next((m for c, m in kept if derives(cls, c)), None)
            if members == inherited or not any(isinstance(m, METHOD_TYPES) for m in members):
                continue
            callees = {name: self._of_group(cls, name) for name in names}
            methods = {name: callee for name, callee in callees.items() if callee is not None}
            if methods:
                has_derived = any(c is not cls and derives(c, cls) for c in self.classes)
                kept.insert(0, (cls, members))
                groups.insert(0, Group(cls, methods, has_derived))
        return groups

    def _of_group(self, cls: type, name: str) -> Callee | None:
        is_made = name in inner.GENERATED and is_generated(found(cls, name))
        return self.library_function(inner.GENERATED[name]) if is_made else self.callee_in_class(cls, name)

    def operation(self, t: CallContext, op: str, args: list[Expr], node: ast.AST) -> Expr:
        """Apply a primitive to values, or the method behind it to objects of the program's classes."""
        return operators.operation(self, t, op, args, node)

    def called(self, t: CallContext, function: Expr, passed: Arguments, node: ast.AST) -> Expr:
        """Call a value, which may be an object with `__call__`, or take a varying number of arguments."""
        if self.has_class_values():
            function = class_values.called(self, function, self.class_maker(), t.span(node))
        if self.facts.dtypes:
            maker = self.library_function(as_function)
            function = class_values.dtype_called(self, function, maker, t.span(node))
        owners = self.owners_of("__call__")
        simple = passed.star is None and not passed.keywords and passed.mapping is None
        if not owners and simple:
            return self._applied(function, passed.positional, t.span(node))

        def choose(v: list[Expr]) -> Expr:
            return self._call_of_one(t, owners, v[0], passed.like(v[1:]), node)

        return bind(self.names, [function, *passed.values], choose)

    def _applied(self, function: Expr, args: list[Expr], span: Span) -> Expr:
        self.note_count(len(args))
        if self.facts.varying:
            function = prim(span, "py.callee", function, const(span, len(args)))
        return App(span, function, tuple(args))

    def _generally(self, t: CallContext, function: Expr, passed: Arguments, span: Span) -> Expr:
        """Call a procedure with a tuple of arguments and a dictionary of keywords."""
        self.note_general()
        args, keywords = arrange.collected(passed, span)
        callee = self.library_callee(apply)
        assert callee is not None
        return t.call(callee, [copy_of(function), args, keywords], {}, span)

    def _call_of_one(
        self,
        t: CallContext,
        owners: list[tuple[type, Callee, bool]],
        function: Expr,
        passed: Arguments,
        node: ast.AST,
    ) -> Expr:
        """Call a procedure, or an object of one of these classes; all arguments are simple."""
        span = t.span(node)
        if passed.star is not None or passed.keywords or passed.mapping is not None:
            result = self._generally(t, function, passed.like(list(map(copy_of, passed.values))), span)
        else:
            result = self._applied(copy_of(function), list(map(copy_of, passed.positional)), span)
        for cls, callee, _ in reversed(owners):
            own = passed.like([copy_of(value) for value in passed.values]).after([copy_of(function)], {})
            call = arrange.caller(t, callee, span)
            made = t.attempt(node, partial(arrange.apply, t, callee, own, node, call))
            result = If(span, instance(span, copy_of(function), cls), made, result)
        return result

    def attribute(self, t: CallContext, value: Expr, name: str, node: ast.AST) -> Expr:
        """Return an attribute of a value: a field, or a member of its class."""
        return Attributes(self, t, name, node).read(value)

    # Iteration

    def has_iterators(self) -> bool:
        return iterables.has_iterators(self)

    def start(self, t: CallContext, value: Expr, node: ast.AST) -> Expr:
        return iterables.start(self, t, value, node)

    def taken_apart(self, t: CallContext, value: Expr, node: ast.AST) -> Expr:
        return iterables.taken_apart(self, t, value, node)

    def mapping(self, t: CallContext, value: Expr, node: ast.AST) -> Expr:
        return iterables.mapping(self, t, value, node)

    def is_iterator(self, t: CallContext, source: Expr, node: ast.AST) -> Expr:
        return iterables.is_iterator(self, t, source, node)

    def advance(self, t: CallContext, source: Expr, cell: Expr, node: ast.AST) -> Expr:
        return iterables.advance(self, t, source, cell, node)

    # Exceptions and isinstance

    def exception(self, t: FunctionContext, node: ast.expr, env: Env, check: str = "py.raise-check") -> Expr:
        """Return the exception that a `raise` names; a class stands for an instance of it."""
        span = t.span(node)
        known = self.reference(t, node, env)
        if isinstance(known, Reference) and isinstance(known.value, type):
            if issubclass(known.value, BaseException):
                return classes.exception(t, known, Arguments(), node)
            return raise_error(span, TypeError, "exceptions must derive from BaseException")
        return prim(span, check, t.expr(node, env))

    def classes_of(self, t: FunctionContext, node: ast.expr, env: Env) -> tuple[type, ...]:
        """Return the classes that an expression names, as `except` takes them."""
        found = self.known_classes(t, node, env)
        if found is None:
            raise t.refuse(node, "a class that is only known when it runs", "name the classes")
        return found

    def known_classes(self, t: FunctionContext, node: ast.expr, env: Env) -> tuple[type, ...] | None:
        """Return the classes that an expression names, as `isinstance` takes them; None for other values."""
        parts = node.elts if isinstance(node, ast.Tuple) else []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            parts = [node.left, node.right]
        if parts or isinstance(node, ast.Tuple):
            of_parts = [self.known_classes(t, part, env) for part in parts]
            return None if None in of_parts else tuple([cls for found in of_parts for cls in found or ()])
        if isinstance(node, ast.Constant) and node.value is None:
            return (type(None),)
        known = self.reference(t, node, env)
        value = known.value if isinstance(known, Reference) else None
        if isinstance(value, types.UnionType):
            return tuple(value.__args__)
        if isinstance(value, type):
            return (value, *self._stand_ins(t, value))
        if isinstance(known, str):
            found = self.input_of(known)
            if isinstance(found, tuple) and all(isinstance(cls, type) for cls in found):
                return tuple([each for cls in found for each in (cls, *self._stand_ins(t, cls))])
        return None

    def _stand_ins(self, t: FunctionContext, cls: type) -> list[type]:
        """Return the library's classes whose objects stand for those of a class or of derived ones."""
        if tables.is_file_of_library(t.text.source.name) and cls.__module__ != "collections.abc":
            return []
        return [
            stand_in
            for stand_in, of in NAMED_AS.items()
            if issubclass(of, cls) and stand_in in self.facts.classes
        ]


def _generated(cls: type, name: str) -> Any:
    """Return what stands for a method of a dataclass that overrides an inherited one; None for all others."""
    members = [vars(base)[name] for base in cls.__mro__ if name in vars(base)]
    if name not in inner.GENERATED or not members or not is_generated(members[0]):
        return None
    overrides = any(isinstance(m, types.FunctionType) and not is_generated(m) for m in members)
    return inner.GENERATED[name] if overrides else None
