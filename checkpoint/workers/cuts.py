"""Cuts a long run into segments, while it is made for the first time.

In: a run, and how much memory each worker has. Out: states between its start and its end. Segments take about
the same time, and so long that handing them on costs little; their tapes fit into a worker's memory beside
its share of the states, as far as can be foreseen, and the states into half of all workers' memory; further
ones go to a disk, if there is one.
What always holds: where there are too many states, every other one goes, so that segments become twice as
long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import field
from enum import Enum
from time import perf_counter
from typing import Any

from checkpoint.ad.array_library import holder_of
from checkpoint.ad.arrays import Array
from checkpoint.ad.graph import numbers
from checkpoint.ad.numbers import real_part
from checkpoint.ad.values import Capsule
from checkpoint.dataclass import dataclass
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine, State, driver_of
from checkpoint.driver.observe import adapted
from checkpoint.workers.ahead import STATES

SECONDS = 0.02  # of the first pass: a segment, at first
MOST = 512  # segments for each worker
FIRST_PACE = 256  # steps that are run at a time, at first
PART_TAPED = 32  # of a segment, one part in so many is taped to see how large its tape will be
FULL = 0.9  # of the room for a tape is used, as far as can be foreseen
REAL_BYTES = 100  # of a number in a capsule


@dataclass
class Piece:
    """A segment.

    step: where it begins. state: what stands for the state there; None where only a journal has it.
    arrays: the bytes of its arrays, by the identities of what holds their elements. reals: the number of its
    other numbers. seconds: that the first pass took for it.
    """

    step: int
    state: Any = None
    arrays: dict[int, int] = field(default_factory=dict)
    reals: int = 0
    seconds: float = 0.0

    @property
    def bytes(self) -> int:
        """The bytes of the state, with the arrays that it shares with others."""
        return sum(self.arrays.values()) + REAL_BYTES * self.reals


class Where(Enum):
    """Where a state is: in memory, with arrays that others share; there as a copy; or on a disk."""

    SHARED, COPIED, DISK = range(3)


Put = Callable[[Capsule, bool], tuple[Any, Where]]


class Cuts:
    """The segments of a run but the first one, in order.

    put: returns what stands for a capsule, by whether memory has room for it, and where it is.
    room: bytes that a worker has for a tape, and for states; None: as many as there are.
    workers: how many workers there are.
    """

    def __init__(self, engine: Engine, put: Put, room: int | None, workers: int) -> None:
        self.engine = engine
        self.put = put
        self.room = room
        self.workers = workers
        self.pieces: list[Piece] = []
        self._bytes = 0  # of their states that memory has
        self._uses: Counter[int] = Counter()  # in how many of these each holder of arrays is
        self.cuts = 0  # that were made
        self.seconds = SECONDS
        self.recorded: float | None = None  # bytes of a step's tape
        self.steps = FIRST_PACE  # of a segment, at most, unless there would be too many states:
        self.largest = 0  # bytes of a state, with the arrays that it shares with others
        self.apart = 0  # then the steps between those that are left

    def run(self, state: State, effects: Effects) -> State:
        """Run from a state to the end, which is returned."""
        pace, last, begun = FIRST_PACE, state.steps, perf_counter()
        state = self._foresee(state, pace, effects)
        while not state.finished:
            before = perf_counter()
            steps = max(self.steps, self.apart)
            state = self.engine.advance(state, min(state.steps + pace, last + steps), effects)
            if state.finished:
                break
            now = perf_counter()
            pace = min(adapted(pace, now - before, self.seconds / 4), steps)
            if now - begun < self.seconds and state.steps - last < steps:
                continue
            self._cut(state, now - begun)
            last, begun = state.steps, perf_counter()
            self.cuts += 1
            if not self.cuts & (self.cuts - 1):  # ever more seldom: what is taped is dropped
                state = self._foresee(state, pace, effects)
        return state

    def _foresee(self, state: State, pace: int, effects: Effects) -> State:
        """Find out of how many steps the tape will fit, by taping some; return the state behind these.

        pace: steps of a quarter of a segment.
        """
        if self.room is None:
            self.steps = 2**62
            return state
        probe = max(pace * 4 // PART_TAPED, 1)
        room = self._room_of_a_tape(self.room)
        tape = self.engine.tape(state, state.steps + probe, effects, room)
        self.recorded = max(tape.bytes, 1) / max(tape.end.steps - state.steps, 1)
        self.steps = max(int(room * FULL / self.recorded), 1)
        return tape.detached()

    def _room_of_a_tape(self, room: int) -> int:
        """Return what each worker has beside its share of the states, however many there will be.

        They take up to half, but only as much as the most states do that there may be of the largest so far.
        """
        if not self.cuts:
            return room // 2
        return max(room - (MOST + STATES) * self.largest, room // 2)

    def _cut(self, state: State, seconds: float) -> None:
        capsule = self.engine.capsule(state)
        arrays, reals = self._numbers_in(capsule)
        if self.pieces:
            self.pieces[-1].seconds += seconds
        piece = Piece(state.steps, None, arrays, reals)
        self.largest = max(self.largest, piece.bytes)
        self._count(piece, 1)
        piece.state, where = self.put(capsule, not self._is_full)
        if where is not Where.SHARED:  # nor need the holders live on, whose identities these are
            self._count(piece, -1)
            copied = where is Where.COPIED
            piece.arrays = {-self.cuts - 1: sum(arrays.values())} if copied else {}
            piece.reals = piece.reals if copied else 0
            self._count(piece, 1)
        self.pieces.append(piece)
        if len(self.pieces) > MOST * self.workers or self._is_full:
            self._thin()

    def _numbers_in(self, capsule: Capsule) -> tuple[dict[int, int], int]:
        """Return the bytes of the arrays of a state, as a piece has them, and the number of its reals.

        A state that C counts alone stays C's, and is also resumed by it.
        """
        own = driver_of(self.engine)
        closed = None if own is None else own.closed(capsule)
        if closed is not None:
            return {}, closed[1]
        found = [real_part(number) for number in numbers(capsule)]
        datas = [number.data for number in found if type(number) is Array]
        arrays = {id(holder): data.nbytes for holder, data in zip(map(holder_of, datas), datas, strict=True)}
        return arrays, len(found) - len(datas)

    def _count(self, piece: Piece, sign: int) -> None:
        """Count the bytes of a state, 1, or count them no more, -1; of arrays that states share once."""
        for holder, bytes in piece.arrays.items():
            before = self._uses[holder]
            self._uses[holder] = after = before + sign
            if not before or not after:
                self._bytes += sign * bytes
        self._bytes += sign * REAL_BYTES * piece.reals

    def _thin(self) -> None:
        """Join each segment with the one before it, if memory has the state between them."""
        held = next((i for i, piece in enumerate(self.pieces) if piece.state is not None), len(self.pieces))
        for i in range(held, len(self.pieces), 2):
            if i:
                self.pieces[i - 1].seconds += self.pieces[i].seconds
            self._count(self.pieces[i], -1)
        del self.pieces[held::2]
        self.seconds *= 2
        left = self.pieces[held:]
        if len(left) > 1:
            self.apart = (left[-1].step - left[0].step) // (len(left) - 1)

    @property
    def rest(self) -> int | None:
        """The bytes that a worker has beside its share of the states; None: as many as there are."""
        return None if self.room is None else self.room - self._bytes // self.workers

    @property
    def fitting(self) -> int | None:
        """Of how many steps a tape will fit into these bytes; None: not known."""
        rest = self.rest
        if rest is None or self.recorded is None or not self.pieces:
            return None
        largest = max(piece.bytes for piece in self.pieces)
        return int((rest - STATES * largest) / self.recorded)

    @property
    def _is_full(self) -> bool:
        return self.room is not None and self._bytes > self.room * self.workers / 2
