"""`map`, `zip` and their kin as Python has them: for programs with generators, items are made one by one.

In programs without generators the functions that return lists stand for the same objects (functions.py).
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library import functions
from checkpoint.lang.python.library.functions import MISSING
from checkpoint.lang.python.library.generators import delegated, generator
from checkpoint.lang.python.library.intrinsics import prim
from checkpoint.lang.python.library.iterators import (
    item_iterator_from_the_end,
    iter_,
    iter_also_by_index,
    iterable_also_by_index,
    list_iterator,
)


def iterable(x: Any) -> Any:
    """Return what a loop over x goes through; raise Python's error for what is not iterable."""
    return x.__iter__() if prim("py.is-iterable-object", x) else prim("py.sequence", x)


def map_(function: Any, *iterables: Any) -> Any:
    """See builtins.map."""
    if len(iterables) == 1:
        return mapped(function, iterable(iterables[0]))
    return starmapped(function, zip_(*iterables))


def mapped(function: Any, items: Any) -> Any:
    """Yield a function's values."""
    for item in items:
        yield function(item)


def starmap_(function: Any, items: Any, /) -> Any:
    """See itertools.starmap."""
    return starmapped(function, iterable(items))


def starmapped(function: Any, items: Any) -> Any:
    """Yield a function's values at tuples of arguments."""
    for parts in items:
        yield function(*parts)


def filter_(function: Any, items: Any) -> Any:
    """See builtins.filter."""
    return filtered(function, iterable(items))


def filtered(function: Any, items: Any) -> Any:
    """Yield the items that a function chooses."""
    for item in items:
        if item if function is None else function(item):
            yield item


def enumerate_(items: Any, start: Any = 0) -> Any:
    """See builtins.enumerate."""
    return enumerated(iterable(items), prim("py.index", start))


def enumerated(items: Any, start: Any) -> Any:
    """Yield pairs of position and item."""
    at = start
    for item in items:
        yield (at, item)
        at += 1


def reversed_(items: Any, /) -> Any:
    """See builtins.reversed."""
    return list_iterator(prim("py.slice", reversible(items), None, None, -1))


def reversible(items: Any) -> Any:
    """Return the sequence that `reversed` goes through; raise Python's error for an iterator."""
    if isinstance(items, generator | list_iterator):
        raise TypeError(f"'{type(items).__name__}' object is not reversible")
    return prim("py.sequence", prim("py.reversible", items))


def reversed_also_of_objects(items: Any, /) -> Any:
    """See builtins.reversed, in a program with objects that it takes."""
    by = prim("py.reversed-by", items)
    found = reversible(items) if by is None else reversible_object(items, by)
    return list_iterator(prim("py.slice", found, None, None, -1)) if by is None else found


def reversible_also_objects(items: Any) -> Any:
    """Return what `reversed` goes through, in such a program: an iterator, or a sequence from its end."""
    by = prim("py.reversed-by", items)
    return reversible(items) if by is None else reversible_object(items, by)


def reversible_object(x: Any, by: Any) -> Any:
    """Return an iterator of an object's items, the last first, by one of its methods."""
    return iter_(x.__reversed__()) if by == "__reversed__" else item_iterator_from_the_end(x)


def zip_(*iterables: Any, strict: Any = False) -> Any:
    """See builtins.zip."""
    return zipped([iter_(each) for each in iterables], strict)


def zipped(iterators: Any, strict: Any) -> Any:
    """Yield tuples of one item of each iterator."""
    while len(iterators) > 0:
        items: Any = []
        for iterator in iterators:
            outcome = delegated(iterator, None, None)
            if outcome[0]:
                if strict:
                    check_ended(iterators, len(items))
                return
            items.append(outcome[1])
        yield tuple(items)


def check_ended(iterators: Any, ended: Any) -> Any:
    """Raise Python's error if one iterator of a strict `zip` has ended, and others have not."""
    if ended > 0:
        others = "argument 1" if ended == 1 else f"arguments 1-{ended}"
        raise ValueError(f"zip() argument {ended + 1} is shorter than {others}")
    for i in range(1, len(iterators)):
        if not delegated(iterators[i], None, None)[0]:
            others = "argument 1" if i == 1 else f"arguments 1-{i}"
            raise ValueError(f"zip() argument {i + 1} is longer than {others}")


def reduce_(function: Any, items: Any, initial: Any = MISSING, /) -> Any:
    """See functools.reduce."""
    iterator, total = iter_(items), initial
    if isinstance(initial, str) and initial == MISSING:
        outcome = delegated(iterator, None, None)
        if outcome[0]:
            raise TypeError("reduce() of empty iterable with no initial value")
        total = outcome[1]
    for item in iterator:
        total = function(total, item)
    return total


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    builtins.enumerate: enumerate_,
    builtins.filter: filter_,
    builtins.map: map_,
    builtins.reversed: reversed_,
    builtins.zip: zip_,
    functools.reduce: reduce_,
}

# In programs with classes that have a `__getitem__` and no `__iter__` these stand for the others.
ALSO_BY_INDEX: dict[Any, Callable[..., Any]] = {
    iter_: iter_also_by_index,
    iterable: iterable_also_by_index,
}

# In programs with objects that `reversed` takes these do.
ALSO_OF_OBJECTS: dict[Any, Callable[..., Any]] = {
    reversed_: reversed_also_of_objects,
    functions.reversed_: reversed_also_of_objects,
}
