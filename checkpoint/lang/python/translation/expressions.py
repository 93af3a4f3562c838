"""Translate expressions without effects to expressions of the core.

In: an expression in normal form, and the bindings at this point. Out: a core expression that evaluates its
operands from the left, as Python does. Comprehensions are loops (control/comprehensions.py).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from enum import EnumType
from types import ModuleType

from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import Types
from checkpoint.errors import SourceError
from checkpoint.lang.core import Const, Expr, If, Var
from checkpoint.lang.python.calls import (
    arrange,
    array_calls,
    callees,
    class_values,
    functions,
    iterables,
    outside,
    reflection,
    supers,
    writers,
)
from checkpoint.lang.python.context import slices
from checkpoint.lang.python.context.builder import bind, both, const, copy_of, is_simple, negated, prim
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.iterables import LAYOUTS, complex_number, truth
from checkpoint.lang.python.context.meanings import Env, Reference
from checkpoint.lang.python.control import comprehensions, displays, views
from checkpoint.lang.python.library import sets, tables
from checkpoint.lang.python.library.standard import files
from checkpoint.lang.python.normal.nodes import IN_PLACE, Library, Writing
from checkpoint.lang.python.normal.nodes import Prim as PrimNode
from checkpoint.lang.python.scopes.lazy import Lazy
from checkpoint.lang.python.scopes.syntax import COMPREHENSIONS

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "py.add",
    ast.Sub: "py.sub",
    ast.Mult: "py.mul",
    ast.Div: "py.truediv",
    ast.FloorDiv: "py.floordiv",
    ast.Mod: "py.mod",
    ast.Pow: "py.pow",
    ast.MatMult: "py.matmul",
    ast.BitAnd: "py.and",
    ast.BitOr: "py.or",
    ast.BitXor: "py.xor",
    ast.LShift: "py.lshift",
    ast.RShift: "py.rshift",
}
BINARY.update({IN_PLACE[op]: f"py.i{name.removeprefix('py.')}" for op, name in list(BINARY.items())})
UNARY: dict[type[ast.unaryop], str] = {ast.USub: "py.neg", ast.UAdd: "py.pos", ast.Invert: "py.invert"}
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "py.eq",
    ast.NotEq: "py.ne",
    ast.Lt: "py.lt",
    ast.LtE: "py.le",
    ast.Gt: "py.gt",
    ast.GtE: "py.ge",
    ast.Is: "py.is",
    ast.IsNot: "py.is",
    ast.In: "py.contains",
    ast.NotIn: "py.contains",
}


def translate(t: FunctionContext, node: ast.expr, env: Env) -> Expr:
    """Return the value of an expression; what cannot be translated ends a run that reaches it."""
    try:
        if node in t.refusals.nodes:
            raise t.refusals.nodes[node]
        if isinstance(node, COMPREHENSIONS):
            return comprehensions.translate(t, node, env)
        found = TRANSLATIONS.get(type(node))
        if found is None:
            raise t.refuse(node, f"`{type(node).__name__}`", "write it in another way")
        return found(t, node, env)
    except SourceError as error:
        return t.refused(error, node)


def test(t: FunctionContext, node: ast.expr, env: Env) -> Expr:
    """Return the truth of an expression, as a boolean."""
    try:
        return _test(t, node, env)
    except SourceError as error:
        return t.refused(error, node)


def _test(t: FunctionContext, node: ast.expr, env: Env) -> Expr:
    span = t.span(node)
    match node:
        case ast.UnaryOp(op=ast.Not()):
            return negated(span, test(t, node.operand, env))
        case ast.BoolOp():
            tests = [test(t, part, env) for part in node.values]
            result = tests[-1]
            for each in reversed(tests[:-1]):
                yes, no = Const(span, True), Const(span, False)
                result = (
                    If(span, each, result, no)
                    if isinstance(node.op, ast.And)
                    else If(span, each, yes, result)
                )
            return result
        case ast.Constant():
            return const(span, bool(node.value))
        case ast.Compare() if not t.program.has_method(
            "__eq__", "__lt__", "__gt__", "__le__", "__ge__", "__contains__"
        ):
            return compare(t, node, env)
    value = translate(t, node, env)
    if arrange.is_predicate(value):
        return value
    return truth(t, value, node)


def constant(t: FunctionContext, node: ast.Constant, env: Env) -> Expr:
    """Translate a number, a string, bytes, None, True, False or `...`."""
    if node.value is Ellipsis:
        return Const(t.span(node), Native(Ellipsis))
    if isinstance(node.value, complex):
        return complex_number(t, node.value, t.span(node))
    return const(t.span(node), node.value)


def name(t: FunctionContext, node: ast.Name, env: Env) -> Expr:
    return t.read(node.id, node, env)


@views.rewritten_first
def binary(t: FunctionContext, node: ast.BinOp, env: Env) -> Expr:
    """Translate an operator with two operands."""
    op = BINARY[type(node.op)]
    left, right = translate(t, node.left, env), translate(t, node.right, env)
    if tables.computes_with_reals(t.text.source.name):
        return prim(t.span(node), op, left, right)
    if op == "py.mod" and isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
        right = _values_of_format(t, node.right, right)
    if t.program.has_sets and op in sets.OWN:
        return iterables.of_sets(t, op, [left, right], node)
    return t.program.operation(t, op, [left, right], node)


def _values_of_format(t: FunctionContext, node: ast.expr, values: Expr) -> Expr:
    """Return what a text is formatted with, an array as a tuple of one: `%` beside it is NumPy's operator."""
    if isinstance(node, ast.Tuple | ast.Dict | ast.Constant):
        return values
    span = t.span(node)

    def choose(v: list[Expr]) -> Expr:
        is_array = prim(span, "py.is-array", copy_of(v[0]))
        return If(span, is_array, prim(span, "py.tuple", copy_of(v[0])), copy_of(v[0]))

    return bind(t.program.names, [values], choose)


