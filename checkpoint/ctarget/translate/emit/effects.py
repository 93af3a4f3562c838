"""Writes the effects of a path: what is made or left one after another at once (unit_pairs.h, unit_frames.h).

In: effects, and the operations of the node before them, which have tested what they read. Out: text.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from checkpoint.ctarget.translate.ops.frame_ops import Pop, Push, SetCall
from checkpoint.ctarget.translate.ops.object_ops import Leave, Load, Make
from checkpoint.ctarget.translate.ops.operation import Effect, Forward, Op
from checkpoint.ctarget.translate.ops.places import DualParts, Place
from checkpoint.ctarget.translate.ops.words import PAYLOADS, stored
from checkpoint.ctarget.translate.units.graph import Exit
from checkpoint.ctarget.translate.units.paths import Path


class StackUse(NamedTuple):
    """What paths do to the stack. moves: whether they push or pop. points: of the frames that they push."""

    moves: bool
    points: tuple[int, ...]


def stack_use(paths: Collection[Path]) -> StackUse:
    """Return what paths do to the stack."""
    effects = [effect for path in paths for node in path.nodes for effect in node.effects]
    effects += [effect for path in paths if isinstance(path.end, Exit) for effect in path.end.effects]
    points = {effect.point for effect in effects if isinstance(effect, Push)}
    moves = any(isinstance(effect, Push | Pop | SetCall) for effect in effects)
    return StackUse(moves, tuple(sorted(points)))


def settle(use: StackUse, name: str) -> list[str]:
    """Return the function that brings the stack up to date, where a function of a unit is left."""
    return [
        f"static void {name}_settle(const Unit *unit, Machine *m, Frames frames) {{",
        "    frames_settle(m, frames);",
        *[f"    return_room(m, REFERENCE({point}));" for point in use.points],
        "    (void)unit;",
        "}",
    ]


def write_effects(out: Forward, effects: Sequence[Effect], plain: Mapping[Place, int]) -> None:
    """Write effects in their order. plain: as of plain_fields, of the path before them."""
    for kind, group in groupby(effects, _kind):
        each = list(group)
        if kind is Leave:
            _leave([effect for effect in each if isinstance(effect, Leave)], out, plain)
        elif kind is Make and len(each) > 1:
            _make([effect for effect in each if isinstance(effect, Make)], out)
        else:
            for effect in each:
                effect.write(out)


def _kind(effect: Effect) -> type[Effect] | None:
    """Return the class of an effect on a pair that may be done with the next one; None: another effect.

    A dual, or a scalar of NumPy's, is made where it is stored: it would take the block of the pair that is
    being made.
    """
    if isinstance(effect, Make):
        has_duals = any(isinstance(cell, DualParts) or cell.kind == "element" for cell in effect.cells)
        return Make if effect.tag == "PAIR" and not has_duals else None
    return Leave if isinstance(effect, Leave) else None


def plain_fields(ops: Sequence[Op], before: Mapping[Place, int]) -> dict[Place, int]:
    """Return the fields of pairs that are sure to be no objects: a bit for each, by the place of the pair.

    ops: those of a node; before: the same of the path before it.
    """
    found = dict(before)
    for op in ops:
        if type(op) is Load and op.of_pair and op.to.kind in PAYLOADS:
            found[op.owner] = found.get(op.owner, 0) | 1 << op.index
    return found


def _leave(leaves: Sequence[Leave], out: Forward, plain: Mapping[Place, int]) -> None:
    words = [leave.words(plain.get(leave.pair, 0)) for leave in leaves]
    for i in range(0, len(words), 2):
        both = words[i : i + 2]
        out.put(f"leave_pair{'s' if len(both) > 1 else ''}(m->heap, {', '.join(both)});")


def _make(makes: Sequence[Make], out: Forward) -> None:
    heap, blocks = out.temporary("heap", "Heap *"), out.temporary("blocks", "void *")
    to = out.temporary("to", "Value *")
    out.put(f"{heap} = m->heap;", f"{blocks} = pairs_begin({heap}, {len(makes)});")
    for i, make in enumerate(makes):
        given = f"&{blocks}, {len(makes) - 1 - i}, {make.birth.name}, &{make.to.name}"
        out.put(f"{to} = next_pair({heap}, {given});", *stored(enumerate(make.cells)))
    out.put(f"pairs_end({heap}, {blocks});")
