"""The passes below the core, in order: what each needs, what it ensures, its function and its checker.

In: a program's thunk and its Scopes. Out: a Compilation, or the procedures that engines run. PASSES is the
one place that knows the order. If checkpoint.config says so, each pass's checker runs after it and the
languages asked for are printed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

from checkpoint import config
from checkpoint.cps import blocks as b
from checkpoint.cps.adjoint import adjoint
from checkpoint.cps.check_adjoint import check_adjoint
from checkpoint.cps.check_blocks import check_blocks
from checkpoint.cps.check_closures import check_closures
from checkpoint.cps.check_cps import check_cps
from checkpoint.cps.check_loops import check_loops
from checkpoint.cps.check_ownership import check_ownership
from checkpoint.cps.closures import close
from checkpoint.cps.compilation import Compilation
from checkpoint.cps.contify import find_loops
from checkpoint.cps.convert import convert
from checkpoint.cps.forms import of_core
from checkpoint.cps.listings import listing
from checkpoint.cps.lower import lower
from checkpoint.cps.ownership import ownership
from checkpoint.lang import core
from checkpoint.lang.closures import Scopes
from checkpoint.lang.grammar import check as check_core
from checkpoint.prims import arities


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass. needs: names of passes. ensures: what its checker checks; the file that states it."""

    name: str
    needs: tuple[str, ...]
    ensures: str
    run: Callable[[Compilation], None]
    check: Callable[[Compilation], None]


def _core(compilation: Compilation) -> None:
    """The front end has made it."""


def _check_core(compilation: Compilation) -> None:
    check_core(compilation.thunk.body, arities(), compilation.thunk.params)


def _cps(compilation: Compilation) -> None:
    compilation.cps = convert(compilation.thunk, compilation.scopes)


def _check_cps(compilation: Compilation) -> None:
    check_cps(compilation.cps, compilation.thunk)


def _loops(compilation: Compilation) -> None:
    compilation.loops = find_loops(compilation.cps, compilation.scopes)


def _check_loops(compilation: Compilation) -> None:
    check_loops(compilation.cps, compilation.scopes, compilation.loops)


def _closures(compilation: Compilation) -> None:
    compilation.closures = close(compilation.cps, compilation.scopes, compilation.loops)


def _check_closures(compilation: Compilation) -> None:
    check_closures(compilation.closures, of_core(compilation.thunk))


def _blocks(compilation: Compilation) -> None:
    compilation.blocks = lower(compilation.closures)


def _check_blocks(compilation: Compilation) -> None:
    check_blocks(compilation.blocks, compilation.closures)


def _ownership(compilation: Compilation) -> None:
    compilation.ownership = {procedure: ownership(procedure) for procedure in compilation.blocks}


def _check_ownership(compilation: Compilation) -> None:
    for procedure in compilation.blocks:
        check_ownership(procedure, compilation.ownership[procedure])


def _adjoint(compilation: Compilation) -> None:
    blocks = [block for procedure in compilation.blocks for block in procedure.blocks.values()]
    compilation.adjoint = {block: adjoint(block) for block in blocks}


def _check_adjoint(compilation: Compilation) -> None:
    for procedure in compilation.blocks:
        for block in procedure.blocks.values():
            check_adjoint(procedure, block, compilation.adjoint[block])


PASSES = (
    Pass(
        name="core",
        needs=(),
        ensures="lang/core.py: names bound once, none free, operands as records say",
        run=_core,
        check=_check_core,
    ),
    Pass(
        name="cps",
        needs=("core",),
        ensures="cps/terms.py: a step for each expression, scopes of names and continuations",
        run=_cps,
        check=_check_cps,
    ),
    Pass(
        name="loops",
        needs=("cps",),
        ensures="cps/contify.py: which functions have one continuation, and what it is",
        run=_loops,
        check=_check_loops,
    ),
    Pass(
        name="closures",
        needs=("cps", "loops"),
        ensures="cps/blocks.py: procedures, nothing nested; the steps are those of the core",
        run=_closures,
        check=_check_closures,
    ),
    Pass(
        name="blocks",
        needs=("closures",),
        ensures="cps/blocks.py: all parameters, live tables, special steps alone; the steps reached remain",
        run=_blocks,
        check=_check_blocks,
    ),
    Pass(
        name="ownership",
        needs=("blocks",),
        ensures="cps/ownership.py: along every path each reference is consumed once",
        run=_ownership,
        check=_check_ownership,
    ),
    Pass(
        name="adjoint",
        needs=("blocks",),
        ensures="cps/adjoint.py: what is recorded, the contributions of every step in reverse order",
        run=_adjoint,
        check=_check_adjoint,
    ),
)


def compile_to(last: str, thunk: core.Lambda, scopes: Scopes) -> Compilation:
    """All passes up to one, checked and printed as the settings say."""
    settings = config.current()
    compilation = Compilation(thunk, scopes)
    for step in PASSES:
        step.run(compilation)
        if settings.check:
            step.check(compilation)
        if step.name in settings.show:
            print(listing(compilation, step.name), file=sys.stderr)
        if step.name == last:
            break
    return compilation


def compile_blocks(thunk: core.Lambda, scopes: Scopes) -> list[b.Procedure]:
    """What engines run. The passes that they leave for later run too, if these are to be seen or checked."""
    settings = config.current()
    last = "adjoint" if settings.check or "adjoint" in settings.show else "blocks"
    return compile_to(last, thunk, scopes).blocks
