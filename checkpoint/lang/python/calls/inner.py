"""Translate operations on containers whose items are objects with methods of their own for them.

In: a primitive and its simple operands. Out: the primitive, of the numbers that members of enumerations are;
where a class of the program has a method that Python runs for items (`__eq__` in `[a] == [b]`), a choice: the
library's function where such an object is inside of the operands (library/inner.py).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Any

from checkpoint.ad.record import Scalar, find
from checkpoint.errors import Span
from checkpoint.lang.core import Const, Expr, If
from checkpoint.lang.python.calls import arrange, hashing
from checkpoint.lang.python.context import value_operands
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import bind, copy_of, instance, prim
from checkpoint.lang.python.context.contexts import CallContext, FunctionContext, ProgramContext
from checkpoint.lang.python.library import inner, tables
from checkpoint.lang.python.library.standard import keyed
from checkpoint.lang.python.source.members import found as found_in
from checkpoint.lang.python.source.members import is_enum_of_numbers, is_generated

# For each primitive: the methods that it runs for items, the operands that are taken apart, the function.
_EQUALITY, _ORDER = ("__eq__",), ("__lt__", "__gt__", "__le__", "__ge__", "__eq__")
RUNS: dict[str, tuple[tuple[str, ...], int, Callable[..., Any]]] = {
    "py.eq": (_EQUALITY, 2, inner.equal),
    "py.lt": (_ORDER, 2, inner.less),
    "py.le": (_ORDER, 2, inner.less_or_equal),
    "py.gt": (_ORDER, 2, inner.greater),
    "py.ge": (_ORDER, 2, inner.greater_or_equal),
    "py.contains": (_EQUALITY, 2, inner.contains),
    "py.position": (_EQUALITY, 2, inner.position),
    "py.position-to-remove": (_EQUALITY, 2, inner.position_to_remove),
    "py.count": (_EQUALITY, 2, inner.count),
    "py.order": (_ORDER, 1, inner.order),
    "py.repr": (("__repr__",), 1, inner.shown),
    "py.str": (("__repr__",), 1, inner.shown),
}
COMPARED = ("py.eq", "py.lt", "py.le", "py.gt", "py.ge")
_SHOWN = ("py.repr", "py.str")


def has_members(program: ProgramContext, op: str) -> bool:
    """Return whether an operator is arithmetic, in a program with enumerations that are numbers."""
    return any(map(is_enum_of_numbers, program.classes)) and isinstance(find(op), Scalar)


def numbers(program: ProgramContext, v: list[Expr], span: Span) -> list[Expr]:
    """Return the simple operands of arithmetic, with numbers for members of enumerations."""
    classes = [cls for cls in program.classes if is_enum_of_numbers(cls)]

    def number(x: Expr, others: list[Expr]) -> Expr:
        result = prim(span, "py.enum-number", copy_of(x))
        tests = [instance(span, copy_of(y), int, float) for y in others]
        for test in (*tests, instance(span, copy_of(x), *classes)):
            result = If(span, test, result, copy_of(x))
        return result

    return [number(x, v[:i] + v[i + 1 :]) for i, x in enumerate(v)]


def takes_reals(op: str) -> bool:
    """Return whether a primitive is a function of the module math, which takes objects by `__float__`."""
    return op.startswith("py.math.") and op.removeprefix("py.math.") not in _OF_INTEGERS


_OF_INTEGERS = frozenset(("ceil", "comb", "factorial", "floor", "gcd", "isqrt", "lcm", "perm", "trunc"))


def with_reals(program: ProgramContext, t: CallContext, op: str, args: list[Expr], node: ast.AST) -> Expr:
    """Apply a function of math to operands of which some may be objects that are real numbers."""
    span = t.span(node)
    classes = [group.cls for group in program.groups("__float__", "__index__")]

    def real(v: list[Expr]) -> Expr:
        made = t.program.operation(t, "py.float", list(map(copy_of, v)), node)
        return If(span, instance(span, copy_of(v[0]), *classes), made, copy_of(v[0]))

    plain = [value_operands.operand(t, x, span) for x in args]
    reals = [bind(program.names, [x], real) for x in plain]
    return bind(program.names, reals, lambda v: prim(span, op, *map(copy_of, v)))


def applied(program: ProgramContext, t: CallContext, op: str, args: list[Expr], node: ast.AST) -> Expr:
    """Return a primitive of operands, of which those that are containers may have such objects inside."""
    if op == "py.item" and keyed.KeyedDict in program.classes and _may_be_any_key(t, args[1]):
        return _of_any_key(program, t, args, node)
    if not hashing.asks(program, op):
        return _of_sequences(program, t, op, args, node)

    def choose(v: list[Expr]) -> Expr:
        plain = _of_sequences(program, t, op, list(map(copy_of, v)), node)
        return hashing.asked(program, t, op, v, plain, node)

    return bind(program.names, args, choose)


def _may_be_any_key(t: CallContext, key: Expr) -> bool:
    """Return whether a key in the user's text may be a real."""
    if isinstance(key, Const) and type(key.value) is not float:
        return False
    return isinstance(t, FunctionContext) and not tables.is_file_of_library(t.text.source.name)


