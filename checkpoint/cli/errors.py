"""Messages and exit statuses of the command line when something goes wrong.

In: a command to run. Out: its exit status, and for an error a text on standard error:
`FILE:LINE:COL: error: MESSAGE`, then the line of the program with the place underlined.
Wrong usage (UsageError) passes through: the parser of the arguments reports it.
"""

from __future__ import annotations

import mmap
import os
import sys
import traceback
from collections.abc import Callable

from checkpoint.dataclass import dataclass
from checkpoint.errors import CheckpointError, InternalError, Span

OK = 0
FAILED = 1
USAGE = 2
OUR_BUG = 70
INTERRUPTED = 130
READER_GONE = 141

# Held back while a command runs, never touched, and given back when memory is out: CPython frees a deep
# structure in nested calls, and where address space is limited its stack could not grow any more.
RESERVE = 16 * 2**20


class UsageError(Exception):
    """The arguments do not fit each other, or do not fit the program."""


class ProgramError(Exception):
    """A Python function raised an exception, which has the place and the calls as its notes."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        notes = getattr(error, "__notes__", None) or [""]
        error.__notes__ = []
        self.said = "".join(traceback.format_exception_only(error)).rstrip()
        self.place, _, excerpt = notes[0].partition("\n")
        self.below = tuple([part for part in (excerpt, *notes[1:]) if part])


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a command: its status, its message with a place, and the lines below.

    place: a place as text, where there is no span.
    """

    status: int
    message: str = ""
    span: Span | None = None
    below: tuple[str, ...] = ()
    place: str = ""

    def text(self) -> str:
        """Return the text for standard error."""
        if self.status == INTERRUPTED:
            return self.message if self.span is None else f"{self.message} at {self.span}"
        if self.span is None:
            return "\n".join([f"{self.place or 'checkpoint'}: error: {self.message}", *self.below])
        return "\n".join([f"{self.span}: error: {self.message}", self.span.excerpt(), *self.below])


def guarded(command: Callable[[], int]) -> int:
    """Run a command; whatever it raises becomes a text and an exit status."""
    # The text is made here, outside: the memory of a failed run is free again once its frames are gone.
    outcome = _attempt(command)
    if outcome.message:
        print(outcome.text(), file=sys.stderr)
    return outcome.status


def _attempt(command: Callable[[], int]) -> Outcome:
    reserve = mmap.mmap(-1, RESERVE)
    try:
        try:
            return Outcome(command())
        finally:
            # What the run wrote comes before what is said about its end.
            sys.stdout.flush()
    except UsageError:
        raise
    except InternalError as error:
        return Outcome(OUR_BUG, error.message, error.span, (traceback.format_exc(),))
    except CheckpointError as error:
        return Outcome(FAILED, error.message, error.span, tuple(getattr(error, "__notes__", ())))
    except ProgramError as error:
        return Outcome(FAILED, error.said, None, error.below, error.place)
    except KeyboardInterrupt as error:
        return Outcome(INTERRUPTED, "interrupted", _span(error))
    except MemoryError as error:
        reserve.close()
        said = str(error)
        if not said.startswith("out of memory"):
            said = f"out of memory: {said}" if said else "out of memory"
        return Outcome(FAILED, said, _span(error))
    except BrokenPipeError:
        _abandon_output()
        return Outcome(READER_GONE)
    except OSError as error:
        _abandon_output()
        return Outcome(FAILED, f"input or output failed: {error.strerror or error}")
    except Exception as error:
        bug = InternalError(f"{type(error).__name__}: {error}", _span(error))
        return Outcome(OUR_BUG, bug.message, bug.span, (traceback.format_exc(),))


def _span(error: BaseException) -> Span | None:
    span = getattr(error, "span", None)
    return span if isinstance(span, Span) else None


def _abandon_output() -> None:
    """Point standard output at nothing, so that Python's own flush at exit does not fail a second time."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)
