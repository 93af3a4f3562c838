"""Translate attributes of objects of the program's classes: reading, assigning, deleting, asking for them.

In: a value and the name of an attribute. Out: the primitive, if no class of the program has a member of that
name; else a choice by the class of the object. As in Python, a property or a class's `__setattr__` comes
before the object's own attributes; methods and what else is stored in the class come after them.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import types
from collections.abc import Callable
from functools import partial
from typing import Any

from checkpoint.lang.core import Expr, If, Let, Raise, Var
from checkpoint.lang.python.calls import arrange, class_values, modular
from checkpoint.lang.python.context.builder import (
    bind,
    const,
    copy_of,
    instance,
    make_error,
    prim,
    raise_error,
    without,
)
from checkpoint.lang.python.context.contexts import CallContext, ProgramContext
from checkpoint.lang.python.context.meanings import Callee, Group
from checkpoint.lang.python.library import unbound
from checkpoint.lang.python.library.standard import namespaces
from checkpoint.lang.python.source import advice
from checkpoint.lang.python.source.members import (
    METHOD_TYPES,
    NO_MEMBER,
    all_fields,
    any_member_of,
    assigned_names,
    deciding,
    derives,
    is_data_descriptor,
    is_descriptor,
    is_generated,
    is_made_as_record,
    is_slot,
    makes_record,
    slot_of,
)
from checkpoint.lang.python.source.plain_objects import reads_its_own_way

_COMPUTED = (property, functools.cached_property)
METHODS = (*METHOD_TYPES, staticmethod, classmethod)
Thunk = Callable[[], Expr]  # makes a new expression for each place
_NOT_ASSIGNED = {
    "__dict__": "change the attributes, vars(x).update(...)",
    "__class__": "make an object of the other class",
}


class Attributes:
    """The attribute of one name, at one place of a program."""

    def __init__(self, program: ProgramContext, t: CallContext, name: str, node: ast.AST) -> None:
        self.program = program
        self.t = t
        self.name = name
        self.node = node
        self.span = t.span(node)

    def call(self, callee: Callee, args: list[Expr]) -> Expr:
        """Call a method with its arguments, which are simple, the object first."""
        return arrange.to_method(self.t, callee, args, self.node)

    def of_class(self, x: Expr, cls: type, then: Expr, otherwise: Expr) -> Expr:
        return If(self.span, instance(self.span, copy_of(x), cls), then, otherwise)

    # Reading

    def read(self, value: Expr, methods: bool = True, is_called: bool = False) -> Expr:
        """Return the attribute of a value.

        methods: whether it may be a method of its class. is_called: whether it is called here; methods of
        Python's own types are not, their calls are translated elsewhere.
        """
        if self.name == "__class__":
            self.program.note_class_value(None)
            return prim(self.span, "py.type", value)
        if self.name == "__dict__":
            callee = self.program.library_function(namespaces.attributes_of)
            return self.t.call(callee, [value], {}, self.span)
        members = [(c, m) for c, m in self.members() if methods or not isinstance(m, METHODS)]
        computed = self.program.groups("__getattr__")
        modules = self.program.modules_with(self.name)
        has_own = not is_called and unbound.is_known(self.name) and not self.is_field()
        classes = class_values.with_attribute(self.program, self.name)
        if not (members or computed or modules or classes or has_own):
            if self.name == "real":
                return bind(self.program.names, [value], lambda v: self.field(v[0]))
            return prim(self.span, "py.attribute", value, const(self.span, self.name))

        def dispatch(v: list[Expr]) -> Expr:
            result = self.of_python(v[0]) if has_own else self.field(v[0])
            result = class_values.read(self.program, self.t, v[0], self.name, self.node, result)
            for group in reversed(computed):
                made = self.own_or(v[0], lambda group=group: self.computed(group, v[0]))  # type: ignore[misc]
                result = self.of_class(v[0], group.cls, made, result)
            for cls, member in reversed(members):
                result = self.of_class(v[0], cls, self.found_or_computed(cls, member, computed, v[0]), result)
            return modular.choose(self.t, self.node, v[0], modules, self.of_module, result)

        return bind(self.program.names, [value], dispatch)

    def of_module(self, module: types.ModuleType) -> Expr:
        """Return the attribute of a module."""
        known = self.program.attribute_of(self.program.reference_of(module), self.name)
        if isinstance(known, str):
            return Var(self.span, known)
        assert known is not None
        return self.program.value_of(self.t, known, self.node)

    def members(self) -> list[tuple[type, Any]]:
        """Return the classes with a member of this name, derived ones first.

        A field is none, unless it comes before a property of a class that its class derives from.
        """
        members: list[tuple[type, Any]] = []
        for cls in reversed(self.program.classes):
            if reads_its_own_way(cls):  # so its objects are Unusable: they say so where they are read
                continue
            member = any_member_of(cls, self.name)
            if not isinstance(member, property) and self.name in all_fields(cls):
                member = NO_MEMBER
            before = next((m for c, m in members if derives(cls, c)), NO_MEMBER)
            depends = isinstance(member, classmethod) or self.program.is_assigned(cls, self.name)
            if member is NO_MEMBER and isinstance(before, property):
                member = slot_of(cls, self.name) or NO_MEMBER
            if member is not NO_MEMBER and (member is not before or depends):
                members.insert(0, (cls, member))
        return members

    def field(self, x: Expr) -> Expr:
        """Return the attribute that an object stores; the real part of a real number is the number itself."""
        stored = prim(self.span, "py.attribute", copy_of(x), const(self.span, self.name))
        if self.name != "real":
            return stored
        return If(
            self.span, instance(self.span, copy_of(x), float), prim(self.span, "py.pos", copy_of(x)), stored
        )

    def is_field(self) -> bool:
        """Return whether objects of the program's classes store an attribute of this name."""
        if self.program.is_stored(self.name) or self.program.classes_with_field(self.name):
            return True
        return any(self.name in assigned_names(cls) for cls in self.program.classes)

    def of_python(self, x: Expr) -> Expr:
        """Return the attribute of a value that may be of one of Python's own types, with such a method."""
        result, function = self.field(x), unbound.METHODS.get(self.name)
        if self.name in unbound.OF_CONSTANTS:
            test = prim(self.span, "py.is-constant", copy_of(x))
            result = If(self.span, test, self._method_of_text(x), result)
        if function is not None:
            callee = self.program.library_function(function)
            bound = self.program.bound_method(callee, copy_of(x), self.span)
            types = unbound.types_with(self.name)
            return If(self.span, instance(self.span, copy_of(x), *types), bound, result)
        texts = unbound.texts_with(self.name)
        if not texts:
            return result
        return If(self.span, instance(self.span, copy_of(x), *texts), self._method_of_text(x), result)

    def _method_of_text(self, x: Expr) -> Expr:
        callee = self.program.library_function(unbound.text_method)
        return callee.applied([copy_of(x), const(self.span, self.name)], self.span)

    def own_or(self, x: Expr, otherwise: Thunk) -> Expr:
        """Return the object's own attribute; where it has none, the other expression."""
        own = prim(self.span, "py.has-own", copy_of(x), const(self.span, self.name))
        return If(self.span, own, self.field(x), otherwise())

    def found_or_computed(self, cls: type, member: Any, computed: list[Group], x: Expr) -> Expr:
        """Return what a member of a class gives; where it raises AttributeError, what `__getattr__` does."""
        result = self.found(cls, member, x)
        if not (isinstance(member, _COMPUTED) or is_slot(member) or is_descriptor(member, "__get__")):
            return result
        for group in reversed(computed):
            if derives(cls, group.cls):
                result = self.unless_missing(self.found(cls, member, x), _as_it_is, self.computed(group, x))
            elif derives(group.cls, cls):
                made = self.unless_missing(self.found(cls, member, x), _as_it_is, self.computed(group, x))
                result = self.of_class(x, group.cls, made, result)
        return result

    def found(self, cls: type, member: Any, x: Expr) -> Expr:
        """Return the attribute of an object whose class has a member of this name."""
        return self.t.attempt(self.node, lambda: self._found(cls, member, x))

    def _found(self, cls: type, member: Any, x: Expr) -> Expr:
        if is_slot(member):
            return self.field(x)
        if isinstance(member, property):
            return self.call(self.accessor(cls, "getter", member.fget), [x])
        if isinstance(member, functools.cached_property):
            return self.own_or(x, lambda: self.cached(cls, member, x))
        if not isinstance(member, METHODS) and is_descriptor(member, "__get__"):
            made = partial(
                self.by_descriptor, cls, member, "__get__", x, [prim(self.span, "py.type", copy_of(x))]
            )
            return made() if is_data_descriptor(member) else self.own_or(x, made)
        if not isinstance(member, METHODS) or self.program.is_stored(self.name):
            return self.own_or(x, lambda: self.member(cls, member, x))
        return self.member(cls, member, x)

    def by_descriptor(self, cls: type, member: Any, method: str, x: Expr, more: list[Expr]) -> Expr:
        """Call a method of a descriptor that a class stores under the name."""
        known = self.program.in_class(cls, self.name)
        assert known is not None
        it = (
            Var(self.span, known)
            if isinstance(known, str)
            else self.program.value_of(self.t, known, self.node)
        )
        callee = self.program.callee_in_class(type(member), method)
        if callee is None:
            raise self.t.refuse(self.node, *advice.of_object(member))
        found = callee

        def call(v: list[Expr]) -> Expr:
            return self.call(found, [v[0], x, *v[1:]])

        return bind(self.program.names, [it, *more], call)

    def cached(self, cls: type, member: Any, x: Expr) -> Expr:
        """Return the value of a cached property, and keep it in the object if that may change."""
        made = self.call(self.accessor(cls, "func", member.func), [x])

        def keep(v: list[Expr]) -> Expr:
            parts = (copy_of(x), const(self.span, self.name), copy_of(v[0]))
            kept = prim(self.span, "py.keep-attribute", *parts)
            return Let(self.span, self.program.names.fresh("unused"), kept, copy_of(v[0]))

        return bind(self.program.names, [made], keep)

    def member(self, cls: type, member: Any, x: Expr) -> Expr:
        """Return what a class stores under the name, for one of its objects."""
        if isinstance(member, METHOD_TYPES):
            callee = self.program.callee_in_class(cls, self.name)
            if callee is None:
                raise self.t.refuse(self.node, *advice.of_object(member))
            return self.program.bound_method(callee, copy_of(x), self.span)
        assigned = self.program.read_attribute(cls, self.name, self.span)
        if assigned is not None:
            return assigned
        if isinstance(member, staticmethod | classmethod):
            known = self.program.class_attribute(cls, self.name)
        else:
            known = self.program.in_class(cls, self.name)
        if isinstance(known, str):
            return Var(self.span, known)
        assert known is not None
        return self.program.value_of(self.t, known, self.node)

    def of_class_of(self, value: Expr) -> Expr:
        """Return the attribute of the class of a value."""
        members = [(c, m) for c, m in self.members() if not isinstance(m, property) and not is_slot(m)]
        if not members:
            self.program.note_class_value(None)
            return self.read(prim(self.span, "py.type", value))

        def dispatch(v: list[Expr]) -> Expr:
            result: Expr = prim(self.span, "py.no-class", copy_of(v[0]))
            for cls, _ in reversed(members):
                result = self.of_class(
                    v[0], cls, self.t.attempt(self.node, partial(self.in_class, cls)), result
                )
            return result

        return bind(self.program.names, [value], dispatch)

    def in_class(self, cls: type) -> Expr:
        """Return the attribute of a known class."""
        assigned = self.program.read_attribute(cls, self.name, self.span)
        if assigned is not None:
            return assigned
        known = self.program.class_attribute(cls, self.name)
        if isinstance(known, str):
            return Var(self.span, known)
        assert known is not None
        return self.program.value_of(self.t, known, self.node)

    def computed(self, group: Group, x: Expr) -> Expr:
        return self.call(group.methods["__getattr__"], [x, const(self.span, self.name)])

    def accessor(self, cls: type, kind: str, function: Any) -> Callee:
        """Return the function of a property."""
        found = self.program.accessor(cls, self.name, kind)
        if found is None:
            raise self.t.refuse(self.node, *advice.of_object(function))
        return found

    # Assigning and deleting

    def assign(self, x: Expr, value: Expr) -> Expr:
        """Return the expression that assigns to the attribute; its value means nothing."""
        if self.name in _NOT_ASSIGNED:
            raise self.t.refuse(self.node, f"assigning to `{self.name}`", _NOT_ASSIGNED[self.name])
        self.program.note_stored(self.name)
        return self._change(x, [value], "py.set-attribute", "__setattr__", "setter")

    def delete(self, x: Expr) -> Expr:
        """Return the expression that deletes the attribute; its value means nothing."""
        return self._change(x, [], "py.delete-attribute", "__delattr__", "deleter")

    def change_as_object(self, x: Expr, more: list[Expr], op: str) -> Expr:
        """Assign or delete as the methods of `object` do: by a property, else in the object itself."""
        self.program.note_stored(self.name)
        return self._change(x, more, op, None, "setter" if more else "deleter")

    def _change(self, x: Expr, more: list[Expr], op: str, method: str | None, kind: str) -> Expr:
        groups = [] if method is None else self.program.groups(method)
        members = deciding(self.members())
        frozen = [c for c in self.program.classes if _is_frozen_object(c)] if method else []
        name = const(self.span, self.name)
        if not (groups or members or frozen):
            return prim(self.span, op, x, name, *more)

        def dispatch(v: list[Expr]) -> Expr:
            def plain() -> Expr:
                return prim(self.span, op, copy_of(v[0]), copy_of(name), *map(copy_of, v[1:]))

            result = plain()
            for cls, member in reversed(members):
                if isinstance(member, property):
                    made = self._by_property(cls, member, kind, v)
                elif is_data_descriptor(member):
                    own = "__set__" if kind == "setter" else "__delete__"
                    change = partial(self.by_descriptor, cls, member, own, v[0], v[1:])
                    made = self.t.attempt(self.node, change)
                else:
                    made = plain()
                result = self.of_class(v[0], cls, made, result)
            for cls in reversed(frozen):
                result = self.of_class(v[0], cls, self._frozen(kind), result)
            for group in reversed(groups):
                made = self.call(group.methods[str(method)], [v[0], name, *v[1:]])
                result = self.of_class(v[0], group.cls, made, result)
            return result

        return bind(self.program.names, [x, *more], dispatch)

    def _by_property(self, cls: type, member: property, kind: str, v: list[Expr]) -> Expr:
        function = member.fset if kind == "setter" else member.fdel
        if function is not None:
            return self.call(self.accessor(cls, kind, function), v)
        shown = prim(self.span, "py.class-name", copy_of(v[0]))
        parts = [const(self.span, f"property {self.name!r} of '"), shown]
        text = prim(self.span, "py.joined", *parts, const(self.span, f"' object has no {kind}"))
        return Raise(self.span, make_error(self.span, AttributeError, text))

    def _frozen(self, kind: str) -> Expr:
        verb = "assign to" if kind == "setter" else "delete"
        message = f"cannot {verb} field {self.name!r}"
        return raise_error(self.span, dataclasses.FrozenInstanceError, message)

    # Asking

    def ask(self, x: Expr) -> Expr:
        """Return whether a value has the attribute; properties and `__getattr__` are run to find out."""
        runs = (c for c in self.members() if isinstance(c[1], property) or is_descriptor(c[1]))
        computed = list(runs)
        found = [c for c, _ in computed] + [group.cls for group in self.program.groups("__getattr__")]

        def dispatch(v: list[Expr]) -> Expr:
            result = prim(self.span, "py.has-attribute", copy_of(v[0]), const(self.span, self.name))
            yes, no = const(self.span, True), const(self.span, False)
            for cls in reversed(found):
                test = self.unless_missing(self.read(copy_of(v[0])), lambda _: copy_of(yes), copy_of(no))
                result = self.of_class(v[0], cls, test, result)
            return result

        return bind(self.program.names, [x], dispatch)

    def unless_missing(self, value: Expr, use: Callable[[Expr], Expr], otherwise: Expr) -> Expr:
        """Return `use` of an attribute; the other expression where reading it raises AttributeError."""
        return without(self.program.names, self.span, value, AttributeError, use, otherwise)


def _as_it_is(found: Expr) -> Expr:
    return found


def _is_frozen_object(cls: type) -> bool:
    """Return whether a class is a frozen dataclass whose objects are made by code of the program."""
    frozen = makes_record(cls) and not is_made_as_record(cls)
    return frozen and is_generated(cls.__setattr__)
