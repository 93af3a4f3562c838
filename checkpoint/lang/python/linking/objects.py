"""Translate operations on objects of the program's classes.

In: an operation, attribute or call of values, and the classes whose objects the program may meet. Out: the
primitive, if no class has a method for the operation; else a choice by the class of the operand. The classes
are those of the program's inputs and those that its functions name.
"""

from __future__ import annotations

import ast
import functools
import types
from abc import abstractmethod
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from checkpoint.ad.arrays import Array
from checkpoint.ad.opaque import is_constant
from checkpoint.ad.tables import Table
from checkpoint.errors import SourceError, Span
from checkpoint.lang.core import App, Expr, If, Var
from checkpoint.lang.python.calls import arrange, classes
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import bind, const, copy_of, instance, prim
from checkpoint.lang.python.context.contexts import CallContext, FunctionContext, ProgramContext
from checkpoint.lang.python.context.meanings import Callee, Env, Reference, unavailable
from checkpoint.lang.python.library.intrinsics import apply
from checkpoint.lang.python.linking import values
from checkpoint.lang.python.linking.inputs import Inputs, classes_in
from checkpoint.lang.python.source import advice

CLASS_MEMBERS = (types.FunctionType, property, staticmethod, classmethod, functools.cached_property)

# For each operation the method of the first operand, and the reflected one of the second.
METHODS: dict[str, tuple[str, str | None]] = {
    "py.add": ("__add__", "__radd__"),
    "py.iadd": ("__add__", "__radd__"),
    "py.sub": ("__sub__", "__rsub__"),
    "py.mul": ("__mul__", "__rmul__"),
    "py.imul": ("__mul__", "__rmul__"),
    "py.truediv": ("__truediv__", "__rtruediv__"),
    "py.floordiv": ("__floordiv__", "__rfloordiv__"),
    "py.mod": ("__mod__", "__rmod__"),
    "py.pow": ("__pow__", "__rpow__"),
    "py.matmul": ("__matmul__", "__rmatmul__"),
    "py.neg": ("__neg__", None),
    "py.pos": ("__pos__", None),
    "py.abs": ("__abs__", None),
    "py.lt": ("__lt__", "__gt__"),
    "py.le": ("__le__", "__ge__"),
    "py.gt": ("__gt__", "__lt__"),
    "py.ge": ("__ge__", "__le__"),
    "py.eq": ("__eq__", "__eq__"),
    "py.ne": ("__ne__", "__ne__"),
    "py.truth": ("__bool__", None),
    "py.len": ("__len__", None),
    "py.item": ("__getitem__", None),
    "py.contains": ("__contains__", None),
    "py.str": ("__str__", None),
    "py.repr": ("__repr__", None),
    "py.float": ("__float__", None),
    "py.int": ("__int__", None),
}
METHODS.update(
    {f"py.i{op}": METHODS[f"py.{op}"] for op in ("sub", "truediv", "floordiv", "mod", "pow", "matmul")}
)


@dataclass(eq=False, repr=False)
class Facts:
    """Facts about the whole program, found during its translation.

    classes: the classes whose objects the program may meet, in the order of their discovery.
    varying: whether some value takes a varying number of arguments.
    tables: whether tables of pandas are among the arguments and inputs.
    general: whether a value is called with `*`, `**` or keywords. most: the most arguments by position of a
        call of a value. sets: whether there are sets.
    """

    classes: dict[type, Any] = field(default_factory=dict)
    varying: bool = False
    tables: bool = False
    general: bool = False
    most: int = 4
    sets: bool = False


class FactsChanged(Exception):
    """A new fact: the translation must start again."""


