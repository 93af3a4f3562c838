"""Operators of sequences: lists of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.prims.arrays import onnx_operator
from tensorlib.onnx.shapes import split


@onnx_operator("SequenceConstruct")
def construct(*xs: Any) -> Any:
    """Return the list of the arrays."""
    return list(xs)


@onnx_operator("SequenceEmpty")
def empty(*, dtype: Any = 1) -> Any:
    """Return an empty list."""
    return []


@onnx_operator("SequenceAt", structural=("position",))
def item(xs: Any, position: Any) -> Any:
    """Return an array of a list."""
    return xs[position]


@onnx_operator("SequenceInsert", structural=("position",))
def insert(xs: Any, x: Any, position: Any = None) -> Any:
    """Return a list with one more array, at the end unless a position is named."""
    return [*xs, x] if position is None else [*xs[:position], x, *xs[position:]]


@onnx_operator("SequenceErase", structural=("position",))
def erase(xs: Any, position: Any = None) -> Any:
    """Return a list without one array, the last unless a position is named."""
    at = len(xs) - 1 if position is None else position % len(xs)
    return [*xs[:at], *xs[at + 1 :]]


@onnx_operator("SequenceLength", shows_shape=True)
def length(xs: Any) -> Any:
    """Return the number of arrays of a list."""
    return np.array(len(xs))


@onnx_operator("ConcatFromSequence")
def joined(xs: Any, *, axis: Any, new_axis: Any = 0) -> Any:
    """Return the arrays of a list joined along an axis, or stacked along a new one."""
    return np.stack(xs, axis=axis) if new_axis else np.concatenate(xs, axis=axis)


@onnx_operator("SplitToSequence", structural=("sizes",))
def split_to_list(x: Any, sizes: Any = None, *, axis: Any = 0, keepdims: Any = 1) -> Any:
    """Return x in parts along an axis: of these sizes, of one size, or one by one."""
    n = x.shape[axis]
    each = 1 if sizes is None else sizes
    if isinstance(each, int):
        rest = [n % each] if n % each else []
        each = [each] * (n // each) + rest
    parts = list(split(x, each, outputs=len(each), axis=axis))
    return parts if keepdims or sizes is not None else [np.squeeze(part, axis) for part in parts]
