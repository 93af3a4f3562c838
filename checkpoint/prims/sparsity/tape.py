"""A tape on which index sets travel forward with a run, in the place of cotangents that travel back.

In: numbers of a run on engine interp, as nodes of this tape (checkpoint.ad.numbers), whose `adjoint` is their
index set. Out: the sets of the nodes in its result. An entry is propagated when it is appended, and nothing
is kept of it, so a run takes the memory of its live values. A set has each real that a number was computed
from, whether the partial derivative happens to be 0 or not.

For second derivatives it notes pairs of reals, too: a real function's Hessian is the sum, over all steps of a
run, of cotangent times second partial derivative times the derivatives of both operands. So an entry (i, j)
is not zero only if a step has an operand that depends on i, by which its partial derivative depends on j.
The partials of scalars are numbers of the language, which are made on this tape: their sets say it.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from checkpoint.ad.arrays import Array
from checkpoint.ad.numbers import Block, Copied, Node, Tape, elements
from checkpoint.ad.pullbacks import Pull
from checkpoint.ad.record import Scalar
from checkpoint.errors import InternalError, SparsityWarning
from checkpoint.prims.sparsity import rules
from checkpoint.prims.sparsity.sets import (
    EMPTY,
    IndexSet,
    empty_rows,
    part,
    rows_of,
    rows_of_sets,
    set_in_row,
    union,
)

BLOCK = "a step that runs a program (grad, a solver, a function by checkpoint.primitive)"


class _Entries(list[Any]):
    """The entries of an index tape, of which none is kept."""

    def __init__(self, tape: IndexTape) -> None:
        super().__init__()
        self._tape = tape

    def append(self, entry: Any) -> None:
        self._tape.propagate_entry(entry)


class Interactions:
    """The pairs of reals by which a second derivative of a run may differ from 0. count: how many reals."""

    def __init__(self, count: int) -> None:
        self._pairs: set[tuple[IndexSet, IndexSet]] = set()
        self._matrix = empty_rows(count, count)
        self._count = count

    def add(self, some: IndexSet, others: IndexSet) -> None:
        """Add each pair of one set and another."""
        self._pairs.add((some, others))

    def add_rows(self, some: Any, others: Any) -> None:
        """Add, for each row, each pair of the sets there in two matrices."""
        self._matrix = self._matrix + some.T @ others

    def matrix(self) -> Any:
        """Return the symmetric matrix of all pairs."""
        pairs = list(self._pairs)
        some = rows_of_sets([pair[0] for pair in pairs], self._count)
        found = self._matrix + some.T @ rows_of_sets([pair[1] for pair in pairs], self._count)
        return (found + found.T).tocsr()


class IndexTape(Tape):
    """A tape of index sets over `count` reals.

    interactions: the pairs of reals that steps multiply; None: they are not wanted.
    """

    __slots__ = ("_said", "count", "interactions")

    def __init__(self, count: int, second: bool = False) -> None:
        self.entries = _Entries(self)
        self.count = count
        self.interactions = Interactions(count) if second else None
        self._said: set[str] = set()

    def applied(self, node: Node, record: Scalar, operands: Sequence[Any]) -> None:
        """See Tape.applied."""
        self.propagate_entry(node)
        found = self.interactions
        if found is None or record.partials is None:
            return
        self.interactions = None  # the derivatives of partials are third ones
        try:
            for operand, partial in zip(operands, record.partials, strict=True):
                if type(operand) is Node:
                    slope = partial(*operands, node)
                    if type(slope) is Node:
                        found.add(operand.adjoint, slope.adjoint)
        finally:
            self.interactions = found

    def propagate_entry(self, entry: Any) -> None:
        """Give the nodes that an entry has made their sets."""
        if type(entry) is Node:
            found: IndexSet = EMPTY
            for node, _ in entry.inputs:
                found = union(found, node.adjoint)
            entry.adjoint = found
            entry.inputs = ()  # so that no run is kept
        elif type(entry) is Copied:
            entry.copy.adjoint = entry.source.adjoint
        elif type(entry) is Pull:
            self._propagate_pull(entry)
        elif type(entry) is Block:
            rows = rows_of(entry.inputs, self.count)
            self._receive(entry.outputs, self._dense(rows, entry.outputs, BLOCK), is_linear=False)
        else:
            raise InternalError(f"a {type(entry).__name__} on a tape of index sets")

    def _propagate_pull(self, pull: Pull) -> None:
        rows = rows_of(pull.inputs, self.count)
        result = rules.applied(pull.pullback, rows, [node.value for node in pull.outputs])
        if result.rows is None:
            result = result._replace(rows=self._dense(rows, pull.outputs, pull.pullback.record.name))
        if result.factors is not None and self.interactions is not None:
            self.interactions.add_rows(*result.factors)
        self._receive(pull.outputs, result.rows, result.is_linear or result.factors is not None)

    def _receive(self, outputs: Sequence[Node], rows: Any, is_linear: bool) -> None:
        """Give the nodes of a result the sets in the rows of a matrix."""
        if self.interactions is not None and not is_linear:
            self.interactions.add_rows(rows, rows)
        start = 0
        for node in outputs:
            if type(node.value) is Array:
                size = elements(node)
                node.adjoint = part(rows, start, size)
                start += size
            else:
                node.adjoint = set_in_row(rows, start)
                start += 1

    def _dense(self, rows: Any, outputs: Sequence[Node], what: str) -> Any:
        """Return the sets of a result that is taken to depend on all operands; warn of it, once a cause."""
        height = sum(map(elements, outputs))
        if height > 1 and what not in self._said:
            self._said.add(what)
            message = (
                f"{what} has no rule for index sets: each element of its result is taken to depend on all of "
                f"its operands. The matrix is right, and may take more passes than it needs"
            )
            warnings.warn(SparsityWarning(message), stacklevel=2)
        return rules.dense(rows, height)
