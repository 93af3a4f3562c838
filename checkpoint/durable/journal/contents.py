"""Reads from the records of a journal, one after another, what it holds.

In: records of a log. Out: the call that it is the journal of, what the run has read and printed, its durable
states by their steps, how far it has been reversed, and what came of it.

    CALL       what identifies the call, and what is shown of it
    EFFECTS    what was read and printed since the EFFECTS before
    STATE      a step, and the capsule of the run there
    DROP       the step of a state that is not needed any more
    END        the number of steps of the run, and the capsule of its end
    REVERSED   the step down to which the run has been reversed, and the cotangent of its state there
    RESULT     the cotangents that the call returns

The bytes of a capsule or cotangent stand in the record if they are few, else in a file of their own, which is
durable before the record is; the record has the file's name and checksum.
"""

from __future__ import annotations

from collections.abc import Iterator

from checkpoint.dataclass import dataclass
from checkpoint.durable.format import Opened
from checkpoint.durable.journal.folder import Folder
from checkpoint.durable.journal.log import Record
from checkpoint.durable.stream import Reader, Writer
from checkpoint.errors import DurableError

CALL, EFFECTS, STATE, DROP, END, REVERSED, RESULT = range(1, 8)
FILE = "data-"  # with which names of files begin


@dataclass(frozen=True)
class Stored:
    """Bytes in a journal. data: they themselves; or name, digest: of the file that has them."""

    length: int
    data: bytes = b""
    name: str = ""
    digest: bytes = b""

    def opened(self, folder: Folder) -> Opened:
        """Return the file that the bytes are; DurableError, or OSError, where it is not what was written."""
        if not self.name:
            return Opened(self.data, f"{folder.path}")
        file = Opened(folder.read(self.name), str(folder.path / self.name))
        if file.digest != self.digest:
            raise file.damaged("its header")
        return file


class Payload(Reader):
    """The bytes of a record, read from the start."""

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self.data = memoryview(data)
        self.at = 0

    def damaged(self) -> DurableError:
        """Return the error for what no record holds."""
        return DurableError(f"{self.name} is damaged: begin with another directory")

    def stored(self) -> Stored:
        """Read where bytes are."""
        if self.u8():
            return Stored(self.i64(), name=self.text(), digest=self.block())
        data = self.block()
        return Stored(len(data), data)


def write_stored(to: Writer, stored: Stored) -> None:
    """Write where bytes are."""
    to.u8(bool(stored.name))
    if stored.name:
        to.i64(stored.length)
        to.text(stored.name)
        to.block(stored.digest)
    else:
        to.block(stored.data)


def record_of(kind: int, step: int, stored: Stored | None = None) -> Record:
    """Return a record about a step."""
    to = Writer()
    to.i64(step)
    if stored is not None:
        write_stored(to, stored)
    return kind, bytes(to.data)


class Contents:
    """Holds what the records so far have said.

    call, effects: bytes of records. states: by step. end, reversed: a step and what is there.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.call = b""
        self.effects: list[bytes] = []
        self.states: dict[int, Stored] = {}
        self.end: tuple[int, Stored] | None = None
        self.reversed: tuple[int, Stored] | None = None
        self.result: Stored | None = None

    def take(self, record: Record) -> None:
        """Take in one more record."""
        kind, data = record
        payload = Payload(data, self._name)
        if kind == CALL:
            self.call = data
        elif kind == EFFECTS:
            self.effects.append(data)
        elif kind == STATE:
            step = payload.i64()
            self.states[step] = payload.stored()
        elif kind == DROP:
            self.states.pop(payload.i64(), None)
        elif kind == END:
            self.end = payload.i64(), payload.stored()
        elif kind == REVERSED:
            self.reversed = payload.i64(), payload.stored()
        elif kind == RESULT:
            payload.i64()
            self.result = payload.stored()
        else:
            raise payload.damaged()
        self._forget()

    def _forget(self) -> None:
        """Let the states go that nothing runs from any more."""
        if self.result is not None:
            self.states, self.reversed = {}, None
        elif self.reversed is not None:
            to = self.reversed[0]
            self.states = {step: stored for step, stored in self.states.items() if step < to}

    def records(self) -> Iterator[Record]:
        """Yield records that say the same."""
        yield CALL, self.call
        for data in self.effects:
            yield EFFECTS, data
        for step, stored in self.states.items():
            yield record_of(STATE, step, stored)
        if self.end is not None:
            yield record_of(END, *self.end)
        if self.reversed is not None:
            yield record_of(REVERSED, *self.reversed)
        if self.result is not None:
            yield record_of(RESULT, 0, self.result)

    def stored(self) -> list[Stored]:
        """Return all that bytes are kept of."""
        found = list(self.states.values())
        found += [pair[1] for pair in (self.end, self.reversed) if pair is not None]
        return found if self.result is None else [*found, self.result]

    def files(self) -> set[str]:
        """Return the names of the files that are needed."""
        return {stored.name for stored in self.stored() if stored.name}

    @property
    def bytes(self) -> int:
        """The bytes of all that is needed."""
        return sum(stored.length for stored in self.stored()) + sum(map(len, self.effects)) + len(self.call)


def thinned(steps: list[int], most: int) -> list[int]:
    """Return the steps of states to drop so that at most so many are left; the first and the last stay.

    Dropped is the state whose neighbours lie closest together. So, as states are added, no gap becomes much
    longer than others, however long the run.

    >>> thinned([1, 4, 5, 7, 10], 4)
    [5]
    >>> thinned([1, 2, 3], 5)
    []
    """
    left, dropped = list(steps), []
    while len(left) > most:
        at = min(range(1, len(left) - 1), key=lambda i: left[i + 1] - left[i - 1])
        dropped.append(left.pop(at))
    return dropped


def described(contents: Contents) -> tuple[str, int, int | None]:
    """Return how far a run is, as (phase, step, steps of the run)."""
    total = None if contents.end is None else contents.end[0]
    if contents.result is not None:
        return "finished", 0, total
    if contents.reversed is not None:
        return "backward", contents.reversed[0], total
    return "forward", max(contents.states, default=0), total
