"""The statements that run the lanes of a strip to their ends (functions.py has what is around them).

In: a unit, the plan of its loop over lanes, the records of the strip if it is taped. Out: statements in C.

The trees of headers are written once for each chunk of lanes, with a mask for each node. A header is run
for all chunks that have lanes there; then the first header that has lanes, so that those within a loop
leave it before what comes behind is run. What cannot be undone (objects that are made, results that are
appended) waits until all lanes have ended, and is then done for one lane after another, in their order.

What always holds: a variable of a chunk is right in the lanes of the mask under which it is read.
"""

from __future__ import annotations

import re
from itertools import groupby

from checkpoint.ctarget.translate.ops.object_ops import Birth
from checkpoint.ctarget.translate.ops.operation import Effect, Operation
from checkpoint.ctarget.translate.ops.places import Place
from checkpoint.ctarget.translate.ops.words import comment, if_unlikely, plain, value
from checkpoint.ctarget.translate.strips import cells, lanes, slots
from checkpoint.ctarget.translate.strips.activity import check_dropped
from checkpoint.ctarget.translate.strips.closing import save
from checkpoint.ctarget.translate.strips.counting import StepCounts
from checkpoint.ctarget.translate.strips.ends import Ends
from checkpoint.ctarget.translate.strips.lines import Choice, StripText
from checkpoint.ctarget.translate.strips.plan import (
    Plan,
    first_of,
    groups,
    kept_name,
    leaders,
    loops,
    remembered,
)
from checkpoint.ctarget.translate.strips.records import StripRecords
from checkpoint.ctarget.translate.strips.sharing import Carried
from checkpoint.ctarget.translate.strips.vectors import FAILED, FULL, NONE, SHORT, TYPES, spread, statements
from checkpoint.ctarget.translate.units.graph import Fork, Header, Jump, Next, Node, Unit
from checkpoint.ctarget.translate.units.invariants import copies, original
from checkpoint.ctarget.translate.units.paths import following

CHEAP = 12  # operations that are rather done for no lane than skipped


