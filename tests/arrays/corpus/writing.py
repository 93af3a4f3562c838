"""Arrays that are changed in place by the function that made them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.arrays.corpus import Example, filled


def element_by_element(x: Any) -> Any:
    """y[i] = v."""
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] ** 2 + 1.0
    return y


def recurrence(x: Any, n: int) -> Any:
    """Each element from the two before."""
    f = np.zeros(n)
    f[0], f[1] = x, 1.0
    for i in range(2, n):
        f[i] = f[i - 1] * f[i - 2] - 0.5 * f[i - 1]
    return f


def row_by_row(x: Any) -> Any:
    """A table of powers."""
    out = np.empty((3, len(x)))
    for k in range(3):
        out[k] = x**k
    out[:, 0] = out[:, -1] * 2.0
    return out


def stencil(u: Any, steps: int) -> Any:
    """u[1:-1] += v on a copy."""
    u = u.copy()
    for _ in range(steps):
        u[1:-1] += 0.2 * (u[:-2] - 2.0 * u[1:-1] + u[2:])
        u[0] = u[-1] = 0.0
    return u


def augmented(x: Any) -> Any:
    """All operators in place, of the whole and of parts."""
    a = np.array(x)
    a += x
    a *= 2.0
    a -= x[::-1]
    a /= 1.5
    a **= 2
    a[0] += a[1]
    a[1:] *= x[1:]
    a[::2] -= 1.0
    a[-1] /= a[0]
    return a


def by_mask(x: Any) -> Any:
    """out[mask] = v, out[mask] += v."""
    out = x * 1.0
    out[out < 0] = 0.0
    out[x > 0.5] = x[x > 0.5] ** 2
    out[(x > 0) & (x < 0.5)] += 3.0
    return out


def by_indices(x: Any) -> Any:
    """Writing at arrays of integers, repeated too: the last one counts."""
    out = np.zeros(5)
    out[[0, 2]] = x[:2]
    out[np.array([1, 1, 3])] = x[:3]
    out[np.arange(2) + 3] *= x[1]
    return out


def matrix_parts(a: Any) -> Any:
    """Rows, columns, blocks and the diagonal."""
    b = np.zeros_like(a)
    n = a.shape[0]
    b[0] = a[1]
    b[:, 1] = a[:, 0] * 2.0
    b[1:, 2:] = a[:-1, :1]
    b[np.arange(n), np.arange(n)] += a.sum(axis=1)
    b[-1, -1] = 7.0
    b[...] = b * 0.5
    return b


def gauss(a: Any, b: Any) -> Any:
    """Elimination with pivots, the matrix changed row by row."""
    m = np.column_stack([a, b])
    n = len(b)
    for i in range(n):
        p = i + int(np.argmax(np.abs(m[i:, i])))
        if p != i:
            m[[i, p]] = m[[p, i]]
        for j in range(i + 1, n):
            m[j] -= m[i] * (m[j, i] / m[i, i])
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (m[i, -1] - m[i, i + 1 : n] @ x[i + 1 :]) / m[i, i]
    return x


def cholesky(a: Any) -> Any:
    """By its formula, element by element."""
    n = len(a)
    low = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j] - np.sum(low[i, :j] * low[j, :j])
            low[i, j] = np.sqrt(s) if i == j else s / low[j, j]
    return low


def overwritten(x: Any) -> Any:
    """What was read before a write keeps its value."""
    y = x + 0.0
    first = y[0] * y[1]
    y[0] = 5.0
    second = y[0] * y[1]
    y[:] = y * first
    return y, first, second


def history(x: Any) -> Any:
    """Copies of a changing array are kept."""
    kept = []
    u = x.copy()
    for i in range(3):
        u[i % 2] *= u[(i + 1) % 2]
        kept.append(u.copy())
    return np.array(kept), u


def counting(x: Any) -> Any:
    """np.add.at with repeated indices."""
    bins = np.zeros(3)
    np.add.at(bins, np.array([0, 1, 1, 2, 0]), x**2)
    return bins


def filling(x: Any) -> Any:
    """Methods and functions that change an array."""
    a = np.ones((3, 3))
    a.fill(x[0])
    np.fill_diagonal(a, x[1] * x[2])
    b = np.empty(3)
    np.copyto(b, x**2)
    return a, b


def conditional(x: Any) -> Any:
    """A write on one way only."""
    y = np.sin(x)
    if y.sum() > 0:
        y[0] = x[1]
    else:
        y[1:] = 0.0
    return y * x


def sorted_along(x: Any) -> Any:
    """The method sort of arrays takes an axis and an algorithm, that of lists none."""
    first, second, row = x.copy(), x.copy(), x.copy()
    caught: Any = []
    first.sort(axis=0)
    second.sort(0, kind="stable")
    row[1].sort(kind="stable")
    try:
        caught.sort(0)
    except TypeError as error:
        caught.append(str(error))
    return first * x, second, row, np.linalg.matrix_transpose(x), caught


def sorted_by_swaps(x: Any) -> Any:
    """Bubble sort."""
    y = x.copy()
    for i in range(len(y)):
        for j in range(len(y) - 1 - i):
            if y[j] > y[j + 1]:
                y[j], y[j + 1] = y[j + 1], y[j]
    return y * np.arange(len(y))


def integers(x: Any) -> Any:
    """An array of integers that is changed, and used as an index."""
    order = np.zeros(len(x), dtype=int)
    for i in range(len(x)):
        order[i] = np.sum(x < x[i])
    order += 1
    order[0] -= 1
    return x[order % len(x)], order


def constants_between(x: Any) -> Any:
    """A table without derivatives that is changed in place between its uses."""
    table = np.ones(len(x))
    first = table * x
    table[0] = 5.0
    table += 1.0
    second = table * x
    table[1:] = 0.0
    return np.sum(first) + np.sum(second * second) + np.sum(table * x)


SCREWS = filled(3, 6).T  # in Fortran's order


def copied_in_the_order_of_c(x: Any) -> Any:
    """The method copy gives C's order, the function keeps that of the array: sums add in another order."""
    by_method = SCREWS.copy()
    by_method[:, 1] = x * SCREWS[:, 0]
    by_function = np.copy(SCREWS)
    by_function[:, 1] = x * SCREWS[:, 0]
    rows = (x * SCREWS).copy()
    rows[:, 2] += x
    return by_method.sum(), by_function.sum(), rows.sum(), np.array(rows.T).copy().sum()


