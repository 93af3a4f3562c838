"""The journal of one call: a folder in which it makes durable how far it is.

In: states, cotangents and results of a run. Out: these again, in another process. Where the disk takes no
more, or a state holds what has no place in a file, the caller receives a JournalWarning, once, and the
gradient goes on: with what the journal has so far, if that can still be read.

What always holds: what is read was committed, and a file is durable before the commit that names it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from checkpoint.ad.values import Capsule, Opaque
from checkpoint.driver.effects import EffectLog
from checkpoint.durable import capsules, cotangents
from checkpoint.durable.format import Buffer, Opened
from checkpoint.durable.journal import contents as kinds
from checkpoint.durable.journal import happened, identity
from checkpoint.durable.journal.contents import Contents, Stored, record_of, thinned
from checkpoint.durable.journal.folder import Folder
from checkpoint.durable.journal.lock import Lock
from checkpoint.durable.journal.log import Log, Record, read
from checkpoint.durable.journal.pace import Pace
from checkpoint.errors import DurableError, JournalWarning

INLINE = 1 << 15  # bytes that a record holds at most; more are a file of their own
MOST_STATES = 256  # then one is dropped for each that comes
LONG = 1 << 22  # bytes of a log that is not written anew


class Journal:
    """A journal that this process has locked. name: of the folder, for messages. pace: when to write."""

    def __init__(self, folder: Folder, call: identity.Identity, loaded: Callable[[Any], Capsule]) -> None:
        """Open the journal of a call, or begin it; DurableError where it is that of another one.

        loaded: returns the capsule of a file.
        """
        self.name = str(folder.path)
        self.pace = Pace()
        self._folder = folder
        self._loaded = loaded
        self._lock = Lock(folder.path)
        self._log: Log | None = None
        self._happened = happened.Happened()
        self._warned: set[str] = set()
        try:
            self._contents = Contents(self.name)
            self._open(call)
        except BaseException:
            self.close()
            raise

    def _open(self, call: identity.Identity) -> None:
        for record in read(self._folder):
            self._contents.take(record)
        if self._contents.call:
            identity.check(self._contents.call, call, self.name)
        elif strangers := [name for name in self._folder.names() if not is_ours(name)]:
            raise DurableError(
                f"{self.name} is no journal, and holds {strangers[0]}: give the journal another directory"
            )
        else:
            self._contents.call = identity.written(call)
        self._safely(self._begin_log)
        self._numbers = max([int(name[len(kinds.FILE) :]) for name in self._contents.files()], default=0)

    def _begin_log(self) -> None:
        self._log = Log(self._folder, self._contents.records())
        needed = self._contents.files()
        for name in self._folder.names():
            if name.startswith(kinds.FILE) and name not in needed:
                self._folder.remove(name)

    def close(self) -> None:
        """Let others go on with it."""
        self._folder.close()
        self._lock.release()

    # Reading

    def states(self, below: int | None = None) -> list[int]:
        """Return the steps of the durable states, those below a step, in order."""
        return sorted(step for step in self._contents.states if below is None or step < below)

    def state(self, step: int) -> Capsule | None:
        """Return the capsule of a step; None where it cannot be read, or its program is not complete yet."""
        try:
            return self._loaded(self._contents.states[step].opened(self._folder))
        except DurableError:
            return None
        except OSError as error:
            self._warn(f"a state cannot be read any more ({error}), and what follows it runs again")
            return None

    @property
    def reversed(self) -> tuple[int, Opaque] | None:
        """The step down to which the run has been reversed, and the cotangent there; None: not at all."""
        found = self._contents.reversed
        return None if found is None else (found[0], self._cotangent_of(found[1]))

    @property
    def end(self) -> tuple[int, Any] | None:
        """The number of steps of the run, and its value; None while these are not known."""
        found = self._contents.end
        return None if found is None else (found[0], self._loaded(self._opened(found[1])).state.value)

    @property
    def result(self) -> list[Any] | None:
        """The cotangents that the call returns; None while it is not finished."""
        found = self._contents.result
        return None if found is None else list(self._cotangent_of(found).numbers)

    def _cotangent_of(self, stored: Stored) -> Opaque:
        return cotangents.read(self._opened(stored), None, anyway=True)

    def _opened(self, stored: Stored) -> Opened:
        """Return a file without which the call cannot go on; DurableError where it cannot be read."""
        try:
            return stored.opened(self._folder)
        except OSError as error:
            raise DurableError(
                f"{self.name}: how far the run has come cannot be read ({error}): put the file back, or "
                "begin in another directory"
            ) from None

    def restore(self, log: EffectLog) -> None:
        """Let a log of effects know what the run has read and printed, and read that input again."""
        if not log.outcomes and self._contents.effects:
            happened.restore(log, self._contents.effects, self.name)
            if not log.earlier:
                happened.consume(log, self.name)
        self._happened = happened.Happened()
        if self._contents.effects:
            self._happened.counts(log)

    # Writing

    def keep(self, capsule: Capsule, log: EffectLog) -> None:
        """Make a state durable, and what the run has read and printed before it."""
        step = capsule.steps

        def made() -> list[Record]:
            state = record_of(kinds.STATE, step, self._stored(capsules.written(capsule)))
            dropped = thinned([*self.states(), step], MOST_STATES)
            return [*self._news(log), state, *(record_of(kinds.DROP, each) for each in dropped)]

        self._write(made)

    def _news(self, log: EffectLog) -> list[Record]:
        news = self._happened.news(log)
        return [] if news is None else [(kinds.EFFECTS, news)]

    def reverse(self, step: int, cotangent: Opaque, end: Capsule | None, log: EffectLog) -> None:
        """Make it durable that a run has been reversed to a step, with the cotangent of the state there.

        end: of the run, where that is not durable yet. log: of what the run has read and printed.
        """
        self._write(lambda: self._reached(kinds.REVERSED, step, cotangent, end, log))

    def finish(self, result: Opaque, end: Capsule | None, log: EffectLog) -> None:
        """Make the result durable."""
        self._write(lambda: self._reached(kinds.RESULT, 0, result, end, log))

    def _reached(
        self, kind: int, step: int, cotangent: Opaque, end: Capsule | None, log: EffectLog
    ) -> list[Record]:
        record = record_of(kind, step, self._stored(cotangents.written(cotangent)))
        return [*self._news(log), *self._ended(end), record]

    def _ended(self, end: Capsule | None) -> list[Record]:
        if end is None or self._contents.end is not None:
            return []
        return [record_of(kinds.END, end.steps, self._stored(capsules.written(end)))]

    def _stored(self, parts: Sequence[Buffer]) -> Stored:
        """Return bytes as a record has them; many are made durable in a file of their own."""
        length = sum(map(len, parts))
        if length <= INLINE:
            return Stored(length, b"".join(parts))
        self._numbers += 1
        name = f"{kinds.FILE}{self._numbers:06}"
        self._folder.create(name)
        self._folder.append(name, parts)
        self._folder.sync(name)
        self._folder.finish(name)
        self._folder.sync_names()
        return Stored(length, name=name, digest=bytes(parts[1]))

    def _write(self, made: Callable[[], list[Record]]) -> None:
        if self._log is not None:
            began = self.pace.now()
            self._safely(lambda: self._commit(made()))
            self.pace.made(began)

    def _commit(self, records: list[Record]) -> None:
        log = self._log
        assert log is not None
        for kind, data in records:
            log.add(kind, [data])
        log.commit()
        before = self._contents.files()
        for record in records:
            self._contents.take(record)
        for name in before - self._contents.files():
            self._folder.remove(name)
        if log.size > LONG and log.size > 4 * self._contents.bytes:
            self._begin_log()

    def _safely(self, write: Callable[[], None]) -> None:
        """Write; where the disk does not take it, warn, and write nothing more."""
        try:
            write()
        except DurableError as error:
            self._warn(str(error.message))
        except OSError as error:
            self._log = None
            self._warn(f"{error.strerror or error}; nothing more is written, and a kill loses what follows")

    def _warn(self, reason: str) -> None:
        if reason not in self._warned:
            self._warned.add(reason)
            warnings.warn(f"the journal {self.name}: {reason}", JournalWarning, stacklevel=2)


def is_ours(name: str) -> bool:
    """Return whether a name in a folder is that of a file of a journal."""
    return name == "lock" or name.startswith(("log-", kinds.FILE))
