"""Translate calls of checkpoint.control: each becomes a primitive of control, at the place of the call.

In: a call with a function, and a tag before it where the name ends in _at. Out: the primitive
(lang/control), of the tag and of a lambda that calls the function. linking/captures.py replaces it when the
program is whole.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from checkpoint.ad.values import Symbol
from checkpoint.lang.control import DEFAULT_TAG, RESET, SHIFT
from checkpoint.lang.core import Const, Expr, Lambda, Prim, Var
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import bind, copy_of
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.meanings import Env

Special = Callable[[FunctionContext, ast.Call, Env], Expr | None]


def _made(t: FunctionContext, node: ast.Call, op: str, tag: Expr, function: Expr) -> Expr:
    """Return the primitive that calls a function, with the continuation if it is a shift."""
    span = t.span(node)
    params = (t.program.names.fresh("k"),) if op == SHIFT else ()
    passed: list[Expr] = [Var(span, param) for param in params]
    body = t.program.called(t, copy_of(function), Arguments(passed), node)
    return Prim(span, op, (tag, Lambda(span, params, body)))


def _special(op: str, has_tag: bool) -> Special:
    def translate(t: FunctionContext, node: ast.Call, env: Env) -> Expr | None:
        simple = not node.keywords and not any(isinstance(arg, ast.Starred) for arg in node.args)
        if not simple or len(node.args) != 1 + has_tag:
            return None
        values = [t.expr(arg, env) for arg in node.args]

        def made(found: Sequence[Expr]) -> Expr:
            tag = copy_of(found[0]) if has_tag else Const(t.span(node), Symbol(DEFAULT_TAG))
            return _made(t, node, op, tag, found[-1])

        return bind(t.program.names, values, made, "control")

    return translate


# By the names of the functions of checkpoint.control.
SPECIAL: dict[str, Special] = {
    "reset": _special(RESET, False),
    "shift": _special(SHIFT, False),
    "reset_at": _special(RESET, True),
    "shift_at": _special(SHIFT, True),
}
