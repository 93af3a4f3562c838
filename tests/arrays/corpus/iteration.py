"""Going over arrays: rows, elements, in step with others; arrays made of what comprehensions give."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.arrays.corpus import Example, filled


def rows(a: Any) -> Any:
    """For row in a."""
    total = np.zeros(a.shape[1])
    for row in a:
        total = total + row * row[0]
    return total


def elements(x: Any) -> Any:
    """For v in x: each is a NumPy scalar."""
    total = 1.0
    for v in x:
        total = total * (1.0 + v**2)
    return total


def enumerated(a: Any) -> Any:
    """enumerate, from another start."""
    total = 0.0
    for i, row in enumerate(a, 1):
        total += i * row.sum()
    return total


def zipped(x: Any, y: Any) -> Any:
    """Zip of arrays, of an array with a list and a range."""
    total = 0.0
    for a, b, c, i in zip(x, y, [1.0, 2.0, 3.0], range(3), strict=False):
        total += a * b * c + i
    return total


def unpacked_rows(points: Any) -> Any:
    """Rows are taken apart."""
    total = 0.0
    for x, y in points:
        total += np.hypot(x, y)
    (a, b), *others = points
    return total * a + b, others


def reversed_rows(a: Any) -> Any:
    """From the back, over a transposed matrix."""
    out = []
    for column in a.T:
        out.append(column.sum())
    for row in a[::-1]:
        out.append(row[0] * row[-1])
    return out


def in_comprehensions(x: Any) -> Any:
    """Lists, dictionaries, nested ones."""
    squares = [v * v for v in x if v > 0]
    table = {i: v for i, v in enumerate(x) if i > 0}
    products = np.array([[a * b for a in x] for b in x])
    return sum(squares), table[1], products


def stacked(x: Any) -> Any:
    """np.stack, np.concatenate, np.vstack of what a comprehension gives."""
    a = np.stack([x * i for i in range(3)], axis=1)
    b = np.concatenate([x[i:] for i in range(2)])
    return a, b, np.vstack([x, x[::-1]]), np.hstack([x, 1.0, b]), np.column_stack((x, 2 * x))


def array_of_scalars(x: Any) -> Any:
    """np.array of floats, ints and scalars."""
    t = float(x[0])
    rotation = np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])
    return rotation @ x[:2] + np.array([1, t]), np.array([x[1], 2, t * t]), np.asarray([x, x])


def array_of_rows(x: Any) -> Any:
    """np.array of arrays."""
    return np.array([x, x**2, np.ones(len(x))]).T


def appended(x: Any) -> Any:
    """A list that grows, then an array of it."""
    values = [x[0]]
    while len(values) < 5:
        values.append(0.5 * values[-1] + x[len(values) % len(x)])
    return np.array(values), np.mean(values), np.sum(values[1:])


def extremes(x: Any) -> Any:
    """Python's builtins over an array."""
    return max(x), min(x), sum(x), sorted(x)[1], len(x), abs(x), all(x > -9), any(x > 9)


def mapped(x: Any) -> Any:
    """map, filter, a generator."""
    doubled = list(map(lambda v: 2.0 * v, x))  # noqa: C417
    positive = list(filter(lambda v: v > 0, x))
    return doubled, positive, sum(v**3 for v in x), tuple(x)


def index_of_arrays(a: Any) -> Any:
    """np.arange and integer arrays as what a loop goes over."""
    total = 0.0
    for i in np.arange(a.shape[0]):
        for j in np.flatnonzero(a[i] > 0):
            total += a[i, j] * (i + j)
    return total


def lists_by_array_index(weights: list[Any], order: Any) -> Any:
    """A list of arrays is indexed by the elements of an array of integers."""
    x = weights[0]
    for i in order:
        x = x * weights[i]
    return x, weights[order[0]][0]


def reversed_elements(x: Any) -> Any:
    """reversed() as a value, not in a loop, gives the elements with their derivatives."""
    last, *others = reversed(x)
    return last * list(reversed(x))[1], [other * i for i, other in enumerate(others)]


EXAMPLES = [
    Example(reversed_elements, (filled(4),)),
    Example(rows, (filled(3, 2),)),
    Example(elements, (filled(4),)),
    Example(enumerated, (filled(3, 2),)),
    Example(zipped, (filled(3), filled(4))),
    Example(unpacked_rows, (filled(3, 2),)),
    Example(reversed_rows, (filled(2, 3),)),
    Example(in_comprehensions, (filled(3),)),
    Example(stacked, (filled(3),)),
    Example(array_of_scalars, (filled(2),)),
    Example(array_of_rows, (filled(3),)),
    Example(appended, (filled(2),)),
    Example(extremes, (filled(4),)),
    Example(mapped, (filled(3),)),
    Example(index_of_arrays, (filled(3, 3),)),
    Example(lists_by_array_index, ([filled(2), filled(2) + 1.0], np.array([1, 0, 1]))),
]
