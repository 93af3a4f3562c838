"""Resolution: from the core to the code of the reference engine.

In: a program that lang/grammar.py accepts, and its Scopes (lang/closures.py). Out: each of its lambdas has a
Body under compiled["interp"], which is resolved at its first call, whichever engine made the closure. A
*layout* is the tuple of the variables that an environment holds, slot by slot. Every expression is resolved
for the layout that it will run in; where a frame is pushed, a projection leads to the smaller layout that the
rest of the frame uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from checkpoint.ad.graph import numbers, replace
from checkpoint.ad.numbers import fresh
from checkpoint.ad.record import lookup
from checkpoint.ad.values import EMPTY, Closure
from checkpoint.interp import code
from checkpoint.interp.code import Projection
from checkpoint.interp.primitives import Apply, code_of
from checkpoint.lang import core
from checkpoint.lang.closures import Scopes
from checkpoint.lang.deep import Task, run
from checkpoint.lang.lanes import positions
from checkpoint.lang.walk import preorder

Layout = tuple[str, ...]


def resolve(thunk: core.Lambda, scopes: Scopes) -> None:
    """Give each lambda of a program a body; the program is the lambda without captures, which is last."""
    resolver = Resolver(scopes)
    inside = [expr for expr in preorder(thunk.body) if type(expr) is core.Lambda]
    for lam in (*inside, thunk):
        lam.compiled["interp"] = code.Body(len(lam.params), partial(resolver.body, lam))


def project(layout: Layout, wanted: Layout) -> Projection:
    """Return the function that maps an environment of one layout to another."""
    if layout == wanted:
        return lambda env: env
    slots = [layout.index(name) for name in wanted]
    if not slots:
        return lambda env: ()
    if len(slots) == 1:
        slot = slots[0]
        return lambda env: (env[slot],)
    return itemgetter(*slots)


def union(groups: Iterable[Iterable[str]]) -> Layout:
    """Return names in the order in which they first occur."""
    return tuple(dict.fromkeys(name for group in groups for name in group))


class Resolver:
    """The resolution of one program, with a method for each form of the core (tasks of lang/deep.py)."""

    def __init__(self, scopes: Scopes) -> None:
        self.scopes = scopes
        self.forms: dict[type, Callable[[Any, Layout], Task[Any]]] = {
            core.Const: self.constant,
            core.Var: self.variable,
            core.Lambda: self.closure,
            core.App: self.application,
            core.If: self.branch,
            core.Let: self.let,
            core.Letrec: self.letrec,
            core.Prim: self.primitive,
            core.Raise: self.throw,
            core.Handle: self.handle,
        }

    def operand(self, expr: core.Expr, layout: Layout) -> Task[Any]:
        """Return the code of an operand for a layout that holds at least its free variables."""
        return self.forms[type(expr)](expr, layout)

    def expression(self, expr: core.Expr, layout: Layout) -> Task[Any]:
        """Return the code of a body or branch; a variable is copied."""
        resolved = yield self.operand(expr, layout)
        return code.Copy(resolved.read, resolved.span) if type(expr) is core.Var else resolved

    def body(self, lam: core.Lambda) -> tuple[bool, Any]:
        """Resolve a lambda; see code.Body."""
        group = self.scopes.group_of_lambda(lam)
        own = (group.env,) if group is not None and group.env in self.scopes.free(lam) else ()
        return bool(own), run(self.expression(lam.body, (*self.scopes.captures(lam), *own, *lam.params)))

    def constant(self, expr: core.Const, layout: Layout) -> Task[code.Atom]:
        """Return the code of a constant; each reading makes new locations, for only the run shares them."""
        yield from ()
        value, found = expr.value, numbers(expr.value)
        if not found:
            return code.Atom(lambda env: value, expr.span)
        if type(value) is float:
            return code.Atom(lambda env: fresh(value), expr.span)
        return code.Atom(lambda env: replace(value, found, map(fresh, found)), expr.span)

    def variable(self, expr: core.Var, layout: Layout) -> Task[code.Atom]:
        yield from ()
        storage = self.scopes.storage(expr.name)
        if storage == expr.name:
            return code.Atom(itemgetter(layout.index(storage)), expr.span)
        lam = self.scopes.lambda_of[expr.name]
        if storage is None:
            closure = Closure(lam, EMPTY)
            return code.Atom(lambda env: closure, expr.span)
        slot = layout.index(storage)
        return code.Atom(lambda env: Closure(lam, env[slot]), expr.span)

    def closure(self, expr: core.Lambda, layout: Layout) -> Task[code.MakeClosure]:
        yield from ()
        return code.MakeClosure(expr, project(layout, self.scopes.captures(expr)), expr.span)

    def operands(
        self, exprs: Sequence[core.Expr], layout: Layout, rest: Layout = ()
    ) -> Task[tuple[tuple[Any, ...], tuple[Projection, ...]]]:
        """Return the code of operands, and a projection after each to what later ones and the rest use."""
        resolved, keep = [], []
        for position, expr in enumerate(exprs):
            resolved.append((yield self.operand(expr, layout)))
            later = union([*map(self.scopes.free, exprs[position + 1 :]), rest])
            keep.append(project(layout, later))
            layout = later
        return tuple(resolved), tuple(keep)

    def application(self, expr: core.App, layout: Layout) -> Task[code.Call]:
        operands, keep = yield self.operands((expr.fn, *expr.args), layout)
        return code.Call(operands, keep, expr.span)

    def branch(self, expr: core.If, layout: Layout) -> Task[code.Branch]:
        rest = union([self.scopes.free(expr.then), self.scopes.free(expr.other)])
        (test,), (keep,) = yield self.operands((expr.test,), layout, rest)
        then = yield self.expression(expr.then, rest)
        other = yield self.expression(expr.other, rest)
        return code.Branch(test, keep, then, other, expr.span)

    def let(self, expr: core.Let, layout: Layout) -> Task[code.Bind]:
        rest, used = self.under(expr.name, expr.body)
        (value,), (keep,) = yield self.operands((expr.value,), layout, rest)
        body = yield self.expression(expr.body, (*rest, expr.name) if used else rest)
        return code.Bind(value, keep, body, used, expr.span, positions(rest, expr.span))

    def under(self, name: str, body: core.Expr) -> tuple[Layout, bool]:
        """Return what the body of a binder uses from outside, and whether it uses the bound variable."""
        free = self.scopes.free(body)
        return tuple([other for other in free if other != name]), name in free

    def letrec(self, expr: core.Letrec, layout: Layout) -> Task[code.BindGroups]:
        outside = self.scopes.free(expr)
        inside, captures = outside, []
        for group in self.scopes.groups(expr):
            if not group.closed:
                captures.append(project(inside, group.captures))
                inside = (*inside, group.env)
        body = yield self.expression(expr.body, inside)
        return code.BindGroups(project(layout, outside), tuple(captures), body, expr.span)

    def throw(self, expr: core.Raise, layout: Layout) -> Task[code.Throw]:
        operands, keep = yield self.operands((expr.value,), layout)
        return code.Throw(operands, keep, expr.span)

    def handle(self, expr: core.Handle, layout: Layout) -> Task[code.Install]:
        rest, used = self.under(expr.name, expr.handler)
        resolved = yield self.expression(expr.handler, (*rest, expr.name) if used else rest)
        handler = code.Handler(resolved, used, expr.span)
        kept = union([self.scopes.free(expr.body), rest])
        body = yield self.expression(expr.body, kept)
        return code.Install(project(layout, kept), body, project(kept, rest), handler, expr.span)

    def primitive(self, expr: core.Prim, layout: Layout) -> Task[Apply]:
        record = lookup(expr.op)
        operands, keep = yield self.operands(expr.args, layout)
        literals = sum([1 << i for i, arg in enumerate(expr.args) if type(arg) is core.Const])
        return code_of(record)(record, expr, operands, keep, literals)
