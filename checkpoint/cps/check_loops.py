"""The checker of loops: what contify.py decides, examined from the calls instead of from the groups.

In: a program in CPS, its Scopes and its Loops. Out: nothing, or an InternalError. Each call of a function
that became a loop must be in the procedure that hosts the loop, with the continuation of the loop.
"""

from __future__ import annotations

from checkpoint.cps import terms as t
from checkpoint.cps.contify import Loops, terms
from checkpoint.errors import InternalError, Span
from checkpoint.lang.closures import Scopes


def check_loops(program: t.Function, scopes: Scopes, loops: Loops) -> None:
    """Raise InternalError unless every loop may be one."""
    for name in loops.of_name:
        fellows = scopes.group_of[name].names
        if not all(fellow in loops.of_name for fellow in fellows):
            raise InternalError(f"loops: {name} is a loop, and not all of its group", _span(loops, name))
    pending = [program]
    while pending:
        pending.extend(_check_function(pending.pop(), loops))


def _check_function(function: t.Function, loops: Loops) -> list[t.Function]:
    """Check the calls in one function; return the functions made inside it."""
    inner: list[t.Function] = []
    read: dict[t.Operand, str] = {}
    for term in terms(function):
        for step in term.steps:
            if isinstance(step, t.Close):
                inner.append(step.function)
            elif isinstance(step, t.Letrec):
                inner.extend(step.functions.values())
                _check_host(function, step, loops)
            elif isinstance(step, t.Member) and step.member in loops.of_name:
                read[step.name] = step.member
    for term in terms(function):
        if isinstance(term.end, t.Call) and term.end.fn in read:
            _check_call(function, term.end, read.pop(term.end.fn), loops)
    for name in read.values():
        raise InternalError(f"loops: {name} is a loop, and more than its calls is used", _span(loops, name))
    return inner


def _check_host(function: t.Function, step: t.Letrec, loops: Loops) -> None:
    for name, loop in step.functions.items():
        if name in loops.of_name and (
            loops.of_name[name] is not loop or loops.host.get(loop) is not function
        ):
            raise InternalError(f"loops: {name} is not part of the function that holds it", step.span)


def _check_call(function: t.Function, call: t.Call, name: str, loops: Loops) -> None:
    loop = loops.of_name[name]
    if len(call.args) != len(loop.lam.params):
        raise InternalError(f"loops: {name} is called with {len(call.args)} arguments", call.span)
    if loops.owner(function) is not loops.owner(loop):
        raise InternalError(f"loops: {name} is called from another procedure", call.span)
    if loops.continuation(call.k) != loops.continuation(loop.k):
        raise InternalError(f"loops: this call of {name} has another continuation than others", call.span)


def _span(loops: Loops, name: str) -> Span:
    return loops.of_name[name].lam.span
