"""Calls of functions that are known only when they run, written in the language that is translated.

In: a function, the tuple of its positional arguments and the dictionary of its keywords. Out: what Python
returns.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.intrinsics import apply, prim


def forwarder(cell: Any) -> Any:
    """Return a function that calls the one in a list of one, which may be put there later."""

    def call(*args: Any, **keywords: Any) -> Any:
        return cell[0](*args, **keywords)

    return call


def apply_(function: Any, args: Any, keywords: Any) -> Any:
    """Return function(*args, **keywords)."""
    if prim("py.has-general", function):
        return prim("py.general", function)(args, keywords)
    found = prim("py.arguments", function, args, keywords)
    count = len(found)
    if count > 6:
        return _apply_many(function, found, count)
    if count == 0:
        return function()
    if count == 1:
        return function(found[0])
    if count == 2:
        return function(found[0], found[1])
    if count == 3:
        return function(found[0], found[1], found[2])
    if count == 4:
        return function(found[0], found[1], found[2], found[3])
    if count == 5:
        return function(found[0], found[1], found[2], found[3], found[4])
    return function(found[0], found[1], found[2], found[3], found[4], found[5])


def _apply_many(function: Any, found: Any, count: Any) -> Any:
    a, b, c, d, e, f, g, *rest = found
    if count == 7:
        return function(a, b, c, d, e, f, g)
    if count == 8:
        return function(a, b, c, d, e, f, g, rest[0])
    if count == 9:
        return function(a, b, c, d, e, f, g, rest[0], rest[1])
    if count == 10:
        return function(a, b, c, d, e, f, g, rest[0], rest[1], rest[2])
    if count == 11:
        return function(a, b, c, d, e, f, g, rest[0], rest[1], rest[2], rest[3])
    return function(a, b, c, d, e, f, g, rest[0], rest[1], rest[2], rest[3], rest[4])


def partial_(function: Any, /, *first: Any, **named: Any) -> Any:
    """See functools.partial."""
    if not callable(function):
        raise TypeError("the first argument must be callable")

    def call(*more: Any, **others: Any) -> Any:
        return function(*first, *more, **{**named, **others})

    return call


def wraps_(wrapped: Any, assigned: Any = functools.WRAPPER_ASSIGNMENTS, updated: Any = ()) -> Any:
    """See functools.wraps."""

    def named(function: Any) -> Any:
        return prim("py.wrapping", function, wrapped, "__name__" in assigned)

    return named


def update_wrapper_(
    wrapper: Any, wrapped: Any, assigned: Any = functools.WRAPPER_ASSIGNMENTS, updated: Any = ()
) -> Any:
    """See functools.update_wrapper: of what it copies, a run knows the name."""
    return prim("py.wrapping", wrapper, wrapped, "__name__" in assigned)


APPLICATIONS: dict[Any, Callable[..., Any]] = {
    apply: apply_,
    functools.partial: partial_,
    functools.wraps: wraps_,
    functools.update_wrapper: update_wrapper_,
}
