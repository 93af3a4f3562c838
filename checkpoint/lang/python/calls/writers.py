"""Translate calls of functions that write into arrays among their arguments (outcomes.py)."""

from __future__ import annotations

import ast

from checkpoint.lang.core import Expr
from checkpoint.lang.python.calls import arrange, methods
from checkpoint.lang.python.calls.outcomes import Outcomes
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.meanings import Env, Reference
from checkpoint.lang.python.normal.nodes import Writing


def translate(t: FunctionContext, node: Writing, env: Env) -> Expr:
    """Translate a call with its outcome."""
    call = node.call
    binding = env.get(call.func.id) if isinstance(call.func, ast.Name) else None
    if binding is not None and binding.callee is not None:
        nested = Outcomes(t, node, node.written, env)
        return nested.of_callee(binding.callee, arrange.arguments(t, call, env), 0)
    known = t.program.reference(t, call.func, env)
    if not isinstance(known, Reference):
        assert isinstance(call.func, ast.Attribute)
        return methods.call(t, call.func, call, env, Outcomes(t, node, node.written))
    callee = t.program.callee(known) or t.program.library_callee(known.value)
    assert callee is not None
    return Outcomes(t, node, node.written).of_callee(callee, arrange.arguments(t, call, env), 0)
