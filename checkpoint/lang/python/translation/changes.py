"""Translate changes of lists, dictionaries and arrays: the variable that holds the object gets a new value.

In: a Change (normal/nodes.py) of the object that a path denotes: a variable, or an item of an item of one.
Out: the items along the path are read, the last is updated, and each is stored in the one before it.
"""

from __future__ import annotations

import ast

from checkpoint.errors import SourceError
from checkpoint.lang.core import Const, Expr, If, Let, Var
from checkpoint.lang.python.calls import arrange, array_calls, arrays
from checkpoint.lang.python.calls.arrays import is_array
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import bind, copy_of, prim
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.exits import Exits, Next
from checkpoint.lang.python.context.iterables import is_set, on_elements
from checkpoint.lang.python.context.meanings import Env, Reference
from checkpoint.lang.python.control import handlers
from checkpoint.lang.python.library import sets
from checkpoint.lang.python.normal.nodes import Change, Keyword
from checkpoint.lang.python.scopes.syntax import MUTATING_METHODS

# For each method the primitive, and the possible numbers of arguments.
SIMPLE: dict[str, tuple[str, tuple[int, ...]]] = {
    "set": ("py.set", (2,)),
    "set_slice": ("py.set-slice", (4,)),
    "delete": ("py.delete", (1,)),
    "delete_slice": ("py.delete-slice", (3,)),
    "append": ("py.append", (1,)),
    "extend": ("py.extend", (1,)),
    "insert": ("py.insert", (2,)),
    "clear": ("py.clear", (0,)),
    "reverse": ("py.reverse", (0,)),
    "fill": ("py.fill", (1,)),
}


def translate(t: FunctionContext, node: Change, env: Env, exits: Exits) -> Expr:
    """Translate a change, around what follows."""
    if node.method == "(call)" and not arrays.changes(t, node.args[0], env):
        return _plain_call(t, node, env, exits)
    if node.method == "(out)" and not array_calls.is_array_call(t, node.args[0], env):
        return _evaluated(t, node, node.args[0], env, exits)
    if node.method in MUTATING_METHODS and isinstance(t.program.reference(t, node.path, env), Reference):
        return _call(t, node, env, exits)
    indices, root = _accessors(t, node)
    found = t.meaning(root.id, env)
    if isinstance(found, Reference | str):
        raise _not_its_own(t, root, found)
    if found is not None and root.id not in t.scope.assigned and root.id not in env:
        raise t.refuse(root, f"changing {root.id}", "make it in the function, and return it")
    value = _outcome(t, node, indices, t.read(root.id, root, env), env)
    outcome = t.fresh("changed")

    def use(result: Expr) -> Expr:
        variable = Var(result.span, outcome)
        whole = prim(result.span, "py.item", copy_of(variable), Const(result.span, 0))

        def then(now: Env) -> Expr:
            if node.result is None:
                return exits.next(now)
            returned = prim(result.span, "py.item", copy_of(variable), Const(result.span, 1))
            return t.store(node.result, returned, now, exits.next)

        if node.result is None:
            return t.store(root.id, result, env, then)
        return Let(result.span, outcome, result, t.store(root.id, whole, env, then))

    if exits.handler is None:
        return use(value)
    return handlers.guard(t, value, env, exits.handler, use)


def _not_its_own(t: FunctionContext, root: ast.Name, found: Reference | str) -> SourceError:
    """Return the error for a change of an object that the function did not make."""
    of_array = isinstance(found, str) and is_array(t.program.input_of(found))
    copies = f"{root.id}.copy()" if of_array else f"list({root.id}) or dict({root.id})"
    return t.refuse(
        root,
        f"changing {root.id}, which the function does not make itself,",
        f"make a copy in the function, as with {copies}, and return that",
    )


def _call(t: FunctionContext, node: Change, env: Env, exits: Exits) -> Expr:
    """Call a function of a module or class that only has the name of a mutating method."""
    keywords = [ast.keyword(a.name, a.value) for a in node.args if isinstance(a, Keyword)]
    positional = [a for a in node.args if not isinstance(a, Keyword)]
    function = ast.copy_location(ast.Attribute(node.path, node.method, ast.Load()), node)
    call = ast.copy_location(ast.Call(function, positional, keywords), node)
    return _evaluated(t, node, call, env, exits)


def _evaluated(t: FunctionContext, node: Change, call: ast.expr, env: Env, exits: Exits) -> Expr:
    """Translate a call that changes nothing here, around what follows."""

    def use(value: Expr, resume: Next) -> Expr:
        if node.result is None:
            return Let(value.span, t.fresh("unused"), value, resume(env))
        return t.store(node.result, value, env, resume)

    return handlers.evaluate(t, call, env, exits, use)


def _plain_call(t: FunctionContext, node: Change, env: Env, exits: Exits) -> Expr:
    """Translate a call that only looks as if it changed its first argument."""
    rest = node.args[0]
    assert isinstance(rest, ast.Call)
    call = ast.copy_location(ast.Call(rest.func, [node.path, *rest.args], rest.keywords), node)
    return handlers.evaluate(
        t, call, env, exits, lambda value, resume: Let(value.span, t.fresh("unused"), value, resume(env))
    )


