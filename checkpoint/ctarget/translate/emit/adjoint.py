"""The function of a unit that reverses its runs: `unit_reverse`.

In: a unit and its records. Out: a function in C. It reverses the path that left the unit, then, at the head
where each path began, the one that went there, told by its way, until there is none: then the run began
here. Amounts of a head's params are variables NAME_b; within a path all that is real has one of its own,
NAME_a, declared where it gets its first contribution.

What always holds: contributions are added in the reverse order of the steps, the last operand first,
grouped as by the machine (reversal/reverse.c). No variable of a head's param is -0.0: where a sum might
be, 0.0 is added. A sum is not -0.0 if one of its terms is not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from checkpoint.ctarget.translate.emit.records import Kept, Record, Records, place_of, positions_read, reals
from checkpoint.ctarget.translate.ops.actions import (
    Apply,
    Copy,
    Element,
    Load,
    Make,
    Place,
    Pop,
    Push,
    Source,
    Update,
)
from checkpoint.ctarget.translate.ops.scalar_words import computed, contribution
from checkpoint.ctarget.translate.ops.words import (
    C_TYPES,
    Move,
    broken,
    declaration,
    in_order,
    plain,
    real,
    reference,
)
from checkpoint.ctarget.translate.units.graph import Go, Head, Leave, Unit
from checkpoint.ctarget.translate.units.paths import Action, reached
from checkpoint.errors import InternalError

MOST_WAYS = 255  # they are bytes


class Adjoint:
    """One function. left_by: the numbers of the Leaves by which runs are left."""

    def __init__(self, unit: Unit, records: Records, left_by: Iterable[int]) -> None:
        if unit.ways > MOST_WAYS:
            raise InternalError("a unit of more ways than a byte can tell")
        self.unit = unit
        self.records = records
        self.left_by = frozenset(left_by)
        self.goes: dict[int, list[Record]] = {head.number: [] for head in unit.heads}
        for record in records.of_end.values():
            if isinstance(record.path.end, Go):
                self.goes[record.path.end.head.number].append(record)
        self.text: list[str] = []

    def function(self) -> list[str]:
        """Its lines."""
        name = "unit_reverse"
        arguments = (
            "(const Unit *unit, Cotangent *c, const RunEnd *end, const Word *header, const Word *up,\n"
            f"{' ' * 18}const uint8_t *ways)"
        )
        self._leaves()
        for head in reached(self.unit):
            self._head(head)
        return [
            f"EXPORTED bool {name}{arguments};",
            f"bool {name}{arguments} {{",
            *self._declarations(),
            *self.text,
            "}",
        ]

    def _declarations(self) -> list[str]:
        params = [param for head in reached(self.unit) for param in reals(head.params)]
        lines = ["    const uint8_t *const last = ways + end->ways;"]
        lines += [f"    {_read(kept, f'header[{i}]')}" for i, kept in enumerate(self.records.header)]
        lines += declaration("double", [f"{param.name}_b" for param in params])
        return [*lines, "    Value *w = c->window;", "    (void)header;"]

    def put(self, *lines: str) -> None:
        """More statements."""
        self.text += [part for line in lines for part in broken(f"    {line}")]

    # Where runs end and begin

    def _leaves(self) -> None:
        """The last paths of runs: those that are reversed alike are told once."""
        alike: dict[tuple[str, ...], list[int]] = {}
        before, self.text = self.text, []
        for record in self.records.of_end.values():
            leave = record.path.end
            if isinstance(leave, Leave) and leave.number in self.left_by:
                self._left(record, leave)
                alike.setdefault(tuple(self.text), []).append(leave.number)
                self.text = []
        self.text = before
        self.put("switch (end->exit) {")
        for lines, numbers in alike.items():
            self.put(*[f"case {number}:" for number in numbers], "{")
            self.text += lines
        self.put("default: return false;", "}")

    def _left(self, record: Record, leave: Leave) -> None:
        tags = " | ".join([f"w[{register}].tag" for register, _ in leave.contents])
        if tags:
            self.put(f"    if (UNLIKELY(({tags}) != REAL)) return false;")
        given = [(source, f"w[{register}].real") for register, source in leave.contents]
        self._path(record, given)

    def _head(self, head: Head) -> None:
        records = self.goes[head.number]
        self.text.append(f"head_{head.number}:")
        if head.entry is not None:
            self.put(f"if (ways == last) goto begin_{head.number};")
        if len(records) > 1:
            self.put("switch (*ways++) {")
            for record in records[1:]:
                self.put(f"case {record.path.end.number}: goto way_{record.path.end.number};")
            self.put("default: break;", "}")
        elif records:
            self.put("ways++;")
        for i, record in enumerate(records):
            if i:
                self.text.append(f"way_{record.path.end.number}:")
            self.put("{")
            given = zip(record.path.handed_on, [f"{p.name}_b" for p in head.params], strict=True)
            self._path(record, list(given))
        if head.entry is not None:
            self._begin(head)

    def _begin(self, head: Head) -> None:
        assert head.entry is not None
        self.text.append(f"begin_{head.number}:")
        self.put(f"w = arrive_at(c, {reference(self.unit, head.block)});")
        registers = [head.block.registers[name] for name in head.block.block.params]
        amounts = dict.fromkeys(registers, "0.0")
        for register, wanted in head.entry:
            if isinstance(wanted, Place) and wanted.kind == "real":
                amounts[register] = f"{wanted.name}_b"
        self.put(*[f"store(&w[{register}], of_real({text}));" for register, text in amounts.items()])
        self.put("return true;")

    # Paths

    def _path(self, record: Record, given: list[tuple[Source, str]]) -> None:
        """From what its end has handed on, with the amounts of each, back to its head; ends a block of C."""
        path = PathAdjoint(self.records, record)
        path.run(given)
        self.put(*[f"    {line}" for line in path.text], f"    goto head_{record.path.head.number};", "}")


@dataclass(slots=True)
class Amount:
    """Of a place: a variable. own: of its own, to add to. clean: it cannot be -0.0."""

    text: str
    own: bool
    clean: bool


class PathAdjoint:
    """One path's: statements."""

    def __init__(self, records: Records, record: Record) -> None:
        self.records = records
        self.record = record
        self.text: list[str] = []
        self.amounts: dict[Place, Amount] = {}

    def run(self, given: list[tuple[Source, str]]) -> None:
        """All of it."""
        self._read()
        for source, text in reversed(given):
            if isinstance(source, Place) and source.kind == "real":
                from_window = text.startswith("w[")
                self.add(source, "+", f"0.0 + {text}" if from_window else text, clean=True)
        for action in self.record.reverses:
            self._reverse(action)
        self._hand_on()

    def _read(self) -> None:
        """What was recorded, and what is computed of it."""
        words = self.record.words
        if words:
            self.text.append(f"up -= {len(words)};")
        self.text += [_read(kept, f"up[{i}]") for i, kept in enumerate(words)]
        self.text += [_shared(kept, self.records.same_as[kept.place]) for kept in self.record.shared]
        for op in self.record.again:
            text = computed(op) if isinstance(op, Apply) else plain(op.source)
            self.text.append(f"const {C_TYPES[op.to.kind]} {op.to.name} = {text};")

    def _hand_on(self) -> None:
        """To the head's params."""
        moves = []
        for param in reals(self.record.path.head.params):
            amount = self.amounts.get(param, Amount("0.0", own=False, clean=True))
            text = amount.text if amount.clean else f"0.0 + {amount.text}"
            moves.append(Move("double", f"{param.name}_b", text, amount.text))
        self.text += in_order(moves)

    def add(self, place: Place, sign: str, text: str, clean: bool = False) -> None:
        """A contribution to a place's amount. clean: it cannot be -0.0."""
        amount = self.amounts.get(place)
        own = f"{place.name}_a"
        if amount is None and sign == "+" and text.isidentifier():
            self.amounts[place] = Amount(text, own=False, clean=clean)
        elif amount is None:
            self.text.append(f"double {own} = {'-' if sign == '-' else ''}{text};")
            self.amounts[place] = Amount(own, own=True, clean=clean)
        else:
            self.text.append(
                f"{own} {sign}= {text};" if amount.own else f"double {own} = {amount.text} {sign} {text};"
            )
            self.amounts[place] = Amount(own, own=True, clean=_sum_is_clean(amount.clean, clean, sign))

    def _reverse(self, action: Action) -> None:
        match action:
            case Apply():
                self._apply(action)
            case Copy(to, source):
                amount = self.amounts[to]
                assert isinstance(source, Place)
                self.add(source, "+", amount.text, amount.clean)
            case Load(to, owner, index):
                self.text.append(f"give(c, {owner.name}_birth, {index}, {self.amounts[to].text});")
            case Element(to, owner):
                at = plain(place_of(action))
                self.text.append(f"give(c, {owner.name}_birth, {at}, {self.amounts[to].text});")
            case Make(_, _, cells, birth):
                for i in reversed(range(len(cells))):
                    cell = cells[i]
                    if isinstance(cell, Place) and cell.kind == "real":
                        self.add(cell, "+", f"taken(c, (uint64_t){birth.name}, {i})")
            case Update(to, _, at, value):
                text = f"taken(c, {to.name}_birth, {at.name})"
                if isinstance(value, Place) and value.kind == "real":
                    self.add(value, "+", text)
                else:
                    self.text.append(f"{text};")
            case Push(_, saved, _):
                for source in reversed(saved):
                    if isinstance(source, Place) and source.kind == "real":
                        self.add(source, "+", "popped(c)")
                    else:
                        self.text.append("popped(c);")
            case Pop(_, saved):
                self.text += [f"give_back(c, {self._given_back(place)});" for place in saved]

    def _given_back(self, place: Place) -> str:
        amount = self.amounts.get(place)
        if amount is None:
            return "0.0"
        return amount.text if amount.clean else f"0.0 + {amount.text}"

    def _apply(self, op: Apply) -> None:
        amount = self.amounts[op.to]
        everything = (*op.operands, op.to)
        values = {k: real(everything[k]) for k in positions_read(op)}
        for i in reversed(range(len(op.operands))):
            operand = op.operands[i]
            if isinstance(operand, Place) and operand.kind == "real":
                sign, text = contribution(op, i, amount.text, values)
                self.add(operand, sign, text, amount.clean and sign == "+" and text == amount.text)


def _sum_is_clean(first: bool, second: bool, sign: str) -> bool:
    """Whether a sum, or difference, cannot be -0.0: it is only where both terms are -0.0."""
    return first or (second and sign == "+")


def _read(kept: Kept, word: str) -> str:
    """What declares a variable of a recorded word."""
    return f"const {kept.c_type} {kept.name} = {word}.{kept.part};"


def _shared(kept: Kept, first: Place) -> str:
    """The same for what the header has by the name of another param."""
    return f"const {kept.c_type} {kept.name} = {Kept(first, kept.birth).name};"