def set_display(t: FunctionContext, node: ast.Set, env: Env) -> Expr:
    """Translate a set display: the set of a tuple."""
    callee = t.program.library_callee(set)
    assert callee is not None
    elements = ast.copy_location(ast.Tuple(node.elts, ast.Load()), node)
    return t.call(callee, [sequence(t, elements, env, "of")], {}, t.span(node))


def unary(t: FunctionContext, node: ast.UnaryOp, env: Env) -> Expr:
    """Translate an operator with one operand."""
    span = t.span(node)
    if isinstance(node.op, ast.Not):
        return negated(span, test(t, node.operand, env))
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number) | float(number))):
            return const(span, -number)
    if tables.computes_with_reals(t.text.source.name):
        return prim(span, UNARY[type(node.op)], translate(t, node.operand, env))
    return t.program.operation(t, UNARY[type(node.op)], [translate(t, node.operand, env)], node)


def boolean(t: FunctionContext, node: ast.BoolOp, env: Env) -> Expr:
    """Translate `a and b`, `a or b`, whose value is the last operand that is evaluated."""
    span = t.span(node)
    result = translate(t, node.values[-1], env)
    for part in reversed(node.values[:-1]):
        rest = result

        def choose(values: list[Expr], rest: Expr = rest) -> Expr:
            is_true = values[0] if arrange.is_predicate(values[0]) else truth(t, values[0], node)
            if isinstance(node.op, ast.And):
                return If(span, is_true, rest, copy_of(values[0]))
            return If(span, is_true, copy_of(values[0]), rest)

        result = bind(t.program.names, [translate(t, part, env)], choose)
    return result


@views.rewritten_first
def compare(t: FunctionContext, node: ast.Compare, env: Env) -> Expr:
    """Translate a comparison; a chain evaluates each operand once, and only while it is needed."""
    if (of_types := class_values.compared_types(t, node, env)) is not None:
        return of_types
    first = _compared_operand(t, node.left, env)
    return _chain(t, node, first, list(zip(node.ops, node.comparators, strict=True)), env)


