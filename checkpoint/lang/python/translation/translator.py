"""One function to one lambda of the core.

In: the text of a function, its scope, and what the names around it mean. Out: a Lambda. The statements of
a function become nested expressions (translation/statements.py): what follows a statement is the
body of what it binds, the end of an `if` or loop is a procedure that its ways call last. So control flow
is calls in tail position, which the passes after the core turn into jumps.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from checkpoint.errors import SourceError, Span
from checkpoint.lang.core import App, Const, Expr, If, Lambda, Let, Prim, Var
from checkpoint.lang.python.context.builder import FAILED, UNBOUND, again, bound, raise_error
from checkpoint.lang.python.context.exits import Exits, Handler, Next
from checkpoint.lang.python.context.meanings import Binding, Callee, Env, Reference
from checkpoint.lang.python.control import handlers
from checkpoint.lang.python.normal.liveness import Liveness
from checkpoint.lang.python.normal.normaliser import Normaliser
from checkpoint.lang.python.scopes.scopes import Scope, parameters, scope_of
from checkpoint.lang.python.source.refusals import place, refuse
from checkpoint.lang.python.source.texts import FunctionText
from checkpoint.lang.python.translation import expressions, statements

if TYPE_CHECKING:
    from checkpoint.lang.python.linking.linker import Linker


@dataclass(frozen=True, eq=False, repr=False)
class Known:
    """What calling a known function changes and needs."""

    effects: frozenset[str]
    uses: frozenset[str]


class Translator:
    """The translation of one function.

    globals: what names mean that no function around it binds. name: what Python calls it in messages.
    shared: the variables of functions around it that are kept in cells.
    """

    def __init__(
        self,
        linker: Linker,
        text: FunctionText,
        scope: Scope,
        globals: Callable[[str], Binding | Reference | str | None],
        name: str,
        outer: Mapping[str, Known] | None = None,
        shared: frozenset[str] = frozenset(),
    ) -> None:
        self.linker = linker
        self.text = text
        self.scope = scope
        self.globals = globals
        self.name = name
        self.known = scope.known()
        self.own_cells = frozenset(scope.cells())
        self.cells = self.own_cells | (shared - scope.assigned.keys())
        self.outs: tuple[str, ...] = ()
        self.guarded = False
        around = {name: known for name, known in (outer or {}).items() if name not in scope.assigned}
        self.outer: Mapping[str, Known] = around
        self.visible = {
            **around,
            **{name: Known(self.effects(s), self.uses(s)) for name, s in self.known.items()},
        }
        changing = {name for name, known in self.visible.items() if known.effects}
        self.normal = Normaliser(changing, linker.method_names, scope.is_local)
        self.live = Liveness(self.reads, self.cells)

    def child(self, scope: Scope) -> Translator:
        """The translator of a nested function."""
        name = f"{self.name}.<locals>.{scope.name}"
        return Translator(self.linker, self.text, scope, self.globals, name, self.visible, self.cells)

    def adopt(self, node: ast.Lambda) -> Scope:
        """The scope of a lambda that translation itself has moved here."""
        scope = scope_of(node, self.scope)
        self.scope.children[node] = scope
        return scope

    def effects(self, scope: Scope) -> frozenset[str]:
        """The variables of functions around a nested function that calling it changes."""
        found = scope.effects(self.known)
        for name in scope.free & self.outer.keys():
            found |= self.outer[name].effects
        return frozenset(name for name in found if self.scope.is_local(name))

    def uses(self, scope: Scope) -> frozenset[str]:
        """What a nested function needs of the functions around it."""
        found = scope.uses(self.known)
        for name in scope.free & self.outer.keys():
            found |= self.outer[name].uses
        return frozenset(found)

    # What the other modules use

    def span(self, node: ast.AST) -> Span:
        return place(self.text, node)

    def fresh(self, name: str) -> str:
        return self.linker.names.fresh(name)

    def refuse(self, node: ast.AST, construct: str, advice: str) -> SourceError:
        return refuse(self.text, node, construct, advice)

    def expr(self, node: ast.expr, env: Env) -> Expr:
        """The value of an expression without effects."""
        return expressions.translate(self, node, env)

    def block(self, body: list[ast.stmt], env: Env, exits: Exits) -> Expr:
        """A list of statements, then what comes after it."""
        return statements.block(self, body, env, exits)

    def test(self, node: ast.expr, env: Env) -> Expr:
        """Whether an expression is true, as a boolean."""
        return expressions.test(self, node, env)

    def meaning(self, name: str, env: Env) -> Binding | Reference | str | None:
        """A local variable, a known object, the core variable of an input; None for an unknown name."""
        if name in env:
            return env[name]
        if self.scope.is_local(name):
            return Binding("", unbound=True)
        scope: Scope | None = self.scope
        while scope is not None:
            if name in scope.imports:
                return self.linker.imported(self, *scope.imports[name])
            scope = scope.parent
        return self.globals(name)

    def read(self, name: str, node: ast.AST, env: Env) -> Expr:
        """The value of a variable."""
        span = self.span(node)
        found = self.meaning(name, env)
        if isinstance(found, Binding):
            return self.read_local(name, found, span)
        if isinstance(found, Reference):
            return self.linker.value_of(self, found, node)
        if isinstance(found, str):
            self.linker.check_input(self, found, node)
            return Var(span, found)
        return raise_error(span, NameError, f"name {name!r} is not defined")

    def read_local(self, name: str, binding: Binding, span: Span) -> Expr:
        if not binding.core:
            return self.unbound(name, binding, span)
        value: Expr = Var(span, binding.core)
        if binding.cell:
            value = Prim(span, "py.variable", (value, Const(span, name)))
        if binding.unbound:
            value = self.checked(name, binding, value, span)
        if binding.callee is not None:
            return self.linker.as_value(self, binding.callee, span)
        return value

    def unbound(self, name: str, binding: Binding, span: Span) -> Expr:
        """What reading a variable raises that nothing has been assigned to."""
        where = "where it is not associated with a value"
        free = name not in self.scope.assigned if binding.free is None else binding.free
        if not free:
            return raise_error(span, UnboundLocalError, f"cannot access local variable {name!r} {where}")
        message = f"cannot access free variable {name!r} {where} in enclosing scope"
        return raise_error(span, NameError, message)

    def checked(self, name: str, binding: Binding, value: Expr, span: Span) -> Expr:
        """A variable that may not have been assigned to."""

        def check(values: list[Expr]) -> Expr:
            unbound = Prim(span, "py.is", (values[0], Const(span, UNBOUND)))
            return If(span, unbound, self.unbound(name, binding, span), again(values[0]))

        return bound(self.linker.names, [value], check, name)

    def held(self, name: str, env: Env, span: Span) -> Expr:
        """What stands for a variable where it is passed on: its value or cell, or that it has none."""
        core = env[name].core if name in env else ""
        return Var(span, core) if core else Const(span, UNBOUND)

    def store(self, name: str, value: Expr, env: Env, rest: Next) -> Expr:
        """Bind a variable to a value, then the rest."""
        new = self.fresh(name)
        old = env.get(name)
        if old is not None and old.cell:
            value = Prim(value.span, "py.set", (Var(value.span, old.core), Const(value.span, 0), value))
            return Let(value.span, new, value, rest({**env, name: Binding(new, cell=True)}))
        return Let(value.span, new, value, rest({**env, name: Binding(new)}))

    def reads(self, node: ast.AST) -> frozenset[str]:
        """The variables that an expression or definition may read."""
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
            pending.extend(ast.iter_child_nodes(each))
        return frozenset(found)

    # The function

    def function(
        self, env: Env, ins: tuple[str, ...] = (), outs: tuple[str, ...] = (), guarded: bool = False
    ) -> Lambda:
        """The lambda; `env` is what is visible around it, ins, outs and guarded as in Callee."""
        self.outs = outs
        self.guarded = guarded
        node, own = self.scope.node, [a.arg for a in parameters(self.scope.node.args)]
        if isinstance(node, ast.Lambda):
            returned = ast.copy_location(ast.Return(node.body), node.body)
            body = self.normal.block([returned])
        else:
            body = self.normal.block(node.body)
        self.live.function(body, frozenset(outs), guarded)
        inside = {variable: b for variable, b in env.items() if variable not in self.scope.assigned}
        params = {variable: self.fresh(variable) for variable in (*own, *ins)}
        inside.update({v: Binding(params[v]) for v in own})
        inside.update({v: replace(env[v], core=params[v], free=None) for v in ins})
        result = self.with_cells(sorted(self.own_cells), inside, lambda now: self.body(body, now))
        return Lambda(self.span(node), tuple(params.values()), result, name=self.name, shown=True)

    def body(self, body: list[ast.stmt], env: Env) -> Expr:
        end = self.span(self.scope.node)
        exits = Exits(lambda now: self.returned(Const(end, None), now), self.returned)
        if not self.guarded:
            return self.block(body, env, exits)

        def failed(now: Env, caught: str) -> Expr:
            return self.returned(Prim(end, "py.record", (Const(end, FAILED), Var(end, caught))), now)

        def inside(handler: Handler) -> Expr:
            return self.block(body, env, replace(exits, handler=handler))

        return handlers.with_handler(self, frozenset(self.outs), env, failed, inside, end)

    def returned(self, value: Expr, env: Env) -> Expr:
        """What the procedure returns: the value, and what it changed for the caller."""
        if not self.outs:
            return value
        outs = [self.held(name, env, value.span) for name in self.outs]
        return Prim(value.span, "py.tuple", (value, *outs))

    def with_cells(self, names: list[str], env: Env, rest: Next) -> Expr:
        """Make the cells of the function's variables that have one."""
        if not names:
            return rest(env)
        name, span = names[0], self.span(self.scope.node)
        old = env.get(name) if name in self.scope.assigned else None
        content: Expr = Const(span, UNBOUND) if old is None else Var(span, old.core)
        new = self.fresh(name)
        now = {**env, name: Binding(new, cell=True, unbound=old is None)}
        return Let(span, new, Prim(span, "py.list", (content,)), self.with_cells(names[1:], now, rest))

    def call(self, callee: Callee, args: list[Expr], env: Env, span: Span) -> Expr:
        """A call with all arguments in their places; of a changing function the whole outcome."""
        extra = [self.held(n, env, span) for n in callee.ins]
        made = App(span, callee.make(span), (*args, *extra))
        if not callee.own:
            return made
        result = self.fresh("result")  # not in tail position: its frame tells where the call is
        return Let(span, result, made, Var(span, result))
