"""Layers that are a few other functions, with PyTorch's names and parameters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from checkpoint.prims.arrays import translated_as
from tensorlib.networks.affine import embedding
from tensorlib.networks.padding import pad
from tensorlib.networks.pools import (
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
)
from tensorlib.special import softmax


def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """Return input1^T weight[o] input2 for each output o, plus bias."""
    outputs, first, second = weight.shape
    rows = np.reshape(np.transpose(weight, (1, 0, 2)), (first, outputs * second))
    halves = np.reshape(np.matmul(input1, rows), (*input1.shape[:-1], outputs, second))
    found = np.sum(halves * input2[..., None, :], axis=-1)
    return found if bias is None else found + bias


def softmin(input: Any, dim: Any) -> Any:
    """Return softmax(-input)."""
    return softmax(-input, dim)


def normalize(input: Any, p: Any = 2.0, dim: Any = 1, eps: Any = 1e-12) -> Any:
    """Return input divided by its p-norms along an axis, or by eps where these are less."""
    if p == 2.0:
        found = np.sqrt(np.sum(input * input, axis=dim, keepdims=True))
    else:
        found = np.sum(np.abs(input) ** p, axis=dim, keepdims=True) ** (1.0 / p)
    return input / np.where(found < eps, eps, found)


def rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: Any = 1e-6) -> Any:
    """Return input divided by the root of the mean of its squares over the last axes, times weight."""
    count = 1 if isinstance(normalized_shape, int) else len(normalized_shape)
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if tuple(input.shape[-count:]) != shape:
        given = tuple(input.shape)
        raise ValueError(
            f"rms_norm: normalized_shape {shape} is not the last axes of an input of shape {given}"
        )
    axes = tuple([-1 - i for i in range(count)])
    found = input * (1.0 / np.sqrt(np.mean(input * input, axis=axes, keepdims=True) + eps))
    return found if weight is None else found * weight


def local_response_norm(input: Any, size: Any, alpha: Any = 1e-4, beta: Any = 0.75, k: Any = 1.0) -> Any:
    """Return input / (k + alpha times the mean of the squares of `size` neighbouring channels)^beta."""
    before = size // 2
    squares = input * input
    places = [0, 0] * (len(input.shape) - 2)
    padded = pad(squares, (*places, before, size - 1 - before))
    count = input.shape[1]
    total = padded[:, :count]
    for i in range(1, size):
        total = total + padded[:, i : i + count]
    return input / (total / size * alpha + k) ** beta


# Elements in another order


def pixel_shuffle(input: Any, upscale_factor: Any) -> Any:
    """Return (..., channels r^2, height, width) as (..., channels, height r, width r)."""
    r = upscale_factor
    *rest, channels, height, width = input.shape
    if channels % (r * r):
        raise ValueError(f"pixel_shuffle: {channels} channels are not a multiple of {r * r}")
    n = len(rest)
    parts = np.reshape(input, (*rest, channels // (r * r), r, r, height, width))
    order = (*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return np.reshape(np.transpose(parts, order), (*rest, channels // (r * r), height * r, width * r))


def pixel_unshuffle(input: Any, downscale_factor: Any) -> Any:
    """Return (..., channels, height r, width r) as (..., channels r^2, height, width)."""
    r = downscale_factor
    *rest, channels, height, width = input.shape
    if height % r or width % r:
        raise ValueError(f"pixel_unshuffle: height {height} and width {width} are not multiples of {r}")
    n = len(rest)
    parts = np.reshape(input, (*rest, channels, height // r, r, width // r, r))
    order = (*range(n), n, n + 2, n + 4, n + 1, n + 3)
    return np.reshape(np.transpose(parts, order), (*rest, channels * r * r, height // r, width // r))


def channel_shuffle(input: Any, groups: Any) -> Any:
    """Return (n, channels, ...) with the channels of all groups in turn."""
    n, channels, *places = input.shape
    if channels % groups:
        raise ValueError(f"channel_shuffle: {channels} channels are not {groups} equal groups")
    parts = np.reshape(input, (n, groups, channels // groups, *places))
    return np.reshape(np.swapaxes(parts, 1, 2), input.shape)


# Pools by a norm


def lp_pool1d(
    input: Any, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: Any = False
) -> Any:
    """Return the p-norms of windows, p = norm_type."""
    return _lp_pool(max_pool1d, avg_pool1d, 1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    input: Any, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: Any = False
) -> Any:
    """Return the p-norms of windows, p = norm_type."""
    return _lp_pool(max_pool2d, avg_pool2d, 2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(
    input: Any, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: Any = False
) -> Any:
    """Return the p-norms of windows, p = norm_type."""
    return _lp_pool(max_pool3d, avg_pool3d, 3, input, norm_type, kernel_size, stride, ceil_mode)


def _lp_pool(
    largest: Any, mean: Any, axes: Any, input: Any, p: Any, size: Any, stride: Any, ceil_mode: Any
) -> Any:
    """Return the p-norms of windows, by the pools of largest elements and of means over so many axes."""
    if p == math.inf:
        return largest(np.abs(input), size, stride, 0, 1, ceil_mode)
    means = mean(input**p, size, stride, 0, ceil_mode)
    count = size**axes if isinstance(size, int) else math.prod(size)
    return (np.sign(means) * np.abs(means) * count) ** (1.0 / p)


# Bags of words


def embedding_bag(
    input: Any,
    weight: Any,
    offsets: Any = None,
    mode: Any = "mean",
    per_sample_weights: Any = None,
    include_last_offset: Any = False,
    padding_idx: Any = None,
) -> Any:
    """Return the sum, mean or max of the rows of weight that each bag names.

    input: (bags, names), or all names in a row, with the offsets at which bags begin. padding_idx: a name
    that does not count.
    """
    if mode not in ("sum", "mean", "max"):
        raise ValueError(f'embedding_bag: mode must be "sum", "mean" or "max", not {mode!r}')
    if per_sample_weights is not None and mode != "sum":
        raise ValueError('embedding_bag: per_sample_weights need mode="sum"')
    if offsets is None:
        return _bags(input, weight, mode, per_sample_weights, padding_idx)
    starts = [int(each) for each in offsets]
    ends = starts[1:] if include_last_offset else [*starts[1:], len(input)]
    found = []
    for i in range(len(ends)):
        low, high = starts[i], ends[i]
        weights = None if per_sample_weights is None else per_sample_weights[None, low:high]
        if low == high:
            found.append(np.zeros_like(weight[:1]))
        else:
            found.append(_bags(input[None, low:high], weight, mode, weights, padding_idx))
    return np.concatenate(found, axis=0)


def _bags(input: Any, weight: Any, mode: Any, weights: Any, padding: Any) -> Any:
    rows = embedding(input, weight, padding)
    if weights is not None:
        rows = rows * weights[..., None]
    if padding is None:
        if mode == "max":
            return np.max(rows, axis=1)
        return np.sum(rows, axis=1) if mode == "sum" else np.mean(rows, axis=1)
    counts = (input != padding)[..., None]
    if mode == "max":
        some = np.any(counts, axis=1)
        top = np.max(np.where(counts, rows, -math.inf), axis=1)
        return np.where(some, top, 0.0)
    total = np.sum(np.where(counts, rows, 0.0), axis=1)
    return total if mode == "sum" else total / np.maximum(np.sum(counts, axis=1), 1)


NAMES = (
    "bilinear softmin normalize rms_norm local_response_norm pixel_shuffle pixel_unshuffle channel_shuffle "
    "lp_pool1d lp_pool2d lp_pool3d embedding_bag"
)
for _name in NAMES.split():
    translated_as(globals()[_name], globals()[_name])
