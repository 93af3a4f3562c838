"""The kept states of a sweep that are on a disk.

In: states, as a schedule spills and fetches them. Out: the same states, and what a schedule needs to know of
the disk. What always holds: a state is kept until it is dropped. One whose writing has failed is `returned`,
in memory; one that cannot be read back is a LostError, and whoever wants it runs to it again from an earlier
one. Where the disk fails a SpillWarning says so, once.
"""

from __future__ import annotations

import os
import warnings
from time import thread_time
from typing import Any

from checkpoint.driver.spill.parked import LostError, Parked, parked
from checkpoint.driver.spill.setting import IN_MEMORY, Spill, kind_of_files
from checkpoint.driver.spill.store import Store
from checkpoint.driver.spill.transfers import Disk
from checkpoint.errors import SpillWarning


class Shelf:
    """The states of one sweep that its schedule has spilled.

    held: bytes of memory for what is on the disk: the structures of the states.
    pending: bytes of arrays that memory has for the states that are here: those on their way.
    """

    def __init__(self, spill: Spill) -> None:
        self.spill = spill
        self._store: Store | None = None
        self.held = self.pending = 0
        self._parked: dict[int, Parked] = {}
        self._waiting: dict[int, Parked] = {}  # of these, those that memory has
        self._restored: dict[int, Parked] = {}  # in memory again: their objects stay until they are dropped
        self._returned: list[int] = []
        self._cost, self._count = 0.0, 0
        self._is_useless = self._has_warned = False

    def __contains__(self, step: int) -> bool:
        """Return whether the state that is kept at a step is here."""
        return step in self._parked

    def steps(self) -> list[int]:
        """Return the steps of the states that are here."""
        return list(self._parked)

    def put(self, step: int, state: Any) -> bool:
        """Begin to write the state that is kept at a step; return False where it stays in memory."""
        store, began = self._opened(), thread_time()
        found = None if store is None or store.is_lost else parked(state)
        if found is None or store is None or store.room < found.bytes:
            self._returned.append(step)
            return False
        found.put(store)
        self._let_go(step)
        self._parked[step] = self._waiting[step] = found
        self.held += found.rest
        self.pending += found.bytes
        self._count += 1
        self._cost += (thread_time() - began - self._cost) / self._count
        return True

    def fetch(self, step: int) -> None:
        """Begin to read a state back."""
        if step in self._parked and self._store is not None:
            self._parked[step].fetch(self._store)

    def take(self, step: int) -> Any:
        """Return a state that is here, and no longer is; LostError where it cannot be read."""
        found, store = self._removed(step), self._store
        assert found is not None
        assert store is not None
        self._restored[step] = found
        try:
            return found.taken(store)
        except LostError as error:
            self._warn(f"a state could not be read back ({error}), and is run to again")
            raise

    def drop(self, step: int) -> None:
        """Forget what is here of the state that is kept at a step."""
        found = self._removed(step)
        if found is not None and self._store is not None:
            found.release(self._store)
        self._let_go(step)

    def _removed(self, step: int) -> Parked | None:
        found = self._parked.pop(step, None)
        if found is not None:
            self.held -= found.rest
            self._has_left(step)
        return found

    def _has_left(self, step: int) -> None:
        """Note that memory has the arrays of a state for other reasons, or not at all."""
        if step in self._waiting:
            self.pending -= self._waiting.pop(step).bytes

    def _let_go(self, step: int) -> None:
        found = self._restored.pop(step, None)
        if found is not None and self._store is not None:
            found.release(self._store)

    def wait(self) -> None:
        """Wait until what is on its way to the disk has arrived; the first time, have its rate measured."""
        store = self._opened()
        if store is not None:
            store.wait()

    def failed(self) -> list[int]:
        """Let go of what has arrived; return the steps of states that were not written, to be taken back."""
        store = self._store
        if store is None:
            return []
        for step in [step for step, each in self._waiting.items() if each.has_arrived]:
            self._waiting[step].leave()
            self._has_left(step)
        if not store.is_lost:
            return []
        self._warn(str(store.lost or "the process was forked"))
        steps = list(self._waiting)
        self._returned += steps
        return steps

    def report(self) -> Disk:
        """Return what a schedule needs to know."""
        store, returned = self._store, tuple(self._returned)
        self._returned.clear()
        if self._is_useless or (store is not None and store.is_lost):
            return Disk(returned=returned)
        if store is None:
            return Disk(room=self.spill.bytes, returned=returned)
        return Disk(store.rate, self.pending, store.room, self._cost, returned)

    def close(self) -> None:
        """Forget all states, and the file."""
        self._parked, self._waiting, self._restored = {}, {}, {}
        self.held = self.pending = 0
        if self._store is not None:
            self._store.close()
            self._store = None
        self._is_useless = True

    def _opened(self) -> Store | None:
        """Return the store, which is opened on first use; None where there cannot be one."""
        if self._store is None and not self._is_useless:
            folder = self.spill.folder
            try:
                kind = kind_of_files(folder)
                if kind in IN_MEMORY:
                    self._warn(f"it is in memory itself ({kind}), so that states there would free none")
                else:
                    self._store = Store(folder, self.spill.bytes)
            except (OSError, RuntimeError) as error:  # the latter: no thread can be started
                self._warn(str(error))
            self._is_useless = self._store is None
        return self._store

    def _warn(self, reason: str) -> None:
        if not self._has_warned:
            self._has_warned = True
            where = os.fspath(self.spill.folder)
            message = f"spill={where!r}: {reason}. The gradient goes on, and runs steps again instead"
            warnings.warn(SpillWarning(message), stacklevel=2)
