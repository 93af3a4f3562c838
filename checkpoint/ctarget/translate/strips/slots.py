"""Runs a loop within a lane in registers: in a few vectors, whose slots take lane after lane.

In: the statements of one turn of a group of headers whose first one is jumped to from within the group. Out:
statements that run all lanes that wait there until each has left the group.

A *slot* is an element of one of a few vectors. Lanes take slots in the order of their numbers, make some
turns (TURNS), and those that have left the group give their slots to the lanes that wait next. So vectors
stay full where lanes have different numbers of turns, and what a turn leaves to the next stays in registers:
arrays NAME[chunk] of a strip have copies NAME_slot[vector] between turns, and NAME_now[vector] during turns.

What always holds: outside of these statements each lane is at its own place of the arrays of the strip. A
slot without a lane at the header is outside of all masks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from checkpoint.ctarget.translate.ops.words import if_unlikely
from checkpoint.ctarget.translate.strips.vectors import FULL

MOVES = 255  # the way of a record of moves, which is none of a jump's
TURNS = 16  # until lanes that have left give their slots to others
LAST_TURNS = 256  # where no others wait
MOST_COUNTS = 3  # vectors that count lanes; more would need more registers than counting steps in one
MOST_TOGETHER = 40  # operations of a turn up to which two vectors take turns in it
INDEXED = re.compile(r"\b(\w+)\[u\]")
_VECTOR = re.compile(r" *const (?:Reals|Integers|Mask) (\w+) = .*;")
_SPENDS = re.compile(r"\bSPEND\((-?\d+), (\w+)\);")
WRITTEN = re.compile(r"\b(\w+)\[u\] (?:\||\+)?= ")


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a group of headers.

    number: of the header where lanes wait. steps: of each lane, beside what the statements count. statements:
    for the vector u and the mask `in`. checks: statements at the start of a turn of all vectors. is_plain:
    whether the statements call nothing, so that vectors stay in registers.
    """

    number: int
    steps: int
    statements: Sequence[str]
    checks: Sequence[str]
    is_plain: bool


@dataclass(frozen=True, slots=True)
class Arrays:
    """The arrays of a strip that a turn names.

    masks: of the lanes at other headers, which only grow. read: those that a lane brings along. set: those
    that a turn sets. written: those of them that a lane takes back.
    """

    masks: tuple[str, ...]
    read: tuple[str, ...]
    set: tuple[str, ...]
    written: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """Return all of them, without masks."""
        return tuple(dict.fromkeys((*self.read, *self.set)))


def needed(lines: Sequence[str]) -> list[str]:
    """Return statements without the vectors that no other one reads."""
    words = _word_counts(lines)
    vectors = [m[1] if (m := _VECTOR.fullmatch(line)) else "" for line in lines]
    left = list(range(len(lines)))
    while superfluous := {i for i in left if vectors[i] and words[vectors[i]] == 1}:
        words -= _word_counts([lines[i] for i in superfluous])
        left = [i for i in left if i not in superfluous]
    return [lines[i] for i in left]


def _word_counts(lines: Sequence[str]) -> Counter[str]:
    return Counter(re.findall(r"\w+", "\n".join(lines)))


def arrays(turn: Turn, set_only: Set[str], left_behind: Set[str]) -> Arrays:
    """Return the arrays of a turn.

    set_only: those that no turn reads before it has set them. left_behind: those that nothing reads
    once a lane has left.
    """
    text = "\n".join(turn.statements)
    named = dict.fromkeys(INDEXED.findall(text))
    masks = [name for name in named if re.fullmatch(r"at_\d+", name)]
    others = [name for name in named if name not in masks]
    written = set(WRITTEN.findall(text))
    return Arrays(
        tuple([name for name in masks if name != f"at_{turn.number}"]),
        tuple([name for name in others if name not in set_only]),
        tuple([name for name in others if name in written]),
        tuple([name for name in others if name in written and name not in left_behind]),
    )


def in_registers(turn: Sequence[str], vector: str = "u") -> list[str]:
    """Return the statements of a turn on the copies of arrays that are in registers. vector: which, in C."""
    return [INDEXED.sub(rf"\1_now[{vector}]", line) for line in turn]


