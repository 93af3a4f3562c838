"""Installs translated code: from then on machines enter it.

In: a unit, and its two forms, each when it is loaded. Out: the structs of machine/fast.h,
and a FAST in the code of each block at whose head the unit can be entered.

What always holds: all of it lives as long as the peer of any block where the unit can be entered, and keeps
the peers that it refers to; a heap keeps the peers of what runs in it, and so the code that a machine is in,
or that its tape names. Where units have entries at one block, for values of several kinds, the last one is
tried first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from checkpoint.ad.arrays import Native
from checkpoint.ad.containers import Layout
from checkpoint.ad.values import Pair
from checkpoint.ctarget.code import set_entry
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.peers import BlockPeer, ProcedurePeer, making
from checkpoint.ctarget.states import address_of

if TYPE_CHECKING:
    from checkpoint.ctarget.translate.compile.loading import Loaded
    from checkpoint.ctarget.translate.units.graph import Unit


MAX_ENTRIES = 8  # of a block


class Installed:
    """The structs of a unit. keep: all that they refer to: code, entries, peers. entered: the block of each
    entry.
    """

    __slots__ = ("address", "entered", "keep", "pointer", "unit")

    def __init__(self, unit: Unit) -> None:
        module = runtime()
        references = module.ffi.new("uintptr_t[]", [_reference(each) for each in unit.references])
        self.unit = unit
        self.pointer = _memory(module.lib.ck_unit_bytes())
        self.address = address_of(self.pointer)
        self.keep: list[Any] = [references, *unit.references]
        self.entered: list[BlockPeer] = []
        module.lib.ck_unit_begin(self.pointer, references)

    def enter(self) -> None:
        """Point each block with an entry to this unit."""
        module = runtime()
        for header in reversed(self.unit.headers):
            if header.entry is None:
                continue
            block = header.block
            known = dict.fromkeys([each for each in block.owned if isinstance(each, Installed)])
            others = sum(each.entered.count(block) for each in known)
            entry = _memory(module.lib.ck_entry_bytes())
            next = block.entry if block.entry is not None and others < MAX_ENTRIES else 0
            module.lib.ck_entry_fill(entry, self.pointer, header.number, next)
            self.keep.append(entry)
            self.entered.append(block)
            block.owned.append(self)
            set_entry(block, address_of(entry))


def install(unit: Unit, plain: Loaded | None, taped: Loaded | None, prologue: int = 0) -> None:
    """Have machines enter the forms of the unit that are not None; those installed before stay.

    prologue: how many words the taped form keeps at its entry.
    """
    lib = runtime().lib
    with making:
        installed, is_new = _of(unit)
        if plain is not None:
            assert plain.plain is not None
            installed.keep.append(plain)
            lib.ck_unit_plain(installed.pointer, plain.plain)
        if taped is not None:
            assert taped.tape is not None
            assert taped.reverse is not None
            installed.keep.append(taped)
            lib.ck_unit_taped(installed.pointer, taped.tape, taped.reverse, taped.abreast or 0, prologue)
        if is_new:
            installed.enter()


def _of(unit: Unit) -> tuple[Installed, bool]:
    """Return the structs of a unit, and whether they were made now."""
    owned = unit.headers[0].block.owned
    for each in owned:
        if isinstance(each, Installed) and each.unit is unit:
            return each, False
    owned.append(Installed(unit))
    return owned[-1], True


def _memory(bytes: int) -> Any:
    """Return memory of 8-byte alignment, which is that of all structs."""
    return runtime().ffi.new("uint64_t[]", -(-bytes // 8))


def _reference(thing: Any) -> int:
    if isinstance(thing, Layout | Native | Pair):
        return id(thing)
    return thing.address if isinstance(thing, BlockPeer | ProcedurePeer) else address_of(thing)
