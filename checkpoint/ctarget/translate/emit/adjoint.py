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

from checkpoint.ctarget.translate.emit.records import Record, Records
from checkpoint.ctarget.translate.ops.operation import Accumulator, Residual
from checkpoint.ctarget.translate.ops.places import Place, Source, reals
from checkpoint.ctarget.translate.ops.words import C_TYPES, Move, broken, declaration, in_order
from checkpoint.ctarget.translate.units.graph import Exit, Header, Jump, Unit
from checkpoint.ctarget.translate.units.paths import reached
from checkpoint.errors import InternalError

MAX_JUMPS = 255  # they are bytes


class AdjointFunction:
    """One function. left_by: the numbers of the Leaves by which runs are left."""

    def __init__(self, unit: Unit, records: Records, exits: Iterable[int]) -> None:
        if unit.jumps > MAX_JUMPS:
            raise InternalError("a unit of more ways than a byte can tell")
        self.unit = unit
        self.records = records
        self.exits = frozenset(exits)
        self.goes: dict[int, list[Record]] = {header.number: [] for header in unit.headers}
        for record in records.of_end.values():
            if isinstance(record.path.end, Jump):
                self.goes[record.path.end.header.number].append(record)
        self.text: list[str] = []

    def function(self) -> list[str]:
        """Its lines."""
        name = "unit_reverse"
        arguments = (
            "(const Unit *unit, Cotangent *c, const RunEnd *end, const Word *header, const Word *up,\n"
            f"{' ' * 18}const uint8_t *ways)"
        )
        self._leaves()
        for header in reached(self.unit):
            self._header(header)
        return [
            f"EXPORTED bool {name}{arguments};",
            f"bool {name}{arguments} {{",
            *self._declarations(),
            *self.text,
            "}",
        ]

    def _declarations(self) -> list[str]:
        params = [param for header in reached(self.unit) for param in reals(header.params)]
        lines = ["    const uint8_t *const last = ways + end->ways;"]
        lines += [
            f"    {_read(residual, f'header[{i}]')}" for i, residual in enumerate(self.records.prologue)
        ]
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
            exit = record.path.end
            if isinstance(exit, Exit) and exit.number in self.exits:
                self._left(record, exit)
                alike.setdefault(tuple(self.text), []).append(exit.number)
                self.text = []
        self.text = before
        self.put("switch (end->exit) {")
        for lines, numbers in alike.items():
            self.put(*[f"case {number}:" for number in numbers], "{")
            self.text += lines
        self.put("default: return false;", "}")

    def _left(self, record: Record, exit: Exit) -> None:
        tags = " | ".join([f"w[{register}].tag" for register, _ in exit.contents])
        if tags:
            self.put(f"    if (UNLIKELY(({tags}) != REAL)) return false;")
        given = [(source, f"w[{register}].real") for register, source in exit.contents]
        self._path(record, given)

    def _header(self, header: Header) -> None:
        records = self.goes[header.number]
        self.text.append(f"header_{header.number}:")
        if header.entry is not None:
            self.put(f"if (ways == last) goto begin_{header.number};")
        if len(records) > 1:
            self.put("switch (*ways++) {")
            for record in records[1:]:
                self.put(f"case {record.path.end.number}: goto path_{record.path.end.number};")
            self.put("default: break;", "}")
        elif records:
            self.put("ways++;")
        for i, record in enumerate(records):
            if i:
                self.text.append(f"path_{record.path.end.number}:")
            self.put("{")
            given = zip(record.path.handed_on, [f"{p.name}_b" for p in header.params], strict=True)
            self._path(record, list(given))
        if header.entry is not None:
            self._begin(header)

    def _begin(self, header: Header) -> None:
        assert header.entry is not None
        self.text.append(f"begin_{header.number}:")
        self.put(f"w = arrive_at(c, {self.unit.reference(header.block)});")
        registers = [header.block.registers[name] for name in header.block.block.params]
        amounts = dict.fromkeys(registers, "0.0")
        for register, wanted in header.entry:
            if isinstance(wanted, Place) and wanted.kind == "real":
                amounts[register] = f"{wanted.name}_b"
        self.put(*[f"store(&w[{register}], of_real({text}));" for register, text in amounts.items()])
        self.put("return true;")

    # Paths

    def _path(self, record: Record, given: list[tuple[Source, str]]) -> None:
        """From what its end has handed on, with the amounts of each, back to its head; ends a block of C."""
        path = PathAdjoint(self.records, record)
        path.run(given)
        self.put(*[f"    {line}" for line in path.text], f"    goto header_{record.path.header.number};", "}")


