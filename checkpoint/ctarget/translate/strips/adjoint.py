"""The functions of a unit that reverse a strip of lanes: `strip_reverse`, and its three parts.

In: a unit, the plan of its loop over lanes, the records of its strips. Out: functions in C; `unit_reverse`
calls the first at the header of the loop, where the way is that of a strip. It reverses, for one lane
after another, what waited until all lanes had ended (`strip_reverse_first`); then the records of chunks,
the last first, each under the mask of its lanes (`_lanes`, in any thread: it has a StripAdjoint of its own);
then, for one lane after another, what adds to the cotangents of what lanes share (`_last`).

What always holds: each lane's contributions are added as unit_reverse adds them, and lanes add to what they
share in reverse order. The cotangents of a header's params are vectors, NAME_b, right in the lanes that are
there.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import groupby

from checkpoint.ctarget.translate.ops.accumulators import Accumulators
from checkpoint.ctarget.translate.ops.object_ops import Element, Load
from checkpoint.ctarget.translate.ops.operation import Accumulator
from checkpoint.ctarget.translate.ops.places import C_TYPES, Kind, Place, Source, reals
from checkpoint.ctarget.translate.ops.words import broken, plain
from checkpoint.ctarget.translate.strips import cells, slots, slots_back, together
from checkpoint.ctarget.translate.strips.lanes import Variable
from checkpoint.ctarget.translate.strips.plan import Plan, groups
from checkpoint.ctarget.translate.strips.records import (
    Layout,
    StripRecord,
    StripRecords,
    TurnRecord,
    leaving,
    number_of,
)
from checkpoint.ctarget.translate.strips.rows import appended
from checkpoint.ctarget.translate.strips.vector_adjoint import VectorAdjoint, first_name, gift, last_name
from checkpoint.ctarget.translate.strips.vectors import TYPES, again
from checkpoint.ctarget.translate.units.graph import Header, Jump


class StripAdjoint:
    """One function in C."""

    def __init__(self, plan: Plan, records: StripRecords) -> None:
        self.plan = plan
        self.records = records
        self._type = f"StripAdjoint{plan.suffix}"
        self.text: list[str] = []
        self._arrays: dict[str, Kind] = {}  # names of arrays of vectors, one for each chunk
        # The arrays with the cotangents of the real params of inner headers.
        self._names = {param: f"{named.name}_b" for param, named in records.arrays.items()}
        self._passed_back: dict[int, dict[Place, Accumulator]] = {}  # by records: what waited passes back
        self._saved: dict[int, list[Variable]] = {}  # by records: what is saved for the end
        self._all = list(records.of_way.values())
        self._beginning = [each for each in self._all if each.path.header is plan.loop]

    def function(self) -> list[str]:
        """Return the lines of all functions."""
        parts = {"first": self._lanes_first, "lanes": self._all_ways, "last": self._lanes_last}
        texts: dict[str, list[str]] = {}
        for name, write in parts.items():
            self.text = []
            write()
            texts[name] = self.text
        arrays: dict[str, Kind] = dict.fromkeys(self._names.values(), "real")
        arrays |= self._arrays
        if len(self._beginning) > 1:
            arrays["way_of"] = "integer"
        words = {name: set(re.findall(r"\w+", "\n".join(text))) for name, text in texts.items()}
        between = {
            name: kind for name, kind in arrays.items() if sum(name in each for each in words.values()) > 1
        }
        lines = [
            "typedef struct {",
            *[f"    {TYPES[kind]} {name}[CHUNKS + SLOTS];" for name, kind in between.items()],
        ]
        lines += [
            "    int64_t chunks;",
            "    const Word *footer, *up;",
            "    const uint8_t *ways;",
            f"}} {self._type};",
            "",
        ]
        for name, text in texts.items():
            own = {array: kind for array, kind in arrays.items() if array in words[name]}
            lines += [*self._part(name, text, own, between, words[name]), ""]
        records = together.part_records(len(texts["lanes"]), sum(not each.is_void for each in self._all))
        return [*lines, *together.reversal(f"strip{self.plan.suffix}", self._type, records)]

    def put(self, *lines: str) -> None:
        """Append statements."""
        self.text += [part for line in lines for part in broken(f"    {line}")]

    def _part(
        self, name: str, text: list[str], arrays: dict[str, Kind], between: Collection[str], used: set[str]
    ) -> list[str]:
        """Return one of the functions. arrays: those that it uses; between: those of them that others use."""
        parameters = {
            "first": f"Cotangent *c, {self._type} *restrict strip, const Word *up, const uint8_t *ways",
            "lanes": f"{self._type} *restrict strip",
            "last": f"Cotangent *c, {self._type} *restrict strip",
        }
        lines = []
        if name == "first":
            words = f"{len(self.records.shared) + 2} + {len(self.records.kept)} * strip->chunks * WIDTH"
            lines += ["strip->ways = ways;", "strip->chunks = up[-2].field;"]
            lines += [f"up -= {words};", "strip->footer = up;"]
        lines += ["const int64_t chunks = strip->chunks;", *self._footer(used)]
        if name == "lanes":
            lines += ["const Word *up = strip->up;", "const uint8_t *ways = strip->ways;"]
        for array, kind in arrays.items():
            own = f"*const {array} = strip->{array}" if array in between else f"{array}[CHUNKS + SLOTS]"
            lines.append(f"{TYPES[kind]} {own};")
        begun = [f"strip->{array}[u]" for array in between] if name == "first" else []
        begun += [f"{array}[u]" for array in arrays if array not in between]
        zeros = [f"    {each} = (__typeof__({each})){{0}};" for each in begun]
        lines += ["FOR_ALL_CHUNKS(u, chunks) {", *zeros, "}"] if begun else []
        end = ["    strip->up = up;"] if name == "first" else []
        return [
            f"static void strip{self.plan.suffix}_reverse_{name}({parameters[name]}) {{",
            *[f"    {line}" for line in lines],
            *text,
            *end,
            "}",
        ]

    def _footer(self, used: set[str]) -> list[str]:
        """Return the declarations of what is recorded once, as far as it is used."""
        lines = ["const Word *const footer = strip->footer;"]
        for i, place in enumerate(self.records.kept):
            if f"{place.name}_kept" in used:
                lines += [
                    f"{TYPES[place.kind]} {place.name}_kept[CHUNKS + SLOTS];",
                    f"GET_ALL({place.name}_kept, footer, {i}, chunks);",
                ]
        before = len(self.records.kept)
        for i, each in enumerate(self.records.shared):
            if each.name in used:
                word = f"footer[{before} * chunks * WIDTH + {i}].{each.part}"
                lines.append(f"const {each.c_type} {each.name} = {word};")
        return lines

    def _all_ways(self) -> None:
        """Reverse the records of chunks."""
        self.put("for (int64_t begun = 0; begun < chunks * WIDTH;) switch (*ways++) {")
        moves: list[str] = []
        for number, group in enumerate(groups(self.plan)):
            text = self._ways_of(group)
            moves += slots_back.moved_back(number, text) if self.records.has_moves(group) else []
        if moves:
            self.put(f"case {slots.MOVES}: FOR_MOVES(up, move) {{", "    const int lane = moved_lane(move);")
            self.put(
                "    switch (group_of_moves(up)) {",
                *[f"    {line}" for line in moves],
                "    }",
                "}",
                "break;",
            )
        self.put("default: __builtin_unreachable();", "}")

    def _ways_of(self, group: list[Header]) -> list[str]:
        """Reverse the records of a group; return the statements on chunks that do."""
        turn = self.records.of_group.get(group[0].number)
        if turn is not None:
            return self._turn(turn, self.records.has_moves(group))
        before = len(self.text)
        for record in self._all:
            if record.path.header in group and not record.is_void:
                self._way(record)
        return self.text[before:]

    def _turn(self, turn: TurnRecord, in_slots: bool) -> list[str]:
        """Reverse the records of turns; return the statements that reverse one of the chunk u."""
        lines, begin = self._ways_of_turn(turn), turn.get()
        all_turns = slots_back.turns_back(turn.number, begin, lines) if in_slots else [*begin, *lines]
        self.put(f"case {turn.number}: {{", *[f"    {line}" for line in all_turns], "    break;", "}")
        return lines

    def _ways_of_turn(self, turn: TurnRecord) -> list[str]:
        """Return the statements that reverse the ways of a turn, the last header's first."""
        ways = [(i, record, *self._reversed(record, turn.layout)) for i, record in enumerate(turn.records)]
        lines: list[str] = []
        for _, of_header in groupby(reversed(ways), key=lambda way: way[1].path.header.number):
            alike = list(of_header)
            given = dict.fromkeys(line for _, _, begin, _ in alike for line in begin)
            lines += ["{", *[f"    {line}" for line in given]]
            for i, _, _, way in alike:
                mask = f"mask_of((unsigned)(masks >> {i} * WIDTH) & ALL_SLOTS)"
                lines += [f"    {{ const Mask mask = {mask};", *[f"    {line}" for line in way], "    }"]
            lines.append("}")
        return lines

    def _array(self, name: str, kind: Kind) -> str:
        self._arrays[name] = kind
        return name

    # Lane by lane

    def _lanes_first(self) -> None:
        """Reverse what waited until all lanes had ended."""
        if self.records.rows:
            self._rows_first()
            return
        closing = [each for each in self._all if self.plan.closes(each.path)]
        size = self.records.lane_words
        self.put("for (int64_t lane = chunks * WIDTH; lane-- > 0;) {", f"    up -= {size};")
        if len(closing) > 1:
            self.put(f"    switch (up[{size - 1}].field) {{")
        for record in closing:
            self.put(f"    case {record.path.end.number}: {{" if len(closing) > 1 else "    {")
            self.put(*[f"        {line}" for line in self._first(record)])
            self.put("        break;" if len(closing) > 1 else "        ;", "    }")
        self.put(*(["    }"] if len(closing) > 1 else []), "}")

    def _rows_first(self) -> None:
        """Take the cotangents of results that are in rows; each way has its lanes of them."""
        self.put(f"up -= {self.records.closing_words};")
        for i, row in enumerate(self.records.rows):
            name = self._array(row.cotangents, "real")
            given = f"up[{2 * i}].birth, up[{2 * i + 1}].field, chunks * WIDTH, (double *){name}"
            self.put(f"cotangent_take_row(c, {given});")

    def _first(self, record: StripRecord) -> list[str]:
        words = record.late_words
        out = Accumulators()
        out.put(*[f"const {w.c_type} {w.name} = up[{i}].{w.part};" for i, w in enumerate(words)])
        for operation in record.first:
            operation.reverse(out)
        for place in leaving(self.plan, record.path):
            out.put(*self._taken(place))
        wanted = {place: each for place, each in out.of.items() if self.plan.is_wanted(place)}
        for place, accumulator in wanted.items():
            name = self._array(first_name(record, place), "real")
            out.put(f"((double *){name})[lane] = {accumulator.text};")
        self._passed_back[id(record)] = {
            place: Accumulator(first_name(record, place), False, each.never_minus_zero)
            for place, each in wanted.items()
        }
        return out.text

    def _taken(self, place: Place) -> list[str]:
        """Return the statements that begin the cotangents of the cells of an object that left its lane."""
        lines = []
        for own in self.plan.objects.of[place]:
            lines.append(f"if ({number_of(place).name} == {own.number}) {{")
            for i in reversed(cells.differentiated(own, self.plan)):
                name = self._array(cells.cotangent(own, i), "real")
                lines.append(f"    ((double *){name})[lane] += taken(c, {place.name}_birth, {i});")
            lines.append("}")
        return lines

    def _lanes_last(self) -> None:
        """Reverse what adds to the cotangents of what lanes share."""
        if len(self._beginning) == 1:
            self.put(*self._given(self._beginning[0]))
            return
        self.put("for (int64_t lane = chunks * WIDTH; lane-- > 0;) {")
        self.put("    switch (((const int64_t *)way_of)[lane]) {")
        for record in self._beginning:
            self.put(f"    case {record.path.end.number}: {{")
            self.put(*[f"        {line}" for line in self._last(record)])
            self.put("        break;", "    }")
        self.put("    }", "}")

    def _given(self, record: StripRecord) -> list[str]:
        """Return the statements that give what the lanes of the only way have saved."""
        if not record.last:
            return []
        saved = {name for name, _ in self._saved[id(record)]}
        gifts = [f"    {gift(record, operation, saved)}," for operation in record.last]
        call = f"cotangent_give_lanes(c, gifts, {len(gifts)}, (int)(chunks * WIDTH));"
        return ["const LaneGifts gifts[] = {", *gifts, "};", call]

    def _last(self, record: StripRecord) -> list[str]:
        out = Accumulators()
        for place, kind in self._saved[id(record)]:
            name = last_name(record, place)
            own = f"{place}_a" if kind == "real" else place
            out.put(f"const {C_TYPES[kind]} {own} = ((const {C_TYPES[kind]} *){name})[lane];")
        for operation in record.last:
            (to,) = reals(operation.sets())
            out.of[to] = Accumulator(f"{to.name}_a", is_own=False, never_minus_zero=False)
            operation.reverse(out)
        return out.text

    # Chunk by chunk

    def _way(self, record: StripRecord) -> None:
        path, at = record.path, f"up[{record.layout.lanes}].field"
        self.put(
            f"case {path.end.number}: {{",
            f"    up -= {record.layout.size};",
            f"    const unsigned u = (unsigned){at} >> WIDTH;",
            f"    const Mask mask = mask_of((unsigned){at} & ALL_SLOTS);",
            *[f"    {line}" for lines in self._reversed(record, record.layout) for line in lines],
            "    break;",
            "}",
        )

    def _reversed(self, record: StripRecord, layout: Layout) -> tuple[list[str], list[str]]:
        """Return the declarations that a way needs, and the statements that reverse it in lanes of `mask`.

        layout: that of the record. Ways of one header have lanes of their own: what one reads no other sets.
        """
        path, adjoint = record.path, VectorAdjoint(self.plan)
        for place in record.words:
            adjoint.put(*layout.get(place))
            adjoint.vectors[place.name] = place.kind
        begin, adjoint.text = adjoint.text, []
        for operation in record.recomputed:
            to, *_ = operation.sets()
            text = again(operation, self.plan)
            if isinstance(operation, Load | Element) and self.plan.objects.is_own(operation):
                text = cells.chosen(operation, self.plan)
            adjoint.put(f"const {TYPES[to.kind]} {to.name} = {text};")
            adjoint.vectors[to.name] = to.kind
        kept = self.plan.kept  # params of which no record has the value
        adjoint.vectors |= {x.name: x.kind for x in kept if not self.plan.is_uniform(kept[x])}
        for source, passed in self._passed(record):
            adjoint.add(source, passed.text, never_minus_zero=passed.never_minus_zero)
        for operation in record.main:
            if not self.plan.objects.is_own(operation):
                operation.reverse(adjoint)
                continue
            for name in cells.reverse(operation, self.plan, adjoint):
                self._array(name, "real")
        self._save(record, adjoint)
        self._pass_back(path.header, adjoint)
        if path.header is self.plan.loop:
            adjoint.put("begun += (int)count_of(mask);")
            if len(self._beginning) > 1:
                adjoint.put(f"way_of[u] = either_integers(mask, all_integers({path.end.number}), way_of[u]);")
        return self._params(path.header, adjoint), [*begin, *adjoint.text]

    def _passed(self, record: StripRecord) -> list[tuple[Source, Accumulator]]:
        """Return what a way passes on, the last first, with the cotangents of that."""
        jump = record.path.end
        assert isinstance(jump, Jump)
        if self.records.rows and self.plan.closes(record.path):
            row_of = {row.param: row.cotangents for row in self.records.rows}
            return [
                (each.value, Accumulator(f"{row_of[self.plan.results[each.owner]]}_u", False, False))
                for each in reversed(appended(self.plan, record.path))
            ]
        if self.plan.closes(record.path):
            return [
                (place, Accumulator(f"{each.text}_u", False, each.never_minus_zero))
                for place, each in self._passed_back[id(record)].items()
            ]
        pairs = zip(jump.header.params, jump.sources, strict=True)
        return [
            (source, Accumulator(f"{self._names[param]}_u", False, True))
            for param, source in reversed(list(pairs))
            if self.plan.is_wanted(param)
        ]

    def _params(self, header: Header, adjoint: VectorAdjoint) -> list[str]:
        """Return the declarations of the cotangents and params that statements read."""
        used = dict.fromkeys(re.findall(r"\w+", "\n".join(adjoint.text)))
        arrays = {*self._names.values(), *self._arrays}
        lines = [
            f"const Reals {name} = {name[:-2]}[u];"
            for name in used
            if name.endswith("_u") and name[:-2] in arrays
        ]
        for param in header.params:
            origin = self.plan.kept.get(param)
            if param.name not in used or origin is None:
                continue
            if self.plan.is_uniform(origin):
                lines.append(f"const {C_TYPES[param.kind]} {param.name} = {plain(origin)};")
            elif isinstance(origin, Place):
                lines.append(f"const {TYPES[param.kind]} {param.name} = {origin.name}_kept[u];")
        return lines

    def _save(self, record: StripRecord, adjoint: VectorAdjoint) -> None:
        """Save what is needed when all chunks have been reversed."""
        saved: list[Variable] = []
        for operation in record.last:
            (to,) = reals(operation.sets())
            saved.append((to.name, "real"))
            name = self._array(last_name(record, to.name), "real")
            adjoint.put(f"{name}[u] = all_reals(0.0) + {adjoint.cotangent(to).text};")
            for residual in operation.residuals():
                if not residual.birth and not self.plan.is_uniform(residual.place):
                    saved.append((residual.place.name, residual.place.kind))
                    name = self._array(last_name(record, residual.place.name), residual.place.kind)
                    adjoint.put(f"{name}[u] = {residual.place.name};")
        self._saved[id(record)] = list(dict.fromkeys(saved))

    def _pass_back(self, header: Header, adjoint: VectorAdjoint) -> None:
        """Move the cotangents of a header's params to where those that jump there find them."""
        if header is self.plan.loop:
            return
        wanted = filter(self.plan.is_wanted, header.params)
        moves = [(self._names[param], adjoint.cotangent(param)) for param in wanted]
        moves = [(name, each) for name, each in moves if each.text != f"{name}_u"]
        adjoint.put(*[f"const Reals {name}_new = all_reals(0.0) + {each.text};" for name, each in moves])
        adjoint.put(*[f"{name}[u] = either_reals(mask, {name}_new, {name}[u]);" for name, _ in moves])
