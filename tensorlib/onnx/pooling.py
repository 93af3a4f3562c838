"""Operators of planes: pools, and other sizes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from checkpoint.errors import refusal
from checkpoint.prims.arrays import onnx_operator
from tensorlib.layout.transfer import beside, cast, is_real
from tensorlib.networks.padding import pad
from tensorlib.networks.pooling import largest, means
from tensorlib.networks.unpooling import largest_places, with_places
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
    if max(pads) == 0:
        return True
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
    """Return the largest element of each window; with two outputs their places in x, too."""
    if not is_real(x):
        raise refusal("MaxPool of integers has no rule: cast them")
    kernel = tuple(kernel_shape)
    nothing = (0,) * _rank("MaxPool", kernel)
    strides = (1,) * len(kernel) if strides is None else tuple(strides)
    dilations = (1,) * len(kernel) if dilations is None else tuple(dilations)
    pads = _pads(x, kernel, strides, dilations, auto_pad, pads)
    if _is_plain(pads, kernel):
        rest = kernel, strides, tuple(pads[: len(kernel)]), dilations, bool(ceil_mode)
        return (largest(x, *rest),) if outputs == 1 else _with_places(x, rest, storage_order)
    if outputs > 1:
        raise refusal("MaxPool with Indices and such padding has no rule: leave them out")
    if ceil_mode:
        pads = _with_ceil(x, kernel, strides, dilations, pads)
    x = pad(x, pairs_of(pads), "constant", -math.inf)
    return (largest(x, kernel, strides, nothing, dilations, False),)


def _with_places(x: Any, rest: Any, by_columns: Any) -> Any:
    """Return the largest elements, and their places in x as a row."""
    count = len(rest[0])
    if by_columns:
        raise refusal("MaxPool with Indices by columns has no rule: leave them out")
    y, places = with_places(x, largest_places(x, *rest), count)
    planes = np.arange(math.prod(x.shape[:-count])) * math.prod(x.shape[-count:])
    return y, places + beside(np.reshape(planes, (*x.shape[:-count], *[1] * count)), x)


def _rank(name: Any, kernel: Any) -> Any:
    """Return the number of axes of a pool's windows."""
    if len(kernel) > 3:
        raise refusal(f"{name} along {len(kernel)} axes has no rule: only along one, two and three")
    return len(kernel)


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
    kernel = tuple(kernel_shape)
    rank = _rank("AveragePool", kernel)
    nothing = (0,) * rank
    strides = (1,) * rank if strides is None else tuple(strides)
    if dilations is not None and max(dilations) > 1:
        raise refusal("AveragePool with dilations has no rule")
    pads = _pads(x, kernel, strides, [1] * rank, auto_pad, pads)
    if _is_plain(pads, kernel):
        padding, counts = tuple(pads[:rank]), bool(count_include_pad)
        return means(x, kernel, strides, padding, bool(ceil_mode), counts, None)
    whole = _with_ceil(x, kernel, strides, [1] * rank, pads) if ceil_mode else pads
    sums = means(pad(x, pairs_of(whole)), kernel, strides, nothing, False, True, None)
    counted = np.ones((1, 1, *x.shape[2:]), dtype=np.float64)
    if count_include_pad:
        counted = pad(counted, pairs_of(pads), "constant", 1.0)
        whole = [w - p for w, p in zip(whole, pads, strict=True)]
    shares = means(pad(counted, pairs_of(whole)), kernel, strides, nothing, False, True, None)
    return sums / beside(cast(shares, "float32"), x)
