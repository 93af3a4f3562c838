"""The function of a unit that reverses its runs: `unit_reverse`.

In: a unit and its records. Out: a function in C. It reverses the path that left the unit; then, at the header
where that path began, the path that jumped there, which its number tells, until there is none: then the run
began here. The cotangent of a header's param is in a variable NAME_b; within a path each real place has an
accumulator NAME_a, declared where it gets its first contribution.

What always holds: contributions are added in the reverse order of the steps, the last operand first, grouped
as by the machine (reverse.c). No variable of a header's param is -0.0: where a sum might be, 0.0 is added. A
sum is not -0.0 if one of its terms is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from checkpoint.ctarget.translate.emit.rebuilds import ENDING, order_declared, turn_words
from checkpoint.ctarget.translate.emit.records import Record, Records
from checkpoint.ctarget.translate.emit.recursions import Rebuild
from checkpoint.ctarget.translate.ops.accumulators import Accumulators
from checkpoint.ctarget.translate.ops.fields import TAKEN
from checkpoint.ctarget.translate.ops.object_ops import Load
from checkpoint.ctarget.translate.ops.operation import Operation, Residual
from checkpoint.ctarget.translate.ops.places import C_TYPES, DualParts, Place, Source, View, is_real, reals
from checkpoint.ctarget.translate.ops.words import Move, broken, declaration, in_order
from checkpoint.ctarget.translate.strips.functions import StripFunction
from checkpoint.ctarget.translate.units.graph import Exit, Header, Jump, Unit
from checkpoint.ctarget.translate.units.paths import reached
from checkpoint.errors import InternalError

MAX_JUMPS = 255  # their numbers are bytes


class AdjointFunction:
    """One function in C. exits: the numbers of the exits that the forward function takes.

    strips: the functions that run strips of lanes (translate/strips), which it reverses at the header of
    their loop. rebuild: a recursion that rebuilds a list, which has two numbers of ways of its own.
    """

    def __init__(
        self,
        unit: Unit,
        records: Records,
        exits: Iterable[int],
        strips: Sequence[StripFunction] = (),
        rebuild: Rebuild | None = None,
    ) -> None:
        if unit.jumps > MAX_JUMPS or (rebuild is not None and rebuild.came_back > MAX_JUMPS):
            raise InternalError("a unit of more jumps than a byte can count")
        self.unit = unit
        self.records = records
        self.exits = frozenset(exits)
        self.strips = strips
        self.rebuild = rebuild
        self.text: list[str] = []
        self._jumps_to: dict[int, list[Record]] = {header.number: [] for header in unit.headers}
        for record in records.of_end.values():
            if isinstance(record.path.end, Jump):
                self._jumps_to[record.path.end.header.number].append(record)

    def function(self) -> list[str]:
        """Return its lines."""
        name = "unit_reverse"
        arguments = (
            "(const Unit *unit, Cotangent *c, const RunEnd *end, const Word *header, const Word *up,\n"
            f"{' ' * 18}const uint8_t *ways)"
        )
        self._all_exits()
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
        lines += [f"    {_read(each, f'header[{i}]')}" for i, each in enumerate(self.records.prologue)]
        lines += declaration("double", [f"{param.name}_b" for param in params if is_real(param)])
        lines += declaration("ElementSums", [f"{param.name}_b" for param in params if not is_real(param)])
        if self.rebuild is not None:
            lines.append(order_declared(self.rebuild))
        if self.strips:
            lines.append("    bool apart = false; /* strips are reversed one by one */")
        return [*lines, "    Value *w = c->window;", "    (void)header;"]

    def _put(self, *lines: str) -> None:
        """Append statements."""
        self.text += [part for line in lines for part in broken(f"    {line}")]

    # Where runs end and begin

    def _all_exits(self) -> None:
        """Write the last paths of runs, those that are reversed alike only once."""
        alike: dict[tuple[str, ...], list[int]] = {}
        before, self.text = self.text, []
        for record in self.records.of_end.values():
            exit = record.path.end
            if isinstance(exit, Exit) and exit.number in self.exits:
                self._exit(record, exit)
                alike.setdefault(tuple(self.text), []).append(exit.number)
                self.text = []
        self.text = before
        self._put("switch (end->exit) {")
        for lines, numbers in alike.items():
            self._put(*[f"case {number}:" for number in numbers], "{")
            self.text += lines
        self._put("default: return false;", "}")

    def _exit(self, record: Record, exit: Exit) -> None:
        duals = [register for register, source in exit.contents if isinstance(source, DualParts)]
        arrays = {register: source.kind for register, source in exit.contents if source.kind in TAKEN}
        others = [register for register, _ in exit.contents if register not in (*duals, *arrays)]
        tags = " | ".join([f"w[{register}].tag" for register in others])
        tests = [f"({tags}) != REAL"] if tags else []
        tests += [f"!is_dual_accumulator(w[{register}])" for register in duals]
        tests += [f"!is_accumulator(w[{register}])" for register in arrays]
        if tests:
            self._put(f"    if (UNLIKELY({' || '.join(tests)})) return false;")
        # Accumulators in the window may be -0.0.
        texts = {i: f"take_accumulator(&w[{i}])" for i in (*duals, *arrays)}
        texts |= {i: f"{TAKEN[kind]}(c, {texts[i]})" for i, kind in arrays.items()}
        self._path(record, [(source, texts.get(i, f"0.0 + w[{i}].real")) for i, source in exit.contents])

    def _header(self, header: Header) -> None:
        records = self._jumps_to[header.number]
        self.text.append(f"header_{header.number}:")
        if header.entry is not None:
            self._put(f"if (ways == last) goto begin_{header.number};")
        for strip in self.strips:
            if header is not strip.plan.loop:
                continue
            name = f"strip{strip.plan.suffix}"
            given = f"c, &{name}_back, {strip.mark}, {self._exit_between(header)}, &up, &ways, last"
            self._put(
                f"if (*ways == {strip.mark}) {{",
                f"    apart = apart || !services->strips_reversed({given});",
                "    if (apart) {",
                "        ways++;",
                f"        {name}_reverse(c, &up, &ways);",
                "    }",
                f"    goto header_{header.number};",
                "}",
            )
        if self.rebuild is not None and header is self.rebuild.turn.header:
            self._waited(self.rebuild)
        if self.rebuild is not None and header is self.rebuild.returned:
            self._came_back(self.rebuild)
        if len(records) > 1:
            self._put("switch (*ways++) {")
            for record in records[1:]:
                self._put(f"case {record.path.end.number}: goto path_{record.path.end.number};")
            self._put("default: break;", "}")
        elif records:
            self._put("ways++;")
        for i, record in enumerate(records):
            if i:
                self.text.append(f"path_{record.path.end.number}:")
            self._put("{")
            self._path(record, _passed(record, header))
        if header.entry is not None:
            self._begin(header)

    def _waited(self, rebuild: Rebuild) -> None:
        """Reverse turns that have waited, the last one first: several at once, or one."""
        record, header = self.records.of_end[id(rebuild.turn.end)], rebuild.turn.header
        turn, stretch = [
            kind(self.records, replace(record, words=turn_words(rebuild, record)), rebuild)
            for kind in (WaitedAdjoint, StretchAdjoint)
        ]
        for path in (turn, stretch):
            path.run(_passed(record, header))
        count = len(rebuild.pairs)
        self._put(
            f"if (*ways == {rebuild.waited}) {{",
            "    ways++;",
            f"    up -= {ENDING};",
            "    int64_t turns = up[0].field;",
            "    uint64_t born = up[1].birth; /* of the last pair */",
            f"    double of_frame[{count}], of_pairs[{count}];",
            "    while (turns > 0) {",
            f"        Stretch stretch = stretch_begun(c, born, {count}, turns);",
            "        int64_t done = 0;",
            f"        for (; stretch_goes_on(&stretch, {count}, done); done++) {{",
            *[f"            {line}" for line in stretch.text],
            f"            stretch_next(&stretch, {count});",
            "        }",
            f"        stretch_ended(c, &stretch, born, {count}, done);",
            "        turns -= done;",
            f"        born += (uint64_t)done * {count};",
            "        if (turns == 0) break;",
            *[f"        {line}" for line in turn.text],
            "        turns--;",
            f"        born += {count};",
            "    }",
            f"    goto header_{header.number};",
            "}",
        )

    def _came_back(self, rebuild: Rebuild) -> None:
        """Reverse the return of all turns that have waited: the cotangents of their frames are pushed."""
        names = [f"{place.name}_b" for place in rebuild.reals]
        self._put(
            f"if (*ways == {rebuild.came_back}) {{",
            "    ways++;",
            f"    up -= {ENDING};",
            f"    double turn_reals[] = {{{', '.join(names)}}};",
            f"    turns_unmade(c, {rebuild.words}, up[0].field, up[1].birth, turn_reals);",
            *[f"    {name} = turn_reals[{i}];" for i, name in enumerate(names)],
            f"    goto header_{rebuild.returned.number};",
            "}",
        )

    def _exit_between(self, header: Header) -> int:
        """Return the number of the exit at a header by which nothing is reversed; -1: there is none.

        A run that ends there and the next one, which begins there, have the cotangents of the same point.
        """
        record = self.records.of_end[id(header.exit)]
        has_own = record.words or record.reversed or header.exit.effects or any(reals(header.params))
        return -1 if has_own else header.exit.number

    def _begin(self, header: Header) -> None:
        """Write the beginning of runs: the cotangents of the params go to the window."""
        assert header.entry is not None
        self.text.append(f"begin_{header.number}:")
        self._put(f"w = arrive_at(c, {self.unit.reference(header.block)});")
        registers = [header.block.registers[name] for name in header.block.block.params]
        cotangents = dict.fromkeys(registers, "of_real(0.0)")
        for register, wanted in header.entry:
            if isinstance(wanted, Place) and wanted.kind == "real":
                cotangents[register] = f"of_real({wanted.name}_b)"
            elif isinstance(wanted, Place) and wanted.kind == "element":
                cotangents[register] = f"scalar_accumulator(c, {wanted.name}_b)"
            elif isinstance(wanted, View):
                cotangents[register] = f"sums_accumulator(c, &{wanted.handle.name}_b)"
            elif isinstance(wanted, DualParts):
                names = ", ".join([f"{part.name}_b" for part in reals([wanted])])
                cotangents[register] = f"dual_accumulator(c, {names})"
        self._put(*[f"store(&w[{register}], {text});" for register, text in cotangents.items()])
        self._put("return true;")

    # Paths

    def _path(self, record: Record, passed: list[tuple[Source, str]]) -> None:
        """Write the adjoint of a path, and end the block of C. passed: the values that its end passes on,
        with their cotangents.
        """
        path = PathAdjoint(self.records, record)
        path.run(passed)
        path.put(f"goto header_{record.path.header.number};")
        self._put(*[f"    {line}" for line in path.text], "}")


class PathAdjoint(Accumulators):
    """The adjoint of one path."""

    def __init__(self, records: Records, record: Record) -> None:
        super().__init__()
        self.records = records
        self.record = record

    def run(self, passed: list[tuple[Source, str]]) -> None:
        """Write all of it. passed: what the path passes on, with the cotangents of that, none -0.0."""
        self._read()
        for source, text in reversed(passed):
            if isinstance(source, DualParts):
                self.receive(source, text)
            else:
                self.add(source, text, never_minus_zero=source.kind == "real")
        for operation in self.record.reversed:
            self.reverse(operation)
        self._pass_back()

    def reverse(self, operation: Operation) -> None:
        """Reverse one operation."""
        operation.reverse(self)

    def _read(self) -> None:
        """Read the recorded residuals, and recompute the others."""
        words = self.record.words
        if words:
            self.put(f"up -= {len(words)};")
        self.put(*[_read(residual, f"up[{i}]") for i, residual in enumerate(words)])
        self.put(*[_shared(each, known) for each, known in self.record.shared])
        for operation in self.record.recomputed:
            (to,) = operation.sets()
            self.put(f"const {C_TYPES[to.kind]} {to.name} = {operation.recomputed()};")

    def _pass_back(self) -> None:
        """Move the cotangents of the header's params to its variables."""
        moves = []
        for param in reals(self.record.path.header.params):
            cotangent = self.cotangent(param)
            text = cotangent.normalised() if param.kind == "real" else cotangent.text
            c_type = "double" if is_real(param) else "ElementSums"
            moves.append(Move(c_type, f"{param.name}_b", text, cotangent.text))
        self.put(*in_order(moves))


