"""The functions that run a strip of lanes: `strip_plain`, and `strip_tape`, which also records.

In: a unit, the plan of its loop over lanes, the records of the strip for `strip_tape`. Out: functions in C:

    strip_plain_lanes   runs the lanes of the next chunks to their ends; it reads what lanes share,
                        and changes nothing but a StripPlain and the tape
    strip_plain_close   does what has waited for that, in the order of lanes
    strip_plain         both; the unit calls it at the header of the loop. It returns RAN; or what else came,
                        and then has done nothing that the machine could notice

What always holds: what the second needs of the first is in the StripPlain. So lanes may run in any thread,
and several strips at once; the thread that has the heap closes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from checkpoint.ctarget.translate.ops.object_ops import Changeable
from checkpoint.ctarget.translate.ops.places import C_TYPES, Kind, Place
from checkpoint.ctarget.translate.ops.words import if_unlikely
from checkpoint.ctarget.translate.strips import cells
from checkpoint.ctarget.translate.strips.closing import close, list_name
from checkpoint.ctarget.translate.strips.constants import test
from checkpoint.ctarget.translate.strips.forward import StripLanes
from checkpoint.ctarget.translate.strips.lines import StripText
from checkpoint.ctarget.translate.strips.plan import Plan, first_of, kept_name
from checkpoint.ctarget.translate.strips.records import StripRecords
from checkpoint.ctarget.translate.strips.vectors import FULL, NONE, TYPES
from checkpoint.ctarget.translate.units.graph import Unit


class StripFunction:
    """The functions of one form.

    lanes: the statements of the first. closing: those of the second. fields: what the StripPlain has for the
    second, names of variables of the first, with their types; arrays: those of these that are arrays.
    """

    def __init__(self, unit: Unit, plan: Plan, records: StripRecords | None) -> None:
        self.unit = unit
        self.plan = plan
        self.records = records
        self.lanes = StripLanes(unit, plan, records)
        self.body = self.lanes.body()
        self._in_body = _words(self.body)
        self.closing = StripText(plan, records)
        self.closing.saved = self.lanes.saved
        close(self.closing, self.lanes.takes_births)
        self._used = _words(self.closing.lines)
        self.arrays = {name: kind for name, kind in self._arrays() if name in self._used}
        self.numbers = {name: c_type for name, c_type in self._numbers() if name in self._used}

    @property
    def name(self) -> str:
        """Return the name of the function that the unit calls."""
        return f"strip_tape{self.plan.suffix}" if self.records else "strip_plain"

    @property
    def type(self) -> str:
        """Return the name of the structure between the functions."""
        return f"StripTape{self.plan.suffix}" if self.records else "StripPlain"

    @property
    def mark(self) -> int:
        """Return the number of a strip among the ways of the unit."""
        return self.unit.jumps + self.is_sharp

    @property
    def is_sharp(self) -> bool:
        """Return whether its strips leave cotangents out (activity.py)."""
        return self.plan.wanted is not None

    @property
    def test(self) -> str:
        """Return the name of the function that returns whether what it takes for constants is."""
        return f"{self.name}_suffices"

    def function(self) -> list[str]:
        """Return the lines of all functions."""
        parts = [self._structure(), self._fits(), self._lanes(), self._close(), self._whole()]
        if self.is_sharp:
            parts.append(test(self.plan, self.test, self._parameters()))
        return [line for part in parts for line in ("", *part)][1:]

    def call(self) -> str:
        """Return the expression that calls it, where the unit is at the header of the loop."""
        names = [param.name for param in self.plan.loop.params]
        lists = [f"&{param.name}" for param in self.lists]
        given = ["unit", "m", *names, "chunks", *lists, "&left", "&births", "beyond(m, stop)"]
        return f"{self.name}({', '.join([*given, *(['&up', '&ways'] if self.records else [])])})"

    def narrowed(self, leave: str) -> list[str]:
        """Return the statements that choose fewer chunks where the tape has no room for all; leave: the
        statement that ends a run, if it has had strips: the next one may begin with more room.
        """
        if not self.records:
            return []
        room = "((const uint8_t *)ways - (const uint8_t *)up) / WORD_BYTES"
        return [
            f"const int64_t fitting = chunks_within(&patience, chunks, {room});",
            if_unlikely("fitting < chunks && ran", leave),
            "chunks = fitting;",
        ]

    def after(self) -> list[str]:
        """Return the statements that continue behind a strip."""
        lines = [
            f"{each.name} += chunks * WIDTH;" for each in self.plan.loop.params if each in self.plan.counters
        ]
        if self.records:
            lines.append(f"*--ways = {self.mark};")
        return lines

    def suffices(self) -> str:
        """Return the test of whether what it takes for constants is."""
        return f"{self.test}({', '.join(['unit', *self._loop_names()])})"

    def fits(self) -> str:
        """Return the test of whether a strip may begin where the unit is at the header of the loop."""
        names = self._loop_names()
        return f"{self.name}_fits({', '.join([*names, *[param.name for param in self.lists]])})"

    def _loop_names(self) -> list[str]:
        return [param.name for param in self.plan.loop.params if param not in self.plan.results]

    @property
    def lists(self) -> list[Place]:
        """Return the params of the loop that are lists of results."""
        return [param for param in self.plan.loop.params if param in self.plan.results]

    # What lanes leave for their end

    def _structure(self) -> list[str]:
        fields = [f"    {TYPES[kind]} {name}[CHUNKS];" for name, kind in self.arrays.items()]
        fields += [f"    {c_type} {name};" for name, c_type in self.numbers.items()]
        tape = ["    Word *up; /* the records of lanes */"] if self.records else []
        steps = "    int64_t used; /* steps; the runtime reads it */"
        return ["typedef struct {", steps, "    int64_t chunks;", *fields, *tape, f"}} {self.type};"]

    def _arrays(self) -> Iterable[tuple[str, Kind]]:
        """Return the arrays that both functions may use, with their kinds."""
        for place in self.unit.places:
            yield kept_name(place), place.kind
        for own in self.plan.objects.all:
            taken = [Place(own.birth, "integer")] if own in self.plan.leaving else []
            for array in [*cells.arrays(own, self.plan), *taken]:
                yield array.name, array.kind
        for name, place in self.lanes.saved.items():
            yield name, place.kind
        if self.lanes.takes_births:
            yield "born", "integer"
        if len(self.plan.late) > 1:
            yield "closed", "integer"

    def _numbers(self) -> Iterable[tuple[str, str]]:
        """Return the variables that both functions may use, with their types."""
        for place in self.unit.places:
            if place in self.plan.uniform and place not in self.plan.loop.params:
                yield place.name, C_TYPES[place.kind]
        for residual in self.records.births if self.records else ():
            if residual.name in self._in_body:
                yield residual.name, "uint64_t"

    # The functions

    def _lanes(self) -> list[str]:
        used = self._in_body | _words(self.records.footer() if self.records else [])
        lines = ["strip->chunks = chunks;"]
        begun = []
        for name, kind in self._arrays():
            if name in self.arrays:
                lines.append(f"{TYPES[kind]} *const {name} = strip->{name};")
            elif name in used:
                lines.append(f"{TYPES[kind]} {name}[CHUNKS];")
            if name in self.arrays or name in used:
                begun.append(f"{name}[u] = {NONE[kind]};")
        lines += [f"{c_type} {name} = {_zero(c_type)};" for name, c_type in self._numbers() if name in used]
        for header, *_ in self.lanes.groups[1:]:
            lines += [f"Mask at_{header.number}[CHUNKS];", f"Chunks live_{header.number} = 0;"]
            begun.append(f"at_{header.number}[u] = NO_LANES;")
        if begun:
            lines += ["for (int64_t u = 0; u < chunks; u++) {", *[f"    {line}" for line in begun], "}"]
        lines += [f"{c_type}{name};" for name, c_type in sorted(self.lanes.temporaries.items())]
        if self.records:
            lines += ["Word *up = *tape_up;", "uint8_t *ways = *tape_ways;"]
        lines += ["int64_t left = most;"]
        lines.append("int64_t turns = 0, lanes = 0; /* of chunks, and of the lanes that they had */")
        parameters = [*self._parameters(), "int64_t chunks", f"{self.type} *restrict strip", "int64_t most"]
        parameters += self._on_tape()
        return [
            f"static StripOutcome {self.name}_lanes({', '.join(parameters)}) {{",
            *[f"    {line}" for line in lines],
            *self.body,
            *[f"    {line}" for line in self._end()],
            "failed:",
            "    return LEFT;",
            "}",
        ]

    def _end(self) -> list[str]:
        """Return what the first function does when all lanes have ended."""
        lines = []
        if self.records:
            lines += [
                if_unlikely(f"!has_room(up, ways, {self.records.room_of_close()})", FULL),
                "strip->up = up;",
                f"up += {self.records.closing_words};",
                *self.records.footer(),
                "*tape_up = up;",
                "*tape_ways = ways;",
            ]
        lines += [f"strip->{name} = {name};" for name in self.numbers]
        return [*lines, "strip->used = most - left;", "return outcome_of(turns, lanes);"]

    def _close(self) -> list[str]:
        parameters = ["Machine *m", *self._parameters(), f"{self.type} *strip"]
        parameters += [*self._of_lists(), "int64_t *births_before"]
        lines = ["const int64_t chunks = strip->chunks, lanes = chunks * WIDTH;", "(void)lanes;"]
        lines += [f"const {TYPES[kind]} *const {name} = strip->{name};" for name, kind in self.arrays.items()]
        lines += [f"const {c_type} {name} = strip->{name};" for name, c_type in self.numbers.items()]
        births = sorted({each.name for each in self.records.births} if self.records else ())
        lines += [
            f"uint64_t {name} = 0;" for name in births if name in self._used and name not in self.numbers
        ]
        lines += [f"{c_type}{name};" for name, c_type in sorted(self.closing.temporaries.items())]
        lines += ["Word *up = strip->up;"] if self.records else []
        return [
            f"static void {self.name}_close({', '.join(parameters)}) {{",
            *[f"    {line}" for line in lines],
            "    int64_t births = *births_before;",
            *self.closing.lines,
            "    *births_before = births;",
            "}",
        ]

    def _whole(self) -> list[str]:
        params = [
            f"{C_TYPES[param.kind]} {first_of(param) if param in self.plan.counters else param.name}"
            for param in self.plan.loop.params
        ]
        parameters = ["const Unit *unit", "Machine *m", *params, "int64_t chunks", *self._of_lists()]
        parameters += ["int64_t *left_before", "int64_t *births_before", "int64_t more", *self._on_tape()]
        names = ", ".join(["unit", *self._names()])
        lists, own = ", ".join(map(list_name, self.lists)), [param.name for param in self.lists]
        tape = ", tape_up, tape_ways" if self.records else ""
        return [
            f"static StripOutcome {self.name}({', '.join(parameters)}) {{",
            f"    if (UNLIKELY(!{self.name}_fits({', '.join([*self._names(), *own])}))) return EARLY;",
            f"    {self.type} strip;",
            "    const int64_t most = *left_before + more;",
            f"    const StripOutcome outcome = {self.name}_lanes({names}, chunks, &strip, most{tape});",
            "    if (!has_run(outcome)) return outcome;",
            f"    {self.name}_close(m, {names}, &strip, {lists}, births_before);",
            "    *left_before -= strip.used;",
            "    return outcome;",
            "}",
        ]

    def _parameters(self) -> list[str]:
        """Return the parameters of the first two functions that are params of the loop."""
        kinds = {param.name: param.kind for param in self.plan.loop.params}
        kinds |= {first_of(param): param.kind for param in self.plan.counters}
        return ["const Unit *unit", *[f"{C_TYPES[kinds[name]]} {name}" for name in self._names()]]

    def _names(self) -> list[str]:
        plan = self.plan
        return [
            first_of(param) if param in plan.counters else param.name
            for param in plan.loop.params
            if param not in plan.results
        ]

    def _of_lists(self) -> list[str]:
        """Return the parameters that are pointers to the lists of results."""
        return [f"Value *{list_name(param)}" for param in self.lists]

    def _on_tape(self) -> list[str]:
        return ["Word **tape_up", "uint8_t **tape_ways"] if self.records else []

    def _fits(self) -> list[str]:
        """Return the function that returns whether all is as it must be where a strip begins."""
        tests = [
            f"!same_{param.kind}({param.name}, {other.name})"
            if param.kind != "value"
            else f"{param.name}.object != {other.name}.object"
            for param, other in self.plan.constant.items()
            if param is not other
        ]
        tests += [f"{first_of(param)} > INT64_MAX / 2" for param in self.plan.counters]
        lists = self.lists
        tests += [
            f"{param.name}.object == {other.name}.object"
            for i, param in enumerate(lists)
            for other in lists[:i]
        ]
        if any(isinstance(each, Changeable) for late in self.plan.late.values() for each in late):
            tests += [f"!changeable_end({param.name}, &end)" for param in lists]
        parameters = [*self._parameters()[1:], *[f"Value {param.name}" for param in lists]]
        return [
            f"static bool {self.name}_fits({', '.join(parameters)}) {{",
            "    int64_t end;",
            f"    return !({' || '.join(tests)});",
            "}",
        ]


def _words(lines: Iterable[str]) -> set[str]:
    return set(re.findall(r"\w+", "\n".join(lines)))


def _zero(c_type: str) -> str:
    return "nothing()" if c_type == C_TYPES["value"] else "0"
