"""Names and numbers of a unit that is being made.

In: names of the program, blocks and procedures. Out: places with names that are unique in C; numbers of
references and exits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.tables import return_point
from checkpoint.ctarget.translate.ops.check_ops import real_of
from checkpoint.ctarget.translate.ops.operation import Effect
from checkpoint.ctarget.translate.ops.places import DualParts, Kind, Place, Source, View
from checkpoint.ctarget.translate.specialise.observe import Shape
from checkpoint.ctarget.translate.specialise.values import Held, Virtual
from checkpoint.ctarget.translate.units.graph import Exit, Unit

# Every name gets a number behind it, so it is no word of C nor a name of translated.h.
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
# The kinds that are not real and have cotangents: a unit cannot record for them.
WITH_COTANGENTS = frozenset(("FOREIGN", "DUAL", "NODE"))


class Expected(NamedTuple):
    """The number that a place is expected to hold. of: the reals that it is computed from, and their bits."""

    number: float
    of: tuple[tuple[Place, int], ...]


class Builder:
    """A unit that is being made.

    unrolls: whether a recursion over data whose shape was seen is followed to its end, each turn with checks
    that it has that shape. duals: of which duals places are the primals, where it was asked for. ages: of
    tags, by their places: of two with different ages the one that has the higher is expected to be newer.
    expected: of reals, the numbers that they had when the unit was made, if the procedure that ran held them
    itself. knows: whether these decide branches, each real with a check that it has that number. could_know:
    whether they would, if it did.
    """

    def __init__(self, name: str, unrolls: bool = False, knows: bool = False) -> None:
        self.unit = Unit(name)
        self.unrolls = unrolls
        self.knows = knows
        self.could_know = False
        self.expected: dict[Place, Expected] = {}
        self.duals: dict[Place, DualParts] = {}
        self.ages: dict[Place, int] = {}
        self._used: dict[str, int] = {}
        self._references: dict[int, int] = {}

    def place(self, name: str, kind: Kind) -> Place:
        """Return a new place, named after a slot of the program."""
        words = _WORD.findall(name)
        stem = "_".join(words) or "t"
        number = self._used[stem] = self._used.get(stem, -1) + 1
        made = Place(f"{stem}_{number}", kind)
        self.unit.places.append(made)
        return made

    def expect(self, place: Place, bits: int) -> None:
        """Expect a real to have certain bits, unless it is a NaN."""
        number = real_of(bits)
        if not math.isnan(number):
            self.expected[place] = Expected(number, ((place, bits),))

    def hold(self, place: Place, tag: str, hint: Shape | None = None) -> Held:
        """Return the value in a place. A unit with values of some tags has no taped form."""
        if tag in WITH_COTANGENTS:
            self.unit.tapes = False
        return Held(place, tag, hint)

    def dual(self, name: str, tag: Place | None = None, age: int = 0) -> tuple[Virtual, DualParts]:
        """Return a dual of reals in new places, with a tag of its own if none is given; and these places."""
        self.unit.has_duals = True
        if tag is None:
            tag = self.place(f"{name}_tag", "integer")
            self.ages[tag] = age
        primal, tangent = (self.place(f"{name}_{part}", "real") for part in ("primal", "tangent"))
        return Virtual("DUAL", [primal, tangent], tag), DualParts(tag, primal, tangent)

    def view(self, name: str, axes: int) -> View:
        """Return an array of so many axes in new places."""
        sizes, strides = (
            tuple([self.place(f"{name}_{word}", "integer") for _ in range(axes)])
            for word in ("size", "stride")
        )
        return View(self.place(name, "array"), self.place(f"{name}_data", "integer"), sizes, strides)

    def new_tag(self, name: str) -> Place:
        """Return the place of a tag that is newer than all others."""
        self.unit.has_duals = True
        tag = self.place(f"{name}_tag", "integer")
        self.ages[tag] = 1 + max(self.ages.values(), default=0)
        return tag

    def reference(self, thing: Any) -> int:
        """Return the number of a block's or procedure's peer, of a ReturnPoint, a Layout or a constant."""
        if id(thing) not in self._references:
            self._references[id(thing)] = len(self.unit.references)
            self.unit.references.append(thing)
        return self._references[id(thing)]

    def point(self, block: BlockPeer, kinds: tuple[Any, ...] | None = None) -> int:
        """Return the number of the ReturnPoint of frames that return to a block: of those that the machine
        has pushed, or of those that units have pushed with values of these kinds.
        """
        return self.reference(return_point(block, kinds=kinds))

    def exit(
        self, block: BlockPeer, steps: int, effects: Sequence[Effect], contents: Sequence[tuple[int, Source]]
    ) -> Exit:
        """Return a new exit of the unit."""
        self.unit.exits += 1
        return Exit(self.unit.exits - 1, block, steps, tuple(effects), tuple(contents))
