"""Journals: a gradient that is killed at any moment goes on from the last durable point, to the same bits.

In: a call of the interface and a directory. Out: what takes its gradient: this process alone
(checkpoint.durable.journal.sweep), or whoever else knows how (checkpoint.workers.relay).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from checkpoint.ad.values import Capsule
from checkpoint.durable import capsules
from checkpoint.durable.format import Opened
from checkpoint.durable.journal.folder import Folder
from checkpoint.durable.journal.identity import identity_of
from checkpoint.durable.journal.journal import Journal
from checkpoint.durable.journal.run import DurableRun
from checkpoint.durable.journal.sweep import alone
from checkpoint.durable.segments import Reversal, by_segments, divided
from checkpoint.errors import DurableError
from checkpoint.functions.interface import Call
from checkpoint.functions.procedures import Procedure
from checkpoint.prims.operators import Swept

__all__ = ["journalled"]


@contextmanager
def journalled(
    path: str | os.PathLike[str],
    call: Call,
    options: Mapping[str, Any],
    procedure: Procedure | None = None,
    taken: Callable[[DurableRun], tuple[Any, list[Any]]] = alone,
) -> Iterator[Swept]:
    """Give what takes the gradient of a call with the journal in a directory, which is locked meanwhile.

    options: what changes the result, beside function and arguments, by its name. procedure: that is called,
    if the call is one of a procedure. taken: returns the value and the cotangents of a run with a journal.
    """
    common = divided(call, "journal", procedure)
    function = common.function
    if function is None:
        raise DurableError("journal= needs a function by which the run can be translated again, in a process")
    programs = capsules.Programs(function, common.known)

    def loaded(file: Opened) -> Capsule:
        return capsules.read(file, programs, anyway=True)

    journal = Journal(Folder(path), identity_of(call, function, options), loaded)

    def outcome(reversal: Reversal) -> tuple[Any, list[Any]]:
        known, ended = journal.result, journal.end
        if known is not None and ended is not None:
            return ended[1], known
        journal.restore(reversal.context.effects.log)
        return taken(DurableRun(journal, common.leave, reversal))

    try:
        yield by_segments(outcome)
    finally:
        journal.close()
