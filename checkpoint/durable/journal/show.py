"""How far the call of a journal is, as lines for people; and the end of a foreign lock.

In: a directory. Out: lines. Nothing is written, and the call that goes on with the journal is not disturbed.
"""

from __future__ import annotations

import os
from pathlib import Path

from checkpoint.driver.memory import written
from checkpoint.durable.journal import identity
from checkpoint.durable.journal.contents import Contents, described
from checkpoint.durable.journal.folder import Folder
from checkpoint.durable.journal.lock import holder, unlock
from checkpoint.durable.journal.log import read
from checkpoint.errors import DurableError


def report(path: str | os.PathLike[str]) -> list[str]:
    """Return how far the call of a journal is, a line for each fact."""
    contents = _read(Path(path))
    name = identity.read(contents.call, str(path))[1]["the function"].rpartition(" ")[0]
    phase, step, total = described(contents)
    lines = [f"function: {name}", f"phase: {_phase(phase, step, total)}"]
    if contents.states:
        first, last = min(contents.states), max(contents.states)
        lines.append(f"states: {len(contents.states)}, after {first:,} to {last:,} steps")
    lines.append(f"size: {written(contents.bytes)}")
    has = holder(Path(path))
    if has is not None and has.has_ended():
        return [*lines, f"locked by: nobody; {has} has ended"]
    return [*lines, f"locked by: {has or 'nobody'}"]


def _phase(phase: str, step: int, total: int | None) -> str:
    if phase == "finished":
        return f"finished, a run of {total:,} steps"
    if phase == "backward":
        return f"backward, reversed from step {total:,} to {step:,}"
    return f"forward, a kill goes on from step {step:,}"


def _read(path: Path) -> Contents:
    if not path.is_dir():
        raise DurableError(f"there is no journal {path}")
    contents = Contents(str(path))
    for record in read(Folder(path)):
        contents.take(record)
    if not contents.call:
        raise DurableError(f"{path} is no journal: no call has begun one there")
    return contents


def unlocked(path: str | os.PathLike[str]) -> list[str]:
    """Break the lock of a journal whose process does not run any more; return what was done."""
    _read(Path(path))
    other = unlock(Path(path))
    return ["it was not locked" if other is None else f"the lock of {other} is gone"]