# The attributes of an array that share its elements, with what to write instead.
_SHOWN = {
    "T": "with the indices in the other order",
    "flat": "with an index for each axis, or those of a.reshape(-1)",
    "real": "with a[...] = value + 1j * a.imag",
    "imag": "with a[...] = a.real + 1j * value",
}


def _accessors(t: FunctionContext, node: Change) -> tuple[list[ast.expr], ast.Name]:
    indices: list[ast.expr] = []
    path = node.path
    while isinstance(path, ast.Subscript):
        indices.append(path.slice)
        path = path.value
    if isinstance(path, ast.Attribute) and path.attr in _SHOWN:
        what = f"changing an array through its attribute {path.attr}"
        raise t.refuse(path, what, f"change the array itself, a[...] = value, {_SHOWN[path.attr]}")
    if isinstance(path, ast.Attribute):
        raise t.refuse(
            path,
            f"changing what the attribute {path.attr} holds",
            f"change a copy, and make a new object: dataclasses.replace(x, {path.attr}=copy)",
        )
    assert isinstance(path, ast.Name)
    return indices[::-1], path


def _outcome(t: FunctionContext, node: Change, indices: list[ast.expr], value: Expr, env: Env) -> Expr:
    """Return the new value of the variable; a tuple of it and of the method's result if that is used."""
    span = t.span(node)
    if not indices:
        return _applied(t, node, value, env)
    holder, inner = t.fresh("holder"), t.fresh("inner")

    def changed(found: list[Expr]) -> Expr:
        index = found[0]
        item = prim(span, "py.item-to-change", Var(span, holder), copy_of(index))
        rest = _outcome(t, node, indices[1:], item, env)

        def put_back(new: Expr) -> Expr:
            return prim(span, "py.set", Var(span, holder), copy_of(index), new)

        if node.result is None:
            return put_back(rest)
        new, returned = [prim(span, "py.item", Var(span, inner), Const(span, i)) for i in (0, 1)]
        return Let(span, inner, rest, prim(span, "py.tuple", put_back(new), returned))

    return Let(span, holder, value, bind(t.program.names, [t.expr(indices[0], env)], changed, "index"))


def _applied(t: FunctionContext, node: Change, value: Expr, env: Env) -> Expr:
    """Apply the method to the list, dictionary or set itself."""
    if t.program.has_sets and node.method in sets.OWN:
        return bind(t.program.names, [value], lambda v: _of_set_or_other(t, node, v[0], env))
    return _of_list_or_dictionary(t, node, value, env)


def _of_set_or_other(t: FunctionContext, node: Change, value: Expr, env: Env) -> Expr:
    """Apply a method that sets have, too; the result of that of a set is in a tuple after the set."""
    span, callee = t.span(node), t.program.library_callee(sets.OWN[node.method])
    assert callee is not None
    passed = _arguments(t, node, [copy_of(value)], env)
    result = arrange.apply(t, callee, passed, node, lambda args: t.call(callee, args, {}, span))
    of_set = prim(span, "py.tuple", copy_of(value), result)
    if node.result is None:
        of_set = Let(span, t.fresh("unused"), result, copy_of(value))
    other = _of_list_or_dictionary(t, node, copy_of(value), env)
    return If(span, is_set(copy_of(value), span), of_set, other)


def _of_list_or_dictionary(t: FunctionContext, node: Change, value: Expr, env: Env) -> Expr:
    span = t.span(node)
    if node.method == "(out)":
        return array_calls.written(t, value, node.args[0], node.result is not None, env)
    if node.method == "(call)":
        return array_calls.changed(t, value, node.args[0], env)
    if node.method in SIMPLE:
        op, counts = SIMPLE[node.method]
        if len(node.args) not in counts or any(isinstance(a, Keyword) for a in node.args):
            raise t.refuse(
                node, f"{node.method} with {len(node.args)} arguments", "pass what Python's method takes"
            )
        new = on_elements(t, span, op, [value, *[t.expr(argument, env) for argument in node.args]])
        return new if node.result is None else prim(span, "py.tuple", new, Const(span, None))
    outcome = _library(t, node, value, env)
    if node.result is not None:
        return outcome
    return prim(span, "py.item", outcome, Const(span, 0))


def _library(t: FunctionContext, node: Change, value: Expr, env: Env) -> Expr:
    """Call the library function of a method, which returns a tuple of the new object and of the result."""
    callee = t.program.changing_method(node.method)
    if callee is None:
        raise t.refuse(node, f"the method {node.method}", "build a new list or dictionary")
    passed = _arguments(t, node, [value], env)
    return arrange.apply(t, callee, passed, node, lambda args: t.call(callee, args, {}, t.span(node)))


def _arguments(t: FunctionContext, node: Change, first: list[Expr], env: Env) -> Arguments:
    """Return the arguments of a method, after the object."""
    passed = Arguments(first)
    for argument in node.args:
        if isinstance(argument, Keyword) and argument.name is not None:
            passed.keywords[argument.name] = t.expr(argument.value, env)
        else:
            passed.positional.append(t.expr(argument, env))
    return passed
