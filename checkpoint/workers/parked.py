"""States of a run that wait on a disk until their segments are handed on.

In: states that are more than the workers' memory has room for, and the folder of `spill=`. Out: the same
states, as the bytes of capsules. Where the disk takes or gives no more, a SpillWarning says so, once: the
state is not there then, and the steps behind it run from the state before.
"""

from __future__ import annotations

import warnings
import weakref

from checkpoint.dataclass import dataclass
from checkpoint.driver.spill.file import File, Places
from checkpoint.driver.spill.setting import IN_MEMORY, Spill, kind_of_files
from checkpoint.errors import SpillWarning
from checkpoint.workers.segment import Cut


@dataclass(eq=False)
class Place:
    """Where a state is on the disk: it is there as long as this is."""

    first: int
    length: int


class Parked:
    """The states of one run that are on a disk."""

    def __init__(self, spill: Spill) -> None:
        self._spill = spill
        self._file: File | None = None
        self._places = Places(spill.bytes)
        self._fails = False

    def put(self, cut: Cut) -> Place | None:
        """Write a state; return where it is, or None where there is no room for it."""
        data = cut.data()
        first = None if self._fails else self._places.take(len(data))
        if first is None:
            return None
        place = Place(first, len(data))
        weakref.finalize(place, self._places.give_back, first, len(data))
        try:
            self._opened().write_at(memoryview(data), first)
        except OSError as error:
            self._failed(error)
            return None
        return place

    def state(self, place: Place) -> Cut | None:
        """Read a state; None where it cannot be read."""
        data = bytearray(place.length)
        try:
            self._opened().read_at(memoryview(data), place.first)
        except OSError as error:
            self._failed(error)
            return None
        return Cut(None, bytes(data))

    def close(self) -> None:
        """Release what the disk holds."""
        if self._file is not None:
            self._file.close()

    def _opened(self) -> File:
        if self._file is None:
            kind = kind_of_files(self._spill.folder)
            if kind in IN_MEMORY:
                raise OSError(0, f"it is in memory itself ({kind})")
            self._file = File(self._spill.folder)
        return self._file

    def _failed(self, error: OSError) -> None:
        if not self._fails:
            self._fails = True
            text = f"states cannot be spilled to {self._spill.folder}: {error.strerror or error}. "
            text += "The gradient goes on, and runs steps again instead"
            warnings.warn(SpillWarning(text), stacklevel=2)