def run(turn: Turn, found: Arrays, slots: int, moves: int | None) -> list[str]:
    """Return the statements that run all lanes that wait at a header.

    slots: how many vectors. moves: the number of the group by which a tape says which lanes took, and left,
    slots; None: nothing is recorded.
    """
    number = turn.number
    here = f"at_{number}"
    copies = [*found.all, *found.masks]
    return [
        f"Chunks waiting = live_{number};",
        "unsigned chunk = 0, next = 0; /* and lanes of it */",
        "int64_t first = 0, end = 0; /* lanes in a row that wait */",
        f"unsigned held[{slots}] = {{0}};",
        f"int64_t lane_of[{slots} * WIDTH] = {{0}};",
        f"bool is_whole[{slots}] = {{0}}; /* whether a vector has taken the lanes of a chunk */",
        f"Mask {here}_slot[{slots}];",
        *[f"__typeof__({name}[0]) {name}_slot[{slots}];" for name in copies],
        f"for (int k = 0; k < {slots}; k++) {{",
        f"    {here}_slot[k] = NO_LANES;",
        *[f"    {name}_slot[k] = {name}[0];" for name in found.all],
        *[f"    {name}_slot[k] = NO_LANES;" for name in found.masks],
        "}",
        f"live_{number} = 0;",
        "for (;;) {",
        *[f"    {line}" for line in _refill(turn, found, slots, moves)],
        "    if (!busy) break;",
        *[f"    {line}" for line in _turns(turn, found, slots)],
        "}",
    ]


def _refill(turn: Turn, found: Arrays, slots: int, moves: int | None) -> list[str]:
    """Return the statements by which lanes that have left give their slots to others.

    The variable `busy` says whether any slot has a lane then.
    """
    here, is_taped = f"at_{turn.number}", moves is not None
    room = if_unlikely(f"!has_room(up, ways, (2 * {slots} * WIDTH + 2) * WORD_BYTES)", FULL)
    return [
        "unsigned busy = 0;",
        *([room, "const Word *const moved = up;"] if is_taped else []),
        *_unrolled(turn, slots),
        f"for (int k = 0; k < {slots}; k++) {{",
        f"    const unsigned left_here = held[k] & ~bits_of({here}_slot[k]);",
        "    if (left_here == ALL_SLOTS && is_whole[k]) {",
        "        held[k] = 0;",
        *[f"        {line}" for line in _take_back_whole(found, is_taped)],
        "    } else if (left_here) {",
        *[f"        {line}" for line in _take_back(found, is_taped)],
        "        held[k] &= ~left_here;",
        "    }",
        *[f"    {name}_slot[k] = NO_LANES;" for name in found.masks],
        "    if (held[k] != ALL_SLOTS) {",
        *[f"        {line}" for line in _fill(here, found, is_taped)],
        "    }",
        f"    {here}_slot[k] = mask_of(held[k]);",
        "    busy |= held[k];",
        "}",
        *(
            [
                "if (up != moved) {",
                f"    up = end_of_moves(up, moved, {moves});",
                f"    *--ways = {MOVES};",
                "}",
            ]
            if is_taped
            else []
        ),
    ]


def _take_back(found: Arrays, is_taped: bool) -> list[str]:
    """Return the statements by which the lanes `left_here` get their own places again.

    Where all slots have lanes, all are written: the place of a lane that is still at the header is not read
    before it has left. Which of them have left is as good as random: a branch for each would be mispredicted.
    """
    recorded = ["up->field = left_slot((int)slot, (int)lane_of[slot]);", "up += left_here >> j & 1;"]
    move = [f"    MOVE_LANE({name}, lane_of[slot], {name}_slot, slot);" for name in found.written]
    slot = "    const int slot = k * WIDTH + (int)j;"
    each = ["UNROLLED(WIDTH)", "for (int j = 0; j < WIDTH; j++) {", slot]
    lines = [*each, *[f"    {line}" for line in recorded], "}"] if is_taped else []
    if found.written:
        lines += ["if (LIKELY(held[k] == ALL_SLOTS)) {", *[f"    {line}" for line in (*each, *move, "}")]]
        lines += [
            "} else {",
            *[f"    {line}" for line in ("FOR_BITS(j, left_here) {", slot, *move, "}")],
            "}",
        ]
    if found.masks:
        lines += ["FOR_BITS(j, left_here) {", "    const int64_t lane = lane_of[k * WIDTH + (int)j];"]
        lines += [*[f"    {line}" for name in found.masks for line in _arrive(name)], "}"]
    return lines


