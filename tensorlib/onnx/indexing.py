"""Operators that choose elements: gathering, scattering, the places of the largest."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.errors import refusal
from checkpoint.prims.arrays import onnx_operator
from tensorlib.layout.transfer import beside, cast


@onnx_operator("Gather")
def gather(x: Any, indices: Any, *, axis: Any = 0) -> Any:
    """Return the parts of x along an axis that the indices name."""
    return np.take(x, indices, axis=axis)


@onnx_operator("GatherElements")
def gather_elements(x: Any, indices: Any, *, axis: Any = 0) -> Any:
    """Return for each place of the indices the element of x there that they name along an axis."""
    n = x.shape[axis]
    return np.take_along_axis(x, np.where(np.less(indices, 0), indices + n, indices), axis)


@onnx_operator("GatherND")
def gather_nd(x: Any, indices: Any, *, batch_dims: Any = 0) -> Any:
    """Return the parts of x that the last axis of the indices names, after the axes of the batch."""
    index = [indices[..., i] for i in range(indices.shape[-1])]
    for axis in range(batch_dims - 1, -1, -1):
        counts = np.arange(x.shape[axis])
        rest = [1] * (len(indices.shape) - 2 - axis)
        index = [beside(np.reshape(counts, (x.shape[axis], *rest)), indices), *index]
    return x[tuple(index)]


def _places(x: Any, indices: Any, axis: Any) -> Any:
    """Return the index of all places of the indices, with these along an axis."""
    rank = len(x.shape)
    found = []
    for i in range(rank):
        counts = np.arange(indices.shape[i])
        counts = np.reshape(counts, tuple([-1 if j == i else 1 for j in range(rank)]))
        found.append(indices if i == axis % rank else beside(counts, indices))
    return tuple(found)


@onnx_operator("ScatterElements", "Scatter")
def scatter_elements(x: Any, indices: Any, updates: Any, *, axis: Any = 0, reduction: Any = "none") -> Any:
    """Return x with the updates in the places that the indices name along an axis."""
    return _scattered(x, _places(x, indices, axis), updates, reduction)


@onnx_operator("ScatterND")
def scatter_nd(x: Any, indices: Any, updates: Any, *, reduction: Any = "none") -> Any:
    """Return x with the updates in the places that the last axis of the indices names."""
    places = tuple([indices[..., i] for i in range(indices.shape[-1])])
    return _scattered(x, places, updates, reduction)


def _scattered(x: Any, places: Any, updates: Any, reduction: Any) -> Any:
    found = np.copy(x)
    if reduction == "none":
        found[places] = updates
    elif reduction == "add":
        np.add.at(found, places, updates)
    else:
        raise refusal(f"a scatter with reduction={reduction!r} has no rule: only none and add have")
    return found


@onnx_operator("OneHot", structural=("depth",))
def one_hot(indices: Any, depth: Any, values: Any, *, axis: Any = -1) -> Any:
    """Return values[1] in the places that the indices name along a new axis, values[0] elsewhere."""
    depth = int(depth[0] if isinstance(depth, list) else depth)
    rank = len(indices.shape) + 1
    axis = axis % rank
    counts = np.reshape(np.arange(depth), tuple([-1 if i == axis else 1 for i in range(rank)]))
    named = np.expand_dims(np.remainder(indices, depth), axis)
    inside = np.logical_and(np.expand_dims(indices, axis) >= -depth, np.expand_dims(indices, axis) < depth)
    chosen = np.logical_and(np.equal(named, beside(counts, indices)), inside)
    return np.where(chosen, values[1], values[0])


@onnx_operator("NonZero")
def non_zero(x: Any) -> Any:
    """Return the places of the elements that are not zero, a row for each axis."""
    return np.stack(np.nonzero(x))


@onnx_operator("Compress")
def compress(x: Any, condition: Any, *, axis: Any = None) -> Any:
    """Return the parts of x along an axis for which the condition holds."""
    places = np.nonzero(condition)[0]
    return np.take(np.reshape(x, (-1,)), places) if axis is None else np.take(x, places, axis=axis)


@onnx_operator("ArgMax")
def argmax(x: Any, *, axis: Any = 0, keepdims: Any = 1, select_last_index: Any = 0) -> Any:
    """Return the place of the largest element along an axis, the first of several."""
    if select_last_index:
        found = x.shape[axis] - 1 - np.argmax(np.flip(x, axis), axis=axis)
    else:
        found = np.argmax(x, axis=axis)
    return np.expand_dims(found, axis) if keepdims else found


@onnx_operator("ArgMin")
def argmin(x: Any, *, axis: Any = 0, keepdims: Any = 1, select_last_index: Any = 0) -> Any:
    """Return the place of the smallest element along an axis, the first of several."""
    found = argmax(-x, axis=axis, keepdims=keepdims, select_last_index=select_last_index)
    return cast(found, "int64")


@onnx_operator("TopK", since=10, structural=("k",))
def top_k(x: Any, k: Any, *, outputs: Any, axis: Any = -1, largest: Any = 1, sorted: Any = 1) -> Any:
    """Return the k largest elements along an axis in falling order, and their places; or the smallest."""
    if largest:
        order = x.shape[axis] - 1 - np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)
    else:
        order = np.argsort(x, axis=axis, kind="stable")
    places = np.take(order, beside(np.arange(k[0] if isinstance(k, list) else k), x), axis=axis)
    return (np.take_along_axis(x, places, axis), places)[:outputs]


@onnx_operator("CumSum", structural=("axis",))
def cumulative_sum(x: Any, axis: Any, *, exclusive: Any = 0, reverse: Any = 0) -> Any:
    """Return the sums of all elements so far along an axis."""
    axis = axis[0] if isinstance(axis, list) else axis
    if reverse:
        x = np.flip(x, axis)
    found = cast(np.cumsum(x, axis=axis), x)
    if exclusive:
        found = found - x
    return np.flip(found, axis) if reverse else found