def _compared_operand(t: FunctionContext, node: ast.expr, env: Env) -> Expr:
    """Translate an operand of a comparison, which may be the class of an exception."""
    value = t.known_object(node, env) if isinstance(node, ast.Name | ast.Attribute) else None
    if isinstance(value, type) and issubclass(value, BaseException):
        t.program.note_class_value(value)
        return Const(t.span(node), Native(value))
    return translate(t, node, env)


def _chain(
    t: FunctionContext, node: ast.Compare, left: Expr, rest: list[tuple[ast.cmpop, ast.expr]], env: Env
) -> Expr:
    (op, comparator), more = rest[0], rest[1:]
    right = _compared_operand(t, comparator, env)
    if not more:
        return _compared(t, node, op, left, right)

    def resume(values: list[Expr]) -> Expr:
        here = _compared(t, node, op, values[0], values[1])
        return both(t.span(node), here, _chain(t, node, copy_of(values[1]), more, env))

    return bind(t.program.names, [left, right], resume)


def _compared(t: FunctionContext, node: ast.Compare, op: ast.cmpop, left: Expr, right: Expr) -> Expr:
    span, name = t.span(node), COMPARISONS[type(op)]
    if not isinstance(op, ast.In | ast.NotIn):
        found = t.program.operation(t, name, [left, right], node)
    elif is_simple(left) or is_simple(right):
        found = t.program.operation(t, name, [right, left], node)
    else:
        found = bind(t.program.names, [left], lambda v: t.program.operation(t, name, [right, v[0]], node))
    return negated(span, found) if isinstance(op, ast.NotIn | ast.IsNot) else found


def conditional(t: FunctionContext, node: ast.IfExp, env: Env) -> Expr:
    """Translate `a if test else b`."""
    then, other = translate(t, node.body, env), translate(t, node.orelse, env)
    return If(t.span(node), test(t, node.test, env), then, other)


def attribute(t: FunctionContext, node: ast.Attribute, env: Env) -> Expr:
    """Translate an attribute: of a known object, an input, or a value."""
    stream = outside.stream_of(t, node, env)
    if stream is not None:
        return t.call(
            t.program.library_function(files.stream), [const(t.span(node), stream)], {}, t.span(node)
        )
    found = supers.find(t, node.value, env)
    if found is not None:
        return supers.read(t, found, node.attr, node)
    base = t.program.reference(t, node.value, env)
    if isinstance(base, Reference) and isinstance(base.value, ModuleType | type):
        assigned = t.program.read_attribute(base.value, node.attr, t.span(node))
        if assigned is not None:
            return assigned
    known = t.program.reference(t, node, env)
    if known is not None:
        return known_value(t, known, node)
    of_type = reflection.attribute_of_type(t, node, env)
    if of_type is not None:
        return of_type
    return t.program.attribute(t, translate(t, node.value, env), node.attr, node)


def known_value(t: FunctionContext, known: Reference | str, node: ast.expr) -> Expr:
    """Return the value of a dotted name: a known object or an input."""
    if isinstance(known, str):
        t.program.check_input(t, known, node)
        return Var(t.span(node), known)
    return t.program.value_of(t, known, node)


def subscript(t: FunctionContext, node: ast.Subscript, env: Env) -> Expr:
    """Translate an item or a slice."""
    made = array_calls.of_brackets(t, node, env)
    if made is not None:
        return made
    known = t.program.reference(t, node.value, env)
    if isinstance(known, Reference) and isinstance(known.value, EnumType):
        name = translate(t, node.slice, env)
        return prim(t.span(node), "py.enum-named", Const(t.span(node), Types((known.value,))), name)
    value = translate(t, node.value, env)
    if isinstance(node.slice, ast.Slice):
        return t.program.operation(t, "py.slice", [value, *_bounds(t, node.slice, env)], node)
    return slices.item(t, [value, translate(t, node.slice, env)], node)


