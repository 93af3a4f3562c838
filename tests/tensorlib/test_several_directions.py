"""Tangents along several directions, found at once, have the bits of those along each: on every record."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.arrays import Array, directions
from checkpoint.ad.library import silently
from checkpoint.ad.numbers import Dual, real_part, tangent_at
from checkpoint.ad.operands import leaves, with_leaves
from checkpoint.ad.tensors import ALWAYS, Tensor, apply
from checkpoint.prims.batched.directions import Together, part, stacked
from tests.tensorlib.check import random_like, value
from tests.tensorlib.test_records import EVERY_RECORD, UNLIKE

TAG, COUNT = 5, 3


def content(number: Any) -> tuple[Any, ...]:
    """Return what tells a float or an array from others, to the bit."""
    data = number.data if type(number) is Array else number
    return type(number), np.asarray(data).dtype, np.shape(data), np.asarray(data).tobytes()


@EVERY_RECORD
def test_bits_of_each_direction(record: Tensor) -> None:
    """The tangents of a result's numbers, for operands some of whose numbers are duals."""
    if record.name in UNLIKE:
        return
    rng = np.random.default_rng(2)
    for operands in record.samples(np.random.default_rng(0)):
        values = [value(operand) for operand in operands]
        at = [i for i, x in enumerate(values) if record.is_differentiated(i) and leaves(x)]
        for chosen in [[i] for i in at] + [at] * (len(at) > 1):
            compare(record, values, chosen, rng)


def compare(record: Tensor, values: list[Any], chosen: list[int], rng: Any) -> None:
    """Compare the tangents along several directions with those along each."""
    if any(np.asarray(getattr(real_part(x), "data", x)).dtype.kind == "c" for v in values for x in leaves(v)):
        return  # jacfwd takes no complex numbers; with others a stack is what NumPy stacks
    rows = {i: [[random_like(rng, x) for x in leaves(values[i])] for _ in range(COUNT)] for i in chosen}
    along = [
        tangents_of(record, [on_duals(x, rows[i][k] if i in rows else None) for i, x in enumerate(values)])
        for k in range(COUNT)
    ]
    columns = {i: [stacked(column) for column in zip(*rows[i], strict=True)] for i in chosen}
    several = [on_duals(x, columns.get(i)) for i, x in enumerate(values)]
    token = directions.set(Together(TAG, COUNT))
    try:
        with silently():
            result = apply(ALWAYS, record, several)
    finally:
        directions.reset(token)
    for k in range(COUNT):
        assert [content(part(x, k)) for x in duals_in(result)] == [content(t) for t in along[k]]


def on_duals(operand: Any, tangents: list[Any] | None) -> Any:
    """Return an operand whose numbers are duals with these tangents."""
    if tangents is None:
        return operand
    rest = iter(tangents)
    return with_leaves(operand, lambda x: Dual(TAG, x, next(rest)))


def duals_in(result: Any) -> list[Dual]:
    return [x for x in leaves(result) if type(x) is Dual]


def tangents_of(record: Tensor, operands: list[Any]) -> list[Any]:
    """Return the tangents of the result's numbers along one direction."""
    with silently():
        return [tangent_at(x, TAG) for x in duals_in(apply(ALWAYS, record, operands))]