class PathAdjoint:
    """The statements that reverse one path. text: the statements so far."""

    def __init__(self, records: Records, record: Record) -> None:
        self.records = records
        self.record = record
        self.text: list[str] = []
        self._accumulators: dict[Place, Accumulator] = {}

    def run(self, given: list[tuple[Source, str]]) -> None:
        """Write all of it. given: what the path hands on, each with the variable of its cotangent."""
        self._read()
        for source, text in reversed(given):
            from_window = text.startswith("w[")
            self.add(source, f"0.0 + {text}" if from_window else text, never_minus_zero=True)
        for operation in self.record.reverses:
            operation.reverse(self)
        self._hand_on()

    def _read(self) -> None:
        """Read what was recorded, and compute what is computed again."""
        words = self.record.words
        if words:
            self.put(f"up -= {len(words)};")
        self.put(*[_read(residual, f"up[{i}]") for i, residual in enumerate(words)])
        self.put(*[_shared(each, self.records.same_as[each.place]) for each in self.record.shared])
        for operation in self.record.again:
            (to,) = operation.sets()
            self.put(f"const {C_TYPES[to.kind]} {to.name} = {operation.recomputed()};")

    def _hand_on(self) -> None:
        """Move the cotangents of the head's params to its variables."""
        moves = []
        for param in reals(self.record.path.header.params):
            cotangent = self.cotangent(param)
            moves.append(Move("double", f"{param.name}_b", cotangent.normalised(), cotangent.text))
        self.put(*in_order(moves))

    # What operations write to (ops/operation.py, Adjoint)

    def put(self, *lines: str) -> None:
        """Append statements."""
        self.text += lines

    def cotangent(self, place: Place) -> Accumulator:
        """Return the cotangent of a place, 0.0 where nothing contributed to it."""
        found = self._accumulators.get(place)
        return found if found is not None else Accumulator("0.0", is_own=False, never_minus_zero=True)

    def add(self, source: Source, text: str, sign: str = "+", never_minus_zero: bool = False) -> None:
        """Add (or subtract) an expression to the cotangent of a source that is a real place."""
        if not isinstance(source, Place) or source.kind != "real":
            return
        before, own = self._accumulators.get(source), f"{source.name}_a"
        if before is None and sign == "+" and text.isidentifier():
            self._accumulators[source] = Accumulator(text, is_own=False, never_minus_zero=never_minus_zero)
            return
        if before is None:
            self.put(f"double {own} = {'-' if sign == '-' else ''}{text};")
        elif before.is_own:
            self.put(f"{own} {sign}= {text};")
        else:
            self.put(f"double {own} = {before.text} {sign} {text};")
        # A sum, or difference, is -0.0 only if both terms are.
        if before is not None:
            never_minus_zero = before.never_minus_zero or (never_minus_zero and sign == "+")
        self._accumulators[source] = Accumulator(own, is_own=True, never_minus_zero=never_minus_zero)


def _read(residual: Residual, word: str) -> str:
    """What declares a variable of a recorded word."""
    return f"const {residual.c_type} {residual.name} = {word}.{residual.part};"


def _shared(residual: Residual, first: Place) -> str:
    """The same for what the header has by the name of another param."""
    return f"const {residual.c_type} {residual.name} = {Residual(first, residual.birth).name};"
