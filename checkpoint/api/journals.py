"""Gradients that are taken by others than the call itself: `journal="dir"`, and `workers=`.

In: a directory in which the gradient outlives its process, or workers, and a call of the interface. Out: what
takes the call's gradient (checkpoint.durable.journal, checkpoint.workers.relay; loaded where it is needed).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from checkpoint.errors import RunError, an
from checkpoint.functions.interface import Call
from checkpoint.functions.leaves import Each
from checkpoint.functions.procedures import Procedure, ProcedureCall
from checkpoint.functions.procedures import to_language as procedures_value
from checkpoint.functions.python_functions import PythonRest, function_or_capsule
from checkpoint.functions.pytrees import to_language
from checkpoint.prims.operators import Swept, swept
from checkpoint.workers.chosen import WorkersOption, check, running

Directory = str | os.PathLike[str] | None


def check_journal(journal: Any, each: Each) -> None:
    """Raise RunError unless `journal` is a path or None, and goes with the other options."""
    if journal is None:
        return
    if not isinstance(journal, str | os.PathLike):
        raise RunError(f"journal is the path of a directory, not {an(type(journal).__name__)}")
    if each is not None:
        raise RunError(
            "each= and journal= cannot be combined: after a kill leaves would be reported a second time. "
            "Leave one of them out"
        )


def check_workers(workers: WorkersOption, each: Each) -> None:
    """Raise RunError unless `workers` are some or None, and go with the other options."""
    check(workers)
    if workers is not None and each is not None:
        raise RunError("workers= and each= cannot be combined yet: leave one of them out")


@contextmanager
def taken_by(
    journal: Directory,
    call: Call,
    options: Mapping[str, Any],
    procedure: Procedure | None = None,
    workers: WorkersOption = None,
) -> Iterator[Swept]:
    """Give what takes the gradient of a call: with a journal or by workers, if there are such.

    options: what changes the result, by its name. procedure: that is called, if it is one.
    """
    if workers is None and journal is None:
        yield swept
        return
    from checkpoint.durable.journal import journalled  # noqa: PLC0415  (few calls have one)

    if workers is None:
        assert journal is not None
        with journalled(journal, call, options, procedure) as found:
            yield found
        return
    from checkpoint.durable.segments import by_segments, divided  # noqa: PLC0415  (as above)
    from checkpoint.workers.relay import Relay  # noqa: PLC0415

    with running(workers) as there:
        assert there is not None
        relay = Relay(there, divided(call, "workers", procedure))
        if journal is None:
            yield by_segments(relay.taken)
            return
        with journalled(journal, call, options, procedure, relay.taken_durably) as found:
            yield found


def value_of(ybar: Any, call: Call) -> Any:
    """Return the language's value of a cotangent that a caller gave, to be compared; of None a text."""
    if ybar is None:
        return "1"
    engine = call.run.engine
    if isinstance(call, PythonRest):
        return to_language(ybar, "ybar", partial(function_or_capsule, engine=engine))
    return procedures_value(ybar, engine) if isinstance(call, ProcedureCall) else ybar
