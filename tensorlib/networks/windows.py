"""Windows over the places of arrays (n, channels, *places): their sizes, and their elements as columns.

For libraries without kernels of their own. Columns are made of arrays with the channels last, a row for each
window: then one product of matrices does the work of a convolution.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from math import prod
from typing import Any

from checkpoint.ad.array_library import zeros_beside

Sizes = tuple[int, ...]


def spans(kernel: Sizes, dilation: Sizes) -> Sizes:
    """Return how many places a window extends over."""
    return tuple([d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True)])


def counts(places: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Sizes:
    """Return how many windows there are along each axis."""
    found = []
    for n, span, s, p in zip(places, spans(kernel, dilation), stride, padding, strict=True):
        found.append((n + 2 * p - span) // s + 1)
    return tuple(found)


def padded(xp: Any, x: Any, before: Sizes, after: Sizes, first: int, fill: float = 0.0) -> Any:
    """Return an array with so many elements more before and after its places, whose first axis is `first`."""
    if not any(before) and not any(after):
        return x
    shape, index = list(x.shape), [slice(None)] * len(x.shape)
    for i, (low, high) in enumerate(zip(before, after, strict=True), first):
        index[i] = slice(low, low + shape[i])
        shape[i] += low + high
    whole = zeros_beside(x, tuple(shape), x.dtype)
    if fill:
        whole[...] = fill
    whole[tuple(index)] = x
    return whole


def windows(xp: Any, x: Any, first: int, kernel: Sizes, stride: Sizes, dilation: Sizes, found: Sizes) -> Any:
    """Return a view (before places, *windows, *kernel, after places) of an array that has been padded."""
    count = len(kernel)
    step = x.strides[first : first + count]
    strides = (
        *x.strides[:first],
        *[a * s for a, s in zip(step, stride, strict=True)],
        *[a * d for a, d in zip(step, dilation, strict=True)],
        *x.strides[first + count :],
    )
    shape = (*x.shape[:first], *found, *kernel, *x.shape[first + count :])
    return xp.lib.stride_tricks.as_strided(x, shape, strides)


def offsets(
    kernel: Sizes, stride: Sizes, dilation: Sizes, found: Sizes
) -> Iterator[tuple[Sizes, tuple[slice, ...]]]:
    """Yield each place in a window, and the slices of what all windows have there."""
    for at in itertools.product(*map(range, kernel)):
        parts = zip(at, stride, dilation, found, strict=True)
        yield at, tuple([slice(k * d, k * d + s * (n - 1) + 1, s) for k, s, d, n in parts])


class Geometry:
    """The windows of one convolution.

    channels: of the input. places: of the input. found: the windows along each axis.
    """

    def __init__(
        self,
        shape: Sizes,
        weight: Sizes,
        stride: Sizes,
        padding: Sizes,
        dilation: Sizes,
        groups: int,
    ) -> None:
        self.batch, self.channels, *places = shape
        self.places = tuple(places)
        self.kernel, self.outputs = tuple(weight[2:]), weight[0]
        self.stride, self.padding, self.dilation, self.groups = stride, padding, dilation, groups
        self.found = counts(self.places, self.kernel, stride, padding, dilation)
        self.rows = self.batch * prod(self.found)
        self.width = prod(self.kernel) * (self.channels // groups)

    def columns(self, xp: Any, x: Any) -> Any:
        """Return (groups, rows, elements of a window) for an input."""
        last = xp.ascontiguousarray(padded(xp, xp.moveaxis(x, 1, -1), self.padding, self.padding, 1))
        view = windows(xp, last, 1, self.kernel, self.stride, self.dilation, self.found)
        split = view.reshape((self.rows, prod(self.kernel), self.groups, -1))
        return xp.moveaxis(split, 2, 0).reshape((self.groups, self.rows, self.width))

    def matrices(self, xp: Any, weight: Any) -> Any:
        """Return (groups, elements of a window, outputs) for a weight."""
        split = weight.reshape((self.groups, -1, self.channels // self.groups, *self.kernel))
        return xp.moveaxis(split, (1, 2), (-1, -2)).reshape((self.groups, self.width, -1))

    def by_rows(self, xp: Any, y: Any) -> Any:
        """Return (groups, rows, outputs) for what is shaped like the result."""
        last = xp.moveaxis(y, 1, -1).reshape((self.rows, self.groups, -1))
        return xp.moveaxis(last, 1, 0)

    def forward(self, xp: Any, x: Any, weight: Any) -> Any:
        """Return the convolution."""
        found = self.columns(xp, x) @ self.matrices(xp, weight)
        last = xp.moveaxis(found, 0, 1).reshape((self.batch, *self.found, self.outputs))
        return xp.moveaxis(last, -1, 1)

    def to_input(self, xp: Any, g: Any, weight: Any) -> Any:
        """Return the input's cotangent, for that of the result."""
        columns = self.by_rows(xp, g) @ xp.swapaxes(self.matrices(xp, weight), 1, 2)
        parts = columns.reshape((self.groups, self.batch, *self.found, *self.kernel, -1))
        sizes = [n + 2 * p for n, p in zip(self.places, self.padding, strict=True)]
        each = self.channels // self.groups
        whole = zeros_beside(g, (self.batch, *sizes, self.groups, each), g.dtype)
        lead = (slice(None),) * (2 + len(self.found))
        for at, slices in offsets(self.kernel, self.stride, self.dilation, self.found):
            whole[(slice(None), *slices)] += xp.moveaxis(parts[(*lead, *at)], 0, -2)
        inside = [slice(p, p + n) for n, p in zip(self.places, self.padding, strict=True)]
        last = whole.reshape((self.batch, *sizes, self.channels))[(slice(None), *inside)]
        return xp.moveaxis(last, -1, 1)

    def to_weight(self, xp: Any, g: Any, x: Any) -> Any:
        """Return the weight's cotangent, for that of the result; the columns are made again."""
        found = xp.swapaxes(self.columns(xp, x), 1, 2) @ self.by_rows(xp, g)
        split = found.reshape((self.groups, *self.kernel, self.channels // self.groups, -1))
        moved = xp.moveaxis(split, (-1, -2), (1, 2))
        return moved.reshape((self.outputs, self.channels // self.groups, *self.kernel))
