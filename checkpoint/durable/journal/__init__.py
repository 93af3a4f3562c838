"""Journals: a gradient that is killed at any moment goes on from the last durable point, to the same bits.

In: a call of the interface and a directory. Out: what takes its gradient (checkpoint.durable.journal.sweep).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from checkpoint.ad.values import Capsule
from checkpoint.durable import capsules
from checkpoint.durable.encode import ENGINES
from checkpoint.durable.format import Opened
from checkpoint.durable.journal.folder import Folder
from checkpoint.durable.journal.identity import identity_of
from checkpoint.durable.journal.journal import Journal
from checkpoint.durable.journal.sweep import Journalled
from checkpoint.durable.programs import is_of_users
from checkpoint.errors import DurableError
from checkpoint.functions.interface import Call
from checkpoint.functions.procedures import Procedure
from checkpoint.functions.python_functions import PythonCapsule, PythonRest

__all__ = ["journalled"]


@contextmanager
def journalled(
    path: str | os.PathLike[str], call: Call, options: Mapping[str, Any], procedure: Procedure | None = None
) -> Iterator[Journalled]:
    """Give what takes the gradient of a call with the journal in a directory, which is locked meanwhile.

    options: what changes the result, beside function and arguments, by its name. procedure: that is called,
    if the call is one of a procedure.
    """
    engine = call.run.engine.name
    if engine not in ENGINES:
        raise DurableError(
            f"journal= needs engine 'c' or 'hybrid': states of engine {engine} have no place in a file"
        )
    made_by = call.made_by() if isinstance(call, PythonRest) else None
    function = procedure if made_by is None else made_by.function
    if function is None:
        raise DurableError("journal= needs a function by which the run can be translated again, in a process")
    known = () if made_by is None else (*filter(is_of_users, made_by.classes), *made_by.functions)

    programs = capsules.Programs(function, known)

    def loaded(file: Opened) -> Capsule:
        return capsules.read(file, programs, anyway=True)

    def leave(capsule: Capsule) -> Capsule:
        return PythonCapsule(capsule.state, capsule.engine, capsule.open_tags, capsule.origin, made_by)

    journal = Journal(Folder(path), identity_of(call, function, options), loaded)
    try:
        yield Journalled(journal, call.leave_capsule if made_by is None else leave)
    finally:
        journal.close()
