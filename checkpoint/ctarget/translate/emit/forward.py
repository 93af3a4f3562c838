"""The functions of a unit that run forward: `unit_plain`, and `unit_tape`, which also records.

In: a unit, and its records for `unit_tape`. Out: a function in C. Its places are variables, its heads and
nodes labels, in the order of the trees; each end that leaves has a label of its own behind them.

What always holds: steps are counted where a path ends, in `left`, what may still be made of them. Nothing
that the machine could tell has been done when it returns false.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from checkpoint.ctarget.translate.emit.records import WORD, Kept, Records
from checkpoint.ctarget.translate.ops.actions import (
    Apart,
    Apply,
    Birth,
    Changeable,
    Convert,
    Copy,
    Drop,
    Effect,
    Element,
    Enclosed,
    Expect,
    IsKind,
    Keep,
    Known,
    Length,
    Load,
    Make,
    Op,
    Peek,
    Place,
    Pop,
    Push,
    Same,
    SetCall,
    Source,
    Tag,
    TagOf,
    Tangent,
    Update,
)
from checkpoint.ctarget.translate.ops.scalar_words import Fail, applied, pushed
from checkpoint.ctarget.translate.ops.words import (
    C_TYPES,
    PAYLOADS,
    TAGS,
    Move,
    broken,
    comment,
    content,
    declaration,
    has_tag,
    in_braces,
    in_order,
    in_quotes,
    lacks_tag,
    name_of,
    plain,
    reference,
    unlike,
    value,
)
from checkpoint.ctarget.translate.units.graph import Fork, Go, Head, Leave, Node, Return, Unit
from checkpoint.ctarget.translate.units.paths import Path, all_paths, following, reached

# What else a function works with, if it does.
WORKING = {
    "field": "const Value *",
    "saved": "const Value *",
    "to": "Value *",
    "result": "Value ",
    "point": "const void *",
    "start": "Word *",
    "up": "Word *",
    "end": "Word *",
    "ways": "uint8_t *",
}


class Forward:
    """One function. records: of what it records; None: nothing. lines: whether it names the program's."""

    def __init__(self, unit: Unit, records: Records | None, lines: bool) -> None:
        self.unit = unit
        self.records = records
        self.lines = lines
        self.text: list[str] = []
        self.labels: dict[int, int] = {}  # numbers of nodes that are jumped to
        self.left_by: dict[int, Path] = {}  # by the numbers of Leaves
        self.paths = {id(path.end): path for path in (records.paths if records else all_paths(unit))}
        self.births = records.births if records else frozenset()
        self.born: dict[int, int] = {}  # of each Birth, and of each path's end: births before it on its path
        self._count_births()

    def _count_births(self) -> None:
        """How many there are on a path before each, and before its end."""
        for path in self.paths.values():
            ops = [op for node in path.nodes for op in node.ops if isinstance(op, Birth)]
            self.born.update({id(op): number for number, op in enumerate(ops)})
            self.born[id(path.end)] = len(ops)

    def function(self) -> list[str]:
        """Its lines."""
        self._entries()
        for head in reached(self.unit):
            self._head(head)
        for path in list(self.left_by.values()):
            self._leave(path)
        name = "unit_tape" if self.records else "unit_plain"
        return [
            f"EXPORTED bool {name}(const Unit *unit, Machine *m, uint32_t entry, int64_t stop);",
            f"bool {name}(const Unit *unit, Machine *m, uint32_t entry, int64_t stop) {{",
            *self._declarations(),
            *self.text,
            "}",
        ]

    def _declarations(self) -> list[str]:
        used = set(re.findall(r"\w+", "\n".join(self.text)))
        lines: list[str] = []
        for kind, c_type in C_TYPES.items():
            names = [place.name for place in self.unit.places if place.kind == kind and place.name in used]
            lines += declaration(c_type, names)
        lines += declaration("uint64_t", sorted(kept.name for kept in self.births))
        lines += [f"    {c_type}{name};" for name, c_type in WORKING.items() if name in used]
        lines += ["    const Value *const r = m->registers;", "    int64_t left = stop - m->steps;"]
        return [*lines, "    const int64_t first = left;", "    int64_t births = m->births;"]

    def put(self, *lines: str) -> None:
        """More statements."""
        self.text += [part for line in lines for part in broken(f"    {line}")]

    def fail(self, leave: Leave) -> str:
        """Leaving the unit there."""
        self.left_by.setdefault(leave.number, self.paths[id(leave)])
        return f"goto leave_{leave.number};"

    # Entries

    def _entries(self) -> None:
        self.put("switch (entry) {")
        for head in self.unit.heads:
            if head.entry is not None:
                self.put(f"case {head.number}:")
                self.put(*[f"    {line}" for line in self._entry(head, head.entry)])
        self.put("default: return false;", "}")

    def _entry(self, head: Head, entry: tuple[tuple[int, Place | Tag | Known], ...]) -> list[str]:
        tests = [f"left < {head.most}"]
        tests += [test for register, wanted in entry if (test := unlike(f"r[{register}]", wanted))]
        lines = [f"if ({' || '.join(tests)}) return false;"]
        for register, wanted in entry:
            if isinstance(wanted, Place):
                lines.append(f"{wanted.name} = {content(f'r[{register}]', wanted.kind)};")
            elif isinstance(wanted, Known) and wanted.environment is not None:
                lines.append(f"{wanted.environment.name} = environment_of(r[{register}]);")
        return [*lines, *self._begin(head), f"goto head_{head.number};"]

    def _begin(self, head: Head) -> list[str]:
        if not self.records:
            return []
        header = self.records.header_at(head)
        tests = [f"!same_{late.kind}({late.name}, {own.name})" for late, own in self.records.late_at(head)]
        least = len(header) + (self.records.most_bytes(head) + WORD - 1) // WORD
        lines = [f"if ({' || '.join(tests)}) return false;"] if tests else []
        lines += [f"{late.name} = {own.name};" for late, own in self.records.late_at(head)]
        lines += [f"start = services->run_begin(m, {least}, &end);", "if (!start) return false;"]
        for i, kept in enumerate(header):
            text = f"birth_of({kept.place.name})" if kept.birth else kept.place.name
            lines.append(f"start[{i}].{kept.part} = {text};")
        first = f"start + {len(header)}" if header else "start"
        return [*lines, f"up = {first};", "ways = (uint8_t *)end;"]

    # Heads and nodes

    def _head(self, head: Head) -> None:
        self.text.append(f"head_{head.number}: {_comment(head)}")
        room = self.records.most_bytes(head) if self.records else 0
        test = f"left < {head.most}" + (f" || !has_room(up, ways, {room})" if room else "")
        self.put(f"if (UNLIKELY({test})) {self.fail(head.leave)}")
        waiting = [head.root]
        while waiting:
            node = waiting.pop()
            self._node(node)
            waiting += reversed(following(node))

    def _node(self, node: Node) -> None:
        if id(node) in self.labels:
            self.text.append(f"node_{self.labels[id(node)]}: {_comment(node)}")
        elif node.steps:  # else its head has just said it
            self.put(_comment(node))
        for op in node.ops:
            self._op(op, node)
        if isinstance(node.end, Return):
            self._see_point(node.end, node.leave)
        for effect in node.effects:
            self.put(*self._effect(effect))
        match node.end:
            case Fork(test, _, other):
                self.put(f"if (!{plain(test)}) goto {self._label(other)};")
            case Return(cases):
                for point, case in cases[1:]:
                    self.put(f"if (point == REFERENCE({point})) goto {self._label(case)};")
            case Go():
                self._go(node.end)
            case Leave():
                self.put(self.fail(node.end))

    def _label(self, node: Node) -> str:
        return f"node_{self.labels.setdefault(id(node), len(self.labels))}"

    def _see_point(self, end: Return, leave: Leave) -> None:
        """Before any effect: the unit is left where no case is the top frame's."""
        self.put("point = top_point(m);")
        tests = " && ".join([f"point != REFERENCE({point})" for point, _ in end.cases]) or "true"
        self.put(f"if (UNLIKELY({tests})) {self.fail(leave)}")

    # Ops

    def _op(self, op: Op, node: Node) -> None:
        fail = self.fail_of(node)
        match op:
            case Apply():
                self._line(op, node)
                self.put(*applied(op, fail))
            case Copy(to, source):
                self.put(f"{to.name} = {plain(source)};")
            case Load():
                self._read(op, f"field = field_of({op.owner.name}, {op.index});", fail)
            case Element(_, owner, index, at, steps):
                text = f"field = element({owner.name}, {plain(index)}, {_now(steps)}, &{at.name});"
                self._read(op, text, fail)
            case Length(to, owner, steps):
                self.put(f"if (UNLIKELY(!has_length({owner.name}, {_now(steps)}, &{to.name}))) {fail()}")
            case Changeable(to, owner, index, steps):
                text = f"changeable_{'end' if index is None else 'element'}"
                given = "" if index is None else f"{plain(index)}, "
                self.put(f"if (UNLIKELY(!{text}({owner.name}, {given}{_now(steps)}, &{to.name}))) {fail()}")
            case Apart(place, other):
                self.put(f"if (UNLIKELY({place.name}.object == {other.name}.object)) {fail()}")
            case Convert(to, function, operands):
                given = ", ".join([*map(plain, operands), f"&{to.name}"])
                self.put(f"if (UNLIKELY(!{function}({given}))) {fail()}")
            case Expect(place, tag, procedure, count):
                self.put(f"if (UNLIKELY({lacks_tag(place.name, tag, procedure, count)})) {fail()}")
            case Tangent():
                self.put(f"{op.to.name} = {pushed(op)};")
            case TagOf(to, place):
                self.put(f"{to.name} = (int64_t){place.name}.object->birth;")
            case Same(a, b):
                self.put(f"if (UNLIKELY({a.name} != {b.name})) {fail()}")
            case Enclosed(to, place):
                self.put(f"{to.name} = environment_of({place.name});")
            case IsKind(to, place, tag):
                self.put(f"{to.name} = {has_tag(place.name, tag)};")
            case Peek():
                self._peek(op, fail)
            case Birth(to):
                if id(op) in self.born:  # else all ways from here leave at the head, where none has been made
                    self.put(f"{to.name} = births + {self.born[id(op)]};")

    def fail_of(self, node: Node) -> Fail:
        """How its ops leave: asked for only where one can."""
        return lambda: self.fail(node.leave)

    def _line(self, op: Apply, node: Node) -> None:
        span = node.block.code.span if self.lines and op.line else None
        if span is not None:
            self.text.append(f'#line {op.line} "{in_quotes(span.source.name)}"')

    def _read(self, op: Load | Element, text: str, fail: Fail) -> None:
        """A field, which a text looks up: NULL where there is none."""
        self.put(text)
        test = "!field" if op.to.kind == "value" else f"!field || field->tag != {TAGS[op.to.kind]}"
        self.put(f"if (UNLIKELY({test})) {fail()}")
        got = "load(field)" if op.to.kind == "value" else f"field->{PAYLOADS[op.to.kind]}"
        self.put(f"{op.to.name} = {got};")
        birth = Kept(op.owner, birth=True)
        if birth in self.births:
            self.put(f"{birth.name} = {op.owner.name}.object->birth;")

    def _peek(self, op: Peek, fail: Fail) -> None:
        self.put(f"if (UNLIKELY(top_point(m) != REFERENCE({op.point}))) {fail()}")
        if not op.saved:
            return
        self.put("saved = stack_top_saved(&m->stack);")
        tests = [test for i, place in enumerate(op.saved) if (test := unlike(f"saved[{i}]", place))]
        if tests:
            self.put(f"if (UNLIKELY({' || '.join(tests)})) {fail()}")
        self.put(
            *[f"{place.name} = {content(f'saved[{i}]', place.kind)};" for i, place in enumerate(op.saved)]
        )

    # Effects

    def _effect(self, effect: Effect) -> list[str]:
        match effect:
            case Make(made, tag, cells, birth):
                kind = "RECORD" if tag == "TUPLE" else tag
                text = f"to = make(m, {kind}, {len(cells)}, {birth.name}, &{made.name});"
                if tag == "LIST":
                    text = f"to = make_list(m, {len(cells)}, {birth.name}, &{made.name});"
                return [text, *_stored(enumerate(cells))]
            case Update():
                return self._update(effect)
            case Keep(place):
                return [f"keep({place.name});"]
            case Drop(place):
                return [f"drop(m->heap, {place.name});"]
            case Push(point, saved, call):
                shown = "NULL" if call is None else f"REFERENCE({call})"
                return [f"to = push(m, REFERENCE({point}), {shown});", *_stored(enumerate(saved))]
            case Pop(_, saved):
                return [f"pop(m, {len(saved)});"]
            case SetCall(call):
                return [f"set_call(m, REFERENCE({call}));"]

    def _update(self, effect: Update) -> list[str]:
        where = "" if effect.appends else f"{effect.at.name}, "
        function = "append" if effect.appends else "set_element"
        given = f"{where}{_now(effect.steps)}, {value(effect.value)}"
        lines = [f"{effect.to.name} = {function}(m, {effect.owner.name}, {given});"]
        birth = Kept(effect.to, birth=True)
        if birth in self.births:
            lines.append(f"{birth.name} = {effect.to.name}.object->birth;")
        return lines

    # Ends

    def _record(self, end: Go | Leave) -> list[str]:
        if not self.records:
            return []
        words = self.records.of_end[id(end)].words
        lines = [f"up[{i}].{kept.part} = {kept.name};" for i, kept in enumerate(words)]
        return [*lines, f"up += {len(words)};"] if words else []

    def _go(self, go: Go) -> None:
        self.put(*self._record(go))
        if self.records:
            self.put(f"*--ways = {go.number};")
        if go.steps:
            self.put(f"left -= {go.steps};")
        if self.born[id(go)]:
            self.put(f"births += {self.born[id(go)]};")
        moves = [
            Move(C_TYPES[param.kind], param.name, plain(source), name_of(source))
            for param, source in zip(go.head.params, go.sources, strict=True)
        ]
        self.put(*in_braces([*in_order(moves), f"goto head_{go.head.number};"]))

    def _leave(self, path: Path) -> None:
        leave = path.end
        assert isinstance(leave, Leave)
        self.text.append(f"leave_{leave.number}: {_comment(leave)}")
        if path.head.entry is not None and path.undone:
            self.put(f"if (left == first && entry == {path.head.number}) return false;")
        for effect in leave.effects:
            self.put(*self._effect(effect))
        self.put(*self._record(leave))
        if self.records:
            self.put(f"services->run_end(m, unit, entry, {leave.number}, start, up, ways, end);")
        steps = f"stop - left + {leave.steps}" if leave.steps else "stop - left"
        births = f"births + {self.born[id(leave)]}" if self.born[id(leave)] else "births"
        self.put(f"to = leave_to(m, {reference(self.unit, leave.block)}, {steps}, {births});")
        self.put(*_stored(leave.contents), "return true;")


def _now(steps: int) -> str:
    """How many steps the machine has made, so many after the path's head."""
    return f"stop - left + {steps}"


def _stored(sources: Iterable[tuple[int, Source]]) -> list[str]:
    return [f"store(&to[{i}], {value(source)});" for i, source in sources]


def _comment(at: Node | Head | Leave) -> str:
    """Where in the program a label is."""
    code = at.block.procedure.code
    where = f"block {at.block.block.label}" + (f" of {code.name}" if code is not None else "")
    what = "leaves at " if isinstance(at, Leave) else ""
    return comment(what + where)
