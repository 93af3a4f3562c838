"""The cotangents that a record's operands receive, as NumPy's own arrays."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from checkpoint.ad.accumulators import accumulated, contribution_of
from checkpoint.ad.arrays import Array, Memory
from checkpoint.ad.numbers import Dual, Tape
from checkpoint.ad.operands import leaves, with_leaves
from checkpoint.ad.record import lookup
from checkpoint.ad.tensors import ALWAYS, Tensor, apply
from tests.tensorlib.check import data_of, tangents_at, value


def record(name: str) -> Tensor:
    """Return the record of a name."""
    return cast(Tensor, lookup(name))


def called(name: str, *operands: Any) -> list[Any]:
    """Return the numbers of a record's result."""
    return [data_of(x) for x in leaves(apply(ALWAYS, record(name), [value(x) for x in operands]))]


def pulled(name: str, operands: tuple[Any, ...], gs: list[Any], position: int = 0) -> Any:
    """Return the cotangent of one array operand for those of the result's numbers; None for none."""
    tape = Tape()
    values = [value(x) for x in operands]
    node = tape.leaf(values[position])
    values[position] = node
    outputs = list(leaves(apply(ALWAYS, record(name), values)))
    for output, g in zip(outputs, gs, strict=True):
        if g is not None:
            output.adjoint = contribution_of(Array(np.asarray(g), Memory()))
    tape.propagate()
    return data_of(accumulated(node.adjoint, node.value))


def pushed(name: str, operands: tuple[Any, ...], tangent: Any, position: int = 0) -> list[Any]:
    """Return the tangents of the numbers of the result for that of one operand."""
    values = [value(x) for x in operands]
    values[position] = with_leaves(
        values[position], lambda n: Dual(1, n, Array(np.asarray(tangent), Memory()))
    )
    return [data_of(x) for x in tangents_at(apply(ALWAYS, record(name), values), 1)]