def changed_copies(x: Any) -> Any:
    """Change what lists, masks and booleans select: that is a copy, and nothing else changes."""
    a, rows = np.outer(x, x), [0, 1]
    a[rows][:, 0] = x[0]
    a[a > 0.0][0] += 1.0
    a[:, rows][0] *= 2.0
    a[True][0].fill(3.0)
    a[1:][0][0] = x[1]
    a[np.int64(0)][1] += x[2]
    return a, a.sum()


def made_read_only(x: Any) -> Any:
    """setflags: what is written to a read-only array raises NumPy's error."""
    y, caught = x * x, []
    y.setflags(write=False)
    try:
        y[0] = 1.0
    except ValueError as error:
        caught.append(str(error))
    total = np.sum(y * x)
    y.setflags(write=True)
    y[0] = 2.0 * x[1]
    return total, y, caught


EXAMPLES = [
    Example(sorted_along, (filled(2, 3) * np.array([[1.0], [-1.0]]),)),
    Example(changed_copies, (filled(3),)),
    Example(made_read_only, (filled(3),)),
    *[Example(copied_in_the_order_of_c, (x,)) for x in (0.1, 0.3, 0.7, 1.1)],
    Example(element_by_element, (filled(4),)),
    Example(recurrence, (1.5, 6)),
    Example(row_by_row, (filled(3),)),
    Example(stencil, (filled(6), 3)),
    Example(augmented, (filled(4),)),
    Example(by_mask, (filled(6),)),
    Example(by_indices, (filled(3),)),
    Example(matrix_parts, (filled(3, 3),)),
    Example(gauss, (filled(3, 3), filled(3))),
    Example(cholesky, (filled(3, 3) @ filled(3, 3).T + np.eye(3),)),
    Example(overwritten, (filled(3),)),
    Example(history, (filled(2),)),
    Example(counting, (filled(5),)),
    Example(filling, (filled(3),)),
    Example(conditional, (filled(3),)),
    Example(conditional, (filled(3) - 1.0,)),
    Example(sorted_by_swaps, (filled(4),)),
    Example(integers, (filled(4),)),
    Example(constants_between, (filled(4),)),
]
