"""States with deep stacks, in parts: what is on them, and columns of the numbers that runs of frames save.

In: the state of a capsule of which C has the frames. Out: the state without the frames of such runs, and
these as arrays of numbers, which become no objects; or the reverse (ctemplates/api/api_runs.h). What always
holds: both say the same.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from checkpoint import config
from checkpoint.ctarget.capsules.rest import Rest, state_in_c
from checkpoint.ctarget.code import peer_at, return_point
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.states import Heap, State, call_address, saved_by
from checkpoint.interp.hybrid.machine import State as PythonState

_BYTES = 8  # of a number
CONSTANT = "c"  # the letter of a column without numbers
DEEP = 1000  # frames, from which on runs of them are looked for


class Run(NamedTuple):
    """Frames in a row on a stack, of one return point, that differ in numbers alone.

    columns: for each of the saved values those of all frames, from the lowest on, as an array of the letter
        "d", of reals, or "q", of integers; None: the value that the frame below the run saves, which is one
        of the same return point.
    """

    block: Any
    handler: Any
    call: Any
    frames: int
    columns: list[array[Any] | None]


class InRuns(NamedTuple):
    """A state in parts. state: without the frames of its runs. runs: from the bottom of the stack; a number
    stands for so many frames of the state.
    """

    state: PythonState
    runs: list[Run | int]


def in_runs(state: Any) -> InRuns | None:
    """Return the state of a capsule in parts, if C has it, and has runs of frames in it; else None."""
    found = state_in_c(state)
    if found is None:
        return None
    ffi, lib = runtime().ffi, runtime().lib
    if lib.ck_state_depth(found.held) < DEEP:
        return None
    count = lib.ck_state_runs(found.held, ffi.NULL, 0)
    runs = ffi.new("FrameRun[]", count)
    lib.ck_state_runs(found.held, runs, count)
    if not any(run.plain for run in runs):
        return None
    rest = State(found.heap, found.heap.got(lib.ck_state_without_runs(found.held, runs, count)))
    return InRuns(state.made(rest), _runs(found, runs, count))


def depth_of(runs: Sequence[Run | int]) -> int:
    """Return the number of frames of all runs."""
    return sum([run if isinstance(run, int) else run.frames for run in runs])


def _runs(state: State, runs: Any, count: int) -> list[Run | int]:
    """Return runs as C has listed them, with what they have saved."""
    ffi, lib = runtime().ffi, runtime().lib
    points = [saved_by(run.point) if run.plain else None for run in runs]
    widths = [point[2] if point else 0 for point in points]
    numbers = sum(width * run.frames for width, run in zip(widths, runs, strict=True))
    columns, kinds = ffi.new("uint64_t[]", numbers + 1), ffi.new("char[]", sum(widths) + 1)
    lib.ck_state_columns(state.held, runs, count, columns, kinds)
    data, letters = memoryview(ffi.buffer(columns)), ffi.buffer(kinds)[:].decode()
    found: list[Run | int] = []
    at = column = 0
    for run, point, width in zip(runs, points, widths, strict=True):
        if point is None:
            found.append(run.frames)
            continue
        made = []
        for letter in letters[column : column + width]:
            made.append(_column(letter, data[at : at + _BYTES * run.frames]))
            at += _BYTES * run.frames
        column += width
        call = peer_at(ffi.cast("Block *", run.call)).block.end.span if run.call else None
        found.append(Run(point[0], point[1], call, run.frames, made))
    return found


def _column(letter: str, data: memoryview) -> array[Any] | None:
    if letter == CONSTANT:
        return None
    column = array(letter)
    column.frombytes(data)
    return column


def joined(parts: InRuns, made: Callable[[State], PythonState]) -> Rest:
    """Return the state of a capsule from its parts, in C. made: as a Rest has it."""
    module = runtime()
    ffi, heap = module.ffi, Heap(config.memory())
    without = State(heap, start=parts.state)
    runs, columns, kinds = ffi.new("FrameRun[]", len(parts.runs)), bytearray(), ""
    for into, run in zip(runs, parts.runs, strict=True):
        if isinstance(run, int):
            into.frames = run
            continue
        into.point, into.call = return_point(run.block, run.handler), call_address(run.call)
        into.frames, into.plain = run.frames, True
        for column in run.columns:
            kinds += CONSTANT if column is None else column.typecode
            columns += bytes(_BYTES * run.frames) if column is None else memoryview(column).cast("B")
    given = ffi.from_buffer("uint64_t[]", columns), kinds.encode()
    held = module.lib.ck_state_with_runs(without.held, runs, len(parts.runs), *given)
    return Rest(State(heap, heap.got(held)), made)
