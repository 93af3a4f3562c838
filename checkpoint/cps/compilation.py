"""The results of the passes for one program."""

from __future__ import annotations

from dataclasses import field

from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.adjoint import Adjoint
from checkpoint.cps.contify import Loops
from checkpoint.cps.ownership import Ownership
from checkpoint.cps.separate import IsApart, nothing_is_apart
from checkpoint.dataclass import dataclass
from checkpoint.lang import core
from checkpoint.lang.closures import Scopes


@dataclass(slots=True, eq=False, repr=False)
class Compilation:
    """One program, or a part of it, during its compilation; each pass sets the field of its name.

    thunk: the outermost lambda. is_apart: which lambdas inside it are compiled by themselves
    (checkpoint.cps.separate). apart: these.
    """

    thunk: core.Lambda
    scopes: Scopes
    is_apart: IsApart = nothing_is_apart
    apart: list[core.Lambda] = field(init=False)
    cps: t.Function = field(init=False)
    loops: Loops = field(init=False)
    closures: list[b.Procedure] = field(init=False)
    blocks: list[b.Procedure] = field(init=False)
    ownership: dict[b.Procedure, dict[str, Ownership]] = field(init=False)
    adjoint: dict[b.Block, Adjoint] = field(init=False)
