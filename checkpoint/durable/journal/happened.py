"""What a run has read and printed, as bytes, so that it is not repeated in another process.

In: a log of effects (checkpoint.driver.effects). Out: what has been added to it since the last time, as the
bytes of a record; and from such records a log that knows as much. What was printed is not in them: the path
of the last print tells that it was. What came from standard input is read from there again, and compared.
"""

from __future__ import annotations

import builtins
import sys
from itertools import islice
from typing import Any

from checkpoint.driver.effects import EffectLog, Path, read_word
from checkpoint.durable.journal.contents import Payload
from checkpoint.durable.stream import Writer
from checkpoint.errors import DurableError, an
from checkpoint.prims.python.outside import ObservedFailure

NONE, FALSE, TRUE, INTEGER, REAL, TEXT, BYTES, TUPLE, LIST, DICT, TENSOR, FAILURE, OBSERVED = range(13)


class Happened:
    """How much of a log of effects has been written."""

    def __init__(self) -> None:
        self._furthest: Path = ()
        self._furthest_state: Path = ()
        self._replies = self._states = self._outcomes = self._consumed = 0

    def news(self, log: EffectLog) -> bytes | None:
        """Return what has been added to a log, and count it as written; None: nothing has.

        Raises DurableError where a program has read what has no place in a file.
        """
        if log.furthest == self._furthest and len(log.outcomes) == self._outcomes:
            return None
        to = Writer()
        _write_path(to, log.furthest)
        _write_path(to, log.furthest_state)
        replies = list(islice(log.replies.items(), self._replies, None))
        _write_by_path(to, replies)
        _write_by_path(to, log.states[self._states :])
        to.i64(len(log.outcomes) - self._outcomes)
        to.u32(len(log.consumed) - self._consumed)
        for word in log.consumed[self._consumed :]:
            to.text(word)
        self.counts(log)
        return bytes(to.data)

    def counts(self, log: EffectLog) -> None:
        """Count all that is in a log as written."""
        self._furthest, self._furthest_state = log.furthest, log.furthest_state
        self._replies, self._states = len(log.replies), len(log.states)
        self._outcomes, self._consumed = len(log.outcomes), len(log.consumed)


def restore(log: EffectLog, records: list[bytes], name: str) -> None:
    """Let a log know what the records say; DurableError where standard input has something else."""
    for data in records:
        payload = Payload(data, name)
        log.furthest = _read_path(payload)
        log.furthest_state = _read_path(payload)
        log.replies.update(_read_by_path(payload))
        log.states += _read_by_path(payload)
        log.outcomes += [None] * payload.i64()
        for _ in range(payload.count()):
            log.consumed.append(payload.text())


def consume(log: EffectLog, name: str) -> None:
    """Read from standard input what a run has read before; DurableError where that is something else."""
    for word in log.consumed:
        found = read_word()
        if found != word:
            raise DurableError(
                f"{name}: the run had read {word!r} from standard input, where now {found!r} is: give it the "
                "same input, from its start"
            )


def _write_by_path(to: Writer, pairs: list[tuple[Path, Any]]) -> None:
    to.u32(len(pairs))
    for path, value in pairs:
        _write_path(to, path)
        _write(to, value)


def _read_by_path(payload: Payload) -> list[tuple[Path, Any]]:
    return [(_read_path(payload), _read(payload)) for _ in range(payload.count())]


def _write_path(to: Writer, path: Path) -> None:
    to.u32(len(path))
    for step in path:
        to.i64(step)


def _read_path(payload: Payload) -> Path:
    return tuple([payload.i64() for _ in range(payload.count(8))])


def _write(to: Writer, value: Any) -> None:
    kind = type(value)
    if value is None or kind is bool:
        to.u8(NONE if value is None else TRUE if value else FALSE)
    elif kind is int:
        to.u8(INTEGER)
        to.integer(value)
    elif kind is float:
        to.u8(REAL)
        to.real(value)
    elif kind is str:
        to.u8(TEXT)
        to.text(value)
    elif kind is bytes:
        to.u8(BYTES)
        to.block(value)
    elif kind in (tuple, list):
        to.u8(TUPLE if kind is tuple else LIST)
        to.u32(len(value))
        for part in value:
            _write(to, part)
    elif kind is dict:
        to.u8(DICT)
        _write(to, [part for item in value.items() for part in item])
    elif kind is ObservedFailure:
        to.u8(OBSERVED)
        _write(to, value.error)
    elif isinstance(value, Exception) and getattr(builtins, kind.__name__, None) is kind:
        to.u8(FAILURE)
        to.text(kind.__name__)
        _write(to, list(value.args))
    elif kind.__module__ == "torch" and str(value.dtype) == "torch.uint8" and not value.is_cuda:
        to.u8(TENSOR)
        to.block(bytes(value.tolist()))
    else:
        raise DurableError(f"the run has read {an(kind.__name__)}, which has no place in a file")


def _read(payload: Payload) -> Any:
    tag = payload.u8()
    if tag in (NONE, FALSE, TRUE):
        return None if tag == NONE else tag == TRUE
    if tag == INTEGER:
        return payload.integer()
    if tag == REAL:
        return payload.real()
    if tag == TEXT:
        return payload.text()
    if tag == BYTES:
        return payload.block()
    if tag in (TUPLE, LIST):
        found = [_read(payload) for _ in range(payload.count())]
        return tuple(found) if tag == TUPLE else found
    if tag == DICT:
        found = _read(payload)
        return dict(zip(found[::2], found[1::2], strict=True))
    if tag == FAILURE:
        cls = getattr(builtins, payload.text(), None)
        arguments = _read(payload)
        if isinstance(cls, type) and issubclass(cls, Exception):
            return cls(*arguments)
    if tag == OBSERVED:
        return ObservedFailure(_read(payload))
    if tag == TENSOR and "torch" in sys.modules:
        torch = sys.modules["torch"]
        return torch.tensor(list(payload.block()), dtype=torch.uint8)
    raise payload.damaged()
