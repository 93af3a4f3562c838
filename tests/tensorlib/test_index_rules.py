"""Rules for index sets: no derivative of a record, on its own samples, lies outside of what they say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlib.scipy_special  # noqa: F401
from checkpoint.ad.accumulators import accumulated, contribution_of
from checkpoint.ad.arrays import Array, Memory
from checkpoint.ad.numbers import Dual, Node, Tape, tangent_at
from checkpoint.ad.operands import leaves, with_leaves
from checkpoint.ad.pullbacks import Pullback
from checkpoint.ad.record import records
from checkpoint.ad.tensors import ALWAYS, Tensor, apply, changes_here
from checkpoint.prims.batched.rules import BROADCASTING
from checkpoint.prims.sparsity import rules
from checkpoint.prims.sparsity.products import LAYER
from checkpoint.prims.sparsity.sets import relation, rows_of
from checkpoint.prims.sparsity.tape import IndexTape
from tests.tensorlib.check import data_of, value

pytestmark = pytest.mark.filterwarnings("ignore::checkpoint.SparsityWarning")
MOST = 12  # reals of operands and results that a sample may have here

WITH_RULE = [
    record
    for record in records().values()
    if isinstance(record, Tensor)
    and not record.name.startswith("ndarray.")
    and (record.name in rules.RULES or record.shape in (*BROADCASTING, LAYER))
    and any(record.vjp(i) is not None for i in range(len(record.vjps)))
]


def size(number: Any) -> int:
    return int(data_of(number).size) if type(number) is Array else 1


def wanted(record: Tensor, operands: list[Any]) -> list[int]:
    """Return the positions of operands that have a derivative."""
    found = [i for i, x in enumerate(operands) if record.vjp(i) is not None and leaves(x)]
    return [] if any(np.iscomplexobj(data_of(n)) for i in found for n in leaves(operands[i])) else found


def with_numbers(operands: list[Any], at: list[int], made: Callable[[int, Any], Any]) -> list[Any]:
    """Return operands whose numbers are replaced by `made` of the first real's position and the number."""
    start, found = 0, list(operands)
    for i in at:

        def replaced(number: Any) -> Any:
            nonlocal start
            start += size(number)
            return made(start - size(number), number)

        found[i] = with_leaves(operands[i], replaced)
    return found


def on_index_sets(record: Tensor, operands: list[Any], at: list[int], second: bool) -> tuple[IndexTape, Any]:
    """Return the tape and the sets of the result."""
    count = sum(size(n) for i in at for n in leaves(operands[i]))
    tape = IndexTape(count, second)

    def node(start: int, number: Any) -> Node:
        made = tape.leaf(number)
        made.adjoint = frozenset((start,))
        if type(number) is Array:
            columns = np.arange(start, start + size(number))
            made.adjoint = relation(np.arange(size(number)), columns, (size(number), count))
        return made

    result = apply(ALWAYS, record, with_numbers(operands, at, node))
    return tape, rows_of(leaves(result), count)


def cotangents(outputs: list[Any], inputs: list[Node], tape: Tape, seeds: Any) -> Any:
    """Return the cotangents of all reals of the inputs."""
    start = 0
    for output in outputs:
        count = size(output.value) if type(output) is Node else size(output)
        part = seeds[start : start + count]
        start += count
        if type(output) is Node and type(output.value) is Array:
            data = output.value.data
            output.adjoint = contribution_of(Array(part.reshape(data.shape).astype(data.dtype), Memory()))
        elif type(output) is Node:
            output.adjoint = float(part[0])
    tape.propagate()
    parts = [np.ravel(data_of(accumulated(node.adjoint, node.value))) for node in inputs]
    return np.concatenate(parts)


def samples(record: Tensor) -> Any:
    """Yield operands of a record as values, with the positions of those that have a derivative."""
    for operands in record.samples(np.random.default_rng(0)):
        values = [value(x) for x in operands]
        at = wanted(record, values)
        if at and not any(type(n) is Dual for x in values for n in leaves(x)):
            count = sum(size(n) for i in at for n in leaves(values[i]))
            if 0 < count <= MOST:
                yield values, at, count


@pytest.mark.parametrize("record", WITH_RULE, ids=lambda record: record.name)
def test_first_derivatives(record: Tensor, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []

    def noted(pullback: Pullback, rows: Any, results: Any) -> Any:
        found.append(applied(pullback, rows, results))
        return found[-1]

    applied = rules.applied
    monkeypatch.setattr(rules, "applied", noted)
    for operands, at, _ in samples(record):
        with np.errstate(all="ignore"):
            sets = on_index_sets(record, operands, at, second=False)[1].toarray()
            for row in range(len(sets)):
                tape = Tape()
                made: list[Node] = []

                def node(_: int, number: Any, tape: Tape = tape, made: list[Node] = made) -> Node:
                    made.append(tape.leaf(number))
                    return made[-1]

                outputs = list(leaves(apply(ALWAYS, record, with_numbers(operands, at, node))))
                seeds = np.eye(len(sets))[row]
                received = cotangents(outputs, made, tape, seeds)
                outside = np.flatnonzero((received != 0) & ~sets[row])
                assert not len(outside), (record.name, operands, row, outside)
    assert not found or record.name == "np.select" or any(result.rows is not None for result in found)


@pytest.mark.parametrize("record", WITH_RULE, ids=lambda record: record.name)
def test_second_derivatives(record: Tensor) -> None:
    for operands, at, count in samples(record):
        if changes_here(record, operands):
            continue
        with np.errstate(all="ignore"):
            tape, sets = on_index_sets(record, operands, at, second=True)
            assert tape.interactions is not None
            pairs = tape.interactions.matrix().toarray()
            seeds = np.random.default_rng(1).uniform(0.5, 1.5, sets.shape[0])
            for i in range(count):
                received = hessian_row(record, operands, at, i, seeds)
                outside = np.flatnonzero((received != 0) & ~pairs[i])
                assert not len(outside), (record.name, operands, i, outside)


def hessian_row(record: Tensor, operands: list[Any], at: list[int], i: int, seeds: Any) -> Any:
    """Return a row of the Hessian of a weighted sum of the result's reals, by reverse over forward mode."""
    tape = Tape()
    made: list[Node] = []

    def dual(start: int, number: Any) -> Dual:
        made.append(tape.leaf(number))
        unit = np.zeros(size(number))
        unit[max(i - start, 0) : max(i - start + 1, 0)] = 1.0
        if type(number) is not Array:
            return Dual(1, made[-1], float(unit[0]))
        data = number.data
        return Dual(1, made[-1], Array(unit.reshape(data.shape).astype(data.dtype), Memory()))

    result = leaves(apply(ALWAYS, record, with_numbers(operands, at, dual)))
    return cotangents([tangent_at(x, 1) for x in result], made, tape, seeds)
