"""What C has of a program: peers of its procedures and blocks, made from hybrid's codes.

In: hybrid's ProcedureCode and BlockCode (checkpoint.interp.hybrid.code), which hold the block IR. Out: a peer
of each, with the C structs (program/code.h) that it owns. A peer is made when it is first asked for, a
block's tables when the block is first run or stood at, a form of its code when the machine first wants it.

What always holds: C refers to structs by address, so a peer keeps all that it has made alive, and a
procedure's peer lives as long as the procedure's code; a heap keeps the peers of what runs in it. Threads may
run one program: only one at a time makes something of it, and what another may see is whole.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from threading import RLock
from typing import Any

from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.ctarget import tables
from checkpoint.ctarget.adjoints import fill_adjoint
from checkpoint.ctarget.assemble import assemble
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.registers import assign
from checkpoint.ctarget.tables import fill_tables
from checkpoint.errors import Span
from checkpoint.interp.hybrid.code import BlockCode, ProcedureCode

Pointer = Any  # of cffi

# Held while something is made; a process is forked when nothing is.
making = RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=making.acquire, after_in_parent=making.release, after_in_child=making.release)


class BlockPeer:
    """One block. registers: of its procedure's slots. owned: what its struct points to.

    entry: the address of the UnitEntry by which translated code is entered at it, or None.
    """

    __slots__ = (
        "address",
        "block",
        "code",
        "entry",
        "has_tables",
        "owned",
        "points",
        "pointer",
        "procedure",
    )

    def __init__(self, code: BlockCode, pointer: Pointer, procedure: ProcedurePeer) -> None:
        self.code = code
        self.block = code.block
        self.pointer = pointer
        self.address = int(runtime().ffi.cast("uintptr_t", pointer))
        self.procedure = procedure
        self.has_tables = False
        self.entry: int | None = None
        self.owned: list[Any] = []
        self.points: dict[Any, Pointer] = {}

    @property
    def registers(self) -> dict[str, int]:
        """The register of each slot."""
        return self.procedure.registers

    def target(self, label: str) -> BlockPeer:
        """Another block of the same procedure."""
        return self.procedure.blocks[label]

    def own(self, kind: str, items: Any) -> Pointer:
        """A C array that lives as long as the peer."""
        array = runtime().ffi.new(kind, items)
        self.owned.append(array)
        return array


class ProcedurePeer:
    """One procedure; of the built-in blocks one without a lambda (built_in).

    registers: the entry's parameters have 0, 1, ... in their order. scratch: the first of the registers that
    no slot has, `room` of them.
    """

    __slots__ = ("address", "blocks", "code", "lam", "pointer", "registers", "room", "scratch", "structs")

    def __init__(self, codes: dict[str, BlockCode], entry: str, procedure: ProcedureCode | None) -> None:
        ffi = runtime().ffi
        self.code = procedure
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
        """The peer of a lambda that the procedure's code names."""
        return procedure_peer(lam)

    def _outline(self, peer: BlockPeer) -> None:
        """What C may read of a block before it has tables."""
        struct, block = peer.pointer, peer.block
        ffi = runtime().ffi
        struct.python = ffi.cast("void *", id(peer))
        struct.cost = block.cost
        struct.step_count = len(block.steps)
        struct.given = block.given
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
            setattr(struct, "lambda", runtime().ffi.cast("void *", id(self.lam)))


def _width(code: BlockCode) -> int:
    """How many scratch registers a block may need at once."""
    return max([len(code.block.params), *(len(getattr(step, "operands", ())) for step in code.block.steps)])


def procedure_peer(lam: Any) -> ProcedurePeer:
    """The peer of a lambda that is prepared for hybrid."""
    code: ProcedureCode = lam.compiled["hybrid"]
    if code.peer is None:
        with making:
            if code.peer is None:
                code.peer = ProcedurePeer(code.blocks, code.entry.block.label, code)
    peer: ProcedurePeer = code.peer
    return peer


def block_peer(code: BlockCode) -> BlockPeer:
    """The peer of a block, built-in ones included, with its tables."""
    if code.peer is None:
        with making:
            _make_peer(code)
    peer: BlockPeer = code.peer
    return _with_tables(peer)


def _make_peer(code: BlockCode) -> None:
    if code.procedure is not None:
        procedure_peer(code.procedure.procedure.lam)
    elif code.peer is None:
        ProcedurePeer({code.block.label: code}, code.block.label, None)


def _with_tables(peer: BlockPeer) -> BlockPeer:
    if not peer.has_tables:
        with making:
            fill_tables(peer)
    return peer


def return_point(block: BlockCode, handler: BlockCode | None = None) -> int:
    """The address of the `ReturnPoint` of a frame that returns to a block, and maybe has a handler."""
    with making:
        point = tables.return_point(block_peer(block), None if handler is None else block_peer(handler))
    return int(runtime().ffi.cast("uintptr_t", point))


@cache
def block_of_call(span: Span) -> BlockPeer:
    """A block that stands for the call at a span, in frames that come from hybrid: one for each such call."""
    return block_peer(BlockCode(b.Block("call", (), [], b.Throw(span, t.Literal(None)), 0, [()]), None))


def peer_at(block: Pointer) -> BlockPeer:
    """The peer of a C block, with its tables."""
    address = int(runtime().ffi.cast("uintptr_t", block.python))
    peer: BlockPeer = ctypes.cast(address, ctypes.py_object).value
    return _with_tables(peer)


def make_code(peer: BlockPeer, form: int) -> None:
    """The form of a block's code that the machine wants, and what else a tape of it needs."""
    with making:
        _make_code(peer, form)


def set_entry(peer: BlockPeer, address: int) -> None:
    """Translated code is entered at a block, by the UnitEntry at the address, which is to live as long.

    Machines that are in the code that the block had so far go on in it.
    """
    lib, struct, null = runtime().lib, peer.pointer, runtime().ffi.NULL
    with making:
        peer.entry = address
        if struct.plain != null:
            struct.plain = assemble(peer, lib.PLAIN)
        if struct.taped != null:
            struct.taped = assemble(peer, lib.TAPED)


def _make_code(peer: BlockPeer, form: int) -> None:
    lib = runtime().lib
    fill_tables(peer)
    if form == lib.PLAIN:
        peer.pointer.plain = assemble(peer, lib.PLAIN)
        return
    if not peer.pointer.has_adjoint:
        fill_adjoint(peer)
    if peer.pointer.stepped == runtime().ffi.NULL:
        peer.pointer.stepped = assemble(peer, lib.STEPPED)
    if form == lib.TAPED:
        peer.pointer.taped = assemble(peer, lib.TAPED)
