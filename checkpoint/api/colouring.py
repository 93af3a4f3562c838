"""Which rows and columns of a sparse matrix are found together: colourings of patterns.

In: a pattern, a sparse matrix of booleans. Out: groups of columns that share no row, so that one derivative
along the sum of their directions holds all of their entries; of rows, likewise, for reverse mode; of both,
where a few full rows or columns would else take a group each; and of the columns of a symmetric matrix, of
which an entry may be read in either triangle (a star colouring). All are greedy, the fullest first, and
depend on the pattern alone.

Curtis, Powell and Reid 1974 (groups of columns); Coleman and Verma 1998 (of both); Gebremedhin, Manne and
Pothen 2005 (star colourings).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

MOST_PATHS = 20_000_000  # of length 2 and 3 that a star colouring may look at


class Plan(NamedTuple):
    """Says how the entries of a matrix are found, by their positions in the pattern.

    columns: for each column its group, -1 for none. rows: likewise for each row.
    by_row: for each entry of the pattern, in the order of rows, whether the group of its row gives it.
    """

    columns: Any
    rows: Any
    by_row: Any

    @property
    def passes(self) -> int:
        """The number of groups."""
        return groups_in(self.columns) + groups_in(self.rows)

    def entries(self, pattern: Any) -> tuple[list[Any], list[Any]]:
        """Return for each group of columns its entries in the pattern and their rows; then of rows."""
        rows, columns = coordinates(pattern)
        by_columns = np.where(self.by_row, -1, self.columns[columns])
        by_rows = np.where(self.by_row, self.rows[rows], -1)
        of_columns = _places(by_columns, groups_in(self.columns))
        of_rows = _places(by_rows, groups_in(self.rows))
        return [(at, rows[at]) for at in of_columns], [(at, columns[at]) for at in of_rows]


def _places(groups: Any, count: int) -> list[Any]:
    """Return where each of so many groups occurs; -1 is none."""
    order = np.argsort(groups, kind="stable")
    return np.split(order, np.searchsorted(groups[order], np.arange(count + 1)))[1:-1]


def groups_in(colours: Any) -> int:
    """Return the number of groups."""
    return int(colours.max(initial=-1)) + 1


def planned(pattern: Any, mode: str | None = None) -> Plan:
    """Return the plan with the fewest groups: of columns, of rows, or of both. mode: by which alone."""
    best: Plan | None = None
    for by_row, bound in _candidates(pattern, mode):
        if best is None or bound < best.passes:
            plan = _plan(pattern, by_row)
            best = plan if best is None or plan.passes < best.passes else best
    assert best is not None
    return best


def _candidates(pattern: Any, mode: str | None) -> Iterator[tuple[Any, int]]:
    """Yield which entries to find by rows, the others by columns, and how many groups that takes at least."""
    rows, columns = coordinates(pattern)
    by_row, by_column = np.bincount(rows, minlength=1), np.bincount(columns, minlength=1)
    nothing = np.zeros(len(rows), bool)
    if mode != "reverse":
        yield nothing, int(by_row.max())
    if mode != "forward":
        yield ~nothing, int(by_column.max())
    peeled = 1
    while mode is None and peeled * 2 <= min(by_row.max(), by_column.max()):
        for counts, places, of_row in ((by_row, rows, True), (by_column, columns, False)):
            if peeled < len(counts):
                full = np.argsort(-counts, kind="stable")[:peeled]
                chosen = np.isin(places, full)
                rest = np.delete(counts, full).max(initial=0)
                yield (chosen if of_row else ~chosen), int(rest) + 1
        peeled *= 2


def _plan(pattern: Any, by_row: Any) -> Plan:
    rows, columns = coordinates(pattern)
    others = ~by_row
    of_columns = sp.csr_array((others[others], (rows[others], columns[others])), shape=pattern.shape)
    of_rows = sp.csr_array((by_row[by_row], (rows[by_row], columns[by_row])), shape=pattern.shape)
    return Plan(columns_apart(of_columns), columns_apart(of_rows.T.tocsr()), by_row)


def coordinates(pattern: Any) -> tuple[Any, Any]:
    """Return rows and columns of a pattern's entries, in the order of rows."""
    return np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr)), pattern.indices


def columns_apart(pattern: Any) -> Any:
    """Return a group for each column, in two of which no row has entries; -1 for an empty column."""
    counts = np.bincount(pattern.indices, minlength=pattern.shape[1])
    colours = np.full(pattern.shape[1], -1)
    if not len(pattern.indices):
        return colours
    if np.diff(pattern.indptr).max() == np.count_nonzero(counts):  # a row has them all
        colours[counts > 0] = np.arange(np.count_nonzero(counts))
        return colours
    by_column = pattern.tocsc()
    rows, starts = by_column.indices.tolist(), by_column.indptr.tolist()
    used = [0] * pattern.shape[0]  # the colours in each row, as the bits of an int
    for column in np.argsort(-counts, kind="stable").tolist():
        own = rows[starts[column] : starts[column + 1]]
        taken = 0
        for row in own:
            taken |= used[row]
        least = ~taken & (taken + 1)
        for row in own:
            used[row] |= least
        if own:
            colours[column] = least.bit_length() - 1
    return colours


def symmetric(pattern: Any) -> Any:
    """Return a group for each column of a symmetric pattern, such that `readable` finds each entry."""
    degrees = np.diff(pattern.indptr)
    if float(np.sum(degrees.astype(float) ** 2)) > MOST_PATHS:
        return columns_apart(pattern)
    near = [
        [int(w) for w in pattern.indices[pattern.indptr[v] : pattern.indptr[v + 1]] if w != v]
        for v in range(len(degrees))
    ]
    colours = [-1] * len(degrees)
    for v in np.argsort(-degrees, kind="stable").tolist():
        if degrees[v]:
            taken = _not_allowed(v, near, colours)
            colours[v] = next(colour for colour in count() if colour not in taken)
    return np.array(colours)


def _not_allowed(v: int, near: list[list[int]], colours: list[int]) -> set[int]:
    """Return the colours of a vertex with which two colours would form a path of four vertices."""
    taken = set()
    for w in near[v]:
        own = colours[w]
        if own >= 0:
            taken.add(own)
        for x in near[w]:
            other = colours[x]
            if other < 0 or x == v or other in taken:
                continue
            if own < 0 or any(y != w and colours[y] == own for y in near[x]):
                taken.add(other)
    return taken


def readable(pattern: Any, colours: Any) -> Any:
    """Return for each entry whether its column's group gives it; else that of its row, of a symmetric matrix.

    The group of j gives the entry (i, j) if no other column of the group has an entry in row i.
    """
    rows, columns = coordinates(pattern)
    keys = rows * (groups_in(colours) + 1) + colours[columns]
    _, places, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return counts[places] == 1