class StripLanes(StripText):
    """The statements that run all lanes, without declarations."""

    def __init__(self, unit: Unit, plan: Plan, records: StripRecords | None) -> None:
        super().__init__(plan, records)
        self.unit = unit
        self._masks = 0
        self._ends = Ends(plan)
        self._is_first = False  # whether the loop's own header is written, at which all lanes begin
        self._before: dict[int, int] = {}  # a birth, or the end of a path: births on the path before
        self._late = {id(each) for late in plan.late.values() for each in late}
        self.takes_births = any(place in plan.births for place in unit.places)
        self.groups = groups(plan)
        self._leader = leaders(self.groups)
        self._carried = Carried(plan, self.groups, self._is_passed)
        self._counts = StepCounts(self.groups, self._ends.stays)
        self._slotted = False  # whether a turn of slots is written
        self._below: dict[tuple[int, bool], int | None] = {}  # operations from a node on: see _plain_below
        for path in plan.ways.values():
            count = 0
            for operation in path.operations:
                self._before[id(operation)] = count
                count += operation.births
            self._before[id(path.end)] = count

    def body(self) -> list[str]:
        """Return the statements that run all lanes to their ends."""
        for group in self.groups:
            self._group(group)
        self._schedule()
        return self.lines

    # Headers

    def _group(self, group: list[Header]) -> None:
        """Write what runs headers for all chunks that have lanes at the first of them."""
        header = group[0]
        self.set.clear()
        self._is_first = header is self.plan.loop
        self.lines.append(f"run_{header.number}: {comment(f'block {header.block.block.label}')}")
        self.put("{")
        self.indent = 2
        self.put(if_unlikely("left < 0", SHORT))
        write = self._in_slots if loops(self.plan, group) else self._by_chunks
        write(group)
        self.indent = 1
        self.put("}")
        if len(self.groups) > 1 and group is not self.groups[-1]:
            self.put("goto next;")

    def _by_chunks(self, group: list[Header]) -> None:
        """Write one turn for each chunk that has lanes at the first header of a group."""
        number = group[0].number
        steps = self._counts.of_header[number]
        self.put(*self._room(group, "chunks"))
        if self._is_first:
            self.put("const Chunks here = FIRST_CHUNKS(chunks);")
            begin = ["const Mask in = ALL_LANES;", f"left -= {steps} * WIDTH;"]
        else:
            self.put(f"const Chunks here = live_{number};", f"live_{number} = 0;")
            begin = [f"const Mask in = at_{number}[u];", f"at_{number}[u] = NO_LANES;"]
            begin += ["turns++;", "lanes += count_of(in);", f"SPEND({steps}, in);"]
        self.put("Spending spent = {0};", "FOR_CHUNKS(u, here) {")
        self.indent = 3
        self.put(*begin)
        self._turn(group)
        self.indent = 2
        self.put("}", "left -= total_of(spent);")

    def _room(self, group: list[Header], chunks: str) -> list[str]:
        """Return the statement that ends the strip if a turn of some chunks might not fit on the tape."""
        if self.records is None:
            return []
        return [if_unlikely(f"!has_room(up, ways, {self.records.room(group)} * {chunks})", FULL)]

    def _turn(self, group: list[Header]) -> None:
        """Write one turn of a group for the lanes of the mask `in`."""
        header, *others = group
        merged = self.records.of_group.get(header.number) if self.records else None
        self.put(*(merged.begin() if merged else []))
        for other in others:
            self.put(f"Mask here_{other.number} = NO_LANES;")
            for param in filter(self._carried.has_vector, other.params):
                self.put(f"{TYPES[param.kind]} {param.name}_here = {NONE[param.kind]};")
        self._header(header, "in")
        for other in others:
            self.put("{")
            self.indent += 1
            self._header(other, f"here_{other.number}")
            self.indent -= 1
            self.put("}")
        self.put(*(merged.writes(self._chunk) if merged else []))

    @property
    def _chunk(self) -> str:
        """Return the number of the chunk that a turn is of, in C: those of slots are behind the others."""
        return "CHUNKS + u" if self._slotted else "u"

    def _in_slots(self, group: list[Header]) -> None:
        """Write the turns of a group that loops (slots.py)."""
        header = group[0]
        before, indent = self.lines, self.indent
        self.lines, self.indent, self._slotted = [], 0, True
        self._turn(group)
        below = [self._plain_below(each.root, calls=True) for each in group]
        is_plain = all(self._plain_below(each.root) is not None for each in group)
        vectors = 2 if None not in below and sum(filter(None, below)) <= slots.MOST_TOGETHER else 1
        room = self._room(group, str(vectors))
        steps, lines = self._counts.of_header[header.number], slots.needed(self.lines)
        turn = slots.Turn(header.number, steps, lines, room, is_plain)
        self.lines, self.indent, self._slotted = before, indent, False
        left_behind = {self._array(param)[:-3] for param in header.params if param in self._carried.free}
        found = slots.arrays(turn, set(self.saved), left_behind)
        is_taped = self.records is not None and self.records.has_moves(group)
        moves = self.groups.index(group) if is_taped else None
        self.put(*slots.run(turn, found, vectors, moves))

    def _header(self, header: Header, mask: str) -> None:
        """Write the tree of a header for the lanes of a mask, behind the params that it reads."""
        before = self.lines
        tree: list[str] = []
        self.lines = tree
        self._node(header.root, mask, self._plain_below(header.root))
        self.lines = before
        self._params(header, "\n".join(tree))
        self.lines += tree

    def _is_passed(self, param: Place) -> bool:
        """Return whether a param may differ at each turn, and something reads it."""
        plan = self.plan
        is_known = param.kind == "value" and plan.objects.only(param) is not None
        return param not in plan.kept and param in plan.live and not is_known

    def _params(self, header: Header, text: str) -> None:
        """Declare the params that a tree reads, or that others are."""
        used = set(re.findall(r"\w+", text)).union(place.name for place in self._carried.same.values())
        for param in header.params:
            if param.name not in used or param in self.plan.results:
                continue
            origin = self.plan.kept.get(param)
            if header is self.plan.loop:
                if param in self.plan.counters:
                    self.put(f"const Integers {param.name} = first_lanes({first_of(param)} + u * WIDTH);")
            elif origin is None:
                found = self._vector_of(param, header)
                self.put(f"const {TYPES[param.kind]} {param.name} = {found};")
            elif param in self.plan.uniform:
                self.put(f"{param.name} = {value(origin) if param.kind == 'value' else plain(origin)};")
            else:
                assert isinstance(origin, Place)
                self.put(f"const {TYPES[param.kind]} {param.name} = {kept_name(origin)}[u];")

    def _vector_of(self, param: Place, header: Header) -> str:
        """Return where a param is when lanes reach a header."""
        if param in self._carried.same:
            return self._carried.same[param].name
        return f"{param.name}_here" if self._is_within(header) else self._array(param)

    def _schedule(self) -> None:
        """Continue at the first header that has lanes."""
        if len(self.groups) > 1:
            self.lines.append("next:")
        for header, *_ in self.groups[1:]:
            self.put(f"if (live_{header.number}) goto run_{header.number};")
        self.put(if_unlikely("left < 0", SHORT))

    # Nodes

    def _plain_below(self, node: Node, calls: bool = False) -> int | None:
        """Return how many operations there are from a node on, if vectors do all of them.

        calls: whether functions that are called for one lane after another may be among them.
        """
        key = id(node), calls
        if key not in self._below:
            parts = [self._plain_count(op, calls) for op in node.ops]
            parts += [self._plain_below(each, calls) for each in following(node)]
            self._below[key] = None if None in parts else sum(filter(None, parts))
        return self._below[key]

    def _plain_count(self, op: Operation, calls: bool) -> int | None:
        """Return by how many operations on vectors one is done, or None: vectors do not do it."""
        if self._skips(op) or isinstance(op, Birth):
            return 0
        if self.plan.objects.is_own(op):
            return len(cells.statements(op, self.plan, ""))
        is_plain = not self.plan.is_uniform_op(op) and statements(op, self.plan, "") is not None
        return 1 if is_plain or (calls and lanes.is_call(op, self.plan)) else None

    def _skips(self, op: Operation) -> bool:
        return id(op) in self._late or isinstance(op, Effect)

    def _node(self, node: Node, mask: str, cheap: int | None) -> None:
        is_guarded = mask != "in" and (cheap is None or cheap > CHEAP)
        self.put(f"if (any({mask})) {{" if is_guarded else "{")
        self.indent += 1
        self._operations([op for op in node.ops if not self._skips(op)], mask)
        for effect in node.effects:
            if self.plan.objects.made(effect) is not None:
                self.put(*cells.statements(effect, self.plan, mask))
        match node.end:
            case Fork():
                self._fork(node, node.end, mask)
            case Next(after):
                self._node(after, mask, self._plain_below(after))
            case Jump():
                self._leaf(node.end, mask)
        self.indent -= 1
        self.put("}")

    def _fork(self, node: Node, fork: Fork, mask: str) -> None:
        if not (self._ends.stays(fork.then) and self._ends.stays(fork.other)):
            self._gate(fork, mask, goes_on=self._ends.stays(fork.then))
            return
        self._masks += 1
        yes, no = f"yes_{self._masks}", f"no_{self._masks}"
        if self.plan.is_uniform(fork.test):
            self.put(f"const Mask {yes} = {plain(fork.test)} ? {mask} : NO_LANES;")
        else:
            self.put(f"const Mask {yes} = BOTH({mask}, {plain(fork.test)});")
        self.put(f"const Mask {no} = WITHOUT({mask}, {yes});")
        if steps := self._counts.of_fork.get(id(node)):
            self.put(f"SPEND({steps}, {yes});")
        jump = self._ends.sole(node)
        self.choice, set_before = None, frozenset(self.set)
        self._node(fork.then, yes, self._plain_below(fork.then))
        if not self.plan.is_uniform(fork.test):
            self.choice = Choice(plain(fork.test), set_before)
        self._node(fork.other, no, self._plain_below(fork.other))
        self.choice = None
        if jump is not None:
            self._arrive(jump, mask)

    def _gate(self, fork: Fork, mask: str, goes_on: bool) -> None:
        """Write a fork of which one side leaves the loop: the strip ends, or all lanes take the other one."""
        test = plain(fork.test)
        if self.plan.is_uniform(fork.test):
            leaves = f"any({mask}) && {'!' if goes_on else ''}{test}"
        else:
            leaves = f"any((Mask)({mask} & {'~' if goes_on else ''}{test}))"
        self.put(if_unlikely(leaves, FAILED))
        side = fork.then if goes_on else fork.other
        self._node(side, mask, self._plain_below(side))

    def _operations(self, ops: list[Operation], mask: str) -> None:
        """Write the operations of a node. What lanes share is found for the first chunk alone where all lanes
        of a strip come: its memory is not read again, nor what is there tested, for each of them.
        """
        is_once = self._is_first and mask == "in"
        for op in ops:
            if isinstance(op, Birth):
                self._operation(op, mask)
        others = [op for op in ops if not (isinstance(op, Birth) or self._is_silent(op))]
        for is_shared, group in groupby(others, self._is_shared):
            self.put(*["if (u == 0) {"] * (is_shared and is_once))
            for several in lanes.gathered(group, self.plan):
                self._operation(several[0], mask, *several[1:])
            self.put(*["}"] * (is_shared and is_once))

    def _is_shared(self, op: Operation) -> bool:
        return not self.plan.objects.is_own(op) and self.plan.is_uniform_op(op)

    def _is_silent(self, op: Operation) -> bool:
        """Return whether an operation on objects of a lane has no statements."""
        return self.plan.objects.is_own(op) and not cells.statements(op, self.plan, "")

    def _operation(self, op: Operation, mask: str, *others: Operation) -> None:
        """Write an operation. others: which one lane after another does with it."""
        if isinstance(op, Birth):
            (to,) = op.sets()
            self.put(f"const Integers {to.name} = born[u] + {self._before[id(op)]};")
            return
        if self.plan.objects.is_own(op):
            self.put(*cells.statements(op, self.plan, mask))
            return
        if self._is_shared(op):
            op.write(self)
            return
        lines = statements(op, self.plan, mask)
        if lines is None:
            lines = self._by_lanes([op, *others], mask)
        self.put(*lines)

    def _by_lanes(self, ops: list[Operation], mask: str) -> list[str]:
        """Return the statements that do operations for one lane after another."""
        before, self.lines = self.lines, []
        indent, self.indent = self.indent, 0
        tests: dict[str, str] = {}  # of results
        for i, op in enumerate(ops):
            self.put("CLEAN_VECTORS();" if i else "")
            if call := lanes.unchecked(op, self.plan):
                self.put(call.text)
                tests |= call.tests
            else:
                op.write(self)
        lines, self.lines, self.indent = self.lines, before, indent
        sets: list[lanes.Variable] = [(place.name, place.kind) for op in ops for place in op.sets()]
        made = [f"{TYPES[kind]} {name} = {NONE[kind]};" for name, kind in sets]
        loop = lanes.in_lanes(mask, lanes.vectors_in(ops, self.plan), sets, lines)
        return [*made, *self.unless_in_row(ops[0], loop), *lanes.checked(tests, mask)]

    # Leaves

    def _leaf(self, jump: Jump, mask: str) -> None:
        path = self.plan.ways[id(jump)]
        if self.records:
            tests, others = check_dropped(self.plan, path, mask)
            self.put(*tests, *[line for each in others for line in self._by_lanes([each], mask)])
            self.put(*self.records.writes(path, mask, self._chunk))
        births = self._before[id(jump)]
        if births:
            self.put(f"born[u] = either_integers({mask}, born[u] + {births}, born[u]);")
        if path.header is self.plan.loop:
            for place in remembered(self.plan, path):
                self.set_lanes(f"{kept_name(place)}[u]", place.kind, mask, place.name)
        if self.plan.closes(path):
            save(self, path, mask)
            return
        is_within = self._is_within(jump.header)
        known = copies(path)
        for param, source in zip(jump.header.params, jump.sources, strict=True):
            if self._carried.has_vector(param) and not self._carried.is_there(
                path, param, original(source, known)
            ):
                to = f"{param.name}_here" if is_within else self._array(param)
                write = self.set_lanes if is_within or param in self._carried.free else self.blend
                write(to, param.kind, mask, spread(source, self.plan))
        if id(jump) not in self._ends.arrived:
            self._arrive(jump, mask)

    def _arrive(self, jump: Jump, mask: str) -> None:
        """Have the lanes of a mask wait where a jump leads."""
        number = jump.header.number
        if self._is_within(jump.header):
            self.put(f"here_{number} = EITHER(here_{number}, {mask});")
        else:
            live = [] if self._slotted else [f"live_{number} |= (Chunks)any({mask}) << u;"]
            self.put(f"at_{number}[u] = EITHER(at_{number}[u], {mask});", *live)

    def _array(self, param: Place) -> str:
        """Return the vector in which lanes that wait at a header have a param."""
        return f"{kept_name(self._carried.arrays[param])}[u]"

    def _is_within(self, header: Header) -> bool:
        """Return whether a header is run in the turn in which lanes reach it, behind another."""
        return self._leader[id(header)] is not header
