"""The frames of a state, read from the section STACK: runs of them, whose columns are written by themselves.

In: the section, at the frames; what reads values. Out: the top frame; and, where the state is read in parts,
long runs of frames that save nothing but numbers, as columns, which become no objects. What always holds: a
frame has as many values as its return point reads, of the kinds that it reads without asking.
"""

from __future__ import annotations

from array import array
from itertools import islice, repeat
from typing import Any, Protocol

from checkpoint.ad.numbers import NUMBERS
from checkpoint.ad.values import Environment
from checkpoint.ctarget.capsules import runs as in_c
from checkpoint.ctarget.capsules.runs import Run
from checkpoint.durable.code import Known
from checkpoint.durable.programs import Program
from checkpoint.durable.stream import Reader
from checkpoint.durable.tags import RunTag
from checkpoint.interp.hybrid.code import BlockCode
from checkpoint.interp.hybrid.machine import HALT, LEAVE, Frame
from checkpoint.lang.closures import ENVIRONMENT
from checkpoint.lang.core import Lambda

Runs = list[Run | int]


class Decoder(Protocol):
    """What reads values, and knows the program (checkpoint.durable.decode)."""

    known: Known
    program: Program

    def value(self, reader: Reader) -> Any:
        """Read a value."""
        ...

    @staticmethod
    def flag(reader: Reader) -> int:
        """Read 0 or 1."""
        ...


def read_frames(decoder: Decoder, reader: Reader, runs: Runs | None) -> Frame | None:
    """Return the top frame; runs: receives the runs of a state that is read in parts."""
    frame, rest = None, reader.count(4)
    while rest:
        count = reader.count(4)
        if not 1 <= count <= rest:
            raise reader.damaged()
        frame = _read_run(decoder, reader, count, frame, runs)
        rest -= count
    return frame


def _read_run(
    decoder: Decoder, reader: Reader, count: int, below: Frame | None, runs: Runs | None
) -> Frame | None:
    """Read frames of one return point, on top of those below; return the top one of what becomes frames."""
    block = decoder.known.point(reader)
    handler = decoder.known.point(reader) if decoder.flag(reader) else None
    call = None
    if decoder.flag(reader):
        start = reader.i64()
        call = decoder.program.call_at(start, reader.text())
    width, params = reader.u32(), block.block.params[1:]
    if width != len(params) or (handler is not None and len(handler.block.params) != width + 1):
        raise reader.damaged()
    if (below is None) != (block is HALT) or (block is HALT and count > 1):
        raise reader.damaged()
    is_long = runs is not None and count >= in_c.DEEP
    columns = [_column(decoder, reader, count, is_long) for _ in range(width)]
    if not width:
        reader.take(4 * count)
    is_run = is_long and all(type(column) is not list for column in columns)
    left = 1 if is_run else count  # of them, so many become frames: of a run the lowest
    if runs is not None:
        runs.append(left)
    for saved in islice(zip(*columns, strict=True), left) if width else repeat((), left):
        check_environments(reader, params, saved, lambda_of(block))
        if block is LEAVE and type(saved[0]) is not int:
            raise reader.damaged()
        below = Frame(block, saved, below, handler, call)
    if runs is not None and is_run:
        runs.append(Run(block, handler, call, count - 1, [_above(column) for column in columns]))
    return below


def _above(column: Any) -> array[Any] | None:
    """Return a column of a run without the lowest frame; None of one that is the same in all."""
    return column[1:] if type(column) is array else None


def _column(decoder: Decoder, reader: Reader, count: int, is_long: bool) -> Any:
    """Return the values in a column: an array of numbers of one kind, or a list.

    is_long: whether one value that is the same in all may be returned as what repeats it.
    """
    kind = reader.u8()
    if kind == RunTag.REALS:
        return reader.numbers("d", count)
    if kind == RunTag.INTEGERS:
        return reader.numbers("q", count)
    if kind != RunTag.VALUES:
        raise reader.damaged()
    if is_long:
        start, value = reader.at, decoder.value(reader)
        one = bytes(reader.data[start : reader.at])
        whole = reader.data[start : start + len(one) * count]
        if type(value) not in NUMBERS and whole == one * count:
            reader.take(len(one) * (count - 1))
            return repeat(value, count)
        reader.at = start
    return [decoder.value(reader) for _ in range(count)]


def lambda_of(block: BlockCode) -> Lambda | None:
    """Return the lambda to whose procedure a block belongs; None of one that is built in."""
    return None if block.procedure is None else block.procedure.procedure.lam


def check_environments(
    reader: Reader, names: Any, values: Any, lam: Lambda | None, may_lack: bool = False
) -> None:
    """Raise DurableError unless environments are where code expects them.

    may_lack: whether a slot that is not live may be empty.
    """
    for name, value in zip(names, values, strict=True):
        if not name.startswith(ENVIRONMENT):
            continue
        if may_lack and value is None:
            continue
        member = None if lam is None else lam.definitions.get(name.removeprefix(ENVIRONMENT))
        if type(value) is not Environment or (member and len(member.captures) != len(value.values)):
            raise reader.damaged()
