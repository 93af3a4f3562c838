"""Recursions that rebuild the list along which they walk: in its own pairs, where nobody else refers to them.

In: the paths of a unit, of which one is a *turn*: it leaves pairs of a list, and pushes a frame of reals for
each; its return point is a block that makes as many pairs of them. Out: a loop with which the header of the
recursion begins, in which a turn stores its reals in its pairs and waits (unit_rebuilds.h); and what other
paths do while turns wait. Source: reuse of what is dropped, and of frames, as in Reinking, Xie, de Moura and
Leijen, "Perceus", 2021, and in Leijen and Lorenzen, "Tail recursion modulo context", 2023.

What always holds: a turn waits only if it has enough steps. Steps and births are those of the frames. Who
pushes another frame, pops theirs, or leaves the unit, has the frames of turns that wait pushed before. Only
plain runs have such loops: on a tape each turn has a record.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.ctarget.code import peer_at
from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.translate.emit.references import joined
from checkpoint.ctarget.translate.emit.walks import Walks, moved
from checkpoint.ctarget.translate.ops.frame_ops import Push, SetCall
from checkpoint.ctarget.translate.ops.object_ops import Leave, Load
from checkpoint.ctarget.translate.ops.operation import Effect, Forward, Operation
from checkpoint.ctarget.translate.ops.places import Place, is_real
from checkpoint.ctarget.translate.ops.words import in_order, plain
from checkpoint.ctarget.translate.units.graph import Fork, Header, Jump, Next, Node, Unit
from checkpoint.ctarget.translate.units.paths import Path
from checkpoint.dataclass import dataclass

MAX_PAIRS = 8  # of one turn: MOST_PAIRS


@dataclass(frozen=True, eq=False, slots=True)
class Rebuild:
    """A recursion that rebuilds a list.

    turn: its path, from its header to it. pairs: those that it leaves, the outer ones first. frame: what
    pushes its frame. order: for each pair the number of the real, among those in the frame, that it gets.
    returned: the header at the block to which frames return, where the list behind and the frame's reals are
    in places. cost: the steps of that block.
    """

    turn: Path
    pairs: tuple[Place, ...]
    frame: Push
    order: tuple[int, ...]
    returned: Header
    list: Place
    reals: tuple[Place, ...]
    cost: int

    @property
    def words(self) -> str:
        """Return its TurnFrame in C."""
        return f"(TurnFrame){{REFERENCE({self.frame.point}), turn_order, {len(self.order)}}}"


class TurnText:
    """The target of the operations of a turn that is to wait: where they cannot continue, the loop ends.

    out: the function. lines: their statements.
    """

    def __init__(self, out: Forward) -> None:
        self._out = out
        self.lines: list[str] = []

    def put(self, *lines: str) -> None:
        self.lines += lines

    def exit(self) -> str:
        return "goto turned;"

    def line(self, number: int) -> None:
        pass  # the turn's own text names it

    def temporary(self, name: str, c_type: str) -> str:
        return self._out.temporary(name, c_type)

    def record_birth(self, owner: Place) -> None:
        pass  # nothing is recorded

    def births_before(self, operation: Operation) -> int | None:
        return self._out.births_before(operation)

    def tags_before(self, operation: Operation) -> int | None:
        return self._out.tags_before(operation)


class Rebuilds:
    """Writes what a function does about a recursion of its unit that rebuilds a list, if there is one.

    distances: gets the variables of rest_from.
    """

    def __init__(
        self,
        unit: Unit,
        paths: Collection[Path],
        fields: Mapping[Place, Load],
        walks: Walks,
        distances: set[str],
    ) -> None:
        self._found = next((found for path in paths if (found := _rebuild(unit, path, fields))), None)
        self._fields = fields
        self._walks = walks
        self._distances = distances

    def declarations(self) -> list[str]:
        """Return the declarations of its variables."""
        if self._found is None:
            return []
        order = ", ".join(map(str, self._found.order))
        return [f"    static const uint8_t turn_order[] = {{{order}}};", "    Waiting waiting = {0};"]

    def label(self, jump: Jump) -> str:
        """Return the label to which a jump goes: a turn that has not waited does not try again."""
        turns = self._found is not None and self._found.turn.end is jump
        return f"{'turn' if turns else 'header'}_{jump.header.number}"

    def at(self, header: Header, out: Forward) -> list[str]:
        """Return what a header begins with."""
        if self._found is not None and header is self._found.turn.header:
            return self._loop(self._found, out)
        return _returns(self._found) if self._found is not None and header is self._found.returned else []

    def before(self, effects: Sequence[Effect]) -> list[str]:
        """Return what is done before effects: the frames of all turns that wait are below the next one."""
        return self.before_exit() if any(isinstance(effect, Push | SetCall) for effect in effects) else []

    def before_exit(self) -> list[str]:
        """Return what pushes the frames of all turns that wait."""
        if self._found is None:
            return []
        return [f"if (waiting.turns) frames = turns_pushed(m, frames, &waiting, {self._found.words});"]

    def before_pop(self) -> list[str]:
        """Return what pushes the last turn's frame, if the next one that is popped is its."""
        if self._found is None:
            return []
        pushed = f"frames = last_pushed(m, frames, &waiting, {self._found.words});"
        return [f"if (frames.top == waiting.at) {pushed}"]

    def _loop(self, rebuild: Rebuild, out: Forward) -> list[str]:
        """Return the loop of turns that wait, and the label behind it."""
        header, end = rebuild.turn.header, rebuild.turn.end
        assert isinstance(end, Jump)
        walk, enough = self._walks.name_of(header), f"left >= {header.max_steps}"
        first = f"{rebuild.pairs[0].name}.object"
        shared = " || ".join([f"!is_ours({pair.name})" for pair in rebuild.pairs])
        reals = [plain(rebuild.frame.saved[i]) for i in rebuild.order]
        own = zip(rebuild.pairs, reals, strict=True)
        turn = [
            *_operations(rebuild.turn, out),
            f"if (UNLIKELY({shared})) goto turned;",
            *[f"rebuild_pair({pair.name}, {real}, birth--);" for pair, real in own],
            f"turn_waits(&own, {rebuild.pairs[0].name});",
            f"left -= {end.steps};",
            *in_order(moved(end, self._fields, self._distances)),
        ]
        return [
            f"if (!waiting.turns && {enough}{f' && !{walk}' if walk else ''}) {{",
            f"    int64_t birth = birth_expected(m, births, {len(rebuild.order)});",
            f"    Waiting own = {{.at = frames.top, .first = {first}, .births = births}};",
            f"    while ({enough}) {{",
            *[f"        {line}" for line in turn],
            "    }",
            "turned:",
            "    if (own.turns) waiting = own;",
            "}",
            f"turn_{header.number}:;",
        ]


