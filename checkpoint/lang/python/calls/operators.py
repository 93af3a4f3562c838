"""Translate operators of values, which may be objects of the program's classes.

In: an operation and its operands. Out: the primitive, if no class of the program has a method for it; else a
choice by the classes of the operands, as Python makes it: the method of the first operand, then the reflected
one of the second (before it, if its class is derived from that of the first operand and has a reflected
method of its own), then Python's error where both have returned NotImplemented.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial

from checkpoint.lang.core import Const, Expr, If
from checkpoint.lang.python.calls import arrange, hashing, inner, iterables
from checkpoint.lang.python.context import complex_operands
from checkpoint.lang.python.context.builder import (
    NOT_IMPLEMENTED,
    bind,
    both,
    const,
    copy_of,
    instance,
    negated,
    prim,
)
from checkpoint.lang.python.context.contexts import CallContext, ProgramContext
from checkpoint.lang.python.context.iterables import on_elements
from checkpoint.lang.python.context.meanings import Callee, Group
from checkpoint.lang.python.context.operations import BINARY, CHECKED, COMPARISONS, IN_PLACE, SIMPLE
from checkpoint.lang.python.context.slices import slice_of
from checkpoint.lang.python.library.iterators import contained
from checkpoint.lang.python.library.stand_ins import is_of_library
from checkpoint.lang.python.source.members import derives

Thunk = Callable[[], Expr]  # makes a new expression for each place


class Operators:
    """The operators at one place of a program."""

    def __init__(self, program: ProgramContext, t: CallContext, node: ast.AST) -> None:
        self.program = program
        self.t = t
        self.node = node
        self.span = t.span(node)

    def call(self, callee: Callee, args: Sequence[Expr]) -> Expr:
        """Call a method with all its arguments, which are simple, the object first."""
        return arrange.to_method(self.t, callee, args, self.node)

    def of_class(self, x: Expr, cls: type, then: Expr, otherwise: Expr) -> Expr:
        return If(self.span, instance(self.span, copy_of(x), cls), then, otherwise)

    def or_else(self, made: Expr, callee: Callee, otherwise: Thunk) -> Expr:
        """Return a method's result; the other expression where it is NotImplemented."""
        if not callee.may_decline:
            return made

        def choose(v: list[Expr]) -> Expr:
            declined = prim(self.span, "py.is", copy_of(v[0]), Const(self.span, NOT_IMPLEMENTED))
            return If(self.span, declined, otherwise(), copy_of(v[0]))

        return bind(self.program.names, [made], choose)

    # Operators with two operands

    def binary(self, op: str, args: list[Expr], sign: str | None = None) -> Expr:
        """Apply an arithmetic operator to two values."""
        shown, name = BINARY[op]
        names = (f"__{name}__", f"__r{name}__")
        groups = self.program.groups(*names)
        if not groups:
            return prim(self.span, op, *args)

        def choose(v: list[Expr]) -> Expr:
            def fails() -> Expr:
                return prim(self.span, "py.unsupported", const(self.span, sign or shown), *map(copy_of, v))

            choice = Choice(self, groups, names, v[0], v[1], fails, compares=False)
            return choice.result(lambda: prim(self.span, op, *map(copy_of, v)))

        return bind(self.program.names, args, choose)

    def in_place(self, op: str, args: list[Expr]) -> Expr:
        """Apply the operator of an augmented assignment."""
        plain = IN_PLACE[op]
        sign, name = BINARY[plain]
        sign = "**=" if name == "pow" else f"{sign}="
        own = f"__i{name}__"
        groups = self.program.groups(own)
        if not groups and not self.program.groups(f"__{name}__", f"__r{name}__"):
            return prim(self.span, op, *args)

        def choose(v: list[Expr]) -> Expr:
            def rest() -> Expr:
                return self.as_binary(op, plain, sign, v)

            result = rest()
            for group in reversed(groups):
                callee = group.methods[own]
                made = self.or_else(self.call(callee, v), callee, rest)
                result = self.of_class(v[0], group.cls, made, result)
            return complex_operands.changed(self.t, op, v, result, self.span)

        return bind(self.program.names, args, choose)

    def grown(self, args: list[Expr]) -> Expr:
        """Apply `+=`, which extends a list by the items of any iterable."""

        def choose(v: list[Expr]) -> Expr:
            items = iterables.taken_apart(self.program, self.t, copy_of(v[1]), self.node)
            extended = self.in_place("py.iadd", [copy_of(v[0]), items])
            other = self.in_place("py.iadd", list(map(copy_of, v)))
            return If(self.span, instance(self.span, copy_of(v[0]), list), extended, other)

        return bind(self.program.names, args, choose)

    def as_binary(self, op: str, plain: str, sign: str, v: list[Expr]) -> Expr:
        """Apply the operator itself for an augmented assignment; `op` where no class has a method for it."""
        name = BINARY[plain][1]
        names = (f"__{name}__", f"__r{name}__")
        groups = self.program.groups(*names)

        def fails() -> Expr:
            return prim(self.span, "py.unsupported", const(self.span, sign), *map(copy_of, v))

        choice = Choice(self, groups, names, v[0], v[1], fails, compares=False)
        return choice.result(lambda: prim(self.span, op, *map(copy_of, v)))

    def comparison(self, op: str, args: list[Expr]) -> Expr:
        """Compare two values."""
        sign, *names = COMPARISONS[op]
        if op == "py.ne":
            return self.unequal(args)
        groups = self.program.groups(*names)
        if not groups:
            return self.of_primitive(op, args)

        def choose(v: list[Expr]) -> Expr:
            def fails() -> Expr:
                if op == "py.eq":
                    return prim(self.span, "py.is", *map(copy_of, v))
                return prim(self.span, "py.unsupported", const(self.span, sign), *map(copy_of, v))

            choice = Choice(self, groups, names, v[0], v[1], fails, compares=True)
            return choice.result(lambda: self.plain_comparison(op, v))

        return bind(self.program.names, args, choose)

    def plain_comparison(self, op: str, v: list[Expr]) -> Expr:
        """Compare two values of which none is an object with a method for it; their items may be."""
        return self.of_primitive(op, list(map(copy_of, v)))

    def of_primitive(self, op: str, args: list[Expr]) -> Expr:
        """Apply a primitive to operands, which may be containers of objects, or complex beside arrays."""
        if op in complex_operands.BESIDE_ARRAYS and complex_operands.are_met(self.t):
            return complex_operands.beside_arrays(self.t, op, args, self.span)
        return inner.applied(self.program, self.t, op, args, self.node)

    def unequal(self, args: list[Expr]) -> Expr:
        """Return x != y, which is the negation of x == y where no class says otherwise."""
        groups = self.program.groups("__ne__")
        if not groups and not self.program.groups("__eq__"):
            return self.of_primitive("py.ne", args)

        def choose(v: list[Expr]) -> Expr:
            def negation() -> Expr:
                found = negated(self.span, self.truth(self.comparison("py.eq", list(map(copy_of, v)))))
                return inner.by_elements(self.span, "py.ne", v, found)

            choice = Choice(self, groups, ("__ne__", "__ne__"), v[0], v[1], negation, compares=True)
            return choice.result(negation)

        return bind(self.program.names, args, choose)

    def formatted(self, args: list[Expr]) -> Expr:
        """Return format(x, spec), which is that of str(x) where no class says otherwise."""
        plain, spec = "py.format", args[-1]
        if isinstance(spec, Const) and spec.value == "" and self.program.has_method("__str__", "__repr__"):
            plain = "py.str"
        groups = self.program.groups("__format__")

        def choose(v: list[Expr]) -> Expr:
            operands = list(map(copy_of, v[:1] if plain == "py.str" else v))
            result = self.simple(plain, operands) if plain == "py.str" else prim(self.span, plain, *operands)
            for group in reversed(groups):
                made = self.call(group.methods["__format__"], v)
                result = self.of_class(v[0], group.cls, made, result)
            return result

        if groups:
            return bind(self.program.names, args, choose)
        return self.simple(plain, args[:1]) if plain == "py.str" else prim(self.span, plain, *args)

    # Operations on one object

    def simple(self, op: str, args: list[Expr]) -> Expr:
        """Apply an operation whose method is the first operand's."""
        names = SIMPLE[op]
        groups = self.program.groups(*names)
        if not groups:
            return inner.applied(self.program, self.t, op, args, self.node)

        def choose(v: list[Expr]) -> Expr:
            result = inner.applied(self.program, self.t, op, list(map(copy_of, v)), self.node)
            for group in reversed(groups):
                name = next(name for name in names if name in group.methods)
                made = self.call(group.methods[name], v)
                made = self.real_of(v[0], made) if name == "__float__" else self.result_of(op, name, made)
                result = self.of_class(v[0], group.cls, made, result)
            return result

        return bind(self.program.names, args, choose)

    def contains(self, args: list[Expr]) -> Expr:
        """Return whether the first operand contains the second; of an iterable, whether an item is equal."""
        owners, iterables_ = self.program.groups("__contains__"), iterables.iterated(self.program)
        if not owners and not iterables_:
            return self.of_primitive("py.contains", args)

        def choose(v: list[Expr]) -> Expr:
            result = self.of_primitive("py.contains", list(map(copy_of, v)))
            for group in reversed(iterables_):
                callee = self.program.library_function(contained)
                made = self.t.call(callee, list(map(copy_of, v)), {}, self.span)
                result = self.of_class(v[0], group.cls, made, result)
            for group in reversed(owners):
                made = self.truth(self.call(group.methods["__contains__"], v))
                result = self.of_class(v[0], group.cls, made, result)
            return result

        return bind(self.program.names, args, choose)

    def result_of(self, op: str, name: str, made: Expr) -> Expr:
        """Return the result of a method as Python uses it."""
        if name in CHECKED:
            made = prim(self.span, "py.checked-result", const(self.span, name), made)
        if op == "py.truth" and name == "__len__":
            return prim(self.span, "py.ne", made, const(self.span, 0))
        return made

    def real_of(self, x: Expr, made: Expr) -> Expr:
        """Return what `__float__` of an object has returned, checked."""

        def checked(v: list[Expr]) -> Expr:
            check = prim(self.span, "py.check-real", copy_of(x), copy_of(v[0]))
            return bind(self.program.names, [check], lambda _: prim(self.span, "py.float", copy_of(v[0])))

        return bind(self.program.names, [made], checked)

    def sliced(self, args: list[Expr]) -> Expr:
        """Return x[low:high:step]: of an object what its `__getitem__` returns for the slice."""
        groups = [g for g in self.program.groups("__getitem__") if not is_of_library(g.cls)]
        if not groups:
            return prim(self.span, "py.slice", *args)
        self.program.note_slices()

        def choose(v: list[Expr]) -> Expr:
            result = prim(self.span, "py.slice", *map(copy_of, v))
            for group in reversed(groups):
                index = slice_of(self.span, list(map(copy_of, v[1:])))
                made = bind(self.program.names, [index], partial(self._item, group, v[0]))
                result = self.of_class(v[0], group.cls, made, result)
            return result

        return bind(self.program.names, args, choose)

    def _item(self, group: Group, x: Expr, index: list[Expr]) -> Expr:
        return self.call(group.methods["__getitem__"], [x, *index])

    def truth(self, value: Expr) -> Expr:
        """Return the truth of a value."""
        return value if arrange.is_predicate(value) else self.simple("py.truth", [value])


