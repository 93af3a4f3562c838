"""The tables of a block in C: its steps, its constants, the live registers at each point, its end.

In: a BlockPeer. Out: the fields of its struct (program/code.h) that belong neither to a form of its code
    nor to its adjoint. An operand says whether it is used for the last time, by checkpoint.cps.ownership.
"""

from __future__ import annotations

from typing import Any

from checkpoint.ad.record import Scalar, Update, lookup
from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.cps.ownership import Ownership, Uses, of_block
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.registers import operands, results
from checkpoint.interp.hybrid.machine import HALT, Split
from checkpoint.lang.lanes import lane_position, within_position

_UNCOUNTED = (float, bool, int, type(None))
_INT64 = 1 << 63
EXIT = "%exit"  # the native step of the exit of j*


def fill_tables(peer: BlockPeer) -> None:
    """Fill in the tables, once."""
    if peer.has_tables:
        return
    owned = ownership_of(peer)
    constants = Constants(peer)
    _steps(peer, owned, constants)
    _live(peer)
    _end(peer, owned, constants)
    constants.fill()
    peer.has_tables = True


def ownership_of(peer: BlockPeer) -> Ownership:
    """Return where references move; in built-in blocks every operand moves."""
    if peer.ownership is None:
        peer.ownership = _ownership(peer)
    return peer.ownership


def _ownership(peer: BlockPeer) -> Ownership:
    block = peer.block
    if peer.procedure.code is not None:
        return of_block(peer.procedure.code.procedure, block)
    steps = tuple([Uses(moved=tuple(range(len(operands(step))))) for step in block.steps])
    return Ownership((), steps, Uses(moved=tuple(range(len(b.operands_of_end(block.end))))), ())


class Constants:
    """The constants of a block. Counted ones are imported as Python objects, once for each heap."""

    def __init__(self, peer: BlockPeer) -> None:
        self.peer = peer
        self.values: list[Any] = []

    def add(self, value: Any) -> int:
        """Add a constant; return its index."""
        self.values.append(value)
        return len(self.values) - 1

    def fill(self) -> None:
        """Make the C arrays."""
        ffi, struct = runtime().ffi, self.peer.pointer
        struct.constants = self.peer.own("Value[]", [uncounted(value) for value in self.values])
        self.peer.owned.append(self.values)
        null = ffi.NULL
        objects = [null if is_uncounted(value) else ffi.cast("void *", id(value)) for value in self.values]
        struct.counted_constants = self.peer.own("void *[]", objects)


def is_uncounted(value: Any) -> bool:
    """Return whether C represents a constant without a reference count."""
    return type(value) in _UNCOUNTED and not (type(value) is int and not -_INT64 <= value < _INT64)


def uncounted(value: Any) -> dict[str, Any]:
    """Return such a constant as a C Value; NOTHING for another."""
    lib = runtime().lib
    if type(value) is float:
        return {"tag": lib.REAL, "real": value}
    if type(value) in (int, bool) and is_uncounted(value):
        return {"tag": lib.INTEGER if type(value) is int else lib.BOOLEAN, "integer": int(value)}
    return {"tag": lib.NOTHING, "integer": 0}


def _operands(peer: BlockPeer, given: tuple[t.Operand, ...], uses: Uses, constants: Constants) -> Any:
    found, none = [], runtime().lib.NO_REGISTER
    for i, operand in enumerate(given):
        if isinstance(operand, str):
            found.append({"at": peer.registers[operand], "moves": i in uses.moved})
        else:
            found.append({"at": none, "constant": constants.add(operand.value)})
    return peer.own("Operand[]", found)


def _steps(peer: BlockPeer, owned: Ownership, constants: Constants) -> None:
    steps, none = [], runtime().lib.NO_REGISTER
    for step, uses in zip(peer.block.steps, owned.steps, strict=True):
        given, made = operands(step), results(step)
        steps.append(
            {
                "result": peer.registers[made[0]] if len(made) == 1 else none,
                "scalar": scalar_number(step),
                "native": native_number(step),
                "changes": changes_operand(step),
                "count": len(given),
                "operands": _operands(peer, given, uses, constants),
            }
        )
    peer.pointer.steps = peer.own("Step[]", steps)
    peer.pointer.plans = peer.own("void *[]", len(steps))


