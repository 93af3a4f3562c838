"""The boundary around translation to C: whatever fails inside of it, the run continues in the machine.

In: what was raised while a run was sampled, or a unit specialised, written, compiled, loaded or installed.
Out: one warning that says what failed, and asks for a report; with CHECKPOINT_CHECK=1 the error itself.

What always holds: what is no failure of translation goes through: Ctrl-C, and what a user's signal handler
raises while translation is at work.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

Stage = Literal["sampling", "specialising", "writing", "compiling", "loading", "installing"]
_NOTE = "translation to C failed while "
# What translation runs besides its own code. A debugger runs in any frame.
_OURS = ({"checkpoint", "platformdirs"} | sys.stdlib_module_names) - {"bdb", "pdb", "__main__"}


@contextmanager
def stage(name: Stage) -> Iterator[None]:
    """Note on what is raised inside which stage of translation it was."""
    try:
        yield
    except Exception as error:
        if not any(note.startswith(_NOTE) for note in getattr(error, "__notes__", ())):
            error.add_note(_NOTE + name)
        raise


def is_foreign(error: BaseException) -> bool:
    """Return whether an error comes from a user's code that interrupted translation: a signal handler."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return any(str(frame.f_globals.get("__name__")).partition(".")[0] not in _OURS for frame in frames)


def described(error: BaseException) -> str:
    """Return the stage of a failure, what was raised, and where."""
    notes = [note for note in getattr(error, "__notes__", ()) if note.startswith(_NOTE)]
    what = notes[0] if notes else _NOTE.removesuffix(" while ")
    frames = traceback.extract_tb(error.__traceback__)
    place = f" (line {frames[-1].lineno} of {frames[-1].filename})" if frames else ""
    return f"{what}: {type(error).__name__}: {error}{place}"