class Objects(ProgramContext):
    """The operations of a program on the objects of its classes; the linker adds functions."""

    facts: Facts
    inputs: Inputs
    variables: dict[int, str]

    @abstractmethod
    def find(self, parent: int, kind: str, key: Any) -> Reference | str | None:
        """Return the meaning of what one step from an input leads to."""

    @abstractmethod
    def attribute_of(self, base: Reference, name: str) -> Reference | str | None:
        """Return the meaning of an attribute of a known object."""

    def input_of(self, variable: str) -> Any:
        """Return the object that an input's variable stands for, during translation."""
        return self.inputs.value(next(i for i, name in self.variables.items() if name == variable))

    def note_class(self, cls: type) -> None:
        """Record a class whose objects the program may meet."""
        if is_constant(cls):
            return
        for each in cls.__mro__:
            if each.__module__ == "builtins" or issubclass(each, BaseException) or each in self.facts.classes:
                continue
            if any(isinstance(v, CLASS_MEMBERS) for v in vars(each).values()) or classes.all_fields(each):
                self.facts.classes[each] = None
                raise FactsChanged

    def note_classes_of(self, value: Any) -> None:
        """Record the classes of the objects in an input."""
        for cls in classes_in([value]):
            if cls is types.FunctionType:
                self.note_varying()
            elif cls is set:
                self.note_sets()
            elif cls is Table:
                self.note_tables()
            elif cls is not Array:
                self.note_class(cls)

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

    def note_count(self, count: int) -> None:
        """Note a call of a value with so many arguments by position."""
        if count > self.facts.most:
            self.facts.most = count
            raise FactsChanged

    def has_method(self, *names: str) -> bool:
        """Return whether a class of the program has one of these methods."""
        return any(classes.member_of(cls, name) is not None for cls in self.facts.classes for name in names)

    def classes_with_field(self, name: str) -> tuple[type, ...]:
        return tuple(cls for cls in self.facts.classes if name in classes.all_fields(cls))

    def reference_to_class(self, cls: type) -> Reference:
        """Return a known class as a reference through which its methods are found."""
        index, _ = self.inputs.find(0, "library", cls)
        return Reference(cls, index)

    def in_class(self, cls: type, name: str) -> Reference | str | None:
        base = self.reference_to_class(cls)
        assert base.input is not None
        return self.find(base.input, "in class", name)

    def callee_in_class(self, cls: type, name: str) -> Callee | None:
        """Return a method of a class as a function that takes the object first, or None."""
        if not isinstance(classes.member_of(cls, name), types.FunctionType):
            return None
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
        found = []
        for cls in _derived_first(self.facts.classes):
            member = classes.member_of(cls, name)
            if isinstance(member, types.FunctionType):
                callee = self.callee_in_class(cls, name)
                if callee is not None:
                    found.append((cls, callee, True))
            elif isinstance(member, staticmethod):
                static = self.attribute_of(self.reference_to_class(cls), name)
                callee = self._callee_of(static)
                if callee is not None:
                    found.append((cls, callee, False))
        return found

    def operation(self, t: CallContext, op: str, args: list[Expr], node: ast.AST) -> Expr:
        """Apply a primitive to values, or the method behind it to objects of the program's classes."""
        span = t.span(node)
        method, reflected = METHODS.get(op, (None, None))
        if method is None or not (self.has_method(method) or (reflected and self.has_method(reflected))):
            return prim(span, op, *args)
        first = self.owners_of(method)
        second = self.owners_of(reflected) if reflected else []

        def dispatch(v: list[Expr]) -> Expr:
            result = prim(span, op, *map(copy_of, v))
            for cls, callee, _ in reversed(second):
                args = [copy_of(v[1]), copy_of(v[0])]
                made = t.attempt(node, partial(t.call, callee, args, {}, span))
                result = If(span, instance(span, copy_of(v[1]), cls), made, result)
            for cls, callee, _ in reversed(first):
                made = t.attempt(node, partial(t.call, callee, list(map(copy_of, v)), {}, span))
                result = If(span, instance(span, copy_of(v[0]), cls), made, result)
            return result

        return bind(self.names, args, dispatch)

    def called(self, t: CallContext, function: Expr, passed: Arguments, node: ast.AST) -> Expr:
        """Call a value, which may be an object with `__call__`, or take a varying number of arguments."""
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
        span = t.span(node)
        members = [(c, classes.member_of(c, name)) for c in _derived_first(self.facts.classes)]
        members = [(c, m) for c, m in members if m is not None and name not in classes.all_fields(c)]
        if not members:
            return prim(span, "py.attribute", value, const(span, name))

        def dispatch(v: list[Expr]) -> Expr:
            result = prim(span, "py.attribute", copy_of(v[0]), const(span, name))
            for cls, member in reversed(members):
                member_of = partial(self._member, t, cls, name, member, copy_of(v[0]), node)
                made = t.attempt(node, member_of)
                result = If(span, instance(span, copy_of(v[0]), cls), made, result)
            return result

        return bind(self.names, [value], dispatch)

    def _member(self, t: CallContext, cls: type, name: str, member: Any, value: Expr, node: ast.AST) -> Expr:
        """Return the member of a class under a name, for one of its objects."""
        span = t.span(node)
        if isinstance(member, property | functools.cached_property):
            base = self.in_class(cls, name)
            assert isinstance(base, Reference)
            assert base.input is not None
            getter = self.find(base.input, "getter" if isinstance(member, property) else "func", None)
            assert isinstance(getter, Reference)
            callee = self.callee(getter)
            if callee is None:
                raise t.refuse(node, *advice.of_object(getter.value))
            return t.call(callee, [value], {}, span)
        if isinstance(member, types.FunctionType):
            callee = self.callee_in_class(cls, name)
            if callee is None:
                raise t.refuse(node, *advice.of_object(member))
            return values.bound_method(self, callee, value, span)
        found = self.in_class(cls, name)
        if found is None or isinstance(found, Reference):
            if isinstance(member, classmethod):
                advised = f"call it of the class, {cls.__qualname__}.{name}(...)"
                raise t.refuse(node, f"the class method {name} of an object", advised)
            raise t.refuse(
                node, f"the attribute {name} of {cls.__qualname__}", "use a field, a property or a method"
            )
        return Var(span, found)

    # Exceptions and isinstance

    def exception(self, t: FunctionContext, node: ast.expr, env: Env, check: str = "py.raise-check") -> Expr:
        """Return the exception that a `raise` names; a class stands for an instance of it."""
        span = t.span(node)
        known = self.reference(t, node, env)
        if isinstance(known, Reference) and isinstance(known.value, type):
            call = ast.copy_location(ast.Call(node, [], []), node)
            return classes.exception(t, known.value, call, env)
        return prim(span, check, t.expr(node, env))

    def classes_of(self, t: FunctionContext, node: ast.expr, env: Env) -> tuple[type, ...]:
        """Return the classes that an expression names, as `isinstance` and `except` take them."""
        if isinstance(node, ast.Tuple):
            return tuple([cls for part in node.elts for cls in self.classes_of(t, part, env)])
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self.classes_of(t, node.left, env) + self.classes_of(t, node.right, env)
        if isinstance(node, ast.Constant) and node.value is None:
            return (type(None),)
        known = self.reference(t, node, env)
        value = known.value if isinstance(known, Reference) else None
        if isinstance(value, types.UnionType):
            return tuple(value.__args__)
        if isinstance(value, type):
            return (value,)
        if isinstance(known, str):
            found = self.input_of(known)
            if isinstance(found, tuple) and all(isinstance(cls, type) for cls in found):
                return found
        raise t.refuse(node, "a class that is only known when it runs", "name the classes")


def _derived_first(found: dict[type, Any]) -> list[type]:
    return sorted(found, key=lambda cls: -len(cls.__mro__))