def _on_data(step: t.Step) -> str | None:
    """Return the name of the record that does a step on data, or a scalar one on other operands."""
    if isinstance(step, Split):
        return EXIT
    if not isinstance(step, t.Compute):
        return None
    record = lookup(step.op)
    return record.otherwise if isinstance(record, Scalar) else step.op


def native_number(step: t.Step) -> int:
    """Return the number of the native step on data, or NO_NATIVE."""
    name, lib = _on_data(step), runtime().lib
    return int(lib.NO_NATIVE if name is None else lib.ck_native_number(name.encode()))


def changes_operand(step: t.Step) -> bool:
    """Return whether a step is an update, which may change its first operand."""
    name = _on_data(step)
    return name not in (None, EXIT) and isinstance(lookup(name), Update)


def scalar_number(step: t.Step) -> int:
    """Return the number of arithmetic in C, or NO_SCALAR."""
    lib = runtime().lib
    if isinstance(step, t.Compute) and isinstance(lookup(step.op), Scalar):
        return int(lib.ck_scalar_number(step.op.encode()))
    return int(lib.NO_SCALAR)


def _live(peer: BlockPeer) -> None:
    made: dict[b.Slots, Any] = {}
    for slots in peer.block.live:
        if slots not in made:
            registers = [peer.registers[name] for name in slots]
            made[slots] = peer.own("uint32_t[]", [len(slots), *registers])
    peer.pointer.live = peer.own("uint32_t *[]", [made[slots] for slots in peer.block.live])


# Ends


def _end(peer: BlockPeer, owned: Ownership, constants: Constants) -> None:
    end, struct, lib = peer.block.end, peer.pointer.end, runtime().lib
    # An EndKind has the name of the class.
    struct.kind = lib.FINISH if peer.code is HALT else getattr(lib, type(end).__name__.upper())
    struct.counts = end.span is not None
    struct.resumes = isinstance(end, b.Control) and end.op == "resume"
    given = b.operands_of_end(end)
    struct.count = len(given)
    struct.operands = _operands(peer, given, owned.end, constants)
    for i, label in enumerate(b.targets(end)):
        struct.targets[i] = peer.target(label).pointer
    if isinstance(end, b.Call | b.Control) and end.ret is not None:
        struct.point = return_point(peer.target(end.ret))
    elif isinstance(end, b.Install):
        copied = set(owned.edges[1].duplicated)
        struct.point = return_point(peer.target(end.leave), peer.target(end.handler), copied)


LANES: set[int] = set()  # the addresses of the return points, made so far, of frames of loops over lanes


def return_point(
    block: BlockPeer,
    handler: BlockPeer | None = None,
    copied: set[str] | frozenset[str] = frozenset(),
    kinds: tuple[Any, ...] | None = None,
) -> Any:
    """Return the `ReturnPoint *` of a frame that returns to a block, and may have an install's handler.

    copied: the saved slots that the install's body needs too. kinds: of the saved values, where translated
    code has pushed the frame: it has a point of its own then, from which these are known.
    """
    key = (handler, frozenset(copied), kinds)
    if key not in block.points:
        saved = block.block.params[1:]
        fields = {
            "block": block.pointer,
            "handler": runtime().ffi.NULL if handler is None else handler.pointer,
            "count": len(saved),
            "saved": block.own("Register[]", [block.registers[name] for name in saved]),
            "copies": block.own("bool[]", [name in copied for name in saved]),
            "lane": lane_position(saved, block.code.span) + 1,
            "within": within_position(saved, block.code.span) + 1,
        }
        point = block.points[key] = block.own("ReturnPoint *", fields)
        if point.lane:
            LANES.add(int(runtime().ffi.cast("uintptr_t", point)))
    return block.points[key]
