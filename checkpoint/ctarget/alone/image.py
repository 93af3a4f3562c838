"""Writes the structs of a program's blocks, as engine c has them in memory, as C.

In: peers of procedures, with all their tables and code (checkpoint.ctarget.code). Out: text that defines the
same structs. What always holds: every pointer in them leads to a struct or an array of a peer, to an entry of
a table of the runtime, or to what the caller names; anything else is a bug of this package.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.peers import BlockPeer, ProcedurePeer
from checkpoint.ctarget.translate.ops.words import literal
from checkpoint.errors import InternalError

POINTING = ("GOTO", "CLOSE", "MEMBER", "SCALAR")  # the instructions whose immediate value is a pointer
FORMS = ("plain", "taped", "stepped")


class Image:
    """Writes the structs of some procedures.

    names: what is at an address, as an expression of C. lines: the text so far.
    """

    def __init__(self) -> None:
        module = runtime()
        self.ffi, self.lib = module.ffi, module.lib
        self.names: dict[int, str] = {}
        self.lines: list[str] = []
        self.pointing = {getattr(self.lib, f"OP_{name}") for name in POINTING}

    def address(self, pointer: Any) -> int:
        """Return a pointer of cffi as a number."""
        return int(self.ffi.cast("uintptr_t", pointer))

    def declare(self, number: int, procedure: ProcedurePeer) -> None:
        """Name the structs of a procedure and its blocks, and say that there are such."""
        count = len(procedure.blocks)
        self.lines.append(f"static Block blocks_{number}[{count}];")
        if procedure.lam is not None:
            self.lines.append(f"static Procedure procedure_{number};")
        self.names[procedure.address] = f"&procedure_{number}"
        for i, block in enumerate(procedure.blocks.values()):
            self.names[block.address] = f"&blocks_{number}[{i}]"

    def name_scalars(self, names: Iterable[str]) -> None:
        """Name the entries of the table of scalar functions."""
        for name in names:
            number = self.lib.ck_scalar_number(name.encode())
            if number != self.lib.NO_SCALAR:
                self.names[self.address(self.lib.ck_scalar(name.encode()))] = f"&SCALARS[{number}]"

    def write(self, number: int, procedure: ProcedurePeer, others: Mapping[str, str]) -> None:
        """Write a procedure, its blocks and all that these own.

        others: for fields of structs that hold pointers to Python's objects, by the name of the struct: C.
        """
        for i, block in enumerate(procedure.blocks.values()):
            self._arrays(f"{number}_{i}", block)
        blocks = [
            self._block(block, others[f"blocks_{number}[{i}]"], others.get(f"constants_{number}[{i}]", "0"))
            for i, block in enumerate(procedure.blocks.values())
        ]
        self.lines.append(f"static Block blocks_{number}[] = {{")
        self.lines += [f"{text}," for text in blocks]
        self.lines.append("};")
        if procedure.lam is not None:
            fields = self._fields(procedure.pointer, {"lambda": others[f"procedure_{number}"]})
            self.lines.append(f"static Procedure procedure_{number} = {fields};")

    def _arrays(self, name: str, block: BlockPeer) -> None:
        """Write the arrays that a block owns; an array refers only to structs and to arrays before it."""
        for i, owned in enumerate(block.owned):
            if not isinstance(owned, self.ffi.CData):
                continue
            kind = self.ffi.typeof(owned)
            if kind.cname == "void **" or kind.cname.startswith("void *["):
                continue
            self._array(f"array_{name}_{i}", owned, kind)

    def _array(self, name: str, owned: Any, kind: Any) -> None:
        if kind.kind == "pointer":  # one struct
            item, count = kind.item, 1
            self.names[self.address(owned)] = f"&{name}"
            self.lines.append(f"static const {item.cname} {name} = {self._fields(owned)};")
            return
        item, count = kind.item, len(owned)
        self.names[self.address(owned)] = name
        texts = [self._item(item, owned, i) for i in range(count)] or ["0"]
        declared = f"{item.item.cname} *const" if item.kind == "pointer" else item.cname
        self.lines.append(f"static const {declared} {name}[] = {{{', '.join(texts)}}};")

    def _item(self, kind: Any, owned: Any, i: int) -> str:
        if kind.kind == "struct":
            return self._struct(kind.cname.removeprefix("struct "), owned[i])
        return self._value(kind, owned[i])

    def _struct(self, name: str, struct: Any) -> str:
        if name == "Instruction":
            return self._instruction(struct)
        if name == "Value":
            return f"{{.tag = {struct.tag}, .integer = {_integer(struct.integer)}}}"
        return self._fields(struct)

    def _instruction(self, one: Any) -> str:
        if one.op in self.pointing:
            immediate = f".pointer = {self._pointer(one.pointer)}"
        else:
            immediate = f".integer = {_integer(one.integer)}"
        registers = f".d = {one.d}, .a = {one.a}, .b = {one.b}, .c = {one.c}"
        return f"{{.op = {one.op}, .flags = {one.flags}, .step = {one.step}, {registers}, {{{immediate}}}}}"

    def _block(self, block: BlockPeer, facts: str, constants: str) -> str:
        return self._fields(block.pointer, {"python": facts, "counted_constants": constants, "plans": "0"})

    def _fields(self, struct: Any, others: Mapping[str, str] | None = None) -> str:
        """Return the initialiser of a struct; others: the text of some fields."""
        kind = self.ffi.typeof(struct)
        if kind.kind == "pointer":
            kind, struct = kind.item, struct[0]
        texts = []
        for name, field in kind.fields:
            if others is not None and name in others:
                texts.append(f".{name} = {others[name]}")
            else:
                texts.append(f".{name} = {self._field(field.type, getattr(struct, name))}")
        return f"{{{', '.join(texts)}}}"

    def _field(self, kind: Any, value: Any) -> str:
        if kind.kind == "array":
            return f"{{{', '.join([self._field(kind.item, value[i]) for i in range(kind.length)])}}}"
        if kind.kind == "struct":
            return self._struct(kind.cname.removeprefix("struct "), value)
        return self._value(kind, value)

    def _value(self, kind: Any, value: Any) -> str:
        if kind.kind == "pointer":
            return self._pointer(value)
        if kind.kind == "enum":
            return str(int(value))
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, float):
            return real(value)
        return _integer(value)

    def _pointer(self, pointer: Any) -> str:
        at = self.address(pointer)
        if at and at not in self.names:
            raise InternalError(f"{pointer} leads to nothing that is written")
        return self.names[at] if at else "0"


def _integer(value: int) -> str:
    return literal(int(value)) if value < 1 << 63 else f"{value}u"


def real(value: float) -> str:
    """Return a real as C.

    >>> real(0.5), real(float("-inf"))
    ('0x1.0000000000000p-1', '-HUGE_VAL')
    """
    if value != value:  # noqa: PLR0124  (NaN)
        return "(double)NAN"
    if value in (float("inf"), float("-inf")):
        return "HUGE_VAL" if value > 0 else "-HUGE_VAL"
    return value.hex()
