"""Print procedures and blocks, in the notation of checkpoint.cps.blocks.

In: procedures, after the pass `closures` or after `blocks`; the source text. Out: a listing. After `blocks`
each line of a block is a row of its step table, with the index and the place of the step, and

    pure, may fail, effect   the purity that the record of its primitive states
    live x ...               the slots that are live before the step, where they have changed
    moves x ...              the operands whose last use it is      (checkpoint.cps.ownership)
    dups x ...               the operands that are used again
    drops x ...              the slots that die without a use; at a branch, on the edge to a target
    births x ...             the objects that the step makes, in the order of their numbers
"""

from __future__ import annotations

from collections.abc import Iterable

from checkpoint.ad.record import lookup
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.adjoint import births
from checkpoint.cps.ownership import Edge, Ownership, Uses, consumed_by_end, consumed_by_step, ownership
from checkpoint.cps.show_cps import step_text
from checkpoint.cps.text import Listing, Places, form
from checkpoint.errors import Source


def show_closures(procedures: Iterable[b.Procedure], source: Source) -> str:
    """Return the listing of procedures after the pass `closures`."""
    listing, places = Listing(), Places(source)
    for procedure in procedures:
        show_procedure(listing, places, procedure)
        for block in procedure.blocks.values():
            listing.add(1, f"block {block.label} {form(*block.params)}")
            for i, step in enumerate(block.steps):
                listing.add(2, f"{i:<3} {block_step(step)}", places.text(step.span))
            listing.add(2, f"{'end':<3} {block_end(block.end)}", places.text(block.end.span))
    return listing.text()


def show_blocks(procedures: Iterable[b.Procedure], source: Source) -> str:
    """Return the listing of procedures after the pass `blocks`, with step tables and ownership."""
    listing, places = Listing(), Places(source)
    for procedure in procedures:
        show_procedure(listing, places, procedure)
        table = ownership(procedure)
        for label, block in procedure.blocks.items():
            _Table(listing, places, block, table[label]).show()
    return listing.text()


def show_procedure(listing: Listing, places: Places, procedure: b.Procedure) -> None:
    """Add the line that begins a procedure."""
    if listing.lines:
        listing.add(0, "")
    parts = [
        f"procedure {procedure.name}",
        f"captures {form(*procedure.captures)}" if procedure.captures else "",
        f"env {procedure.env}" if procedure.env else "",
    ]
    listing.add(0, "  ".join(part for part in parts if part), places.text(procedure.lam.span))


def show_head(block: b.Block) -> str:
    """Return the label and parameters of a block as text, those passed by name after a bar."""
    explicit, rest = block.params[: block.explicit], block.params[block.explicit :]
    return f"block {block.label} {form(*explicit, *(['|', *rest] if rest else []))}"


class _Table:
    """The rows of one block with its step table."""

    def __init__(self, listing: Listing, places: Places, block: b.Block, owned: Ownership) -> None:
        self.listing = listing
        self.places = places
        self.block = block
        self.owned = owned

    def show(self) -> None:
        block = self.block
        self.listing.add(1, show_head(block), f"cost {block.cost}", *_slots("drops", self.owned.head))
        for i, step in enumerate(block.steps):
            uses = self.owned.steps[i]
            notes = [*self.live(i), *_uses(consumed_by_step(step), uses), *_slots("births", births(step))]
            place = f"{self.places.text(step.span):<6}"
            self.listing.add(2, f"{i:<3} {block_step(step)}", place, _purity(step), *notes)
        notes = [*self.live(len(block.steps)), *_uses(consumed_by_end(block.end), self.owned.end)]
        place = f"{self.places.text(block.end.span):<6}"
        self.listing.add(2, f"{'end':<3} {block_end(block.end)}", place, *notes)
        for edge in self.owned.edges:
            self.edge(edge)

    def live(self, point: int) -> list[str]:
        """Return the slots that are live at a point, if it is the first or they have changed."""
        live = self.block.live
        changed = point == 0 or set(live[point]) != set(live[point - 1])
        return [f"live {' '.join(live[point]) or 'nothing'}"] if changed else []

    def edge(self, edge: Edge) -> None:
        """Add what is passed by name."""
        notes = [
            *_slots("moves", edge.moved),
            *_slots("dups", edge.duplicated),
            *_slots("drops", edge.dropped),
        ]
        if notes:
            self.listing.add(3, f"to {edge.label}", *notes)


def _slots(word: str, slots: b.Slots) -> list[str]:
    return [f"{word} {' '.join(slots)}"] if slots else []


def _uses(operands: tuple[t.Operand, ...], uses: Uses) -> list[str]:
    def names(positions: tuple[int, ...]) -> b.Slots:
        return tuple([str(operands[i]) for i in positions])

    return [
        *_slots("moves", names(uses.moved)),
        *_slots("dups", names(uses.duplicated)),
        *_slots("drops", uses.dropped),
    ]


def _purity(step: t.Step) -> str:
    return lookup(step.op).purity.value if isinstance(step, t.Compute) else ""


def block_step(step: t.Step) -> str:
    """Return a step of a block as text."""
    match step:
        case b.MakeClosure():
            return f"({step.name} {form('close', step.lam.name or 'lambda', *step.captures)})"
        case b.MakeMember():
            env = [] if step.env is None else [step.env]
            return f"({step.name} {form('member', step.lam.name or 'lambda', *env)})"
        case b.Letrec():
            return form("letrec", *[_group(group) for group in step.groups])
    return step_text(step)


def _group(group: b.MakeEnvironment | b.CopyCaptures) -> str:
    if isinstance(group, b.MakeEnvironment):
        return f"({group.name} {form('env', *group.captures)})"
    return form(*[form(new, source) for new, source in group.pairs])


def block_end(end: b.End) -> str:
    """Return the end of a block as text."""
    match end:
        case b.Jump():
            return form("jump", end.label, *end.args)
        case b.Enter():
            return form("enter", end.label, *end.args)
        case b.Branch():
            return form("branch", end.test, end.then, end.other)
        case b.Call():
            return form("call", end.fn, *end.args, *_return_point(end.ret))
        case b.Control():
            return form("control", end.op, *end.args, *_return_point(end.ret))
        case b.Return():
            return form("return", end.operand)
        case b.Throw():
            return form("raise", end.operand)
        case b.Install():
            return form("install", end.body, end.leave, end.handler)
    return type(end).__name__


def _return_point(label: str | None) -> list[str]:
    return [] if label is None else [f"[{label}]"]
