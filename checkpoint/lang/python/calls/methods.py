"""Translate calls of methods: of the program's classes, of Python's own types, of fields that hold functions.

In: `x.name(...)`, where x is a value. Out: for each class of the program with the method, a call of it if x
is an instance; otherwise the method of Python's own types; otherwise a call of the value of the attribute.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import ModuleType

from checkpoint.ad import opaque
from checkpoint.ad.array_library import ArrayLibrary
from checkpoint.ad.library import methods as array_methods
from checkpoint.ad.opaque import LibraryOperator
from checkpoint.ad.tensors import Tensor
from checkpoint.dataclass import dataclass
from checkpoint.errors import Span
from checkpoint.lang.core import Expr, If
from checkpoint.lang.python.calls import (
    arrange,
    array_calls,
    arrays,
    class_values,
    modular,
    outside,
    statics,
)
from checkpoint.lang.python.calls.attributes import Attributes
from checkpoint.lang.python.calls.outcomes import Outcomes
from checkpoint.lang.python.context import lookups
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import bind, const, copy_of, instance, prim, raise_error
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.iterables import is_set
from checkpoint.lang.python.context.meanings import Callee, Env, Group, Reference
from checkpoint.lang.python.library import sets
from checkpoint.lang.python.scopes.syntax import has_star
from checkpoint.lang.python.source.plain_objects import reads_its_own_way

Owner = tuple[type, Callee, bool]  # a class with the method, that, and whether it takes the object
_NUMBER = (
    *("is_integer", "bit_length", "bit_count", "to_bytes", "hex", "as_integer_ratio", "conjugate", "__abs__"),
)
_TEXT = frozenset(n for n in (*dir(str), *dir(bytes)) if not n.startswith("_")) - {"index", "count"}


def call(
    t: FunctionContext, function: ast.Attribute, node: ast.Call, env: Env, outcomes: Outcomes | None = None
) -> Expr:
    """Translate a call of a method, or of a function of a module that is a value.

    outcomes: makes its outcome, if it writes into arguments.
    """
    modules = t.program.modules_with(function.attr)
    if modules and outcomes is None and not has_star(node):
        return modular.with_parts(t, node, env, partial(_of_module_or_other, t, modules))
    return _of_object(t, function, node, env, outcomes)


def _of_module_or_other(t: FunctionContext, modules: list[ModuleType], node: ast.Call, env: Env) -> Expr:
    """Call a function of the module that a variable is; a method, where it is none."""
    function = node.func
    assert isinstance(function, ast.Attribute)

    def meaning(module: ModuleType) -> Expr:
        known = t.program.attribute_of(t.program.reference_of(module), function.attr)
        if isinstance(known, Reference):
            return statics.call(t, known, node, env)
        return arrange.to_value(t, t.expr(function, env), arrange.arguments(t, node, env), node)

    other = t.attempt(node, lambda: _of_object(t, function, node, env))
    return modular.choose(t, node, t.expr(function.value, env), modules, meaning, other)


def _of_object(
    t: FunctionContext, function: ast.Attribute, node: ast.Call, env: Env, outcomes: Outcomes | None = None
) -> Expr:
    """Translate a call of a method; outcomes: makes its outcome, if it writes into arguments."""
    name = function.attr
    owners = [each for each in t.program.owners_of(name) if not reads_its_own_way(each[0])]
    fields = t.program.classes_with_field(name)
    of_classes = class_values.with_attribute(t.program, name)
    is_built_in = _is_built_in(t, name)
    is_hidden = is_built_in and t.program.may_be_hidden(name)
    computed = t.program.groups("__getattr__") if is_built_in else []
    if not (owners or fields or of_classes or is_hidden or computed):
        passed = arrays.arguments_of_method(t, name, node, env)
        return _built_in(t, t.expr(function.value, env), name, passed, node, True)
    passed = arrange.arguments(t, node, env)
    choice = _Choice(t, name, passed, node, outcomes, owners, fields, computed, is_hidden)
    values = [t.expr(function.value, env), *passed.values]
    if not lookups.matter(values[1:], choice.classes):
        return bind(t.program.names, values, choice.of_any, "argument")
    return lookups.before_arguments(t, name, values, choice.classes, choice.of_owners, choice.of_others, node)


@dataclass(frozen=True)
class _Choice:
    """The choice of the method that a call calls, by the class of the object.

    passed: the arguments. outcomes: makes its outcome, if it writes into arguments.
    owners: the classes of the program with the method. fields: those with a field of that name.
    computed: those with a `__getattr__`, which gives what they lack of a name that Python's own types have.
    is_hidden: whether what an object stores may hide a method of arrays or of Python's own types.

    The methods take simple values: the object, then the arguments.
    """

    t: FunctionContext
    name: str
    passed: Arguments
    node: ast.Call
    outcomes: Outcomes | None
    owners: list[Owner]
    fields: tuple[type, ...]
    computed: list[Group]
    is_hidden: bool

    @property
    def classes(self) -> list[type]:
        computed = [group.cls for group in self.computed]
        return [*[cls for cls, _, _ in self.owners], *self.fields, *computed]

    def of_any(self, values: list[Expr]) -> Expr:
        """Call the method of any object."""
        return self._by_class(values, self.of_others(values))

    def of_owners(self, values: list[Expr]) -> Expr:
        """Call the method of an object of one of `classes`."""
        return self._by_class(values, None)

    def of_others(self, values: list[Expr]) -> Expr:
        """Call the method of an object of none of `classes`."""
        t, node, parts = self.t, self.node, self.passed.like(values[1:])
        receiver = copy_of(values[0])
        result = t.attempt(node, lambda: _built_in(t, receiver, self.name, parts.copies(), node))
        if self.is_hidden:
            result = self._own_or(values, self._held(values), result)
        result = class_values.call(t.program, t, values[0], self.name, parts, result, node)
        return self._whole(result, parts)

    def _whole(self, result: Expr, parts: Arguments) -> Expr:
        return result if self.outcomes is None else self.outcomes.unwritten(result, parts)

    def _by_class(self, values: list[Expr], result: Expr | None) -> Expr:
        """Choose among `classes`; result: of objects of others, None where there are none."""
        span = self.t.span(self.node)
        choices: list[tuple[tuple[type, ...], Callable[[list[Expr]], Expr]]] = []
        choices += [((group.cls,), partial(self._of_computed, group)) for group in reversed(self.computed)]
        choices += [(own, self._of_field) for own in [self.fields] if own]
        choices += [((owner[0],), partial(self._of_owner, owner)) for owner in reversed(self.owners)]
        for classes, make in choices:
            made = make(values)
            is_one = instance(span, copy_of(values[0]), *classes)
            result = made if result is None else If(span, is_one, made, result)
        assert result is not None
        return result

    def _of_computed(self, group: Group, values: list[Expr]) -> Expr:
        """Call what an object stores under the name, or what its `__getattr__` gives."""
        span, parts = self.t.span(self.node), self.passed.like(values[1:])
        given = group.methods["__getattr__"].applied([copy_of(values[0]), const(span, self.name)], span)
        made = arrange.to_value(self.t, given, parts.copies(), self.node)
        return self._whole(self._own_or(values, self._held(values), made), parts)

    def _of_field(self, values: list[Expr]) -> Expr:
        """Call what a field of the object holds."""
        made = self.t.attempt(self.node, lambda: self._held(values))
        return self._whole(made, self.passed.like(values[1:]))

    def _held(self, values: list[Expr]) -> Expr:
        """Call what the object itself stores under the name."""
        held = _held(self.t, values[0], self.name, self.node)
        return arrange.to_value(self.t, held, self.passed.like(values[1:]).copies(), self.node)

    def _own_or(self, values: list[Expr], own: Expr, otherwise: Expr) -> Expr:
        """Return one expression where the object itself stores something under the name, else the other."""
        return If(self.t.span(self.node), _has_own(self.t, values[0], self.name, self.node), own, otherwise)

    def _of_owner(self, owner: Owner, values: list[Expr]) -> Expr:
        """Call the method of a class."""
        t, node, (_, callee, takes_self) = self.t, self.node, owner
        args = self.passed.like(values[1:]).copies()
        if takes_self:
            args = args.after([copy_of(values[0])], {})
        if self.outcomes is None:
            call = arrange.caller(t, callee, t.span(node))
            made = t.attempt(node, partial(arrange.apply, t, callee, args, node, call))
        else:
            made = t.attempt(node, partial(self.outcomes.of_callee, callee, args, int(takes_self)))
        if not t.program.is_stored(self.name):
            return made
        own = self._whole(self._held(values), self.passed.like(values[1:]))
        return self._own_or(values, own, made)


def _held(t: FunctionContext, self: Expr, name: str, node: ast.AST) -> Expr:
    """Return what an object itself stores under a name."""
    return prim(t.span(node), "py.attribute", copy_of(self), const(t.span(node), name))


def _has_own(t: FunctionContext, self: Expr, name: str, node: ast.AST) -> Expr:
    """Return the test whether an object itself stores something under a name."""
    return prim(t.span(node), "py.has-own", copy_of(self), const(t.span(node), name))


def _is_built_in(t: FunctionContext, name: str) -> bool:
    """Return whether arrays or Python's own types may have a method of this name."""
    return (
        name in array_methods
        or name in _TEXT
        or name in _NUMBER
        or name in opaque.METHODS
        or name in outside.METHODS
        or name in sets.OWN
        or t.program.library_method(name) is not None
    )


