"""Generators, written in the language that is translated.

A generator is an object with one attribute, `resume`: the function that runs it on, None where it has ended,
False while it runs. That function takes what `send` sends and the exception that `throw` throws, and returns
whether the generator has ended, the value, and the next such function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.iterators import iter_


class generator:
    """See types.GeneratorType."""

    resume: Any

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        return item_of(step(self, None, None))

    def send(self, value: Any, /) -> Any:
        """See generator.send."""
        return item_of(step(self, value, None))

    def throw(self, error: Any, value: Any = None, traceback: Any = None, /) -> Any:
        """See generator.throw."""
        if isinstance(error, BaseException):
            return item_of(step(self, None, error))
        if isinstance(value, BaseException):
            return item_of(step(self, None, value))
        return item_of(step(self, None, error() if value is None else error(value)))

    def close(self) -> Any:
        """See generator.close."""
        if self.resume is None:
            return
        try:
            outcome = step(self, None, GeneratorExit())
        except (GeneratorExit, StopIteration):
            return
        if not outcome[0]:
            raise RuntimeError("generator ignored GeneratorExit")


def step(g: Any, sent: Any, error: Any) -> Any:
    """Run a generator on to its next `yield`; return what its function returns."""
    resume = g.resume
    if resume is None:
        if error is not None:
            raise error
        return (True, None, None)
    if resume is False:
        raise ValueError("generator already executing")
    g.resume = False
    try:
        outcome = resume(sent, error)
    except BaseException as raised:
        g.resume = None
        if isinstance(raised, StopIteration):
            raise RuntimeError("generator raised StopIteration") from raised
        raise
    g.resume = outcome[2]
    return outcome


def item_of(outcome: Any) -> Any:
    """Return the item of a step, or raise StopIteration."""
    if not outcome[0]:
        return outcome[1]
    if outcome[1] is None:
        raise StopIteration
    raise StopIteration(outcome[1])


def advance(g: Any, cell: Any) -> Any:
    """Store the next item of a generator in a cell; return whether there is one."""
    outcome = step(g, None, None)
    if outcome[0]:
        return False
    cell[0] = outcome[1]
    return True


def started(x: Any) -> Any:
    """Return what `yield from` goes through."""
    return x if isinstance(x, generator) else iter_(x)


def delegated(inner: Any, sent: Any, error: Any) -> Any:
    """Take the next item for `yield from`; return whether there is none, and the item or the result."""
    if isinstance(inner, generator):
        return step(inner, sent, error)
    if error is not None:
        raise error
    try:
        item = inner.__next__() if sent is None else inner.send(sent)
    except StopIteration as stop:
        return (True, stop.args[0] if len(stop.args) > 0 else None, None)
    return (False, item, None)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    function: function for function in (step, advance, started, delegated)
}
