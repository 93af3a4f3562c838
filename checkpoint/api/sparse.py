"""Sparse matrices of derivatives: what `jacobian` returns, and `hessian` with a sparsity.

In: a function, its arguments, and a pattern, or none: then it is found by a run on index sets
(checkpoint/functions/patterns.py). Out: a scipy.sparse.csr_array with the pattern's entries. Columns that
share no row are found by one derivative along all of their directions (checkpoint/api/colouring.py), and many
such derivatives in one run (checkpoint/api/directions.py); groups of rows by reversals of one run. Each
number that an entry depends on has the tangent that it has along the direction of the entry's column alone:
so entries have the bits of `jacfwd`, those that are found by rows the bits of `jacrev`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from checkpoint.ad.arrays import Array
from checkpoint.ad.graph import enter, numbers
from checkpoint.ad.numbers import elements, zero
from checkpoint.ad.tangent import tangent_of
from checkpoint.api.colouring import Plan, coordinates, groups_in, planned, readable, symmetric
from checkpoint.api.derivative import ArgNums, Derivative, Options
from checkpoint.api.directions import along_each, repeated
from checkpoint.api.jacobians import places, unit_cotangent
from checkpoint.api.reversals import Reversals
from checkpoint.api.units import direction
from checkpoint.errors import RunError
from checkpoint.functions.interface import Call
from checkpoint.functions.patterns import ENGINE, hessian_pattern, jacobian_pattern
from checkpoint.functions.resumption import as_function
from checkpoint.prims.sparsity.sets import are_alike
from checkpoint.watch.progress import reported

DETECT = "detect"
Again = Callable[[], Call | None]
MODES = (None, "forward", "reverse")
TOLERANCE = 1e-7  # of a product with a random direction, beside the sum of the sizes of its terms


class SparseDerivative(Derivative):
    """A sparse matrix of derivatives, as a function of the same arguments.

    sparsity: a pattern, as a matrix of booleans, or "detect".
    check: whether a given pattern is compared with a derivative along a random direction.
    find: returns the pattern of a call on engine interp.
    """

    counterpart = ""
    find: Callable[[Call, Sequence[int]], Any]

    def __init__(
        self,
        function: Callable[..., Any],
        argnums: ArgNums,
        sparsity: Any,
        check: bool,
        options: Options,
    ) -> None:
        super().__init__(function, argnums, options=options)
        self.sparsity = _pattern_of(sparsity)
        self.check = check
        self._last: tuple[Any, Any] = (None, None)  # the last pattern, and its plan

    def __reduce__(self) -> str | tuple[Any, ...]:
        return type(self), (self.function, self.argnums, self.sparsity, self.check, self.options)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        call, at = self.call(args, kwargs)
        call.differentiate_by(at)
        given = not isinstance(self.sparsity, str)
        pattern = self.sparsity if given else self._detected(call, at, args, kwargs)
        chosen = places(call, at)
        if pattern.shape[1] != len(chosen):
            raise RunError(
                f"the pattern has {pattern.shape[1]} columns, the selected arguments have {len(chosen)} reals"
            )
        with reported(self.options.progress):
            again = partial(repeated, self.function, call, args, kwargs)
            values = self.entries(call, at, chosen, pattern, self._planned(pattern, given), again)
            found = sp.csr_array((values, pattern.indices, pattern.indptr), shape=pattern.shape)
            if given and self.check:
                self._compare(call, at, chosen, found)
        return found

    def _detected(self, call: Call, at: Sequence[int], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return the pattern of a call, which a call of its own finds."""
        tried = as_function(self.function).call(args, kwargs, ENGINE)
        found = _sorted(type(self).find(tried, at))
        call.run.effects = tried.run.effects  # what the function has printed is not printed again
        return found

    def _planned(self, pattern: Any, given: bool) -> Any:
        """Return the plan of a pattern; that of the last call's serves further calls with the same."""
        last, plan = self._last
        if last is None or not (given or are_alike(last, pattern)):
            plan = self.plan(pattern)
            self._last = pattern, plan
        return plan

    def plan(self, pattern: Any) -> Any:
        """Return which rows and columns of a pattern are found together."""
        raise NotImplementedError

    def entries(
        self, call: Call, at: list[int], chosen: list[int], pattern: Any, plan: Any, again: Again
    ) -> Any:
        """Return the values of the pattern's entries, in the order of rows.

        chosen: see `places`. again: see `along_each`.
        """
        raise NotImplementedError

    def product(self, call: Call, at: list[int], tangent: Any) -> Any:
        """Return the product of the matrix and a direction."""
        raise NotImplementedError

    def _compare(self, call: Call, at: list[int], chosen: list[int], found: Any) -> None:
        """Compare a matrix, whose pattern was given, with a product that needs no pattern."""
        drawn = random.Random(0)
        weights = np.array([drawn.uniform(0.5, 1.5) for _ in chosen])
        tangent = _weighted(call, chosen, weights)
        expected, own = self.product(call, at, tangent), found @ weights
        scale = abs(found) @ weights + np.abs(expected)
        with np.errstate(invalid="ignore"):
            wrong = np.flatnonzero(np.abs(expected - own) > TOLERANCE * scale)
        if len(wrong):
            rows = ", ".join(map(str, wrong[:5])) + (", ..." if len(wrong) > 5 else "")
            raise RunError(
                f"the {self.kind} has entries outside of the pattern that was given: its product with a "
                f'direction differs in row{"s" * (len(wrong) > 1)} {rows}. sparsity="detect" finds the '
                f"pattern for these arguments; check=False leaves this test out"
            )


