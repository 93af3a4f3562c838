"""Iterators over sequences, `iter` and `next`, written in the language that is translated.

In: what is iterated over. Out: an object with `__next__`, of the program's classes or of those here.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.functions import MISSING
from checkpoint.lang.python.library.intrinsics import prim


class list_iterator:
    """See list.__iter__: the items are read when their turn comes."""

    def __init__(self, items: Any) -> None:
        self.items = items
        self.at = 0

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.at < len(self.items):
            item = self.items[self.at]
            self.at += 1
            return item
        self.items = ()
        raise StopIteration


def iter_(x: Any) -> Any:
    """See builtins.iter."""
    if prim("py.is-iterable-object", x):
        return x.__iter__()
    return list_iterator(prim("py.sequence", x))


def next_(iterator: Any, default: Any = MISSING, /) -> Any:
    """See builtins.next."""
    found = prim("py.iterator", iterator)
    if isinstance(default, str) and default == MISSING:
        return found.__next__()
    try:
        return found.__next__()
    except StopIteration:
        return default


def collected(x: Any) -> Any:
    """Return the items of any iterable as a list."""
    found = []
    for item in x:
        found.append(item)
    return found


def first_items(x: Any, count: Any) -> Any:
    """Return the first items of any iterable as a list, and one more if there is one."""
    found = []
    for item in x:
        found.append(item)
        if len(found) > count:
            break
    return found


def contained(x: Any, wanted: Any) -> Any:
    """Return whether one of the items of any iterable is a value or equal to it."""
    return any(item == wanted or wanted in (item,) for item in x)


FUNCTIONS: dict[Any, Callable[..., Any]] = {builtins.iter: iter_, builtins.next: next_}
