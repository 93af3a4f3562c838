"""The shapes of the values in a machine's registers, for which a region is translated.

In: a machine that is not running, or a sweep that has one. Out: the block at which it is, and the
Shape of the value of each of its parameters. Nothing is changed.
"""

from __future__ import annotations

import ctypes
from dataclasses import field, replace
from functools import cache
from types import NoneType
from typing import Any

from checkpoint.ad.containers import Layout
from checkpoint.ad.values import Pair
from checkpoint.ctarget.code import peer_at
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.peers import BlockPeer, ProcedurePeer, procedure_peer
from checkpoint.ctarget.states import Held
from checkpoint.ctarget.tables import LANES
from checkpoint.ctarget.translate.ops.places import ROWS, VIEWS
from checkpoint.dataclass import dataclass
from checkpoint.lang.lanes import LANE_COUNT, lane_position

DEPTH, SHALLOW, MOST = 8, 6, 256
DEEP, MOST_DEEP = 40, 1_024
MOST_SAVED = 16  # values that the frame of a loop over lanes saves
# See ctemplates/api/api_fast.h.
_NUMBERS = 4
_PLAIN_TUPLE, _TEXT, _ELEMENT, _FIRST_ALONE = 1, 2, 3, -1
_UNCOUNTED = {NoneType: "NOTHING", float: "REAL", int: "INTEGER", bool: "BOOLEAN"}
WITH_LAYOUT = frozenset(("INSTANCE", "RECORD"))


@dataclass(frozen=True)
class Shape:
    """A value. tag: its Kind (ctemplates/program/kinds.h), by name; TUPLE: a RECORD that is a plain tuple;
    TEXT: a FOREIGN that is a string; ELEMENT, ROW, MATRIX: one that is a handle on a scalar of NumPy's, or on
    an array of doubles with one axis or two; WHOLE_ROW, TRUTH_ROW: on one of integers or booleans with one
    axis (ctemplates/unit_arrays/unit_reading.h).

    procedure: of a CLOSURE or PROCEDURE. layout: of an INSTANCE, or of a RECORD that is no plain tuple.
    fields: what it consists of: of a PAIR 2, of a CLOSURE its ENVIRONMENT, of an ENVIRONMENT the captures,
    of a TUPLE the elements, of an INSTANCE or RECORD the attributes, of a LIST the first element, if there
    is any; of all others, and where it was cut, none. At most MOST shapes in all, DEPTH below the first
    one; a value's fields are there all or none. first: the first element of a TUPLE that has too many; else
    None. address: where the object was when it was seen, by which it is known whether two are one; 0: it is
    none. number: of a DUAL, its tag. constant: whether no cotangent of its fields was wanted
    (ctemplates/program/value.h). is_own: whether the procedure that runs has held it from the beginning.
    bits: of a REAL.
    """

    tag: str
    procedure: ProcedurePeer | None = None
    fields: tuple[Shape, ...] = ()
    layout: Layout | None = None
    first: Shape | None = None
    address: int = field(default=0, compare=False)
    number: int = field(default=0, compare=False)
    constant: bool = field(default=False, compare=False)
    is_own: bool = field(default=False, compare=False)
    bits: int = field(default=0, compare=False)


def seen(held: Held, is_deep: bool = False) -> tuple[BlockPeer, dict[int, Shape]] | None:
    """Return the block at whose first step a machine is, and the shapes by register; None: elsewhere.

    is_deep: whether they have many more parts.
    """
    module = runtime()
    at = module.lib.ck_machine_position(held)
    if not at.block or at.index:
        return None
    peer = peer_at(at.block)
    registers = [peer.registers[name] for name in peer.block.params]
    depth, most = (DEEP, MOST_DEEP) if is_deep else (DEPTH, MOST)
    room = len(registers) * most * _NUMBERS
    numbers = module.ffi.new("int64_t[]", room)
    count = module.lib.ck_parameter_shapes(held, depth, most, numbers, room)
    listed = _Listed(module.ffi.unpack(numbers, count))
    return peer, {register: listed.shape() for register in registers}


def shape_of(constant: Any, depth: int = DEPTH) -> Shape:
    """Return the shape of a constant of the program: a pair, a number, a boolean or NOTHING."""
    if type(constant) is not Pair:
        return Shape(_UNCOUNTED[type(constant)])
    parts = constant.parts() if depth else ()
    is_plain = all(type(part) is Pair or type(part) in _UNCOUNTED for part in parts)
    fields = tuple([shape_of(part, depth - 1) for part in parts]) if is_plain else ()
    return Shape("PAIR", None, fields, constant=True)


def cut(shape: Shape, depth: int = SHALLOW) -> Shape:
    """Return a shape without what is deeper."""
    if not depth or not shape.fields:
        return replace(shape, fields=()) if shape.fields else shape
    # What the closures of a function that is a value have captured is as deep as it is (api_fast.c).
    below = depth - 1 if shape.tag != "RECORD" else depth + 2
    return replace(shape, fields=tuple([cut(each, below) for each in shape.fields]))


@cache
def extent(shape: Shape) -> int:
    """Return the number of values in pairs and tuples all of which are known; 1 for any other shape."""
    found = _extent(shape)
    return 1 if found is None else found


