"""Blocks as the machine runs them.

In: the procedures of a program (checkpoint.cps). Out: for each lambda a ProcedureCode under
compiled["hybrid"]. A block is run step by step at first; when it has been run a few times, Python
source is emitted for it (checkpoint.interp.hybrid.emit). Both give the same, which the tests compare.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.ad.record import Rearrange, Select, Update, lookup
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.adjoint import Adjoint, adjoint
from checkpoint.cps.lower import is_special

NEVER = 1 << 62  # more steps than any run makes
COLD_RUNS = 3  # how often a block runs step by step before it is worth emitting

Run = Callable[..., Any]


class ProcedureCode:
    """One procedure: its entry, and what a call passes beside the arguments."""

    __slots__ = ("arity", "blocks", "entry", "name", "passes_env")

    def __init__(self, procedure: b.Procedure) -> None:
        self.name = procedure.name
        self.arity = len(procedure.lam.params)
        self.passes_env = procedure.env is not None
        self.blocks: dict[str, BlockCode] = {}
        for label, block in procedure.blocks.items():
            self.blocks[label] = BlockCode(block, self)
        self.entry = self.blocks[procedure.entry]


class BlockCode:
    """One block. `run`, `tape` and `reverse` are what the machine calls; None: not emitted (yet)."""

    __slots__ = (
        "adjoint",
        "block",
        "cost",
        "emittable",
        "procedure",
        "record_size",
        "reverse",
        "run",
        "runs",
        "source",
        "span",
        "tape",
    )

    def __init__(self, block: b.Block, procedure: ProcedureCode | None) -> None:
        self.block = block
        self.procedure = procedure
        self.cost = block.cost
        self.span = block.steps[0].span if block.steps else block.end.span
        self.runs = 0
        self.run: Run | None = None
        self.tape: Run | None = None
        self.reverse: Run | None = None
        self.adjoint: Adjoint | None = None
        self.emittable = can_be_emitted(block)
        self.source = ""
        self.record_size = 0

    def target(self, label: str) -> BlockCode:
        """Another block of the same procedure."""
        assert self.procedure is not None
        return self.procedure.blocks[label]

    def reversal(self) -> Adjoint:
        """The block's adjoint, made when it is first asked for."""
        if self.adjoint is None:
            self.adjoint = adjoint(self.block)
        return self.adjoint


def can_be_emitted(block: b.Block) -> bool:
    """Special steps and rare ends are alone in their blocks, and always run step by step."""
    rare = isinstance(block.end, b.Control | b.Throw | b.Install)
    return not rare and not any(is_special(step) or _on_data(step) for step in block.steps)


def _on_data(step: Any) -> bool:
    record = lookup(step.op) if isinstance(step, t.Compute) else None
    return isinstance(record, Select | Rearrange | Update) or getattr(record, "otherwise", None) is not None
