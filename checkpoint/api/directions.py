"""Derivatives of a run along one direction, and along several at once.

A direction is a tangent of all arguments that is 1 at some of their reals, and else 0. Several are taken at
once on engine interp, whose steps all see the tangents (checkpoint/prims/batched/directions.py). Numbers of
arguments by which nothing is differentiated stay without a tangent.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from checkpoint.ad.array_library import zeros_beside
from checkpoint.ad.arrays import Array, check_real, directions
from checkpoint.ad.graph import enter, numbers, replace
from checkpoint.ad.library import silently
from checkpoint.ad.numbers import Dual, elements, zero
from checkpoint.ad.tangent import split, tangent_of
from checkpoint.functions.interface import Call
from checkpoint.prims.batched.directions import Measure, Together, part, stacked

ENGINE = "interp"


def measured(call: Call, at: Sequence[int], place: int) -> tuple[Any, Sequence[Any], Measure, int]:
    """Return a call's value, as a tree, the tangents of its numbers along the real at a place, a measure of
    the run, and the number of its steps.

    at: the positions of the arguments by which it is differentiated.
    """
    measure = Measure()
    token = directions.set(measure)
    try:
        value, found, steps = _along_one(call, at, place, measure.begin)
    finally:
        directions.reset(token)
    return value, found, measure, steps


def alone(call: Call, at: Sequence[int], place: int) -> Sequence[Any]:
    """Return the tangents of the value's numbers along the real at a place; at: as in `measured`."""
    return _along_one(call, at, place, lambda: None)[1]


def _along_one(
    call: Call, at: Sequence[int], place: int, begin: Callable[[], None]
) -> tuple[Any, Sequence[Any], int]:
    """Return the value as a tree, its tangents, and the number of steps; call `begin` when the run begins."""

    def tangent(number: Any, start: int) -> Any:
        return _unit(number, start, place)

    def lifted(argument: Any, tag: int) -> Any:
        begin()
        return _lifted(call, at, argument, tag, tangent)

    value, steps = call.run.on_duals(lifted)
    y, along = split(value, call.run.tags)
    return enter(y), numbers(enter(along)), steps


def together(call: Call, at: Sequence[int], chosen: Sequence[int]) -> list[Sequence[Any]]:
    """Return the tangents of the value's numbers along the reals at each of these places; NotTogether: a step
    needs one direction. at: as in `measured`.
    """

    def tangents(number: Any, start: int) -> Any:
        return _several([_unit(number, start, place) for place in chosen])

    tag = call.run.tags
    token = directions.set(Together(tag, len(chosen)))
    try:
        with silently():  # the run along one direction has warned
            value, _ = call.run.on_duals(lambda argument, tag: _lifted(call, at, argument, tag, tangents))
    finally:
        directions.reset(token)
    found = numbers(value)
    return [[_along(number, tag, k) for number in found] for k in range(len(chosen))]


def _lifted(
    call: Call, at: Sequence[int], argument: Any, tag: int, tangent: Callable[[Any, int], Any]
) -> Any:
    """Return the procedure's argument with duals for the numbers of selected arguments.

    tangent: returns the tangent of a number, whose first real is at a place.
    """
    found, parts = numbers(argument), call.parts_of(argument)
    selected = {id(number) for i in at for number in numbers(parts[i])}
    made, start = [], 0
    for number in found:
        made.append(Dual(tag, number, tangent(number, start)) if id(number) in selected else number)
        start += elements(number)
    return replace(argument, found, made)


def _unit(number: Any, start: int, place: int) -> Any:
    """Return the tangent of a number, whose first real is at `start`, along the real at a place."""
    inside = (place - start,) if start <= place < start + elements(number) else ()
    return _ones_at(zero(number), inside)


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
        end = start + elements(number)
        inside = positions[bisect_left(positions, start) : bisect_left(positions, end)]
        tangents.append(_ones_at(zero(number), [k - start for k in inside]))
        start = end
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