def _extent(shape: Shape) -> int | None:
    if shape.tag not in ("PAIR", "TUPLE"):
        return 1
    parts = [_extent(field) for field in shape.fields]
    if not parts or None in parts:
        return None
    return 1 + sum([part for part in parts if part is not None])


def is_of_unknown_length(shape: Shape | None) -> bool:
    """Return whether a shape is that of a list, of pairs, whose end was too far away to be seen."""
    while shape is not None and shape.tag == "PAIR" and shape.fields:
        shape = shape.fields[1]
    return shape is not None and shape.tag == "PAIR"


def is_dual_of_reals(shape: Shape) -> bool:
    """Return whether a shape is that of a dual of reals."""
    return shape.tag == "DUAL" and [field.tag for field in shape.fields] == ["REAL", "REAL"]


def lane_seen(held: Held) -> tuple[BlockPeer, dict[int, Shape]] | None:
    """Return the block at which the innermost loop over lanes continues, in one of whose lanes a machine is,
    and the shapes by register. The result of the lane is expected to be like that of the first lane, whose
    elements may be in lists of their own, named in order.
    """
    if not LANES:  # no frame is one of these, and the stack may be deep
        return None
    module = runtime()
    room = MOST_SAVED * MOST * _NUMBERS
    numbers, block = module.ffi.new("int64_t[]", room), module.ffi.new("Block *[1]")
    count = module.lib.ck_lane_shapes(held, DEPTH, MOST, numbers, room, block)
    if not count:
        return None
    peer = peer_at(block[0])
    steps = {getattr(step, "op", "") for step in peer.block.steps}
    if not steps & {"py.append", "py.plain-width"}:
        return None
    listed = _Listed(module.ffi.unpack(numbers, count))
    result, *saved = peer.block.params
    shapes = {peer.registers[name]: listed.shape() for name in saved}
    lists = {name: shapes[peer.registers[name]] for name in saved}
    firsts = [shape.fields[0] for _, shape in sorted(lists.items()) if shape.tag == "LIST" and shape.fields]
    if len(firsts) != 1 if "py.append" in steps else not firsts:
        return None
    expected = firsts[0] if "py.append" in steps else Shape("TUPLE", None, tuple(firsts))
    return peer, {peer.registers[result]: expected, **shapes}


def lanes_seen(held: Held) -> tuple[int, int]:
    """Return how many lanes of the innermost loop over lanes have begun and how many have not, if that is
    known, else (0, 0). The loop is called with a block of them by what knows their number.
    """
    lib = runtime().lib
    inner, outer = lib.ck_lane_block(held, 0), lib.ck_lane_block(held, 1)
    if not (inner and outer):
        return 0, 0
    loop, caller = peer_at(inner), peer_at(outer).block.params[1:]
    lane = lane_position(loop.block.params[1:], loop.code.span)
    at = next((i for i, name in enumerate(caller) if name.startswith(LANE_COUNT)), None)
    if at is None:
        return 0, 0
    begun, count = lib.ck_lane_integer(held, 0, lane), lib.ck_lane_integer(held, 1, at)
    return begun, max(0, count - begun)


class _Listed:
    """Reads the shapes that C has listed. An environment that several closures have is listed with the
    first.
    """

    def __init__(self, numbers: list[int]) -> None:
        self._next = iter(numbers).__next__
        self._environments: dict[int, Shape] = {}

    def shape(self) -> Shape:
        """Return the next one."""
        number, detail, address, count = self._next(), self._next(), self._next(), self._next()
        if (tag := _tags()[number]) == "REAL":
            return Shape(tag, bits=detail)
        address, is_constant, is_own = address & ~3, bool(address & 1), bool(address & 2)
        if count == _FIRST_ALONE:
            return Shape("TUPLE", first=self.shape(), address=address, constant=is_constant, is_own=is_own)
        fields = tuple([self.shape() for _ in range(count)])
        if detail == _PLAIN_TUPLE:
            return Shape("TUPLE", None, fields, address=address, constant=is_constant, is_own=is_own)
        if tag == "FOREIGN" and detail == _TEXT:
            return Shape("TEXT", address=address)
        if tag == "FOREIGN" and detail >= _ELEMENT:
            return Shape(("ELEMENT", *VIEWS, *ROWS)[detail - _ELEMENT], address=address)
        if tag == "DUAL":
            return Shape(tag, None, fields, address=address, number=detail)
        if tag in WITH_LAYOUT:
            layout = ctypes.cast(detail, ctypes.py_object).value
            return Shape(tag, None, fields, layout, address=address, constant=is_constant, is_own=is_own)
        procedure = _procedure(detail) if detail else None
        found = Shape(tag, procedure, fields, address=address, constant=is_constant, is_own=is_own)
        return self._environments.setdefault(address, found) if tag == "ENVIRONMENT" else found


@cache
def _tags() -> dict[int, str]:
    """Return the names of kinds by their numbers."""
    names: dict[int, str] = runtime().ffi.typeof("Kind").elements
    return names


def _procedure(address: int) -> ProcedurePeer:
    struct: Any = runtime().ffi.cast("Procedure *", address)
    lam = int(runtime().ffi.cast("uintptr_t", getattr(struct, "lambda")))
    return procedure_peer(ctypes.cast(lam, ctypes.py_object).value)
