"""The section CODE: the procedures, points and classes to which a capsule refers, by name and hash.

In: the lambdas and blocks of a capsule that is written. Out: their numbers; and when it is read, those of the
program that the caller passes (checkpoint.durable.programs), found again by their hashes.

    function        module:qualname, and how it is called: positional, keywords, has_state, classes
    classes         module:qualname of each
    procedures      name, number of parameters, SHA-256 of the listing, hash of the source text

A point is a procedure, the number of a block in it, and of a step in that. The procedure 0 stands for the
blocks that every run has: its end, the exit of `j*`, its entry.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from checkpoint.dataclass import dataclass
from checkpoint.durable.listing import digest_of
from checkpoint.durable.programs import Program
from checkpoint.durable.stream import Reader, Writer
from checkpoint.functions.python_functions import MadeBy
from checkpoint.interp.hybrid.code import BlockCode, ProcedureCode
from checkpoint.interp.hybrid.later import code_of
from checkpoint.interp.hybrid.machine import ENTRY, HALT, LEAVE
from checkpoint.lang.constants import qualified

MOST_ARGUMENTS = 255
BUILT_IN = (HALT, LEAVE, ENTRY)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Holds what a file says of the function of its capsule; positional is None where it says nothing.

    name: module:qualname. classes: those of the objects in its arguments, likewise.
    """

    name: str
    positional: int | None
    keywords: tuple[str, ...]
    has_state: bool
    classes: tuple[str, ...]


def text_of_source(code: ProcedureCode) -> int:
    """Return a hash of the source texts of a procedure's blocks, to choose among procedures that are "
    "equal.
    """
    found = 0
    for block in code.blocks.values():
        found = (found * 31 + block.fingerprint) % (1 << 63)
    return found


class Code:
    """The section as it is written. made_by: the function and how it is called, if that is known."""

    def __init__(self, made_by: MadeBy | None) -> None:
        self._made_by = made_by
        self._classes: dict[str, int] = {}
        self._procedures: dict[Any, int] = {}

    def procedure(self, lam: Any) -> int:
        """Return the number of a procedure, from 1."""
        return self._procedures.setdefault(lam, len(self._procedures) + 1)

    def class_(self, cls: Any) -> int:
        """Return the number of a class."""
        return self._classes.setdefault(qualified(cls), len(self._classes))

    def point(self, to: Writer, block: BlockCode) -> None:
        """Write a block."""
        if block.procedure is None:
            to.u32(0)
            to.u32(BUILT_IN.index(block))
            return
        to.u32(self.procedure(block.procedure.procedure.lam))
        to.u32(list(block.procedure.blocks.values()).index(block))

    def written(self) -> list[Any]:
        """Return the parts of the section."""
        to, by = Writer(), self._made_by
        to.u8(by is not None)
        if by is not None:
            to.text(qualified(by.function))
            to.u32(by.positional)
            _texts(to, by.keywords)
            to.u8(by.has_state)
            _texts(to, [class_text(cls) for cls in by.classes])
        _texts(to, list(self._classes))
        to.u32(len(self._procedures))
        for lam in self._procedures:
            code = code_of(lam)
            to.text(lam.name or "")
            to.u32(len(lam.params))
            to.data += digest_of(lam)
            to.i64(text_of_source(code))
        return [to.data]


def class_text(cls: Any) -> str:
    """Return the text of a class, or of type[C], in the classes of arguments."""
    arguments = getattr(cls, "__args__", None) if not isinstance(cls, type) else None
    return f"type[{qualified(arguments[0])}]" if arguments else qualified(cls)


def _texts(to: Writer, texts: Any) -> None:
    to.u32(len(texts))
    for text in texts:
        to.text(text)


class Known:
    """The section as it is read, and what of the caller's program it names."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.wanted = Wanted("", None, (), False, ())
        if reader.u8():
            self.wanted = Wanted(reader.text(), reader.u32(), self._texts(), bool(reader.u8()), self._texts())
        if (self.wanted.positional or 0) > MOST_ARGUMENTS:
            raise reader.damaged()
        self._classes = self._texts()
        count = reader.count(48)
        self._procedures = [
            (reader.text(), reader.u32(), reader.take(32), reader.i64()) for _ in range(count)
        ]
        reader.end()
        self._program: Program | None = None

    def _texts(self) -> tuple[str, ...]:
        return tuple([self._reader.text() for _ in range(self._reader.count(4))])

    def of(self, program: Program) -> None:
        """Take the caller's program, in which everything is looked up."""
        self._program = program

    def made_by(self, f: Any) -> MadeBy | None:
        """Return how the function was called, if the file says so."""
        wanted = self.wanted
        if wanted.positional is None:
            return None
        program = self.program
        shape = (wanted.positional, wanted.keywords, wanted.has_state)
        return MadeBy(f, *shape, program.of_arguments, program.functions)

    @property
    def program(self) -> Program:
        """The caller's program."""
        assert self._program is not None
        return self._program

    @cached_property
    def lambdas(self) -> list[Any]:
        """The procedures' lambdas; DurableError where the program lacks one."""
        return [
            self.program.procedure(name, arity, bytes(digest), text, text_of_source)
            for name, arity, digest, text in self._procedures
        ]

    def procedure(self, reader: Reader) -> Any:
        """Read the number of a procedure, and return its lambda."""
        number = reader.u32()
        if not 1 <= number <= len(self.lambdas):
            raise reader.damaged()
        return self.lambdas[number - 1]

    def class_(self, reader: Reader) -> type:
        """Read the number of a class, and return it."""
        return self.program.class_(self._classes[reader.below(len(self._classes))])

    def point(self, reader: Reader) -> BlockCode:
        """Read a block."""
        number, block = reader.u32(), reader.u32()
        if number == 0 and block < len(BUILT_IN):
            return BUILT_IN[block]
        if not 1 <= number <= len(self.lambdas):
            raise reader.damaged()
        blocks = list(code_of(self.lambdas[number - 1]).blocks.values())
        if block >= len(blocks):
            raise reader.damaged()
        return blocks[block]
