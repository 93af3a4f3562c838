"""Planes, the places of one channel of one sample, and their elements at places as PyTorch counts them.

A place is a number: all places of a plane in one row.
"""

from __future__ import annotations

from math import prod
from typing import Any

from checkpoint.ad.array_library import zeros_beside
from tensorlib.layout.moving import call, shape_now
from tensorlib.rules import number

Sizes = tuple[int, ...]


def planes(x: Any, count: int) -> tuple[Sizes, Sizes]:
    """Return the axes before the places of an input, and the places."""
    shape = tuple(x.shape)
    return shape[: len(shape) - count], shape[len(shape) - count :]


def gathered(xp: Any, x: Any, at: Any, count: int) -> Any:
    """Return the elements of an input with so many axes of places."""
    rows = prod(planes(x, count)[0])
    return xp.take_along_axis(x.reshape((rows, -1)), at.reshape((rows, -1)), 1).reshape(at.shape)


def gathered_now(t: Any, y: Any, at: Any, count: int) -> Any:
    """Return the same of a tangent, by records."""
    shape, rows = shape_now(t), prod(planes(at, count)[0])
    flat = call("np.reshape", t, (rows, prod(shape) // rows))
    found = call("np.take_along_axis", flat, number(at.reshape((rows, -1))), 1)
    return call("np.reshape", found, shape_now(y))


def scattered(xp: Any, g: Any, at: Any, like: Any, count: int) -> Any:
    """Return zeros like an input, with g added at the places."""
    lead, places = planes(like, count)
    rows, size = prod(lead), prod(places)
    whole = zeros_beside(g, rows * size, g.dtype)
    index = at.reshape((rows, -1)) + xp.arange(rows)[:, None] * size
    xp.add.at(whole, index.reshape(-1), g.reshape(-1))
    return whole.reshape((*lead, *places))
