"""The interfaces of translation: what the handler of a construct knows of its function and program.

    CallContext      where a call is translated: places, fresh names, refusals
    FunctionContext  one function: its scope, the meanings of names, the entry points that translate its parts
    ProgramContext   the program: known objects, facts about its classes, operations on values

The entry points are abstract here, so that the handlers, which call them recursively, need not import one
another. `translation/translator.py` and `linking/linker.py` implement them.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from checkpoint.errors import SourceError, Span
from checkpoint.lang.core import Const, Expr, If, Lambda, Let, Prim, Var
from checkpoint.lang.python.context.arguments import Arguments
from checkpoint.lang.python.context.builder import UNBOUND, Names, bind, copy_of, raise_error
from checkpoint.lang.python.context.classes import ClassesContext
from checkpoint.lang.python.context.exits import Exits, Next
from checkpoint.lang.python.context.meanings import (
    Binding,
    Callee,
    Env,
    KnownFunction,
    Maker,
    Reference,
)
from checkpoint.lang.python.normal.liveness import Liveness
from checkpoint.lang.python.normal.normaliser import Normaliser
from checkpoint.lang.python.scopes.scopes import Scope, scope_of
from checkpoint.lang.python.scopes.syntax import children_of
from checkpoint.lang.python.source.refusals import NO_REFUSALS, Refusals, place, refuse
from checkpoint.lang.python.source.texts import FunctionText


class ProgramContext(ClassesContext):
    """The program that is being translated.

    names: the supply of core variables. method_names: the names of all methods of the program's classes.
    classes_having: the classes among so many values that have an attribute (calls/class_values.py).
    has_sets, has_generators: whether it has any. meets_tables: whether it reads tables of pandas.
    """

    names: Names
    method_names: set[str]
    classes_having: dict[tuple[str, int], list[type]]
    has_sets: bool
    has_generators: bool
    meets_tables: bool

    @abstractmethod
    def reference(self, t: FunctionContext, node: ast.expr, env: Env) -> Reference | str | None:
        """Return the meaning of a name or dotted name if it is known at translation, else None."""

    @abstractmethod
    def imported(self, t: FunctionContext, targets: list[tuple[str, str | None]]) -> Reference | str | None:
        """Return what the first import inside a function binds that does not fail; None if all fail."""

    @abstractmethod
    def import_error(self, t: FunctionContext, target: tuple[str, str | None]) -> ImportError | None:
        """Return the exception that Python raises at an import, or None."""

    @abstractmethod
    def input_of(self, variable: str) -> Any:
        """Return the object that the core variable of an input stands for."""

    @abstractmethod
    def note_nested(self, lam: Lambda, t: FunctionContext, env: Env) -> None:
        """Note the lambda of a nested function, where `env` is visible around it."""

    @abstractmethod
    def check_input(self, t: FunctionContext, variable: str, node: ast.AST) -> None:
        """Refuse an input whose value no program can hold."""

    @abstractmethod
    def start(self, t: CallContext, value: Expr, node: ast.AST) -> Expr:
        """Return what a loop over a value goes through: an iterator of these classes, or a sequence."""

    @abstractmethod
    def taken_apart(self, t: CallContext, value: Expr, node: ast.AST) -> Expr:
        """Return a value, or the list of its items if it is an object of these classes."""

    @abstractmethod
    def is_iterator(self, t: CallContext, source: Expr, node: ast.AST) -> Expr:
        """Return whether what `start` gave is such an iterator."""

    @abstractmethod
    def advance(self, t: CallContext, source: Expr, cell: Expr, node: ast.AST) -> Expr:
        """Store an iterator's next item in a cell; return whether there is one."""

    @abstractmethod
    def bound_parts(
        self, t: CallContext, known: Reference, node: ast.AST
    ) -> tuple[Reference, list[Expr], dict[str, Expr]]:
        """Return the function of a bound method or partial object, and the arguments that it holds."""

    @abstractmethod
    def maker_of(self, known: Reference, kind: str, key: Any) -> Maker:
        """Return a maker of the value that one access from an input leads to (linking/inputs.py)."""

    @abstractmethod
    def factory_of(self, known: Reference, name: str) -> Maker:
        """Return a maker of the default of a dataclass field that has a default factory."""

    @abstractmethod
    def value_of(self, t: CallContext, known: Reference, node: ast.AST) -> Expr:
        """Return a known object as a value."""

    @abstractmethod
    def as_value(self, callee: Callee, span: Span) -> Expr:
        """Return a function as a value that is called by position."""

    @abstractmethod
    def most_arguments(self) -> int:
        """Return the most arguments by position that a call of such a function passes."""

    @abstractmethod
    def takes_any(self) -> bool:
        """Return whether a function that is only known at run time is called with `*`, `**` or keywords."""

    @abstractmethod
    def apply(self, t: FunctionContext, function: ast.expr, args: list[Expr], env: Env) -> Expr:
        """Call the meaning of an expression on values, as a decorator is called."""

    @abstractmethod
    def operation(self, t: CallContext, op: str, args: list[Expr], node: ast.AST) -> Expr:
        """Apply a primitive to values, or the method behind it to objects of the program's classes."""

    @abstractmethod
    def called(self, t: CallContext, function: Expr, passed: Arguments, node: ast.AST) -> Expr:
        """Call a value, which may be an object with `__call__`."""

    @abstractmethod
    def attribute(self, t: CallContext, value: Expr, name: str, node: ast.AST) -> Expr:
        """Return an attribute of a value: a field, or a member of its class."""

    @abstractmethod
    def exception(self, t: FunctionContext, node: ast.expr, env: Env, check: str = "py.raise-check") -> Expr:
        """Return the exception that a `raise` names, of a class an instance; check: a primitive."""


