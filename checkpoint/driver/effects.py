"""The log of a run's input and output, so that recomputing steps does not repeat them.

An effect is identified by its path: the step at which it happens, and for a run inside a step of
another run that step first: (outer step, inner step, ...). Within one call of the interface, or one
step of an operator, an effect happens on the first execution only: later ones write nothing and
receive what the first one read. A deterministic run meets its effects in the order of their paths, so
one path, the furthest so far, says which writes have happened.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

Path = tuple[int, ...]


class EffectLog:
    """The log of one call of the interface: the furthest path written, and values read by path."""

    __slots__ = ("furthest", "replies")

    def __init__(self) -> None:
        self.furthest: Path = ()
        self.replies: dict[Path, Any] = {}


class Effects:
    """The log as a run sees it: with the path of the step that this run is inside of."""

    __slots__ = ("log", "prefix")

    def __init__(self, log: EffectLog | None = None, prefix: Path = ()) -> None:
        self.log = EffectLog() if log is None else log
        self.prefix = prefix

    def inside(self, step: int) -> Effects:
        """Return the effects of a run within a step of this one."""
        return Effects(self.log, (*self.prefix, step))

    def write(self, step: int, text: str, end: str = "\n") -> None:
        """Write a text and its end to standard output, once."""
        path = (*self.prefix, step)
        if path > self.log.furthest:
            self.log.furthest = path
            sys.stdout.write(text + end)

    def perform(self, step: int, action: Callable[[], object]) -> None:
        """Do an action once; what it raises, if anything, is raised again at each later execution."""
        path = (*self.prefix, step)
        if path > self.log.furthest:
            self.log.furthest = path
            try:
                action()
            except Exception as error:  # the program's own failure, which belongs to this step
                self.log.replies[path] = error
        if path in self.log.replies:
            raise self.log.replies[path]

    def read(self, step: int, ask: Callable[[], Any]) -> Any:
        """Return the answer of `ask`, which is called only when this path is reached for the first time."""
        path = (*self.prefix, step)
        if path not in self.log.replies:
            self.log.replies[path] = ask()
        return self.log.replies[path]


def read_word() -> str:
    """Return the next word of standard input, "" at its end; characters after it stay unread."""
    word = ""
    while character := sys.stdin.read(1):
        if not character.isspace():
            word += character
        elif word:
            break
    return word
