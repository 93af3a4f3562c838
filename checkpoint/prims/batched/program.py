"""A function of one lane as a function of many lanes: a pass from the core to the core.

In: the lambda of a closure, with the definitions and captures that analysis gave it. Out: the lambda of its
*batched form*, which takes and returns values that are either alike for all lanes or hold those of all lanes
(values.py). So engines, schedules, tapes and derivatives know nothing of it.

- Each function becomes blocks (blocks.py). The first argument of a block is the lanes of the group that runs
  it; None stands for all lanes of the call, and then one block calls the next. Where lanes do not agree on a
  test, `py.split` makes two groups; from then on a block that another group may reach, too, is not called:
  the group's block returns where the group is, and what it holds. The function's runner merges the groups
  that are at the first block (of a loop before what follows it), and runs that one.
- A step whose operands hold no values of many lanes is the step itself. Otherwise `py.batched-step` does it
  (rules.py), or fails.
- What has no batched form (a handler, an effect, a change of what lanes have been split over) fails, too. Who
  asked for the batched form then runs the lanes one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from checkpoint.ad.record import Control, Effect, Operator, Update, lookup
from checkpoint.dataclass import dataclass
from checkpoint.errors import Span
from checkpoint.lang.core import App, Const, Expr, Handle, If, Lambda, Let, Letrec, Prim, Raise, Var
from checkpoint.prims.batched.blocks import (
    GROUPS,
    RETURN,
    Block,
    Function,
    Part,
    Pending,
    find_extras,
    lambdas,
)
from checkpoint.prims.batched.text import FORMS, IS_BATCHED, bound, needed, only_jumps
from checkpoint.prims.batched.transparent import OPAQUE_AT, WITHOUT_FORM, may_change
from checkpoint.recursion import recursion_room


class NoForm(ValueError):
    """Raised where a function has no batched form, with the reason."""


@dataclass(frozen=True)
class _Inline:
    """A continuation that is used once, where it stands: it takes the expression of a value."""

    then: Callable[[Expr], Expr]


@dataclass(frozen=True)
class _Jump:
    """A continuation that is a block; it takes the value."""

    block: Block


_RETURNS = object()  # the continuation of a function's body
_Continuation = Any


def batched_lambda(lam: Lambda, exact: bool) -> Lambda:
    """Return the lambda of the batched form, with each lane's own bits if exact; the same free variables."""
    with recursion_room():
        return _Program(lam, exact).made()


class _Program:
    """A batched program in the making. global_names: the variables that the closure has captured."""

    def __init__(self, lam: Lambda, exact: bool) -> None:
        self.lam = lam
        self.form = FORMS[exact]
        self.suffix = "-exactly" if exact else ""  # of the names of steps
        self.functions: dict[str, Function] = {}
        self.parts: list[Part] = []
        self.pending: list[Pending] = []
        self.numbers: list[tuple[Const, Block]] = []
        self.contified: dict[str, Block] = {}
        self.count = 0
        self.definitions = needed(lam)
        lambdas_in = dict.fromkeys((lam, *self.definitions.values()))
        inside = [name for each in lambdas_in for name in bound(each)]
        if len(set(inside)) < len(inside):
            raise NoForm("a function is batched within a call of itself")
        self.bound = set(inside) | self.definitions.keys()
        self.signatures: dict[str, Lambda] = {}

    def made(self) -> Lambda:
        span = self.lam.span
        named = {lam: self.declare(name, lam) for name, lam in self.definitions.items()}
        if self.lam not in named:
            named[self.lam] = self.declare(self.fresh("entry"), self.lam)
        for lam, function in named.items():
            self.define(function, lam)
        entry = named[self.lam]
        find_extras(self.parts)
        for each in self.pending:
            each.complete()
        for constant, block in self.numbers:
            constant.value = block.number
        bindings = [pair for function in self.functions.values() for pair in lambdas(function, span)]
        params = tuple([f"{name}~given" for name in self.lam.params])
        call = App(span, Var(span, entry.name), tuple([Var(span, name) for name in params]))
        body = Letrec(span, tuple(bindings), call)
        return Lambda(span, params, body, name=self.lam.name)

    # Names and parts

    def fresh(self, word: str) -> str:
        self.count += 1
        return f"{word}~{self.count}"

    def declare(self, name: str, lam: Lambda) -> Function:
        function = Function(self.fresh(name), lam.params)
        self.functions[name] = function
        self.signatures[name] = lam
        self.parts.append(function)
        return function

    def define(self, function: Function, lam: Lambda) -> None:
        """Make the blocks of a function."""
        function.bound.update(lam.params)
        maker = _FunctionMaker(self, function, lam)
        first = maker.block_now
        function.calls.append(first)
        maker.fill(first, partial(maker.convert, lam.body, _RETURNS))


