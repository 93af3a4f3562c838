"""Translate changes of lists, dictionaries, arrays and objects of the program's classes.

In: a Change (normal/nodes.py) of what a path denotes: a variable, an attribute, or an item of an item of one.
Out: the items along the path are read, the last is updated, and each is put back into the one before it; that
matters for arrays alone, whose updates give another value.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial

from checkpoint.ad.array_library import ArrayLibrary
from checkpoint.errors import SourceError
from checkpoint.lang.core import Const, Expr, If, Let, Var
from checkpoint.lang.python.calls import arrange, array_calls, arrays, methods
from checkpoint.lang.python.calls.arrays import is_array
from checkpoint.lang.python.context import complex_operands, lookups
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import bind, copy_of, instance, prim
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.exits import Exits, Next
from checkpoint.lang.python.context.iterables import is_set
from checkpoint.lang.python.context.meanings import Binding, Callee, Env, Reference
from checkpoint.lang.python.context.slices import slice_of
from checkpoint.lang.python.control import handlers
from checkpoint.lang.python.library import sets
from checkpoint.lang.python.library.methods import sort_along
from checkpoint.lang.python.normal.nodes import Change, Keyword
from checkpoint.lang.python.scopes.syntax import MUTATING_METHODS

# For each method the primitive, and the possible numbers of arguments.
SIMPLE: dict[str, tuple[str, tuple[int, ...]]] = {
    "set": ("py.set", (2,)),
    "put_back": ("py.put-back", (2,)),
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
    if isinstance(root, ast.Attribute):
        return _keep(t, node, _in_attribute(t, node, indices, root, env), None, env, exits)
    found = t.program.to_change(t, root.id, env)
    if isinstance(found, Reference) or (isinstance(found, str) and (indices or not _owners(t, node))):
        raise _not_its_own(t, root, found)
    is_outside = isinstance(found, Binding) and found.outside
    if found is not None and root.id not in t.scope.assigned and root.id not in env and not is_outside:
        raise t.refuse(root, f"changing {root.id}", "make it in the function, and return it")
    value = _outcome(t, node, indices, t.read(root.id, root, env), env)
    return _keep(t, node, value, None if isinstance(found, str) else root.id, env, exits)


def _keep(t: FunctionContext, node: Change, value: Expr, root: str | None, env: Env, exits: Exits) -> Expr:
    """Store the outcome of a change: what has changed in the variable `root`, and the method's result."""
    outcome = t.fresh("changed")

    def use(result: Expr) -> Expr:
        span = result.span

        def then(now: Env) -> Expr:
            if node.result is None:
                return exits.next(now)
            returned = prim(span, "py.item", Var(span, outcome), Const(span, 1))
            return t.store(node.result, returned, now, exits.next)

        if node.result is None:
            return Let(span, outcome, result, then(env)) if root is None else t.store(root, result, env, then)
        if root is None:
            return Let(span, outcome, result, then(env))
        whole = prim(span, "py.item", Var(span, outcome), Const(span, 0))
        return Let(span, outcome, result, t.store(root, whole, env, then))

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
        f"make a copy in the function, as with {copies}, and return that; or let the caller receive what the "
        f"run leaves, with has_state=True",
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


def _accessors(t: FunctionContext, node: Change) -> tuple[list[ast.expr], ast.Name | ast.Attribute]:
    """Return the indices that lead to what is changed, and from where: a variable or an attribute."""
    indices: list[ast.expr] = []
    path = node.path
    while isinstance(path, ast.Subscript):
        indices.append(path.slice)
        path = path.value
    if not isinstance(path, ast.Name | ast.Attribute):
        raise t.refuse(path, "changing a constant", "give it a name, and change what that holds")
    return indices[::-1], path


def _in_attribute(
    t: FunctionContext, node: Change, indices: list[ast.expr], root: ast.Attribute, env: Env
) -> Expr:
    """Change what an attribute of an object holds; an array is put back there."""
    if root.attr in _SHOWN:
        what = f"changing an array through its attribute {root.attr}"
        raise t.refuse(root, what, f"change the array itself, a[...] = value, {_SHOWN[root.attr]}")
    span, name = t.span(node), root.attr

    def change(v: list[Expr]) -> Expr:
        held = t.program.attribute(t, copy_of(v[0]), name, root)
        outcome = _outcome(t, node, indices, held, env)

        def put_back(new: Expr) -> Expr:
            return prim(span, "py.put-back-attribute", copy_of(v[0]), Const(span, name), new)

        return _with_result(t, node, outcome, put_back)

    return bind(t.program.names, [t.expr(root.value, env)], change)


