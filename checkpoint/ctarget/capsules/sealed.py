"""Keeps what sealed capsules, which are values of a run, receive in its reversal.

In: a sealed capsule, and a cotangent for each of its reals. Out: the same when the step is reversed that has
made the capsule. What always holds: as soon as anybody asks for a field of a slot of a capsule or of one of
its objects, or gives to one, all that the capsule has received is in fields, where contributions are added
one after the other, as of any other capsule.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from checkpoint.ad.values import Capsule
from checkpoint.ctarget.capsules.rest import state_in_c
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.states import Heap
from checkpoint.interp.hybrid.cotangent import Key, locations

_BYTES = 8  # of a real


class Fields(Protocol):
    """The accumulators of fields, by birth and field."""

    @property
    def objects(self) -> Any:
        """Return the accumulators as a mapping."""
        ...

    def holds(self, capsule: Capsule) -> bool:
        """Return whether an object of a sealed capsule has accumulators."""
        ...


class Given(NamedTuple):
    """A sealed capsule, the births of it and its objects, and what its reals have received, in order."""

    capsule: Capsule
    births: range
    reals: array[float]


class Sealed:
    """Keeps what sealed capsules have received, by their births. bytes: of that.

    was_used: whether any has received, so that fields of what it holds may stay when all is reversed.
    """

    __slots__ = ("_given", "_opened", "bytes", "was_used")

    def __init__(self) -> None:
        self._given: dict[int, Given] = {}
        self.bytes = 0
        self._opened: set[int] = set()  # capsules whose slots may have fields
        self.was_used = False

    def give(self, capsule: Capsule, reals: array[float]) -> None:
        """Set what a capsule has received."""
        self.was_used = True
        first, contents = capsule.birth, capsule.sealed
        births = range(first, first + 1 + (contents.births if contents is not None else 0))
        self._given[first] = Given(capsule, births, reals)
        self.bytes += _BYTES * len(reals)

    def take(self, capsule: Capsule, fields: Fields) -> Sequence[float]:
        """Remove and return what a capsule has received."""
        self.was_used = True
        given = self._pop(capsule.birth)
        if given is not None:
            return given.reals
        sealed = capsule.sealed
        if sealed is None or capsule.birth in self._opened or (sealed.births and fields.holds(capsule)):
            return [fields.objects.pop(key, 0.0) for key in keys_of_reals(capsule)]
        return array("d", bytes(_BYTES * sealed.reals))

    def open(self, birth: int, fields: Fields, takes: bool = False) -> None:
        """Move what a capsule has received to the fields of its slots.

        takes: whether one of these is about to be removed, as all are when the step is reversed that made it.
        """
        self.was_used = True
        given = self._pop(birth)
        if takes:
            self._opened.discard(birth)
        else:
            self._opened.add(birth)
        if given is not None:
            for key, real in zip(keys_of_reals(given.capsule), given.reals, strict=True):
                fields.objects[key] = real

    def open_object(self, birth: int, fields: Fields) -> None:
        """Move what the capsule has received of which an object has this birth, if there is one."""
        for first in [first for first, given in self._given.items() if birth in given.births]:
            self.open(first, fields)

    def _pop(self, birth: int) -> Given | None:
        given = self._given.pop(birth, None)
        if given is not None:
            self.bytes -= _BYTES * len(given.reals)
        return given


def holds(heap: Heap, cotangent: Any, capsule: Capsule) -> bool:
    """Return whether a cotangent in C, of a heap, has accumulators of an object of a sealed capsule."""
    lib, state = runtime().lib, state_in_c(capsule.state)
    assert state is not None
    outcome = lib.ck_closed_holds(cotangent, state.held, capsule.birth + 1)
    if outcome == lib.CLOSED_NO_MEMORY:
        raise heap.full()
    return bool(outcome == lib.CLOSED)


def keys_of_reals(capsule: Capsule) -> list[Key]:
    """Return the births and fields of a capsule's reals, in the canonical order."""
    return [key for key, _ in locations(capsule) if key is not None]
