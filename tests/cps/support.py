"""Common parts of the tests of the passes: a text after all passes."""

from __future__ import annotations

from checkpoint.cps import blocks as b
from checkpoint.cps.compilation import Compilation
from checkpoint.cps.passes import compile_to
from checkpoint.errors import Source
from checkpoint.functions.program import load


def compiled(text: str, last: str = "adjoint") -> Compilation:
    """Return a text after a pass and those before it."""
    program = load(Source("<test>", text))
    return compile_to(last, program.thunk, program.scopes)


def procedure_of(compilation: Compilation, name: str) -> b.Procedure:
    """Return the only procedure of a name."""
    [found] = [procedure for procedure in compilation.blocks if procedure.name == name]
    return found


def all_blocks(compilation: Compilation) -> list[b.Block]:
    """Return the blocks of all procedures."""
    return [block for procedure in compilation.blocks for block in procedure.blocks.values()]


def cost(procedures: list[b.Procedure]) -> int:
    """Return the number of steps of all blocks."""
    return sum(block.cost for procedure in procedures for block in procedure.blocks.values())
