"""Operators of planes: pools, and other sizes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from checkpoint.prims.arrays import onnx_operator
from tensorlib.layout.transfer import beside, cast, is_real
from tensorlib.networks.padding import pad
from tensorlib.networks.pools import (
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
)
from tensorlib.onnx.linear import pairs_of, same_pads


def _places(x: Any) -> Any:
    """Return the axes of places of x (n, channels, *places)."""
    return tuple(range(2, len(x.shape)))


@onnx_operator("GlobalAveragePool")
def global_average_pool(x: Any) -> Any:
    """Return the mean of each channel."""
    return np.mean(x, axis=_places(x), keepdims=True)


@onnx_operator("GlobalMaxPool")
def global_max_pool(x: Any) -> Any:
    """Return the largest element of each channel."""
    return np.max(x, axis=_places(x), keepdims=True)


def _pads(x: Any, kernel: Any, strides: Any, dilations: Any, auto_pad: Any, pads: Any) -> Any:
    if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        return same_pads(x.shape[2:], kernel, strides, dilations, auto_pad)
    return [0] * (2 * len(kernel)) if pads is None or auto_pad == "VALID" else list(pads)


def _is_plain(pads: Any, kernel: Any) -> Any:
    """Return whether the pools know such a padding: the same at both ends, at most half of a window."""
    rank = len(kernel)
    return pads[:rank] == pads[rank:] and all(2 * p <= k for p, k in zip(pads, kernel, strict=False))


def _with_ceil(x: Any, kernel: Any, strides: Any, dilations: Any, pads: Any) -> Any:
    """Return the padding with so much more at the end that windows which begin inside are whole."""
    rank = len(kernel)
    found = list(pads)
    for i in range(rank):
        span = (kernel[i] - 1) * dilations[i] + 1
        room = x.shape[2 + i] + pads[i] + pads[i + rank] - span
        count = -(-room // strides[i])
        if count * strides[i] >= x.shape[2 + i] + pads[i]:
            count = count - 1
        found[i + rank] = pads[i + rank] + max(count * strides[i] - room, 0)
    return found


@onnx_operator("MaxPool")
def max_pool(
    x: Any,
    *,
    outputs: Any,
    kernel_shape: Any,
    auto_pad: Any = "NOTSET",
    ceil_mode: Any = 0,
    dilations: Any = None,
    pads: Any = None,
    storage_order: Any = 0,
    strides: Any = None,
) -> Any:
    """Return the largest element of each window, and their places in x as a row."""
    if not is_real(x):
        raise ValueError("MaxPool of integers has no rule: cast them")
    rank = len(kernel_shape)
    kernel = tuple(kernel_shape)
    strides = tuple([1] * rank if strides is None else strides)
    dilations = tuple([1] * rank if dilations is None else dilations)
    pads = _pads(x, kernel, strides, dilations, auto_pad, pads)
    if outputs == 1:
        padding = tuple(pads[:rank])
        if not _is_plain(pads, kernel):
            if ceil_mode:
                pads = _with_ceil(x, kernel, strides, dilations, pads)
                ceil_mode = 0
            x = pad(x, pairs_of(pads), "constant", -math.inf)
            padding = tuple([0] * rank)
        return (_largest(x, kernel, strides, padding, dilations, bool(ceil_mode), False),)
    if storage_order or not _is_plain(pads, kernel):
        raise ValueError("MaxPool with Indices by columns, or with other padding at the ends, has no rule")
    y, places = _largest(x, kernel, strides, tuple(pads[:rank]), dilations, bool(ceil_mode), True)
    planes = np.arange(x.shape[0] * x.shape[1]) * math.prod(x.shape[2:])
    planes = np.reshape(planes, (x.shape[0], x.shape[1], *[1] * rank))
    return y, places + beside(planes, x)


def _largest(
    x: Any, kernel: Any, strides: Any, padding: Any, dilations: Any, ceil_mode: Any, indices: Any
) -> Any:
    if len(kernel) == 1:
        return max_pool1d(x, kernel, strides, padding, dilations, ceil_mode, indices)
    if len(kernel) == 2:
        return max_pool2d(x, kernel, strides, padding, dilations, ceil_mode, indices)
    if len(kernel) == 3:
        return max_pool3d(x, kernel, strides, padding, dilations, ceil_mode, indices)
    raise ValueError(f"MaxPool along {len(kernel)} axes has no rule: only along one, two and three")


@onnx_operator("AveragePool")
def average_pool(
    x: Any,
    *,
    kernel_shape: Any,
    auto_pad: Any = "NOTSET",
    ceil_mode: Any = 0,
    count_include_pad: Any = 0,
    dilations: Any = None,
    pads: Any = None,
    strides: Any = None,
) -> Any:
    """Return the mean of each window; without count_include_pad that of the elements of x in it."""
    rank = len(kernel_shape)
    kernel = tuple(kernel_shape)
    strides = tuple([1] * rank if strides is None else strides)
    if dilations is not None and max(dilations) > 1:
        raise ValueError("AveragePool with dilations has no rule")
    pads = _pads(x, kernel, strides, [1] * rank, auto_pad, pads)
    if _is_plain(pads, kernel):
        return _means(x, kernel, strides, tuple(pads[:rank]), bool(ceil_mode), bool(count_include_pad))
    whole = _with_ceil(x, kernel, strides, [1] * rank, pads) if ceil_mode else pads
    nothing = tuple([0] * rank)
    sums = _means(pad(x, pairs_of(whole)), kernel, strides, nothing, False, True)
    counted = np.ones((1, 1, *x.shape[2:]), dtype=np.float64)
    if count_include_pad:
        counted = pad(counted, pairs_of(pads), "constant", 1.0)
        whole = [w - p for w, p in zip(whole, pads, strict=True)]
    shares = _means(pad(counted, pairs_of(whole)), kernel, strides, nothing, False, True)
    return sums / beside(cast(shares, "float32"), x)


def _means(x: Any, kernel: Any, strides: Any, padding: Any, ceil_mode: Any, counts_padding: Any) -> Any:
    if len(kernel) == 1:
        return avg_pool1d(x, kernel, strides, padding, ceil_mode, counts_padding)
    if len(kernel) == 2:
        return avg_pool2d(x, kernel, strides, padding, ceil_mode, counts_padding)
    if len(kernel) == 3:
        return avg_pool3d(x, kernel, strides, padding, ceil_mode, counts_padding)
    raise ValueError(f"AveragePool along {len(kernel)} axes has no rule: only along one, two and three")
