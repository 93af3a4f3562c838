"""The files of a journal: all that it does to a disk is done here.

In: names and bytes. Out: files of mode 0600 in one folder, which are only appended to, and removed as a
whole. What was appended is durable after `sync` of its name, and a name after `sync_names`; before that a
loss of power may leave any part of it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

Buffer = bytes | bytearray | memoryview


class Folder:
    """A folder on disk, made if it is missing."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).absolute()
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._handles: dict[str, int] = {}

    def names(self) -> list[str]:
        """Return the names of the files."""
        return sorted(os.listdir(self.path))

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        return (self.path / name).read_bytes()

    def create(self, name: str) -> None:
        """Make a file to which is appended; an older one of the name is emptied."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | getattr(os, "O_BINARY", 0)
        self._handles[name] = os.open(self.path / name, flags, 0o600)

    def append(self, name: str, parts: Sequence[Buffer]) -> None:
        """Write at the end of a file that was created here; OSError where the disk takes no more."""
        handle = self._handles[name]
        for part in parts:
            rest = memoryview(part).cast("B")
            while rest:
                rest = rest[os.write(handle, rest) :]

    def sync(self, name: str) -> None:
        """Make the content of a file durable."""
        getattr(os, "fdatasync", os.fsync)(self._handles[name])

    def sync_names(self) -> None:
        """Make the names of files durable, where the system has such a thing."""
        if os.name != "posix":
            return
        handle = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def finish(self, name: str) -> None:
        """Close a file to which nothing more is appended."""
        handle = self._handles.pop(name, None)
        if handle is not None:
            os.close(handle)

    def remove(self, name: str) -> None:
        """Remove a file."""
        self.finish(name)
        (self.path / name).unlink(missing_ok=True)

    def close(self) -> None:
        """Close all files."""
        for name in list(self._handles):
            self.finish(name)
