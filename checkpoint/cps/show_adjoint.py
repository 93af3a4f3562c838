"""Print adjoints, in the notation of checkpoint.cps.adjoint.

In: procedures after the pass `blocks`, the adjoint of each block, the source text. Out: a listing. For each
block: what its taped variant records, how its end is reversed, and the actions in the order in which they are
performed, each with the index and the place of its step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from checkpoint.cps import adjoint as a
from checkpoint.cps import blocks as b
from checkpoint.cps.show_blocks import block_end, block_step, show_head, show_procedure
from checkpoint.cps.text import Listing, Places, form
from checkpoint.errors import Source


def show_adjoint(
    procedures: Iterable[b.Procedure], adjoints: Mapping[b.Block, a.Adjoint], source: Source
) -> str:
    """Return the listing of the adjoints of all blocks of some procedures."""
    listing, places = Listing(), Places(source)
    for procedure in procedures:
        show_procedure(listing, places, procedure)
        for block in procedure.blocks.values():
            _show_block(listing, places, block, adjoints[block])
    return listing.text()


def _show_block(listing: Listing, places: Places, block: b.Block, found: a.Adjoint) -> None:
    listing.add(1, show_head(block))
    recorded = (("values", found.values), ("births", found.births), ("origins", found.origins))
    for word, slots in recorded:
        if slots:
            listing.add(2, f"record {word} {' '.join(slots)}")
    listing.add(2, f"reverse {block_end(block.end)}", places.text(block.end.span))
    for index, actions in found.actions:
        place = places.text(block.steps[index].span)
        for action in actions:
            for text in action_texts(action):
                listing.add(2, f"{index:<3} {text}", place)


def action_texts(action: a.Action) -> list[str]:
    """Return an action as texts, one for each accumulator that it adds to, in their order."""
    match action:
        case a.Add():
            return [form("add", f"{action.target}'", f"{action.source}'")]
        case a.Scale():
            call = form(action.record.name, *action.operands)
            scaled = [(f"{action.operands[i]}'", str(i)) for i in action.targets]
            return [form("scale", target, call, i, f"{action.source}'") for target, i in scaled]
        case a.Take():
            target = f"{action.target}'" if action.target else "_"
            return [form("take", target, action.owner, str(action.field))]
        case a.Give():
            return [form("give", action.owner, str(action.field), f"{action.source}'")]
        case a.Pick():
            return [form("pick", block_step(action.step), f"{action.step.name}'")]
        case a.Move():
            return [form("move", block_step(action.step))]
        case a.Put():
            return [form("put", block_step(action.step))]
        case a.Pull():
            return [form("pull", block_step(action.step))]
        case a.Redo():
            return [form("redo", block_step(action.step))]
