"""The listing of each language that `checkpoint show` and CHECKPOINT_SHOW print.

In: what the passes have made of a program so far. Out: text, of the whole program or of the procedures of
one name: that of a lambda, or of a loop, which stands for the procedure that it is part of.
"""

from __future__ import annotations

from checkpoint.cps import blocks as b
from checkpoint.cps.compilation import Compilation
from checkpoint.cps.show_adjoint import show_adjoint
from checkpoint.cps.show_blocks import show_blocks, show_closures
from checkpoint.cps.show_cps import show_cps
from checkpoint.lang import core
from checkpoint.lang.printer import show
from checkpoint.lang.walk import preorder


def listing(compilation: Compilation, language: str, procedure: str | None = None) -> str:
    """What the pass of that name has made; "" if it has no procedure of the name asked for."""
    source = compilation.thunk.span.source
    match language:
        case "core":
            return _core(compilation.thunk, procedure)
        case "cps":
            return show_cps(compilation.cps, source, procedure)
        case "closures":
            return show_closures(_named(compilation.closures, procedure), source)
        case "blocks":
            return show_blocks(_named(compilation.blocks, procedure), source)
        case "adjoint":
            return show_adjoint(_named(compilation.blocks, procedure), compilation.adjoint, source)
    raise ValueError(f"there is no listing of {language!r}")


def procedure_names(compilation: Compilation) -> list[str]:
    """The names that a procedure can be asked for by, each once."""
    lambdas = [expr for expr in preorder(compilation.thunk) if isinstance(expr, core.Lambda)]
    return list(dict.fromkeys([lam.name or "lambda" for lam in lambdas]))


def _core(thunk: core.Lambda, name: str | None) -> str:
    if name is None or name == thunk.name:
        return show(thunk.body)
    lambdas = [expr for expr in preorder(thunk) if isinstance(expr, core.Lambda)]
    return "\n".join([show(lam) for lam in lambdas if (lam.name or "lambda") == name])


def _named(procedures: list[b.Procedure], name: str | None) -> list[b.Procedure]:
    """The procedures of a name, or that a loop of the name is part of; all if it is None."""
    return [p for p in procedures if name is None or p.name == name or _has_loop(p, name)]


def _has_loop(procedure: b.Procedure, name: str) -> bool:
    return f"loop.{name}" in procedure.blocks
