"""Blocks in the form in which the machine runs them.

In: the procedures of a program (checkpoint.cps). Out: for each lambda a ProcedureCode under
compiled["hybrid"]. A block runs step by step at first; after a few runs Python source is emitted for it
(checkpoint.interp.hybrid.emit). Both give the same results, which the tests compare.
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
from checkpoint.hashing import digest

NEVER = 1 << 62  # more steps than any run makes
COLD_RUNS = 3  # how often a block runs step by step before it is worth emitting

KNOWN = frozenset((float, int, bool, Array, Discrete))  # the types for which variants of a block are emitted

Run = Callable[..., Any]


class ProcedureCode:
    """One procedure: its blocks and its entry.

    passes_env: whether a call passes the environment besides the arguments.
    """

    __slots__ = ("arity", "blocks", "entry", "name", "passes_env", "peer", "procedure", "shown")

    def __init__(self, procedure: b.Procedure) -> None:
        self.procedure = procedure
        self.peer: Any = None  # the counterpart in an engine that shares these blocks
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
    """The function of a block for parameters of certain types.

    record_size: the number of entries that a taped run leaves for the reversal.
    """

    __slots__ = ("block", "record_size", "reverse", "run")

    def __init__(self, block: BlockCode) -> None:
        self.block = block
        self.record_size = 0
        self.run: Run
        self.reverse: Run


class BlockCode:
    """One block. run, tape: the functions that the machine calls; None until they are emitted.

    Both belong to the variant that was emitted first, which calls others where parameters have other types
    (checkpoint.interp.hybrid.emit).
    seen: the types that the operands of arithmetic, and of steps that may work on arrays, had when the block
    last ran step by step. meets_arrays: whether any of them was an array.
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
        "_fingerprint",
        "meets_arrays",
        "peer",
    )

    def __init__(self, block: b.Block, procedure: ProcedureCode | None) -> None:
        self.block = block
        self.procedure = procedure
        self.peer: Any = None  # see ProcedureCode
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
        self._fingerprint: int | None = None
        self._dying: list[tuple[str, ...]] | None = None
        self.guarded = tuple([slot for slot in block.params if slot in self.arithmetic])
        self.variants: dict[tuple[bool, Signature], Variant] = {}
        self.seen: dict[str, type] = {}
        self.source = ""

    @property
    def fingerprint(self) -> int:
        """Return a hash of its text, the same in every process, made on first use."""
        if self._fingerprint is None:
            found = digest(self.text.encode("utf-8", "surrogatepass"), size=8).digest()
            self._fingerprint = int.from_bytes(found, "little")
        return self._fingerprint

    @property
    def text(self) -> str:
        """Return the text of the first step, or the kind of the end if that has no place in a text."""
        return type(self.block.end).__name__ if self.span is None else self.span.text

    def signature(self, values: tuple[Any, ...]) -> Signature:
        """Return the signature of the values of its parameters."""
        kinds = dict(zip(self.block.params, map(type, values), strict=True))
        return tuple([(slot, kinds[slot] if kinds[slot] in KNOWN else object) for slot in self.guarded])

    def see(self, slots: dict[str, Any]) -> None:
        """Remember types, for functions that will be emitted."""
        if self.emittable:
            for slot in self.watched:
                if slot in slots:
                    self.see_one(slot, type(slots[slot]))

    def see_one(self, slot: str, kind: type) -> None:
        """Remember the type of one slot."""
        self.seen[slot] = kind
        self.meets_arrays = self.meets_arrays or kind in ARRAYS

    def dying(self, index: int) -> tuple[str, ...]:
        """Return the slots whose last use is a step, and those that it defines without a use."""
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
        """Return another block of the same procedure."""
        assert self.procedure is not None
        return self.procedure.blocks[label]

    def reversal(self) -> Adjoint:
        """Return the block's adjoint, which is made on the first call."""
        if self.adjoint is None:
            self.adjoint = adjoint(self.block)
        return self.adjoint


def can_be_emitted(block: b.Block) -> bool:
    """Return whether source is emitted for a block: not for special steps and rare ends, which are alone."""
    rare = isinstance(block.end, b.Control | b.Throw)
    return not rare and not any(is_special(step) for step in block.steps)


def read_by(block: b.Block, kinds: tuple[type, ...]) -> b.Slots:
    """Return the slots that steps with certain kinds of records read."""
    read = [
        operand
        for step in block.steps
        if isinstance(step, t.Compute) and isinstance(lookup(step.op), kinds)
        for operand in step.operands
        if isinstance(operand, str)
    ]
    return tuple(dict.fromkeys(read))
