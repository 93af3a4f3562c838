"""The lock of a journal: one process, and one call in it, goes on with a folder at a time.

In: the path of a folder. Out: a file `lock` in it that says who has it, a line each: host, boot of that host,
process, start of the process. On one host the system keeps the lock and releases it with the process, however
that ends. Of a process of another host nobody here can know whether it still runs, so its lock stays until
somebody who knows breaks it.

What always holds: the process that has a lock opens the file no second time, since the system would take the
lock back when that is closed.
"""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import astuple
from pathlib import Path

from checkpoint.dataclass import dataclass
from checkpoint.errors import DurableError

NAME = "lock"
_here: dict[str, Lock] = {}  # by the folders that calls of this process have locked


@dataclass(frozen=True)
class Holder:
    """The process that has a lock. boot, start: tell apart processes of one number."""

    host: str
    boot: str
    process: str
    start: str

    def __str__(self) -> str:
        return f"process {self.process} on {self.host}"

    def has_ended(self) -> bool:
        """Return whether the process is known not to run any more; of another host nothing is known."""
        this = this_process()
        if self.host != this.host or not this.start:
            return False
        return self.boot != this.boot or self.start != _start(self.process)


def this_process() -> Holder:
    """Return this process as the holder of a lock."""
    boot, process = _text(Path("/proc/sys/kernel/random/boot_id")), str(os.getpid())
    return Holder(platform.node(), boot, process, _start(process))


def own_name() -> str:
    """Return what messages call this process; what only a lock needs is not read for it."""
    return str(Holder(platform.node(), "", str(os.getpid()), ""))


def _start(process: str) -> str:
    """Return when a process started, as the system says it; "" where it says nothing."""
    fields = _text(Path("/proc", process, "stat")).rpartition(")")[2].split()
    return fields[19] if len(fields) > 19 else ""


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def holder(folder: Path) -> Holder | None:
    """Return who has, or last had, the lock of a folder; None where it was released."""
    return this_process() if str(folder.resolve()) in _here else _written(folder)


def _written(folder: Path) -> Holder | None:
    """Return the same as the file says it; not to be asked where this process has the lock."""
    lines = _text(folder / NAME).split("\n")
    return Holder(*lines) if len(lines) == 4 else None


class Lock:
    """A lock that this process has."""

    def __init__(self, folder: Path) -> None:
        """Take the lock of a folder; DurableError says who has it."""
        self._key = str(folder.resolve())
        if _here.setdefault(self._key, self) is not self:  # in one step: threads may be here at once
            raise DurableError(f"{folder}: another call of this process goes on with this journal")
        try:
            self._open(folder)
        except BaseException:
            del _here[self._key]
            raise

    def _open(self, folder: Path) -> None:
        self._handle = os.open(folder / NAME, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            self._take(folder)
        except BaseException:
            os.close(self._handle)
            raise

    def _take(self, folder: Path) -> None:
        other, this = _written(folder), this_process()
        if other is not None and other.host != this.host:
            raise DurableError(
                f"{folder} is locked by {other}, of which this host cannot know whether it still runs. If it "
                f"does not, run: checkpoint journal --unlock {folder}"
            )
        if not _locked(self._handle):
            raise DurableError(f"{folder}: {other or 'another process'} goes on with this journal")
        os.ftruncate(self._handle, 0)
        os.pwrite(self._handle, "\n".join(astuple(this)).encode(), 0)

    def release(self) -> None:
        """Let others take it."""
        try:
            os.ftruncate(self._handle, 0)
        finally:
            os.close(self._handle)
            del _here[self._key]


def _locked(handle: int) -> bool:
    """Return whether the system has given this process the lock of a file, until it closes it or ends."""
    if sys.platform == "win32":  # a file that is open there cannot be removed, but is not locked
        return True
    import fcntl  # noqa: PLC0415  (Windows has none)

    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def unlock(folder: Path) -> Holder | None:
    """Break the lock of a process on another host, and return whose it was; DurableError for one of here."""
    other = holder(folder)
    if other is None:
        return None
    if other.host == this_process().host:
        Lock(folder).release()  # the system knows whether it still runs
    else:
        (folder / NAME).unlink(missing_ok=True)
    return other