def _operations(turn: Path, out: Forward) -> list[str]:
    """Return the operations of a turn, and the tests of its way."""
    text = TurnText(out)
    for node, after in zip(turn.nodes, (*turn.nodes[1:], None), strict=True):
        for op in node.ops:
            op.write(text)
        if isinstance(node.end, Fork):
            text.put(f"if ({'!' if node.end.then is after else ''}{plain(node.end.test)}) goto turned;")
    return text.lines


def _returns(rebuild: Rebuild) -> list[str]:
    """Return what all turns that wait return by, where the frame of the one behind them has been popped."""
    given = f"m->heap, &waiting, {rebuild.words}, {rebuild.list.name}, turn_reals, births"
    reals = ", ".join([place.name for place in rebuild.reals])
    return [
        f"if (frames.top == waiting.at && waiting.last[0] && left / {rebuild.cost} >= waiting.turns) {{",
        "    const int64_t turns = waiting.turns;",
        f"    double turn_reals[] = {{{reals}}};",
        f"    {rebuild.list.name} = turns_rebuilt({given});",
        *[f"    {place.name} = turn_reals[{i}];" for i, place in enumerate(rebuild.reals)],
        f"    left -= {rebuild.cost} * turns;",
        f"    births += {len(rebuild.order)} * turns;",
        "}",
    ]


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
    return _returned(unit, path, pairs, frame, order)


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
    unit: Unit, turn: Path, pairs: tuple[Place, ...], frame: Push, order: tuple[int, ...]
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
            return Rebuild(turn, pairs, frame, order, header, own, reals, peer.block.cost)
    return None
