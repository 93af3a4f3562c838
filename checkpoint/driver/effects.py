"""The log of a run's input and output, so that recomputing steps does not repeat them.

An effect is identified by its path: the step at which it happens, and for a run inside a step of
another run that step first: (outer step, inner step, ...). Within one call of the interface, or one
step of an operator, an effect happens on the first execution only: later ones write nothing and
receive what the first one read. A deterministic run meets its effects in the order of their paths, so
one path, the furthest so far, says which writes have happened.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections import ChainMap, deque
from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Any

from checkpoint.errors import RunError

Path = tuple[int, ...]


class EffectLog:
    """The log of one call of the interface: the furthest path written, and values read by path.

    states: of PyTorch's random numbers, with the first path of each, in their order.
    outcomes: of all effects, in their order: None, what was read, or the exception of an action.
    earlier: those of a run that ended early and began again, which are not repeated.
    consumed: the words that were read from standard input.
    """

    __slots__ = ("consumed", "earlier", "furthest", "furthest_state", "outcomes", "replies", "states")

    def __init__(self, earlier: Iterable[Any] = ()) -> None:
        self.furthest: Path = ()
        self.replies: dict[Path, Any] = {}
        self.states: list[tuple[Path, Any]] = []
        self.furthest_state: Path = ()
        self.outcomes: list[Any] = []
        self.consumed: list[str] = []
        self.earlier = deque(earlier)

    def first(self, effect: Callable[[], Any]) -> Any:
        """Return the outcome of an effect that is met for the first time."""
        outcome = self.earlier.popleft() if self.earlier else effect()
        self.outcomes.append(outcome)
        return outcome


class Effects:
    """The log as a run sees it: with the path of the step that this run is inside of."""

    __slots__ = ("log", "prefix")

    def __init__(self, log: EffectLog | None = None, prefix: Path = ()) -> None:
        self.log = EffectLog() if log is None else log
        self.prefix = prefix

    def inside(self, step: int) -> Effects:
        """Return the effects of a run within a step of this one."""
        return Effects(self.log, (*self.prefix, step))

    def apart(self) -> Effects:
        """Return these effects, with what they know, and a log of their own, for a run beside others.

        The state of what is outside cannot be used in it, since runs beside it may change that.
        """
        log = EffectLog()
        log.furthest, log.replies = self.log.furthest, ChainMap({}, self.log.replies)  # type: ignore[assignment]
        return _Apart(log, self.prefix)

    def join(self, apart: Effects, text: str) -> None:
        """Take up the log of a run that was beside others, and write what it printed, once."""
        log, own = self.log, apart.log
        log.replies.update(own.replies.maps[0])  # type: ignore[attr-defined]  # see apart
        if own.furthest > log.furthest:
            log.furthest = own.furthest
            if text:
                sys.stdout.write(text)
        log.outcomes += own.outcomes

    def again(self) -> Effects:
        """Return the effects of the same run, begun again: those that it has had are not repeated."""
        return Effects(EffectLog([*self.log.outcomes, *self.log.earlier]), self.prefix)

    def write(self, step: int, text: str, end: str = "\n") -> None:
        """Write a text and its end to standard output, once."""
        path = (*self.prefix, step)
        if path > self.log.furthest:
            self.log.furthest = path
            self.log.first(lambda: sys.stdout.write(text + end))

    def perform(self, step: int, action: Callable[[], object]) -> None:
        """Do an action once; what it raises, if anything, is raised again at each later execution."""
        path = (*self.prefix, step)
        if path > self.log.furthest:
            self.log.furthest = path
            failure = self.log.first(lambda: _failure_of(action))
            if failure is not None:
                self.log.replies[path] = failure
        if path in self.log.replies:
            raise self.log.replies[path]

    def read(self, step: int, ask: Callable[[], Any], is_input: bool = False) -> Any:
        """Return the answer of `ask`, which is called only when this path is reached for the first time.

        is_input: whether it takes a word from standard input.
        """
        path = (*self.prefix, step)
        if path not in self.log.replies:
            found = self.log.replies[path] = self.log.first(ask)
            if is_input:
                self.log.consumed.append(found)
        return self.log.replies[path]

    def state(self, step: int, ask: Callable[[Any], Any]) -> Any:
        """Return the state of something outside when this path was reached for the first time.

        ask: returns it; its argument, the state at the last path, where that is still the same.
        """
        path, log = (*self.prefix, step), self.log
        if path > log.furthest_state:
            log.furthest_state = path
            last = log.states[-1][1] if log.states else None
            found = log.first(lambda: ask(last))
            if found is not last:
                log.states.append((path, found))
            return found
        return log.states[bisect_right(log.states, path, key=itemgetter(0)) - 1][1]


class _Apart(Effects):
    """The effects of a run beside others."""

    __slots__ = ()

    def inside(self, step: int) -> Effects:
        return _Apart(self.log, (*self.prefix, step))

    def state(self, step: int, ask: Callable[[Any], Any]) -> Any:
        raise RunError(
            "the state of a generator outside of the program cannot be used by an item of summed that runs "
            "beside others: leave workers= out, or give each item a seed"
        )


def _failure_of(action: Callable[[], object]) -> Exception | None:
    """Do an action; return the program's own failure, if it fails."""
    try:
        action()
    except Exception as error:
        return error
    return None


def read_word() -> str:
    """Return the next word of standard input, "" at its end; characters after it stay unread."""
    word = ""
    while character := sys.stdin.read(1):
        if not character.isspace():
            word += character
        elif word:
            break
    return word
