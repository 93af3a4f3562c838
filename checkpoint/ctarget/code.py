"""Fills in the C struct of a block: its tables and the forms of its code.

In: hybrid's BlockCode, or a request of C for a block. Out: its peer (checkpoint.ctarget.peers), with tables
once the block is first run or a state is at it, and with each form of its code when the machine wants it.

What always holds: threads may run one program: only one at a time fills in any part of it, and the others see
only complete parts.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.ctarget import tables
from checkpoint.ctarget.adjoints import fill_adjoint
from checkpoint.ctarget.assemble import assemble
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.peers import BlockPeer, Pointer, making, outlined_peer
from checkpoint.ctarget.tables import fill_tables
from checkpoint.errors import Span
from checkpoint.interp.hybrid.code import BlockCode
from checkpoint.interp.hybrid.machine import ENTRY, HALT, LEAVE
from checkpoint.prims.operators import UNIT


def block_peer(code: BlockCode) -> BlockPeer:
    """Return the peer of a block, built-in ones included, with its tables."""
    return _with_tables(outlined_peer(code))


def _with_tables(peer: BlockPeer) -> BlockPeer:
    if not peer.has_tables:
        with making:
            fill_tables(peer)
    return peer


def return_point(block: BlockCode, handler: BlockCode | None = None) -> int:
    """Return the address of the `ReturnPoint` of a frame that returns to a block and may have a handler."""
    with making:
        point = tables.return_point(block_peer(block), None if handler is None else block_peer(handler))
    return int(runtime().ffi.cast("uintptr_t", point))


@cache
def block_of_call(span: Span) -> BlockPeer:
    """Return the block that represents the call at a span, in frames that come from hybrid."""
    return block_peer(BlockCode(b.Block("call", (), [], b.Throw(span, t.Literal(None)), 0, [()]), None))


def peer_at(block: Pointer) -> BlockPeer:
    """Return the peer of a C block, with its tables."""
    address = int(runtime().ffi.cast("uintptr_t", block.python))
    peer: BlockPeer = ctypes.cast(address, ctypes.py_object).value
    return _with_tables(peer)


def peer_begun(held: Any) -> BlockPeer | None:
    """Return the peer of the block at whose first step a machine or sweep is, or None."""
    at = runtime().lib.ck_machine_position(held)
    return peer_at(at.block) if at.block and not at.index else None


@cache
def keep_built_in_blocks() -> None:
    """Let C begin and end runs within steps (ctemplates/operators/); without this Python does them."""
    module = runtime()
    halt, leave = (module.ffi.cast("ReturnPoint *", return_point(block)) for block in (HALT, LEAVE))
    module.lib.ck_set_built_in(block_peer(ENTRY).pointer, halt, leave, id(UNIT))


def make_code(peer: BlockPeer, form: int) -> None:
    """Make the form of a block's code that the machine wants, and what else a tape of it needs."""
    with making:
        _make_code(peer, form)


def set_entry(peer: BlockPeer, address: int) -> None:
    """Let machines enter translated code at a block, by the UnitEntry at the address, which must outlive it.

    Machines that are executing the code that the block had so far continue in it.
    """
    lib, struct, null = runtime().lib, peer.pointer, runtime().ffi.NULL
    with making:
        peer.entry = address
        if struct.plain != null:
            _publish(peer, lib.PLAIN)
        if struct.taped != null:
            _publish(peer, lib.TAPED)


def _publish(peer: BlockPeer, *forms: int) -> None:
    """Make some forms of a block's code, and show them to the threads that run the block."""
    for form, code in zip(forms, assemble(peer, *forms), strict=True):
        runtime().lib.ck_set_code(peer.pointer, form, code)


def _make_code(peer: BlockPeer, form: int) -> None:
    lib = runtime().lib
    fill_tables(peer)
    if form == lib.PLAIN:
        _publish(peer, lib.PLAIN)
        return
    if not peer.pointer.has_adjoint:
        fill_adjoint(peer)
    forms = [lib.STEPPED] if peer.pointer.stepped == runtime().ffi.NULL else []
    _publish(peer, *forms, *([lib.TAPED] if form == lib.TAPED else []))
