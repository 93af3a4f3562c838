"""What a function of the program computes on one path, as a list of operations on doubles.

In: the operations of the nodes that a unit has for the function. Out: a Region, which runs on numbers
(numbers.py) as often as derivatives need it.

Its inputs are the locations from which the function reads reals: those of its argument and of what it has
captured. What else its operations read (integers, conversions of these) has no derivative: they are leaves.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from checkpoint.ctarget.translate.nested.numbers import Number, Tape, TooComplex
from checkpoint.ctarget.translate.ops.check_ops import Enclosed
from checkpoint.ctarget.translate.ops.dual_ops import OpenDual
from checkpoint.ctarget.translate.ops.object_ops import Element, Load
from checkpoint.ctarget.translate.ops.operation import Op
from checkpoint.ctarget.translate.ops.places import Constant, DualParts, Place, Source, reals
from checkpoint.ctarget.translate.ops.scalar_ops import Apply, Copy
from checkpoint.dataclass import dataclass


class Derivative(Op):
    """An operation that takes a derivative, as a region around it sees it."""

    __slots__ = ()

    @abstractmethod
    def operands(self) -> Sequence[Source]:
        """Return the locations and constants of which its results are made."""

    @abstractmethod
    def run(self, numbers: Numbers) -> dict[Place, Number]:
        """Return the numbers of its results."""


@dataclass(eq=False, slots=True)
class Numbers:
    """The numbers of places in one run of a region."""

    tape: Tape
    of: dict[Place, Number]

    def operand(self, source: Source | None) -> Number:
        """Return the number of a source."""
        if isinstance(source, Constant):
            return self.tape.arithmetic.constant(float(source.value or 0))
        assert isinstance(source, Place)
        return self.of[source] if source.kind == "real" else self.tape.arithmetic.leaf(source)


@dataclass(frozen=True, eq=False, slots=True)
class Region:
    """The operations of a function on one path.

    inputs: places of reals. ops: in order. same: reads of a location that an input stands for, by their
    places. results: what it returns, reals.
    """

    inputs: tuple[Place, ...]
    ops: tuple[Any, ...]
    same: Mapping[Place, Place]
    results: tuple[Source, ...]

    def run(self, tape: Tape, given: Sequence[Number]) -> Numbers:
        """Return the numbers of all places, for numbers of the inputs."""
        locations = dict(zip(self.inputs, given, strict=True))
        numbers = Numbers(tape, dict(locations))
        for op in self.ops:
            if isinstance(op, Apply) and op.to.kind == "real" and op.domain == "reals":
                operands = [numbers.operand(source) for source in op.operands]
                numbers.of[op.to] = tape.apply(op.definition, operands)
            elif isinstance(op, Copy) and op.to.kind == "real":
                numbers.of[op.to] = tape.copied(numbers.operand(op.source))
            elif isinstance(op, Load | Element) and op.to in self.same:
                numbers.of[op.to] = tape.copied(locations[self.same[op.to]])
            elif isinstance(op, OpenDual):  # what the function computes, it computes of primals
                primal = op.to.primal
                assert isinstance(primal, Place)
                numbers.of[primal] = tape.copied(locations[self.same[primal]])
            elif isinstance(op, Derivative):
                numbers.of.update(op.run(numbers))
            else:
                numbers.of.update({place: tape.arithmetic.leaf(place) for place in reals(op.sets())})
        return numbers


class _Locations:
    """Finds the inputs of operations. argument: the places of the reals of the argument.

    names: of objects that are read from others, by where they are read. owners: all other objects that are
    read.
    """

    def __init__(self, argument: Iterable[Place]) -> None:
        self.inputs: dict[Place, None] = {}
        self.same: dict[Place, Place] = {}
        self.owners: dict[Place, None] = {}
        self._own = set(argument)
        self._names: dict[Place, Any] = {}
        self._fields: dict[Any, Place] = {}

    def add(self, op: Op) -> None:
        """Find the inputs of the next operation."""
        match op:
            case Load(to=to, owner=owner, index=index):
                self._read_field(to, owner, index)
            case Element(to=to, owner=owner, index=Constant(value=int() as index)) if index >= 0:
                self._read_field(to, owner, index)
            case OpenDual(to=DualParts(primal=Place() as primal)):
                self._read_real(primal, self._names[op.place])
            case Enclosed():
                self._names[op.to] = ("environment", self._name(op.place))
            case Copy(to=to, source=Place() as source) if to.kind == "value":
                self._names[to] = self._name(source)
            case _ if op.gives:  # it reads a location that is no variable of C
                raise TooComplex
        self.read(op.operands() if isinstance(op, Derivative) else op.reads())
        self._own.update(op.sets())

    def read(self, sources: Iterable[Source | None]) -> None:
        """Add those among sources that no operation has set."""
        found = reals([source for source in sources if source is not None])
        self.inputs.update(dict.fromkeys([place for place in found if place not in self._own]))

    def _read_field(self, to: Place, owner: Place, index: int) -> None:
        at = ("field", self._name(owner), index)
        if to.kind != "real":
            self._names[to] = at
            return
        self._read_real(to, at)

    def _read_real(self, to: Place, at: Any) -> None:
        self.same[to] = self._fields.setdefault(at, to)
        self.inputs[self.same[to]] = None

    def _name(self, place: Place) -> Any:
        if place not in self._names:
            self.owners[place] = None
        return self._names.get(place, place)


def region(
    argument: Sequence[Place], ops: Sequence[Op], results: Sequence[Source]
) -> tuple[Region, list[Place]]:
    """Return the region of operations, and the objects that these take for different ones.

    argument: the places of the reals of the argument; they are the last inputs.
    """
    found = _Locations(argument)
    for op in ops:
        found.add(op)
    found.read(results)
    inputs = [place for place in found.inputs if place not in argument]
    return Region((*inputs, *argument), tuple(ops), found.same, tuple(results)), list(found.owners)
