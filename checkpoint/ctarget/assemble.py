"""Assembles the instructions of a block (ctemplates/program/opcodes.def) from block IR.

In: a BlockPeer with its tables, the form that is wanted. Out: a C array of instructions that lives as long
    as the peer. Stepped code has a STEP before each step; taped code has a RECORD before its end. A
    comparison that only a branch reads is fused with it, but not in stepped code, which may stop in
    between. Plain and taped code begin with a FAST if translated code can be entered there.

What always holds: an instruction that cannot handle its operands leaves its step to the tables of the block
(checkpoint.ctarget.tables), so both agree on moves.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import Any

from checkpoint.ad.record import Scalar, lookup
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Ownership
from checkpoint.ctarget.adjoints import words
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.registers import elided, operands
from checkpoint.ctarget.selection import (
    COMPARISONS,
    DATA,
    FAMILY,
    ITEMS,
    NEGATIONS,
    in_sequence,
    is_null_test,
    test_of,
)
from checkpoint.ctarget.tables import (
    is_uncounted,
    native_number,
    ownership_of,
    uncounted,
)
from checkpoint.interp.hybrid.machine import HALT, Split


class Layout:
    """The layout of an Instruction of C, with either kind of immediate value.

    place: each field's position. numbers: those of the operations, by their names.
    """

    def __init__(self) -> None:
        ffi = runtime().ffi
        fields = ffi.typeof("Instruction").fields
        codes = {"uint16_t": "H", "uint32_t": "I"}
        formats = "".join(codes.get(field.type.cname, "") for _, field in fields)
        self.place = {name: i for i, (name, _) in enumerate(fields)}
        self.with_integer = struct.Struct(f"={formats}q")
        self.with_real = struct.Struct(f"={formats}d")
        self.register_bytes = ffi.sizeof("Value")
        opcodes = ffi.typeof("Opcode").relements
        self.numbers = {name.removeprefix("OP_"): number for name, number in opcodes.items()}
        self.no_register = runtime().lib.NO_REGISTER
        assert self.with_integer.size == ffi.sizeof("Instruction")


@cache
def layout() -> Layout:
    """Return the layout of instructions in the runtime."""
    return Layout()


class Assembler:
    """Assembles forms of one block. made: the instructions of its steps so far, which all forms share."""

    def __init__(self, peer: BlockPeer) -> None:
        self.peer = peer
        self.block = peer.block
        self.lib = runtime().lib
        self.form: int = self.lib.PLAIN
        self.layout = layout()
        self.code: list[bytes] = []
        self.made: list[list[bytes]] = []
        self.free = peer.procedure.scratch
        self.owned: Ownership = ownership_of(peer)
        self.elided = {id(copy) for _, copy in elided(peer.block)}
        self.index = 0

    # Emitting

    def emit(
        self,
        op: str,
        d: int = 0,
        a: int = 0,
        b: int = 0,
        c: int = 0,
        flags: int = 0,
        integer: int = 0,
        real: float | None = None,
    ) -> int:
        """Append an instruction; return its place. `integer` or `real` is the immediate value."""
        layout, size, none = self.layout, self.layout.register_bytes, self.layout.no_register
        d, a, b = [register if register == none else register * size for register in (d, a, b)]
        pack, value = (layout.with_integer.pack, integer) if real is None else (layout.with_real.pack, real)
        self.code.append(pack(layout.numbers[op], flags, self.index, d, a, b, c, value))
        return len(self.code) - 1

    def patch(self, place: int, c: int) -> None:
        """Set the `c` of an instruction."""
        fields = list(self.layout.with_integer.unpack(self.code[place]))
        fields[self.layout.place["c"]] = c
        self.code[place] = self.layout.with_integer.pack(*fields)

    def at(self, operand: t.Operand) -> int:
        """Return the register of an operand; a constant is loaded into a scratch register first."""
        if isinstance(operand, str):
            return self.peer.registers[operand]
        register, self.free = self.free, self.free + 1
        self.load(register, operand)
        return register

    def load(self, register: int, operand: t.Literal) -> None:
        """Emit the load of a constant into a register."""
        if not is_uncounted(operand.value):
            self.emit("COUNTED", d=register, c=self.constant(operand))
            return
        value = uncounted(operand.value)
        real = value.get("real")
        self.emit("CONSTANT", d=register, c=value["tag"], integer=value.get("integer", 0), real=real)

    def constant(self, operand: t.Literal) -> int:
        """Return the index of a constant among the block's, in the order of the tables."""
        given = [x for step in self.block.steps for x in operands(step)]
        given += b.operands_of_end(self.block.end)
        return [id(x) for x in given if not isinstance(x, str)].index(id(operand))

    def drop(self, names: b.Slots) -> None:
        """Emit the drops of slots."""
        for name in names:
            self.emit("DROP", a=self.peer.registers[name])

    # The block

    def assemble(self, form: int) -> None:
        """Emit all instructions of a form; for stepped code, store where each step begins."""
        self.form, self.code, self.index = form, [], 0
        if self.peer.code is HALT:
            self.emit("HALT")
            return
        if self.peer.entry is not None and self.form != self.lib.STEPPED:
            self.emit("FAST", integer=self.peer.entry)
        fused = self._fused()
        starts = []
        self.drop(self.owned.head)
        count = len(self.block.steps)
        for index, step in enumerate(self.block.steps):
            self.index = index
            if fused and self.index == count - 1:
                break
            starts.append(len(self.code))
            self._step_begins(True)
            if index == len(self.made):
                self.made.append(self._instructions(step))
            self.code += self.made[index]
        if not fused:
            self.index = count
        starts.append(len(self.code))
        if self.form == self.lib.TAPED:
            self.emit("RECORD")
        if not fused:
            self._step_begins(self.block.end.span is not None)
        self.free = self.peer.procedure.scratch
        self._end(fused)
        if self.form == self.lib.STEPPED:
            self.peer.pointer.step_at = self.peer.own("uint32_t[]", starts)

    def _step_begins(self, counts: bool) -> None:
        if self.form == self.lib.STEPPED:
            self.emit("STEP", c=counts)

    def _fused(self) -> t.Compute | None:
        """Return the comparison that is fused with the branch, if there is one."""
        block, end = self.block, self.block.end
        if self.form == self.lib.STEPPED or not isinstance(end, b.Branch) or not block.steps:
            return None
        last = block.steps[-1]
        if not isinstance(last, t.Compute) or last.name != end.test:
            return None
        return last if FAMILY.get(last.op) in COMPARISONS or test_of(last) else None

    # Steps

    def _instructions(self, step: t.Step) -> list[bytes]:
        """Return the instructions of the step at the index."""
        before, self.code = self.code, []
        self.free = self.peer.procedure.scratch
        self._step(step)
        self.drop(self.owned.steps[self.index].dropped)
        found, self.code = self.code, before
        return found

    def _step(self, step: t.Step) -> None:
        registers = self.peer.registers
        match step:
            case t.Copy():
                self._copy(step)
            case t.Compute():
                self._compute(step)
            case b.MakeClosure():
                self.emit("CLOSE", d=registers[step.name], integer=self._procedure(step.lam))
            case b.MakeMember():
                a = self.lib.NO_REGISTER if step.env is None else registers[step.env]
                flags = self._moves((step.env,))
                self.emit(
                    "MEMBER", d=registers[step.name], a=a, flags=flags, integer=self._procedure(step.lam)
                )
            case b.Letrec():
                self._letrec(step)
            case Split():
                self.emit("NATIVE", d=registers[step.name])

    def _procedure(self, lam: Any) -> int:
        return self.peer.procedure.of(lam).address

    def _moves(self, given: tuple[t.Operand | None, ...]) -> int:
        """Return the flags of which of the first two operands move. Constants in scratch registers do."""
        moved = self.owned.steps[self.index].moved
        flags = 0
        for i, flag in zip(
            range(min(len(given), 2)), (self.lib.FLAG_MOVES_A, self.lib.FLAG_MOVES_B), strict=False
        ):
            if i in moved or not isinstance(given[i], str):
                flags |= flag
        return flags

    def _copy(self, step: t.Copy) -> None:
        d = self.peer.registers[step.name]
        if id(step) in self.elided:
            return
        if isinstance(step.operand, str):
            a = self.peer.registers[step.operand]
            self.emit("MOVE", d=d, a=a, flags=self._moves((step.operand,)))
        else:
            self.load(d, step.operand)

    def _letrec(self, step: b.Letrec) -> None:
        first = 0
        for group in step.groups:
            if isinstance(group, b.MakeEnvironment):
                d = self.peer.registers[group.name]
                self.emit("ENVIRONMENT", d=d, c=len(group.captures), integer=first)
                first += len(group.captures)
                continue
            for new, source in group.pairs:
                flags = self.lib.FLAG_MOVES_A if first in self.owned.steps[self.index].moved else 0
                self.emit("MOVE", d=self.peer.registers[new], a=self.peer.registers[source], flags=flags)
                first += 1

    def _compute(self, step: t.Compute) -> None:
        record = lookup(step.op)
        d = self.peer.registers[step.name]
        if isinstance(record, Scalar):
            self._scalar(step, record, d)
        elif step.op in DATA:
            self._data(DATA[step.op], step, d)
        elif is_null_test(step):
            self._data("IS_NULL", step, d)
        elif native_number(step) == self.lib.NO_NATIVE:
            self.emit("FOREIGN", d=d, flags=self._notes(step))
        else:
            self._native(step, d)

    def _native(self, step: t.Compute, d: int) -> None:
        """Emit a native step; items have an instruction of their own for the usual operands."""
        flags = self._notes(step)
        if step.op in ITEMS and isinstance(step.operands[0], str):
            x, index = step.operands
            a, flags = self.at(x), flags | (self._moves(step.operands) & self.lib.FLAG_MOVES_A)
            if isinstance(index, str):
                self.emit("ITEM", d=d, a=a, b=self.at(index), flags=flags)
                return
            if type(index.value) is int and is_uncounted(index.value):
                self.emit("ITEM_RI", d=d, a=a, flags=flags, integer=index.value)
                return
        op = "TUPLE" if step.op in ("py.tuple", "tagged") else "NATIVE"
        self.emit(op, d=d, flags=flags & ~(self.lib.FLAG_MOVES_A | self.lib.FLAG_MOVES_B))

    def _notes(self, step: t.Compute) -> int:
        """Return the flags of what a native step notes."""
        lib = self.lib
        noted: dict[int, int] = {
            0: 0,
            1: lib.FLAG_NOTES_BIRTH,
            2: lib.FLAG_NOTES_BIRTH | lib.FLAG_NOTES_FIELD,
            lib.COPIES_WORDS: lib.FLAG_NOTES_COPIES,
        }
        return noted[words(step)]

    def _data(self, op: str, step: t.Compute, d: int) -> None:
        a = self.at(step.operands[0])
        second = self.at(step.operands[1]) if op == "CONS" else 0
        flags = self._moves(step.operands) | self.lib.FLAG_NOTES_BIRTH
        self.emit(op, d=d, a=a, b=second, flags=flags)

    def _scalar(self, step: t.Compute, record: Scalar, d: int) -> None:
        scalar = self.lib.ck_scalar(step.op.encode())
        if scalar == runtime().ffi.NULL or record.arity > 2:
            self.emit("FOREIGN", d=d)
        elif step.op in FAMILY:
            self._family(FAMILY[step.op], step, record, d)
        elif step.op in NEGATIONS:
            self.emit("NEGATE", d=d, a=self.at(step.operands[0]))
        else:
            a = self.at(step.operands[0])
            second = self.at(step.operands[1]) if record.arity == 2 else 0
            self.emit("SCALAR", d=d, a=a, b=second, integer=int(runtime().ffi.cast("uintptr_t", scalar)))

    def _family(self, op: str, step: t.Compute, record: Scalar, d: int) -> int:
        """Emit an operation in the form for its constants; return its place."""
        flags = self.lib.FLAG_INTEGERS if record.otherwise is not None else 0
        x, y = step.operands
        if not isinstance(y, str) and isinstance(x, str):
            if type(y.value) is float:
                return self.emit(f"{op}_RK", d, self.at(x), flags=flags, real=y.value)
            if type(y.value) is int and abs(y.value) <= self.lib.LARGEST_EXACT and flags:
                return self.emit(f"{op}_RI", d, self.at(x), flags=flags, integer=y.value)
        if not isinstance(x, str) and type(x.value) is float and isinstance(y, str):
            return self.emit(f"{op}_KR", d, b=self.at(y), flags=flags, real=x.value)
        a = self.at(x)
        return self.emit(op, d, a, self.at(y), flags=flags)

    # Ends

    def _end(self, fused: t.Compute | None) -> None:
        end = self.block.end
        match end:
            case b.Jump() | b.Enter():
                self._pass_arguments(end)
                self._go_to(end.label)
            case b.Branch():
                self._branch(end, fused)
            case b.Call():
                self.emit("CALL")
            case b.Return():
                self.emit("RETURN", a=self.at(end.operand))
            case b.Install():
                self.emit("INSTALL")
            case _:
                self.emit("FOREIGN_END")

    def _go_to(self, label: str) -> None:
        target = self.peer.target(label)
        self.emit("GOTO", integer=int(runtime().ffi.cast("uintptr_t", target.pointer)))

    def _branch(self, end: b.Branch, fused: t.Compute | None) -> None:
        """Emit a branch. Its test is a boolean once it is taken, so it needs no drop."""
        tested = self.at(end.test)
        if fused is None:
            place = self.emit("BRANCH", a=tested)
        elif test := test_of(fused):
            a = self.at(fused.operands[0])
            place = self.emit(test, a=a, flags=self._moves(fused.operands))
        else:
            record = lookup(fused.op)
            assert isinstance(record, Scalar)
            place = self._family(f"BRANCH_{FAMILY[fused.op]}", fused, record, tested)
        for edge in self.owned.edges:
            if edge is self.owned.edges[1]:
                self.patch(place, len(self.code) - place - 1)
            self.drop(tuple([name for name in edge.dropped if name != end.test]))
            self._go_to(edge.label)

    def _pass_arguments(self, end: b.Jump | b.Enter) -> None:
        """Emit the moves of arguments to the target's parameters, as if all at once."""
        registers = self.peer.registers
        params = self.peer.target(end.label).block.params[: len(end.args)]
        moves = []
        for i, (param, argument) in enumerate(zip(params, end.args, strict=True)):
            if isinstance(argument, str):
                moves.append((registers[param], registers[argument], i in self.owned.end.moved))
        for d, a, moved in in_sequence(moves, self.free):
            self.emit("MOVE", d=d, a=a, flags=self.lib.FLAG_MOVES_A if moved else 0)
        for param, argument in zip(params, end.args, strict=True):
            if not isinstance(argument, str):
                self.load(registers[param], argument)


def assemble(peer: BlockPeer, *forms: int) -> list[Any]:
    """Return the instructions of some forms of a block's code."""
    ffi, assembler, found = runtime().ffi, Assembler(peer), []
    for form in forms:
        assembler.assemble(form)
        array = peer.own("Instruction[]", len(assembler.code))
        ffi.memmove(array, b"".join(assembler.code), len(assembler.code) * ffi.sizeof("Instruction"))
        found.append(array)
    return found
