"""Translate operations on sets, which may have objects as elements.

In: a primitive of sets and its operands. Out: the primitive; in programs with objects that can be elements
the library's function (library/hashing.py).
"""

from __future__ import annotations

import ast

from checkpoint.lang.core import Expr, If
from checkpoint.lang.python.context.builder import bind, copy_of, prim
from checkpoint.lang.python.context.contexts import CallContext, ProgramContext
from checkpoint.lang.python.context.iterables import is_set
from checkpoint.lang.python.library import hashing
from checkpoint.lang.python.library.stand_ins import is_of_library
from checkpoint.lang.python.source.members import makes_record


def has_elements(program: ProgramContext) -> bool:
    """Return whether objects of the program's classes can be elements of sets."""
    if not program.has_sets:
        return False
    return any(
        not makes_record(cls) and not issubclass(cls, BaseException) and not is_of_library(cls)
        for cls in program.classes
    ) or bool(program.groups("__hash__", "__eq__"))


def applied(program: ProgramContext, t: CallContext, op: str, args: list[Expr], node: ast.AST) -> Expr | None:
    """Return a primitive of sets applied to operands; None for all other primitives."""
    span = t.span(node)
    if op not in hashing.STANDS_FOR:
        return None
    if has_elements(program):
        return t.call(program.library_function(hashing.STANDS_FOR[op]), args, {}, span)
    if op == "py.token-in":
        return prim(span, "py.token", args[0])
    if op == "py.delete-element":
        return prim(span, "py.delete", *args)
    if op != "py.table-of":
        return prim(span, op, *args)
    return bind(
        program.names, args, lambda v: prim(span, "py.table", prim(span, "py.tokens", copy_of(v[0])), v[0])
    )


def asks(program: ProgramContext, op: str) -> bool:
    """Return whether a primitive may ask a set for objects."""
    return op in ("py.contains", "py.eq") and has_elements(program)


def asked(
    program: ProgramContext, t: CallContext, op: str, v: list[Expr], otherwise: Expr, node: ast.AST
) -> Expr:
    """Return `v in x` or `x == y` of simple operands where x is a set; else the other expression."""
    span = t.span(node)
    callee = program.library_function(hashing.has if op == "py.contains" else hashing.same)
    own = t.call(callee, list(map(copy_of, v)), {}, span)
    return If(span, is_set(copy_of(v[0]), span), own, otherwise)
