"""The passes below the core, in order, with what each needs and ensures.

name      needs                    ensures
core      a text                   lang/core.py; checked by lang/grammar.py
cps       core                     cps/terms.py: every step written, continuations named
closures  cps, contification       cps/blocks.py: procedures, nothing nested
blocks    closures                 cps/blocks.py: all parameters, step tables
adjoint   blocks                   cps/adjoint.py: what is recorded, how it is reversed
"""

from __future__ import annotations

from checkpoint.cps import blocks as b
from checkpoint.cps.closures import close
from checkpoint.cps.contify import find_loops
from checkpoint.cps.convert import convert
from checkpoint.cps.lower import lower
from checkpoint.lang import core
from checkpoint.lang.closures import Scopes


def compile_blocks(thunk: core.Lambda, scopes: Scopes) -> list[b.Procedure]:
    """All passes up to blocks."""
    program = convert(thunk, scopes)
    return lower(close(program, scopes, find_loops(program, scopes)))
