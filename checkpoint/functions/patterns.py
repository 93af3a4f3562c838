"""Patterns of matrices of derivatives: which entries may differ from 0, found by a run on index sets.

In: a call on engine interp, whose steps record themselves on a tape of index sets
(checkpoint/prims/sparsity/tape.py), and the positions of the arguments by which it is differentiated. Out: a
sparse matrix of booleans. It is that of this run: of the branches that are taken for these arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from checkpoint.ad.arrays import Array
from checkpoint.ad.graph import enter, numbers, replace
from checkpoint.ad.numbers import Node, elements
from checkpoint.functions.interface import Call
from checkpoint.prims.sparsity.sets import relation, rows_of
from checkpoint.prims.sparsity.tape import IndexTape

ENGINE = "interp"


def jacobian_pattern(call: Call, at: Sequence[int]) -> Any:
    """Return the pattern of a call's Jacobian: a row for each real of its value."""
    tape, y = _run(call, at, second=False)
    return rows_of(y, tape.count)


def hessian_pattern(call: Call, at: Sequence[int]) -> Any:
    """Return the pattern of the Hessian of a call that returns a real."""
    tape, _ = _run(call, at, second=True)
    assert tape.interactions is not None
    return tape.interactions.matrix()


def _run(call: Call, at: Sequence[int], second: bool) -> tuple[IndexTape, list[Any]]:
    """Return the tape of a run, and the numbers of its value."""
    tapes = []

    def replaced(argument: Any) -> Any:
        parts = call.parts_of(argument)
        chosen = [number for i in at for number in numbers(parts[i])]
        tape = IndexTape(sum(map(elements, chosen)), second)
        tapes.append(tape)
        nodes = {id(number): node for number, node in zip(chosen, _leaves(tape, chosen), strict=True)}
        found = numbers(argument)
        return replace(argument, found, [nodes.get(id(number), number) for number in found])

    y = call.run.value_at(replaced)
    return tapes[-1], numbers(enter(y))


def _leaves(tape: IndexTape, chosen: Sequence[Any]) -> list[Node]:
    """Return numbers as nodes, the sets of whose reals are their own positions."""
    found, start = [], 0
    for number in chosen:
        node, size = tape.leaf(number), elements(number)
        if type(number) is Array:
            columns = np.arange(start, start + size)
            node.adjoint = relation(np.arange(size), columns, (size, tape.count))
        else:
            node.adjoint = frozenset((start,))
        start += size
        found.append(node)
    return found
