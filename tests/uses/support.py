"""Helpers of the tests of uses: equality of pytrees to the bit, and gradients beside differences.

A use is a function of pytrees (of tuples, lists, dicts) of arrays and floats that returns a real, as people
write it in Python and NumPy. It is differentiated by its first argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.engines import usable

Use = Callable[..., Any]

engines = pytest.mark.parametrize("engine", usable())


def leaves(nest: Any) -> Iterator[Any]:
    """Return the numbers and arrays of a pytree, in its order; None for a leaf without a derivative."""
    if isinstance(nest, dict):
        for part in nest.values():
            yield from leaves(part)
    elif isinstance(nest, list | tuple):
        for part in nest:
            yield from leaves(part)
    else:
        yield nest


def moved(nest: Any, by: Iterator[Any]) -> Any:
    """Return a pytree with a number or array added to each of its leaves."""
    if isinstance(nest, dict):
        return {name: moved(part, by) for name, part in nest.items()}
    if isinstance(nest, list | tuple):
        return type(nest)([moved(part, by) for part in nest])
    return nest + next(by)


def same(a: Any, b: Any) -> bool:
    """Return whether two pytrees have the same leaves: types, dtypes, shapes, elements, signs of zero."""
    one, other = list(leaves(a)), list(leaves(b))
    return len(one) == len(other) and all(map(_same_leaf, one, other))


def _same_leaf(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    x, y = np.asarray(a), np.asarray(b)
    return x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()


def gradients(
    use: Use, *args: Any, engine: str, base: int = 50, argnums: int | tuple[int, ...] = 0
) -> tuple[Any, Any]:
    """Return the value and the gradient, after checking that all schedules agree.

    The value is that of Python's own run; plain reverse mode and bisection, in pieces of `base` steps, give
    the same bits; the arguments are unchanged.
    """
    before = [None if leaf is None else np.array(leaf) for leaf in leaves(args) if not callable(leaf)]
    expected = use(*args)
    found = {}
    for schedule in (checkpoint.Plain(), checkpoint.Bisection(base=base)):
        derivative = checkpoint.value_and_grad(use, argnums, engine=engine, schedule=schedule)
        value, found[repr(schedule)] = derivative(*args)
        assert same(value, expected), (value, expected)
    plain, bisected = found.values()
    assert same(plain, bisected)
    after = [leaf for leaf in leaves(args) if not callable(leaf)]
    assert all(map(_same_leaf, before, map(np.array, after)))
    return expected, plain


def slope(use: Use, args: tuple[Any, ...], along: Any, step: float = 1e-6) -> float:
    """Return the central difference of a use along a direction of its first argument."""
    ends = [
        use(moved(args[0], (by * step * np.asarray(part) for part in leaves(along))), *args[1:])
        for by in (1.0, -1.0)
    ]
    return float((ends[0] - ends[1]) / (2.0 * step))


def is_gradient(gradient: Any, use: Use, *args: Any, rel: float = 1e-6, step: float = 1e-6) -> bool:
    """Return whether the gradient by the first argument agrees with differences along random directions."""
    rng = np.random.default_rng(5)
    for _ in range(3):
        along = [rng.normal(size=np.shape(leaf)) for leaf in leaves(args[0])]
        terms = [np.sum(g * d) for g, d in zip(leaves(gradient), along, strict=True)]
        size = sum(np.sum(np.abs(g * d)) for g, d in zip(leaves(gradient), along, strict=True))
        if abs(sum(terms) - slope(use, args, along, step)) > rel * size:
            return False
    return True