def _take_back_whole(found: Arrays, is_taped: bool) -> list[str]:
    """Return the statements by which all lanes of a vector get the places of their chunk again."""
    live = {name: name.replace("at_", "live_") for name in found.masks}
    return [
        "const int64_t own = lane_of[k * WIDTH] / WIDTH;",
        *(["(up++)->field = left_slots(k, own);"] if is_taped else []),
        *[f"{name}[own] = {name}_slot[k];" for name in found.written],
        *[f"{name}[own] |= {name}_slot[k];" for name in found.masks],
        *[f"{live[name]} |= (Chunks)any({name}_slot[k]) << own;" for name in found.masks],
    ]


def _fill(here: str, found: Arrays, is_taped: bool) -> list[str]:
    """Return the statements that give slots without lanes to those that wait next."""
    took = ["for (int j = 0; j < WIDTH; j++) {"]
    took += ["    up->field = took_slot(k * WIDTH + j, (int)lane_of[k * WIDTH + j]);"]
    took += ["    up += free >> j & 1;", "}"]
    return [
        f"if (UNLIKELY(end - first < WIDTH)) LANES_IN_A_ROW(first, end, waiting, {here})",
        "if (LIKELY(end - first >= WIDTH)) {",
        "    const unsigned free = ALL_SLOTS & ~held[k];",
        "    const Integers lanes_first = first_lanes(first);",
        "    take_lanes(lane_of + k * WIDTH, free, (const int64_t *)&lanes_first);",
        "    is_whole[k] = free == ALL_SLOTS && first % WIDTH == 0;",
        "    if (is_whole[k]) {",
        *[f"        {name}_slot[k] = {name}[first / WIDTH];" for name in found.read],
        *(["        (up++)->field = took_slots(k, first / WIDTH);"] if is_taped else []),
        "    } else {",
        *[f"        TAKE_LANES({name}_slot, k, free, {name}, first);" for name in found.read],
        *([f"        {line}" for line in ["UNROLLED(WIDTH)", *took]] if is_taped else []),
        "    }",
        "    first += count_bits(free);",
        "    held[k] = ALL_SLOTS;",
        "}",
        "while (held[k] != ALL_SLOTS && (first < end || next || waiting)) {",
        *[f"    {line}" for line in _fill_one(here, found, is_taped)],
        "}",
    ]


def _fill_one(here: str, found: Arrays, is_taped: bool) -> list[str]:
    """Return the statements that give one slot to the lane that waits next."""
    return [
        "int64_t lane = first;",
        "if (first < end) {",
        "    first++;",
        "} else {",
        "    if (!next) {",
        "        chunk = first_chunk(waiting);",
        "        waiting &= waiting - 1;",
        f"        next = bits_of({here}[chunk]);",
        f"        {here}[chunk] = NO_LANES;",
        "    }",
        "    lane = (int64_t)chunk * WIDTH + __builtin_ctz(next);",
        "    next &= next - 1;",
        "}",
        "const unsigned j = (unsigned)__builtin_ctz(~held[k]);",
        "const int slot = k * WIDTH + (int)j;",
        "held[k] |= 1u << j;",
        "lane_of[slot] = lane;",
        "is_whole[k] = false;",
        *(["(up++)->field = took_slot(slot, (int)lane);"] if is_taped else []),
        *[f"MOVE_LANE({name}_slot, slot, {name}, lane);" for name in found.read],
    ]


def _arrive(name: str) -> list[str]:
    """Return the statements that have a lane wait at the header that it has reached."""
    live = name.replace("at_", "live_")
    return [
        f"if (is_in({name}_slot[k], (int)j)) {{",
        f"    set_lane(&{name}[lane / WIDTH], (int)(lane % WIDTH), true);",
        f"    {live} |= (Chunks)1 << lane / WIDTH;",
        "}",
    ]


