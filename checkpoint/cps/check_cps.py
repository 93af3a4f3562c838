"""The checker of CPS: the invariants that checkpoint.cps.terms states.

In: a program in CPS and the core that it was made of. Out: nothing, or an InternalError that says what is
wrong and where. The functions are tasks of lang/deep.py, so that the depth of a program does not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import NoReturn

from checkpoint.ad.record import VARIADIC, Control, lookup
from checkpoint.cps import terms as t
from checkpoint.cps.forms import Forms, kind_of, of_core, same_forms
from checkpoint.errors import InternalError, Span
from checkpoint.lang import core
from checkpoint.lang.closures import Scopes
from checkpoint.lang.deep import Task, run


def check_cps(
    program: t.Function, thunk: core.Lambda, scopes: Scopes, apart: Collection[core.Lambda]
) -> None:
    """Raise InternalError unless this is the core program, or the part of it, in CPS.

    apart: the lambdas inside it that are converted by themselves.
    """
    checker = _Checker()
    outside = scopes.free_names(thunk)
    checker.members.update(scopes.members_in(thunk))
    checker.variables.update(name for name in outside if name not in checker.members)
    run(checker.function(program))
    same_forms(checker.forms, of_core(thunk, apart), "cps")


class _Checker:
    """The names that are known at a point of the program.

    bound: all names bound so far. variables, members, continuations: those in scope; continuations with the
    function that may use them.
    """

    def __init__(self) -> None:
        self.bound: set[str] = set()
        self.variables: set[str] = set()
        self.members: set[str] = set()
        self.continuations: dict[str, t.Function] = {}
        self.owner: t.Function | None = None
        self.forms: Forms = Counter()
        self.span: Span | None = None

    def fail(self, message: str) -> NoReturn:
        raise InternalError(f"cps: {message}", self.span)

    def bind(self, name: str) -> None:
        if name in self.bound:
            self.fail(f"{name} is bound twice")
        self.bound.add(name)

    @contextmanager
    def scope(self, names: set[str], new: list[str]) -> Iterator[None]:
        """Bind names that leave scope together at the end; more may be added to `new` meanwhile."""
        names.update(new)
        yield
        names.difference_update(new)

    @contextmanager
    def continuation(self, name: str) -> Iterator[None]:
        self.bind(name)
        assert self.owner is not None
        self.continuations[name] = self.owner
        yield
        del self.continuations[name]

    def function(self, function: t.Function) -> Task[None]:
        if function.is_separate:
            return
        outer, self.owner, self.span = self.owner, function, function.lam.span
        for name in function.lam.params:
            self.bind(name)
        with self.scope(self.variables, list(function.lam.params)), self.continuation(function.k):
            yield self.term(function.term)
        self.owner = outer

    def term(self, term: t.Term) -> Task[None]:
        """Check a term; the name of a step is in scope in the rest of the term and inside of that."""
        new: list[str] = []
        members: list[str] = []
        with self.scope(self.variables, new), self.scope(self.members, members):
            for step in term.steps:
                self.count(step)
                if isinstance(step, t.Letrec):
                    yield self.letrec(step, members)
                else:
                    yield self.step(step, new)
            if term.end is None:
                self.fail("a term after this has no end")
            yield self.end(term.end)

    def count(self, step: t.Step | t.Branch | t.Call | t.Control | t.Throw | t.Handle) -> None:
        if not isinstance(step.span, Span):
            self.fail(f"this {type(step).__name__} has no span")
        self.span = step.span
        self.forms[step.span, kind_of(step)] += 1

    def letrec(self, step: t.Letrec, members: list[str]) -> Task[None]:
        if list(step.functions) != [name for name, _ in step.letrec.bindings]:
            self.fail("the functions of this letrec are not those of its text")
        for name, lam in step.letrec.bindings:
            self.bind(name)
            if step.functions[name].lam is not lam:
                self.fail(f"the function of {name} is not its lambda")
        members.extend(step.functions)
        self.members.update(step.functions)
        for function in step.functions.values():
            yield self.function(function)

    def step(self, step: t.Step, new: list[str]) -> Task[None]:
        match step:
            case t.Read():
                self.operand(step.operand)
                return
            case t.Copy():
                self.operand(step.operand)
            case t.Compute():
                self.primitive(step.op, step.operands, goes_on=False)
            case t.Close():
                yield self.function(step.function)
                self.span = step.span
            case t.Member():
                if step.member not in self.members:
                    self.fail(f"{step.member} is no member of a letrec in scope")
            case _:
                self.fail(f"{type(step).__name__} is no step of CPS")
        name: str = step.name
        self.bind(name)
        new.append(name)
        self.variables.add(name)

    def operand(self, operand: t.Operand) -> None:
        if isinstance(operand, str) and operand not in self.variables:
            self.fail(f"{operand} is used outside of its scope")

    def primitive(self, op: str, operands: tuple[t.Operand, ...], goes_on: bool) -> None:
        for operand in operands:
            self.operand(operand)
        record = lookup(op)
        if record.arity != VARIADIC and len(operands) != record.arity:
            self.fail(f"{op} takes {record.arity} operands, not {len(operands)}")
        if isinstance(record, Control) != goes_on:
            self.fail(f"{op} is a {'step' if goes_on else 'control'}, which it is not written as")

    def use(self, k: str) -> None:
        if k not in self.continuations:
            self.fail(f"the continuation {k} is used outside of its scope")
        if self.continuations[k] is not self.owner:
            self.fail(f"the continuation {k} belongs to another function")

    def end(self, end: t.End) -> Task[None]:
        if isinstance(end, t.Branch | t.Call | t.Control | t.Throw | t.Handle):
            self.count(end)
        match end:
            case t.Continue():
                self.operand(end.operand)
                self.use(end.k)
            case t.Branch():
                self.operand(end.test)
                yield self.term(end.then)
                yield self.term(end.other)
            case t.Call():
                for operand in (end.fn, *end.args):
                    self.operand(operand)
                self.use(end.k)
            case t.Control():
                self.primitive(end.op, end.args, goes_on=True)
                self.use(end.k)
            case t.Throw():
                self.operand(end.operand)
            case t.Handle():
                yield self.handle(end)
            case t.LetCont():
                yield self.cont(end.cont)
                with self.continuation(end.cont.name):
                    yield self.term(end.body)

    def cont(self, cont: t.Cont) -> Task[None]:
        """Check the term of a continuation, which sees its parameter and all that was in scope before it."""
        self.bind(cont.param)
        with self.scope(self.variables, [cont.param]):
            yield self.term(cont.term)

    def handle(self, end: t.Handle) -> Task[None]:
        yield self.cont(end.leave)
        yield self.cont(end.handler)
        self.bind(end.handler.name)
        with self.continuation(end.leave.name):
            yield self.term(end.body)