def _with_result(t: FunctionContext, node: Change, outcome: Expr, put_back: Callable[[Expr], Expr]) -> Expr:
    """Return what `put_back` makes of what has been changed, beside the method's result if that is used."""
    if node.result is None:
        return put_back(outcome)
    span, inner = t.span(node), t.fresh("inner")
    new, returned = [prim(span, "py.item", Var(span, inner), Const(span, i)) for i in (0, 1)]
    return Let(span, inner, outcome, prim(span, "py.tuple", put_back(new), returned))


def _outcome(t: FunctionContext, node: Change, indices: list[ast.expr], value: Expr, env: Env) -> Expr:
    """Return what has changed; a tuple of it and of the method's result if that is used."""
    if not indices:
        return _applied(t, node, value, env)

    def change(v: list[Expr]) -> Expr:
        item = t.program.operation(t, "py.item-to-change", list(map(copy_of, v)), node)
        outcome = _outcome(t, node, indices[1:], item, env)
        return _with_result(t, node, outcome, lambda new: _put_back(t, node, v, new))

    return bind(t.program.names, [value, t.expr(indices[0], env)], change, "holder")


def _put_back(t: FunctionContext, node: Change, v: list[Expr], new: Expr) -> Expr:
    """Return the holder v[0], into which what has changed is put back at v[1]; both are simple."""
    span, groups = t.span(node), t.program.groups("__put_back__")
    if not groups:
        return prim(span, "py.put-back", *map(copy_of, v), new)

    def choose(found: list[Expr]) -> Expr:
        args = [*v, *found]
        result = prim(span, "py.put-back", *map(copy_of, args))
        for group in reversed(groups):
            done = group.methods["__put_back__"].applied(list(map(copy_of, args)), span)
            made = Let(span, t.fresh("unused"), done, copy_of(v[0]))
            result = If(span, instance(span, copy_of(v[0]), group.cls), made, result)
        return result

    return bind(t.program.names, [new], choose)


# The methods of a user's classes for changes of items.
_OF_ITEMS = {
    "set": "__setitem__",
    "set_slice": "__setitem__",
    "delete": "__delitem__",
    "delete_slice": "__delitem__",
}


def _owners(t: FunctionContext, node: Change) -> list[tuple[type, Callee, bool]]:
    """Return the classes of the program that have the method."""
    return t.program.owners_of(_OF_ITEMS.get(node.method, node.method))


def _applied(t: FunctionContext, node: Change, value: Expr, env: Env) -> Expr:
    """Apply the method: of Python's own types, of arrays, or of the program's classes."""
    if node.method == "(out)":
        return array_calls.written(t, value, node.args[0], node.result is not None, env)
    if node.method == "(call)":
        return array_calls.changed(t, value, node.args[0], env)
    owners, name = _owners(t, node), node.method
    held = name not in _OF_ITEMS and (t.program.is_stored(name) or t.program.classes_with_field(name))
    computed = [] if name in _OF_ITEMS else t.program.groups("__getattr__")
    passed = _arguments(t, node, env)
    if not (owners or held or computed):
        return _of_python(t, node, value, passed)

    def of_own(v: list[Expr], result: Expr | None) -> Expr:
        parts, span = passed.like(v[1:]), t.span(node)
        for group in reversed(computed):
            function = group.methods["__getattr__"].applied([copy_of(v[0]), Const(span, name)], span)
            done = _done(t, node, v[0], arrange.to_value(t, function, parts.copies(), node))
            result = (
                done if result is None else If(span, instance(span, copy_of(v[0]), group.cls), done, result)
            )
        for cls, callee, takes_self in reversed(owners):
            args = _whole_slice(node, parts.copies())
            args = args.after([copy_of(v[0])], {}) if takes_self else args
            call = arrange.caller(t, callee, span)
            made = t.attempt(node, partial(arrange.apply, t, callee, args, node, call))
            done = _done(t, node, v[0], made)
            result = done if result is None else If(span, instance(span, copy_of(v[0]), cls), done, result)
        assert result is not None
        if held:
            function = prim(span, "py.attribute", copy_of(v[0]), Const(span, name))
            done = _done(t, node, v[0], arrange.to_value(t, function, parts.copies(), node))
            result = If(span, prim(span, "py.has-own", copy_of(v[0]), Const(span, name)), done, result)
        return result

    def dispatch(v: list[Expr]) -> Expr:
        return of_own(
            v, t.attempt(node, lambda: _of_python(t, node, copy_of(v[0]), passed.like(v[1:]).copies()))
        )

    values = [value, *passed.values]
    classes = [*[cls for cls, _, _ in owners], *[group.cls for group in computed]]
    if name in _OF_ITEMS or not lookups.matter(values[1:], classes):
        return bind(t.program.names, values, dispatch, "argument")
    return lookups.before_arguments(t, name, values, classes, lambda v: of_own(v, None), dispatch, node)


