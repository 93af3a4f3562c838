"""Operators that move elements: shapes, axes, slices, padding, joining, splitting."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.prims.arrays import onnx_operator
from tensorlib.layout.transfer import beside, cast, place_of, placed
from tensorlib.networks.padding import pad
from tensorlib.onnx.elementwise import dtype_name

onnx_operator("checkpoint.place_of")(place_of)
onnx_operator("checkpoint.placed")(placed)


@onnx_operator("Shape", shows_shape=True)
def shape(x: Any, *, start: Any = 0, end: Any = None) -> Any:
    """Return the shape of x, or a part of it."""
    return np.array(x.shape[start:end], dtype=np.int64)


@onnx_operator("Size", shows_shape=True)
def size(x: Any) -> Any:
    """Return the number of elements of x."""
    return np.array(_product(x.shape), dtype=np.int64)


def _product(sizes: Any) -> Any:
    found = 1
    for each in sizes:
        found = found * each
    return found


@onnx_operator("Reshape", since=5, structural=("shape",))
def reshape(x: Any, shape: Any, *, allowzero: Any = 0) -> Any:
    """Return x in a shape; -1 is what is left, and 0 the size that the axis has."""
    if not allowzero:
        shape = [x.shape[i] if n == 0 else n for i, n in enumerate(shape)]
    return np.reshape(x, tuple(shape))


@onnx_operator("Reshape", until=4)
def reshape_by_attribute(x: Any, *, shape: Any) -> Any:
    """Return x in a shape."""
    return reshape(x, shape)


def axes_of(axes: Any) -> Any:
    """Return the axes that one number or a list names, as a tuple."""
    return (axes,) if isinstance(axes, int) else tuple(axes)


@onnx_operator("Flatten")
def flatten(x: Any, *, axis: Any = 1) -> Any:
    """Return x as a matrix: the axes before one, and those from it on."""
    return np.reshape(x, (_product(x.shape[:axis]), _product(x.shape[axis:])))


@onnx_operator("Squeeze", since=13, structural=("axes",))
def squeeze(x: Any, axes: Any = None) -> Any:
    """Return x without axes of size 1."""
    return np.squeeze(x) if axes is None else np.squeeze(x, axes_of(axes))


@onnx_operator("Squeeze", until=12)
def squeeze_by_attribute(x: Any, *, axes: Any = None) -> Any:
    """Return x without axes of size 1."""
    return squeeze(x, axes)


@onnx_operator("Unsqueeze", since=13, structural=("axes",))
def unsqueeze(x: Any, axes: Any) -> Any:
    """Return x with new axes of size 1, at these places of the result."""
    return np.expand_dims(x, axes_of(axes))


@onnx_operator("Unsqueeze", until=12)
def unsqueeze_by_attribute(x: Any, *, axes: Any) -> Any:
    """Return x with new axes of size 1, at these places of the result."""
    return unsqueeze(x, axes)


@onnx_operator("Transpose")
def transpose(x: Any, *, perm: Any = None) -> Any:
    """Return x with its axes in an order, reversed without one."""
    return np.transpose(x) if perm is None else np.transpose(x, tuple(perm))


@onnx_operator("Concat")
def concat(*xs: Any, axis: Any = 1) -> Any:
    """Return the arrays joined along an axis."""
    return xs[0] if len(xs) == 1 else np.concatenate(xs, axis=axis)


@onnx_operator("Expand", structural=("shape",))
def expand(x: Any, shape: Any) -> Any:
    """Return x broadcast with a shape."""
    count = max(len(shape), len(x.shape))
    old = [1] * (count - len(x.shape)) + list(x.shape)
    new = [1] * (count - len(shape)) + list(shape)
    return np.broadcast_to(x, tuple([m if n == 1 else n for m, n in zip(old, new, strict=True)]))


@onnx_operator("Tile", since=6, structural=("repeats",))
def tile(x: Any, repeats: Any) -> Any:
    """Return x repeated along each axis."""
    return np.tile(x, tuple(repeats))


# Parts


@onnx_operator("Split", since=13, structural=("split",))
def split(x: Any, split: Any = None, *, outputs: Any, axis: Any = 0, num_outputs: Any = None) -> Any:
    """Return x in parts along an axis, of these sizes, or of one size but for the last."""
    if split is None:
        each = -(-x.shape[axis] // outputs)
        split = [each] * (outputs - 1)
        split = [*split, x.shape[axis] - each * (outputs - 1)]
    parts = []
    start = 0
    for n in split:
        parts.append(_part(x, axis, start, start + n, 1))
        start = start + n
    return tuple(parts)


@onnx_operator("Split", until=12)
def split_by_attribute(x: Any, *, outputs: Any, axis: Any = 0, split: Any = None) -> Any:
    """Return x in parts along an axis."""
    return _split(x, split, outputs, axis)


def _split(x: Any, sizes: Any, outputs: Any, axis: Any) -> Any:
    return split(x, sizes, outputs=outputs, axis=axis)


def _part(x: Any, axis: Any, start: Any, end: Any, step: Any) -> Any:
    """Return a slice of x along an axis."""
    axis = axis % len(x.shape)
    return x[(*[slice(None)] * axis, slice(start, end, step))]


@onnx_operator("Slice", since=10, structural=("starts", "ends", "axes", "steps"))
def slices(x: Any, starts: Any, ends: Any, axes: Any = None, steps: Any = None) -> Any:
    """Return a part of x; steps may be negative."""
    axes = list(range(len(starts))) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        n = x.shape[axis]
        if step > 0:
            x = _part(x, axis, start, end, step)
        else:
            first = min(start + n if start < 0 else start, n - 1)
            last = max(end + n if end < 0 else end, -1)
            x = np.take(x, beside(np.arange(first, last, step), x), axis=axis)
    return x


@onnx_operator("Slice", until=9)
def slices_by_attributes(x: Any, *, starts: Any, ends: Any, axes: Any = None) -> Any:
    """Return a part of x."""
    return slices(x, starts, ends, axes)


@onnx_operator("Pad", since=11, structural=("pads", "axes"))
def padded(x: Any, pads: Any, value: Any = None, axes: Any = None, *, mode: Any = "constant") -> Any:
    """Return x with so many elements before, then after, each of the axes."""
    rank = len(x.shape)
    axes = list(range(rank)) if axes is None else [axis % rank for axis in axes]
    before, after = [0] * rank, [0] * rank
    for i, axis in enumerate(axes):
        before[axis], after[axis] = pads[i], pads[i + len(axes)]
    pairs = []
    for axis in range(rank - 1, -1, -1):
        pairs.append(before[axis])
        pairs.append(after[axis])
    if mode == "constant":
        return pad(x, tuple(pairs), "constant", 0.0 if value is None else float(np.reshape(value, ())))
    names = {"edge": "replicate", "reflect": "reflect", "wrap": "circular"}
    return pad(x, tuple(pairs), names[mode])


@onnx_operator("Pad", until=10)
def padded_by_attributes(x: Any, *, pads: Any, value: Any = 0.0, mode: Any = "constant") -> Any:
    """Return x with so many elements before, then after, all axes."""
    return padded(x, pads, value, mode=mode)


@onnx_operator("Trilu", structural=("k",))
def trilu(x: Any, k: Any = 0, *, upper: Any = 1) -> Any:
    """Return x with zeros below, or above, a diagonal of its last two axes."""
    rows = np.arange(x.shape[-2])[:, None]
    columns = np.arange(x.shape[-1])[None, :]
    keeps = columns >= rows + k if upper else columns <= rows + k
    return np.where(beside(keeps, x), x, x * 0)


@onnx_operator("DepthToSpace")
def depth_to_space(x: Any, *, blocksize: Any, mode: Any = "DCR") -> Any:
    """Return x (n, channels, height, width) with blocks of channels laid out in the plane."""
    n, channels, height, width = x.shape
    b = blocksize
    left = channels // (b * b)
    if mode == "DCR":
        y = np.transpose(np.reshape(x, (n, b, b, left, height, width)), (0, 3, 4, 1, 5, 2))
    else:
        y = np.transpose(np.reshape(x, (n, left, b, b, height, width)), (0, 1, 4, 2, 5, 3))
    return np.reshape(y, (n, left, height * b, width * b))


@onnx_operator("SpaceToDepth")
def space_to_depth(x: Any, *, blocksize: Any, mode: Any = "DCR") -> Any:
    """Return x (n, channels, height, width) with blocks of the plane as channels."""
    n, channels, height, width = x.shape
    b = blocksize
    y = np.reshape(x, (n, channels, height // b, b, width // b, b))
    order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    return np.reshape(np.transpose(y, order), (n, channels * b * b, height // b, width // b))


# New arrays


@onnx_operator("ConstantOfShape", structural=("shape",), shows_shape=True)
def constant_of_shape(shape: Any, *, value: Any = None) -> Any:
    """Return an array of one number; value: an array that has it."""
    if value is None:
        return np.zeros(tuple(shape), dtype=np.float32)
    return np.broadcast_to(np.reshape(value, ()), tuple(shape))


@onnx_operator("Range")
def numbers(start: Any, limit: Any, delta: Any) -> Any:
    """Return the numbers from start to limit in steps; they are constants."""
    found = np.arange(start.item(), limit.item(), delta.item())
    return cast(beside(found, start), start)


@onnx_operator("EyeLike")
def eye_like(x: Any, *, dtype: Any = None, k: Any = 0) -> Any:
    """Return a matrix of the shape of x with ones on a diagonal."""
    rows = np.arange(x.shape[0])[:, None]
    columns = np.arange(x.shape[1])[None, :]
    ones = beside(np.where(columns - rows == k, 1, 0), x)
    return cast(ones, x if dtype is None else dtype_name(dtype))
