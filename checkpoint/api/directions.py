"""Derivatives of a run along one direction, and along several at once.

A direction is a tangent of all arguments that is 1 at some of their reals, and else 0. Several are taken at
once on engine interp, whose steps all see the tangents (checkpoint/prims/batched/directions.py).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import prod
from typing import Any

from checkpoint.ad.array_library import zeros_beside
from checkpoint.ad.arrays import Array, check_real, directions
from checkpoint.ad.graph import enter, numbers, replace
from checkpoint.ad.library import silently
from checkpoint.ad.numbers import Dual, elements, zero
from checkpoint.ad.tangent import lift, split, tangent_of
from checkpoint.functions.interface import Call
from checkpoint.prims.batched.directions import Measure, Together, part, stacked

ENGINE = "interp"


def measured(call: Call, place: int) -> tuple[Any, Sequence[Any], Measure, int]:
    """Return a call's value, as a tree, the tangents of its numbers along the real at a place, a measure of
    the run, and the number of its steps.
    """
    measure = Measure()
    tangent = enter(direction(call, (place,)))

    def lifted(argument: Any, tag: int) -> Any:
        measure.begin()
        return lift(argument, tangent, tag)

    token = directions.set(measure)
    try:
        value, steps = call.run.on_duals(lifted)
    finally:
        directions.reset(token)
    y, along = split(value, call.run.tags)
    return enter(y), numbers(enter(along)), measure, steps


def together(call: Call, chosen: Sequence[int]) -> list[Sequence[Any]]:
    """Return the tangents of the value's numbers along the reals at each of these places; NotTogether: a step
    needs one direction.
    """
    tag = call.run.tags
    token = directions.set(Together(tag, len(chosen)))
    try:
        with silently():  # the run along one direction has warned
            value, _ = call.run.on_duals(lambda argument, tag: _lifted(argument, tag, chosen))
    finally:
        directions.reset(token)
    found = numbers(value)
    return [[_along(number, tag, k) for number in found] for k in range(len(chosen))]


def _lifted(argument: Any, tag: int, chosen: Sequence[int]) -> Any:
    found = numbers(argument)
    rows = [units(found, (place,)) for place in chosen]
    tangents = [_several(column) for column in zip(*rows, strict=True)]
    duals = [Dual(tag, number, other) for number, other in zip(found, tangents, strict=True)]
    return replace(argument, found, duals)


def _several(column: Sequence[Any]) -> Any:
    """Return the tangents of one number as Several, but zeros alone as one zero."""
    found = stacked(column)
    return found if found.stack.any() else column[0]


def _along(number: Any, tag: int, k: int) -> Any:
    is_dual = type(number) is Dual and number.tag == tag
    return part(number, k) if is_dual else zero(number)


def units(found: Sequence[Any], positions: Sequence[int]) -> list[Any]:
    """Return tangents of numbers that are 1 at the reals at these positions, in their order, and else 0."""
    tangents, start = [], 0
    for number in found:
        tangent, end = zero(number), start + elements(number)
        inside = positions[bisect_left(positions, start) : bisect_left(positions, end)]
        if inside:
            tangent = 1.0 if type(tangent) is float else _ones_at(tangent, [k - start for k in inside])
        tangents.append(tangent)
        start = end
    return tangents


def _ones_at(zeros: Array, positions: list[int]) -> Array:
    check_real(zeros.data)
    flat = zeros_beside(zeros.data, prod(zeros.data.shape), zeros.data.dtype)
    flat[positions] = 1.0
    return Array(flat.reshape(zeros.data.shape), zeros.memory)


def direction(call: Call, positions: Sequence[int]) -> Any:
    """Return the tangent of all arguments that is 1 at the reals at these positions, in their order."""
    argument = call.run.argument
    return tangent_of(argument, units(numbers(argument), positions))
