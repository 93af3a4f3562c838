"""The steps of a program as a multiset, by which checkers see that no pass adds or loses a step.

A form is (span, kind). Core expressions and steps of the later languages have the same kinds. A variable, a
constant, a let and the binding of a handler's variable are all of the kind "value", since each may become a
copy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from checkpoint.ad.record import Control, lookup
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.errors import InternalError, Span
from checkpoint.lang import core
from checkpoint.lang.walk import preorder

Form = tuple[Span, str]
Forms = Counter[Form]

_CORE: dict[type, str] = {
    core.Const: "value",
    core.Var: "value",
    core.Let: "value",
    core.Lambda: "lambda",
    core.Letrec: "letrec",
    core.App: "call",
    core.If: "if",
    core.Raise: "raise",
    core.Handle: "handle",
}

_LATER: dict[type, str] = {
    t.Read: "value",
    t.Copy: "value",
    t.Compute: "primitive",
    t.Close: "lambda",
    t.Member: "value",
    t.Letrec: "letrec",
    t.Branch: "if",
    t.Call: "call",
    t.Control: "control",
    t.Throw: "raise",
    t.Handle: "handle",
    b.MakeClosure: "lambda",
    b.MakeMember: "value",
    b.Letrec: "letrec",
    b.Branch: "if",
    b.Call: "call",
    b.Enter: "call",
    b.Control: "control",
    b.Throw: "raise",
    b.Install: "handle",
}


def kind_of(item: object) -> str:
    """Return the kind of a step, or of an end that is a step."""
    return _LATER[type(item)]


def of_core(program: core.Lambda, apart: Collection[core.Lambda] = ()) -> Forms:
    """Return the steps of a core program; its own lambda and those that a letrec binds are none.

    apart: lambdas inside it whose steps do not count.
    """
    found: Forms = Counter()
    silent: set[core.Expr] = {program}
    for expr in preorder(program, frozenset(apart)):
        if isinstance(expr, core.Letrec):
            silent.update(lam for _, lam in expr.bindings)
        if isinstance(expr, core.Handle):
            found[expr.span, "value"] += 1
        if expr not in silent:
            found[expr.span, _of_expression(expr)] += 1
    return found


def _of_expression(expr: core.Expr) -> str:
    if isinstance(expr, core.Prim):
        return "control" if isinstance(lookup(expr.op), Control) else "primitive"
    return _CORE[type(expr)]


def of_blocks(blocks: Iterable[b.Block]) -> Forms:
    """Return the steps of blocks."""
    found: Forms = Counter()
    for block in blocks:
        found.update([(step.span, kind_of(step)) for step in block.steps])
        if block.end.span is not None:
            found[block.end.span, kind_of(block.end)] += 1
    return found


def same_forms(found: Forms, expected: Forms, where: str) -> None:
    """Raise InternalError unless two multisets are equal."""
    if found == expected:
        return
    for form, times in (expected - found).items():
        raise InternalError(
            f"{where}: the step of this {form[1]} is lost ({times} of {expected[form]})", form[0]
        )
    for form, times in (found - expected).items():
        raise InternalError(f"{where}: this {form[1]} has {times} more steps than expressions", form[0])
