"""Reverses the turns that lanes made in slots, and the moves between these and their own places (slots.py).

In: the statements that reverse a turn. Out: statements that reverse turns in registers, and that undo a move.
What always holds: a lane's cotangents are in the chunks behind the others from where it left a slot to where
it took one, in its own place of the arrays else.
"""

from __future__ import annotations

from collections.abc import Sequence

from checkpoint.ctarget.translate.strips.slots import INDEXED, WRITTEN, in_registers


def turns_back(number: int, begin: Sequence[str], turn: Sequence[str]) -> list[str]:
    """Return the statements that reverse turns in slots, as long as their records follow one another.

    What a turn leaves to the one before stays in registers: from memory, where it was stored just now, it
    would come later than it is needed.

    number: of the records. begin: statements that take one, and declare its chunk u. turn: those that reverse
    its turn.
    """
    text = "\n".join(turn)
    named, written = dict.fromkeys(INDEXED.findall(text)), set(WRITTEN.findall(text))
    for_slots = ["UNROLLED(SLOTS)", "for (unsigned slot = 0; slot < SLOTS; slot++) {"]
    return [
        *[f"__typeof__({name}[0]) {name}_now[SLOTS];" for name in named],
        *for_slots,
        *[f"    {name}_now[slot] = {name}[CHUNKS + slot];" for name in named],
        "}",
        f"for (ways--; *ways == {number}; ways++) {{",
        *[f"    {line}" for line in begin],
        *[f"    {line}" for line in for_slots],
        "        if (u != CHUNKS + slot) continue;",
        *[f"        {line}" for line in in_registers(turn, "slot")],
        "    }",
        "}",
        *for_slots,
        *[f"    {name}[CHUNKS + slot] = {name}_now[slot];" for name in named if name in written],
        "}",
    ]


def moved_back(number: int, text: Sequence[str]) -> list[str]:
    """Return the statements that undo a move of a lane, in a reversal.

    number: of the group. text: what reverses its turns.
    """
    named = dict.fromkeys(INDEXED.findall("\n".join(text)))
    written = set(WRITTEN.findall("\n".join(text)))
    slot = "CHUNKS * WIDTH + slot_of(move)"
    whole = "CHUNKS + slot_of(move) / WIDTH"
    return [
        f"case {number}:",
        "    if (is_whole_move(move) && took(move)) {",
        *[f"        {name}[lane / WIDTH] = {name}[{whole}];" for name in named if name in written],
        "    } else if (is_whole_move(move)) {",
        *[f"        {name}[{whole}] = {name}[lane / WIDTH];" for name in named],
        "    } else if (took(move)) {",
        *[f"        MOVE_LANE({name}, lane, {name}, {slot});" for name in named if name in written],
        "    } else {",
        *[f"        MOVE_LANE({name}, {slot}, {name}, lane);" for name in named],
        "    }",
        "    break;",
    ]
