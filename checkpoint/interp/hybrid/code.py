"""Blocks as the machine runs them.

In: the procedures of a program (checkpoint.cps). Out: for each lambda a ProcedureCode under
compiled["hybrid"]. A block is run step by step at first; when it has been run a few times, Python
source is emitted for it (checkpoint.interp.hybrid.emit). Both give the same, which the tests compare.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.ad.arrays import ARRAYS, Array, Discrete
from checkpoint.ad.record import Rearrange, Scalar, Select, Update, lookup
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.adjoint import Adjoint, adjoint
from checkpoint.cps.lower import is_special
from checkpoint.cps.rewrite import defined, slots_read

NEVER = 1 << 62  # more steps than any run makes
COLD_RUNS = 3  # how often a block runs step by step before it is worth emitting

KNOWN = frozenset((float, int, bool, Array, Discrete))  # the types of which variants of a block are made

Run = Callable[..., Any]


class ProcedureCode:
    """One procedure: its entry, and what a call passes beside the arguments."""

    __slots__ = ("arity", "blocks", "entry", "name", "passes_env", "peer", "procedure", "shown")

    def __init__(self, procedure: b.Procedure) -> None:
        self.procedure = procedure
        self.peer: Any = None  # what an engine that shares these blocks has made of it
        self.name = procedure.name
        self.arity = len(procedure.lam.params)
        self.shown = procedure.lam.shown
        self.passes_env = procedure.env is not None
        self.blocks: dict[str, BlockCode] = {}
        for label, block in procedure.blocks.items():
            self.blocks[label] = BlockCode(block, self)
        self.entry = self.blocks[procedure.entry]


Signature = tuple[tuple[str, type], ...]  # the parameters that arithmetic reads, each of KNOWN or object


class Variant:
    """A block's function for parameters of certain types; taped, what one run of it leaves to be reversed."""

    __slots__ = ("block", "record_size", "reverse", "run")

    def __init__(self, block: BlockCode) -> None:
        self.block = block
        self.record_size = 0
        self.run: Run
        self.reverse: Run


class BlockCode:
    """One block. `run` and `tape` are what the machine calls; None: not emitted (yet).

    Both are those of the variant that was made first, which goes on to others where parameters have other
    types (checkpoint.interp.hybrid.emit). seen: the types that operands of arithmetic, and of what may work
    on arrays, last had when the block was run step by step. meets_arrays: whether any of them was an array.
    """

    __slots__ = (
        "adjoint",
        "arithmetic",
        "block",
        "cost",
        "emittable",
        "guarded",
        "procedure",
        "run",
        "runs",
        "seen",
        "source",
        "span",
        "tape",
        "variants",
        "watched",
        "_dying",
        "meets_arrays",
        "peer",
    )

    def __init__(self, block: b.Block, procedure: ProcedureCode | None) -> None:
        self.block = block
        self.procedure = procedure
        self.peer: Any = None  # as ProcedureCode's
        self.cost = block.cost
        self.span = block.steps[0].span if block.steps else block.end.span
        self.runs = 0
        self.run: Run | None = None
        self.tape: Run | None = None
        self.adjoint: Adjoint | None = None
        self.emittable = can_be_emitted(block)
        self.arithmetic = read_by(block, (Scalar,))
        self.watched = read_by(block, (Scalar, Select, Rearrange, Update))
        self.meets_arrays = False
        self._dying: list[tuple[str, ...]] | None = None
        self.guarded = tuple([slot for slot in block.params if slot in self.arithmetic])
        self.variants: dict[tuple[bool, Signature], Variant] = {}
        self.seen: dict[str, type] = {}
        self.source = ""

    @property
    def text(self) -> str:
        """The text of the block's first step, or the kind of its end where that stands in no text."""
        return type(self.block.end).__name__ if self.span is None else self.span.text

    def signature(self, values: tuple[Any, ...]) -> Signature:
        """That of the values of its parameters."""
        kinds = dict(zip(self.block.params, map(type, values), strict=True))
        return tuple([(slot, kinds[slot] if kinds[slot] in KNOWN else object) for slot in self.guarded])

    def see(self, slots: dict[str, Any]) -> None:
        """Remember types, for functions yet to be made."""
        if self.emittable:
            for slot in self.watched:
                if slot in slots:
                    self.see_one(slot, type(slots[slot]))

    def see_one(self, slot: str, kind: type) -> None:
        """Remember the type of one slot."""
        self.seen[slot] = kind
        self.meets_arrays = self.meets_arrays or kind in ARRAYS

    def dying(self, index: int) -> tuple[str, ...]:
        """The slots that a step uses last, or defines in vain."""
        if self.procedure is None:
            return ()
        if self._dying is None:
            block = self.block
            live = [(*block.params, *block.live[0]), *block.live[1:]]
            self._dying = [
                tuple(
                    [
                        name
                        for name in dict.fromkeys((*live[i], *slots_read(step), *defined(step)))
                        if name not in live[i + 1]
                    ]
                )
                for i, step in enumerate(block.steps)
            ]
        return self._dying[index]

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
    rare = isinstance(block.end, b.Control | b.Throw)
    return not rare and not any(is_special(step) for step in block.steps)


def read_by(block: b.Block, kinds: tuple[type, ...]) -> b.Slots:
    """The slots that steps of certain kinds of records read."""
    read = [
        operand
        for step in block.steps
        if isinstance(step, t.Compute) and isinstance(lookup(step.op), kinds)
        for operand in step.operands
        if isinstance(operand, str)
    ]
    return tuple(dict.fromkeys(read))
