"""Losses of numbers and of distances: those of PyTorch that are made of a few other functions.

input and target broadcast. reduction: "mean", "sum" or "none".
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from checkpoint.prims.arrays import prim, translated_as
from tensorlib.networks.affine import linear
from tensorlib.networks.losses import cross_entropy
from tensorlib.networks.piecewise import logsigmoid


def reduced(losses: Any, reduction: Any) -> Any:
    """Return the mean or the sum of losses, or these."""
    if reduction == "mean":
        return np.mean(losses)
    if reduction == "sum":
        return np.sum(losses)
    if reduction != "none":
        raise ValueError(f'reduction must be "mean", "sum" or "none", not {reduction!r}')
    return losses


def positive(x: Any) -> Any:
    """Return x where it is positive, else 0; at 0 with derivative 1, as PyTorch's clamp."""
    return np.where(x < 0.0, 0.0, x)


def _as_constant(x: Any) -> Any:
    """Return x, which counts as a constant in programs."""
    return x


def _constant(x: Any) -> Any:
    return prim("py.stop", x)


# Of differences


def l1_loss(input: Any, target: Any, reduction: Any = "mean", weight: Any = None) -> Any:
    """Return the mean of |input - target|; with weights their mean in these."""
    losses = np.abs(input - target)
    if weight is None:
        return reduced(losses, reduction)
    if reduction == "mean":
        return np.sum(losses * weight) / np.sum(weight)
    return reduced(losses * weight, reduction)


def smooth_l1_loss(input: Any, target: Any, reduction: Any = "mean", beta: Any = 1.0) -> Any:
    """Return the mean of a half of (input - target)^2 / beta, of the distance less beta / 2 from beta on."""
    if beta < 0.0:
        raise ValueError(f"smooth_l1_loss: beta must not be negative, not {beta}")
    if beta == 0.0:
        return l1_loss(input, target, reduction)
    z = np.abs(input - target)
    return reduced(np.where(z < beta, 0.5 * z * z / beta, z - 0.5 * beta), reduction)


def huber_loss(input: Any, target: Any, reduction: Any = "mean", delta: Any = 1.0, weight: Any = None) -> Any:
    """Return the mean of a half of (input - target)^2, which is linear from delta on."""
    if delta <= 0.0:
        raise ValueError(f"huber_loss: delta must be positive, not {delta}")
    z = np.abs(input - target)
    losses = np.where(z < delta, 0.5 * z * z, delta * (z - 0.5 * delta))
    return reduced(losses if weight is None else losses * weight, reduction)


# Of probabilities


def kl_div(input: Any, target: Any, reduction: Any = "mean", log_target: Any = False) -> Any:
    """Return the mean of target (log(target) - input); "batchmean": the sum over the number of samples."""
    if log_target:
        losses = np.exp(target) * (target - input)
    else:
        some = target > 0.0
        losses = np.where(some, target * np.log(np.where(some, target, 1.0)), 0.0) - target * input
    if reduction == "batchmean":
        return np.sum(losses) / input.shape[0] if len(input.shape) > 0 else np.sum(losses)
    return reduced(losses, reduction)


def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, reduction: Any = "mean", pos_weight: Any = None
) -> Any:
    """Return the cross entropy of probabilities and sigmoid(input).

    weight: of losses. pos_weight: of the target's part.
    """
    if input.shape != target.shape:
        raise ValueError(
            f"binary_cross_entropy_with_logits: the target has shape {tuple(target.shape)}, not that of the "
            f"input, {tuple(input.shape)}"
        )
    logs = logsigmoid(input)
    if pos_weight is not None:
        logs = ((pos_weight - 1.0) * target + 1.0) * logs
    losses = (1.0 - target) * input - logs
    return reduced(losses if weight is None else losses * weight, reduction)


def poisson_nll_loss(
    input: Any,
    target: Any,
    log_input: Any = True,
    full: Any = False,
    eps: Any = 1e-8,
    reduction: Any = "mean",
) -> Any:
    """Return the mean of exp(input) - target input; log_input=False: of input - target log(input + eps)."""
    losses = np.exp(input) - target * input if log_input else input - target * np.log(input + eps)
    if full:
        some = target > 1.0
        safe = np.where(some, target, 1.0)
        stirling = safe * np.log(safe) - safe + 0.5 * np.log(2.0 * math.pi * safe)
        losses = losses + np.where(some, stirling, 0.0)
    return reduced(losses, reduction)