def _of_any_key(program: ProgramContext, t: CallContext, args: list[Expr], node: ast.AST) -> Expr:
    """Return `x[key]` where x may be a dictionary from outside, whose keys are constants."""
    span, callee = t.span(node), program.library_function(keyed.item_of_constants)

    def choose(v: list[Expr]) -> Expr:
        found = t.call(callee, list(map(copy_of, v)), {}, span)
        return If(span, instance(span, copy_of(v[0]), dict), found, prim(span, "py.item", *map(copy_of, v)))

    return bind(program.names, args, choose)


def by_elements(span: Span, op: str, v: list[Expr], otherwise: Expr) -> Expr:
    """Return the primitive of two operands where one is an array, else the other expression."""
    found = otherwise
    for operand in v:
        is_array = prim(span, "py.is-array", copy_of(operand))
        found = If(span, is_array, prim(span, op, *map(copy_of, v)), found)
    return found


def _of_sequences(program: ProgramContext, t: CallContext, op: str, args: list[Expr], node: ast.AST) -> Expr:
    span, found = t.span(node), RUNS.get(op)
    if found is None or not program.groups(*found[0]) or _are_atoms(op, args):
        return prim(span, op, *args)
    names, count, function = found
    callee = program.library_function(function)

    def choose(v: list[Expr]) -> Expr:
        plain, again = [prim(span, op, *map(copy_of, v)) for _ in range(2)]
        methods = prim(span, "py.tuple", *[Const(span, name) for name in names])
        holds = prim(span, "py.runs-methods", methods, *map(copy_of, v[:count]))
        passed = Arguments(list(map(copy_of, v)))
        own = arrange.apply(t, callee, passed, node, arrange.caller(t, callee, span))
        test = instance(span, copy_of(v[0]), *_containers(program, op, names[-1]))
        return If(span, test, If(span, holds, own, plain), again)

    return bind(program.names, args, choose)


def _are_atoms(op: str, args: list[Expr]) -> bool:
    """Return whether an operand is a number or string of the program's text, which is not taken apart."""
    compared = args[:2] if op in COMPARED else args[:1]
    return any(isinstance(arg, Const) for arg in compared)


def _containers(program: ProgramContext, op: str, name: str) -> list[type]:
    """Return the classes of the containers whose items an operation takes."""
    if op not in _SHOWN and op not in COMPARED:
        return [list, tuple]
    generated = [c for c in program.classes if is_dataclass(c) and is_generated(found_in(c, name))]
    more = [set, frozenset] if op in _SHOWN else []
    return [list, tuple, dict, *more, *generated]
