"""Keeps what is known of values on a path of a unit: their kinds, and what objects there have for fields.

In: the operations of a path, in order. Out: Facts.

What always holds: only what never changes is known: kinds of values, fields of pairs, plain tuples and
environments. Two places that were read from one field have one value, so what is found of one holds of both.
A path continues behind an operation only where that has not left the unit, whatever node the exit is in.
"""

from __future__ import annotations

from dataclasses import field

from checkpoint.ctarget.translate.ops.check_ops import Enclosed, EndTest, Expect, ExpectReal, IsKind
from checkpoint.ctarget.translate.ops.frame_ops import Peek
from checkpoint.ctarget.translate.ops.object_ops import Load, Make
from checkpoint.ctarget.translate.ops.operation import Operation
from checkpoint.ctarget.translate.ops.places import Kind, Place
from checkpoint.ctarget.translate.units.graph import Fork, Node
from checkpoint.dataclass import dataclass

UNCHANGING = frozenset(("PAIR", "TUPLE", "ENVIRONMENT"))  # what is made as one of these keeps its fields
WITHOUT_COTANGENT = UNCHANGING | {"OTHER", "NOTHING", "CLOSURE", "PROCEDURE", "LIST"}  # kinds that are OTHER
ENCLOSED = -1  # the index of a closure's environment, beside fields

What = tuple[str, int | None, int | None]  # tag, procedure and count, as of an Expect


@dataclass(slots=True)
class Facts:
    """Holds what is known on a path.

    same: for places that were read from what another one was read from: that one. kinds: of values. fields:
    what objects have at an index: the place of the value, or the kind of a number. tests: of which value a
    boolean says something, what that is if it is true, and what else.
    """

    same: dict[Place, Place] = field(default_factory=dict)
    kinds: dict[Place, frozenset[What]] = field(default_factory=dict)
    fields: dict[tuple[Place, int], Place | Kind] = field(default_factory=dict)
    tests: dict[Place, tuple[Place, What, What | None]] = field(default_factory=dict)

    def copy(self) -> Facts:
        """Return a copy for another path."""
        return Facts(dict(self.same), dict(self.kinds), dict(self.fields), dict(self.tests))

    def first(self, place: Place) -> Place:
        """Return the place that stands for all that have its value."""
        return self.same.get(place, place)

    def holds(self, place: Place, what: What) -> bool:
        """Return whether a value is known to be of a kind."""
        known = self.kinds.get(self.first(place), frozenset())
        if what == ("OTHER", None, None):
            return any(tag in WITHOUT_COTANGENT for tag, _, _ in known)
        return what in known

    def note(self, place: Place, what: What) -> None:
        """Note of what kind a value is: of a tag, and of what else an Expect may say of it."""
        first = self.first(place)
        self.kinds[first] = self.kinds.get(first, frozenset()) | {what, (what[0], None, None)}

    def found(self, place: Place, index: int) -> Place | Kind | None:
        """Return what is known of a field of an object: the place that stands for its value, or a kind."""
        known = self.fields.get((self.first(place), index))
        return self.first(known) if isinstance(known, Place) else known

    def done(self, operation: Operation) -> bool:
        """Note what an operation finds; return whether all of that was known before."""
        match operation:
            case Expect(place, tag, procedure, count):
                what = (tag, procedure, count)
                if self.holds(place, what):
                    return True
                self.note(place, what)
            case ExpectReal(place, bits):
                if self.holds(place, ("REAL", None, bits)):
                    return True
                self.note(place, ("REAL", None, bits))
            case Peek(checks=checks):
                for each in checks or ():
                    self.note(each.place, (each.tag, each.procedure, each.count))
            case IsKind(to, place, tag):
                self.tests[to] = (place, (tag, None, None), None)
            case EndTest(to, place, tag):
                self.tests[to] = (place, (tag, None, None), (operation.other, None, None))
            case Enclosed(to, place):
                return self._read(place, ENCLOSED, to)
            case Load(to, owner, index) if type(operation) is Load:
                return self._read(owner, index, to)
            case Make():
                self._made(operation)
        return False

    def _read(self, owner: Place, index: int, to: Place) -> bool:
        known = self.found(owner, index)
        if isinstance(known, Place) and known.kind == to.kind:
            self.same[to] = known
            return True
        if known == to.kind:
            return True
        self.fields[self.first(owner), index] = to
        return False

    def _made(self, make: Make) -> None:
        if type(make) is not Make or make.tag not in UNCHANGING:
            return
        self.note(make.to, (make.tag, None, len(make.cells) if make.tag == "TUPLE" else None))
        for i, cell in enumerate(make.cells):
            if isinstance(cell, Place) or cell.kind != "value":
                self.fields[make.to, i] = cell if isinstance(cell, Place) else cell.kind

    def behind(self, node: Node, after: Node, is_one_of_several: bool) -> Facts:
        """Return what is known in a node that follows another one, at whose end these facts hold."""
        known = self.copy() if is_one_of_several else self
        if isinstance(node.end, Fork) and isinstance(node.end.test, Place) and node.end.test in known.tests:
            place, what, otherwise = known.tests[node.end.test]
            found = what if after is node.end.then else otherwise
            if found is not None:
                known.note(place, found)
        return known