def gaussian_nll_loss(
    input: Any, target: Any, var: Any, full: Any = False, eps: Any = 1e-6, reduction: Any = "mean"
) -> Any:
    """Return the mean of a half of log(var) + (input - target)^2 / var.

    var: a number, an array of input's shape, or one of fewer axes; where it is below eps, eps counts.
    """
    if isinstance(var, int | float):
        var = var + 0.0 * input
    if len(var.shape) == len(input.shape) - 1 and var.shape == input.shape[:-1]:
        var = var[..., None]
    var = np.where(var < eps, eps + (var - _as_constant(var)), var)
    losses = 0.5 * (np.log(var) + (input - target) ** 2 / var)
    return reduced(losses + 0.5 * math.log(2.0 * math.pi) if full else losses, reduction)


def linear_cross_entropy(
    input: Any,
    linear_weight: Any,
    target: Any,
    linear_bias: Any = None,
    weight: Any = None,
    ignore_index: Any = -100,
    reduction: Any = "mean",
    label_smoothing: Any = 0.0,
) -> Any:
    """Return the cross entropy of linear(input, linear_weight, linear_bias)."""
    if len(linear_weight.shape) != 2:
        raise ValueError("linear_cross_entropy takes weights of shape (classes, inputs)")
    logits = linear(input, linear_weight, linear_bias)
    return cross_entropy(logits, target, weight, ignore_index, reduction, label_smoothing)


# Of signs and distances


def soft_margin_loss(input: Any, target: Any, reduction: Any = "mean") -> Any:
    """Return the mean of log(1 + exp(-target input)), of targets -1 and 1."""
    return reduced(np.log1p(np.exp(-target * input)), reduction)


def hinge_embedding_loss(input: Any, target: Any, margin: Any = 1.0, reduction: Any = "mean") -> Any:
    """Return the mean of input where the target is 1, of what input lacks of the margin where it is -1."""
    lacking = np.where(target != 1, positive(margin - input), 0.0)
    return reduced(lacking + np.where(target != -1, input, 0.0), reduction)


def margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: Any = 0.0, reduction: Any = "mean"
) -> Any:
    """Return the mean of what -target (input1 - input2) + margin is above 0."""
    return reduced(positive(-target * (input1 - input2) + margin), reduction)


def cosine_similarity(x1: Any, x2: Any, dim: Any = 1, eps: Any = 1e-8) -> Any:
    """Return the cosine of the angle between x1 and x2 along an axis; lengths count as eps at least."""
    first, second = _length(x1, dim, eps), _length(x2, dim, eps)
    return np.sum((x1 / first) * (x2 / second), axis=dim)


def _length(x: Any, dim: Any, eps: Any) -> Any:
    found = np.sqrt(np.sum(x * x, axis=dim, keepdims=True))
    return np.where(found < eps, eps + 0.0 * found, found)


def cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, margin: Any = 0.0, reduction: Any = "mean"
) -> Any:
    """Return the mean of 1 - cosine where the target is 1, of cosine - margin above 0 elsewhere."""
    tiny = 1e-12
    lengths = (np.sum(input1 * input1, axis=-1) + tiny) * (np.sum(input2 * input2, axis=-1) + tiny)
    cosine = np.sum(input1 * input2, axis=-1) / np.sqrt(lengths)
    apart = np.where(target == -1, positive(cosine - margin), 0.0)
    return reduced(np.where(target == 1, 1.0 - cosine, 0.0) + apart, reduction)


def pairwise_distance(x1: Any, x2: Any, p: Any = 2.0, eps: Any = 1e-6, keepdim: Any = False) -> Any:
    """Return the p-norm of x1 - x2 + eps along the last axis."""
    return _norm(x1 - x2 + eps, p, keepdim)


def _norm(x: Any, p: Any, keepdim: Any = False) -> Any:
    if p == 2.0:
        return np.sqrt(np.sum(x * x, axis=-1, keepdims=keepdim))
    if p == 1.0:
        return np.sum(np.abs(x), axis=-1, keepdims=keepdim)
    if p == math.inf:
        return np.max(np.abs(x), axis=-1, keepdims=keepdim)
    return np.sum(np.abs(x) ** p, axis=-1, keepdims=keepdim) ** (1.0 / p)