class SparseJacobian(SparseDerivative):
    """The function that `jacobian` returns. mode: "forward", "reverse", or None: the fewest passes."""

    kind = "sparse Jacobian"
    find = staticmethod(jacobian_pattern)

    def __init__(self, *how: Any, mode: str | None = None) -> None:
        if mode not in MODES:
            raise RunError(f'mode is "forward", "reverse" or None, not {mode!r}')
        super().__init__(*how)
        self.mode = mode

    def __reduce__(self) -> str | tuple[Any, ...]:
        return _jacobian, (*super().__reduce__()[1], self.mode)

    def plan(self, pattern: Any) -> tuple[Plan, tuple[list[Any], list[Any]]]:
        """Return the plan, and which entries each of its groups finds."""
        plan = planned(pattern, self.mode)
        return plan, plan.entries(pattern)

    def entries(
        self, call: Call, at: list[int], chosen: list[int], pattern: Any, plan: Any, again: Again
    ) -> Any:
        """See SparseDerivative."""
        plan, (by_columns, by_rows) = plan
        values = np.empty(pattern.nnz)
        directions = groups_of(plan.columns, np.asarray(chosen))
        columns = along_each(call, at, directions, again)[1] if directions else ()
        for (mine, rows), tangents in zip(by_columns, columns, strict=True):
            column = flat(tangents)
            _check_height(pattern, column)
            values[mine] = column[rows]
        rows_found = self._rows(call, at, groups_of(plan.rows, np.arange(pattern.shape[0])), pattern)
        for (mine, places_in_row), row in zip(by_rows, rows_found, strict=True):
            values[mine] = row[places_in_row]
        return values

    def _rows(self, call: Call, at: list[int], groups: list[list[int]], pattern: Any) -> Iterator[Any]:
        """Yield the sum of the rows of each group, by as many reversals of one run."""
        if not groups:
            return
        reversals = Reversals(call, self.schedule)
        try:
            _check_height(pattern, flat(numbers(enter(reversals.value))))
            for group in groups:
                xbar = call.unpacked(reversals.cotangent(unit_cotangent(group)))
                yield flat([number for i in at for number in numbers(xbar[i])])
        finally:
            reversals.close()

    def product(self, call: Call, at: list[int], tangent: Any) -> Any:
        """See SparseDerivative."""
        return flat(numbers(enter(call.run.jvp(tangent)[1])))