def _whole_slice(node: Change, passed: Arguments) -> Arguments:
    """Return the arguments as `__setitem__` takes them: the bounds of a slice as one."""
    if not node.method.endswith("_slice"):
        return passed
    first = passed.positional[0].span
    bounds = slice_of(first, passed.positional[:3])
    return Arguments([bounds, *passed.positional[3:]])


def _done(t: FunctionContext, node: Change, changed: Expr, made: Expr) -> Expr:
    """Return the outcome of a call of a method that changes its own object."""
    span = t.span(node)
    if node.result is None:
        return Let(span, t.fresh("unused"), made, copy_of(changed))
    return prim(span, "py.tuple", copy_of(changed), made)


def _arguments(t: FunctionContext, node: Change, env: Env) -> Arguments:
    keywords = [ast.keyword(a.name, a.value) for a in node.args if isinstance(a, Keyword)]
    positional = [a for a in node.args if not isinstance(a, Keyword)]
    call = ast.copy_location(ast.Call(node.path, positional, keywords), node)
    return arrange.arguments(t, call, env)


def _of_python(t: FunctionContext, node: Change, value: Expr, passed: Arguments) -> Expr:
    """Apply a method of Python's own types, or of arrays; that of some libraries' arrays changes nothing."""
    libraries = t.program.libraries_with(node.method)
    if libraries:
        return bind(
            t.program.names,
            [value, *passed.values],
            partial(_of_library_or_python, t, node, libraries, passed),
        )
    return _of_own(t, node, value, passed)


def _of_library_or_python(
    t: FunctionContext, node: Change, libraries: list[ArrayLibrary], passed: Arguments, v: list[Expr]
) -> Expr:
    parts, span = passed.like(v[1:]), t.span(node)
    result = t.attempt(node, lambda: _of_own(t, node, copy_of(v[0]), parts.copies()))
    for library in libraries:
        made = t.attempt(
            node, partial(methods.of_library, t, library, v[0], node.method, parts.copies(), node)
        )
        done = _done(t, node, v[0], made)
        result = If(span, instance(span, copy_of(v[0]), *library.types), done, result)
    return result


def _of_own(t: FunctionContext, node: Change, value: Expr, passed: Arguments) -> Expr:
    """Apply a method of Python's own types, or of NumPy's arrays."""
    if not t.program.has_sets or node.method not in sets.OWN:
        return _of_list_or_dictionary(t, node, value, passed)

    def choose(v: list[Expr]) -> Expr:
        return _of_set_or_other(t, node, v[0], passed.like(v[1:]))

    return bind(t.program.names, [value, *passed.values], choose)


def _of_set_or_other(t: FunctionContext, node: Change, value: Expr, passed: Arguments) -> Expr:
    """Apply a method that sets have, too; the result of that of a set is in a tuple after the set."""
    span, callee = t.span(node), t.program.library_callee(sets.OWN[node.method])
    assert callee is not None
    whole = passed.copies().after([copy_of(value)], {})
    result = arrange.apply(t, callee, whole, node, lambda args: t.call(callee, args, {}, span))
    of_set = _done(t, node, value, result)
    other = _of_list_or_dictionary(t, node, copy_of(value), passed.copies())
    return If(span, is_set(copy_of(value), span), of_set, other)


def _of_list_or_dictionary(t: FunctionContext, node: Change, value: Expr, passed: Arguments) -> Expr:
    """Apply a method of lists, dictionaries or arrays."""
    span = t.span(node)
    if node.method in SIMPLE:
        op, counts = SIMPLE[node.method]
        named = passed.keywords or passed.star is not None or passed.mapping is not None
        if named or len(passed.positional) not in counts:
            raise t.refuse(
                node, f"{node.method} with {len(node.args)} arguments", "pass what Python's method takes"
            )
        operands = passed.positional
        if op in complex_operands.BESIDE_ARRAYS and complex_operands.are_met(t):
            new = complex_operands.beside_arrays(t, op, [value, *operands], span)
        else:
            new = t.program.operation(t, op, [value, *operands], node)
        return new if node.result is None else prim(span, "py.tuple", new, Const(span, None))
    outcome = _library(t, node, value, passed)
    if node.result is not None:
        return outcome
    return prim(span, "py.item", outcome, Const(span, 0))


def _library(t: FunctionContext, node: Change, value: Expr, passed: Arguments) -> Expr:
    """Call the library function of a method, which returns a tuple of the new object and of the result."""
    callee = t.program.changing_method(node.method)
    if node.method == "sort" and (passed.positional or passed.keywords.keys() & {"axis", "kind"}):
        callee = t.program.library_function(sort_along)
    if callee is None:
        raise t.refuse(node, f"the method {node.method}", "build a new list or dictionary")
    whole = passed.after([value], {})
    return arrange.of_type(
        t, callee, node.method, whole, node, lambda args: t.call(callee, args, {}, t.span(node))
    )
