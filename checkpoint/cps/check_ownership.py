"""The checker of ownership: each reference is consumed exactly once along every path.

In: a procedure and its table. Out: nothing, or an InternalError. The steps of a block are followed with the
set of references held. At its end nothing may be left but what is passed to the next block, which begins with
exactly that; so what holds for each block holds along every path.
"""

from __future__ import annotations

from dataclasses import field
from typing import NoReturn

from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.ownership import (
    Edge,
    Ownership,
    Uses,
    consumed_by_end,
    consumed_by_step,
    named,
)
from checkpoint.cps.rewrite import defined
from checkpoint.dataclass import dataclass
from checkpoint.errors import InternalError, Span


def check_ownership(procedure: b.Procedure, table: dict[str, Ownership]) -> None:
    """Raise InternalError unless the table is right for a procedure."""
    if list(table) != list(procedure.blocks):
        raise InternalError(f"ownership of {procedure.name} is not that of its blocks", procedure.lam.span)
    for label, block in procedure.blocks.items():
        _Holder(procedure, block).run(table[label])


@dataclass
class _Holder:
    """The references that a block holds at a point."""

    procedure: b.Procedure
    block: b.Block
    held: set[str] = field(default_factory=set)
    handed: set[str] = field(default_factory=set)  # moved by an edge; a later edge may duplicate it
    where: str = "head"
    span: Span | None = None

    def run(self, table: Ownership) -> None:
        block = self.block
        self.held = set(block.params)
        self.release(table.head, "drops")
        if len(table.steps) != len(block.steps):
            self.fail(f"has {len(block.steps)} steps, and {len(table.steps)} in its table")
        for i, (step, uses) in enumerate(zip(block.steps, table.steps, strict=True)):
            self.where, self.span = f"step {i}", step.span
            self.step(step, uses)
            if self.held != set(block.live[i + 1]):
                self.fail(
                    f"holds {_names(self.held)} afterwards, where {_names(set(block.live[i + 1]))} is live"
                )
        self.where, self.span = "end", block.end.span
        self.consume(consumed_by_end(block.end), table.end)
        self.release(table.end.dropped, "drops")
        self.edges(table.edges)

    def fail(self, message: str) -> NoReturn:
        place = f"ownership of {self.procedure.name}, block {self.block.label}, {self.where}"
        raise InternalError(f"{place}: {message}", self.span)

    def release(self, names: b.Slots, verb: str) -> None:
        for name in names:
            if name not in self.held:
                self.fail(f"{verb} {name}, which is not held")
            self.held.remove(name)

    def step(self, step: t.Step, uses: Uses) -> None:
        """Follow a step; the results of a letrec are defined first, as its own environments may use them."""
        for name in defined(step):
            if name in self.held:
                self.fail(f"defines {name}, which is held")
            self.held.add(name)
        self.consume(consumed_by_step(step), uses)
        self.release(uses.dropped, "drops")

    def consume(self, operands: tuple[t.Operand, ...], uses: Uses) -> None:
        """Move or duplicate each operand that is a slot, from the left."""
        slots = [i for i, operand in enumerate(operands) if isinstance(operand, str)]
        if sorted((*uses.moved, *uses.duplicated)) != slots:
            self.fail("an operand is neither moved nor duplicated, or both")
        for i in slots:
            name = operands[i]
            assert isinstance(name, str)
            if i in uses.moved:
                self.release((name,), "moves")
            elif name not in self.held:
                self.fail(f"duplicates {name}, which is not held")

    def edges(self, edges: tuple[Edge, ...]) -> None:
        """Follow one of the edges of a branch, or all edges of another end."""
        if [edge.label for edge in edges] != self.labels():
            self.fail("the edges are not those of its targets")
        for edge in edges:
            before = set(self.held)
            if isinstance(self.block.end, b.Branch):
                self.edge(edge)
                self.empty(f"on the way to {edge.label}")
                self.held = before
            else:
                self.edge(edge)
        if not isinstance(self.block.end, b.Branch):
            self.empty("at the end")

    def labels(self) -> list[str]:
        end = self.block.end
        return [end.body, end.leave] if isinstance(end, b.Install) else list(b.targets(end))

    def edge(self, edge: Edge) -> None:
        for name in edge.duplicated:
            if name not in self.handed:
                self.fail(f"duplicates {name} for {edge.label}, which nothing has moved")
        self.handed.update(edge.moved)
        self.release(edge.moved, "moves")
        self.release(edge.dropped, "drops")
        needed = set(named(self.procedure, edge.label))
        if {*edge.moved, *edge.duplicated} != needed or len(edge.moved) + len(edge.duplicated) != len(needed):
            self.fail(f"hands {edge.label} other slots than {_names(needed)}")

    def empty(self, where: str) -> None:
        if self.held:
            self.fail(f"{_names(self.held)} is never consumed {where}")


def _names(names: set[str]) -> str:
    return " ".join(sorted(names)) or "nothing"
