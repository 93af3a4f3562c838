"""The origins of functions of arrays on blocks: what a tape keeps of them, and how it reverses them.

    Pulled    the locations of the operands' numbers, and what the rules of the record need
    Unwanted  the fields of a tuple or list of which no cotangent is wanted
    Written   a change in place: the elements that it overwrote, and by what

The reversal of a change in place undoes it, so that earlier steps find the array in their state; the tape
keeps only the overwritten elements. Whatever outlives the tape has copied the array by then
(`Memory.transient`). Where the tape is kept the change is made again at the end of the reversal.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from checkpoint.ad.accumulators import Accumulator
from checkpoint.ad.array_library import namespace
from checkpoint.ad.pullbacks import Pullback
from checkpoint.dataclass import dataclass
from checkpoint.interp.hybrid.cotangent import Cotangent, Key
from checkpoint.interp.hybrid.structured import RESULT

Place = str | Key | None  # a slot, a field, or None if no cotangent is wanted


@dataclass(frozen=True, slots=True)
class Elements:
    """The first `count` elements of the container of a birth, all reals."""

    birth: int
    count: int


class Pulled:
    """A recorded application. results: the fields of the numbers of a result that is a tuple or list.

    places: of the numbers of the wanted operands; or Elements, of the only operand that is wanted.

    is_simple: whether every wanted operand is one number in a slot, and so is the result.
    """

    __slots__ = ("is_simple", "places", "pullback", "results")

    def __init__(
        self,
        pullback: Pullback,
        places: list[Any] | Elements,
        results: list[Key] | Elements | None,
        is_simple: bool = False,
    ) -> None:
        self.is_simple = is_simple
        self.pullback = pullback
        self.places = places
        self.results = results

    def reverse(self, slots: dict[str, Any], cotangent: Cotangent) -> None:
        """Add to the locations of the operands' numbers, from what the result has received."""
        if self.is_simple:
            self._reverse_simply(slots)
            return
        received = [slots[RESULT]] if self.results is None else _taken(self.results, cotangent)
        if isinstance(self.places, Elements):
            if found := self.pullback.of_elements(received):
                cotangent.give_reals(self.places.birth, found)
            return
        contributions = self.pullback.contributions(received)
        for place, contribution in zip(reversed(self.places), contributions, strict=False):
            if isinstance(place, str):
                slots[place] = slots.get(place, 0.0) + contribution
            elif place is not None:
                birth, field = place
                cotangent.give(birth, field, contribution)

    def _reverse_simply(self, slots: dict[str, Any]) -> None:
        """Do the same where every operand is in a slot and the result is one number, in short."""
        received, places = slots[RESULT], self.places
        if received:
            assert isinstance(places, list)
            pullback = self.pullback
            g = received.array if type(received) is Accumulator else received
            for position, place in zip(reversed(pullback.wanted), reversed(places), strict=True):
                slots[place] = slots.get(place, 0.0) + pullback.contribution(position, g)


class Unwanted:
    """A tuple or list of numbers that have been made of constants: nobody wants what they receive."""

    __slots__ = ("results",)

    def __init__(self, results: list[Key] | Elements) -> None:
        self.results = results

    def reverse(self, slots: dict[str, Any], cotangent: Cotangent) -> None:
        """Take what the numbers have received."""
        _taken(self.results, cotangent)


def _taken(results: list[Key] | Elements, cotangent: Cotangent) -> list[Any]:
    """Take what the fields of a result have received."""
    if isinstance(results, Elements):
        return cotangent.take_reals(results.birth, results.count)
    return [cotangent.take(*key) for key in results]


class Written:
    """A change of an array in place, at `index`; `old` is the former content, None where nothing needs it."""

    __slots__ = ("data", "index", "name", "old", "place", "pullback")

    def __init__(self, data: Any, index: Any, old: Any, name: str | None) -> None:
        self.data = data
        self.index = index
        self.old = old
        self.name = name  # the slot of the array
        self.place: Place = None  # the location of what was written
        self.pullback: Pullback | None = None

    def reverse(self, slots: dict[str, Any], cotangent: Cotangent) -> None:
        """Restore the overwritten elements; what they have received belongs to what was written."""
        if self.old is not None:
            if cotangent.undone is None:
                self.data[self.index] = self.old
            else:
                self.swap()
                cotangent.undone.append(self)
        received = slots[RESULT]
        if type(received) is not Accumulator:
            return
        for contribution in self.contributions(received):
            if isinstance(self.place, str):
                slots[self.place] = slots.get(self.place, 0.0) + contribution
        if self.name is not None:
            received.own()
            received.array[self.index] = 0.0
            slots[self.name] = slots.get(self.name, 0.0) + received

    def contributions(self, received: Accumulator) -> Iterable[Any]:
        """Return the contributions to what was written."""
        return () if self.pullback is None else self.pullback.contributions([received])

    def swap(self) -> None:
        """Exchange the overwritten elements for those that have overwritten them, or back."""
        assert self.old is not None
        present = namespace((self.data,)).array(self.data[self.index])
        self.data[self.index] = self.old
        self.old[...] = present


class Idle:
    """A step on arrays without anything to reverse."""

    __slots__ = ()

    def reverse(self, slots: dict[str, Any], cotangent: Cotangent) -> None:
        """Do nothing."""


IDLE = Idle()
