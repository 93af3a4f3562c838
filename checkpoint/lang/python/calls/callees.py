"""Translate calls, by the kind of what they call.

In: a call in normal form. Out: its value. The callee is, in this order: a local function; a known Python
object (statics.py); a method (methods.py); any other value, to which arguments are passed by position.
"""

from __future__ import annotations

import ast

from checkpoint.lang.core import Expr
from checkpoint.lang.python.calls import class_values, creation, methods, reflection, statics, supers
from checkpoint.lang.python.calls.arrange import arguments, to_callee, to_value
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.meanings import Env, Reference


def translate(t: FunctionContext, node: ast.Call, env: Env) -> Expr:
    """Translate a call."""
    function = _without_parameters(t, node.func, env)
    if isinstance(function, ast.Name):
        binding = env.get(function.id)
        if binding is not None and binding.callee is not None and not binding.cell:
            return to_callee(t, binding.callee, node, env)
    if isinstance(function, ast.Attribute):
        found = supers.find(t, function.value, env)
        if found is not None:
            return supers.call(t, found, function.attr, node, env)
    known = t.program.reference(t, function, env)
    if isinstance(known, Reference):
        return statics.call(t, known, node, env)
    if isinstance(function, ast.Attribute) and function.attr in reflection.BY_NAME and known is None:
        by_name = reflection.attribute_by_name(t, function, node, env)
        if by_name is not None:
            return by_name
    if isinstance(function, ast.Attribute) and function.attr == "__new__" and known is None:
        return creation.of_value(t, node, env)
    if isinstance(function, ast.Attribute) and class_values.type_of(t, function.value, env) is not None:
        return to_value(t, t.expr(function, env), arguments(t, node, env), node)
    if isinstance(function, ast.Attribute) and function.attr != "__class__" and known is None:
        return methods.call(t, function, node, env)
    made = reflection.call_of_type(t, node, env)
    if made is not None:
        return made
    return to_value(t, t.expr(function, env), arguments(t, node, env), node)


def _without_parameters(t: FunctionContext, function: ast.expr, env: Env) -> ast.expr:
    """Return the class `set` for `set[int]`, whose parameters say nothing to a run."""
    if isinstance(function, ast.Subscript) and isinstance(function.value, ast.Name):
        known = t.program.reference(t, function.value, env)
        if isinstance(known, Reference) and isinstance(known.value, type):
            return function.value
    return function