class Choice:
    """The choice of the method that applies an operator to two simple operands.

    names: of the method and of the reflected one. fails: makes what follows where all have declined.
    compares: whether it is a comparison, which asks the reflected method of the same class, too.
    """

    def __init__(
        self,
        operators: Operators,
        groups: list[Group],
        names: Sequence[str],
        x: Expr,
        y: Expr,
        fails: Thunk,
        compares: bool,
    ) -> None:
        self.operators = operators
        self.name, self.reflected = names
        self.first = [group for group in groups if self.name in group.methods]
        self.second = [group for group in groups if self.reflected in group.methods]
        self.x = x
        self.y = y
        self.fails = fails
        self.compares = compares

    def result(self, plain: Thunk) -> Expr:
        """Return the choice; plain: makes the result where no operand is of these classes."""
        result = self.by_reflected(plain())
        for group in reversed(self.first):
            result = self.operators.of_class(self.x, group.cls, self.by_first(group), result)
        return result

    def by_reflected(self, otherwise: Expr) -> Expr:
        """Return the call of the second operand's method, or the other expression."""
        for group in reversed(self.second):
            otherwise = self.operators.of_class(
                self.y, group.cls, self.of_second(group, self.fails), otherwise
            )
        return otherwise

    def of_first(self, group: Group, otherwise: Thunk) -> Expr:
        callee = group.methods[self.name]
        made = self.operators.call(callee, [self.x, self.y])
        return self.operators.or_else(made, callee, otherwise)

    def of_second(self, group: Group, otherwise: Thunk) -> Expr:
        callee = group.methods[self.reflected]
        made = self.operators.call(callee, [self.y, self.x])
        return self.operators.or_else(made, callee, otherwise)

    def by_first(self, group: Group) -> Expr:
        """Return the call of the first operand's method, with what comes before and after it."""
        span = self.operators.span
        result = self.of_first(group, self.after)
        for derived in reversed(self.second):
            if self.comes_first(derived, group):
                early = self.of_second(derived, lambda: self.of_first(group, self.fails))
                strictly = prim(span, "py.derives", copy_of(self.y), copy_of(self.x))
                both_tests = both(span, instance(span, copy_of(self.y), derived.cls), strictly)
                result = If(span, both_tests, early, result)
        return result

    def comes_first(self, derived: Group, group: Group) -> bool:
        """Return whether the reflected method of a derived class may be asked first."""
        if not derives(derived.cls, group.cls):
            return False
        if self.compares:
            return derived.cls is not group.cls or derived.has_derived
        own = group.methods.get(self.reflected)
        return derived.cls is not group.cls and derived.methods[self.reflected] is not own

    def after(self) -> Expr:
        """Return what follows where the first operand's method has declined."""
        result = self.by_reflected(self.fails())
        if self.compares or not self.second:
            return result
        same = prim(self.operators.span, "py.same-class", copy_of(self.x), copy_of(self.y))
        return If(self.operators.span, same, self.fails(), result)


