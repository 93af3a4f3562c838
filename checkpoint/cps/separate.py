"""Separate compilation: the lambdas of a program that the passes may compile by themselves, when they run.

A lambda whose calls are shown in messages never becomes a loop of another one (contify.py), and no pass looks
into it for the sake of the code around it, except for the letrec-bound names that it uses: as it is another
procedure, none of these becomes a loop. So it is compiled when a run first enters it, with the Scopes of the
whole program, to the same blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from checkpoint.lang import core
from checkpoint.lang.walk import children

IsApart = Callable[[core.Lambda], bool]


def nothing_is_apart(lam: core.Lambda) -> bool:
    """Return False: the whole program is compiled at once."""
    return False


def shown_is_apart(lam: core.Lambda) -> bool:
    """Return whether a lambda inside of one that is compiled is left for later."""
    return lam.shown


def nested(thunk: core.Lambda) -> Iterator[tuple[core.Lambda, core.Lambda]]:
    """Yield each lambda inside a program, and the innermost one around it that may be compiled by itself."""
    stack: list[tuple[core.Expr, core.Lambda]] = [(thunk.body, thunk)]
    while stack:
        expr, around = stack.pop()
        if type(expr) is core.Lambda:
            yield expr, around
            around = expr if shown_is_apart(expr) else around
        stack.extend([(inner, around) for inner in children(expr)])
