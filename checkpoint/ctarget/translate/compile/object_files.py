"""Checks that the file of a shared object is complete: reading a mapped page beyond the end of its file kills
the process (SIGBUS).

In: the content of a file. Out: its defect, as text, or None. Of ELF all segments and sections must lie in
the file, of Mach-O all segments and tables; other formats are left to the loader.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

_NO_BITS = 8  # the type of a section that takes no room in the file
_SEGMENT, _SYMBOLS = 0x19, 0x2  # load commands of Mach-O: LC_SEGMENT_64, LC_SYMTAB
# Load commands that name an offset and a size: signatures, function starts, fixups and other such tables.
_TABLES = frozenset((0x1D, 0x1E, 0x26, 0x29, 0x2B, 0x2E, 0x80000033, 0x80000034))

TRUNCATED = "it is truncated"


def damage(content: bytes) -> str | None:
    """Return what is wrong with a shared object, or None."""
    try:
        extents = list(_extents(content))
    except struct.error:  # a header lies behind the end
        return TRUNCATED
    if not extents:
        return "it is no shared object"
    return TRUNCATED if max(extents) > len(content) else None


def _extents(content: bytes) -> Iterator[int]:
    """Yield where each part that the headers declare ends; nothing if the format is not known."""
    if content[:5] == b"\x7fELF\x02":
        yield from _of_elf(content, "<" if content[5] == 1 else ">")
    elif content[:4] in (b"\xcf\xfa\xed\xfe", b"\xfe\xed\xfa\xcf"):
        yield from _of_mach_o(content, "<" if content[0] == 0xCF else ">")


def _of_elf(content: bytes, order: str) -> Iterator[int]:
    segments, sections = struct.unpack_from(f"{order}QQ", content, 32)
    segment_size, segment_count, section_size, section_count = struct.unpack_from(f"{order}4H", content, 54)
    yield segments + segment_size * segment_count
    yield sections + section_size * section_count
    for i in range(segment_count):
        offset, size = struct.unpack_from(f"{order}8xQ16xQ", content, segments + i * segment_size)
        yield offset + size
    for i in range(section_count):
        kind, offset, size = struct.unpack_from(f"{order}4xI16xQQ", content, sections + i * section_size)
        yield offset if kind == _NO_BITS else offset + size


def _of_mach_o(content: bytes, order: str) -> Iterator[int]:
    count, size = struct.unpack_from(f"{order}II", content, 16)
    at = 32
    yield at + size
    for _ in range(count):
        command, length = struct.unpack_from(f"{order}II", content, at)
        if command == _SEGMENT:
            yield sum(struct.unpack_from(f"{order}QQ", content, at + 40))
        elif command == _SYMBOLS:
            symbols, number, strings, room = struct.unpack_from(f"{order}4I", content, at + 8)
            yield symbols + 16 * number
            yield strings + room
        elif command in _TABLES:
            yield sum(struct.unpack_from(f"{order}II", content, at + 8))
        if length < 8:
            raise struct.error("a load command without a length")
        at += length
