"""Numbers and texts as the bytes of a section, and back.

What always holds: a Reader returns nothing that its section does not hold, and allocates no more than a fixed
multiple of the bytes that it has read; whatever else a section holds is a DurableError.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Sequence
from typing import Any

from checkpoint.durable.format import ALIGN, Opened
from checkpoint.errors import DurableError

_U8, _U32, _I64, _F64 = (struct.Struct(f"<{letter}") for letter in "BIqd")
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1
IS_BIG = sys.byteorder == "big"


class Writer:
    """Bytes that are being written."""

    __slots__ = ("data",)

    def __init__(self) -> None:
        self.data = bytearray()

    def u8(self, number: int) -> None:
        """Write a number of one byte."""
        self.data.append(number)

    def u32(self, number: int) -> None:
        """Write a count or an index."""
        self.data += _U32.pack(number)

    def i64(self, number: int) -> None:
        """Write a number of eight bytes."""
        self.data += _I64.pack(number)

    def integer(self, number: int) -> None:
        """Write an integer of any size."""
        self.block(number.to_bytes(number.bit_length() // 8 + 1, "little", signed=True))

    def real(self, number: float) -> None:
        """Write a float, all its bits."""
        self.data += _F64.pack(number)

    def block(self, block: bytes) -> None:
        """Write bytes after their number."""
        self.u32(len(block))
        self.data += block

    def text(self, text: str) -> None:
        """Write a text."""
        self.block(text.encode("utf-8", "surrogatepass"))

    def column(self, letter: str, numbers: Sequence[Any]) -> None:
        """Write numbers of one kind: letter "d", floats, or "q", integers that `fits`."""
        column = array(letter, numbers)
        if IS_BIG:
            column.byteswap()
        self.data += column.tobytes()


def fits(number: int) -> bool:
    """Return whether an integer has eight bytes at most."""
    return _LEAST <= number <= _MOST


class Reader:
    """The bytes of one section, read from the start."""

    __slots__ = ("at", "data", "file", "name")

    def __init__(self, file: Opened, name: str) -> None:
        self.file = file
        self.name = name
        self.data = file.section(name)
        self.at = 0

    def damaged(self) -> DurableError:
        """Return the error for what this section cannot hold."""
        return self.file.damaged(f"its section {self.name}")

    def take(self, count: int) -> memoryview:
        """Return the next bytes."""
        end = self.at + count
        if end > len(self.data):
            raise self.damaged()
        found = self.data[self.at : end]
        self.at = end
        return found

    def u8(self) -> int:
        """Read a number of one byte."""
        return self.take(1)[0]

    def u32(self) -> int:
        """Read a count or an index."""
        found: int = _U32.unpack(self.take(4))[0]
        return found

    def i64(self) -> int:
        """Read a number of eight bytes."""
        found: int = _I64.unpack(self.take(8))[0]
        return found

    def integer(self) -> int:
        """Read an integer of any size."""
        return int.from_bytes(self.take(self.u32()), "little", signed=True)

    def real(self) -> float:
        """Read a float."""
        found: float = _F64.unpack(self.take(8))[0]
        return found

    def block(self) -> bytes:
        """Read bytes."""
        return bytes(self.take(self.u32()))

    def text(self) -> str:
        """Read a text."""
        try:
            return str(self.take(self.u32()), "utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise self.damaged() from None

    def count(self, least: int = 1) -> int:
        """Read how many items follow, each of at least so many bytes."""
        found = self.u32()
        if found * least > len(self.data) - self.at:
            raise self.damaged()
        return found

    def numbers(self, letter: str, count: int) -> array[Any]:
        """Read numbers of one kind, as an array."""
        numbers = array(letter)
        numbers.frombytes(self.take(8 * count))
        if IS_BIG:
            numbers.byteswap()
        return numbers

    def column(self, letter: str, count: int) -> list[Any]:
        """Read numbers of one kind."""
        return self.numbers(letter, count).tolist()

    def below(self, limit: int) -> int:
        """Read an index below a limit."""
        found = self.u32()
        if found >= limit:
            raise self.damaged()
        return found

    def end(self) -> None:
        """Raise DurableError unless nothing follows but what fills the section."""
        rest = self.data[self.at :]
        if len(rest) >= ALIGN or any(rest):
            raise self.damaged()
