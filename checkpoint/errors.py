"""Places in texts, and the three kinds of error: your program's text, your program's run, our bug.

Every error says where (file, line, column), what is wrong, and what to do about it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from checkpoint.dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Source:
    """One text: the name a user knows it by (a file's path, or "<text>") and its characters."""

    name: str
    text: str

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset, both counted from 1."""
        line = self.text.count("\n", 0, offset) + 1
        column = offset - (self.text.rfind("\n", 0, offset) + 1) + 1
        return line, column

    def line_at(self, offset: int) -> str:
        """Return the whole line that holds an offset, without its end."""
        start = self.text.rfind("\n", 0, offset) + 1
        end = self.text.find("\n", offset)
        return self.text[start:] if end < 0 else self.text[start:end]


@dataclass(frozen=True, slots=True)
class Span:
    """The characters `start` up to, not including, `end` of a source."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        return self.source.line_and_column(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.line_and_column(self.start)[1]

    @property
    def text(self) -> str:
        """Return the characters themselves."""
        return self.source.text[self.start : self.end]

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"

    def excerpt(self) -> str:
        """Return the line, numbered, with the part of the span on it underlined."""
        text = self.source.line_at(self.start)
        gutter = f"{self.line:5} | "
        room = max(1, len(text) - self.column + 1)
        marks = "^" * max(1, min(self.end - self.start, room))
        return f"{gutter}{text}\n{' ' * (len(gutter) - 2)}| {' ' * (self.column - 1)}{marks}"


class Lane(NamedTuple):
    """One of the many things that `vmap`, `summed` or a combinator over arrays runs.

    of: the name of that. what: "lane", "item" or "pair", whose number it is; or "between": what ends before
    an item with this number is combined with what begins with it.
    """

    of: str
    number: int
    what: str

    def __str__(self) -> str:
        if self.what == "between":
            return f"{self.of} between items {self.number - 1} and {self.number}"
        return f"{self.what} {self.number} of {self.of}"


def an(noun: str) -> str:
    """Return a noun of a message, such as the name of a class, after its article: a float, an int."""
    return f"{'an' if noun[:1].lower() in tuple('aeiou') else 'a'} {noun}"


class CheckpointError(Exception):
    """The base of all errors of this package. message: the bare text. span: the place, if known."""

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(message, span)
        self.message = message
        self.span = span

    def __str__(self) -> str:
        if self.span is None:
            return self.message
        return f"{self.span}: {self.message}\n{self.span.excerpt()}"


class SourceError(CheckpointError):
    """The program's text cannot be taken; the message says what to write instead.

    What a Python function cannot have translated ends its run when it is reached.
    trace: the places of the calls that were open then, the innermost first. lanes: the lanes (vmap) that the
    run was within, likewise.
    """

    trace: tuple[Span, ...] = ()
    lanes: tuple[Lane, ...] = ()


class Unreached(SourceError):
    """A run has reached a function of a large program that is not translated yet, and must begin again.

    function: what is to be noted of it (checkpoint.lang.python.linking.stubs).
    """

    def __init__(self, function: Any) -> None:
        super().__init__(
            f"{function} is first reached here, in a program so large that functions are translated when "
            f"they are reached: call the whole function once before it is interrupted and resumed"
        )
        self.function = function


def refusal(message: str) -> SourceError:
    """Return what a function raises for what has no rule: it ends the run, past all handlers of the program.

    One of Python's own classes would be caught by an `except` that expects it of the function itself, and the
    run would go on with other values than in Python. In translated functions this is the step py.refuse.
    """
    return SourceError(message)


class RunError(CheckpointError):
    """The program's run failed: an error of its own, or a wrong argument to it.

    trace: the places of the calls that were open, the innermost first. lanes: the lanes (vmap) that the run
    was within, likewise. raised: the value that the program raised, if it did.
    """

    trace: tuple[Span, ...] = ()
    lanes: tuple[Lane, ...] = ()
    raised: object = None


class UnfitKey(RunError):
    """A run has met a key that needs dictionaries for keys of any kind: it begins again with those."""


class WorkersError(RunError):
    """Workers cannot do what they are asked to do, whatever that is."""


RUN_ENDING = (RunError, SourceError)  # the errors that a step of a run raises and no program can handle


class BudgetError(RunError):
    """The memory of a gradient is bounded by less than it needs: `memory=`, or Budget(...), must be larger.

    needed: bytes that the gradient takes at least; it may turn out to take more.
    """

    def __init__(self, message: str, span: Span | None = None, needed: int = 0) -> None:
        super().__init__(message, span)
        self.needed = needed


class DurableError(RunError):
    """A capsule or cotangent cannot be written, or a file is none of this program, machine or format."""


class JournalWarning(RuntimeWarning):
    """A gradient goes on without its journal, from here on or for a while; the warning says why."""


class InternalError(CheckpointError):
    """A bug of this package."""

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(f"internal error, please report it: {message}", span)


class TranslationWarning(RuntimeWarning):
    """Runs that take long are not translated to C; they give the same results, and take longer."""


class LanesWarning(UserWarning):
    """The lanes of `vmap(f, exact=False)` run one after another, since f has no batched form.

    The value is right, and takes as long as without `exact=False`. The warning stands at the place of f, says
    what has no batched form, and comes once for it.
    """


class SpillWarning(UserWarning):
    """A gradient goes on without the disk that `spill` names, or without a part of what was there.

    The result is right, and takes as long as without `spill`, since states are run again instead. The warning
    says what the disk, or the system, has answered, and comes once for each gradient.
    """


class SparsityWarning(UserWarning):
    """The pattern of a sparse matrix of derivatives was found with more entries than it may need.

    A step of the program has no rule that says which elements of its result depend on which of its operands.
    The warning names it, once for each call.
    """


class RoundingWarning(UserWarning):
    """A gradient is 0 because the result depends on an argument only through values that are rounded.

    `round`, `int`, `math.floor`, `x // y`, `np.round`, `astype(int)` and the like have the derivative 0. The
    warning names the first place where something that depends on the argument is rounded, and comes once for
    it. A program whose gradient merely happens to be 0, or that rounds beside other paths to the result, gets
    none.
    """