def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: Any = 1.0,
    p: Any = 2,
    eps: Any = 1e-6,
    swap: Any = False,
    reduction: Any = "mean",
) -> Any:
    """Return the mean of what the distance to the positive is above that to the negative less the margin."""
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = np.minimum(far, pairwise_distance(positive, negative, p, eps))
    excess = near - far + margin
    return reduced(np.where(excess < 0.0, 0.0, excess), reduction)


def triplet_margin_with_distance_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    *,
    distance_function: Any = None,
    margin: Any = 1.0,
    swap: Any = False,
    reduction: Any = "mean",
) -> Any:
    """Return the same by a distance of the caller's."""
    if distance_function is None:
        return triplet_margin_loss(anchor, positive, negative, margin, 2.0, 1e-6, swap, reduction)
    near, far = distance_function(anchor, positive), distance_function(anchor, negative)
    if swap:
        far = np.minimum(far, distance_function(positive, negative))
    excess = near - far + margin
    return reduced(np.where(excess < 0.0, 0.0, excess), reduction)


# Of classes


def multi_margin_loss(
    input: Any, target: Any, p: Any = 1, margin: Any = 1.0, weight: Any = None, reduction: Any = "mean"
) -> Any:
    """Return the mean of what other classes lack of the margin below the target, to the power p."""
    if len(input.shape) == 1:
        found = multi_margin_loss(input[None], np.reshape(target, (1,)), p, margin, weight, reduction)
        return found[0] if reduction == "none" else found
    labels = target[:, None]
    lacking = positive(margin - np.take_along_axis(input, labels, 1) + input)
    if p == 2:
        lacking = lacking * lacking
    if weight is not None:
        lacking = lacking * weight[target][:, None]
    others = _places_of(input) != labels
    return reduced(np.sum(np.where(others, lacking, 0.0), axis=1) / input.shape[1], reduction)


def _places_of(input: Any) -> Any:
    """Return the numbers of the classes, for each sample, beside the array."""
    ones = np.ones_like(_as_constant(input))
    return np.cumsum(ones, axis=-1) - 1.0


def multilabel_margin_loss(input: Any, target: Any, reduction: Any = "mean") -> Any:
    """Return the mean over samples of what other classes lack of 1 below each class of the target.

    target: of each sample its classes, up to the first -1.
    """
    if len(input.shape) == 1:
        found = multilabel_margin_loss(input[None], target[None], reduction)
        return found[0] if reduction == "none" else found
    counts = np.cumsum(np.where(target < 0, 1, 0), axis=1) == 0
    classes = np.where(counts, target, 0)
    named = np.logical_and(classes[:, :, None] == _places_of(input)[:, None, :], counts[:, :, None])
    others = np.logical_not(np.any(named, axis=1))
    lacking = positive(1.0 - np.take_along_axis(input, classes, 1)[:, :, None] + input[:, None, :])
    pairs = np.logical_and(counts[:, :, None], others[:, None, :])
    losses = np.sum(np.sum(np.where(pairs, lacking, 0.0), axis=2), axis=1)
    return reduced(losses / input.shape[1], reduction)


def multilabel_soft_margin_loss(input: Any, target: Any, weight: Any = None, reduction: Any = "mean") -> Any:
    """Return the mean over samples and classes of the cross entropy of targets 0 or 1 and sigmoid(input)."""
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        losses = losses * weight
    return reduced(np.mean(losses, axis=-1), reduction)


translated_as(_as_constant, _constant)
NAMES = (
    "l1_loss smooth_l1_loss huber_loss kl_div binary_cross_entropy_with_logits poisson_nll_loss "
    "gaussian_nll_loss linear_cross_entropy soft_margin_loss hinge_embedding_loss margin_ranking_loss "
    "cosine_similarity cosine_embedding_loss pairwise_distance triplet_margin_loss "
    "triplet_margin_with_distance_loss multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss"
)
for _name in NAMES.split():
    translated_as(globals()[_name], globals()[_name])
