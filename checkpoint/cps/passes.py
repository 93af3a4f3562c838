"""The passes below the core, in order: their names, what each requires and ensures, and their functions.

In: the thunk of a program and its Scopes. Out: a Compilation, or the procedures that engines run. PASSES
alone defines the order. If checkpoint.config says so, the checker of each pass (checkpoint.cps.checks) runs
after it, and the requested languages are printed; the code for both is imported only then.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from checkpoint import config
from checkpoint.cps import blocks as b
from checkpoint.cps.adjoint import adjoint
from checkpoint.cps.closures import close
from checkpoint.cps.compilation import Compilation
from checkpoint.cps.contify import find_loops
from checkpoint.cps.convert import convert
from checkpoint.cps.lower import lower
from checkpoint.cps.ownership import ownership
from checkpoint.cps.separate import IsApart, nothing_is_apart, shown_is_apart
from checkpoint.dataclass import dataclass
from checkpoint.lang import core
from checkpoint.lang.closures import Scopes


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass.

    needs: the names of the passes that run before it.
    ensures: what its checker checks, with the file that states it.
    """

    name: str
    needs: tuple[str, ...]
    ensures: str
    run: Callable[[Compilation], None]


def _core(compilation: Compilation) -> None:
    """Do nothing: the front end has made the core."""


def _cps(compilation: Compilation) -> None:
    made = convert(compilation.thunk, compilation.scopes, compilation.is_apart)
    compilation.cps, compilation.apart = made


def _loops(compilation: Compilation) -> None:
    compilation.loops = find_loops(compilation.cps, compilation.scopes)


def _closures(compilation: Compilation) -> None:
    compilation.closures = close(compilation.cps, compilation.scopes, compilation.loops)


def _blocks(compilation: Compilation) -> None:
    compilation.blocks = lower(compilation.closures)


def _ownership(compilation: Compilation) -> None:
    compilation.ownership = {procedure: ownership(procedure) for procedure in compilation.blocks}


def _adjoint(compilation: Compilation) -> None:
    blocks = [block for procedure in compilation.blocks for block in procedure.blocks.values()]
    compilation.adjoint = {block: adjoint(block) for block in blocks}


PASSES = (
    Pass(
        name="core",
        needs=(),
        ensures="lang/core.py: names bound once, none free, operands as records say",
        run=_core,
    ),
    Pass(
        name="cps",
        needs=("core",),
        ensures="cps/terms.py: a step for each expression, scopes of names and continuations",
        run=_cps,
    ),
    Pass(
        name="loops",
        needs=("cps",),
        ensures="cps/contify.py: which functions have one continuation, and what it is",
        run=_loops,
    ),
    Pass(
        name="closures",
        needs=("cps", "loops"),
        ensures="cps/blocks.py: procedures, nothing nested; the steps are those of the core",
        run=_closures,
    ),
    Pass(
        name="blocks",
        needs=("closures",),
        ensures="cps/blocks.py: all parameters, live tables, special steps alone; the steps reached remain",
        run=_blocks,
    ),
    Pass(
        name="ownership",
        needs=("blocks",),
        ensures="cps/ownership.py: along every path each reference is consumed once",
        run=_ownership,
    ),
    Pass(
        name="adjoint",
        needs=("blocks",),
        ensures="cps/adjoint.py: what is recorded, the contributions of every step in reverse order",
        run=_adjoint,
    ),
)


def compile_to(
    last: str, thunk: core.Lambda, scopes: Scopes, is_apart: IsApart = nothing_is_apart, first: str = "core"
) -> Compilation:
    """Run all passes from one to another, and check and print their results as the settings say."""
    settings = config.current()
    compilation = Compilation(thunk, scopes, is_apart)
    start = next(i for i, step in enumerate(PASSES) if step.name == first)
    for step in PASSES[start:]:
        step.run(compilation)
        if settings.check:
            from checkpoint.cps.checks import CHECKS  # noqa: PLC0415  (most runs check nothing)

            CHECKS[step.name](compilation)
        if step.name in settings.show:
            from checkpoint.cps.listings import listing  # noqa: PLC0415  (most runs print nothing)

            print(listing(compilation, step.name), file=sys.stderr)
        if step.name == last:
            break
    return compilation


def compile_blocks(thunk: core.Lambda, scopes: Scopes) -> list[b.Procedure]:
    """Return the procedures of a whole program, which engines run."""
    return compile_to(_last(), thunk, scopes).blocks


def compile_separately(lam: core.Lambda, scopes: Scopes) -> list[b.Procedure]:
    """Return the procedures of a program, or of a lambda inside it, without those that are left for later.

    Nothing is left if languages are to be printed.
    """
    is_apart = nothing_is_apart if config.current().show else shown_is_apart
    first = "cps" if lam.shown else "core"  # the checker of the core has seen what is inside of the program
    return compile_to(_last(), lam, scopes, is_apart, first).blocks


def _last() -> str:
    """Return the last pass: those that engines leave for later run if they are to be printed or checked."""
    settings = config.current()
    return "adjoint" if settings.check or "adjoint" in settings.show else "blocks"
