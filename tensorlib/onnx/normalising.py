"""Operators that normalise: by statistics of batches, channels and layers; softmax; losses of shares."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from checkpoint.errors import refusal
from checkpoint.prims.arrays import onnx_operator
from tensorlib.layout.transfer import beside, cast, is_real
from tensorlib.networks.attention import scaled_dot_product_attention
from tensorlib.networks.batches import batch_norm, batch_norm_training, instance_norm
from tensorlib.networks.losses import nll_loss
from tensorlib.networks.normalising import group_norm, layer_norm
from tensorlib.special import log_softmax, softmax


@onnx_operator("BatchNormalization", since=14)
def batch_normalization(
    x: Any,
    scale: Any,
    b: Any,
    mean: Any,
    var: Any,
    *,
    outputs: Any,
    epsilon: Any = 1e-5,
    momentum: Any = 0.9,
    training_mode: Any = 0,
) -> Any:
    """Return x normalised by the statistics; in training by the batch's, and what they become."""
    if not training_mode:
        return (batch_norm(x, mean, var, scale, b, False, 0.0, epsilon),)
    axes = tuple([axis for axis in range(len(x.shape)) if axis != 1])
    y, _, _ = batch_norm_training(x, mean, var, scale, b, 0.0, epsilon)
    mean = mean * momentum + np.mean(x, axis=axes) * (1.0 - momentum)
    var = var * momentum + np.var(x, axis=axes) * (1.0 - momentum)
    return (y, mean, var)[:outputs]


@onnx_operator("BatchNormalization", until=13)
def batch_normalization_of_tests(
    x: Any,
    scale: Any,
    b: Any,
    mean: Any,
    var: Any,
    *,
    outputs: Any,
    epsilon: Any = 1e-5,
    is_test: Any = 0,
    momentum: Any = 0.9,
    spatial: Any = 1,
) -> Any:
    """Return x normalised by the statistics."""
    return batch_normalization(x, scale, b, mean, var, outputs=outputs, epsilon=epsilon)


@onnx_operator("InstanceNormalization")
def instance_normalization(x: Any, scale: Any, b: Any, *, epsilon: Any = 1e-5) -> Any:
    """Return x with each channel of each sample normalised."""
    return instance_norm(x, None, None, scale, b, True, 0.1, epsilon)


@onnx_operator("LayerNormalization")
def layer_normalization(
    x: Any,
    scale: Any,
    b: Any = None,
    *,
    outputs: Any,
    axis: Any = -1,
    epsilon: Any = 1e-5,
    stash_type: Any = 1,
) -> Any:
    """Return x normalised over the axes from one on, the mean there, and 1 / the deviation."""
    axis = axis % len(x.shape)
    if outputs == 1:
        return (layer_norm(x, tuple(x.shape[axis:]), scale, b, epsilon),)
    axes = tuple(range(axis, len(x.shape)))
    mean = np.mean(x, axis=axes, keepdims=True)
    rest = x - mean
    sharp = 1.0 / np.sqrt(np.mean(rest * rest, axis=axes, keepdims=True) + epsilon)
    y = rest * sharp * scale
    return (y if b is None else y + b, mean, sharp)[:outputs]


@onnx_operator("GroupNormalization", since=21)
def group_normalization(
    x: Any, scale: Any, b: Any, *, num_groups: Any, epsilon: Any = 1e-5, stash_type: Any = 1
) -> Any:
    """Return x with each group of channels of each sample normalised."""
    return group_norm(x, num_groups, scale, b, epsilon)


@onnx_operator("RMSNormalization")
def rms_normalization(x: Any, scale: Any, *, axis: Any = -1, epsilon: Any = 1e-5, stash_type: Any = 1) -> Any:
    """Return x divided by the root of its mean square over the axes from one on, times the scale."""
    axes = tuple(range(axis % len(x.shape), len(x.shape)))
    return x / np.sqrt(np.mean(x * x, axis=axes, keepdims=True) + epsilon) * scale


@onnx_operator("LpNormalization")
def lp_normalization(x: Any, *, axis: Any = -1, p: Any = 2) -> Any:
    """Return x divided by its norm along an axis; 0 where that is 0."""
    if p == 1:
        norm = np.sum(np.abs(x), axis=axis, keepdims=True)
    else:
        norm = np.sqrt(np.sum(x * x, axis=axis, keepdims=True))
    return x / np.where(np.equal(norm, 0.0), 1.0, norm)


@onnx_operator("MeanVarianceNormalization")
def mean_variance_normalization(x: Any, *, axes: Any = None) -> Any:
    """Return x with mean 0 and deviation 1 over some axes."""
    axes = (0, 2, 3) if axes is None else tuple(axes)
    rest = x - np.mean(x, axis=axes, keepdims=True)
    return rest / (np.sqrt(np.mean(rest * rest, axis=axes, keepdims=True)) + 1e-9)