def _built_in(
    t: FunctionContext, self: Expr, name: str, passed: Arguments, node: ast.AST, is_certain: bool = False
) -> Expr:
    if not t.program.libraries_with(name):
        return _of_array_or_python(t, self, name, passed, node, is_certain)

    def choose(values: list[Expr]) -> Expr:
        parts = passed.like(values[1:])
        receiver, others = copy_of(values[0]), parts.copies()
        result = t.attempt(node, lambda: _of_array_or_python(t, receiver, name, others, node, is_certain))
        for library in t.program.libraries_with(name):
            own = t.attempt(node, partial(of_library, t, library, values[0], name, parts.copies(), node))
            result = If(t.span(node), instance(t.span(node), copy_of(values[0]), *library.types), own, result)
        return result

    return bind(t.program.names, [self, *passed.values], choose, "argument")


def of_library(
    t: FunctionContext, library: ArrayLibrary, self: Expr, name: str, passed: Arguments, node: ast.AST
) -> Expr:
    """Call a method that a library's arrays have with a meaning of its own."""
    found, span = library.method(name), t.span(node)
    keywords = {library.aliases.get(each, each): value for each, value in passed.keywords.items()}
    whole = replace(passed, keywords=keywords).after([copy_of(self)], {})
    if isinstance(found, Tensor):
        return arrays.apply(t, found, name, whole, node)
    if isinstance(found, LibraryOperator):
        return array_calls.apply_operator(t, library, found, passed.after([copy_of(self)], {}), node)
    callee = t.program.library_function(found)
    return arrange.apply(t, callee, whole, node, lambda args: t.call(callee, args, {}, span))


