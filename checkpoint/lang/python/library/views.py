"""What keys, values and items of dictionaries do beside being iterated over; in the translated language.

A view is a tuple in programs. These functions stand for operators and texts where it is written as a call,
`d.keys() & e.keys()` (control/views.py).
"""

from __future__ import annotations

from typing import Any


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