def operation(program: ProgramContext, t: CallContext, op: str, args: list[Expr], node: ast.AST) -> Expr:
    """Apply a primitive to values, or the methods behind it to objects of the program's classes."""
    args = iterables.operands(program, t, op, args, node)
    of_set = hashing.applied(program, t, op, args, node)
    if of_set is not None:
        return of_set
    if inner.takes_reals(op) and program.groups("__float__", "__index__"):
        return inner.with_reals(program, t, op, args, node)
    if not inner.has_members(program, op):
        return _operation(program, t, op, args, node)

    def choose(v: list[Expr]) -> Expr:
        return _operation(program, t, op, inner.numbers(program, v, t.span(node)), node)

    return bind(program.names, args, choose)


def _operation(program: ProgramContext, t: CallContext, op: str, args: list[Expr], node: ast.AST) -> Expr:
    operators = Operators(program, t, node)
    if op == "py.slice":
        return operators.sliced(args)
    if op == "py.contains":
        return operators.contains(args)
    if len(args) == 2 and op in BINARY:
        return operators.binary(op, args)
    if op == "py.iadd" and program.has_iterators() and iterables.may_be_iterator(node):
        return operators.grown(args)
    if op in IN_PLACE:
        return operators.in_place(op, args)
    if op in COMPARISONS:
        return operators.comparison(op, args)
    if op in SIMPLE:
        return operators.simple(op, args)
    if op == "py.format" and len(args) == 2:
        return operators.formatted(args)
    if op in inner.RUNS:
        return on_elements(t, t.span(node), op, args, lambda v: inner.applied(program, t, op, v, node))
    return on_elements(t, t.span(node), op, args)