class _Counted(NamedTuple):
    """Statements of a turn that count steps. names: of the counts. totals: the steps of all turns, in C."""

    lines: Sequence[str]
    names: Sequence[str]
    totals: Sequence[str]


def _counted(turn: Turn) -> _Counted:
    """Return the statements of a turn with a count of lanes for each number of steps, if there are few.

    Lanes that are still at the header after a turn are counted as those of the next one: of all turns but the
    first, and of the one that would come after the last.
    """
    lines, still = turn.statements, _still_here(turn)
    masks: dict[str, list[str]] = {}
    for match in [match for line in lines for match in _SPENDS.finditer(line)]:
        masks.setdefault(match[1], []).append(match[2])
    totals = [f"{each} * (made - active_first + active)" for each, of in masks.items() if of == [still]]
    lines = [line for line in lines if not any(masks[each[1]] == [still] for each in _SPENDS.finditer(line))]
    counts = [each for each, of in masks.items() if of != [still]]
    if len(counts) > MOST_COUNTS:
        return _Counted(lines, ["spent"], ["total_of(spent)", *totals])
    name_of = {each: f"spent_{i}" for i, each in enumerate(counts)}
    kept = [_SPENDS.sub(lambda match: f"ADD_LANES({name_of[match[1]]}, {match[2]});", line) for line in lines]
    totals += [f"{each} * total_of({name})" for each, name in name_of.items()]
    return _Counted(kept, list(name_of.values()), totals)


def _still_here(turn: Turn) -> str | None:
    """Return the mask of the lanes that are at the header again after a turn; None: there are several."""
    text, name = "\n".join(turn.statements), f"at_{turn.number}[u]"
    while name == f"at_{turn.number}[u]" or name.startswith("here_"):
        arrivals = re.findall(rf"\b{re.escape(name)} = EITHER\({re.escape(name)}, (\w+)\);", text)
        set_elsewhere = len(re.findall(rf"(?<!Mask ){re.escape(name)} = ", text)) != 1
        if len(arrivals) != 1 or set_elsewhere:
            return None
        (name,) = arrivals
    return str(name)


def _unrolled(turn: Turn, slots: int) -> list[str]:
    """Return the directive by which all vectors of slots stay in registers."""
    return [f"UNROLLED({slots})"] if slots > 1 and turn.is_plain else []


def _turns(turn: Turn, found: Arrays, slots: int) -> list[str]:
    """Return the statements that make TURNS turns."""
    here = f"at_{turn.number}"
    counted = _counted(turn)
    held = " | ".join(f"held[{k}] << {k} * WIDTH" for k in range(slots))
    still = " | ".join(f"bits_of({here}_now[{k}]) << {k} * WIDTH" for k in range(slots))
    names = [here, *found.all, *found.masks]
    back = [here, *found.set, *found.masks]
    loop = f"for (unsigned u = 0; u < {slots}; u++) {{"
    return [
        *[f"__typeof__({name}[0]) {name}_now[{slots}];" for name in names],
        *_unrolled(turn, slots),
        loop,
        *[f"    {name}_now[u] = {name}_slot[u];" for name in names],
        "}",
        *[f"Spending {name} = {{0}};" for name in counted.names],
        "int64_t made = 0; /* turns of lanes */",
        f"int active = count_bits({held});",
        "const int active_first = active;",
        f"const int most_turns = first < end || next || waiting ? {TURNS} : {LAST_TURNS};",
        "for (int turn = 0; turn < most_turns; turn++) {",
        *[f"    {line}" for line in turn.checks],
        f"    turns += {slots};",
        "    made += active;",
        *[f"    {line}" for line in _unrolled(turn, slots)],
        f"    {loop}",
        f"        const Mask in = {here}_now[u];",
        f"        {here}_now[u] = NO_LANES;",
        *[f"        {line}" for line in in_registers(counted.lines)],
        "    }",
        f"    active = count_bits({still});",
        "    if (!active) break;",
        "}",
        *_unrolled(turn, slots),
        loop,
        *[f"    {name}_slot[u] = {name}_now[u];" for name in back],
        "}",
        f"left -= {' + '.join([f'{turn.steps} * made', *counted.totals])};",
        "lanes += made;",
        "if (UNLIKELY(left < 0)) return SHORT;",
    ]
