"""Places and references of a unit that is being made.

In: names of the program, blocks and procedures. Out: places with names that are unique in C; numbers of
references.
"""

from __future__ import annotations

import re
from typing import Any

from checkpoint.ctarget.code import BlockPeer
from checkpoint.ctarget.tables import return_point
from checkpoint.ctarget.translate.ops.places import Kind, Place
from checkpoint.ctarget.translate.specialise.observe import Shape
from checkpoint.ctarget.translate.specialise.values import Held
from checkpoint.ctarget.translate.units.graph import Exit, Unit

# Names that mean something in C, or to what translated code includes, end with a number in any case.
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


WITH_COTANGENTS = frozenset(("FOREIGN", "DUAL", "NODE"))  # kinds that have some, and are no reals


class Builder:
    """A unit on its way. pushed: the blocks that frames return to which the unit pushes, with the kinds
    saved.
    """

    def __init__(self, name: str) -> None:
        self.unit = Unit(name)
        self._used: dict[str, int] = {}
        self._references: dict[int, int] = {}

    def place(self, name: str, kind: Kind) -> Place:
        """A new place, named after a slot of the program."""
        words = _WORD.findall(name)
        stem = "_".join(words) or "t"
        number = self._used[stem] = self._used.get(stem, -1) + 1
        made = Place(f"{stem}_{number}", kind)
        self.unit.places.append(made)
        return made

    def hold(self, place: Place, tag: str, hint: Shape | None = None) -> Held:
        """A value in a place. Of some a unit cannot record what becomes of their amounts."""
        if tag in WITH_COTANGENTS:
            self.unit.tapes = False
        return Held(place, tag, hint)

    def reference(self, thing: Any) -> int:
        """The number of a block's or procedure's peer, or of a ReturnPoint."""
        if id(thing) not in self._references:
            self._references[id(thing)] = len(self.unit.references)
            self.unit.references.append(thing)
        return self._references[id(thing)]

    def point(self, block: BlockPeer) -> int:
        """The number of the ReturnPoint of frames that return to a block."""
        return self.reference(return_point(block))

    def exit(self, block: BlockPeer, steps: int, effects: Any, contents: Any) -> Exit:
        """An end outside of the unit."""
        self.unit.exits += 1
        return Exit(self.unit.exits - 1, block, steps, tuple(effects), tuple(contents))