def _bounds(t: FunctionContext, node: ast.Slice, env: Env) -> list[Expr]:
    parts = [node.lower, node.upper, node.step]
    return [const(t.span(node), None) if part is None else translate(t, part, env) for part in parts]


def slice_(t: FunctionContext, node: ast.Slice, env: Env) -> Expr:
    """Translate a slice among the indices of an array."""
    return slices.slice_of(t.span(node), _bounds(t, node, env))


def sequence(t: FunctionContext, node: ast.Tuple | ast.List, env: Env, of_star: str = "of-star") -> Expr:
    """Translate a tuple or list display; starred parts are joined with the rest."""
    kind = "tuple" if isinstance(node, ast.Tuple) else "list"
    span = t.span(node)
    groups: list[Expr] = []
    plain: list[Expr] = []
    for part in node.elts:
        if isinstance(part, ast.Starred):
            if plain or not groups:
                groups.append(prim(span, f"py.{kind}", *plain))
            plain = []
            groups.append(
                t.program.operation(t, f"py.{kind}-{of_star}", [translate(t, part.value, env)], part)
            )
        else:
            plain.append(translate(t, part, env))
    if plain or not groups:
        groups.append(prim(span, f"py.{kind}", *plain))
    result = groups[0]
    for group in groups[1:]:
        result = prim(span, "py.add", result, group)
    return result


def joined(t: FunctionContext, node: ast.JoinedStr, env: Env) -> Expr:
    """Translate an f-string."""
    parts = [translate(t, part, env) for part in node.values]
    return prim(t.span(node), "py.joined", *parts)


def formatted(t: FunctionContext, node: ast.FormattedValue, env: Env) -> Expr:
    """Translate one part of an f-string."""
    span, value = t.span(node), translate(t, views.shown(t, node.value, env), env)
    if node.conversion == ord("r"):
        value = t.program.operation(t, "py.repr", [value], node)
    elif node.conversion == ord("a"):
        value = prim(span, "py.ascii", value)
    elif node.conversion != -1:
        value = t.program.operation(t, "py.str", [value], node)
    spec = const(span, "") if node.format_spec is None else translate(t, node.format_spec, env)
    return t.program.operation(t, "py.format", [value, spec], node)


def primitive(t: FunctionContext, node: PrimNode, env: Env) -> Expr:
    """Translate a primitive of the normal form; "set" makes a set of a dictionary of elements by tokens."""
    span, args = t.span(node), [translate(t, part, env) for part in node.args]
    if node.op != "set":
        return t.program.operation(t, node.op, args, node)
    t.program.library_callee(set)
    return prim(span, "py.record", Const(span, LAYOUTS["set"]), *args)


def library(t: FunctionContext, node: Library, env: Env) -> Expr:
    """Translate a call of a library function."""
    callee = t.program.library_function(node.function)
    return t.call(callee, [translate(t, part, env) for part in node.args], {}, t.span(node))


def starred(t: FunctionContext, node: ast.Starred, env: Env) -> Expr:
    raise t.refuse(node, "a starred expression here", "write the parts one by one")


def function(t: FunctionContext, node: ast.Lambda, env: Env) -> Expr:
    return functions.escaping_lambda(t, node, env)


TRANSLATIONS: dict[type[ast.expr], Callable[..., Expr]] = {
    ast.Constant: constant,
    ast.Name: name,
    ast.BinOp: binary,
    ast.UnaryOp: unary,
    ast.BoolOp: boolean,
    ast.Compare: compare,
    ast.IfExp: conditional,
    ast.Attribute: attribute,
    ast.Subscript: subscript,
    ast.Slice: slice_,
    ast.Tuple: sequence,
    ast.List: sequence,
    ast.Dict: displays.dictionary,
    ast.Set: set_display,
    ast.JoinedStr: joined,
    ast.FormattedValue: formatted,
    ast.Call: callees.translate,
    ast.Lambda: function,
    Lazy: function,
    ast.Starred: starred,
    PrimNode: primitive,
    Writing: writers.translate,
    Library: library,
}
