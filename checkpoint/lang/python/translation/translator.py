"""Translate one function to one lambda of the core.

In: the text of a function, its scope, and what the names around it mean. Out: a Lambda. The statements of a
function become nested expressions (statements.py): the code that follows a statement is the body of the
binding that the statement makes, and the end of an `if` or loop is a procedure that its branches call last.
So control flow is calls in tail position, which the passes after the core turn into jumps.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import replace

from checkpoint.errors import Span
from checkpoint.lang.core import MADE, Const, Expr, If, Lambda, Let, Prim, Raise, Var
from checkpoint.lang.python.calls.iterators import makes_cleaned
from checkpoint.lang.python.context.builder import FAILED, UNBOUND, raise_error
from checkpoint.lang.python.context.contexts import FunctionContext
from checkpoint.lang.python.context.exits import Exits, Handler, Next
from checkpoint.lang.python.context.meanings import Binding, Callee, Env
from checkpoint.lang.python.control import handlers
from checkpoint.lang.python.library import generators
from checkpoint.lang.python.normal.comprehensions import yielding
from checkpoint.lang.python.scopes.lazy import Lazy
from checkpoint.lang.python.scopes.reach import is_generator
from checkpoint.lang.python.scopes.scopes import Scope, parameters
from checkpoint.lang.python.translation import expressions, statements
from checkpoint.lang.python.translation.kept_iterators import keeps_iterators


class Translator(FunctionContext):
    """The translation of one function; `function` returns its lambda.

    stands_for: a weak reference to the function, if that is a known object.
    """

    stands_for: object = None
    outs: tuple[str, ...] = ()
    guarded = False

    @functools.cached_property
    def is_generator(self) -> bool:
        return is_generator(self.scope.node)

    # The entry points

    def expr(self, node: ast.expr, env: Env) -> Expr:
        return expressions.translate(self, node, env)

    def test(self, node: ast.expr, env: Env) -> Expr:
        return expressions.test(self, node, env)

    def block(self, body: list[ast.stmt], env: Env, exits: Exits) -> Expr:
        return statements.block(self, body, env, exits)

    def nested(
        self,
        scope: Scope,
        env: Env,
        ins: tuple[str, ...] = (),
        outs: tuple[str, ...] = (),
        guarded: bool = False,
    ) -> Lambda:
        name = f"{self.name}.<locals>.{scope.name}"
        inner = Translator(
            self.program, self.text, scope, self.globals, name, self.visible, self.cells, self.refusals
        )
        inner.function_input = self.function_input
        inner.receiver, inner.around = self.receiver, self
        inner.statics = {name: v for name, v in self.statics.items() if name not in scope.assigned}
        lam = inner.function(env, ins, outs, guarded)
        lam.stands_for = MADE
        return lam

    # The function

    def function(
        self, env: Env, ins: tuple[str, ...] = (), outs: tuple[str, ...] = (), guarded: bool = False
    ) -> Lambda:
        """Return the lambda; env: what is visible around it; ins, outs, guarded: as in Callee."""
        self.outs = outs
        self.guarded = guarded
        if not self.program.has_generators and keeps_iterators(self):
            self.program.note_generators()
        self.normal.has_iterators = self.program.has_iterators()
        self.normal.has_cleanup = functools.partial(makes_cleaned, self)
        node = self.scope.node
        own = [a.arg for a in parameters(node.args) if a.arg not in self.statics]
        if isinstance(node, Lazy):
            body = self.normal.block([yielding(node)])
        elif isinstance(node, ast.Lambda):
            returned = ast.copy_location(ast.Return(node.body), node.body)
            body = self.normal.block([returned])
        else:
            body = self.normal.block(node.body)
        self.live.function(body, frozenset(outs), guarded)
        own_names = self.scope.assigned.keys() | self.scope.imports.keys() | self.scope.classes.keys()
        inside = {variable: b for variable, b in env.items() if variable not in own_names}
        params = {variable: self.fresh(variable) for variable in (*own, *ins)}
        inside.update({v: Binding(params[v]) for v in own})
        inside.update({v: replace(env[v], core=params[v], free=None) for v in ins})
        make = self.generator if self.is_generator else self.body
        result = self.with_cells(sorted(self.own_cells), inside, lambda now: make(body, now))
        lam = Lambda(self.span(node), tuple(params.values()), result, name=self.name, shown=True)
        if self.scope.parent is not None and not (ins or outs or guarded):
            self.program.note_nested(lam, self, env)
        return lam

    def body(self, body: list[ast.stmt], env: Env) -> Expr:
        """Translate the statements of the function; a guarded one returns what they raise."""
        end = self.span(self.scope.node)
        if self.scope.node in self.refusals.bodies:
            return self.refused(self.refusals.bodies[self.scope.node], self.scope.node)
        exits = Exits(lambda now: self.returned(Const(end, None), now), self.returned)
        if not self.guarded:
            return self.block(body, env, exits)

        def failed(now: Env, caught: str) -> Expr:
            return self.returned(Prim(end, "py.record", (Const(end, FAILED), Var(end, caught))), now)

        def inside(handler: Handler) -> Expr:
            return self.block(body, env, replace(exits, handler=handler))

        return handlers.with_handler(self, frozenset(self.outs), env, failed, inside, end)

    def generator(self, body: list[ast.stmt], env: Env) -> Expr:
        """Return a generator that runs the statements of the function (library/generators.py)."""
        self.program.note_generators()
        span, sent, error = self.span(self.scope.node), self.fresh("sent"), self.fresh("error")

        def is_none(name: str) -> Expr:
            return Prim(span, "py.is", (Var(span, name), Const(span, None)))

        refused = raise_error(span, TypeError, "can't send non-None value to a just-started generator")
        inside = If(span, is_none(sent), self.body(body, env), refused)
        first = If(span, is_none(error), inside, Raise(span, Var(span, error)))
        start = Lambda(span, (sent, error), first, name=self.name, shown=True)
        layout = self.program.layout(generators.generator, ("resume",))
        return Prim(span, "py.new", (Const(span, layout), start))

    def returned(self, value: Expr, env: Env) -> Expr:
        """Return what the procedure gives its caller: the value, and the variables that it has changed."""
        if self.is_generator:
            return Prim(value.span, "py.tuple", (Const(value.span, True), value, Const(value.span, None)))
        if not self.outs:
            return value
        outs = [self.held(name, env, value.span) for name in self.outs]
        return Prim(value.span, "py.tuple", (value, *outs))

    def with_cells(self, names: list[str], env: Env, rest: Next) -> Expr:
        """Make the cells of the function's variables that have one, around `rest`."""
        if not names:
            return rest(env)
        name, span = names[0], self.span(self.scope.node)
        old = env.get(name) if name in self.scope.assigned else None
        content: Expr = Const(span, UNBOUND) if old is None else Var(span, old.core)
        new = self.fresh(name)
        now = {**env, name: Binding(new, cell=True, unbound=old is None)}
        return Let(span, new, Prim(span, "py.list", (content,)), self.with_cells(names[1:], now, rest))

    def call(self, callee: Callee, args: list[Expr], env: Env, span: Span) -> Expr:
        extra = [self.held(n, env, span) for n in callee.ins]
        made = callee.applied([*args, *extra], span)
        if not callee.internal:
            return made
        result = self.fresh("result")  # not in tail position, so that its frame keeps the place of the call
        return Let(span, result, made, Var(span, result))
