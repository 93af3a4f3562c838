"""Chooses what a strip records for its adjoint, and writes the statements that record it.

In: a unit, the plan of its loop over lanes. Out: a record for each way of a lane, as emit/records.py has
one for each path, but of vectors: the record of one chunk. What lanes share, and what is the same
throughout a lane, is recorded once, in the footer. The operations that wait until all lanes have ended have
records for each lane.

On the tape a strip is, from the bottom: the records of chunks, as they come, each with a word that says
which lanes of which chunk it is of, and records of the lanes that took and left slots (slots.py), which are
the chunks behind the others; the records of lanes, of one size, or where rows begin (rows.py); the footer,
whose last words are how many chunks there are, and the size of the whole. Among the ways are the numbers of
jumps of the chunks, and MOVES.

What always holds: the forward function writes the words in the order in which the adjoint reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from checkpoint.ctarget.translate.ops.object_ops import Element, Load
from checkpoint.ctarget.translate.ops.operation import Operation, Residual
from checkpoint.ctarget.translate.ops.places import Place, Source, places_in
from checkpoint.ctarget.translate.strips import cells
from checkpoint.ctarget.translate.strips.activity import reversal
from checkpoint.ctarget.translate.strips.plan import Plan, groups, loops
from checkpoint.ctarget.translate.strips.rows import rows
from checkpoint.ctarget.translate.strips.sharing import shared_arrays
from checkpoint.ctarget.translate.strips.vectors import TYPES, again
from checkpoint.ctarget.translate.units.fewest import fewest
from checkpoint.ctarget.translate.units.graph import Header, Jump
from checkpoint.ctarget.translate.units.invariants import copies, original
from checkpoint.ctarget.translate.units.paths import Path
from checkpoint.ctarget.translate.units.reversal import WORD
from checkpoint.dataclass import dataclass

SHORT_RECORD = 4  # vectors
WIDEST = 8  # words of a vector, at most
MOST_WAYS = 6  # whose masks, and the number of a chunk, are in one word


@dataclass(frozen=True, eq=False, slots=True)
class Layout:
    """Says where a record has the vectors of places, from `up` on; behind them is the word of its lanes.

    wide: places whose vectors are there as they are. narrow: masks and numbers of objects, each in a word.
    """

    wide: tuple[Place, ...]
    narrow: tuple[Place, ...]

    @property
    def lanes(self) -> str:
        """Return the index of the last word, in C: it says which lanes of which chunk the record is of."""
        return f"{len(self.wide)} * WIDTH + {len(self.narrow)}"

    @property
    def size(self) -> str:
        """Return how many words it has, in C."""
        return f"{len(self.wide)} * WIDTH + {len(self.narrow) + 1}"

    @property
    def bytes(self) -> int:
        """Return how many bytes it has at most."""
        return WORD * (WIDEST * len(self.wide) + len(self.narrow) + 1)

    def put(self, place: Place) -> str:
        """Return the statement that records a place."""
        if place in self.narrow:
            return f"up[{self._narrow(place)}].field = {_NARROW[place.kind][0]}({place.name});"
        return f"PUT(up + {self.wide.index(place)} * WIDTH, {place.name});"

    def get(self, place: Place) -> list[str]:
        """Return the statements that read it."""
        if place in self.narrow:
            given = f"up[{self._narrow(place)}].field"
            return [f"const {TYPES[place.kind]} {place.name} = {_NARROW[place.kind][1]}({given});"]
        at = f"up + {self.wide.index(place)} * WIDTH"
        return [f"{TYPES[place.kind]} {place.name};", f"GET({place.name}, {at});"]

    def _narrow(self, place: Place) -> str:
        return f"{len(self.wide)} * WIDTH + {self.narrow.index(place)}"


_NARROW = {"boolean": ("bits_of", "mask_of"), "value": ("bytes_of", "numbers_of")}


@dataclass(frozen=True, eq=False, slots=True)
class StripRecord:
    """The record of a way.

    layout: where it has the vectors of places. late_words: what the operations that wait record for each
    lane. recomputed: operations that compute what else the adjoint reads, in order. first, main, last: the
    operations that the adjoint reverses, the last of the path first: those that waited, those on vectors,
    and those that add to what lanes share, lane by lane, when all have been reversed. is_void: whether
    nothing is to be reversed, so that there is no record.
    """

    path: Path
    layout: Layout
    late_words: tuple[Residual, ...]
    recomputed: tuple[Operation, ...]
    first: tuple[Operation, ...]
    main: tuple[Operation, ...]
    last: tuple[Operation, ...]
    is_void: bool

    @property
    def words(self) -> tuple[Place, ...]:
        """Return the places whose vectors it has."""
        return (*self.layout.wide, *self.layout.narrow)


@dataclass(frozen=True, eq=False, slots=True)
class TurnRecord:
    """The record of all ways of a turn: their words, and for each way the mask of its lanes.

    records: those of the ways, in the order in which they are run. layout: where it has vectors.
    """

    records: tuple[StripRecord, ...]
    layout: Layout

    @property
    def number(self) -> int:
        """Return the number of the record among the ways on the tape."""
        return self.records[0].path.end.number

    @property
    def masks(self) -> str:
        """Return the word with the chunk and the masks, in C."""
        return f"up[{self.layout.lanes}].field"

    def begin(self) -> list[str]:
        """Return the declarations of the masks of ways."""
        return [f"Mask {_way_mask(each.path)} = NO_LANES;" for each in self.records]

    def writes(self, chunk: str) -> list[str]:
        """Return the statements that end the record of a turn."""
        bits = " | ".join(
            f"(int64_t)bits_of({_way_mask(each.path)}) << {i} * WIDTH" for i, each in enumerate(self.records)
        )
        return [
            f"{self.masks} = (int64_t)({chunk}) << {len(self.records)} * WIDTH | {bits};",
            f"ways[-1] = {self.number};",
            f"up += any(in) ? {self.layout.size} : 0;",
            "ways -= any(in);",
        ]

    def get(self) -> list[str]:
        """Return the statements that take a record off the tape, and declare its chunk u and its masks."""
        return [
            f"up -= {self.layout.size};",
            f"const uint64_t masks = (uint64_t){self.masks};",
            f"const unsigned u = (unsigned)(masks >> {len(self.records)} * WIDTH);",
        ]


def _way_mask(path: Path) -> str:
    return f"way_{path.end.number}"


class StripRecords:
    """The records of a strip.

    of_way: by the ids of jumps. shared: residuals that all lanes share. kept: places whose vectors are the
    same throughout a lane. births: the residuals that are births, of shared objects and of the list. arrays:
    for each real param of inner headers the one after which the array of its cotangents is named. of_group:
    by the numbers of first headers of groups, the records of turns whose ways are short.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.shared: dict[Residual, None] = {}
        self.kept: dict[Place, None] = {}
        self.arrays = shared_arrays(plan, plan.inner, plan.is_wanted)
        self.rows = rows(plan)
        self.of_way = {id(path.end): self._record(path) for path in plan.ways.values()}
        self.of_group = dict(self._of_groups())
        self._merged = {id(each.path.end): turn for turn in self.of_group.values() for each in turn.records}
        late = [word for record in self.of_way.values() for word in record.late_words]
        self.births = dict.fromkeys([word for word in [*self.shared, *late] if word.birth])  # in their order

    def _of_groups(self) -> Iterable[tuple[int, TurnRecord]]:
        """Find the groups of headers whose ways are recorded together: those with few words.

        Which way lanes take is often as good as random: a branch for each is mispredicted, twice.
        """
        for group in groups(self.plan):
            of_way = [record for record in self.of_way.values() if record.path.header in group]
            records = tuple([record for record in of_way if not record.is_void])
            words = tuple(dict.fromkeys(word for record in records for word in record.words))
            is_short = len(words) <= SHORT_RECORD and 1 < len(records) <= MOST_WAYS
            if is_short and group[0] is not self.plan.loop:
                yield group[0].number, TurnRecord(records, self._layout(words))

    def _record(self, path: Path) -> StripRecord:
        plan = self.plan
        reversed_operations = reversal(path, plan)
        late = {id(each) for each in plan.late.get(id(path.end), ())}
        first = tuple([each for each in reversed_operations if id(each) in late])
        rest = [each for each in reversed_operations if id(each) not in late]
        last = tuple([each for each in rest if each.gives and not plan.objects.is_own(each)])
        main = tuple([each for each in rest if not each.gives or plan.objects.is_own(each)])
        # Of rows it is recorded where they begin.
        late_words = dict.fromkeys(word for each in first for word in each.residuals() if not self.rows)
        for place in leaving(plan, path):
            late_words.update(dict.fromkeys((number_of(place), Residual(place, birth=True))))
        needed = [word for each in (*main, *last) for word in self._residuals(each)]
        words, recomputed = self._divided(path, needed)
        computes = any(each.copied is None for each in main)
        is_void = not (words or first or computes or last) and self._only_passes_on(path)
        return StripRecord(
            path, self._layout(words), tuple(late_words), recomputed, first, main, last, is_void
        )

    def _divided(
        self, path: Path, needed: Iterable[Residual]
    ) -> tuple[tuple[Place, ...], tuple[Operation, ...]]:
        """Return the places of which a way records vectors, and the operations that compute the rest of what
        its adjoint reads, in order. What is free goes to the footer.
        """
        made_by = {place: each for each in path.operations for place in each.sets()}

        @cache
        def reads(place: Place) -> Sequence[Place] | None:
            return self._recomputed_from(made_by[place], place) if place in made_by else None

        @cache
        def computed_from(place: Place) -> Sequence[Place] | None:
            found = reads(place)
            return None if found is None else [each for each in found if not self._is_free(each)]

        free = dict.fromkeys(word for word in needed if word.birth or self._is_free(word.place))
        waiting = [word.place for word in needed if word not in free]
        words = fewest(waiting, computed_from, lambda place: 1 if self.plan.is_narrow(place) else WIDEST)
        seen, again = set(words), set[int]()
        while waiting:
            place = waiting.pop()
            if self._is_free(place):
                free[Residual(place)] = None
            elif place not in seen:
                seen.add(place)
                again.add(id(made_by[place]))
                waiting += reads(place) or ()
        for word in free:
            self._put_in_footer(word)
        return tuple(words), tuple([each for each in path.operations if id(each) in again])

    def _layout(self, words: Iterable[Place]) -> Layout:
        wide, narrow = list[Place](), list[Place]()
        for place in words:
            (narrow if self.plan.is_narrow(place) else wide).append(place)
        return Layout(tuple(wide), tuple(narrow))

    def _only_passes_on(self, path: Path) -> bool:
        """Return whether the cotangents that a way passes back are where they are to be."""
        if path.header is self.plan.loop or self.plan.closes(path):
            return False
        assert isinstance(path.end, Jump)
        known = copies(path)
        pairs = [
            (param, original(source, known))
            for param, source in zip(path.end.header.params, path.end.sources, strict=True)
            if self.plan.is_wanted(param)
        ]
        for own in filter(self.plan.is_wanted, path.header.params):
            passed = [self.arrays[param] for param, source in pairs if source is own]
            if len(passed) != 1 or passed[0] is not self.arrays[own]:
                return False
        return True

    def _recomputed_from(self, operation: Operation, place: Place) -> list[Place] | None:
        """Return what the adjoint computes a place from again; None: its vector is recorded."""
        if self.plan.objects.is_own(operation):
            if not isinstance(operation, Load | Element) or place is not operation.to:
                return None
            return cells.read_from(operation, self.plan)
        if place.kind == "boolean" or again(operation, self.plan) is None:
            return None
        return list(places_in(operation.reads()))

    def _residuals(self, operation: Operation) -> Sequence[Residual]:
        objects = self.plan.objects
        return objects.residuals(operation) if objects.is_own(operation) else operation.residuals()

    def _is_free(self, place: Place) -> bool:
        """Return whether a value is in the footer, once for all records: lanes share it, or each keeps it."""
        origin: Source = self.plan.kept.get(place, place)
        return self.plan.is_uniform(origin) or (place in self.plan.kept and isinstance(origin, Place))

    def _put_in_footer(self, word: Residual) -> None:
        origin: Source = self.plan.kept.get(word.place, word.place)
        if not isinstance(origin, Place):
            return
        if word.birth or self.plan.is_uniform(origin):
            self.shared[Residual(origin, word.birth)] = None
        else:
            self.kept[origin] = None

    def has_moves(self, group: list[Header]) -> bool:
        """Return whether it is recorded which lanes took and left slots: turns of the group have records."""
        own = [each for each in self.of_way.values() if each.path.header in group]
        return loops(self.plan, group) and not all(each.is_void for each in own)

    # Where there is room

    def room(self, headers: list[Header]) -> int:
        """Return the bytes that a turn of a chunk at some headers may take."""
        of_way = self.of_way.values()
        records = [record for record in of_way if record.path.header in headers and not record.is_void]
        return sum(record.layout.bytes + 1 for record in records)

    @property
    def lane_words(self) -> int:
        """Return the words of the record of a lane: as many for each, whichever way closed it."""
        closing = [record for record in self.of_way.values() if self.plan.closes(record.path)]
        return max(len(record.late_words) for record in closing) + (len(closing) > 1)

    @property
    def closing_words(self) -> str:
        """Return how many words the records of lanes have, or of rows: a birth and a field."""
        return str(2 * len(self.rows)) if self.rows else f"chunks * WIDTH * {self.lane_words}"

    def room_of_close(self) -> str:
        """Return the bytes that the end of a strip takes, in C."""
        once = 2 * len(self.rows) + len(self.shared) + 2
        of_lanes = len(self.kept) + (0 if self.rows else self.lane_words)
        return f"{WORD * once + 8} + {WORD * of_lanes} * chunks * WIDTH"

    # What the forward function writes

    def writes(self, path: Path, mask: str, chunk: str) -> list[str]:
        """Return the statements that record one chunk's way, if it has lanes.

        A short record is written in any case, and counts if there are lanes: which way lanes take is often as
        good as random, and a branch would then be mispredicted.
        """
        record = self.of_way[id(path.end)]
        if record.is_void:
            return []
        turn = self._merged.get(id(path.end))
        if turn is not None:
            puts = [turn.layout.put(each) for each in record.words]
            return [*puts, f"{_way_mask(path)} = {mask};"]
        size = record.layout.size
        lines = [
            *map(record.layout.put, record.words),
            f"up[{record.layout.lanes}].field = (int64_t)(({chunk}) << WIDTH | bits_of({mask}));",
            f"ways[-1] = {path.end.number};",
        ]
        if len(record.words) > SHORT_RECORD:
            lines = [*lines, f"up += {size};", "ways--;"]
            return [f"if (any({mask})) {{", *[f"    {line}" for line in lines], "}"]
        return [*lines, f"up += any({mask}) ? {size} : 0;", f"ways -= any({mask});"]

    def late_writes(self, path: Path) -> list[str]:
        """Return the statements that record, for one lane, what the operations that wait need."""
        words = self.of_way[id(path.end)].late_words
        lines = [f"up[{i}].{word.part} = {word.name};" for i, word in enumerate(words)]
        if len(self.plan.late) > 1:
            lines.append(f"up[{self.lane_words - 1}].field = {path.end.number};")
        return lines

    def footer(self) -> list[str]:
        """Return the statements that record what is recorded once, behind the records of lanes."""
        kept = [f"PUT_ALL(up, {i}, {place.name}_kept, chunks);" for i, place in enumerate(self.kept)]
        lines = [*kept, f"up += {len(kept)} * chunks * WIDTH;"] if kept else []
        shared = [f"up[{i}].{word.part} = {word.name};" for i, word in enumerate(self.shared)]
        words = len(shared) + 2
        end = [
            f"up[{words - 2}].field = chunks;",
            f"up[{words - 1}].field = size_of(up + {words} - *tape_up, *tape_ways - ways);",
        ]
        return [*lines, *shared, *end, f"up += {words};"]


def leaving(plan: Plan, path: Path) -> list[Place]:
    """Return the places of objects of the lane that a way makes part of its result."""
    late = plan.late.get(id(path.end), [])
    read = dict.fromkeys(place for each in late for place in places_in(each.reads()))
    return [place for place in read if plan.objects.of.get(place)]


def number_of(place: Place) -> Residual:
    """Return the word that says which object a place is."""
    return Residual(Place(f"{place.name}_number", "integer"))
