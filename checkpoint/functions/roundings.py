"""Warnings of gradients that are zero because all that leads to the result is rounded.

In: a program whose gradient by an argument is zero. Out: at most one RoundingWarning. The program is run once
more, forward, with the argument marked: roundings note whether what they round depends on the argument, and
end the mark. A result without a mark then has no other connection with the argument, whatever the numbers;
where it keeps the mark, its derivative merely happens to be 0 here. A program is diagnosed once, and no
program without a rounding.
"""

from __future__ import annotations

import dataclasses
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any
from weakref import WeakSet

from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import TUPLE, Record
from checkpoint.ad.graph import numbers
from checkpoint.ad.numbers import Dual
from checkpoint.ad.tangent import lift, zeros_of
from checkpoint.ad.values import Closure, Pair
from checkpoint.driver.effects import EffectLog, Effects
from checkpoint.errors import RoundingWarning
from checkpoint.functions.closures import changed_closure
from checkpoint.functions.run import Run
from checkpoint.lang import core
from checkpoint.lang.core import Const, Expr, Lambda, Prim
from checkpoint.lang.python.linking.program import Linked
from checkpoint.lang.python.linking.roundings import ROUNDINGS, is_rounding
from checkpoint.prims.python.watching import Site
from checkpoint.recursion import recursion_room

_warned: set[str] = set()  # the places of the roundings that were warned of
_diagnosed: WeakSet[Linked] = WeakSet()


def warn_where_rounded(
    f: Any, args: Sequence[Any], kwargs: Mapping[str, Any], run: Run, position: int
) -> None:
    """Warn if a function's gradient by an argument is 0 because of roundings; it is known to be 0 here.

    run: the run that gave the gradient, whose arguments are taken once more.
    """
    sites: list[Site] = []

    def watched(linked: Linked) -> Lambda | None:
        if linked in _diagnosed:
            return None
        _diagnosed.add(linked)
        with recursion_room():
            thunk = _watched(linked.thunk, sites)
        return thunk if sites else None

    closure = changed_closure(f, tuple(args), dict(kwargs), run.engine, watched)
    if closure is None or _keeps_mark(closure, run, position):
        return
    for site in sites:
        if site.reached and str(site.span) not in _warned and site.span.source.text:
            _warned.add(str(site.span))
            message = (
                f"the gradient by argument {position} is 0, because the result depends on it only through "
                f"values that are rounded, here first:\n{site.span}\n{site.span.excerpt()}\n"
                f"Leave the rounding out, or round what is returned outside of the differentiated function"
            )
            warnings.warn(RoundingWarning(message), stacklevel=5)  # where the gradient is called
            return


def _keeps_mark(closure: Closure, run: Run, position: int) -> bool:
    """Return whether the result depends on an argument otherwise than through what is rounded."""
    again = Run(closure, run.argument, run.engine)
    items = list(again.argument.items)
    items[position] = lift(items[position], zeros_of(items[position]), again.tags)
    start = run.engine.start(0, Pair(again.u.car, Record(TUPLE, tuple(items))), again.tags + 1)
    silent = EffectLog()
    silent.furthest = (sys.maxsize,)  # what the program prints has been printed
    try:
        end = run.engine.advance(start, None, Effects(silent))
    except Exception:  # a function of the user's may have no rule for forward mode: nothing is known then
        return True
    return any(type(number) is Dual for number in numbers(end.value))


def _watched(expr: Any, sites: list[Site]) -> Any:
    """Return a program, or a part of it, with all roundings watched; sites: receives these."""
    match expr:
        case Prim():
            args = tuple([_watched(arg, sites) for arg in expr.args])
            return _rounding(Prim(expr.span, expr.op, args), sites)
        case Lambda():
            body = _watched(expr.body, sites)
            return dataclasses.replace(expr, body=body, compiled={}, definitions={})
        case core.Letrec():
            bindings = tuple([(name, _watched(lam, sites)) for name, lam in expr.bindings])
            return core.Letrec(expr.span, bindings, _watched(expr.body, sites))
        case core.App():
            args = tuple([_watched(arg, sites) for arg in expr.args])
            return core.App(expr.span, _watched(expr.fn, sites), args)
        case Const() | core.Var():
            return type(expr)(**{f.name: getattr(expr, f.name) for f in dataclasses.fields(expr)})
    parts = {f.name: getattr(expr, f.name) for f in dataclasses.fields(expr)}
    return type(expr)(**{k: _watched(v, sites) if isinstance(v, Expr) else v for k, v in parts.items()})


def _rounding(expr: Prim, sites: list[Site]) -> Expr:
    """Return a primitive, watched and without derivative where it rounds."""
    if not is_rounding(expr):
        return expr
    site = Site(expr.span)
    sites.append(site)
    note, count = Native(site), ROUNDINGS[expr.op]
    operands = [Prim(arg.span, "py.watched", (Const(arg.span, note), arg)) for arg in expr.args[:count]]
    rounded = Prim(expr.span, expr.op, (*operands, *expr.args[count:]))
    return Prim(expr.span, "py.stop", (rounded,))
