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

from checkpoint.ctarget.translate.ops.words import if_unlikely
from checkpoint.ctarget.translate.strips.vectors import FULL

MOVES = 255  # the way of a record of moves, which is none of a jump's
TURNS = 16  # until lanes that have left give their slots to others
MOST_TOGETHER = 40  # operations of a turn up to which two vectors take turns in it
INDEXED = re.compile(r"\b(\w+)\[u\]")
_VECTOR = re.compile(r" *const (?:Reals|Integers|Mask) (\w+) = .*;")
WRITTEN = re.compile(r"\b(\w+)\[u\] (?:\||\+)?= ")


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a group of headers.

    number: of the header where lanes wait. steps: of each lane, beside what the statements count. statements:
    for the vector u and the mask `in`. checks: statements at the start of a turn of all vectors.
    """

    number: int
    steps: int
    statements: Sequence[str]
    checks: Sequence[str]


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
    while True:
        words = Counter(re.findall(r"\w+", "\n".join(lines)))
        kept = [line for line in lines if not (m := _VECTOR.fullmatch(line)) or words[m[1]] > 1]
        if len(kept) == len(lines):
            return kept
        lines = kept


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


def in_registers(turn: Sequence[str]) -> list[str]:
    """Return the statements of a turn on the copies of arrays that are in registers."""
    return [INDEXED.sub(r"\1_now[u]", line) for line in turn]


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
        f"unsigned held[{slots}] = {{0}};",
        f"int lane_of[{slots} * WIDTH] = {{0}};",
        f"Mask {here}_slot[{slots}];",
        *[f"__typeof__({name}[0]) {name}_slot[{slots}];" for name in copies],
        f"for (int k = 0; k < {slots}; k++) {{",
        f"    {here}_slot[k] = NO_LANES;",
        *[f"    {name}_slot[k] = {name}[0];" for name in found.all],
        *[f"    {name}_slot[k] = NO_LANES;" for name in found.masks],
        "}",
        f"live_{number} = 0;",
        "for (;;) {",
        *[f"    {line}" for line in _refill(here, found, slots, moves)],
        "    if (!busy) break;",
        *[f"    {line}" for line in _turns(turn, found, slots)],
        "}",
    ]


def _refill(here: str, found: Arrays, slots: int, moves: int | None) -> list[str]:
    """Return the statements by which lanes that have left give their slots to others.

    The variable `busy` says whether any slot has a lane then.
    """
    is_taped = moves is not None
    room = if_unlikely(f"!has_room(up, ways, (2 * {slots} * WIDTH + 2) * WORD_BYTES)", FULL)
    return [
        "unsigned busy = 0;",
        *([room, "const Word *const moved = up;"] if is_taped else []),
        f"for (int k = 0; k < {slots}; k++) {{",
        f"    const unsigned left_here = held[k] & ~bits_of({here}_slot[k]);",
        "    held[k] &= ~left_here;",
        "    FOR_BITS(j, left_here) {",
        "        const int slot = k * WIDTH + (int)j, lane = lane_of[slot];",
        *(["        (up++)->field = left_slot(slot, lane);"] if is_taped else []),
        *[f"        MOVE_LANE({name}, lane, {name}_slot, slot);" for name in found.written],
        *[part for name in found.masks for part in _arrive(name)],
        "    }",
        *[f"    {name}_slot[k] = NO_LANES;" for name in found.masks],
        *[f"    {line}" for line in _fill(here, found, is_taped)],
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


def _fill(here: str, found: Arrays, is_taped: bool) -> list[str]:
    """Return the statements that give slots without lanes to those that wait next."""
    return [
        "while (held[k] != ALL_SLOTS && (next || waiting)) {",
        "    if (!next) {",
        *[f"    {line}" for line in _take_chunk(here)],
        "        if (!held[k] && next == ALL_SLOTS) {",
        *[f"        {line}" for line in _whole(found, is_taped)],
        "            continue;",
        "        }",
        "    }",
        "    const unsigned j = (unsigned)__builtin_ctz(~held[k]);",
        "    const int slot = k * WIDTH + (int)j, lane = (int)(chunk * WIDTH) + __builtin_ctz(next);",
        "    next &= next - 1;",
        "    held[k] |= 1u << j;",
        "    lane_of[slot] = lane;",
        *(["    (up++)->field = took_slot(slot, lane);"] if is_taped else []),
        *[f"    MOVE_LANE({name}_slot, slot, {name}, lane);" for name in found.read],
        "}",
    ]


def moved_back(number: int, text: Sequence[str]) -> list[str]:
    """Return the statements that undo a move of a lane, in a reversal.

    number: of the group. text: what reverses its turns.
    """
    named = dict.fromkeys(INDEXED.findall("\n".join(text)))
    written = set(WRITTEN.findall("\n".join(text)))
    slot = "CHUNKS * WIDTH + slot_of(move)"
    return [
        f"case {number}:",
        "    if (took(move)) {",
        *[f"        MOVE_LANE({name}, lane, {name}, {slot});" for name in named if name in written],
        "    } else {",
        *[f"        MOVE_LANE({name}, {slot}, {name}, lane);" for name in named],
        "    }",
        "    break;",
    ]


def _take_chunk(here: str) -> list[str]:
    return [
        "    chunk = (unsigned)__builtin_ctzll(waiting);",
        "    waiting &= waiting - 1;",
        f"    next = bits_of({here}[chunk]);",
        f"    {here}[chunk] = NO_LANES;",
    ]


def _whole(found: Arrays, is_taped: bool) -> list[str]:
    """Return the statements that put all lanes of a chunk into a vector without lanes."""
    return [
        *[f"    {name}_slot[k] = {name}[chunk];" for name in found.read],
        "    for (int j = 0; j < WIDTH; j++) {",
        "        lane_of[k * WIDTH + j] = (int)chunk * WIDTH + j;",
        *(["        (up++)->field = took_slot(k * WIDTH + j, (int)chunk * WIDTH + j);"] if is_taped else []),
        "    }",
        "    held[k] = next;",
        "    next = 0;",
    ]


def _arrive(name: str) -> list[str]:
    """Return the statements that have a lane wait at the header that it has reached."""
    live = name.replace("at_", "live_")
    return [
        f"        if (is_in({name}_slot[k], (int)j)) {{",
        f"            set_lane(&{name}[lane / WIDTH], lane % WIDTH, true);",
        f"            {live} |= (Chunks)1 << lane / WIDTH;",
        "        }",
    ]


def _turns(turn: Turn, found: Arrays, slots: int) -> list[str]:
    """Return the statements that make TURNS turns."""
    here = f"at_{turn.number}"
    names = [here, *found.all, *found.masks]
    back = [here, *found.set, *found.masks]
    unrolled = [f"UNROLLED({slots})"] if slots > 1 else []
    loop = f"for (unsigned u = 0; u < {slots}; u++) {{"
    return [
        *[f"__typeof__({name}[0]) {name}_now[{slots}];" for name in names],
        *unrolled,
        loop,
        *[f"    {name}_now[u] = {name}_slot[u];" for name in names],
        "}",
        "Spending spent = {0}, used = {0};",
        f"for (int turn = 0; turn < {TURNS}; turn++) {{",
        *[f"    {line}" for line in turn.checks],
        "    Mask still = NO_LANES;",
        f"    turns += {slots};",
        *[f"    {line}" for line in unrolled],
        f"    {loop}",
        f"        const Mask in = {here}_now[u];",
        f"        {here}_now[u] = NO_LANES;",
        "        ADD_LANES(used, in);",
        *[f"        {line}" for line in in_registers(turn.statements)],
        f"        still |= {here}_now[u];",
        "    }",
        "    if (!any(still)) break;",
        "}",
        *unrolled,
        loop,
        *[f"    {name}_slot[u] = {name}_now[u];" for name in back],
        "}",
        "const int64_t made = total_of(used); /* turns of lanes */",
        f"left -= total_of(spent) + {turn.steps} * made;",
        "lanes += made;",
        "if (UNLIKELY(left < 0)) return SHORT;",
    ]
