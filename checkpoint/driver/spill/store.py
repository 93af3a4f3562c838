"""Objects on a disk, by their content: written once, in the background, and read ahead of their use.

In: the bytes of immutable objects (`put`), which memory holds until they are on the disk; buffers to be
filled (`read`). Out: Stored objects; Reads that can be waited for; the rate at which the disk takes and gives
bytes, past the system's cache of files.

What always holds:
- An object is known by the holder of its bytes for as long as that lives, since what kept states hold is
  never changed in place (checkpoint.ad.storage), and else by a digest of its content. Either way it has one
  place on the disk, which is free again when nobody has it any more.
- `arrived` is True only after the disk has confirmed all of the object's bytes. Until then, and for good
  where writing failed, memory has them.
- A read has the bytes that were written, by their digest, or it has failed.
- Once writing has failed the store is `lost`: it takes no more objects. What it has can still be read.

One thread does all of it, reads before writes. A process that was forked has no such thread: its store is
lost.
"""

from __future__ import annotations

import os
from collections import deque
from contextlib import AbstractContextManager, nullcontext
from threading import Condition, Thread
from time import perf_counter
from typing import Any
from weakref import ref

from checkpoint.driver.spill.file import CHUNK, File, Places
from checkpoint.hashing import digest

WINDOW = 16 * 2**20  # bytes that are written between two syncs, at most
PROBE = 16 * 2**20  # bytes by which a disk is measured that is not known yet
LEAST_WINDOW = 2**20  # smaller windows say more of the time of a sync than of the rate
MEMORY = 256 * 2**20  # of the bytes of which the rate is an average, older ones count half
DIGEST = 16  # bytes

_rates: dict[int, float] = {}  # of disks that were measured, by their devices


class Place:
    """A place in the file. count: of the objects that have it, which have the same content."""

    __slots__ = ("count", "digest", "first", "length")

    def __init__(self, first: int, length: int, digest: bytes) -> None:
        self.first = first
        self.length = length
        self.digest = digest
        self.count = 0


class Stored:
    """An object that was put. holder: whose bytes it has, weakly. data: these, until they have arrived."""

    __slots__ = ("arrived", "count", "data", "holder", "key", "length", "place")

    def __init__(self, holder: Any, key: tuple[int, int, int], data: memoryview) -> None:
        self.holder = ref(holder)
        self.key = key
        self.data: memoryview | None = data
        self.length = len(data)
        self.place: Place | None = None
        self.arrived = False
        self.count = 1  # of those who have put it


class Read:
    """Bytes that are being read, into a buffer. error: what went wrong, once `done`."""

    __slots__ = ("done", "error", "into", "place")

    def __init__(self, place: Place, into: memoryview) -> None:
        self.place = place
        self.into = into
        self.done = False
        self.error: Exception | None = None


class Rate:
    """Bytes per second, as an average over the last MEMORY bytes."""

    __slots__ = ("_bytes", "_seconds")

    def __init__(self, rate: float = 0.0) -> None:
        self._bytes, self._seconds = (float(PROBE), PROBE / rate) if rate else (0.0, 0.0)

    def sample(self, bytes: int, seconds: float) -> None:
        """Take up that so many bytes took so long."""
        self._bytes += bytes
        self._seconds += seconds
        if self._bytes > MEMORY:
            self._bytes, self._seconds = self._bytes / 2, self._seconds / 2

    @property
    def value(self) -> float:
        """Return the rate; 0 while it is not known."""
        return self._bytes / self._seconds if self._seconds else 0.0


