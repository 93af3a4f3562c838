"""Recursions that rebuild the list along which they walk: in its own pairs, where nobody else refers to them.

In: a `Rebuild` (recursions.py), and what a tape records of its turn. Out: a loop with which the header of
the recursion begins, in which a turn stores its reals in its pairs and waits (unit_rebuilds.h); and what
other paths do while turns wait. Source: reuse of what is dropped, and of frames, as in Reinking, Xie, de
Moura and Leijen, "Perceus", 2021, and in Leijen and Lorenzen, "Tail recursion modulo context", 2023.

What always holds: a turn waits only if it has enough steps. Steps and births are those of the frames. Who
pushes another frame, pops theirs, or leaves the unit, has the frames of turns that wait pushed before.

On a tape turns wait only while each pair has the birth before that of the pair in front of it, as in a list
that a recursion has made. All have one record: the words of each turn but for these births, then ENDING: how
many turns there are, and the last pair's birth. So has what returns at once: how many turns, and the next
birth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from checkpoint.ctarget.translate.emit.records import Record, Records
from checkpoint.ctarget.translate.emit.recursions import Rebuild
from checkpoint.ctarget.translate.emit.walks import Walks, moved
from checkpoint.ctarget.translate.ops.frame_ops import Push, SetCall
from checkpoint.ctarget.translate.ops.object_ops import Load
from checkpoint.ctarget.translate.ops.operation import Effect, Forward, Op, Operation, Residual
from checkpoint.ctarget.translate.ops.places import Place
from checkpoint.ctarget.translate.ops.words import in_order, plain
from checkpoint.ctarget.translate.units.graph import Fork, Header, Jump
from checkpoint.ctarget.translate.units.paths import Path
from checkpoint.ctarget.translate.units.reversal import WORD

ENDING = 2  # words: how many turns there are, and a birth


class TurnText:
    """The target of the operations of a turn that is to wait: where they cannot continue, the loop ends.

    out: the function. births: those that are recorded of each turn. end: the label behind the loop. lines:
    their statements.
    """

    def __init__(self, out: Forward, births: Sequence[Residual], end: str) -> None:
        self._out = out
        self._births = births
        self._end = end
        self.lines: list[str] = []

    def put(self, *lines: str) -> None:
        self.lines += lines

    def exit(self) -> str:
        return f"goto {self._end};"

    def line(self, number: int) -> None:
        pass  # the turn's own text names it

    def temporary(self, name: str, c_type: str) -> str:
        return self._out.temporary(name, c_type)

    def record_birth(self, owner: Place) -> None:
        if (birth := Residual(owner, birth=True)) in self._births:
            self.put(f"{birth.name} = birth_to_give({owner.name}.object);")

    def births_before(self, operation: Operation) -> int | None:
        return self._out.births_before(operation)

    def tags_before(self, operation: Operation) -> int | None:
        return self._out.tags_before(operation)

    def of(self, turn: Path) -> list[str]:
        """Return the operations of a turn, and the tests of its way."""
        for node, after in zip(turn.nodes, (*turn.nodes[1:], None), strict=True):
            for op in node.ops:
                self.do(op)
            if isinstance(node.end, Fork):
                test = f"{'!' if node.end.then is after else ''}{plain(node.end.test)}"
                self.put(f"if ({test}) {self.exit()}")
        return self.lines

    def do(self, op: Op) -> None:
        """Write an operation."""
        op.write(self)


class KnownTurnText(TurnText):
    """Writes a turn whose pairs are known to have a real each, and the next one at a distance."""

    def __init__(self, out: Forward, births: Sequence[Residual], end: str, rebuild: Rebuild) -> None:
        super().__init__(out, births, end)
        self._owners = rebuild.owners

    def do(self, op: Op) -> None:
        if not isinstance(op, Load) or op.owner not in self._owners:
            op.write(self)
        elif op.index == 1:
            self.put(f"{op.to.name} = pair_apart({op.owner.name}, apart);")
        elif op.to.kind == "real":
            self.put(f"{op.to.name} = cells_of({op.owner.name})[0].real;")
        else:
            op.write(self)


class Rebuilds:
    """Writes what a function does about a recursion of its unit that rebuilds a list, if there is one.

    found: the recursion. records: what the function records; None: nothing. distances: gets the variables of
    rest_from.
    """

    def __init__(
        self,
        found: Rebuild | None,
        records: Records | None,
        fields: Mapping[Place, Load],
        walks: Walks,
        distances: set[str],
    ) -> None:
        self._found = found
        self._records = records
        self._fields = fields
        self._walks = walks
        self._distances = distances

    def declarations(self) -> list[str]:
        """Return the declarations of its variables."""
        return [] if self._found is None else [order_declared(self._found), "    Waiting waiting = {0};"]

    def label(self, jump: Jump) -> str:
        """Return the label to which a jump goes: a turn that has not waited does not try again."""
        turns = self._found is not None and self._found.turn.end is jump
        return f"{'turn' if turns else 'header'}_{jump.header.number}"

    def at(self, header: Header, out: Forward) -> list[str]:
        """Return what a header begins with."""
        if self._found is not None and header is self._found.turn.header:
            return self._loop(self._found, out)
        if self._found is not None and header is self._found.returned:
            return self._returns(self._found)
        return []

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
        header, walk = rebuild.turn.header, self._walks.name_of(rebuild.turn.header)
        enough = f"left >= {header.max_steps}{self._has_room(header)}"
        first = rebuild.pairs[0].name
        goes_on = enough if rebuild.begins_with_pair else f"{enough} && kind_of({first}) == PAIR"
        return [
            f"if (!waiting.turns && {goes_on}{f' && !{walk}' if walk else ''}) {{",
            f"    Waiting own = {{.at = frames.top, .first = {first}.object, .births = births}};",
            f"    uint64_t word = word_expected(m, births, {len(rebuild.order)});",
            *([f"    uint64_t born = {first}.object->birth;"] if self._records else []),
            f"    while ({goes_on}) {{",
            *[f"        {line}" for line in self._alike(rebuild, out, enough)],
            *[f"        {line}" for line in self._turn(rebuild, out)],
            "    }",
            "turned:",
            "    if (own.turns) {",
            "        waiting = own;",
            *[f"        {line}" for line in self._ending(rebuild.waited, "own.turns", "birth = born + 1")],
            "    }",
            "}",
            f"turn_{header.number}:;",
        ]

    def _alike(self, rebuild: Rebuild, out: Forward, enough: str) -> list[str]:
        """Return the loop of turns whose pairs are one behind another at one distance."""
        end, pairs = rebuild.turn.end, rebuild.pairs
        assert isinstance(end, Jump)
        first, count = pairs[0].name, len(pairs)
        others = [f"!is_alike(pair_apart({first}, {i} * apart), apart)" for i in range(count)]
        if self._records is not None:
            others += [f"!was_born(pair_apart({first}, {i} * apart), born - {i})" for i in range(count)]
        turn = KnownTurnText(out, self._births(rebuild), "uneven", rebuild).of(rebuild.turn)
        return [
            f"const uintptr_t apart = rest_apart({first});",
            "int64_t turns = 0;",
            f"for (; {enough}; turns++) {{",
            f"    if (UNLIKELY({' || '.join(others)})) break;",
            *[f"    {line}" for line in (*turn, *self._stored(rebuild), *in_order(moved(end, {}, set())))],
            "}",
            "uneven:",
            f"turns_waited(&own, {first}, turns, {count} * apart);",
            f"if (!({enough})) break;",
        ]

    def _turn(self, rebuild: Rebuild, out: Forward) -> list[str]:
        """Return the statements of a turn that waits."""
        end, pairs = rebuild.turn.end, rebuild.pairs
        assert isinstance(end, Jump)
        others = [f"!is_ours({pair.name})" for pair in pairs]
        if self._records is not None:
            others += [f"!was_born({pair.name}, born - {i})" for i, pair in enumerate(pairs)]
        return [
            *TurnText(out, self._births(rebuild), "turned").of(rebuild.turn),
            f"if (UNLIKELY({' || '.join(others)})) goto turned;",
            *self._stored(rebuild),
            f"turns_waited(&own, {pairs[0].name}, 1, 0);",
            *in_order(moved(end, self._fields, self._distances)),
        ]

    def _stored(self, rebuild: Rebuild) -> list[str]:
        """Return what stores a turn's reals in its pairs, records it, and counts its steps."""
        end, pairs, words = rebuild.turn.end, rebuild.pairs, self._words(rebuild)
        reals = [plain(rebuild.frame.saved[i]) for i in rebuild.order]
        return [
            *[f"rebuild_pair({pair.name}, {real}, word--);" for pair, real in zip(pairs, reals, strict=True)],
            *[f"up[{i}].{word.part} = {word.name};" for i, word in enumerate(words)],
            *([f"up += {len(words)};"] if words else []),
            *([f"born -= {len(pairs)};"] if self._records is not None else []),
            f"left -= {end.steps};",
        ]

    def _words(self, rebuild: Rebuild) -> Sequence[Residual]:
        """Return what is recorded of each turn that waits."""
        if self._records is None:
            return ()
        return turn_words(rebuild, self._records.of_end[id(rebuild.turn.end)])

    def _births(self, rebuild: Rebuild) -> list[Residual]:
        """Return those of its words that are births."""
        return [word for word in self._words(rebuild) if word.birth]

    def _has_room(self, header: Header) -> str:
        """Return the rest of a condition: that the tape has room for a turn, the ending, and an exit."""
        if self._records is None:
            return ""
        return f" && has_room(up, ways, {self._records.max_bytes(header) + ENDING * WORD})"

    def _ending(self, way: int, turns: str, birth: str) -> list[str]:
        """Return what ends a record: its last words, and its number among the ways."""
        if self._records is None:
            return []
        return [f"up[0].field = {turns};", f"up[1].{birth};", f"up += {ENDING};", f"*--ways = {way};"]

    def _returns(self, rebuild: Rebuild) -> list[str]:
        """Return what all turns that wait return by, where the frame of the one behind them is popped."""
        given = f"m->heap, &waiting, {rebuild.words}, {rebuild.list.name}, turn_reals, births"
        reals = ", ".join([place.name for place in rebuild.reals])
        enough = f"left / {rebuild.cost} >= waiting.turns{self._has_room(rebuild.returned)}"
        return [
            f"if (frames.top == waiting.at && waiting.last[0] && {enough}) {{",
            "    const int64_t turns = waiting.turns;",
            f"    double turn_reals[] = {{{reals}}};",
            f"    {rebuild.list.name} = turns_rebuilt({given});",
            *[f"    {place.name} = turn_reals[{i}];" for i, place in enumerate(rebuild.reals)],
            *[f"    {line}" for line in self._ending(rebuild.came_back, "turns", "birth = (uint64_t)births")],
            f"    left -= {rebuild.cost} * turns;",
            f"    births += {len(rebuild.order)} * turns;",
            "}",
        ]


def order_declared(rebuild: Rebuild) -> str:
    """Return the declaration of what its TurnFrame has."""
    return f"    static const uint8_t turn_order[] = {{{', '.join(map(str, rebuild.order))}}};"


def turn_words(rebuild: Rebuild, record: Record) -> tuple[Residual, ...]:
    """Return the words of a turn's record that each turn has which waits: all but the births of its pairs."""
    return tuple([word for word in record.words if not (word.birth and word.place in rebuild.owners)])