def _of_array_or_python(
    t: FunctionContext, self: Expr, name: str, passed: Arguments, node: ast.AST, is_certain: bool
) -> Expr:
    found = array_calls.method(t, self, name, passed, node, is_certain)
    if found is not None:
        return found
    return array_calls.ambiguous(
        t, self, name, passed, node, lambda x, args: _of_python(t, x, name, args, node)
    )


def _of_python(t: FunctionContext, self: Expr, name: str, passed: Arguments, node: ast.AST) -> Expr:
    """Call the method of Python's own types."""
    if t.program.has_sets and name in sets.OWN:
        return bind(
            t.program.names, [self, *passed.values], lambda v: _of_set_or_other(t, v, name, passed, node)
        )
    return _of_other(t, self, name, passed, node)


def _of_set_or_other(
    t: FunctionContext, values: list[Expr], name: str, passed: Arguments, node: ast.AST
) -> Expr:
    """Call a method that sets have, too; values: the object, then the arguments."""
    span, callee = t.span(node), t.program.library_callee(sets.OWN[name])
    assert callee is not None
    own = passed.like(values[1:]).copies().after([copy_of(values[0])], {})
    of_set = arrange.apply(t, callee, own, node, lambda args: t.call(callee, args, {}, span))
    other = _of_other(t, copy_of(values[0]), name, passed.like(values[1:]).copies(), node)
    return If(span, is_set(copy_of(values[0]), span), of_set, other)


def _of_other(t: FunctionContext, self: Expr, name: str, passed: Arguments, node: ast.AST) -> Expr:
    span = t.span(node)
    if name == "type":  # of a dtype
        t.program.note_dtypes()
    library = t.program.library_method(name)
    if library is not None:
        passed = passed.after([self], {})
        return arrange.of_type(t, library, name, passed, node, lambda args: t.call(library, args, {}, span))
    if name == "join" and len(passed.positional) == 1 and t.program.has_iterators():
        passed = passed.like([t.program.taken_apart(t, passed.positional[0], node), *passed.values[1:]])
    if name in _TEXT or name in _NUMBER:
        return _by_python(self, name, passed, span)
    if name in opaque.METHODS and not t.program.has_method(name):
        return bind(
            t.program.names, [self, *passed.values], lambda v: _of_constant_or_field(t, v, name, passed, node)
        )
    if name in outside.METHODS:
        return outside.method(t, self, name, passed, node, lambda x, args: _of_field(t, x, name, args, node))
    if name in opaque.methods():
        return bind(
            t.program.names, [self, *passed.values], lambda v: _of_constant_or_field(t, v, name, passed, node)
        )
    return _of_field(t, self, name, passed, node)


def _by_python(self: Expr, name: str, passed: Arguments, span: Span) -> Expr:
    """Call a method of a string, number or constant, which Python itself computes."""
    if passed.keywords or passed.mapping is not None or passed.star is not None:
        return prim(span, "py.text-call", self, const(span, name), *arrange.collected(passed, span))
    op = "py.text-method" if name in _TEXT else "py.number-method"
    return prim(span, op, self, const(span, name), *passed.positional)


def _of_constant_or_field(
    t: FunctionContext, values: list[Expr], name: str, passed: Arguments, node: ast.AST
) -> Expr:
    """Call a method that dates, patterns and their kin have; values: the object, then the arguments."""
    span, parts = t.span(node), passed.like(values[1:])
    called = _by_python(copy_of(values[0]), name, parts.copies(), span)
    other = t.attempt(node, lambda: _of_field(t, copy_of(values[0]), name, parts.copies(), node))
    return If(span, prim(span, "py.is-constant", copy_of(values[0])), called, other)


def _of_field(t: FunctionContext, self: Expr, name: str, passed: Arguments, node: ast.AST) -> Expr:
    """Call the value of an attribute."""
    span = t.span(node)
    held = Attributes(t.program, t, name, node).read(self, not t.program.owners_of(name), is_called=True)
    if (passed.keywords or passed.mapping is not None) and t.program.owners_of(name):
        return bind(
            t.program.names, [held], lambda _: raise_error(span, TypeError, f"{name}() takes no keywords")
        )
    return arrange.to_value(t, held, passed, node)
