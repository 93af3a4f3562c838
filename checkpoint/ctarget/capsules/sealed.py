"""Keeps what sealed capsules, which are values of a run, receive in its reversal.

In: a sealed capsule, and a cotangent for each of its reals. Out: the same when the step is reversed that has
made the capsule. What always holds: as soon as anybody asks for a field of a slot of a capsule, or gives to
one, all that the capsule has received is in fields, where contributions are added one after the other, as of
any other capsule.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from checkpoint.ad.values import Capsule
from checkpoint.interp.hybrid.cotangent import Place, state_slots

_BYTES = 8  # of a real


class Fields(Protocol):
    """The accumulators of fields, by birth and field."""

    @property
    def objects(self) -> Any:
        """Return the accumulators as a mapping."""
        ...


class Given(NamedTuple):
    """A sealed capsule, and what each of its reals has received, in the canonical order."""

    capsule: Capsule
    reals: array[float]


class Sealed:
    """Keeps what sealed capsules have received, by their births. bytes: of that."""

    __slots__ = ("_given", "_opened", "bytes")

    def __init__(self) -> None:
        self._given: dict[int, Given] = {}
        self.bytes = 0
        self._opened: set[int] = set()  # capsules whose slots may have fields

    def give(self, capsule: Capsule, reals: array[float]) -> None:
        """Set what a capsule has received."""
        self._given[capsule.birth] = Given(capsule, reals)
        self.bytes += _BYTES * len(reals)

    def take(self, capsule: Capsule, fields: Fields) -> Sequence[float]:
        """Remove and return what a capsule has received."""
        given = self._pop(capsule.birth)
        if given is not None:
            return given.reals
        sealed = capsule.sealed
        if sealed is not None and capsule.birth not in self._opened:
            return array("d", bytes(_BYTES * sealed.reals))
        return [fields.objects.pop((capsule.birth, place), 0.0) for place in places_of_reals(capsule)]

    def open(self, birth: int, fields: Fields, takes: bool = False) -> None:
        """Move what a capsule has received to the fields of its slots.

        takes: whether one of these is about to be removed, as all are when the step is reversed that made it.
        """
        given = self._pop(birth)
        if takes:
            self._opened.discard(birth)
        else:
            self._opened.add(birth)
        if given is not None:
            for place, real in zip(places_of_reals(given.capsule), given.reals, strict=True):
                fields.objects[birth, place] = real

    def _pop(self, birth: int) -> Given | None:
        given = self._given.pop(birth, None)
        if given is not None:
            self.bytes -= _BYTES * len(given.reals)
        return given


def places_of_reals(capsule: Capsule) -> list[Place]:
    """Return the fields of a capsule's slots that hold reals, in the canonical order."""
    return [place for place, slot in state_slots(capsule.state) if type(slot) is float]