class SparseHessian(SparseDerivative):
    """The function that `hessian` returns with a sparsity."""

    kind = "sparse Hessian"
    find = staticmethod(hessian_pattern)

    def plan(self, pattern: Any) -> tuple[Any, Any]:
        """Return a colouring of the columns, and which entries are read by the groups of their columns."""
        if pattern.shape[0] != pattern.shape[1] or (pattern != pattern.T).nnz:
            raise RunError("the pattern of a Hessian is symmetric, and the one that was given is not")
        colours = symmetric(pattern)
        return colours, readable(pattern, colours)

    def entries(
        self, call: Call, at: list[int], chosen: list[int], pattern: Any, plan: tuple[Any, Any], again: Again
    ) -> Any:
        """See SparseDerivative."""
        colours, own = plan
        tangents = (direction(call, group) for group in groups_of(colours, np.asarray(chosen)))
        products = [self.product(call, at, tangent) for tangent in tangents]
        if not products:
            return np.zeros(0)
        found, (rows, columns) = np.array(products), coordinates(pattern)
        return np.where(own, found[colours[columns], rows], found[colours[rows], columns])

    def product(self, call: Call, at: list[int], tangent: Any) -> Any:
        """See SparseDerivative."""
        _, _, along = call.run.second(tangent, self.cotangent_of, self.schedule)
        return flat([number for i in at for number in numbers(call.unpacked(along)[i])])


def groups_of(colours: Any, places: Any) -> list[list[int]]:
    """Return the places of each colour, in their order; those with the colour -1 are in no group."""
    return [np.sort(places[colours == group]).tolist() for group in range(groups_in(colours))]


def _jacobian(*how: Any) -> SparseJacobian:
    """Return a sparse Jacobian that was pickled."""
    return SparseJacobian(*how[:-1], mode=how[-1])


def _pattern_of(sparsity: Any) -> Any:
    """Return a pattern as a matrix of booleans, "detect" itself."""
    if isinstance(sparsity, str):
        if sparsity != DETECT:
            raise RunError(f'sparsity is "detect" or a matrix, not {sparsity!r}')
        return sparsity
    if sp.issparse(sparsity):
        return _sorted(sparsity)
    found = np.asarray(sparsity)
    if found.ndim != 2:
        raise RunError(f"a pattern is a matrix, not an array of {found.ndim} axes")
    return _sorted(sp.csr_array(found != 0))


def _sorted(pattern: Any) -> Any:
    """Return a matrix that is true at the stored entries of another, in the order of rows."""
    found = sp.csr_array(pattern, copy=True)
    found.data = np.ones(len(found.data), bool)
    found.sum_duplicates()
    return found


def _check_height(pattern: Any, column: Any) -> None:
    if len(column) != pattern.shape[0]:
        raise RunError(f"the pattern has {pattern.shape[0]} rows, the value has {len(column)} reals")


def flat(found: Sequence[Any]) -> Any:
    """Return the reals in numbers as one array of NumPy's."""
    parts = [np.asarray(x.data if type(x) is Array else x, dtype=np.float64).ravel() for x in found]
    return np.concatenate(parts) if parts else np.zeros(0)


def _weighted(call: Call, chosen: Sequence[int], weights: Any) -> Any:
    """Return the tangent of all arguments with these numbers at the reals at `chosen`."""
    argument = call.run.argument
    found = numbers(argument)
    whole = np.zeros(sum(map(elements, found)))
    whole[list(chosen)] = weights
    tangents, start = [], 0
    for number in found:
        tangent, size = zero(number), elements(number)
        part = whole[start : start + size]
        if type(tangent) is Array:
            for k, weight in enumerate(part.tolist()):
                tangent.data.reshape(-1)[k] = weight
        else:
            tangent = float(part[0])
        tangents.append(tangent)
        start += size
    return tangent_of(argument, tangents)
