"""How C has a step of a block done: by a library's function of arrays, or by the function of its record.

In: a block and the index of a step. Out: its Way (None of steps that compute nothing), which
foreign/array_steps.c and data_steps.c read. What it says of arrays it is asked for when a program that
has met an array first comes there: before, the records of arrays are not registered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.ad.library import overloads
from checkpoint.ad.numbers import apply, takes_reals
from checkpoint.ad.pullbacks import RESULT, needed
from checkpoint.ad.record import Data, Effect, Operator, Primitive, Rearrange, Scalar, Select, Update, lookup
from checkpoint.ad.tensors import Tensor
from checkpoint.cps import terms as t
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.peers import BlockPeer
from checkpoint.errors import InternalError
from checkpoint.interp.hybrid.origins import born, numbered, perform_taped
from checkpoint.interp.hybrid.tensors import (
    IDLE,
    carries_derivative,
    on_arrays,
    perform_tensor,
    perform_tensor_taped,
)

ALL = -1  # the bits of every operand and of the result


Names = tuple[str | None, ...]
Function = Callable[..., Any]


class Way:
    """One step.

    plain(machine, *operands): the value of a step on data, its birth given; None: only `perform` can tell.
    taped: the same with its origin; None: it has none.

    Of a function of arrays, after `ask`:
    value, in_place: those of its record.
    on_arrays, on_tape: as `plain` and `taped`, for what C does not do itself; NotImplemented where only
        `perform` can tell.
    flags: OVERLOADS: only where an operand is an array, OF_FIRST: the first one; VIEWS, CHANGES, VARIADIC as
        the record says; ANYWAY: it is none, or C has found that its results are not for it; UNASKED.
    rules: the bits of the operands that may receive a cotangent.
    pulls: by the bits of those that do: their positions, their slots, and the bits of what the rules read.
    """

    __slots__ = (
        "flags",
        "in_place",
        "names",
        "on_arrays",
        "on_tape",
        "plain",
        "pulls",
        "record",
        "rules",
        "step",
        "taped",
        "value",
    )

    def __init__(self, step: t.Compute) -> None:
        self.step = step
        self.flags = int(runtime().lib.UNASKED)
        self.names: Names = tuple([x if isinstance(x, str) else None for x in step.operands])
        self.plain, self.taped = functions_of(lookup(step.op), self.names)
        self.record: Any = None
        self.on_arrays: Function | None = None
        self.on_tape: Function | None = None
        self.value: Function | None = None
        self.in_place: Function | None = None
        self.rules = 0
        self.pulls: dict[int, tuple[tuple[int, ...], list[str | None], int]] = {}

    def ask(self) -> None:
        """Find the function of arrays."""
        own = lookup(self.step.op)
        record = own if isinstance(own, Tensor) else overloads.get(own.name)
        lib = runtime().lib
        self.flags = lib.ANYWAY
        if record is None:
            return
        self.record = record
        self.value = record.value
        self.in_place = record.in_place
        self.on_arrays, self.on_tape = _of_arrays(own, record, self.names)
        self.flags = (
            lib.OVERLOADS * (own is not record) | lib.OF_FIRST * record.of_first | lib.VIEWS * record.views
        )
        self.flags |= lib.CHANGES * record.changes | lib.VARIADIC * record.variadic
        for i, name in enumerate(self.names):
            if name is not None and not record.variadic and record.vjp(i) is not None:
                self.rules |= 1 << i


def functions_of(record: Primitive, names: Names) -> tuple[Function | None, Function | None]:
    """A Way's `plain` and `taped`, for operands that are no arrays and no duals."""
    match record:
        case Tensor() | Operator():
            return None, None
        case Scalar():
            return _of_scalar(record, names)
        case Effect():
            effect = record.value
            return (lambda now, *given: effect(now.effects, now.steps, *given)), None
    plain = _of_data(record)
    if isinstance(record, Data) or (isinstance(record, Rearrange) and record.tells):
        return plain, None
    return plain, lambda now, *given: perform_taped(now, record, given, names)


def _of_data(record: Any) -> Function:
    """What checkpoint.interp.hybrid.origins.perform does for one record."""
    value: Function = record.value
    match record:
        case Data():
            if record.builds:
                return lambda now, *given: numbered(now, value(*given))
            return lambda now, *given: value(*given)
        case Select():
            return value
        case Rearrange():
            return value if record.tells else lambda now, *given: born(now, value(now, *given))
        case Update():
            return lambda now, *given: born(now, value(now, now.steps + 1, *given))
    raise InternalError(f"{record.name} is no step on data")


def _of_scalar(record: Scalar, names: Names) -> tuple[Function, Function | None]:
    if record.otherwise is None:
        return (lambda now, *given: apply(record, given)), None
    plain, taped = functions_of(lookup(record.otherwise), names)
    assert plain is not None

    def run(now: Any, *given: Any) -> Any:
        return apply(record, given) if takes_reals(given) else plain(now, *given)

    def tape(now: Any, *given: Any) -> Any:
        return (apply(record, given), None) if takes_reals(given) else taped(now, *given)  # type: ignore[misc]

    return run, None if taped is None else tape


def _of_arrays(own: Primitive, record: Tensor, names: Names) -> tuple[Function, Function]:
    """A Way's `on_arrays` and `on_tape`."""

    def run(now: Any, *given: Any) -> Any:
        return NotImplemented if on_arrays(own, given) is None else perform_tensor(now, record, given)

    def tape(now: Any, *given: Any) -> Any:
        if on_arrays(own, given) is None or carries_derivative(given):
            return NotImplemented
        value, origin = perform_tensor_taped(now, record, given, names)
        return value, origin or IDLE

    return run, tape


def way_of(peer: BlockPeer, index: int) -> Way | None:
    """The way of a step; the block's peer keeps it."""
    step = peer.block.steps[index]
    if not isinstance(step, t.Compute):
        return None
    way = Way(step)
    peer.owned.append(way)
    return way


def pulls_of(way: Way, bits: int) -> tuple[tuple[int, ...], list[str | None], int]:
    """What the origin of a step is made with, where these operands are wanted."""
    wanted = tuple([i for i in range(len(way.names)) if bits >> i & 1])
    read = needed(way.record, wanted)
    kept = ALL
    if read is not None:
        count = len(way.names)
        kept = sum([1 << i for i in read if 0 <= i < count])
        kept |= (count in read or RESULT in read) << runtime().lib.RESULT_BIT
    way.pulls[bits] = (wanted, [way.names[i] for i in wanted], kept)
    return way.pulls[bits]
