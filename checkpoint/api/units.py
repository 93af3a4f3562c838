"""Tangents and cotangents that are 1 at some reals, and else 0.

In: numbers of a tree, and the positions of reals among all of theirs. Out: for each number the tangent.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import prod
from typing import Any

from checkpoint.ad.array_library import zeros_beside
from checkpoint.ad.arrays import Array, check_real
from checkpoint.ad.graph import numbers
from checkpoint.ad.numbers import elements, zero
from checkpoint.ad.tangent import tangent_of
from checkpoint.functions.interface import Call


def unit(number: Any, start: int, positions: Sequence[int]) -> Any:
    """Return the tangent of a number, whose first real is at `start`, that is 1 at these positions."""
    end = start + elements(number)
    inside = positions[bisect_left(positions, start) : bisect_left(positions, end)]
    return _ones_at(zero(number), [k - start for k in inside])


def units(found: Sequence[Any], positions: Sequence[int]) -> list[Any]:
    """Return tangents of numbers that are 1 at the reals at these positions, in their order, and else 0."""
    tangents, start = [], 0
    for number in found:
        tangents.append(unit(number, start, positions))
        start += elements(number)
    return tangents


def _ones_at(zeros: Any, positions: Sequence[int]) -> Any:
    """Return a tangent that is 1 at these positions of one that is zero."""
    if not positions:
        return zeros
    if type(zeros) is float:
        return 1.0
    check_real(zeros.data)
    flat = zeros_beside(zeros.data, prod(zeros.data.shape), zeros.data.dtype)
    flat[list(positions)] = 1.0
    return Array(flat.reshape(zeros.data.shape), zeros.memory)


def direction(call: Call, positions: Sequence[int]) -> Any:
    """Return the tangent of all arguments that is 1 at the reals at these positions, in their order."""
    argument = call.run.argument
    return tangent_of(argument, units(numbers(argument), positions))
