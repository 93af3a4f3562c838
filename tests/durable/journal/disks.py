"""Disks below all writers of a journal: one that ends the process at an operation, one that loses power.

In: a number of operations after which it ends. Out: `Killed`, raised from within; and what is left of the
files. A disk that loses power keeps of what was not synced any blocks, torn and in any order, and of names
that were made or removed any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import pytest

from checkpoint.driver.budget import Budget
from checkpoint.driver.schedule import Actions, Advance, Drop, Hold, Keep, Restore, Reverse, Tape
from checkpoint.durable import journal
from checkpoint.durable.journal import pace, sweep
from checkpoint.durable.journal.folder import Buffer, Folder

BLOCK = 64  # bytes that reach a disk together


class Killed(BaseException):
    """The process is no more."""


class Fuse:
    """Counts operations, and raises `Killed` instead of the last of so many; -1: never."""

    def __init__(self, operations: int = -1) -> None:
        self.left = operations
        self.done = 0

    def burn(self) -> None:
        self.done += 1
        self.left -= 1
        if self.left == 0:
            raise Killed


class Disk:
    """What of a folder is durable, and what is not yet.

    synced: the durable bytes of each file. written: all bytes. names: those that are durable.
    """

    def __init__(self) -> None:
        self.synced: dict[str, bytes] = {}
        self.written: dict[str, bytearray] = {}
        self.names: set[str] = set()
        self.removed: set[str] = set()

    def lose_power(self, random: Random) -> None:
        """Keep what is durable, and anything of the rest."""
        left = {}
        for name, written in self.written.items():
            if name in self.names or random.random() < 0.5:
                left[name] = bytearray(_torn(self.synced.get(name, b""), bytes(written), random))
        for name in self.removed:
            if random.random() < 0.5:
                left[name] = bytearray(self.synced.get(name, b""))
        self.written = left
        self.synced = {name: bytes(data) for name, data in left.items()}
        self.names, self.removed = set(left), set()


def _torn(synced: bytes, written: bytes, random: Random) -> bytes:
    """Return a file whose blocks since the last sync have reached the disk in part, and in any order."""
    found = bytearray(synced)
    for start in range(len(synced) // BLOCK * BLOCK, len(written), BLOCK):
        if random.random() < 0.6:
            end = min(start + BLOCK, len(written))
            found += bytes(max(0, end - len(found)))
            found[max(start, len(synced)) : end] = written[max(start, len(synced)) : end]
    return bytes(found)


class Simulated(Folder):
    """A folder on a Disk."""

    def __init__(self, path: Any, disk: Disk, fuse: Fuse) -> None:
        super().__init__(path)
        self.disk = disk
        self.fuse = fuse

    def names(self) -> list[str]:
        return sorted(self.disk.written)

    def read(self, name: str) -> bytes:
        if name not in self.disk.written:
            raise FileNotFoundError(name)
        return bytes(self.disk.written[name])

    def create(self, name: str) -> None:
        self.fuse.burn()
        self.disk.written[name] = bytearray()
        self.disk.synced.pop(name, None)

    def append(self, name: str, parts: Sequence[Buffer]) -> None:
        for part in parts:
            self.disk.written[name] += part
            if len(part) > 16:  # in the midst of a record
                self.fuse.burn()

    def sync(self, name: str) -> None:
        self.fuse.burn()
        self.disk.synced[name] = bytes(self.disk.written[name])
        self.fuse.burn()

    def sync_names(self) -> None:
        self.fuse.burn()
        self.disk.names = set(self.disk.written)
        self.disk.removed = set()

    def finish(self, name: str) -> None:
        """Do nothing: there are no handles."""

    def remove(self, name: str) -> None:
        self.fuse.burn()
        self.disk.written.pop(name, None)
        if name in self.disk.names:
            self.disk.removed.add(name)


class Killing(Folder):
    """A real folder whose process ends at an operation; nothing is synced, since the system does not end."""

    fuse: Fuse

    def _burning(self, operation: Callable[[], None]) -> None:
        self.fuse.burn()
        operation()
        self.fuse.burn()

    def append(self, name: str, parts: Sequence[Buffer]) -> None:
        whole = b"".join(parts)
        super().append(name, [whole[: len(whole) // 2]])
        self._burning(lambda: super(Killing, self).append(name, [whole[len(whole) // 2 :]]))

    def create(self, name: str) -> None:
        self._burning(lambda: super(Killing, self).create(name))

    def sync(self, name: str) -> None:
        self._burning(lambda: None)

    def sync_names(self) -> None:
        self._burning(lambda: None)

    def remove(self, name: str) -> None:
        self._burning(lambda: super(Killing, self).remove(name))


@contextmanager
def often(steps: int) -> Iterator[None]:
    """Make a durable point after each so many steps, and wherever else there is one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pace.Pace, "is_due", lambda self: True)
        patch.setattr(sweep, "FIRST_PACE", steps)
        patch.setattr(sweep, "adapted", lambda pace, took, seconds: pace)
        yield


@dataclass(frozen=True)
class Pieces(Budget):
    """A budget that keeps a state after each so many steps, and has taped the first pieces on the way."""

    steps: int = 1
    taped: int = 2
    weighs: ClassVar[bool] = False

    def in_series(self) -> Actions:
        return self.actions()

    def actions(self) -> Actions:
        marks = [(yield Keep()).step]
        held: list[int] = []
        while True:
            low = marks[-1]
            if len(held) < self.taped:
                report = yield Tape(low + self.steps)
                if report.finished:
                    yield Reverse()
                    break
                yield Hold()
                held.append(low)
            else:
                report = yield Advance(low + self.steps)
                if report.finished:
                    yield from self._reversed(low, report.step)
                    break
            yield Keep()
            marks.append(report.step)
        while len(marks) > 1:
            high = marks.pop()
            yield Drop(high)
            if marks[-1] in held:
                yield Reverse(marks[-1])
            else:
                yield from self._reversed(marks[-1], high)

    def _reversed(self, low: int, high: int) -> Actions:
        yield Restore(low)
        yield Tape(high)
        yield Reverse()


@contextmanager
def on(disk: Disk | None, fuse: Fuse) -> Iterator[None]:
    """Let journals be on a simulated disk, or (None) in real folders, and end as the fuse says."""

    def made(path: Path) -> Folder:
        if disk is not None:
            return Simulated(path, disk, fuse)
        folder = Killing(path)
        folder.fuse = fuse
        return folder

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(journal, "Folder", made)
        yield
