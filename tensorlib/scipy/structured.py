"""Matrices of a structure: scipy.linalg's block_diag, toeplitz, circulant, and systems with bands.

In a program these are translated. The derivatives of the solutions of systems with bands are those of dense
ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from checkpoint.prims.arrays import prim, translated_as
from tensorlib.scipy.matrices import of_scipy


def block_diag(*arrs: Any) -> Any:
    """See scipy.linalg.block_diag."""
    blocks = [np.atleast_2d(np.asarray(x)) for x in arrs] if arrs else [np.zeros((1, 0))]
    width = sum([x.shape[1] for x in blocks])
    rows, start = [], 0
    for x in blocks:
        after = width - start - x.shape[1]
        left, right = np.zeros((x.shape[0], start)), np.zeros((x.shape[0], after))
        rows.append(np.concatenate([left, x, right], axis=1))
        start += x.shape[1]
    return np.concatenate(rows)


def toeplitz(c: Any, r: Any = None) -> Any:
    """See scipy.linalg.toeplitz."""
    c = np.asarray(c)
    r = c if r is None else np.asarray(r)
    both = np.concatenate([c[::-1], r[1:]])
    rows, columns = np.arange(len(c))[:, None], np.arange(len(r))
    return both[len(c) - 1 - rows + columns]


def circulant(c: Any) -> Any:
    """See scipy.linalg.circulant."""
    c = np.asarray(c)
    return c[(np.arange(len(c))[:, None] - np.arange(len(c))) % len(c)]


def _dense(l_and_u: Any, ab: Any) -> Any:
    """Return the matrix whose diagonals are the rows of another one."""
    low, up = l_and_u
    size = ab.shape[1]
    total = np.zeros((size, size))
    for k in range(-low, up + 1):
        total = total + np.diag(ab[up - k, max(k, 0) : size + min(k, 0)], k)
    return total


def solve_banded(
    l_and_u: Any,
    ab: Any,
    b: Any,
    overwrite_ab: Any = False,
    overwrite_b: Any = False,
    check_finite: Any = True,
) -> Any:
    """See scipy.linalg.solve_banded."""
    ab, b = np.asarray(ab), np.asarray(b)
    found = of_scipy("solve_banded", (l_and_u, ab, b), {})
    return prim(
        "py.attached", found, lambda both: np.linalg.solve(_dense(l_and_u, both[0]), both[1]), (ab, b)
    )


def solveh_banded(
    ab: Any,
    b: Any,
    overwrite_ab: Any = False,
    overwrite_b: Any = False,
    lower: Any = False,
    check_finite: Any = True,
) -> Any:
    """See scipy.linalg.solveh_banded."""
    ab, b = np.asarray(ab), np.asarray(b)
    found = of_scipy("solveh_banded", (ab, b), {"lower": lower})
    count = ab.shape[0] - 1

    def by_numpy(both: Any) -> Any:
        half = _dense((count, 0) if lower else (0, count), both[0])
        return np.linalg.solve(half + half.T - np.diag(np.diag(half)), both[1])

    return prim("py.attached", found, by_numpy, (ab, b))


_TRANSLATIONS: dict[Any, Any] = {
    getattr(linalg, each.__name__): each
    for each in (block_diag, toeplitz, circulant, solve_banded, solveh_banded)
}
for _function, _written in _TRANSLATIONS.items():
    translated_as(_function, _written)
