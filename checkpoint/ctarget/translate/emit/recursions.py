"""Finds recursions that rebuild the list along which they walk.

In: the paths of a unit. Out: the `Rebuild` of a path that is a *turn*: it leaves pairs of a list, and pushes
a frame of reals for each; its return point is a block that makes as many pairs of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.ctarget.code import peer_at
from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.translate.emit.references import joined
from checkpoint.ctarget.translate.ops.frame_ops import Push
from checkpoint.ctarget.translate.ops.object_ops import Leave, Load
from checkpoint.ctarget.translate.ops.places import Place, is_real
from checkpoint.ctarget.translate.units.graph import Fork, Header, Jump, Next, Node, Unit
from checkpoint.ctarget.translate.units.paths import Path
from checkpoint.dataclass import dataclass

MAX_PAIRS = 8  # of one turn: MOST_PAIRS


@dataclass(frozen=True, eq=False, slots=True)
class Rebuild:
    """A recursion that rebuilds a list.

    turn: its path, from its header to it. pairs: those that it leaves, the outer ones first. owners: the
    places in which it has them to read their fields, each with the number of the pair. frame: what pushes
    its frame. order: for each pair the number of the real, among those in the frame, that it gets.
    returned: the header at the block to which frames return, where the list behind and the frame's reals
    are in places. cost: the steps of that block. waited, came_back: the numbers, among the ways of a run,
    of turns that wait, and of their return.
    """

    turn: Path
    pairs: tuple[Place, ...]
    owners: Mapping[Place, int]
    frame: Push
    order: tuple[int, ...]
    returned: Header
    list: Place
    reals: tuple[Place, ...]
    cost: int
    waited: int
    came_back: int

    @property
    def begins_with_pair(self) -> bool:
        """Return whether its header is jumped to with a pair, and not with the list's end, too."""
        header = self.turn.header
        return (self.pairs[0], "PAIR") in zip(header.params, header.tags, strict=False)

    @property
    def words(self) -> str:
        """Return its TurnFrame in C."""
        return f"(TurnFrame){{REFERENCE({self.frame.point}), turn_order, {len(self.order)}}}"


def find(unit: Unit, paths: Collection[Path], fields: Mapping[Place, Load]) -> Rebuild | None:
    """Return the recursion of the first path that is a turn of one. fields: the loads of pairs' fields."""
    return next((found for path in paths if (found := _rebuild(unit, path, fields))), None)


def _rebuild(unit: Unit, path: Path, fields: Mapping[Place, Load]) -> Rebuild | None:
    """Return the recursion of which a path is a turn."""
    effects = [effect for node in path.nodes for effect in joined(node.effects, fields)]
    frames = [effect for effect in effects if isinstance(effect, Push)]
    pairs = _left(path, [effect for effect in effects if isinstance(effect, Leave)])
    if not pairs or len(frames) != 1 or len(effects) != len(pairs) + 1:
        return None
    [frame] = frames
    point = unit.references[frame.point]
    order = _order(peer_at(point.block), len(pairs))
    if order is None or point.handler or point.lane or point.within or frame.call is not None:
        return None
    if not all(isinstance(saved, Place) and is_real(saved) for saved in frame.saved):
        return None
    if not all(_is_straight(node) for node in path.nodes) or not _are_reals(path, pairs, fields):
        return None
    return _returned(unit, path, pairs, _owners(path, pairs, fields), frame, order)


def _left(path: Path, leaves: Sequence[Leave]) -> tuple[Place, ...]:
    """Return the pairs that a path leaves, if it is a turn of its header: one after another from a parameter
    on, for what becomes the parameter then.
    """
    if not (isinstance(path.end, Jump) and path.end.header is path.header and 0 < len(leaves) <= MAX_PAIRS):
        return ()
    if any([index for index, _ in leave.kept] != [1] for leave in leaves):
        return ()
    pairs, rests = [leave.pair for leave in leaves], [leave.kept[0][1] for leave in leaves]
    passed = zip(path.header.params, path.end.sources, strict=True)
    turns = any(param is pairs[0] and source is rests[-1] for param, source in passed)
    return tuple(pairs) if turns and pairs[1:] == rests[:-1] else ()