class CallContext(ABC):
    """Where a call is translated: in a function, or at the entry of the program (context/entry.py)."""

    program: ProgramContext

    @abstractmethod
    def span(self, node: ast.AST) -> Span:
        """Return the place of a node in the user's text."""

    @abstractmethod
    def refuse(self, node: ast.AST, construct: str, advice: str) -> SourceError:
        """Return the error for a construct that cannot be translated."""

    @abstractmethod
    def call(self, callee: Callee, args: list[Expr], env: Env, span: Span) -> Expr:
        """Call a function with all arguments in place; one that changes variables returns its outcome."""

    def refused(self, error: SourceError, node: ast.AST) -> Expr:
        """Return the step that raises an error when it is reached, instead of what `node` means."""
        span = error.span or self.span(node)
        return Prim(span, "py.refuse", (Const(span, error.message),))

    def attempt(self, node: ast.AST, make: Callable[[], Expr]) -> Expr:
        """Return one of several meanings of a node; if it is refused, the step that says so."""
        try:
            return make()
        except SourceError as error:
            return self.refused(error, node)

    def fresh(self, name: str) -> str:
        """Return a new core variable."""
        return self.program.names.fresh(name)


class FunctionContext(CallContext):
    """One function that is being translated; the handlers of constructs take it as `t`.

    program: the program that it is part of. text: its syntax tree. scope: its variables.
    globals: returns the meaning of a name that no enclosing function binds.
    name: the name of the function in messages.
    outer: the known functions of the enclosing functions. visible: those and its own.
    cells: the variables that are kept in cells; shared: those of them that belong to enclosing functions.
    function_input: the index of the input that is the outermost function around it, if it is one.
    refusals: what is refused in its text.
    receiver: the variable that is the object in a constructor, where that is no parameter.
    statics: the parameters that are known objects: the class of a class method.
    around: the function around it, if it is nested.
    normal: makes the normal form of its statements. live: the live variables of its statements.
    """

    def __init__(
        self,
        program: ProgramContext,
        text: FunctionText,
        scope: Scope,
        globals: Callable[[str], Binding | Reference | str | None],
        name: str,
        outer: Mapping[str, KnownFunction] | None = None,
        shared: frozenset[str] = frozenset(),
        refusals: Refusals = NO_REFUSALS,
    ) -> None:
        self.refusals = refusals
        self.program = program
        self.text = text
        self.scope = scope
        self.globals = globals
        self.name = name
        self.known = scope.known()
        self.own_cells = frozenset(scope.cells())
        self.cells = self.own_cells | (shared - scope.assigned.keys())
        around = {name: known for name, known in (outer or {}).items() if name not in scope.assigned}
        self.outer: Mapping[str, KnownFunction] = around
        self.visible = {
            **around,
            **{name: KnownFunction(self.effects(s), self.uses(s)) for name, s in self.known.items()},
        }
        changing = {name for name, known in self.visible.items() if known.effects}
        self.function_input: int | None = None
        self.statics: Mapping[str, Reference] = {}
        self.receiver: str | None = None
        self.around: FunctionContext | None = None
        names, stored = program.method_names, scope.stored_imports
        self.normal = Normaliser(changing, names, scope.is_local, refusals.nodes, stored, self.known_object)
        self.normal.writes = cache(partial(program.written_by, self))
        self.live = Liveness(self.reads, self.cells)

    # The entry points of the recursion

    @abstractmethod
    def expr(self, node: ast.expr, env: Env) -> Expr:
        """Translate an expression without effects."""

    @abstractmethod
    def test(self, node: ast.expr, env: Env) -> Expr:
        """Translate the truth of an expression, as a boolean."""

    @abstractmethod
    def block(self, body: list[ast.stmt], env: Env, exits: Exits) -> Expr:
        """Translate a list of statements and the code that follows it."""

    @abstractmethod
    def nested(
        self,
        scope: Scope,
        env: Env,
        ins: tuple[str, ...] = (),
        outs: tuple[str, ...] = (),
        guarded: bool = False,
    ) -> Lambda:
        """Translate a nested function; env: what is visible around it; ins, outs, guarded: as in Callee."""

    # Scopes

    def adopt(self, node: ast.Lambda) -> Scope:
        """Add the scope of a lambda that translation has moved into this function."""
        scope = scope_of(node, self.scope)
        self.scope.children[node] = scope
        return scope

    def effects(self, scope: Scope) -> frozenset[str]:
        """Return the variables of enclosing functions that a call of a nested function changes."""
        found = scope.effects(self.known)
        for name in scope.free & self.outer.keys():
            found |= self.outer[name].effects
        return frozenset(name for name in found if self.scope.is_local(name))

    def uses(self, scope: Scope) -> frozenset[str]:
        """Return the variables of enclosing functions that a nested function needs."""
        outer = [self.outer[name].uses for name in scope.free & self.outer.keys()]
        return frozenset(scope.uses(self.known).union(*outer))

    def reads(self, node: ast.AST) -> frozenset[str]:
        """Return the variables that an expression or definition may read."""
        found: set[str] = set()
        pending = [node]
        while pending:
            each = pending.pop()
            child = self.scope.children.get(each)
            if child is not None:
                found |= self.uses(child)
                if self.known.get(child.name) is child:
                    found |= {name for scope in self.known.values() for name in self.uses(scope)}
                pending += [d for d in (*child.node.args.defaults, *child.node.args.kw_defaults) if d]
                pending += getattr(child.node, "decorator_list", [])
                continue
            if isinstance(each, ast.Name):
                found.add(each.id)
                if each.id in self.visible:
                    found |= self.visible[each.id].uses
            pending += children_of(each)
        return frozenset(found)

    # Places and refusals

    def span(self, node: ast.AST) -> Span:
        return place(self.text, node)

    def refuse(self, node: ast.AST, construct: str, advice: str) -> SourceError:
        return refuse(self.text, node, construct, advice)

    # Variables

    def known_object(self, node: ast.expr, env: Env | None = None) -> Any:
        """Return the Python object that an expression denotes wherever the function runs, or None."""
        try:
            found = self.program.reference(self, node, env or {})
        except SourceError:
            return None
        return found.value if isinstance(found, Reference) else None

    def meaning(self, name: str, env: Env) -> Binding | Reference | str | None:
        """Return the meaning of a name: a local variable, a known object, an input, or None."""
        if name in self.scope.globals:
            return self.globals(name)
        if name in self.statics:
            return self.statics[name]
        if name in env:
            return env[name]
        if self.scope.is_local(name):
            return Binding("", unbound=True)
        scope: Scope | None = self.scope
        while scope is not None:
            if name in scope.imports:
                return self.program.imported(self, scope.imports[name])
            if name in scope.classes:
                return self.program.local_class(self, scope, name)
            scope = scope.parent
        return self.globals(name)

    def read(self, name: str, node: ast.AST, env: Env) -> Expr:
        """Return the value of a variable."""
        span = self.span(node)
        found = self.meaning(name, env)
        if isinstance(found, Binding):
            return self.read_local(name, found, span)
        if isinstance(found, Reference):
            return self.program.value_of(self, found, node)
        if isinstance(found, str):
            self.program.check_input(self, found, node)
            return Var(span, found)
        return raise_error(span, NameError, f"name {name!r} is not defined")

    def read_local(self, name: str, binding: Binding, span: Span) -> Expr:
        """Return the value of a local variable; where it may be unassigned, with Python's check."""
        if not binding.core:
            return self.unbound(name, binding, span)
        value: Expr = Var(span, binding.core)
        if binding.outside:
            value = self.program.read_outside(binding.core, span)
        elif binding.cell:
            value = Prim(span, "py.variable", (value, Const(span, name)))
        if binding.unbound or (binding.cell and self.scope.may_lose_value(name)):
            value = self.checked(name, binding, value, span)
        if binding.callee is not None:
            return self.program.as_value(binding.callee, span)
        return value

    def unbound(self, name: str, binding: Binding, span: Span) -> Expr:
        """Return the raising of Python's exception for a variable without a value."""
        where = "where it is not associated with a value"
        if binding.outside:
            return raise_error(span, NameError, f"name {name!r} is not defined")
        free = name not in self.scope.assigned if binding.free is None else binding.free
        if not free:
            return raise_error(span, UnboundLocalError, f"cannot access local variable {name!r} {where}")
        message = f"cannot access free variable {name!r} {where} in enclosing scope"
        return raise_error(span, NameError, message)

    def checked(self, name: str, binding: Binding, value: Expr, span: Span) -> Expr:
        """Return the value of a variable, or raise if it is unassigned at run time."""

        def check(values: list[Expr]) -> Expr:
            unbound = Prim(span, "py.is", (values[0], Const(span, UNBOUND)))
            return If(span, unbound, self.unbound(name, binding, span), copy_of(values[0]))

        return bind(self.program.names, [value], check, name)

    def held(self, name: str, env: Env, span: Span) -> Expr:
        """Return what a call passes for a variable: its value, its cell, or the mark of none."""
        core = env[name].core if name in env else ""
        return Var(span, core) if core else Const(span, UNBOUND)

    def store(self, name: str, value: Expr, env: Env, rest: Next) -> Expr:
        """Bind a variable to a value around the continuation `rest`."""
        new = self.fresh(name)
        if self.program.is_outside(self, name, env):
            return Let(value.span, new, self.program.write_outside(self, name, value), rest(env))
        old = env.get(name)
        if old is not None and old.cell:
            value = Prim(value.span, "py.set", (Var(value.span, old.core), Const(value.span, 0), value))
            return Let(value.span, new, value, rest({**env, name: Binding(new, cell=True)}))
        return Let(value.span, new, value, rest({**env, name: Binding(new)}))
