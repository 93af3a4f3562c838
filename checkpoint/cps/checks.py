"""The checkers of the passes, by the names of the passes.

In: a Compilation, directly after a pass. Out: nothing, or an InternalError that says which invariant fails.
"""

from __future__ import annotations

from collections.abc import Callable

from checkpoint.cps.check_adjoint import check_adjoint
from checkpoint.cps.check_blocks import check_blocks
from checkpoint.cps.check_closures import Apart, check_closures
from checkpoint.cps.check_cps import check_cps
from checkpoint.cps.check_loops import check_loops
from checkpoint.cps.check_ownership import check_ownership
from checkpoint.cps.compilation import Compilation
from checkpoint.cps.forms import of_core
from checkpoint.lang.grammar import check as check_core
from checkpoint.prims import arities


def _check_core(compilation: Compilation) -> None:
    check_core(compilation.thunk.body, arities(), compilation.thunk.params)


def _check_cps(compilation: Compilation) -> None:
    check_cps(compilation.cps, compilation.thunk, compilation.scopes, compilation.apart)


def _check_loops(compilation: Compilation) -> None:
    check_loops(compilation.cps, compilation.scopes, compilation.loops)


def _check_closures(compilation: Compilation) -> None:
    expected = of_core(compilation.thunk, compilation.apart)
    check_closures(compilation.closures, expected, _apart(compilation))


def _check_blocks(compilation: Compilation) -> None:
    check_blocks(compilation.blocks, compilation.closures, _apart(compilation))


def _apart(compilation: Compilation) -> Apart:
    """Return the captures of the lambdas that are compiled by themselves, inside and around this part."""
    scopes = compilation.scopes
    around = [scopes.lambda_of[name] for name in scopes.members_in(compilation.thunk)]
    return {lam: scopes.captures(lam) for lam in (*compilation.apart, *around)}


def _check_ownership(compilation: Compilation) -> None:
    for procedure in compilation.blocks:
        check_ownership(procedure, compilation.ownership[procedure])


def _check_adjoint(compilation: Compilation) -> None:
    for procedure in compilation.blocks:
        for block in procedure.blocks.values():
            check_adjoint(procedure, block, compilation.adjoint[block])


CHECKS: dict[str, Callable[[Compilation], None]] = {
    "core": _check_core,
    "cps": _check_cps,
    "loops": _check_loops,
    "closures": _check_closures,
    "blocks": _check_blocks,
    "ownership": _check_ownership,
    "adjoint": _check_adjoint,
}
