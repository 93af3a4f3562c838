"""Writes what a unit passes to the runtime for strips of several threads (ctemplates/machine/strip_team.h).

In: the functions of a strip (functions.py), the statements that begin and end a run of the unit on a tape.
Out: the functions of a StripJob; and the statements at the header of the loop, which have the strips that
follow run together where many have run one after another.

What always holds: while threads are at lanes, the machine is at the header, and nothing but the lists of
results and the births change, which no lane reads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from checkpoint.ctarget.translate.ops.places import C_TYPES, Place
from checkpoint.ctarget.translate.ops.scalar_ops import Apply
from checkpoint.ctarget.translate.ops.words import plain
from checkpoint.ctarget.translate.strips.functions import StripFunction
from checkpoint.ctarget.translate.strips.plan import Plan
from checkpoint.ctarget.translate.units.graph import Fork

# Steps of strips that ran one after another before other threads are asked: for less it does not pay to wake
# them. Steps that a thread makes at a time, and records that it reverses, if the adjoint of each has
# USUAL_LINES of C: some 50 to 200 us.
TEAM_STEPS = 500_000
PART_STEPS = 400_000
PART_RECORDS = 8_192
USUAL_LINES = 6


def lanes_left(plan: Plan) -> str:
    """Return an expression: how many lanes there are to come, where the loop goes on while a counter is less
    than a number that all lanes share; else INT64_MAX.
    """
    root = plan.loop.root
    begun = [path for path in plan.ways.values() if path.header is plan.loop]
    if isinstance(root.end, Fork) and all(root.end.then in path.nodes for path in begun):
        for each in root.ops:
            match each:
                case Apply(definition="less", domain="integers", operands=(counter, end)):
                    if root.end.test in each.sets() and counter in plan.counters and end in plan.constant:
                        return f"lanes_up_to({plain(end)}, {plain(counter)})"
    return "INT64_MAX"


def part_records(lines: int, records: int) -> int:
    """Return how many records a thread reverses at a time; lines: of C, of the adjoints of so many."""
    return max(PART_RECORDS * USUAL_LINES * max(records, 1) // max(lines, 1), 1)


def reversal(name: str, c_type: str, records: int) -> list[str]:
    """Return the function that reverses a strip by its three parts, and the StripBack of them.

    name: what their names begin with. c_type: the structure between them. records: how many a thread
    reverses at a time.
    """
    functions = [f"{name}_job_first", f"{name}_job_lanes", f"{name}_job_last"]
    fields = ", ".join([f"sizeof({c_type})", str(records), *functions])
    return [
        f"static void {name}_reverse(Cotangent *c, const Word **tape_up, const uint8_t **tape_ways) {{",
        f"    {c_type} strip;",
        "    const int64_t size = (*tape_up)[-1].field;",
        f"    {name}_reverse_first(c, &strip, *tape_up, *tape_ways);",
        f"    {name}_reverse_lanes(&strip);",
        f"    {name}_reverse_last(c, &strip);",
        "    *tape_up -= size >> 32;",
        "    *tape_ways += (uint32_t)size;",
        "}",
        f"static void {name}_job_first(Cotangent *c, void *strip, const Word *up,",
        "                            const uint8_t *ways) {",
        f"    {name}_reverse_first(c, strip, up, ways);",
        "}",
        f"static void {name}_job_lanes(void *strip) {{ {name}_reverse_lanes(strip); }}",
        f"static void {name}_job_last(Cotangent *c, void *strip) {{ {name}_reverse_last(c, strip); }}",
        f"static const StripBack {name}_back = {{{fields}}};",
    ]


class Together:
    """The functions of a job, and its call.

    begins, ends: how a run on the tape is begun and ended at the header, in terms of `start`, `up`, `ways`,
    `end` and the params; empty where nothing is recorded.
    """

    def __init__(self, strip: StripFunction, ends: Sequence[str], begins: Sequence[str]) -> None:
        self.strip = strip
        self.name = strip.name
        self.given = f"{strip.type}Given"
        self._begins = begins
        self._ends = ends
        self._params = strip.plan.loop.params

    def functions(self) -> list[str]:
        """Return the lines of the structure and the functions."""
        own = [f"    {C_TYPES[param.kind]} {param.name};" for param in self._params]
        structure = [
            "typedef struct {",
            "    const Unit *unit;",
            "    Machine *m;",
            *own,
            "    int64_t births, chunks;",
        ]
        tape = self._on_tape() if self.strip.records else []
        return [*structure, f"}} {self.given};", "", *self._lanes(), *self._close(), *tape, *self._job(), ""]

    def _lanes(self) -> list[str]:
        strip = self.strip
        arguments = ", ".join(["given->unit", *map(self._argument, self._lane_params()), "given->chunks"])
        tape = ", up, ways" if strip.records else ""
        mark = f"    if (has_run(outcome)) *--*ways = {strip.mark};" if strip.records else ""
        return [
            f"static StripOutcome {self.name}_job_lanes(const void *context, int64_t number, void *strip,",
            "        int64_t most, Word **up, uint8_t **ways) {",
            f"    const {self.given} *given = context;",
            f"    const StripOutcome outcome = {self.name}_lanes({arguments}, strip, most{tape});",
            *([mark] if mark else []),
            "    return outcome;",
            "}",
        ]

    def _close(self) -> list[str]:
        strip = self.strip
        arguments = ["given->m", "given->unit", *[f"given->{param.name}" for param in self._lane_params()]]
        arguments += ["strip", *[f"&given->{param.name}" for param in strip.lists], "&given->births"]
        return [
            f"static void {self.name}_job_close(void *context, void *strip) {{",
            f"    {self.given} *given = context;",
            f"    {self.name}_close({', '.join(arguments)});",
            "}",
        ]

    def _on_tape(self) -> list[str]:
        begin, end = f"{self.name}_job_begin", f"{self.name}_job_end"
        return [
            f"static Word *{begin}(const void *context, Word *start) {{",
            *self._locals(self._begins),
            "    Word *up;",
            *[f"    {line}" for line in self._begins],
            "    return up;",
            "}",
            f"static void {end}(const void *context, Word *start, Word *up, uint8_t *ways, Word *end) {{",
            *self._locals(self._ends),
            f"    const uint32_t entry = {self.strip.plan.loop.number};",
            *[f"    {line}" for line in self._ends],
            "}",
        ]

    def _locals(self, lines: Sequence[str]) -> list[str]:
        used = set(re.findall(r"\w+", "\n".join(lines)))
        params = [param for param in self._params if param.name in used]
        return [
            f"    const {self.given} *given = context;",
            "    const Unit *unit = given->unit;",
            "    Machine *m = given->m;",
            *[f"    const {C_TYPES[param.kind]} {param.name} = given->{param.name};" for param in params],
        ]

    def _job(self) -> list[str]:
        names = [f"{self.name}_job_{each}" for each in ("lanes", "close", "begin", "end")]
        names[2:] = names[2:] if self.strip.records else ["NULL", "NULL"]
        fields = ", ".join([f"sizeof({self.strip.type})", str(PART_STEPS), *names])
        return [f"static const StripJob {self.name}_job = {{{fields}}};"]

    def call(self, tests: Sequence[str], again: Sequence[str]) -> list[str]:
        """Return the statements, at the header. tests: what must hold for another run on the tape to begin
        there; again: the statements that begin it.
        """
        strip = self.strip
        fields = ", ".join(["unit", "m", *[param.name for param in self._params], "births", "chunks"])
        counters = [param for param in self._params if param in strip.plan.counters]
        moved = [f"{param.name} += chunks * WIDTH * task.done;" for param in counters]
        wanted = f"asks && wants_team(&patience, {TEAM_STEPS}, coming, m, &chunks)"
        task = f"team_task(&{self.name}_job, &given, &patience, chunks, coming, m, stop, left)"
        noted = "note_team(&patience, &task, chunks, m, &alone, &ran, &asks);"
        ended = ["if (ways != (uint8_t *)end) {", *[f"    {line}" for line in self._ends], "}"]
        return [
            f"if ({' && '.join([wanted, strip.fits(), *tests])}) {{",
            f"    {self.given} given = {{{fields}}};",
            f"    StripTask task = {task};",
            *([f"    {line}" for line in ended] if strip.records else []),
            "    const bool together = services->strips_together(m, &task);",
            "    if (together) {",
            *[f"        {param.name} = given.{param.name};" for param in strip.lists],
            "        births = given.births;",
            "        left -= task.used;",
            *[f"        {line}" for line in moved],
            *(["        sharp = task.outcome != LEFT;"] if strip.is_sharp else []),
            f"        {'if (sharp) ' if strip.is_sharp else ''}{noted}",
            "    } else {",
            "        note_no_team(&patience, m, &asks);",
            "    }",
            *[f"    {line}" for line in again],
            f"    goto header_{strip.plan.loop.number};",
            "}",
        ]

    def _lane_params(self) -> list[Place]:
        return [param for param in self._params if param not in self.strip.plan.results]

    def _argument(self, param: Place) -> str:
        is_counter = param in self.strip.plan.counters
        return (
            f"given->{param.name} + number * given->chunks * WIDTH" if is_counter else f"given->{param.name}"
        )
