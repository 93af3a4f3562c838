"""Histograms, and the edges of their bins, of one and of several variables.

Which bin an element is in is constant. Edges move with the data that they are taken from: the first is the
least element, the last the greatest, and the others lie between them in equal distances; edges that are
given, or ends given as a range, move with what is given.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.prims.arrays import translated_as
from tensorlib.reductions.grouping import counted


def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    """See numpy.histogram."""
    counts, fixed = counted(a, bins, range)
    a = np.ravel(np.asarray(a))
    edges = _edges_of(a, bins, range, fixed)
    if weights is not None:
        counts = _weights_within(a, bins, fixed, np.ravel(np.asarray(weights)))
    if density:
        return counts / np.diff(edges) / np.sum(counts), edges
    return counts, edges


def _edges_of(a: Any, bins: Any, range: Any, fixed: Any) -> Any:
    """Return edges with their derivatives; fixed: the same edges as constants."""
    if np.ndim(bins) == 1:
        return np.asarray(bins)
    return _between(a, range, len(fixed) - 1).astype(fixed.dtype)


def _between(a: Any, range: Any, count: Any) -> Any:
    """Return the edges of bins of equal width, from the least element of an array to the greatest."""
    if range is not None:
        first, last = range
    elif a.size == 0:
        first, last = 0, 1
    else:
        first, last = np.min(a), np.max(a)
    if first == last:
        first, last = first - 0.5, last + 0.5
    return np.linspace(first, last, count + 1)


def _weights_within(a: Any, bins: Any, edges: Any, weights: Any) -> Any:
    """Return the sum of the weights in each bin, added in NumPy's order."""
    if np.ndim(bins) == 1:
        order = np.argsort(a)
        found = a[order]
        sums = np.concatenate([np.zeros(1, weights.dtype), np.cumsum(weights[order])])
        left = np.searchsorted(found, edges[:-1], side="left")
        return np.diff(sums[np.append(left, np.searchsorted(found, edges[-1], side="right"))])
    inside = np.logical_and(a >= edges[0], a <= edges[-1])
    last = len(edges) - 2
    places = np.minimum(np.searchsorted(edges, a[inside], side="right") - 1, last)
    return np.bincount(places, weights=weights[inside], minlength=last + 1).astype(weights.dtype)


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """See numpy.histogram_bin_edges."""
    if weights is not None and isinstance(bins, str):
        raise TypeError("Automated estimation of the number of bins is not supported for weighted data")
    _, fixed = counted(a, bins, range)
    return _edges_of(np.ravel(np.asarray(a)), bins, range, fixed)


def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """See numpy.histogramdd."""
    columns = _columns(sample)
    n = len(columns)
    if _is_number(bins):
        bins = [bins] * n
    if len(bins) != n:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    ranges = [None] * n if range is None else range
    if len(ranges) != n:
        raise ValueError("range argument must have one entry per dimension")
    edges = [_edges_of_column(*each) for each in zip(columns, bins, ranges, strict=True)]
    found = _counts(columns, edges, weights)
    if density:
        total = np.sum(found)
        for i, each in enumerate(edges):
            found = found / np.diff(each).reshape((1,) * i + (-1,) + (1,) * (n - i - 1))
        found = found / total
    return found, edges


def _is_number(bins: Any) -> Any:
    """Return whether all variables have the same number of bins."""
    return not isinstance(bins, list | tuple) and np.ndim(bins) == 0


def _columns(sample: Any) -> Any:
    """Return the variables of a sample: the columns of a matrix, or the arrays of a list."""
    if isinstance(sample, np.ndarray) and sample.ndim == 2:
        return list(sample.T)
    return [np.asarray(each) for each in ([sample] if isinstance(sample, np.ndarray) else sample)]


def _edges_of_column(a: Any, bins: Any, range: Any) -> Any:
    """Return the edges of the bins of one variable of several."""
    if np.ndim(bins) == 0 and bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    counted(a, bins, range)  # NumPy's errors
    return np.asarray(bins) if np.ndim(bins) == 1 else _between(a, range, bins)


def _counts(columns: Any, edges: Any, weights: Any) -> Any:
    """Return the number, or the sum of the weights, of the points in each bin."""
    place = np.zeros(len(columns[0]), dtype=np.int64)
    inside = np.ones(len(columns[0]), dtype=bool)
    shape = tuple([len(each) - 1 for each in edges])
    for a, each, count in zip(columns, edges, shape, strict=True):
        found = np.searchsorted(each, a, side="right") - np.where(a == each[-1], 1, 0)
        inside = np.logical_and(inside, np.logical_and(found > 0, found <= count))
        place = place * count + found - 1
    kept = None if weights is None else np.asarray(weights)[inside]
    size = np.prod(np.array(shape))
    return np.reshape(np.bincount(place[inside], weights=kept, minlength=int(size)), shape) + 0.0


def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:
    """See numpy.histogram2d."""
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    if not _is_number(bins) and len(bins) not in (1, 2):
        bins = [np.asarray(bins), np.asarray(bins)]
    found, edges = histogramdd([x, y], bins, range, density, weights)
    return found, edges[0], edges[1]


translated_as(np.histogram, histogram)
translated_as(np.histogram_bin_edges, histogram_bin_edges)
translated_as(np.histogramdd, histogramdd)
translated_as(np.histogram2d, histogram2d)