class WaitedAdjoint(PathAdjoint):
    """The adjoint of a turn that has waited. born: the birth of its last pair; the others follow.

    What is read of its pairs is given at the end: what is read first of each of them at once, and so on.
    """

    def __init__(self, records: Records, record: Record, rebuild: Rebuild) -> None:
        super().__init__(records, record)
        self._rebuild = rebuild
        self._given: list[list[str]] = [[] for _ in rebuild.pairs]  # the last pair first, as births are

    def run(self, passed: list[tuple[Source, str]]) -> None:
        super().run(passed)
        for i in range(max(map(len, self._given))):
            self._give([(k, gifts[i]) for k, gifts in enumerate(self._given) if i < len(gifts)])

    def _give(self, found: list[tuple[int, str]]) -> None:
        """Give pairs, by their numbers from the last one on, their cotangents."""
        count = len(self._given)
        if len(found) == count:
            self.put(*[f"of_pairs[{k}] = {gift};" for k, gift in found])
            self.put(f"given_together(c, born, {count}, of_pairs);")
        else:
            self.put(*[f"give(c, born + {k}, 0, {gift});" for k, gift in found])

    def _pop(self, count: int) -> None:
        """Pop the cotangents of the turn's frame."""
        self.put(f"popped_together(c, {count}, of_frame);")

    def reverse(self, operation: Operation) -> None:
        rebuild = self._rebuild
        if operation is rebuild.frame:
            self._pop(len(rebuild.order))
            for i, source in reversed(list(enumerate(rebuild.frame.saved))):
                self.add(source, f"of_frame[{i}]")
        elif isinstance(operation, Load) and operation.owner in rebuild.owners:
            gift = f"gift_{operation.to.name}"
            self.put(f"const double {gift} = {self.cotangent(operation.to).text};")
            self._given[-1 - rebuild.owners[operation.owner]].append(gift)
        else:
            operation.reverse(self)


class StretchAdjoint(WaitedAdjoint):
    """The adjoint of a turn among several that are reversed at once (Stretch, unit_rebuilds.h)."""

    def _give(self, found: list[tuple[int, str]]) -> None:
        self.put(*[f"stretch_give(&stretch, {k}, {gift});" for k, gift in found])

    def _pop(self, count: int) -> None:
        self.put(*[f"of_frame[{i}] = stretch.from[{i}].real;" for i in range(count)])


def _passed(record: Record, header: Header) -> list[tuple[Source, str]]:
    """Return what a path passes to the params of a header, with the cotangents of these."""
    return list(zip(record.path.passed_on, [f"{param.name}_b" for param in header.params], strict=True))


def _read(residual: Residual, word: str) -> str:
    """Return the declaration of the variable of a recorded word."""
    return f"const {residual.c_type} {residual.name} = {word}.{residual.part};"


def _shared(residual: Residual, known: Residual) -> str:
    """Return the declaration of the variable of what the prologue has by another name."""
    return f"const {residual.c_type} {residual.name} = {known.name};"
