"""The function of a unit that tapes several segments of one run at once: `unit_abreast`.

In: a unit that is one loop over numbers. Out: a function in C; none where there is more to the unit. Reals
are in vectors of two segments each, all else in a variable for each segment. Params that the loop passes on
as they are must be the same for all. Each segment gets the record that `unit_tape` would write.

What always holds: all segments make the same number of turns, until one lacks room or steps, or is about to
leave the path. Then all are at the header, as where `unit_tape` exits there, and go on alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from checkpoint.ctarget.translate.emit.entry import opening
from checkpoint.ctarget.translate.emit.forward import ForwardFunction
from checkpoint.ctarget.translate.emit.records import Records
from checkpoint.ctarget.translate.ops.object_ops import Birth
from checkpoint.ctarget.translate.ops.operation import Operation
from checkpoint.ctarget.translate.ops.places import C_TYPES, Constant, Place, Source, Tag
from checkpoint.ctarget.translate.ops.scalar_ops import Apply, Convert, Copy, ExpectFinite
from checkpoint.ctarget.translate.ops.scalar_words import CHEAP, exact_integers, expression
from checkpoint.ctarget.translate.ops.words import broken, plain, real, stored
from checkpoint.ctarget.translate.units.graph import Fork, Header, Jump, Node
from checkpoint.ctarget.translate.units.invariants import copies, original
from checkpoint.ctarget.translate.units.paths import Path
from checkpoint.ctarget.translate.units.reversal import WORD

PAIRS = ("ab", "cd")  # the vectors of a real: of four segments (ABREAST in machine/fast.h), two in each
LANES = ("ab[0]", "ab[1]", "cd[0]", "cd[1]")
MOST_OPS = 400  # of a turn: the registers of a processor hold few vectors
NUMBERS = frozenset(("real", "integer", "boolean"))
VECTORS = CHEAP - {"real"}  # C does to vectors what it does to numbers


def lines_of(forward: ForwardFunction) -> list[str]:
    """Return the lines of the function; none, if the unit is not such a loop. forward: `unit_tape`."""
    records = forward.records
    assert records is not None
    turn = _turn(records)
    return ["", *AbreastFunction(forward, turn).lines()] if turn is not None else []


def _turn(records: Records) -> Path | None:
    """Return the path of a turn, if the unit is one loop over numbers."""
    turns = [path for path in records.paths if isinstance(path.end, Jump)]
    if len(records.unit.headers) != 1 or len(turns) != 1 or not _is_of_numbers(turns[0].header):
        return None
    [turn] = turns
    operations = _computed(turn)
    sources: list[Source | None] = list(turn.passed_on)
    sources += [residual.place for residual in records.of_end[id(turn.end)].words]
    sources += [source for each in operations for source in (*each.reads(), *each.sets())]
    is_plain = all(isinstance(each, Apply | Convert | Copy) for each in operations)
    born = {place for each in turn.operations if isinstance(each, Birth) for place in each.sets()}
    is_known = all(isinstance(source, Constant) or _is_number(source) for source in sources)
    is_known = is_known and born.isdisjoint([source for source in sources if isinstance(source, Place)])
    forks = [node.end.test for node in turn.nodes if isinstance(node.end, Fork)]
    if not (is_plain and is_known and turn.end.steps and len(operations) <= MOST_OPS):
        return None
    return turn if all(isinstance(test, Place) for test in forks) and not records.births else None


def _computed(turn: Path) -> list[Operation]:
    """Return the operations of a turn, without births of objects that are never made: these are counted."""
    return [each for each in turn.operations if not isinstance(each, Birth)]


def _is_of_numbers(header: Header) -> bool:
    """Return whether a header has numbers alone, and an entry checks only what is in registers."""
    entry = [wanted for _, wanted in header.entry or ()]
    places = [*header.params, *[place for place, _ in header.merged]]
    left = [source for _, source in header.exit.contents if not isinstance(source, Constant)]
    return (
        bool(entry)
        and all(isinstance(wanted, Tag) or _is_number(wanted) for wanted in entry)
        and all(map(_is_number, places))
        and all(source in header.params for source in left)
        and not (header.checks or header.exit.effects)
    )


def _is_number(source: object) -> bool:
    return isinstance(source, Place) and source.kind in NUMBERS


class AbreastFunction:
    """The text of the function.

    common: the places that are the same in all segments. text: the lines of a turn so far.
    """

    def __init__(self, forward: ForwardFunction, turn: Path) -> None:
        assert isinstance(turn.end, Jump)
        assert forward.records is not None
        self.forward = forward
        self.records = forward.records
        self.turn = turn
        self.jump = turn.end
        self.header = turn.header
        self.common = self._unchanged()
        self.varying = [param for param in self.header.params if param not in self.common]
        self.text: list[str] = []

    def _unchanged(self) -> set[Place]:
        """Return the params that the loop passes on as they are."""
        known, late = copies(self.turn), dict(self.records.late_at(self.header))
        pairs = zip(self.header.params, self.jump.sources, strict=True)
        return {
            param for param, source in pairs if original(source, known) in (param, late.get(param, param))
        }

    def lines(self) -> list[str]:
        """Return its lines."""
        signature = "bool unit_abreast(const Unit *unit, Machine *const *machines, uint32_t entry,"
        signature += " const int64_t *stops)"
        for i, node in enumerate(self.turn.nodes):
            self._node(node, self.turn.nodes[i + 1 : i + 2])
        self._record()
        self._jump()
        return [
            "typedef double Pair __attribute__((vector_size(16))); /* a real of two segments */",
            f"EXPORTED {signature};",
            f"{signature} {{",
            *_indented(
                *self._declarations(),
                *self._entries(),
                "for (; done < most; done++) {",
                *[f"    {line}" for line in self.text],
                "}",
            ),
            *(["out:"] if any(line.endswith("goto out;") for line in self.text) else []),
            *_indented(*self._ends()),
            "}",
        ]

    # Entries and ends

    def _declarations(self) -> Iterator[str]:
        yield "Word *starts[ABREAST], *ends[ABREAST];"
        yield "int64_t most = INT64_MAX, done = 0, at = 0;"
        for param in self.header.params:
            yield f"{C_TYPES[param.kind]} {param.name}_all[ABREAST];"
        for place in dict.fromkeys([*self.varying, *_set(_computed(self.turn))]):
            yield self._declared(place)

    def _declared(self, place: Place) -> str:
        if place in self.common:
            return f"{C_TYPES[place.kind]} {place.name};"
        if place.kind == "real":
            return f"Pair {', '.join(f'{place.name}_{pair}' for pair in PAIRS)};"
        return f"{C_TYPES[place.kind]} {', '.join(self.lanes(place))};"

    def _entries(self) -> Iterator[str]:
        """Yield the statements that open each segment, and set the params, after those that may refuse."""
        places = dict.fromkeys([*self.header.params, *[place for place, _ in self.header.merged]])
        entry = self.header.entry
        assert entry is not None
        yield f"if (entry != {self.header.number}) return false;"
        yield "for (int lane = 0; lane < ABREAST; lane++) {"
        yield from _indented(
            "Machine *const m = machines[lane];",
            "const Value *const r = m->registers;",
            "const int64_t left = stops[lane] - m->steps;",
            "Word *start, *up, *end;",
            "uint8_t *ways;",
            *[f"{C_TYPES[place.kind]} {place.name};" for place in places],
            *opening(self.header, entry, lambda name, _: name),
            *self.forward.begin(self.header),
            *[f"{param.name}_all[lane] = {param.name};" for param in self.header.params],
            *[
                f"if (!same_{param.kind}({param.name}, {param.name}_all[0])) return false;"
                for param in self.header.params
                if param in self.common
            ],
            *self._turns(),
            "starts[lane] = start;",
            "ends[lane] = end;",
        )
        yield "}"
        yield "most++;"
        for param in self.header.params:
            yield from self._set_all(param)
        yield from [f"Word *const up_l{i} = starts[{i}] + {self._prologue()};" for i in range(len(LANES))]

    def _prologue(self) -> int:
        return len(self.records.prologue)

    def _turns(self) -> Iterator[str]:
        """Yield the statements that bound the turns by what a segment has of steps and of room."""
        each, last = len(self._words()) * WORD + 1, self.records.max_bytes(self.header)
        yield f"if (!has_room(up, ways, {last})) return false;"
        yield f"const int64_t by_steps = (left - {self.header.max_steps}) / {self.jump.steps};"
        yield f"const int64_t by_room = (ways - (uint8_t *)(void *)up - {last}) / {each};"
        yield "if (by_steps < most) most = by_steps;"
        yield "if (by_room < most) most = by_room;"

    def _set_all(self, param: Place) -> Iterator[str]:
        if param in self.common:
            yield f"const {C_TYPES[param.kind]} {param.name} = {param.name}_all[0];"
        elif param.kind == "real":
            yield f"{param.name}_ab = (Pair){{{param.name}_all[0], {param.name}_all[1]}};"
            yield f"{param.name}_cd = (Pair){{{param.name}_all[2], {param.name}_all[3]}};"
        else:
            yield from [f"{name} = {param.name}_all[{i}];" for i, name in enumerate(self.lanes(param))]

    def _ends(self) -> Iterator[str]:
        """Yield the statements that end each segment's run at the header."""
        exit = self.header.exit
        yield "if (!done) return false;"
        for param in self.varying:
            yield from [f"{param.name}_all[{i}] = {name};" for i, name in enumerate(self.lanes(param))]
        yield "for (int lane = 0; lane < ABREAST; lane++) {"
        yield from _indented(
            "Machine *const m = machines[lane];",
            "Word *const start = starts[lane], *const end = ends[lane];",
            f"Word *up = start + {self._prologue()} + at;",
            "uint8_t *const ways = (uint8_t *)(void *)end - done;",
            *[f"const {C_TYPES[each.kind]} {each.name} = {each.name}_all[lane];" for each in self.varying],
            f"__builtin_memset(ways, {self.jump.number}, (size_t)done);",
            *self.forward.record(exit),
            self.forward.run_end(exit),
            f"const int64_t steps = m->steps + done * {self.jump.steps};",
            f"const int64_t births = m->births + done * {sum(each.births for each in self.turn.operations)};",
            f"Value *const to = leave_to(m, {self.forward.unit.reference(exit.block)}, steps, births);",
            *stored(exit.contents),
        )
        yield "}"
        yield "return true;"

    # A turn

    def _words(self) -> list[Place]:
        return [residual.place for residual in self.records.of_end[id(self.jump)].words]

    def lanes(self, source: Source) -> list[str]:
        """Return the expressions of a source in all segments."""
        if not isinstance(source, Place) or source in self.common:
            return [plain(source)] * len(LANES)
        if source.kind == "real":
            return [f"{source.name}_{lane}" for lane in LANES]
        return _alone(source)

    def _vector(self, source: Source, pair: str) -> Source:
        """Return a real source in two segments: a vector, or the double that both have."""
        is_vector = isinstance(source, Place) and source not in self.common
        return Place(f"{plain(source)}_{pair}", "real") if is_vector else source

    def _node(self, node: Node, after: tuple[Node, ...]) -> None:
        for op in self.records.tested(node.ops):
            if isinstance(op, ExpectFinite):
                self._test(op)
            elif not isinstance(op, Birth):
                self._operation(op)
        if isinstance(node.end, Fork):
            [following] = after
            tests = " & ".join(dict.fromkeys(self.lanes(node.end.test)))
            if following is not node.end.then:
                tests = " & ".join(f"!{test}" for test in dict.fromkeys(self.lanes(node.end.test)))
            self.put(f"if (!({tests})) goto out;")

    def _operation(self, op: Operation) -> None:
        """Write an operation: once, if all segments have the same, as one of vectors, or for each segment."""
        read = [source for source in op.reads() if isinstance(source, Place)]
        if isinstance(op, Apply | Copy) and all(place in self.common for place in read):
            self.common.update(op.sets())
            self.put("{")
            op.write(self)
            self.put("}")
        elif isinstance(op, Copy) and op.to.kind == "real":
            self.put(*[f"{op.to.name}_{pair} = {plain(self._vector(op.source, pair))};" for pair in PAIRS])
        elif isinstance(op, Apply) and self._is_of_vectors(op):
            for pair in PAIRS:
                operands = [self._vector(each, pair) for each in op.operands]
                self.put(f"{op.to.name}_{pair} = {expression(op.definition, 'reals', operands)};")
        else:
            self._each(op, read)

    def _test(self, test: ExpectFinite) -> None:
        read = [source for source in test.reads() if isinstance(source, Place)]
        if all(place in self.common for place in read):
            test.write(self)
        elif test.operation.zeros():
            self._each(test, read)

    def _is_of_vectors(self, op: Apply) -> bool:
        """Return whether an operation is of reals, and C does it to vectors, too."""
        is_real = op.domain == "reals" and op.to.kind == "real"
        is_real = is_real and all(isinstance(each, Constant) or each.kind == "real" for each in op.operands)
        return is_real and op.definition in VECTORS and not exact_integers(op.operands, self.exit)

    def _each(self, op: Operation, read: list[Place]) -> None:
        """Write an operation for each segment, on variables that have the names of its places."""
        own = [place for place in dict.fromkeys(read) if place not in self.common]
        reals = [place for place in op.sets() if place.kind == "real"]
        self.put("{", *[f"double {', '.join(_alone(place))};" for place in reals])
        for i in range(len(LANES)):
            self.put("{")
            self.put(*[f"const {C_TYPES[each.kind]} {each.name} = {self.lanes(each)[i]};" for each in own])
            self.put(*[f"{C_TYPES[each.kind]} {each.name};" for each in op.sets()])
            op.write(self)
            self.put(*[f"{_alone(each)[i]} = {each.name};" for each in op.sets()], "}")
        for place in reals:
            a, b, c, d = _alone(place)
            self.put(f"{place.name}_ab = (Pair){{{a}, {b}}};", f"{place.name}_cd = (Pair){{{c}, {d}}};")
        self.put("}")

    def _record(self) -> None:
        """Write the record of a turn."""
        for k, residual in enumerate(self.records.of_end[id(self.jump)].words):
            for i, value in enumerate(self.lanes(residual.place)):
                self.put(f"up_l{i}[at + {k}].{residual.part} = {value};")
        self.put(f"at += {len(self._words())};")

    def _jump(self) -> None:
        """Write what sets the params of the next turn, all at once."""
        pairs = zip(self.header.params, self.jump.sources, strict=True)
        moves = [move for to, source in pairs if to not in self.common for move in self._moves(to, source)]
        self.put(*[f"const {kind} {to}_next = {text};" for kind, to, text in moves])
        self.put(*[f"{to} = {to}_next;" for _, to, _ in moves])

    def _moves(self, to: Place, source: Source) -> Iterator[tuple[str, str, str]]:
        if to.kind != "real":
            for name, text in zip(self.lanes(to), self.lanes(source), strict=True):
                yield C_TYPES[to.kind], name, text
            return
        for pair in PAIRS:
            vector = self._vector(source, pair)
            text = plain(vector) if vector is not source else f"(Pair){{{real(source)}, {real(source)}}}"
            yield "Pair", f"{to.name}_{pair}", text

    # What operations write to (ops/operation.py, Forward)

    def put(self, *lines: str) -> None:
        """Append statements."""
        self.text += lines

    def exit(self) -> str:
        """Return the statement that has all segments leave at the header."""
        return "goto out;"

    def line(self, number: int) -> None:
        """Name no line: a debugger finds the program in `unit_tape`."""

    def temporary(self, name: str, c_type: str) -> str:
        """Declare a variable and return its name."""
        self.put(f"{c_type}{name};")
        return name

    def record_birth(self, owner: Place) -> None:
        """Record nothing: numbers have no births."""

    def births_before(self, operation: Operation) -> int | None:
        """Return None: no operation asks."""
        return None

    def tags_before(self, operation: Operation) -> int | None:
        """Return None: a turn takes no tags."""
        return None


def _alone(place: Place) -> list[str]:
    """Return variables of a place, one for each segment."""
    return [f"{place.name}_l{i}" for i in range(len(LANES))]


def _set(operations: Iterable[Operation]) -> list[Place]:
    return [place for operation in operations for place in operation.sets()]


def _indented(*lines: str) -> list[str]:
    return [part for line in lines for part in broken(f"    {line}")]
