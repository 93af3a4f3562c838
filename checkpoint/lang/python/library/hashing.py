"""Objects as elements of sets: by their identities, or by their own `__hash__` and `__eq__`.

In: an element, and the dictionary of a set's elements by tokens (sets.py). Out: its token there: what it is
hashed by, its hash, and its number among the elements of the same hash; so no two elements that differ share
a token. The hash of an object without an `__hash__` of its own is a number that the run gives it when it is
first asked for it, which it keeps and its copies have, too; 0 for what came in from outside. Programs without
such objects use the primitives of sets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.intrinsics import prim


def identity(x: Any) -> Any:
    """Return the hash of an object by its identity."""
    found = prim("py.identity", x)
    if found is None:
        count = prim("identities")
        found = prim("py.attribute", count, "held")
        prim("py.set-attribute", count, "held", found + 1)
        prim("py.set-attribute", x, "(identity)", found)
    return found


def hash_(x: Any, /) -> Any:
    """See builtins.hash."""
    kind = prim("py.hashed-by", x)
    if kind == "%identity":
        return identity(x)
    if kind == "%method":
        return x.__hash__()
    if kind == "%parts":
        return prim("py.hash", tuple([hash_(item) for item in prim("py.hashed-parts", x)]))
    return prim("py.hash", x)


def token(x: Any, table: Any) -> Any:
    """Return the token of an element: that of an equal one in the table, or one that is not there."""
    kind = prim("py.hashed-by", x)
    if kind == "":
        return prim("py.token", x)
    number = identity(x) if kind == "%identity" else hash_(x)
    n = 0
    while (kind, number, n) in table:
        other = prim("py.item", table, (kind, number, n))
        if other is x if kind == "%identity" else prim("py.is-same", other, x) or other == x:
            break
        n += 1
    return (kind, number, n)


def table_of(items: Any) -> Any:
    """Return the dictionary of elements by tokens; of equal ones the first stays."""
    table = prim("py.dict")
    for item in items:
        found = token(item, table)
        if found not in table:
            prim("py.set", table, found, item)
    return table


def delete(table: Any, found: Any) -> Any:
    """Delete an element; the last one of the same hash takes its number."""
    if isinstance(found, tuple) and len(found) == 3 and found[0] in ("%identity", "%method", "%parts"):
        n = found[2]
        while (found[0], found[1], n + 1) in table:
            n += 1
        last = (found[0], found[1], n)
        if n != found[2]:
            prim("py.set", table, found, prim("py.item", table, last))
        prim("py.delete", table, last)
    else:
        prim("py.delete", table, found)


def either(x: Any, y: Any) -> Any:
    """Return the elements of two sets."""
    table = prim("py.copy", x)
    for item in prim("py.values", y):
        found = token(item, table)
        if found not in table:
            prim("py.set", table, found, item)
    return table


def shared(x: Any, y: Any) -> Any:
    """Return the elements that two sets share."""
    return table_of([item for item in prim("py.values", x) if token(item, y) in y])


def only_first(x: Any, y: Any) -> Any:
    """Return the elements of the first set that the second has not."""
    return table_of([item for item in prim("py.values", x) if token(item, y) not in y])


def only_one(x: Any, y: Any) -> Any:
    """Return the elements that only one of two sets has."""
    return either(only_first(x, y), only_first(y, x))


def has(x: Any, item: Any) -> Any:
    """Return item in x, of a set; a set is found as a frozenset is."""
    table = prim("py.attribute", x, "(table)")
    return token(frozenset(item) if isinstance(item, set) else item, table) in table


def same(x: Any, y: Any) -> Any:
    """Return x == y, of two values of which one is a set."""
    if not (isinstance(x, set | frozenset) and isinstance(y, set | frozenset)):
        return False
    first, second = prim("py.attribute", x, "(table)"), prim("py.attribute", y, "(table)")
    return len(first) == len(second) and len(only_first(first, second)) == 0


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    **{
        each: each
        for each in (hash_, token, table_of, delete, either, shared, only_first, only_one, has, same)
    },
}

# What stands for primitives of sets where programs have such objects.
STANDS_FOR: dict[str, Callable[..., Any]] = {
    "py.token-in": token,
    "py.table-of": table_of,
    "py.delete-element": delete,
    "py.table-or": either,
    "py.table-and": shared,
    "py.table-sub": only_first,
    "py.table-xor": only_one,
}
