"""The listings of the languages, as `checkpoint show` and CHECKPOINT_SHOW print them.

In: the results of the passes for a program. Out: text, of the whole program or of the procedures of one name.
The name may be that of a lambda, or of a loop, which stands for the procedure that hosts it.
"""

from __future__ import annotations

from checkpoint.cps import blocks as b
from checkpoint.cps.compilation import Compilation
from checkpoint.cps.show_adjoint import show_adjoint
from checkpoint.cps.show_blocks import show_blocks, show_closures
from checkpoint.cps.show_cps import show_cps
from checkpoint.lang import core
from checkpoint.lang.printer import show
from checkpoint.lang.walk import lambdas_in


def listing(compilation: Compilation, language: str, procedure: str | None = None) -> str:
    """Return the listing of a language; "" if no procedure has the given name."""
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
    """Return the names by which procedures can be selected, each once."""
    return list(dict.fromkeys([lam.name or "lambda" for lam in lambdas_in(compilation.thunk)]))


def _core(thunk: core.Lambda, name: str | None) -> str:
    if name is None or name == thunk.name:
        return show(thunk.body)
    return "\n".join([show(lam) for lam in lambdas_in(thunk) if (lam.name or "lambda") == name])


def _named(procedures: list[b.Procedure], name: str | None) -> list[b.Procedure]:
    """Return the procedures of a name, or that host a loop of the name; all procedures for None."""
    return [p for p in procedures if name is None or p.name == name or _has_loop(p, name)]


def _has_loop(procedure: b.Procedure, name: str) -> bool:
    return f"{b.LOOP}{name}" in procedure.blocks
