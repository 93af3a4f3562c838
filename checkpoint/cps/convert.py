"""CPS conversion: from core to the language of checkpoint.cps.terms.

In: a program as a lambda without captures, for which the rules of lang/grammar.py hold, and its Scopes. Out:
a Function. Each core expression becomes one step, written where the expression does its own work. A
continuation that is used once gets no name: its steps follow.

Operands are converted from the left into the open term. If an operand is the value of a call or a branch, the
rest becomes a named continuation, whose term is then the open one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from checkpoint.ad.record import Control, lookup
from checkpoint.cps import terms as t
from checkpoint.cps.separate import IsApart
from checkpoint.lang import core
from checkpoint.lang.closures import Scopes
from checkpoint.lang.deep import Task, run


def convert(thunk: core.Lambda, scopes: Scopes, is_apart: IsApart) -> tuple[t.Function, list[core.Lambda]]:
    """Return the program in CPS, and the lambdas inside it that `is_apart` leaves for later."""
    converter = Converter(scopes, is_apart)
    return run(converter.inside(thunk)), converter.apart


class Converter:
    """The conversion of one program. Its methods are tasks of lang/deep.py."""

    def __init__(self, scopes: Scopes, is_apart: IsApart) -> None:
        self.scopes = scopes
        self.is_apart = is_apart
        self.apart: list[core.Lambda] = []
        self.names = 0
        self.simple: dict[type, Callable[..., Task[Any]]] = {
            core.Lambda: self.closure,
            core.Prim: self.primitive,
        }
        self.tails: dict[type, Callable[..., Task[None]]] = {
            core.App: self.application,
            core.If: self.branch,
            core.Let: self.let,
            core.Letrec: self.letrec,
            core.Raise: self.throw,
            core.Handle: self.handle,
        }

    def fresh(self, hint: str) -> str:
        """Return a name that no text can bind."""
        self.names += 1
        return f"%{hint}{self.names}"

    def function(self, lam: core.Lambda) -> Task[t.Function]:
        if self.is_apart(lam):
            self.apart.append(lam)
            return t.Function(lam, self.fresh("k"), t.Term(), is_separate=True)
        function: t.Function = yield self.inside(lam)
        return function

    def inside(self, lam: core.Lambda) -> Task[t.Function]:
        term, k = t.Term(), self.fresh("k")
        yield self.tail(lam.body, term, k)
        return t.Function(lam, k, term)

    def operands(
        self, exprs: Sequence[core.Expr], term: t.Term
    ) -> Task[tuple[tuple[t.Operand, ...], t.Term]]:
        """Convert operands from the left; return them and the term that is open afterwards."""
        found = []
        for expr in exprs:
            operand, term = yield self.operand(expr, term)
            found.append(operand)
        return tuple(found), term

    def operand(self, expr: core.Expr, term: t.Term) -> Task[tuple[t.Operand, t.Term]]:
        """Convert one operand; return it and the term that is open afterwards."""
        if type(expr) is core.Var and not self.scopes_member(expr):
            term.steps.append(t.Read(expr.span, expr.name))
            return expr.name, term
        if type(expr) in (core.Var, core.Const) or (type(expr) in self.simple and not _is_control(expr)):
            value: tuple[t.Operand, t.Term] = yield self.value(expr, term)
            return value
        cont = t.Cont(self.fresh("j"), self.fresh("t"), t.Term())
        inner = t.Term()
        term.end = t.LetCont(cont, inner)
        yield self.tail(expr, inner, cont.name)
        return cont.param, cont.term

    def scopes_member(self, expr: core.Var) -> bool:
        """Return whether an expression is a variable that a letrec binds."""
        return expr.name in self.scopes.group_of

    def value(self, expr: core.Expr, term: t.Term) -> Task[tuple[t.Operand, t.Term]]:
        """Convert an expression whose last step is neither a call nor a branch.

        Return its value as an operand, a variable copied, and the term that is open afterwards.
        """
        if type(expr) is core.Const:
            operand: t.Operand = t.Literal(expr.value)
            term.steps.append(t.Read(expr.span, operand))
            return operand, term
        name = self.fresh("t")
        if type(expr) is core.Var:
            member = self.scopes_member(expr)
            step = t.Member(expr.span, name, expr.name) if member else t.Copy(expr.span, name, expr.name)
            term.steps.append(step)
            return name, term
        made: tuple[t.Operand, t.Term] = yield self.simple[type(expr)](expr, name, term)
        return made

    def closure(self, expr: core.Lambda, name: str, term: t.Term) -> Task[tuple[t.Operand, t.Term]]:
        function = yield self.function(expr)
        term.steps.append(t.Close(expr.span, name, function))
        return name, term

    def primitive(self, expr: core.Prim, name: str, term: t.Term) -> Task[tuple[t.Operand, t.Term]]:
        operands, term = yield self.operands(expr.args, term)
        term.steps.append(t.Compute(expr.span, name, expr.op, operands, expr))
        return name, term

    def tail(self, expr: core.Expr, term: t.Term, k: str) -> Task[None]:
        """Convert an expression whose value goes to the continuation k."""
        if _is_control(expr):
            yield self.control(expr, term, k)
        elif type(expr) in self.tails:
            yield self.tails[type(expr)](expr, term, k)
        else:
            operand, term = yield self.value(expr, term)
            term.end = t.Continue(k, operand)

    def application(self, expr: core.App, term: t.Term, k: str) -> Task[None]:
        (fn, *args), term = yield self.operands((expr.fn, *expr.args), term)
        term.end = t.Call(expr.span, fn, tuple(args), k)

    def control(self, expr: Any, term: t.Term, k: str) -> Task[None]:
        args, term = yield self.operands(expr.args, term)
        term.end = t.Control(expr.span, expr.op, args, k)

    def branch(self, expr: core.If, term: t.Term, k: str) -> Task[None]:
        test, term = yield self.operand(expr.test, term)
        then, other = t.Term(), t.Term()
        term.end = t.Branch(expr.span, test, then, other)
        yield self.tail(expr.then, then, k)
        yield self.tail(expr.other, other, k)

    def let(self, expr: core.Let, term: t.Term, k: str) -> Task[None]:
        operand, term = yield self.operand(expr.value, term)
        term.steps.append(t.Copy(expr.span, expr.name, operand))
        yield self.tail(expr.body, term, k)

    def letrec(self, expr: core.Letrec, term: t.Term, k: str) -> Task[None]:
        functions = {}
        for name, lam in expr.bindings:
            functions[name] = yield self.function(lam)
        term.steps.append(t.Letrec(expr.span, expr, functions))
        yield self.tail(expr.body, term, k)

    def throw(self, expr: core.Raise, term: t.Term, k: str) -> Task[None]:
        operand, term = yield self.operand(expr.value, term)
        term.end = t.Throw(expr.span, operand)

    def handle(self, expr: core.Handle, term: t.Term, k: str) -> Task[None]:
        value, raised = self.fresh("t"), self.fresh("t")
        leave = t.Cont(self.fresh("j"), value, t.Term([], t.Continue(k, value)))
        bound = t.Copy(expr.span, expr.name, raised)
        handler = t.Cont(self.fresh("h"), raised, t.Term([bound]))
        body = t.Term()
        term.end = t.Handle(expr.span, leave, handler, body)
        yield self.tail(expr.body, body, leave.name)
        yield self.tail(expr.handler, handler.term, k)


def _is_control(expr: core.Expr) -> bool:
    """Return whether an expression is a primitive that continues the run itself."""
    return type(expr) is core.Prim and isinstance(lookup(expr.op), Control)
