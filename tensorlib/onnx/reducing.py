"""Operators that reduce axes to one number: sums, means, extremes, norms."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.prims.arrays import onnx_operator
from tensorlib.onnx.shapes import axes_of


def _axes(x: Any, axes: Any, nothing: Any) -> Any:
    """Return the axes to reduce, as a tuple: all, or with `nothing` none, where none are named."""
    if axes is None or axes == []:
        return () if nothing else tuple(range(len(x.shape)))
    return axes_of(axes)


@onnx_operator("ReduceSum", since=13, structural=("axes",))
def reduce_sum(x: Any, axes: Any = None, *, keepdims: Any = 1, noop_with_empty_axes: Any = 0) -> Any:
    """Return the sum of x over axes."""
    axes = _axes(x, axes, noop_with_empty_axes)
    return np.sum(x, axis=axes, keepdims=bool(keepdims))


@onnx_operator("ReduceSum", until=12)
def reduce_sum_by_attribute(x: Any, *, axes: Any = None, keepdims: Any = 1) -> Any:
    """Return the sum of x over axes."""
    return reduce_sum(x, axes, keepdims=keepdims)


@onnx_operator("ReduceMean", since=18, structural=("axes",))
def reduce_mean(x: Any, axes: Any = None, *, keepdims: Any = 1, noop_with_empty_axes: Any = 0) -> Any:
    """Return the mean of x over axes."""
    axes = _axes(x, axes, noop_with_empty_axes)
    return np.mean(x, axis=axes, keepdims=bool(keepdims))


@onnx_operator("ReduceMean", until=17)
def reduce_mean_by_attribute(x: Any, *, axes: Any = None, keepdims: Any = 1) -> Any:
    """Return the mean of x over axes."""
    return reduce_mean(x, axes, keepdims=keepdims)


@onnx_operator("ReduceMax", since=18, structural=("axes",))
def reduce_max(x: Any, axes: Any = None, *, keepdims: Any = 1, noop_with_empty_axes: Any = 0) -> Any:
    """Return the largest element of x over axes."""
    axes = _axes(x, axes, noop_with_empty_axes)
    return np.max(x, axis=axes, keepdims=bool(keepdims))


@onnx_operator("ReduceMax", until=17)
def reduce_max_by_attribute(x: Any, *, axes: Any = None, keepdims: Any = 1) -> Any:
    """Return the largest element of x over axes."""
    return reduce_max(x, axes, keepdims=keepdims)


@onnx_operator("ReduceMin", since=18, structural=("axes",))
def reduce_min(x: Any, axes: Any = None, *, keepdims: Any = 1, noop_with_empty_axes: Any = 0) -> Any:
    """Return the smallest element of x over axes."""
    axes = _axes(x, axes, noop_with_empty_axes)
    return np.min(x, axis=axes, keepdims=bool(keepdims))


@onnx_operator("ReduceMin", until=17)
def reduce_min_by_attribute(x: Any, *, axes: Any = None, keepdims: Any = 1) -> Any:
    """Return the smallest element of x over axes."""
    return reduce_min(x, axes, keepdims=keepdims)


@onnx_operator("ReduceProd", since=18, structural=("axes",))
def reduce_prod(x: Any, axes: Any = None, *, keepdims: Any = 1, noop_with_empty_axes: Any = 0) -> Any:
    """Return the product of x over axes."""
    axes = _axes(x, axes, noop_with_empty_axes)
    return np.prod(x, axis=axes, keepdims=bool(keepdims))


@onnx_operator("ReduceProd", until=17)
def reduce_prod_by_attribute(x: Any, *, axes: Any = None, keepdims: Any = 1) -> Any:
    """Return the product of x over axes."""
    return reduce_prod(x, axes, keepdims=keepdims)


@onnx_operator("ReduceL1", since=18, structural=("axes",))
def reduce_l1(x: Any, axes: Any = None, *, keepdims: Any = 1, noop_with_empty_axes: Any = 0) -> Any:
    """Return the sum of the absolute values of x over axes."""
    axes = _axes(x, axes, noop_with_empty_axes)
    return np.sum(np.abs(x), axis=axes, keepdims=bool(keepdims))


@onnx_operator("ReduceL1", until=17)
def reduce_l1_by_attribute(x: Any, *, axes: Any = None, keepdims: Any = 1) -> Any:
    """Return the sum of the absolute values of x over axes."""
    return reduce_l1(x, axes, keepdims=keepdims)


@onnx_operator("ReduceL2", since=18, structural=("axes",))
def reduce_l2(x: Any, axes: Any = None, *, keepdims: Any = 1, noop_with_empty_axes: Any = 0) -> Any:
    """Return the root of the sum of squares of x over axes."""
    axes = _axes(x, axes, noop_with_empty_axes)
    return np.sqrt(np.sum(x * x, axis=axes, keepdims=bool(keepdims)))


@onnx_operator("ReduceL2", until=17)
def reduce_l2_by_attribute(x: Any, *, axes: Any = None, keepdims: Any = 1) -> Any:
    """Return the root of the sum of squares of x over axes."""
    return reduce_l2(x, axes, keepdims=keepdims)


@onnx_operator("ReduceSumSquare", since=18, structural=("axes",))
def reduce_sum_square(x: Any, axes: Any = None, *, keepdims: Any = 1, noop_with_empty_axes: Any = 0) -> Any:
    """Return the sum of squares of x over axes."""
    axes = _axes(x, axes, noop_with_empty_axes)
    return np.sum(x * x, axis=axes, keepdims=bool(keepdims))


@onnx_operator("ReduceSumSquare", until=17)
def reduce_sum_square_by_attribute(x: Any, *, axes: Any = None, keepdims: Any = 1) -> Any:
    """Return the sum of squares of x over axes."""
    return reduce_sum_square(x, axes, keepdims=keepdims)


@onnx_operator("ReduceLogSum", since=18, structural=("axes",))
def reduce_log_sum(x: Any, axes: Any = None, *, keepdims: Any = 1, noop_with_empty_axes: Any = 0) -> Any:
    """Return the logarithm of the sum of x over axes."""
    axes = _axes(x, axes, noop_with_empty_axes)
    return np.log(np.sum(x, axis=axes, keepdims=bool(keepdims)))


@onnx_operator("ReduceLogSum", until=17)
def reduce_log_sum_by_attribute(x: Any, *, axes: Any = None, keepdims: Any = 1) -> Any:
    """Return the logarithm of the sum of x over axes."""
    return reduce_log_sum(x, axes, keepdims=keepdims)


@onnx_operator("ReduceLogSumExp", since=18, structural=("axes",))
def reduce_log_sum_exp(x: Any, axes: Any = None, *, keepdims: Any = 1, noop_with_empty_axes: Any = 0) -> Any:
    """Return the logarithm of the sum of exponentials of x over axes."""
    axes = _axes(x, axes, noop_with_empty_axes)
    top = np.max(x, axis=axes, keepdims=True)
    top = np.where(np.isinf(top), 0.0 * np.sign(top), top)
    found = np.log(np.sum(np.exp(x - top), axis=axes, keepdims=True)) + top
    return found if keepdims else np.squeeze(found, axes)


@onnx_operator("ReduceLogSumExp", until=17)
def reduce_log_sum_exp_by_attribute(x: Any, *, axes: Any = None, keepdims: Any = 1) -> Any:
    """Return the logarithm of the sum of exponentials of x over axes."""
    return reduce_log_sum_exp(x, axes, keepdims=keepdims)
