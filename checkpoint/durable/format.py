"""The container of a durable file: a header, a directory, sections; each byte is covered by a checksum.

In: the sections of a file, by name, as bytes. Out: the bytes of the file, and back. Files are little-endian:

    header     magic (8 bytes), version (2), kind (2), number of sections (4), length of the file (8)
    directory  for each section: number (4), zero (4), start (8), length (8), checksum (16)
    checksum   of header and directory (16), then zeros to a multiple of ALIGN
    sections   one after another, each filled with zeros to a multiple of ALIGN, which its checksum covers

A checksum is BLAKE2b with 16 bytes, from Python's own library: it finds every accident. It is no signature:
whoever can write a file can write its checksums.

What always holds: nothing is allocated in proportion to a number that stands in a file before that number has
been compared with the length of the file.
"""

from __future__ import annotations

import os
import struct
import tempfile
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from checkpoint.errors import DurableError

MAGIC = b"\x89CKPT\r\n\x1a"
VERSION = 1
ALIGN = 64
DIGEST = 16
CAPSULE, COTANGENT = 1, 2  # kinds of files
KINDS = {CAPSULE: "a capsule", COTANGENT: "a tangent or cotangent of a capsule"}
# EFFECTS has no writer yet: a capsule needs none, since what its run has read is in its state.
SECTIONS = ("ORIGIN", "CODE", "OBJECTS", "STACK", "BUFFERS", "EFFECTS", "COTANGENT")

_HEADER = struct.Struct("<8sHHIQ")
_ENTRY = struct.Struct("<IIQQ16s")
_MOST = 64  # sections

Buffer = Any  # bytes, bytearray or memoryview


def _digest(*parts: Buffer) -> bytes:
    found = blake2b(digest_size=DIGEST)
    for part in parts:
        found.update(part)
    return found.digest()


def _filling(length: int) -> int:
    """Return how many zeros fill a section of so many bytes."""
    return -length % ALIGN


def packed(kind: int, sections: Mapping[str, Sequence[Buffer]]) -> list[Buffer]:
    """Return the parts of a file, in their order; each section is a sequence of parts."""
    count = len(sections)
    start = _HEADER.size + count * _ENTRY.size + DIGEST
    at = start + _filling(start)
    directory, body = bytearray(), []
    for name, parts in sections.items():
        length = sum(map(len, parts))
        filled = [*parts, bytes(_filling(length))]
        length += _filling(length)
        directory += _ENTRY.pack(SECTIONS.index(name), 0, at, length, _digest(*filled))
        body += filled
        at += length
    head = _HEADER.pack(MAGIC, VERSION, kind, count, at) + bytes(directory)
    return [head, _digest(head), bytes(_filling(start)), *body]


class Opened:
    """A file whose checksums have been compared.

    name: of the file, for messages. kind: one of KINDS. digest: of its header, which stands for all of it.
    """

    def __init__(self, data: Buffer, name: str) -> None:
        self.name = name
        self._data = memoryview(data)
        count = self._header()
        self._sections = self._directory(count)

    def _header(self) -> int:
        data, name = self._data, self.name
        if bytes(data[:8]) != MAGIC[: len(data)] or not len(data):
            raise DurableError(f"{name} is no file of checkpoint: it begins with other bytes")
        if len(data) < _HEADER.size + DIGEST:
            raise self.cut(_HEADER.size + DIGEST)
        _, version, self.kind, count, length = _HEADER.unpack_from(data)
        if version != VERSION:
            raise DurableError(
                f"{name} has format version {version}, and this version of checkpoint reads version "
                f"{VERSION}: load it with the version of checkpoint that wrote it"
            )
        if length != len(data):
            raise self.cut(length)
        end = _HEADER.size + count * _ENTRY.size
        if count > _MOST or end + DIGEST > len(data):
            raise self.damaged("its header")
        self.digest = bytes(data[end : end + DIGEST])
        if _digest(data[:end]) != self.digest:
            raise self.damaged("its header")
        if self.kind not in KINDS:
            raise self.damaged("its header")
        return int(count)

    def _directory(self, count: int) -> dict[str, memoryview]:
        data, found = self._data, {}
        start = _HEADER.size + count * _ENTRY.size + DIGEST
        at = start + _filling(start)
        if any(data[start:at]):
            raise self.damaged("its header")
        for i in range(count):
            number, zero, begin, length, digest = _ENTRY.unpack_from(data, _HEADER.size + i * _ENTRY.size)
            if number >= len(SECTIONS) or zero or begin != at or length % ALIGN or length > len(data) - at:
                raise self.damaged("its directory")
            name = SECTIONS[number]
            if name in found or _digest(data[at : at + length]) != digest:
                raise self.damaged(f"its section {name}")
            found[name] = data[at : at + length]
            at += length
        if at != len(data):
            raise self.damaged("its directory")
        return found

    def section(self, name: str) -> memoryview:
        """Return the bytes of a section."""
        if name not in self._sections:
            raise self.damaged(f"its section {name}, which is missing")
        return self._sections[name]

    def cut(self, length: int) -> DurableError:
        """Return the error for a file that has another length than it says."""
        return DurableError(
            f"{self.name} is cut short, or longer than it was: it has {len(self._data):,} bytes, and its "
            f"header wants {length:,}. Copy it again, or save the capsule again"
        )

    def damaged(self, where: str) -> DurableError:
        """Return the error for a file that holds what was never written."""
        return DurableError(f"{self.name} is damaged in {where}: copy it again, or save the capsule again")


def write(path: str | os.PathLike[str], parts: Sequence[Buffer]) -> None:
    """Write a file of mode 0600 that replaces one at the path as a whole, and is durable on return.

    Raises OSError, as `open` does; then the file at the path is what it was.
    """
    whole = Path(path).absolute()
    handle, temporary = tempfile.mkstemp(prefix=f".{whole.name}.", dir=whole.parent)  # of mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, whole)
    except BaseException:
        os.unlink(temporary)
        raise
    _sync_directory(whole.parent)


def _sync_directory(folder: Path) -> None:
    """Make a rename within a folder durable, where the system has such a thing."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
