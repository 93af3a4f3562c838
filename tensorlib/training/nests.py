"""Functions applied leaf by leaf to pytrees of tuples, lists, dicts and named tuples; None is no leaf.

Plain Python, which runs as it is outside of programs and is translated within.
"""

from __future__ import annotations

from typing import Any


def mapped(f: Any, nest: Any, *others: Any) -> Any:
    """Return a pytree of f(leaf, *leaves of the others at the same place).

    Another pytree may be None where this one has items: then f gets None in its place.
    """
    if nest is None:
        return None
    if isinstance(nest, dict):
        return {key: mapped(f, item, *_at(others, key)) for key, item in nest.items()}
    if isinstance(nest, list):
        return [mapped(f, item, *_at(others, i)) for i, item in enumerate(nest)]
    if isinstance(nest, tuple):
        items = [mapped(f, item, *_at(others, i)) for i, item in enumerate(nest)]
        return type(nest)(*items) if hasattr(nest, "_fields") else tuple(items)
    return f(nest, *others)


def _at(others: Any, key: Any) -> list[Any]:
    return [None if other is None else other[key] for other in others]


def leaves(nest: Any) -> list[Any]:
    """Return the leaves of a pytree, in order."""
    if nest is None:
        return []
    if isinstance(nest, dict):
        return [leaf for item in nest.values() for leaf in leaves(item)]
    if isinstance(nest, list | tuple):
        return [leaf for item in nest for leaf in leaves(item)]
    return [nest]
