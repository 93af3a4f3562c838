"""The checker of blocks: what checkpoint.cps.blocks states of the form after the pass `blocks`.

In: procedures, and those that they were made of. Out: nothing, or an InternalError.

Liveness is found here in another way than in lower.py: slot by slot, from each use back to the definition,
instead of by iteration over all blocks. So a slot that is passed on and never used is found as well as one
that is missing.
"""

from __future__ import annotations

from checkpoint.ad.record import Effect, Operator, lookup
from checkpoint.ad.tensors import changes_operand
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.check_closures import Apart, Place, check_procedures
from checkpoint.cps.forms import of_blocks, same_forms
from checkpoint.cps.rewrite import defined, slots_read, slots_read_at_end

Heads = dict[str, set[str]]


def check_blocks(procedures: list[b.Procedure], before: list[b.Procedure], apart: Apart) -> None:
    """Raise InternalError unless the procedures are right; `before` is the result of the pass `closures`."""
    check_procedures("blocks", procedures, apart)
    for procedure in procedures:
        heads = live_heads(procedure)
        for block in procedure.blocks.values():
            _check_block(procedure, block, heads)
    same_forms(of_blocks(_all(procedures)), of_blocks(reachable_blocks(before)), "blocks")


def _all(procedures: list[b.Procedure]) -> list[b.Block]:
    return [block for procedure in procedures for block in procedure.blocks.values()]


def reachable_blocks(procedures: list[b.Procedure]) -> list[b.Block]:
    """Return the blocks that ends lead to; code after a raise or an endless loop is in no other."""
    found: dict[b.Block, None] = {}
    for procedure in procedures:
        pending = [procedure.blocks[procedure.entry]]
        while pending:
            block = pending.pop()
            if block not in found:
                found[block] = None
                pending.extend(procedure.blocks[label] for label in b.targets(block.end))
    return list(found)


def live_heads(procedure: b.Procedure) -> Heads:
    """Return the slots that are live at the head of each block, except its explicit parameters."""
    before: dict[str, list[str]] = {label: [] for label in procedure.blocks}
    fellows: dict[str, set[str]] = {label: set() for label in procedure.blocks}
    for label, block in procedure.blocks.items():
        for target in b.targets(block.end):
            before[target].append(label)
        if isinstance(block.end, b.Install):
            fellows[block.end.leave].add(block.end.handler)
            fellows[block.end.handler].add(block.end.leave)
    made = {label: _made(block) for label, block in procedure.blocks.items()}
    heads: Heads = {label: set() for label in procedure.blocks}
    pending = [(label, slot) for label, block in procedure.blocks.items() for slot in _used_first(block)]
    while pending:
        label, slot = pending.pop()
        if slot in heads[label]:
            continue
        heads[label].add(slot)
        pending += [(fellow, slot) for fellow in fellows[label]]
        pending += [(source, slot) for source in before[label] if slot not in made[source]]
    return heads


def _made(block: b.Block) -> set[str]:
    """Return the explicit parameters of a block and the slots that it defines."""
    return {*block.params[: block.explicit], *[name for step in block.steps for name in defined(step)]}


def _used_first(block: b.Block) -> set[str]:
    """Return the slots that a block uses and does not define."""
    used = set(slots_read_at_end(block.end))
    for step in block.steps:
        used |= slots_read(step)
    return used - _made(block)


def _check_block(procedure: b.Procedure, block: b.Block, heads: Heads) -> None:
    place = Place("blocks", procedure, block)
    if block.label == procedure.entry:
        if heads[block.label]:
            place.fail(f"{_names(heads[block.label])} is used, and passed by no call")
    elif set(block.params[block.explicit :]) != heads[block.label]:
        params = set(block.params[block.explicit :])
        place.fail(f"the parameters passed by name are {_names(params)}, not {_names(heads[block.label])}")
    _check_reads(place, block)
    _check_table(place, block, heads)
    _check_alone(place, block)
    if isinstance(block.end, b.Install):
        leave, handler = procedure.blocks[block.end.leave], procedure.blocks[block.end.handler]
        if leave.params[1:] != handler.params[1:]:
            place.fail(f"{leave.label} and {handler.label} do not have the same rest of parameters")


def _check_reads(place: Place, block: b.Block) -> None:
    """Check that each operand of a step is a parameter or defined by an earlier step."""
    known = set(block.params)
    for index, step in enumerate(block.steps):
        place.at(f"step {index}", step.span)
        missing = slots_read(step) - known
        if missing:
            place.fail(f"reads {_names(missing)}, which is not there")
        known.update(defined(step))
    place.at("end", block.end.span)
    missing = slots_read_at_end(block.end) - known
    if missing:
        place.fail(f"reads {_names(missing)}, which is not there")


def _check_table(place: Place, block: b.Block, heads: Heads) -> None:
    """Check `live`, from the end to the head."""
    if len(block.live) != len(block.steps) + 1:
        place.fail(f"{len(block.steps)} steps, and a table of {len(block.live)} points")
    live = set(slots_read_at_end(block.end)).union(*[heads[label] for label in b.targets(block.end)])
    _same_live(place, block.live[-1], live)
    for index in range(len(block.steps) - 1, -1, -1):
        step = block.steps[index]
        changed = [name for name in defined(step) if name in live]
        live.difference_update(changed)
        read = slots_read(step) - live
        live |= read
        if changed or read or block.live[index] is not block.live[index + 1]:
            place.at(f"step {index}", step.span)
            _same_live(place, block.live[index], live)


def _same_live(place: Place, found: b.Slots, expected: set[str]) -> None:
    if len(found) != len(expected) or set(found) != expected:
        place.fail(f"the table says that {_names(set(found))} is live, not {_names(expected)}")


def _check_alone(place: Place, block: b.Block) -> None:
    """Check that a step that runs programs or has an effect, and a rare end, is alone in its block."""
    for index, step in enumerate(block.steps):
        if isinstance(step, t.Compute) and isinstance(lookup(step.op), Operator | Effect):
            place.at(f"step {index}", step.span)
            if len(block.steps) > 1 or not isinstance(block.end, b.Jump):
                place.fail(f"{step.op} is not alone in its block")
        if isinstance(step, t.Compute) and changes_operand(lookup(step.op)):
            place.at(f"step {index}", step.span)
            if step is not block.steps[-1] or not isinstance(block.end, b.Jump):
                place.fail(f"{step.op} does not end its block")
    if block.steps and isinstance(block.end, b.Control | b.Throw | b.Install):
        place.at("end", block.end.span)
        place.fail(f"a {type(block.end).__name__} is not alone in its block")


def _names(names: set[str]) -> str:
    return " ".join(sorted(names)) or "nothing"
