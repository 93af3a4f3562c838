"""Peers: the Python mirrors of the procedures and blocks that C runs.

In: hybrid's ProcedureCode and BlockCode (checkpoint.interp.hybrid.code), which hold the block IR. Out: a peer
of each, with the C structs (program/code.h) that it owns: here without the tables and forms of code that
checkpoint.ctarget.code fills in.

What always holds: C refers to structs by address, so a peer keeps all that it has made alive, and a
procedure's peer lives as long as the procedure's code; a heap keeps the peers of what runs in it.
"""

from __future__ import annotations

from itertools import count
from threading import RLock
from typing import Any

from checkpoint.cps.ownership import Ownership
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.registers import assign
from checkpoint.driver.calls import number_of
from checkpoint.interp.hybrid.code import BlockCode, ProcedureCode
from checkpoint.interp.hybrid.later import code_of, known_code
from checkpoint.locks import hold_at_fork

Pointer = Any  # of cffi

# Held while any code is made, so that a process is never forked meanwhile.
making = RLock()
hold_at_fork(making)


_serials = count()  # of the peers of procedures


class BlockPeer:
    """The mirror of one block.

    pointer, address: the C struct.
    owned: what the struct points to, kept alive.
    points: the return points of the block.
    registers: those of the slots of its procedure.
    entry: the address of the UnitEntry by which translated code is entered at it, or None.
    ownership: where its references move, once that was asked for.
    """

    __slots__ = (
        "address",
        "block",
        "code",
        "entry",
        "has_tables",
        "ownership",
        "owned",
        "points",
        "pointer",
        "procedure",
        "registers",
    )

    def __init__(self, code: BlockCode, pointer: Pointer, procedure: ProcedurePeer) -> None:
        self.code = code
        self.block = code.block
        self.pointer = pointer
        self.address = int(runtime().ffi.cast("uintptr_t", pointer))
        self.procedure = procedure
        self.registers = procedure.registers
        self.has_tables = False
        self.ownership: Ownership | None = None
        self.entry: int | None = None
        self.owned: list[Any] = []
        self.points: dict[Any, Pointer] = {}

    def target(self, label: str) -> BlockPeer:
        """Return the peer of another block of the same procedure."""
        return self.procedure.blocks[label]

    def own(self, kind: str, items: Any) -> Pointer:
        """Return a new C array that lives as long as the peer."""
        array = runtime().ffi.new(kind, items)
        self.owned.append(array)
        return array


class ProcedurePeer:
    """The mirror of one procedure, or of a built-in block, which has no lambda.

    registers: of each slot; the entry's parameters have 0, 1, ... in their order.
    scratch: the first of the `room` registers that no slot has.
    serial: its number among all that the process has made.
    """

    __slots__ = (
        "address",
        "blocks",
        "code",
        "lam",
        "pointer",
        "registers",
        "room",
        "scratch",
        "serial",
        "structs",
    )

    def __init__(self, codes: dict[str, BlockCode], entry: str, procedure: ProcedureCode | None) -> None:
        ffi = runtime().ffi
        self.code = procedure
        self.serial = next(_serials)
        self.lam = None if procedure is None else procedure.procedure.lam
        self.registers = assign({label: code.block for label, code in codes.items()}, entry)
        self.scratch = len(self.registers)
        self.room = 4 + max((_width(code) for code in codes.values()), default=0)
        self.structs = ffi.new("Block[]", len(codes))
        self.pointer = ffi.new("Procedure *")
        self.address = int(ffi.cast("uintptr_t", self.pointer))
        self.blocks: dict[str, BlockPeer] = {}
        for i, (label, code) in enumerate(codes.items()):
            peer = self.blocks[label] = BlockPeer(code, ffi.addressof(self.structs, i), self)
            self._outline(peer)
        self._fill(entry)
        for peer in self.blocks.values():
            peer.code.peer = peer

    def of(self, lam: Any) -> ProcedurePeer:
        """Return the peer of a lambda that the procedure's code names."""
        return procedure_peer(lam)

    def _outline(self, peer: BlockPeer) -> None:
        """Fill in the fields that C may read before a block has tables."""
        struct, block = peer.pointer, peer.block
        ffi = runtime().ffi
        struct.python = ffi.cast("void *", id(peer))
        struct.cost = block.cost
        struct.step_count = len(block.steps)
        struct.given = block.explicit
        struct.parameter_count = len(block.params)
        struct.parameters = peer.own("Register[]", [self.registers[name] for name in block.params])
        if self.code is not None:
            struct.procedure = self.pointer

    def _fill(self, entry: str) -> None:
        struct, code = self.pointer, self.code
        struct.registers = self.scratch + self.room
        struct.entry = self.blocks[entry].pointer
        if code is not None:
            struct.arity = code.arity
            struct.capture_count = len(code.procedure.captures)
            struct.passes_environment = code.passes_env
            struct.shown = code.shown
            struct.function = number_of(code.procedure.lam)
            setattr(struct, "lambda", runtime().ffi.cast("void *", id(self.lam)))


def _width(code: BlockCode) -> int:
    """Return the number of scratch registers that a block may need at once."""
    return max([len(code.block.params), *(len(getattr(step, "operands", ())) for step in code.block.steps)])


def procedure_peer(lam: Any) -> ProcedurePeer:
    """Return the peer of a lambda that is prepared for hybrid, made on first use."""
    code = code_of(lam)
    if code.peer is None:
        with making:
            if code.peer is None:
                code.peer = ProcedurePeer(code.blocks, code.entry.block.label, code)
    peer: ProcedurePeer = code.peer
    return peer


def known_peer(lam: Any) -> ProcedurePeer | None:
    """Return the peer of a lambda, if it has one."""
    code = known_code(lam)
    peer: ProcedurePeer | None = None if code is None else code.peer
    return peer


def outlined_peer(code: BlockCode) -> BlockPeer:
    """Return the peer of a block, built-in ones included; it may lack its tables."""
    if code.peer is None:
        with making:
            _make_peer(code)
    peer: BlockPeer = code.peer
    return peer


def _make_peer(code: BlockCode) -> None:
    if code.procedure is not None:
        procedure_peer(code.procedure.procedure.lam)
    elif code.peer is None:
        ProcedurePeer({code.block.label: code}, code.block.label, None)