def _is_straight(node: Node) -> bool:
    """Return whether a node does nothing but its ops and effects, and takes no births."""
    return isinstance(node.end, Fork | Next | Jump) and not any(op.births or op.tags for op in node.ops)


def _are_reals(path: Path, pairs: Sequence[Place], fields: Mapping[Place, Load]) -> bool:
    """Return whether a path has found a real in the first field of each pair."""
    loads = [op for node in path.nodes for op in node.ops if isinstance(op, Load)]
    found = {_way(op.owner, fields) for op in loads if op.of_pair and op.index == 0 and op.to.kind == "real"}
    return found.issuperset([_way(pair, fields) for pair in pairs])


def _owners(path: Path, pairs: Sequence[Place], fields: Mapping[Place, Load]) -> dict[Place, int]:
    """Return the places of which a path loads fields that have one of the pairs, with the pair's number."""
    numbers = {_way(pair, fields): i for i, pair in enumerate(pairs)}
    owners = [op.owner for node in path.nodes for op in node.ops if isinstance(op, Load)]
    return {owner: numbers[found] for owner in owners if (found := _way(owner, fields)) in numbers}


def _way(place: Place, fields: Mapping[Place, Load]) -> tuple[Place | int, ...]:
    """Return from where, and by which fields, a place was reached: the same for all that were read alike."""
    fields_read: list[int] = []
    while place in fields:
        fields_read.append(fields[place].index)
        place = fields[place].owner
    return (place, *fields_read)


def _order(peer: BlockPeer, count: int) -> tuple[int, ...] | None:
    """Return which of the saved values the pairs get that a block makes in front of what is returned to it,
    the outer ones first; None: it does anything else.
    """
    result, *saved = peer.block.params
    values = {name: name for name in peer.block.params}
    order: list[int] = []
    for step in peer.block.steps:
        match step:
            case t.Read():
                continue
            case t.Copy(name=name, operand=str() as operand) if operand in values:
                values[name] = values[operand]
            case t.Compute(name=name, op="cons", operands=(str() as first, str() as rest)):
                if values.get(first) not in saved or values.get(rest) != result:
                    return None
                order.append(saved.index(values[first]))
                values[name] = result = f"the list of {name}"
            case _:
                return None
    end = peer.block.end
    returns = isinstance(end, b.Return) and isinstance(end.operand, str) and values.get(end.operand) == result
    is_whole = sorted(order) == list(range(len(saved))) and len(order) == count
    return tuple(reversed(order)) if returns and is_whole else None


def _returned(
    unit: Unit,
    turn: Path,
    pairs: tuple[Place, ...],
    owners: Mapping[Place, int],
    frame: Push,
    order: tuple[int, ...],
) -> Rebuild | None:
    """Return the recursion, if the unit can be entered where its frames return to with a list of pairs."""
    peer = peer_at(unit.references[frame.point].block)
    result, *saved = [peer.registers[name] for name in peer.block.params]
    for header in unit.headers:
        if header.block is not peer or header.entry is None:
            continue
        places = {at: wanted for at, wanted in header.entry if isinstance(wanted, Place)}
        own = places.get(result)
        reals = tuple([places[at] for at in saved if at in places and places[at].kind == "real"])
        tags = dict(zip(header.params, header.tags, strict=False))
        has_all = own is not None and len(reals) == len(saved)
        if has_all and own is not None and tags.get(own) == "PAIR" and set(header.params) == {own, *reals}:
            ways = unit.jumps, unit.jumps + 1
            return Rebuild(turn, pairs, owners, frame, order, header, own, reals, peer.block.cost, *ways)
    return None
