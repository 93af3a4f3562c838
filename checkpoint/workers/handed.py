"""Segments of a run on their way through workers, from the last one on.

In: segments, what they share, and the cotangent of the end of the run. Out: the cotangents of the states
where they begin, one after the other. Workers tape segments, each ahead of its cotangent; that of one segment
is handed on to the worker that has taped the one before. So at any time one of them reverses, and the others
run and tape. A segment whose cotangent is known, and that does not end, is given to another worker, too,
where the back end may lose touch with workers (protocol.py): the result that is there first counts.

What always holds: a worker has one segment at a time; of two results of a segment the bits are equal, or the
gradient ends with an error that names both machines.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, cast

from checkpoint.ad.values import Opaque
from checkpoint.dataclass import dataclass
from checkpoint.durable import cotangents
from checkpoint.errors import RunError
from checkpoint.workers.cuts import Piece
from checkpoint.workers.protocol import ATTEMPTS, Patient, WorkerLost, Workers
from checkpoint.workers.segment import Reversed, reversed_segment

AHEAD = 1  # segments that are submitted beyond one for each worker
SLOWER = 100  # times the seconds of its first pass: a segment that takes longer may be lost


@dataclass
class _Segment:
    """A segment that a worker has. high: where it ends."""

    piece: Piece
    high: int
    task: Any

    def __str__(self) -> str:
        return f"the segment of the run from step {self.piece.step} to {self.high}"


@dataclass
class _Late:
    """An attempt at a segment that another one has overtaken. digest, machine: of the result that counts."""

    segment: _Segment
    digest: bytes
    machine: str


class Handed:
    """The segments of one run.

    shared: stands for what all of them share. state_of: returns what stands for the state where a segment
    begins, or None where it is lost: then the segment before it goes on to where this one ends.
    high, cotangent: where the run has been reversed to.
    """

    def __init__(
        self,
        workers: Workers,
        shared: Any,
        state_of: Callable[[Piece], Any],
        high: int,
        cotangent: Opaque,
    ) -> None:
        self.workers = workers
        self.shared = shared
        self.state_of = state_of
        self.high = high
        self.cotangent = cotangent
        self._begun: deque[_Segment] = deque()
        self._others: list[_Segment] = []  # earlier attempts at the segment that is the next to end
        self._late: list[_Late] = []

    def results(self, pieces: list[Piece]) -> Iterator[tuple[int, Opaque]]:
        """Yield where segments begin, the last one first, with the cotangents there; `pieces` is used up."""
        try:
            while pieces or self._begun:
                self._submit(pieces)
                if self._begun:
                    self._take(self._next_to_end(pieces))
                    yield self.high, self.cotangent
            self._compare()
        finally:
            for segment in (*self._begun, *self._others, *(late.segment for late in self._late)):
                self.workers.cancel(segment.task)

    def _submit(self, pieces: list[Piece]) -> None:
        while pieces and len(self._begun) < self.workers.size + AHEAD:
            piece = pieces.pop()
            state = self.state_of(piece)
            if state is None:
                continue
            piece.state = state  # for a further attempt
            if self._begun:
                high, cotangent = self._begun[-1].piece.step, self._begun[-1].task
            else:  # it is put, so that a worker reads it after the function, which loads its libraries
                high, cotangent = self.high, self.workers.put(self.cotangent)
            task = self.workers.submit(reversed_segment, self.shared, state, high, cotangent)
            self._begun.append(_Segment(piece, high, task))

    def _next_to_end(self, pieces: list[Piece]) -> _Segment:
        """Return the attempt at the next segment that has ended, or for which there is all the time."""
        patience = getattr(self.workers, "patience", None)
        if patience is None:
            return self._begun.popleft()
        patient = cast(Patient, self.workers)
        seconds = max(patience, SLOWER * self._begun[0].piece.seconds)
        while not patient.wait(self._begun[0].task, seconds):
            for i, other in enumerate(self._others):
                if patient.wait(other.task, 0.0):
                    self._others[i] = self._begun.popleft()
                    return other
            if len(self._others) + 1 == ATTEMPTS:
                raise RunError(
                    f"{self._begun[0]} did not end within {seconds:.3g} s, nor did {ATTEMPTS - 1} attempts "
                    f"before: give the workers more patience=, or look what they wait for"
                )
            self._again(pieces)
            seconds *= 2
        return self._begun.popleft()

    def _again(self, pieces: list[Piece]) -> None:
        """Give the next segment to another worker, too, and those that wait for it once more."""
        self._others.append(self._begun.popleft())
        while self._begun:
            waiting = self._begun.pop()
            self.workers.cancel(waiting.task)
            pieces.append(waiting.piece)
        pieces.append(self._others[-1].piece)
        self._submit(pieces)

    def _take(self, segment: _Segment) -> None:
        """Take the result of a segment that is the next to end."""
        found = self._got(segment)
        self.high, self.cotangent = segment.piece.step, found.cotangent
        if self._others:
            digest = cotangents.digest(found.cotangent)
            self._late += [_Late(other, digest, found.machine) for other in self._others]
            self._others = []
        self._compare()

    def _got(self, segment: _Segment) -> Reversed:
        try:
            found: Reversed = self.workers.get(segment.task)
        except WorkerLost as lost:
            raise RunError(f"{segment}: {lost}") from None
        return found

    def _compare(self) -> None:
        """Drop late results that are there by now; RunError for one that has other bits."""
        waiting = []
        for late in self._late:
            if not cast(Patient, self.workers).wait(late.segment.task, 0.0):
                waiting.append(late)
                continue
            try:
                found = self._got(late.segment)
            except Exception:  # what became of it is of no interest: the segment is reversed
                continue
            if cotangents.digest(found.cotangent) != late.digest:
                raise RunError(
                    f"{late.segment} was reversed twice, with different bits: by {late.machine}, and by "
                    f"{found.machine}. The gradient is in doubt: find out which of these is at fault"
                )
        self._late = waiting
