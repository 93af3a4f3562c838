"""Replace shift and reset by procedures, so that no later pass, engine or derivative knows them.

In: a core program with the primitives of control. Out: the same program without them, inside the procedures
of control.vlad that it uses. A program that never shifts keeps everything but its resets. What always holds
of the result:

- An expression that may shift (effects.py) has its value, or a *capture*: the pair of control.vlad that
  stands for the continuation captured so far. It is a tail of its procedure, an operand of `then` or
  `protected`, or the value of a reset. So a capture is never an operand of anything that the program wrote.
- Where the value of such an expression is needed, the rest of the procedure is a lambda of that value, and
  (then e rest) either runs it or adds it to the capture. A procedure keeps its parameters, its tail calls
  and its handlers; a continuation is a procedure of one argument. So calls from outside, data that holds
  procedures, resumption, interruption and derivatives need nothing new, and resuming twice runs the same
  lambda twice.
- Operands are evaluated in their order: those before one that may shift are bound by let, unless they are
  constants, variables or lambdas.
- The function of a derivative, count or interruption that is one step is `guarded`.

Source: Pettyjohn et al., "Continuations from generalized stack inspection", ICFP 2005; the meaning of shift
and reset: Danvy & Filinski, "Abstracting control", LFP 1990.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from checkpoint.ad.values import Symbol
from checkpoint.errors import Span
from checkpoint.lang.control import CONTROLS, RESET, RESUMED, SHIFT
from checkpoint.lang.control.effects import FORWARD, Effects
from checkpoint.lang.core import App, Const, Expr, Handle, If, Lambda, Let, Letrec, Prim, Raise, Var
from checkpoint.lang.deep import Task, run
from checkpoint.lang.walk import preorder

WHOLE, CALL, SOLVER = "program", "call", "solver"
# The primitives that run a procedure within one step: which operand it is, and what messages call them.
# The procedures of py.solver are in data: their values are looked at where they end (prims/completion.py).
BOUNDARIES = {op: (0, op) for op in ("*j", "checkpoint-*j", "primops", "interrupt")}
BOUNDARIES |= {"py.implicit": (0, SOLVER), "py.attached": (1, SOLVER), "py.moved": (0, SOLVER)}
BOUNDARIES |= {"py.primops": (2, "primops"), "py.interrupt": (2, "interrupt")}
BOUNDARIES |= {"tensor-lanes": (0, "map"), "py.gradient": (0, "grad")}
_ATOMS = (Const, Var, Lambda)

# A name that nothing in the program has; the name of a procedure of control.vlad, which is then used.
Names = Callable[[str], str]


def uses_control(program: Expr) -> bool:
    """Return whether a program shifts or resets."""
    return any(isinstance(expr, Prim) and expr.op in CONTROLS for expr in preorder(program))


def direct(program: Expr, fresh: Names, library: Names, is_open: bool = False) -> Expr:
    """Return a program without the primitives of control; its lambdas are changed in place."""
    return run(Converter(program, fresh, library, is_open).program(program))


class Converter:
    """The conversion of one program. Its methods are tasks of lang/deep.py.

    fresh: returns a new name. library: returns the name of a procedure of control.vlad.
    shifts: whether it may shift; also where `is_open`: procedures of other programs, which it calls, may.
    """

    def __init__(self, program: Expr, fresh: Names, library: Names, is_open: bool = False) -> None:
        self.effects = Effects(program, is_open)
        self.is_open = is_open
        self.shifts = is_open or any(
            isinstance(expr, Prim) and expr.op == SHIFT for expr in preorder(program)
        )
        self.fresh = fresh
        self.library = library
        self.tails: dict[type, Callable[..., Task[Expr]]] = {
            App: self.application,
            If: self.branch,
            Let: self.let,
            Letrec: self.letrec,
            Prim: self.primitive,
            Raise: self.throw,
            Handle: self.handle,
        }

    def program(self, program: Expr) -> Task[Expr]:
        body: Expr = yield self.tail(program)
        if not self.shifts or not self.effects.may_shift(program):
            return body
        return self.bounded(body, WHOLE)

    def bounded(self, expr: Expr, where: str) -> Expr:
        """Return an expression through which nothing is captured; where: what messages name."""
        return self.call("bounded", expr.span, expr, Const(expr.span, Symbol(where)))

    def entered(self, program: Expr, entry: Lambda) -> Task[None]:
        """Convert a program whose value is its entry, which is called from outside alone."""
        may_shift = self.may_shift(entry.body)
        yield self.tail(program)
        if may_shift:
            entry.body = self.bounded(entry.body, CALL)

    def call(self, name: str, span: Span, *args: Expr) -> Expr:
        """Return the call of a procedure of control.vlad."""
        return App(span, Var(span, self.library(name)), args)

    def may_shift(self, expr: Expr) -> bool:
        return self.shifts and self.effects.may_shift(expr)

    def tail(self, expr: Expr) -> Task[Expr]:
        """Convert an expression whose value, or capture, is that of what it is in."""
        if isinstance(expr, Lambda):
            result: Expr = yield self.procedure(expr)
        elif type(expr) in _ATOMS:
            result = expr
        else:
            result = yield self.tails[type(expr)](expr)
        return result

    def procedure(self, lam: Lambda) -> Task[Lambda]:
        body: Expr = yield self.tail(lam.body)
        if body is not lam.body:
            lam.body, lam.primitive = body, None
        return lam

    def bound(self, expr: Expr, name: str, rest: Expr) -> Task[Expr]:
        """Convert an expression that may shift; the rest of its procedure has its value under a name."""
        value: Expr = yield self.tail(expr)
        return self.call("then", expr.span, value, Lambda(expr.span, (name,), rest))

    def operands(self, exprs: Sequence[Expr], build: Callable[[tuple[Expr, ...]], Expr]) -> Task[Expr]:
        """Convert operands from the left, and what `build` makes of them."""
        last = max([i for i, expr in enumerate(exprs) if self.may_shift(expr)], default=-1)
        ready: list[Expr] = []
        waiting: list[tuple[Expr, str]] = []
        for i, expr in enumerate(exprs):
            if i > last or (type(expr) in _ATOMS and not self.may_shift(expr)):
                ready.append((yield self.tail(expr)))
            else:
                name = self.fresh("operand")
                waiting.append((expr, name))
                ready.append(Var(expr.span, name))
        result = build(tuple(ready))
        for expr, name in reversed(waiting):
            if self.may_shift(expr):
                result = yield self.bound(expr, name, result)
            else:
                result = Let(expr.span, name, (yield self.tail(expr)), result)
        return result

    # The forms of the core

    def application(self, expr: App) -> Task[Expr]:
        parts = (expr.fn, *expr.args)
        if not any(map(self.may_shift, parts)):
            loop = self.effects.loop_around(expr) if self.shifts else None
            expr.fn, *args = yield self.all(parts)
            expr.args = tuple(args)
            return expr if loop is None else self.bounded(expr, loop)
        result: Expr = yield self.operands(parts, lambda made: App(expr.span, made[0], made[1:]))
        return result

    def all(self, exprs: Iterable[Expr]) -> Task[list[Expr]]:
        made = []
        for expr in exprs:
            made.append((yield self.tail(expr)))
        return made

    def branch(self, expr: If) -> Task[Expr]:
        expr.then, expr.other = yield self.all((expr.then, expr.other))
        result: Expr = yield self.operands(
            (expr.test,), lambda made: If(expr.span, made[0], expr.then, expr.other)
        )
        return result

    def let(self, expr: Let) -> Task[Expr]:
        body: Expr = yield self.tail(expr.body)
        if self.may_shift(expr.value):
            result: Expr = yield self.bound(expr.value, expr.name, body)
            return result
        expr.value, expr.body = (yield self.tail(expr.value)), body
        return expr

    def letrec(self, expr: Letrec) -> Task[Expr]:
        for _, lam in expr.bindings:
            yield self.procedure(lam)
        expr.body = yield self.tail(expr.body)
        return expr

    def throw(self, expr: Raise) -> Task[Expr]:
        result: Expr = yield self.operands((expr.value,), lambda made: Raise(expr.span, made[0]))
        return result

    def handle(self, expr: Handle) -> Task[Expr]:
        """Convert a handle; where its body may shift, what is resumed runs under the same handler."""
        may_shift = self.may_shift(expr.body)
        expr.body, expr.handler = yield self.all((expr.body, expr.handler))
        if not may_shift:
            return expr
        span, install, start = expr.span, self.fresh("install"), self.fresh("start")
        body = Lambda(expr.body.span, (), expr.body)
        begun = App(span, Var(span, start), ())
        expr.body = self.call("protected", span, begun, Var(span, install))
        installing = Lambda(span, (start,), expr, name="install")
        return Letrec(span, ((install, installing),), App(span, Var(span, install), (body,)))

    def primitive(self, expr: Prim) -> Task[Expr]:
        if expr.op == RESET:
            result: Expr = yield self.reset(expr)
        elif expr.op == SHIFT:
            result = yield self.operands(expr.args, lambda made: self.shift(expr, made))
        elif self.is_boundary(expr):
            result = yield self.operands(expr.args, lambda made: self.boundary(expr, made))
        elif expr.op == FORWARD and self.may_shift(expr):
            result = yield self.operands(expr.args, lambda made: self.forward(expr, made))
        elif expr.op == "resume" and self.is_open:
            result = yield self.operands(expr.args, lambda made: self.resumed(expr, made))
        elif any(map(self.may_shift, expr.args)):
            result = yield self.operands(expr.args, lambda made: Prim(expr.span, expr.op, made))
        else:
            expr.args = tuple((yield self.all(expr.args)))
            result = expr
        return result

    def forward(self, expr: Prim, made: tuple[Expr, ...]) -> Expr:
        derivative = Prim(expr.span, expr.op, made)
        if not self.effects.calls_shifting(expr.args[0]):
            return derivative
        return self.call("differentiated", expr.span, derivative)

    def resumed(self, expr: Prim, made: tuple[Expr, ...]) -> Expr:
        """Return a resumption whose value may meet functions that shift, which its program may not know."""
        name, span = self.fresh("resumed"), expr.span
        looked = Prim(span, RESUMED, (Var(span, name),))
        seen = Let(span, self.fresh("looked"), looked, Var(span, name))
        return Let(span, name, Prim(span, "resume", made), seen)

    def is_boundary(self, expr: Prim) -> bool:
        """Return whether a primitive runs, within one step, a procedure that may shift."""
        if not self.shifts or expr.op not in BOUNDARIES:
            return False
        position, _ = BOUNDARIES[expr.op]
        return self.effects.calls_shifting(expr.args[position])

    def boundary(self, expr: Prim, made: tuple[Expr, ...]) -> Expr:
        """Return a step that runs a procedure within it; a shift that leaves the procedure fails there."""
        position, what = BOUNDARIES[expr.op]
        where = Const(expr.span, Symbol(what))
        guarded = self.call("guarded", expr.span, made[position], where)
        return Prim(expr.span, expr.op, (*made[:position], guarded, *made[position + 1 :]))

    def reset(self, expr: Prim) -> Task[Expr]:
        tag, thunk = expr.args
        if isinstance(thunk, Lambda):
            may_shift = self.may_shift(thunk.body)
            body: Expr = yield self.tail(thunk.body)
        else:
            may_shift = self.shifts
            body = App(expr.span, (yield self.tail(thunk)), ())
        if not may_shift and isinstance(tag, Const):
            return body
        result: Expr = yield self.operands(
            (tag,), lambda made: self.tagged(made[0], lambda tag: self.call("delimit", expr.span, tag, body))
        )
        return result

    def tagged(self, tag: Expr, build: Callable[[Expr], Expr]) -> Expr:
        """Return what `build` makes of a tag that can be compared; others fail, where they are written."""
        if isinstance(tag, Const):
            return build(tag)
        name, span = self.fresh("tag"), tag.span
        test = Prim(span, "eq?", (Var(span, name), Var(span, name)))
        return Let(span, name, tag, Let(span, self.fresh("comparable"), test, build(Var(span, name))))

    def shift(self, expr: Prim, made: tuple[Expr, ...]) -> Expr:
        return self.tagged(made[0], lambda tag: self.capture(expr.span, tag, made[1]))

    def capture(self, span: Span, tag: Expr, receiver: Expr) -> Expr:
        """Return the capture of nothing yet: the shift has the value that it is resumed with, or fails."""
        name = self.fresh("resumed")
        refusal = Prim(span, "find-reset", (Prim(span, "cdr", (Var(span, name),)),))
        refused = self.call("refused?", span, Var(span, name))
        received = Lambda(span, (name,), If(span, refused, refusal, Var(span, name)))
        return self.call("capture", span, tag, receiver, received)