class _FunctionMaker:
    """Makes the blocks of one function. block_now: the block that is being made, the first one at first."""

    def __init__(self, program: _Program, function: Function, lam: Lambda) -> None:
        self.program = program
        self.function = function
        self.numbers = 0
        self.block_now = self.block(lam.name or "function", lam.params)

    def block(self, word: str, own: tuple[str, ...] = ()) -> Block:
        made = Block(self.program.fresh(word), own)
        made.bound.update(own)
        self.program.parts.append(made)
        self.function.blocks.append(made)
        return made

    def fill(self, block: Block, body: Callable[[], Expr]) -> None:
        """Make the body of a block; its number follows those of the blocks that were made before."""
        outer, self.block_now = self.block_now, block
        block.number = self.numbers
        self.numbers += 1
        block.body = body()
        self.block_now = outer

    # Atoms: constants, and variables by the names that they are bound by

    def use(self, atom: Expr) -> Expr:
        """Return a reference to an atom from the block that is being made."""
        if isinstance(atom, Const):
            return Const(atom.span, atom.value)
        assert isinstance(atom, Var)
        if atom.name not in self.program.bound:
            return Var(atom.span, atom.name)  # captured by the closure: alike for all lanes
        block = self.block_now
        if atom.name not in block.bound:
            block.extras[atom.name] = None
        return Var(atom.span, block.local(atom.name))

    def bind(self, span: Span, value: Expr, then: Callable[[Expr], Expr], word: str = "value") -> Expr:
        """Return the expression of `then` for the atom of a value, which is an atom or ready to be bound."""
        if isinstance(value, Const | Var):
            return then(value)
        name = self.program.fresh(word)
        self.program.bound.add(name)
        self.block_now.bound.add(name)
        return Let(span, name, value, then(Var(span, name)))

    def atoms(
        self, exprs: Sequence[Expr], then: Callable[[list[Expr]], Expr], found: Sequence[Expr] = ()
    ) -> Expr:
        """Return the expression of `then` for the atoms of operands, evaluated from left to right."""
        if not exprs:
            return then(list(found))

        def after(value: Expr) -> Expr:
            return self.bind(
                value.span, value, lambda atom: self.atoms(exprs[1:], then, [*found, atom]), "operand"
            )

        return self.convert(exprs[0], _Inline(after))

    # Continuations

    def finish(self, k: _Continuation, value: Expr) -> Expr:
        """Return what a continuation does with a value."""
        if isinstance(k, _Inline):
            return k.then(value)
        span = value.span
        if isinstance(k, _Jump):
            return self.bind(span, value, lambda atom: self.jump(span, k.block, [atom]))

        def returned(atom: Expr) -> Expr:
            held = Prim(span, "py.tuple", (self.use(atom),))
            packet = self.group(span, Const(span, RETURN), held)
            return If(span, self.is_whole(span), self.use(atom), packet)

        return self.bind(span, value, returned)

    def group(self, span: Span, number: Const, held: Prim) -> Prim:
        """Return the group of lanes that runs the block as one that waits, alone in a tuple of groups."""
        one = Prim(span, "py.tuple", (number, self.lanes(span), held))
        return Prim(span, "py.record", (Const(span, GROUPS), one))

    def lanes(self, span: Span) -> Var:
        return Var(span, self.block_now.lanes)

    def is_whole(self, span: Span) -> Expr:
        return Prim(span, "py.is", (self.lanes(span), Const(span, None)))

    def call(self, span: Span, target: Part, given: Sequence[Expr]) -> App:
        """Return a call of a part with operands that are made; its extras are added later."""
        app = App(span, Var(span, target.name), tuple(given))
        self.await_extras(target, app)
        return app

    def known_call(self, span: Span, function: Function, given: Sequence[Expr]) -> App:
        """Return a call of a function with atoms."""
        return self.call(span, function, list(map(self.use, given)))

    def await_extras(self, target: Part, place: App | Prim) -> None:
        self.block_now.calls.append(target)
        self.program.pending.append(Pending(self.block_now, target, place))

    def held(self, span: Span, target: Block, given: Sequence[Expr]) -> Prim:
        """Return the tuple of what a block is entered with, of atoms."""
        whole = Prim(span, "py.tuple", tuple(map(self.use, given)))
        self.await_extras(target, whole)
        return whole

    def jump(self, span: Span, target: Block, given: Sequence[Expr]) -> Expr:
        """Return the call of a block that other groups may reach, too, or where this group is."""
        packet = self.group(span, self.number(span, target), self.held(span, target, given))
        call = self.call(span, target, (self.lanes(span), *map(self.use, given)))
        return If(span, self.is_whole(span), call, packet)

    def number(self, span: Span, block: Block) -> Const:
        """Return the number of a block, which is known when the block is made."""
        made = Const(span, None)
        self.program.numbers.append((made, block))
        return made

    def as_block(self, k: _Continuation) -> tuple[_Continuation, Callable[[], None]]:
        """Return a continuation that may be used twice, and a function that makes its block at last."""
        if not isinstance(k, _Inline):
            return k, lambda: None
        name = self.program.fresh("joined")
        self.program.bound.add(name)
        join = self.block("join", (name,))

        def fill() -> None:
            self.fill(join, lambda: k.then(Var(self.program.lam.span, name)))

        return _Jump(join), fill

    # Expressions

    def convert(self, expr: Expr, k: _Continuation) -> Expr:
        """Return the batched form of an expression and of its continuation."""
        found: Expr = getattr(self, f"_{type(expr).__name__.lower()}")(expr, k)
        return found

    def _const(self, expr: Const, k: _Continuation) -> Expr:
        return self.finish(k, Const(expr.span, expr.value))

    def _var(self, expr: Var, k: _Continuation) -> Expr:
        function = self.program.functions.get(expr.name)
        if function is None:
            return self.finish(k, Var(expr.span, expr.name))
        return self.finish(k, self.wrapper(expr.span, function, self.program.signatures[expr.name]))

    def _lambda(self, expr: Lambda, k: _Continuation) -> Expr:
        name = self.program.fresh(expr.name or "function")
        function = self.program.declare(name, expr)
        self.program.define(function, expr)
        return self.finish(k, self.wrapper(expr.span, function, expr))

    def wrapper(self, span: Span, function: Function, lam: Lambda) -> Lambda:
        """Return a function of the program as a value; lam: the one of which it is the batched form."""
        own = tuple([self.program.fresh(param) for param in lam.params])
        call = self.call(span, function, [Var(span, param) for param in own])
        made = Lambda(span, own, call, name=lam.name, stands_for=lam.stands_for)
        made.compiled[self.program.form] = IS_BATCHED
        return made

    def _let(self, expr: Let, k: _Continuation) -> Expr:
        def bound(value: Expr) -> Expr:
            self.block_now.bound.add(expr.name)
            made = self.use(value) if isinstance(value, Const | Var) else value
            return Let(expr.span, expr.name, made, self.convert(expr.body, k))

        return self.convert(expr.value, _Inline(bound))

    def _if(self, expr: If, k: _Continuation) -> Expr:
        after, fill_join = self.as_block(k)
        span = expr.span

        def branch(test: Expr) -> Expr:
            sides = self.block("then"), self.block("else")
            agreed = self.program.fresh("agreed")
            self.block_now.bound.add(agreed)
            calls = [self.call(span, side, (self.lanes(span),)) for side in sides]
            parts = [part for side in sides for part in (self.number(span, side), self.held(span, side, ()))]
            choice = Prim(span, "py.agreed", (self.use(test),))
            split = Prim(span, "py.split", (self.use(test), self.lanes(span), *parts))
            is_split = Prim(span, "py.is", (Var(span, agreed), Const(span, None)))
            going = If(span, is_split, split, If(span, Var(span, agreed), *calls))
            for side, inner in zip(sides, (expr.then, expr.other), strict=True):
                self.fill(side, partial(self.convert, inner, after))
            return Let(span, agreed, choice, going)

        made = self.convert(expr.test, _Inline(lambda value: self.bind(span, value, branch, "test")))
        fill_join()
        return made

    def _letrec(self, expr: Letrec, k: _Continuation) -> Expr:
        if not only_jumps(expr):
            for name, lam in expr.bindings:
                self.program.declare(name, lam)
            for name, lam in expr.bindings:
                self.program.define(self.program.functions[name], lam)
            return self.convert(expr.body, k)
        after, fill_join = self.as_block(k)
        blocks = [self.block(name, lam.params) for name, lam in expr.bindings]
        for (name, _), block in zip(expr.bindings, blocks, strict=True):
            self.program.contified[name] = block
        made = self.convert(expr.body, after)
        for (_, lam), block in zip(expr.bindings, blocks, strict=True):
            self.fill(block, partial(self.convert, lam.body, after))
        fill_join()
        return made

    def _app(self, expr: App, k: _Continuation) -> Expr:
        span, name = expr.span, expr.fn.name if isinstance(expr.fn, Var) else ""
        block = self.program.contified.get(name)
        if block is not None:
            return self.atoms(expr.args, lambda given: self.jump(span, block, given))
        function = self.program.functions.get(name)
        if function is not None:
            return self.atoms(expr.args, lambda given: self.finish(k, self.known_call(span, function, given)))

        def unknown(atoms: list[Expr]) -> Expr:
            is_own = Prim(span, "py.is-own-form", (self.use(atoms[0]), Const(span, self.program.form)))
            made = Prim(span, f"py.batched{self.program.suffix}", (self.use(atoms[0]),))
            form = If(span, is_own, self.use(atoms[0]), made)
            given = tuple(map(self.use, atoms[1:]))
            return self.finish(k, App(span, form, given))

        return self.atoms((expr.fn, *expr.args), unknown)

    def _prim(self, expr: Prim, k: _Continuation) -> Expr:
        return self.atoms(expr.args, lambda given: self.finish(k, self.step(expr, given)))

    def step(self, expr: Prim, given: list[Expr]) -> Expr:
        """Return a step on operands that may hold values of many lanes."""
        span, op = expr.span, expr.op
        record = lookup(op)
        if isinstance(record, Effect | Control) or op in WITHOUT_FORM:
            return self.failure(span, op)

        def used(positions: Sequence[int] | None = None) -> tuple[Expr, ...]:
            return tuple([self.use(x) for i, x in enumerate(given) if positions is None or i in positions])

        plain: Expr = Prim(span, op, used())
        if may_change(record):
            plain = If(span, Prim(span, "py.may-change", used()), plain, self.failure(span, op))
        tested = used(OPAQUE_AT.get(op))
        is_identity = op == "py.is" and any(isinstance(x, Const) and x.value is None for x in given)
        if is_identity or all(isinstance(each, Const) for each in tested):
            return plain
        name = "py.is-batched" if op in OPAQUE_AT else "py.holds-batched"
        if isinstance(record, Operator | Update):
            other: Expr = self.failure(span, op)
        else:
            other = Prim(span, f"py.batched-step{self.program.suffix}", (Const(span, op), *used()))
        return If(span, Prim(span, name, tested), other, plain)

    @staticmethod
    def failure(span: Span, op: str) -> Expr:
        return Prim(span, "py.no-batched-form", (Const(span, op),))

    def _raise(self, expr: Raise, k: _Continuation) -> Expr:
        return self.convert(
            expr.value,
            _Inline(lambda value: self.bind(expr.span, value, lambda atom: Raise(expr.span, self.use(atom)))),
        )

    def _handle(self, expr: Handle, k: _Continuation) -> Expr:
        return self.failure(expr.span, "a handler of exceptions")
