"""Sets, written in the language that is translated. They are iterated in the order of insertion.

A set is a record of one field, the dictionary of its elements by tokens (checkpoint.prims.python.sets). Last
come the operators and texts of views of dictionaries, which are compared and combined as sets.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.intrinsics import prim


def table_of(items: Any) -> Any:
    """Return the dictionary of the elements of anything that can be iterated over."""
    if isinstance(items, set | frozenset):
        return prim("py.attribute", items, "(table)")
    found = prim("py.list-of", items)
    return prim("py.table-of", found)


def set_(items: Any = (), /) -> Any:
    """See builtins.set."""
    return prim("set", prim("py.copy", table_of(items)))


def frozenset_(items: Any = (), /) -> Any:
    """See builtins.frozenset."""
    return prim("frozenset", prim("py.copy", table_of(items)))


def as_element(item: Any) -> Any:
    """Return what is looked for in a set: a set is found as a frozenset is."""
    return prim("frozenset", table_of(item)) if isinstance(item, set) else item


def like(x: Any, table: Any) -> Any:
    """Return a set of the same class with other elements."""
    return prim("frozenset", table) if isinstance(x, frozenset) else prim("set", table)


# Operators


def set_or(x: Any, y: Any) -> Any:
    """Return x | y."""
    return like(x, prim("py.table-or", table_of(x), operand("|", x, y)))


def set_and(x: Any, y: Any) -> Any:
    """Return x & y."""
    return like(x, prim("py.table-and", table_of(x), operand("&", x, y)))


def set_sub(x: Any, y: Any) -> Any:
    """Return x - y."""
    return like(x, prim("py.table-sub", table_of(x), operand("-", x, y)))


def set_xor(x: Any, y: Any) -> Any:
    """Return x ^ y."""
    return like(x, prim("py.table-xor", table_of(x), operand("^", x, y)))


def set_ior(x: Any, y: Any) -> Any:
    """Return x after x |= y."""
    if isinstance(x, frozenset):
        return set_or(x, y)
    prim("py.merge", table_of(x), prim("py.table-sub", operand("|=", x, y), table_of(x)))
    return x


def set_iand(x: Any, y: Any) -> Any:
    """Return x after x &= y."""
    return replaced(x, set_and(x, y)) if isinstance(y, set | frozenset) else operand("&=", x, y)


def set_isub(x: Any, y: Any) -> Any:
    """Return x after x -= y."""
    return replaced(x, set_sub(x, y)) if isinstance(y, set | frozenset) else operand("-=", x, y)


def set_ixor(x: Any, y: Any) -> Any:
    """Return x after x ^= y."""
    return replaced(x, set_xor(x, y)) if isinstance(y, set | frozenset) else operand("^=", x, y)


def replaced(x: Any, other: Any) -> Any:
    """Give a set the elements of another one; return the other one in place of a frozenset."""
    if isinstance(x, frozenset):
        return other
    found = prim("py.copy", table_of(other))
    prim("py.clear", table_of(x))
    prim("py.merge", table_of(x), found)
    return x


def operand(sign: Any, x: Any, y: Any) -> Any:
    """Return the elements of the second operand, which is a set, too."""
    if isinstance(y, set | frozenset):
        return table_of(y)
    raise TypeError(
        f"unsupported operand type(s) for {sign}: '{prim('py.kind', x)}' and '{prim('py.kind', y)}'"
    )


# Methods


def method_union(x: Any, *others: Any) -> Any:
    """See set.union."""
    table = table_of(prim("py.checked-set", x, "union"))
    for other in others:
        table = prim("py.table-or", table, table_of(other))
    return like(x, prim("py.copy", table))


def method_intersection(x: Any, *others: Any) -> Any:
    """See set.intersection."""
    table = table_of(prim("py.checked-set", x, "intersection"))
    for other in others:
        table = prim("py.table-and", table, table_of(other))
    return like(x, prim("py.copy", table))


def method_difference(x: Any, *others: Any) -> Any:
    """See set.difference."""
    table = table_of(prim("py.checked-set", x, "difference"))
    for other in others:
        table = prim("py.table-sub", table, table_of(other))
    return like(x, prim("py.copy", table))


def method_symmetric_difference(x: Any, other: Any) -> Any:
    """See set.symmetric_difference."""
    prim("py.checked-set", x, "symmetric_difference")
    return like(x, prim("py.table-xor", table_of(x), table_of(other)))


def method_issubset(x: Any, other: Any) -> Any:
    """See set.issubset."""
    prim("py.checked-set", x, "issubset")
    return len(prim("py.table-sub", table_of(x), table_of(other))) == 0


def method_issuperset(x: Any, other: Any) -> Any:
    """See set.issuperset."""
    prim("py.checked-set", x, "issuperset")
    return len(prim("py.table-sub", table_of(other), table_of(x))) == 0


def method_isdisjoint(x: Any, other: Any) -> Any:
    """See set.isdisjoint."""
    prim("py.checked-set", x, "isdisjoint")
    return len(prim("py.table-and", table_of(x), table_of(other))) == 0


def method_add(x: Any, item: Any, /) -> Any:
    """See set.add."""
    prim("py.checked-set", x, "add")
    token = prim("py.token-in", item, table_of(x))
    if token not in table_of(x):
        prim("py.set", table_of(x), token, item)


def method_discard(x: Any, item: Any, /) -> Any:
    """See set.discard."""
    prim("py.checked-set", x, "discard")
    token = prim("py.token-in", as_element(item), table_of(x))
    if token in table_of(x):
        prim("py.delete-element", table_of(x), token)


def method_difference_update(x: Any, *others: Any) -> Any:
    """See set.difference_update."""
    replaced(prim("py.checked-set", x, "difference_update"), method_difference(x, *others))


def method_intersection_update(x: Any, *others: Any) -> Any:
    """See set.intersection_update."""
    replaced(prim("py.checked-set", x, "intersection_update"), method_intersection(x, *others))


def method_symmetric_difference_update(x: Any, other: Any) -> Any:
    """See set.symmetric_difference_update."""
    replaced(prim("py.checked-set", x, "symmetric_difference_update"), method_symmetric_difference(x, other))


# Methods that lists or dictionaries have, too: their results here


def set_update(x: Any, *others: Any) -> Any:
    """See set.update."""
    prim("py.checked-set", x, "update")
    for other in others:
        prim("py.merge", table_of(x), prim("py.table-sub", table_of(other), table_of(x)))


def set_remove(x: Any, item: Any) -> Any:
    """See set.remove."""
    prim("py.checked-set", x, "remove")
    token = prim("py.token-in", as_element(item), table_of(x))
    if token not in table_of(x):
        raise KeyError(item)
    prim("py.delete-element", table_of(x), token)


def set_pop(x: Any) -> Any:
    """See set.pop: the element that was inserted first."""
    prim("py.checked-set", x, "pop")
    items = prim("py.values", table_of(x))
    if len(items) == 0:
        raise KeyError("pop from an empty set")
    prim("py.delete-element", table_of(x), prim("py.token-in", items[0], table_of(x)))
    return items[0]


def set_clear(x: Any) -> Any:
    """See set.clear."""
    prim("py.checked-set", x, "clear")
    prim("py.clear", table_of(x))


def set_copy(x: Any) -> Any:
    """See set.copy."""
    return like(x, prim("py.copy", table_of(x)))


METHODS: dict[str, Callable[..., Any]] = {
    name.removeprefix("method_"): function
    for name, function in list(globals().items())
    if name.startswith("method_")
}

# Of methods that also lists or dictionaries have, and of operators.
OWN: dict[str, Callable[..., Any]] = {
    "update": set_update,
    "remove": set_remove,
    "pop": set_pop,
    "clear": set_clear,
    "copy": set_copy,
    "py.or": set_or,
    "py.and": set_and,
    "py.sub": set_sub,
    "py.xor": set_xor,
    "py.ior": set_ior,
    "py.iand": set_iand,
    "py.isub": set_isub,
    "py.ixor": set_ixor,
}

# Views of dictionaries: tuples in programs, and these where one is written as a call, `d.keys() & e.keys()`
# (control/views.py)


def both(x: Any, y: Any) -> Any:
    """Return x & y."""
    return set(x) & set(y)


def either(x: Any, y: Any) -> Any:
    """Return x | y."""
    return set(x) | set(y)


def only_first(x: Any, y: Any) -> Any:
    """Return x - y."""
    return set(x) - set(y)


def only_one(x: Any, y: Any) -> Any:
    """Return x ^ y."""
    return set(x) ^ set(y)


def as_set(x: Any) -> Any:
    """Return the set that a view is compared as."""
    return set(x)


def equal_items(x: Any, y: Any) -> Any:
    """Return whether the items of two dictionaries are equal."""
    return dict(x) == dict(y)


def unequal_items(x: Any, y: Any) -> Any:
    """Return whether the items of two dictionaries differ."""
    return dict(x) != dict(y)


def shown(x: Any, name: Any) -> Any:
    """Return the text of a view; name: that of its class."""
    return f"{name}({list(x)!r})"


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    builtins.set: set_,
    builtins.frozenset: frozenset_,
    **{function: function for function in OWN.values()},
    **{function: function for function in METHODS.values()},
}
