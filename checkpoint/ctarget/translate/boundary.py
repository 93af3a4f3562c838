"""The boundary around translation to C: if anything fails inside it, the run continues in the machine.

In: an exception while a run was sampled, or a unit specialised, written, compiled, loaded or installed.
Out: one warning that names the failure and asks for a report; with CHECKPOINT_CHECK=1 the error itself.

What always holds: exceptions that are not failures of translation pass through: Ctrl-C, and those that a
user's signal handler raises during translation.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Literal

Stage = Literal["sampling", "specialising", "writing", "compiling", "loading", "installing"]
_NOTE = "translation to C failed while "
# What translation runs besides its own code. A debugger runs in any frame.
_OURS = ({"checkpoint", "platformdirs"} | sys.stdlib_module_names) - {"bdb", "pdb", "__main__"}


@contextmanager
def stage(name: Stage) -> Iterator[None]:
    """Attach the stage of translation to any exception raised inside."""
    try:
        yield
    except Exception as error:
        if not any(note.startswith(_NOTE) for note in getattr(error, "__notes__", ())):
            error.add_note(_NOTE + name)
        raise


def is_foreign(error: BaseException) -> bool:
    """Return whether an error comes from a user's code that interrupted translation: a signal handler."""
    names = [str(frame.f_globals.get("__name__")) for frame, _ in _frames(error.__traceback__)]
    return any(name.partition(".")[0] not in _OURS for name in names)


def described(error: BaseException) -> str:
    """Return the stage of a failure, what was raised, and where."""
    notes = [note for note in getattr(error, "__notes__", ()) if note.startswith(_NOTE)]
    what = notes[0] if notes else _NOTE.removesuffix(" while ")
    places = [f" (line {line} of {frame.f_code.co_filename})" for frame, line in _frames(error.__traceback__)]
    return f"{what}: {type(error).__name__}: {error}{places[-1] if places else ''}"


def _frames(traceback: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    """Yield the frames of a traceback and the lines at which they were, the innermost last."""
    while traceback is not None:
        yield traceback.tb_frame, traceback.tb_lineno
        traceback = traceback.tb_next
