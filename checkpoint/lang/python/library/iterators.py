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


class item_iterator:
    """See builtins.iter of an object that has no `__iter__`, but a `__getitem__`."""

    def __init__(self, of: Any) -> None:
        self.of = of
        self.at = 0

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.at < 0:
            raise StopIteration
        try:
            item = self.of[self.at]
        except (IndexError, StopIteration):
            self.at = -1
            raise StopIteration from None
        self.at += 1
        return item


class item_iterator_from_the_end:
    """See builtins.reversed of an object that has no `__reversed__`, but a `__len__` and a `__getitem__`."""

    def __init__(self, of: Any) -> None:
        self.of = of
        self.at = len(of)

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.at == 0:
            raise StopIteration
        self.at -= 1
        return self.of[self.at]


def items_by_index(x: Any) -> Any:
    """Return an iterator of x[0], x[1], x[2] ..., up to the first IndexError."""
    return item_iterator(x)


def iter_(x: Any) -> Any:
    """See builtins.iter."""
    if prim("py.is-iterable-object", x):
        return x.__iter__()
    return list_iterator(prim("py.sequence", x))


def iter_also_by_index(x: Any) -> Any:
    """See builtins.iter, in a program with classes that have a `__getitem__` and no `__iter__`."""
    if prim("py.is-indexed-object", x):
        return item_iterator(x)
    return x.__iter__() if prim("py.is-iterable-object", x) else list_iterator(prim("py.sequence", x))


def next_(iterator: Any, default: Any = MISSING, /) -> Any:
    """See builtins.next."""
    found = prim("py.iterator", iterator)
    if isinstance(default, str) and default == MISSING:
        return found.__next__()
    try:
        return found.__next__()
    except StopIteration:
        return default


def iterable_also_by_index(x: Any) -> Any:
    """Return what a loop over x goes through, in such a program."""
    if prim("py.is-indexed-object", x):
        return item_iterator(x)
    return x.__iter__() if prim("py.is-iterable-object", x) else prim("py.sequence", x)


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