class Store:
    """The objects of one sweep, in a folder. most: how many bytes they may take there."""

    def __init__(self, folder: str | os.PathLike[str], most: int) -> None:
        self.lost: Exception | None = None
        self.pending = 0  # bytes of objects that have not arrived, which memory has
        self.written = 0  # bytes that were written so far
        self._device = os.stat(folder).st_dev
        self._places = Places(most)
        self._known: dict[tuple[int, int, int], Stored] = {}
        self._by_content: dict[bytes, Place] = {}
        self._changed = Condition()
        self._writes: deque[Stored] = deque()
        self._reads: deque[Read] = deque()
        self._unsynced: list[Stored] = []
        self._window = 0, 0.0
        self._written_rate = Rate(_rates.get(self._device, 0.0))
        self._read_rate = Rate()
        self._probes = not _rates.get(self._device)
        self._closed = self._is_writing = False
        self._process = os.getpid()
        self._file = File(folder)
        self._thread = Thread(target=self._work, name="checkpoint-spill", daemon=True)
        self._thread.start()

    # What a sweep does

    @property
    def rate(self) -> float:
        """Return the bytes per second of the slower one of writing and reading, as far as it is known."""
        known = [rate for rate in (self._written_rate.value, self._read_rate.value) if rate]
        return min(known, default=0.0)

    @property
    def room(self) -> int:
        """Return how many bytes it still takes; 0 once it is lost."""
        return 0 if self.is_lost else self._places.most - self._places.used - self.pending

    @property
    def is_lost(self) -> bool:
        """Return whether it takes no more objects."""
        return self.lost is not None or self._is_forked

    @property
    def _is_forked(self) -> bool:
        return os.getpid() != self._process

    def _alone(self) -> AbstractContextManager[Any]:
        """Return the lock; in a forked process, where it may be held for ever, a context of nothing."""
        return nullcontext() if self._is_forked else self._changed

    def put(self, holder: Any, first: int, end: int, raw: memoryview) -> Stored:
        """Store the bytes of a holder from one on up to another; raw: all of its bytes."""
        key = id(holder), first, end
        with self._changed:
            known = self._known.get(key)
            if known is not None and known.holder() is holder:
                known.count += 1
                return known
            made = self._known[key] = Stored(holder, key, raw[first:end])
            self.pending += made.length
            self._writes.append(made)
            self._changed.notify_all()
        return made

    def release(self, stored: Stored) -> None:
        """Give back an object, once for each time it was put."""
        with self._alone():
            stored.count -= 1
            if stored.count:
                return
            if self._known.get(stored.key) is stored:
                del self._known[stored.key]
            if not stored.arrived:
                self.pending -= stored.length
            stored.data = None
            self._free(stored)

    def _free(self, stored: Stored) -> None:
        place, stored.place = stored.place, None
        if place is None:
            return
        place.count -= 1
        if not place.count:
            self._by_content.pop(place.digest, None)
            self._places.give_back(place.first, place.length)

    def is_now_held_by(self, stored: Stored, holder: Any) -> None:
        """Note that a holder, which nobody changes, has the bytes that a read has brought back."""
        key = id(holder), 0, stored.length
        with self._alone():
            if self._known.get(stored.key) is stored:
                del self._known[stored.key]
            stored.holder, stored.key = ref(holder), key
            self._known[key] = stored

    def read(self, stored: Stored, into: memoryview) -> Read:
        """Begin to read an object that has arrived."""
        assert stored.place is not None
        read = Read(stored.place, into)
        if self._is_forked:
            self._fill(read)
            return read
        with self._changed:
            self._reads.append(read)
            self._changed.notify_all()
        return read

    def wait_for(self, read: Read) -> None:
        """Wait until a read is done."""
        with self._alone():
            if self._is_forked and not read.done:  # its thread is that of another process
                self._fill(read)
                return
            self._changed.wait_for(lambda: read.done)

    def wait(self) -> None:
        """Wait until nothing is on its way any more, or the store is lost."""
        if self.is_lost:
            return
        with self._changed:
            self._changed.wait_for(lambda: self.lost or not self._is_on_its_way())

    def close(self) -> None:
        """End the thread after what it is doing, and free all places."""
        if not self._is_forked:
            with self._changed:
                self._closed = True
                self._changed.notify_all()
            self._thread.join()
        self._file.close()

    # What its thread does

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(self._has_work)
                if self._closed:
                    return
                read = self._reads.popleft() if self._reads else None
                write = self._writes.popleft() if not read and self._writes and not self._probes else None
                self._is_writing = write is not None or (read is None and not self._probes)
            if read is not None:
                self._fill(read)
            else:
                self._attempt(write)
            with self._changed:
                self._is_writing = False
                self._changed.notify_all()

    def _has_work(self) -> bool:
        return bool(self._closed or self._reads or (self._has_writes() and self.lost is None))

    def _is_on_its_way(self) -> bool:
        return bool(self._is_writing or self._writes or self._unsynced)

    def _has_writes(self) -> bool:
        return bool(self._probes or self._writes or self._unsynced)

    def _attempt(self, write: Stored | None) -> None:
        """Write an object, or else measure the disk, or sync what was written; note where that fails."""
        try:
            if self._probes:
                self._probe()
            elif write is not None:
                self._write(write)
                if self._window[0] >= WINDOW:
                    self._sync()
            else:
                self._sync()
        except (OSError, MemoryError) as error:
            with self._changed:
                self.lost = error
                self._probes = False
                for stored in self._unsynced:  # memory still has them
                    self._free(stored)
                self._unsynced = []

    def _probe(self) -> None:
        """Measure how fast the disk takes bytes."""
        data = memoryview(os.urandom(min(PROBE, self._places.most)))
        began = perf_counter()
        self._file.write_at(data, 0)
        self._file.sync()
        _rates[self._device] = len(data) / (perf_counter() - began)
        self._written_rate = Rate(_rates[self._device])
        self._probes = False

    def _write(self, stored: Stored) -> None:
        began = perf_counter()
        data = stored.data
        if data is None:  # nobody wants it any more
            return
        digest = _digest(data)
        with self._changed:
            if not stored.count:
                return
            place = self._by_content.get(digest)
            is_new = place is None
            if place is None:
                first = self._places.take(stored.length)
                if first is None:
                    raise OSError("the size that spill= allows is used up")
                place = self._by_content[digest] = Place(first, stored.length, digest)
            place.count += 1
            stored.place = place
            self._unsynced.append(stored)
        if is_new:
            for at in range(0, len(data), CHUNK):
                if self._closed:
                    return
                self._file.write_at(data[at : at + CHUNK], place.first + at)
            self.written += len(data)
            self._window = self._window[0] + len(data), self._window[1] + perf_counter() - began

    def _sync(self) -> None:
        began = perf_counter()
        self._file.sync()
        bytes, seconds = self._window
        self._window = 0, 0.0
        if bytes >= LEAST_WINDOW:
            self._written_rate.sample(bytes, seconds + perf_counter() - began)
            _rates[self._device] = self._written_rate.value
        with self._changed:
            for stored in self._unsynced:
                stored.arrived = True
                if stored.count:
                    self.pending -= stored.length
                stored.data = None
            self._unsynced = []

    def _fill(self, read: Read) -> None:
        began = perf_counter()
        place, into = read.place, read.into
        try:
            for at in range(0, len(into), CHUNK):
                self._file.read_at(into[at : at + CHUNK], place.first + at)
            self._file.forget(place.first, place.length)
            if _digest(into) != place.digest:
                raise OSError("the disk returned other bytes than were written")
            if len(into) >= LEAST_WINDOW:
                self._read_rate.sample(len(into), perf_counter() - began)
        except (OSError, MemoryError) as error:
            read.error = error
        read.into = memoryview(b"")
        read.done = True


def _digest(data: memoryview) -> bytes:
    return digest(data, size=DIGEST).digest()