@onnx_operator("LRN")
def local_response(x: Any, *, size: Any, alpha: Any = 1e-4, beta: Any = 0.75, bias: Any = 1.0) -> Any:
    """Return x divided by a power of the sum of the squares of the channels around."""
    channels = x.shape[1]
    squares = x * x
    around = None
    for i in range(channels):
        low, high = max(i - (size - 1) // 2, 0), min(i + size // 2 + 1, channels)
        one = np.sum(squares[:, low:high], axis=1, keepdims=True)
        around = one if around is None else np.concatenate([around, one], axis=1)
    return x / (bias + alpha / size * around) ** beta


# Shares, and losses of them


@onnx_operator("Hardmax", since=13)
def hardmax(x: Any, *, axis: Any = -1) -> Any:
    """Return 1 at the first of the largest elements along an axis, 0 elsewhere."""
    counts = np.reshape(np.arange(x.shape[axis]), [-1 if i == axis % x.ndim else 1 for i in range(x.ndim)])
    largest = np.expand_dims(np.argmax(x, axis=axis), axis)
    return np.where(np.equal(largest, beside(counts, x)), 1.0 + 0.0 * x, 0.0 * x)


@onnx_operator("NegativeLogLikelihoodLoss")
def negative_log_likelihood(
    x: Any, target: Any, weight: Any = None, *, ignore_index: Any = -100, reduction: Any = "mean"
) -> Any:
    """Return minus the logarithms that the targets name, as their mean or sum or one by one."""
    return nll_loss(x, cast(target, "int64"), weight, ignore_index=ignore_index, reduction=reduction)


@onnx_operator("SoftmaxCrossEntropyLoss")
def cross_entropy_of(
    x: Any,
    target: Any,
    weight: Any = None,
    *,
    outputs: Any,
    ignore_index: Any = -100,
    reduction: Any = "mean",
) -> Any:
    """Return minus the logarithm of softmax that the targets name, and all of these logarithms."""
    logarithms = log_softmax(x, 1)
    loss = nll_loss(logarithms, cast(target, "int64"), weight, ignore_index=ignore_index, reduction=reduction)
    return (loss, logarithms)[:outputs]


@onnx_operator("Softmax", since=13)
def shares(x: Any, *, axis: Any = -1) -> Any:
    """Return exp(x), divided by its sum along an axis."""
    return softmax(x, axis)


@onnx_operator("Softmax", until=12)
def shares_from(x: Any, *, axis: Any = 1) -> Any:
    """Return exp(x), divided by its sum over the axes from one on."""
    return np.reshape(softmax(_rows(x, axis), 1), x.shape)


@onnx_operator("LogSoftmax", since=13)
def log_shares(x: Any, *, axis: Any = -1) -> Any:
    """Return the logarithm of softmax."""
    return log_softmax(x, axis)


@onnx_operator("LogSoftmax", until=12)
def log_shares_from(x: Any, *, axis: Any = 1) -> Any:
    """Return the logarithm of softmax over the axes from one on."""
    return np.reshape(log_softmax(_rows(x, axis), 1), x.shape)


def _rows(x: Any, axis: Any) -> Any:
    axis = axis % len(x.shape)
    return np.reshape(x, (math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))


@onnx_operator("Attention")
def attention(
    q: Any,
    k: Any,
    v: Any,
    mask: Any = None,
    *,
    outputs: Any,
    is_causal: Any = 0,
    kv_num_heads: Any = None,
    q_num_heads: Any = None,
    scale: Any = None,
) -> Any:
    """Return attention by heads; inputs (n, heads, positions, features), or (n, positions, all features)."""
    if outputs > 1:
        raise refusal("Attention that returns keys and values of the past has no rule")
    flat = len(q.shape) == 3
    if flat:
        q, k, v = _heads(q, q_num_heads), _heads(k, kv_num_heads), _heads(v, kv_num_heads)
    if k.shape[1] != q.shape[1]:
        times = q.shape[1] // k.shape[1]
        k, v = np.repeat(k, times, axis=1), np.repeat(v, times, axis=1)
    if is_causal and mask is not None:
        mask, is_causal = _until_now(mask, q.shape[2], k.shape[2]), 0
    y = scaled_dot_product_attention(q, k, v, mask, 0.0, bool(is_causal), scale)
    if flat:
        n, heads, positions, features = y.shape
        y = np.reshape(np.transpose(y, (0, 2, 1, 3)), (n, positions, heads * features))
    return (y,)


def _until_now(mask: Any, n: Any, m: Any) -> Any:
    """Return a mask that leaves out later positions, too."""
    earlier = beside(np.arange(n)[:, None] >= np.arange(m)[None, :], mask)
    return np.where(earlier, mask, -math.inf) if is_real(mask) else np.logical_and(mask, earlier)


def _heads(x: Any, count: Any) -> Any:
    n, positions, features = x.shape
    return np.transpose(np.reshape(x, (n, positions, count, features // count)), (0, 2, 1, 3))
