"""Which expressions of a program may shift: have, in place of a value, a continuation that is being captured.

In: a core program with the primitives of control. Out: Effects. The analysis is of the whole program, and
safe: a call of a procedure that no binding names may shift. A procedure that a letrec, or a let of a
lambda, binds may shift if its body does. Derivatives that are one step never do, since nothing is captured
through them; nor does a continuation where all shifts have one tag, since it ends at the reset that it was
captured to, or the function of a lane.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from checkpoint.lang.control import RESET, SHIFT
from checkpoint.lang.core import App, Const, Expr, Lambda, Let, Letrec, Prim, Var
from checkpoint.lang.walk import children, preorder

FORWARD = "j*"
# Files of the library of Python programs whose loops nothing captures: what they call by a value is bounded.
LOOPS = {
    os.path.join("library", "lanes.py"): "vmap",
    os.path.join("library", "sums.py"): "summed",
    os.path.join("library", "combinators.py"): "combinator",
}


def evaluated(expr: Expr) -> Iterable[Expr]:
    """Return the expressions inside one that are evaluated with it: not those inside of lambdas."""
    if type(expr) is Lambda:
        return ()
    return [child for child in children(expr) if type(child) is not Lambda]


class Effects:
    """What may shift in one program.

    one_tag: whether all shifts and resets have the same tag, so that no shift leaves a reset; not where it
    calls procedures of other programs (`is_open`), whose tags may be others.
    """

    def __init__(self, program: Expr, is_open: bool = False) -> None:
        inside = list(preorder(program))
        self.one_tag = not is_open and len({_tag(expr) for expr in inside if _is_control(expr)}) <= 1
        self._known = _named_lambdas(inside)
        self._whole = _continuations(inside) if self.one_tag else frozenset()
        self._lanes = _lanes(inside)
        self._shifting: set[Expr] = set()
        self._propagate(inside)
        self._may: set[Expr] = set()
        for expr in reversed(inside):  # what is inside comes first
            if self._shifts_itself(expr) or any(child in self._may for child in evaluated(expr)):
                self._may.add(expr)

    def may_shift(self, expr: Expr) -> bool:
        """Return whether evaluating an expression may capture the continuation around it."""
        return expr in self._may

    def loop_around(self, call: App) -> str | None:
        """Return what messages name where a loop over lanes or items calls a procedure; None elsewhere."""
        if self._lambda_of(call.fn) is not None:
            return None
        name = call.span.source.name
        return next((what for file, what in LOOPS.items() if name.endswith(file)), None)

    def calls_shifting(self, fn: Expr) -> bool:
        """Return whether a call of what an expression evaluates to may shift."""
        lam = self._lambda_of(fn)
        return lam in self._shifting if lam is not None else not self._is_whole(fn)

    def _is_whole(self, fn: Expr) -> bool:
        """Return whether no shift leaves a procedure: a continuation to the only tag, or of a lane."""
        if isinstance(fn, Prim) and isinstance(fn.args[0], Var):
            return fn.args[0].name in self._lanes
        return isinstance(fn, Var) and fn.name in self._whole

    def _lambda_of(self, fn: Expr) -> Lambda | None:
        """Return the lambda that an operator or operand is, if that is known."""
        if isinstance(fn, Var):
            return self._known.get(fn.name)
        return fn if isinstance(fn, Lambda) else None

    def _called(self, expr: Expr) -> Expr | None:
        """Return the procedure whose shifts become those of an expression."""
        if isinstance(expr, App):
            return None if self.loop_around(expr) else expr.fn
        return expr.args[0] if isinstance(expr, Prim) and expr.op == FORWARD else None

    def _shifts_itself(self, expr: Expr) -> bool:
        called = self._called(expr)
        return self._captures(expr) or (called is not None and self.calls_shifting(called))

    def _propagate(self, inside: list[Expr]) -> None:
        """Find the lambdas whose bodies may shift, from those that do so at once through their callers."""
        callers: dict[Lambda, list[Lambda]] = {}
        pending: list[Lambda] = []
        for lam in [expr for expr in inside if isinstance(expr, Lambda)]:
            for expr in _own(lam.body):
                called = self._called(expr)
                known = None if called is None else self._lambda_of(called)
                if known is not None:
                    callers.setdefault(known, []).append(lam)
                elif self._captures(expr) or (called is not None and not self._is_whole(called)):
                    pending.append(lam)
        while pending:
            lam = pending.pop()
            if lam not in self._shifting:
                self._shifting.add(lam)
                pending.extend(callers.get(lam, ()))

    def _captures(self, expr: Expr) -> bool:
        """Return whether an expression is a shift, or a reset that a shift to another one may leave."""
        return isinstance(expr, Prim) and (expr.op == SHIFT or (expr.op == RESET and not self.one_tag))


def _own(body: Expr) -> Iterator[Expr]:
    """Yield the expressions that are evaluated with the body of a lambda."""
    pending = [body]
    while pending:
        expr = pending.pop()
        yield expr
        pending.extend(evaluated(expr))


def _is_control(expr: Expr) -> bool:
    return isinstance(expr, Prim) and expr.op in (RESET, SHIFT)


def _tag(expr: Expr) -> object:
    """Return the tag of a shift or reset where it is a constant; else something that no other tag is."""
    assert isinstance(expr, Prim)
    tag = expr.args[0]
    return tag.value if isinstance(tag, Const) else object()


def _continuations(inside: Iterable[Expr]) -> frozenset[str]:
    """Return the names that shifts give to what they capture."""
    receivers = [expr.args[1] for expr in inside if isinstance(expr, Prim) and expr.op == SHIFT]
    return frozenset([lam.params[0] for lam in receivers if isinstance(lam, Lambda) and lam.params])


def _lanes(inside: Iterable[Expr]) -> frozenset[str]:
    """Return the variables that hold the procedure of a lane, which is guarded, and its item."""
    lets = [(expr.name, expr.value) for expr in inside if isinstance(expr, Let)]
    return frozenset([name for name, value in lets if isinstance(value, Prim) and value.op == "enter-lane"])


def _named_lambdas(inside: Iterable[Expr]) -> dict[str, Lambda]:
    """Return the lambdas that names of a program stand for, wherever these occur."""
    known: dict[str, Lambda] = {}
    for expr in inside:
        if isinstance(expr, Letrec):
            known.update(expr.bindings)
        elif isinstance(expr, Let) and isinstance(expr.value, Lambda):
            known[expr.name] = expr.value
    return known
