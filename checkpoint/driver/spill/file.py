"""The file that states are spilled to, and which of its bytes are free.

In: bytes, and where they go. Out: the same bytes. The file has no name, so that nothing is left of it however
the process ends. What is synced is removed from the system's cache of files: memory that holds it would not
be free, and times would be those of memory. Any call may raise OSError.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from typing import Any

CHUNK = 8 * 2**20  # bytes that are written or read at a time
GRAIN = 4096  # places are multiples of it


class File:
    """An open file without a name in a folder."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        import tempfile  # noqa: PLC0415  (with the compressors that it loads, 3 ms of each import of checkpoint)

        self._file: Any = tempfile.TemporaryFile(dir=folder, prefix=".checkpoint-", buffering=0)  # noqa: SIM115
        self._number: int = self._file.fileno()

    def write_at(self, data: memoryview, place: int) -> None:
        """Write bytes, all of them."""
        while len(data):
            done = os.pwrite(self._number, data, place)
            data, place = data[done:], place + done

    def read_at(self, into: memoryview, place: int) -> None:
        """Read as many bytes as there is room for."""
        while len(into):
            done = os.preadv(self._number, [into], place)
            if not done:
                raise OSError("the file is shorter than it was")
            into, place = into[done:], place + done

    def sync(self) -> None:
        """Wait until all that was written is on the disk, and free the memory that the system has for it."""
        getattr(os, "fdatasync", os.fsync)(self._number)
        self.forget(0, 0)

    def forget(self, place: int, length: int) -> None:
        """Free the memory that the system has for a part of the file; a length of 0: up to its end."""
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(self._number, place, length, os.POSIX_FADV_DONTNEED)

    def close(self) -> None:
        """Close the file, which frees its place on the disk."""
        self._file.close()


class Places:
    """The free places of a file of at most so many bytes. What is given back joins what is free beside it."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.end = 0  # of all places so far
        self.used = 0
        self._free: list[tuple[int, int]] = []  # first and end, in order, no two of them adjacent

    @staticmethod
    def rounded(length: int) -> int:
        """Return the bytes that an object of so many bytes takes."""
        return -(-length // GRAIN) * GRAIN

    def take(self, length: int) -> int | None:
        """Return a place for so many bytes; None where there is none."""
        length = self.rounded(length)
        for i, (first, end) in enumerate(self._free):
            if end - first >= length:
                self._free[i : i + 1] = [(first + length, end)] if end - first > length else []
                self.used += length
                return first
        if self.end + length > self.most:
            return None
        first, self.end = self.end, self.end + length
        self.used += length
        return first

    def give_back(self, first: int, length: int) -> None:
        """Free a place."""
        end = first + self.rounded(length)
        self.used -= end - first
        i = bisect_left(self._free, (first, end))
        if i < len(self._free) and self._free[i][0] == end:
            end = self._free.pop(i)[1]
        if i and self._free[i - 1][1] == first:
            i -= 1
            first = self._free.pop(i)[0]
        self._free.insert(i, (first, end))
