"""The log of a journal: records that become visible together, by a commit.

In: records, a kind and bytes each. Out: a file `log-N`, and from it, after whatever end of the process or of
power, the records of all commits that were made durable, in their order.

    header   magic (8 bytes), version (2), zeros (6)
    record   kind (4), zero (4), length (8), then so many bytes, then a checksum (16)

A checksum covers its record and the checksum before it, and kind 0 is a commit. So a commit is valid only if
all that precedes it is what was written, in whatever order blocks have reached the disk: what follows the
last valid commit was never visible, and one sync makes a whole group of records durable.

Nothing is ever written behind records of another process: each begins a log of its own with the records that
still count, as one commit, and removes the log before it only when that is durable. So a fault at any moment
leaves one complete log; of two the later one counts.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from checkpoint.durable.journal.folder import Buffer, Folder
from checkpoint.errors import DurableError

Record = tuple[int, bytes]

MAGIC = b"\x89CKPJ\r\n\x1a"
VERSION = 1
PREFIX = "log-"
COMMIT = 0

_HEADER = struct.Struct("<8sHHI")
_RECORD = struct.Struct("<IIQ")
_DIGEST = 16


def _digest(before: Buffer, *parts: Buffer) -> bytes:
    found = blake2b(before, digest_size=_DIGEST)
    for part in parts:
        found.update(part)
    return found.digest()


def committed(data: Buffer, name: str) -> list[Record]:
    """Return the records of the commits in a log's bytes; DurableError for another version of the format."""
    view = memoryview(data)
    if len(view) < _HEADER.size:
        return []
    magic, version, _, _ = _HEADER.unpack_from(view)
    if magic != MAGIC:
        return []
    if version != VERSION:
        raise DurableError(
            f"{name} has format version {version}, and this version of checkpoint reads version {VERSION}: "
            "go on with the version of checkpoint that began the journal"
        )
    found: list[Record] = []
    visible = 0
    at, digest = _HEADER.size, bytes(view[: _HEADER.size])
    while at + _RECORD.size + _DIGEST <= len(view):
        kind, _, length = _RECORD.unpack_from(view, at)
        end = at + _RECORD.size + length
        if end + _DIGEST > len(view):
            break
        digest = _digest(digest, view[at:end])
        if digest != view[end : end + _DIGEST]:
            break
        if kind == COMMIT:
            visible = len(found)
        else:
            found.append((kind, bytes(view[at + _RECORD.size : end])))
        at = end + _DIGEST
    return found[:visible]


def _number(name: str) -> int:
    digits = name.removeprefix(PREFIX)
    return int(digits) if name.startswith(PREFIX) and digits.isdecimal() else 0


def read(folder: Folder) -> list[Record]:
    """Return the visible records of the last log in a folder; none where there is no log."""
    for name in sorted(filter(_number, folder.names()), key=_number, reverse=True):
        found = committed(folder.read(name), str(folder.path / name))
        if found:
            return found
    return []


class Log:
    """A log that is written. size: its bytes."""

    def __init__(self, folder: Folder, records: Iterable[Record]) -> None:
        """Begin a log with these records, which replaces the logs that a folder has."""
        before = [name for name in folder.names() if _number(name)]
        self._folder = folder
        self._name = f"{PREFIX}{max(map(_number, before), default=0) + 1:06}"
        head = _HEADER.pack(MAGIC, VERSION, 0, 0)
        self._waiting: list[Buffer] = [head]
        self._last: bytes = head
        self.size = len(head)
        folder.create(self._name)
        for kind, data in records:
            self.add(kind, [data])
        self.commit()
        folder.sync_names()
        for name in before:
            folder.remove(name)

    def add(self, kind: int, parts: Sequence[Buffer]) -> None:
        """Append a record to the next commit."""
        head = _RECORD.pack(kind, 0, sum(map(len, parts)))
        self._last = _digest(self._last, head, *parts)
        self._waiting += [head, *parts, self._last]

    def commit(self) -> None:
        """Make the records since the last commit visible, and durable; OSError where that fails."""
        self.add(COMMIT, ())
        self.size += sum(map(len, self._waiting))
        waiting, self._waiting = self._waiting, []
        self._folder.append(self._name, waiting)
        self._folder.sync(self._name)
