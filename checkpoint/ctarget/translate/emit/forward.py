"""The functions of a unit that run forward: `unit_plain`, and `unit_tape`, which also records.

In: a unit, and its records for `unit_tape`. Out: a function in C. Its places are variables, its headers and
nodes labels, in the order of the trees; behind them comes the code of each exit, with a label of its own.

What always holds: steps are counted where a path ends, in `left`, the number of steps that may still be made.
When the function returns false, nothing has been done that the machine could notice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from checkpoint.ctarget.translate.emit import recursions
from checkpoint.ctarget.translate.emit.births import taken_before
from checkpoint.ctarget.translate.emit.effects import plain_fields, settle, stack_use, write_effects
from checkpoint.ctarget.translate.emit.entry import Entry, is_opened, opening, own_duals, shared_dropped
from checkpoint.ctarget.translate.emit.rebuilds import Rebuilds
from checkpoint.ctarget.translate.emit.records import Records, word_at_entry
from checkpoint.ctarget.translate.emit.references import fields_of_pairs, joined
from checkpoint.ctarget.translate.emit.walks import Walks, moved
from checkpoint.ctarget.translate.ops.frame_ops import point_tests
from checkpoint.ctarget.translate.ops.operation import Operation, Residual
from checkpoint.ctarget.translate.ops.places import C_TYPES, Place
from checkpoint.ctarget.translate.ops.words import (
    broken,
    comment,
    declaration,
    if_unlikely,
    in_braces,
    in_order,
    in_quotes,
    plain,
    stored,
)
from checkpoint.ctarget.translate.strips.functions import StripFunction
from checkpoint.ctarget.translate.strips.together import Together, lanes_left
from checkpoint.ctarget.translate.units.graph import Exit, Fork, Header, Jump, Node, Return, Unit
from checkpoint.ctarget.translate.units.paths import Path, all_paths, following, reached
from checkpoint.ctarget.translate.units.reversal import WORD

# The record of a run: its first word, the next one, its end; and the number of the last path (fast.h).
TAPE_VARIABLES = {"start": "Word *", "up": "Word *", "end": "Word *", "ways": "uint8_t *"}


class ForwardFunction:
    """One function in C, to which operations write their text (ops/operation.py, Forward).

    records: what it records; None: nothing. lines: whether it names lines of the program. text: its lines so
    far. strips: the functions that run many lanes at once; the last one if it suffices, else the first one.
    exits: the exits that it takes, by their numbers, with the paths to them. rebuild: the recursion that
    rebuilds a list.
    """

    def __init__(
        self, unit: Unit, records: Records | None, lines: bool, strips: Sequence[StripFunction] = ()
    ) -> None:
        self.unit = unit
        self.records = records
        self.lines = lines
        self.strips = strips
        self.text: list[str] = []
        self.exits: dict[int, Path] = {}
        self._paths = {id(path.end): path for path in (records.paths if records else all_paths(unit))}
        self._births = records.births if records else frozenset()  # that it records
        self._labels: dict[int, int] = {}  # numbers of nodes that something jumps to
        self._at: Node | None = None  # whose text is being written
        self._temporaries: dict[str, str] = {}  # variables that hold no place, and their types
        self._taken = taken_before(self._paths.values())
        entries = [header.entry or () for header in unit.headers]
        self._duals = max(sum(map(is_opened, [each for _, each in entry])) for entry in entries)
        self._fields = fields_of_pairs(unit)
        self._distances: set[str] = set()  # variables of rest_from
        self._walks = Walks(() if strips else self._paths.values(), self._fields)
        self._stack = stack_use(self._paths.values())
        self.rebuild = None if strips else recursions.find(unit, self._paths.values(), self._fields)
        self._rebuilds = Rebuilds(self.rebuild, records, self._fields, self._walks, self._distances)
        self._takes_tags = any(taken.tags for taken in self._taken.values())

    def function(self) -> list[str]:
        """Return its lines."""
        self._entries()
        for header in reached(self.unit):
            self._header(header)
        for path in list(self.exits.values()):
            self._exit(path)
        if self._duals:
            self._leave()
        return [
            *(settle(self._stack, self._name) if self._stack.moves else []),
            f"EXPORTED bool {self._name}(const Unit *unit, Machine *m, uint32_t entry, int64_t stop);",
            f"bool {self._name}(const Unit *unit, Machine *m, uint32_t entry, int64_t stop) {{",
            *self._declarations(),
            *self.text,
            "}",
        ]

    @property
    def _name(self) -> str:
        return "unit_tape" if self.records else "unit_plain"

    def _declarations(self) -> list[str]:
        used = set(re.findall(r"\w+", "\n".join(self.text)))
        lines: list[str] = []
        for kind, c_type in C_TYPES.items():
            names = [place.name for place in self.unit.places if place.kind == kind and place.name in used]
            lines += declaration(c_type, names)
        lines += declaration("uint64_t", sorted(residual.name for residual in self._births))
        if self.records:
            self._temporaries |= TAPE_VARIABLES
        lines += [f"    {c_type}{name};" for name, c_type in sorted(self._temporaries.items())]
        if self._duals:
            lines.append(f"    Value duals[{self._duals}] = {{{', '.join(['{0}'] * self._duals)}}};")
        lines += ["    const Value *const r = m->registers;", "    int64_t left = stop - m->steps;"]
        if self.strips:
            lines += [
                "    static Patience patience;",
                "    int64_t alone = relaxed(&patience.alone), coming, chunks;",
            ]
            lines.append("    bool ran = false, asks = true; /* other threads, for strips */")
            lines.append("    bool sharp = true; /* strips without some cotangents run */")
        if "frames" in used:
            lines.append("    Frames frames = frames_of(m);")
        lines += self._walks.declarations()
        lines += [f"    uintptr_t {name} = 0;" for name in sorted(self._distances)]
        lines += self._rebuilds.declarations()
        lines += ["    const int64_t first = left;", "    int64_t births = m->births;"]
        return [*lines, "    int64_t tags = m->tags;"] if self._takes_tags else lines

    def job(self) -> list[str]:
        """Return the functions that run strips in several threads."""
        return [line for strip in self.strips if (own := self._together(strip)) for line in own.functions()]

    def _together(self, strip: StripFunction) -> Together | None:
        """Return how several threads run strips; None: that the header is left is more than its params."""
        header = strip.plan.loop
        if self.records is None:
            return Together(strip, (), ())
        words = self.records.of_end[id(header.exit)].words
        if header.exit.effects or any(word.birth or word.place not in header.params for word in words):
            return None
        ends = [*self.record(header.exit), self.run_end(header.exit)]
        return Together(strip, ends, self._prologue(header))

    def _loop_exit(self) -> Exit | None:
        strip = self.strips[0] if self.strips else None
        return strip.plan.loop.exit if strip is not None and self._together(strip) is not None else None

    def run_end(self, exit: Exit) -> str:
        return f"services->run_end(m, unit, entry, {exit.number}, start, up, ways, end);"

    def _take(self, exit: Exit) -> str:
        """Return the statement that takes an exit."""
        self.exits.setdefault(exit.number, self._paths[id(exit)])
        return f"goto exit_{exit.number};"

    # Entries

    def _entries(self) -> None:
        self.put("switch (entry) {")
        for header in self.unit.headers:
            if header.entry is not None:
                self.put(f"case {header.number}:")
                self.put(*[f"    {line}" for line in self._entry(header, header.entry)])
        self.put("default: return false;", "}")

    def _entry(self, header: Header, entry: Entry) -> list[str]:
        lines = [*opening(header, entry, self.temporary), *self.begin(header), *own_duals(entry)]
        return [*lines, *shared_dropped(header), f"goto header_{header.number};"]

    def begin(self, header: Header) -> list[str]:
        """Return the statements that begin a record at an entry, with its prologue."""
        if not self.records:
            return []
        late = self.records.late_at(header)
        tests = [f"!same_{param.kind}({param.name}, {own.name})" for param, own in late]
        lines = [f"if ({' || '.join(tests)}) return false;"] if tests else []
        lines += [f"{param.name} = {own.name};" for param, own in late]
        lines += [self._run_begin(header), "if (!start) return false;"]
        return [*lines, *self._prologue(header), "ways = (uint8_t *)end;"]

    def _run_begin(self, header: Header) -> str:
        assert self.records is not None
        least = len(self.records.prologue) + (self.records.max_bytes(header) + WORD - 1) // WORD
        wanted = "WANTED" if self.strips else "0"
        return f"start = services->run_begin(m, {least}, {wanted}, &end);"

    def _prologue(self, header: Header) -> list[str]:
        """Return the statements that record the prologue."""
        assert self.records is not None
        prologue = self.records.prologue_at(header)
        lines = [f"start[{i}].{word};" for i, word in enumerate(map(word_at_entry, prologue))]
        return [*lines, f"up = start + {len(prologue)};" if prologue else "up = start;"]

    # Headers and nodes

    def _header(self, header: Header) -> None:
        self.text.append(f"header_{header.number}: {_comment(header)}")
        room = self.records.max_bytes(header) if self.records else 0
        test = f"left < {header.max_steps}" + (f" || !has_room(up, ways, {room})" if room else "")
        self.put(*self._rebuilds.at(header, self))
        self.put(if_unlikely(test, self._take(header.exit)))
        if self.strips and header is self.strips[0].plan.loop:
            self._some_strip(header)
        waiting: list[tuple[Node, dict[Place, int]]] = [(header.root, {})]
        while waiting:
            node, before = waiting.pop()
            plain = plain_fields(node.ops, before)
            self._node(node, plain)
            waiting += [(each, plain) for each in reversed(following(node))]

    def _some_strip(self, header: Header) -> None:
        """Run the next lanes at once, if they can be."""
        general, *others = self.strips
        self.put(f"coming = {lanes_left(general.plan)};", "chunks = chunks_of(&patience, coming);")
        self.put("if (!is_alone(&patience, &alone, ran) && chunks > 1) {")
        for each in others:
            self.put(f"if (sharp && {each.suffices()}) {{")
            self._strip(each, header)
            self.put("}")
        self.put("if (!alone) {" if others else "{")
        self._strip(general, header)
        self.put("}", "}")

    def _strip(self, strip: StripFunction, header: Header) -> None:
        together = self._together(strip)
        size = "(up - up_before) + (ways_before - ways) / WORD_BYTES" if self.records else "0"
        noted = "note_outcome(&patience, outcome, chunks, wider, &alone, &ran);"
        noted = f"if (sharp) {noted}" if strip.is_sharp else noted
        self.put(*([f"    {line}" for line in self._team(together, header)] if together else []))
        self.put(
            *strip.narrowed(self._take(header.exit)),
            "if (chunks > 1) {",
            "    const int64_t left_before = left;",
            *(["    const Word *const up_before = up;"] if self.records else []),
            *(["    const uint8_t *const ways_before = ways;"] if self.records else []),
            f"    const StripOutcome outcome = {strip.call()};",
            if_unlikely("outcome == FULL && ran", self._take(header.exit)),
            *(["    sharp = outcome != LEFT;"] if strip.is_sharp else []),
            "    const int64_t steps = left_before - left;",
            f"    const bool wider = note_ran(&patience, outcome, chunks, coming, steps, {size});",
            f"    {noted}",
            "    if (has_run(outcome)) {",
            *[f"        {line}" for line in strip.after()],
            f"        goto header_{header.number};",
            "    }",
            "}",
        )

    def _team(self, together: Together, header: Header) -> list[str]:
        """Return the statements that have several threads run strips, on a tape as runs of their own."""
        if self.records is None:
            return together.call((), ())
        self._take(header.exit)
        late = self.records.late_at(header)
        again = [
            self._run_begin(header),
            if_unlikely("!start", f"goto leave_{header.exit.number};"),
            *self._prologue(header),
            "ways = (uint8_t *)end;",
            f"entry = {header.number};",
        ]
        return together.call([f"same_{param.kind}({param.name}, {own.name})" for param, own in late], again)

    def _node(self, node: Node, plain_fields: dict[Place, int]) -> None:
        if id(node) in self._labels:
            self.text.append(f"node_{self._labels[id(node)]}: {_comment(node)}")
        elif node.steps:  # else the label of its header says the same
            self.put(_comment(node))
        self._at = node
        for op in self.records.tested(node.ops) if self.records else node.ops:
            op.write(self)
        if isinstance(node.end, Return):
            self._find_case(node.end, node.exit)
        effects = self._walks.counted(node, joined(node.effects, self._fields), plain_fields)
        self.put(*self._rebuilds.before(effects))
        write_effects(self, effects, plain_fields)
        match node.end:
            case Fork(test, _, other):
                self.put(f"if (!{plain(test)}) goto {self._label(other)};")
            case Return(cases):
                for found, number in point_tests("point", [points for points, _ in cases[1:]]):
                    self.put(f"if ({found}) goto {self._label(cases[1 + number][1])};")
            case Jump():
                self._jump(node.end)
            case Exit():
                self.put(self._take(node.end))

    def _label(self, node: Node) -> str:
        return f"node_{self._labels.setdefault(id(node), len(self._labels))}"

    def _find_case(self, end: Return, exit: Exit) -> None:
        """Exit, before any effect, where no case is the top frame's."""
        self.put(*self._rebuilds.before_pop())
        top = self.temporary("point", "const void *")
        self.put(f"{top} = top_point(frames);")
        found = [test for test, _ in point_tests(top, [points for points, _ in end.cases])]
        self.put(if_unlikely(f"!({' || '.join(found)})" if found else "true", self._take(exit)))

    # What operations write to

    def put(self, *lines: str) -> None:
        """Append statements."""
        self.text += [part for line in lines for part in broken(f"    {line}")]

    def exit(self) -> str:
        """Return the statement that leaves the unit as if the present node had not begun."""
        assert self._at is not None
        return self._take(self._at.exit)

    def line(self, number: int) -> None:
        """Name the line of the program that the next statements come from; 0: none."""
        assert self._at is not None
        span = self._at.block.code.span if self.lines and number else None
        if span is not None:
            self.text.append(f'#line {number} "{in_quotes(span.source.name)}"')

    def temporary(self, name: str, c_type: str) -> str:
        """Declare a variable of the function, once, and return its name."""
        self._temporaries[name] = c_type
        return name

    def record_birth(self, owner: Place) -> None:
        """Set the variable of the birth of the object in a place, if the function records it."""
        birth = Residual(owner, birth=True)
        if birth in self._births:
            self.put(f"{birth.name} = birth_to_give({owner.name}.object);")

    def births_before(self, operation: Operation) -> int | None:
        """Return how many births the path takes before an operation; None: every path through it fails."""
        taken = self._taken.get(id(operation))
        return taken.births if taken else None

    def tags_before(self, operation: Operation) -> int | None:
        """Return how many tags of duals it takes, likewise."""
        taken = self._taken.get(id(operation))
        return taken.tags if taken else None

    # Ends

    def record(self, end: Jump | Exit) -> list[str]:
        """Return the statements that record the residuals of a path."""
        if not self.records:
            return []
        words = self.records.of_end[id(end)].words
        lines = [f"up[{i}].{residual.part} = {residual.name};" for i, residual in enumerate(words)]
        return [*lines, f"up += {len(words)};"] if words else []

    def _jump(self, jump: Jump) -> None:
        self.put(*self.record(jump))
        if self.records:
            self.put(f"*--ways = {jump.number};")
        if jump.steps:
            self.put(f"left -= {jump.steps};")
        taken = self._taken[id(jump)]
        if taken.births:
            self.put(f"births += {taken.births};")
        if taken.tags:
            self.put(f"tags += {taken.tags};")
        moves = moved(jump, self._fields, self._distances)
        self.put(*in_braces([*in_order(moves), f"goto {self._rebuilds.label(jump)};"]))

    def _exit(self, path: Path) -> None:
        """Write the code of an exit."""
        exit = path.end
        assert isinstance(exit, Exit)
        self.text.append(f"exit_{exit.number}: {_comment(exit)}")
        self.put(*self._rebuilds.before_exit())
        write_effects(self, self._walks.at(exit), {})
        if path.header.entry is not None and path.is_undone:
            self.put(f"if (left == first && entry == {path.header.number}) return false;")
        self.put(*self.record(exit))
        if self.records:
            self.put(self.run_end(exit))
            if exit is self._loop_exit():
                self.text.append(f"leave_{exit.number}:")
        steps = f"stop - left + {exit.steps}" if exit.steps else "stop - left"
        taken = self._taken[id(exit)]
        births = f"births + {taken.births}" if taken.births else "births"
        if self._takes_tags:
            self.put(f"m->tags = tags + {taken.tags};")
        if self._stack.moves:
            self.put(f"{self._name}_settle(unit, m, frames);")
        to = self.temporary("to", "Value *")
        self.put(f"{to} = leave_to(m, {self.unit.reference(exit.block)}, {steps}, {births});")
        self.put(*stored(exit.contents))
        self.put("goto leave;" if self._duals else "return true;")

    def _leave(self) -> None:
        """Write what all exits end with."""
        self.text.append("leave:")
        self.put(*[f"drop(m->heap, duals[{i}]);" for i in range(self._duals)], "return true;")


def _comment(at: Node | Header | Exit) -> str:
    """Return a comment that says where in the program a label is."""
    code = at.block.procedure.code
    where = f"block {at.block.block.label}" + (f" of {code.name}" if code is not None else "")
    return comment(f"exit to {where}" if isinstance(at, Exit) else where)
