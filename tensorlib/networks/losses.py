"""Losses: cross_entropy, nll_loss, mse_loss; reductions are "mean", "sum" and "none"."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.accumulators import Scattered
from checkpoint.ad.array_library import kernel, namespace, zeros_beside
from checkpoint.ad.pullbacks import RESULT
from checkpoint.prims.arrays import tensor, translated_as
from tensorlib.elementwise.pointwise import DIVIDE, MULTIPLY, SUBTRACT
from tensorlib.layout.moving import call
from tensorlib.networks.composed import along, value_of
from tensorlib.rules import number, real_only, unbroadcast
from tensorlib.special import log_softmax

REDUCTIONS = ("mean", "sum", "none")


def check_reduction(name: str, reduction: Any) -> None:
    """Raise ValueError for what does not say how the losses of all items are reduced."""
    if reduction not in REDUCTIONS:
        raise ValueError(f'{name}: reduction must be "mean", "sum" or "none", not {reduction!r}')


# Squares


def mse_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """Return the mean of the squares of input - target."""
    return MSE_LOSS.value(namespace((input, target)), input, target, reduction)


def _mse(xp: Any, input: Any, target: Any, reduction: Any = "mean") -> Any:
    check_reduction("mse_loss", reduction)
    real_only("mse_loss", input, target)
    own = kernel(xp, "mse_loss")
    if own is not None:
        return own(input, target, reduction)
    squares = (input - target) ** 2
    return squares if reduction == "none" else getattr(xp, reduction)(squares)


def _mse_pull(
    xp: Any,
    wanted: tuple[int, ...],
    g: Any,
    y: Any,
    saved: tuple[Any, ...],
    input: Any,
    target: Any,
    reduction: Any = "mean",
) -> list[Any]:
    own = kernel(xp, "mse_loss_vjp")
    if own is not None and input.shape == target.shape:
        pairs = (input, target), (target, input)
        return [own(g, *pairs[position], reduction) for position in wanted]
    difference = input - target
    share = 2.0 * g if reduction != "mean" else 2.0 * g / max(difference.size, 1)
    found = share * difference
    return [unbroadcast(xp, -found if i else found * 1.0, (input, target)[i]) for i in wanted]


def _mse_now(input: Any, target: Any, reduction: Any = "mean") -> Any:
    difference = SUBTRACT(input, target)
    squares = MULTIPLY(difference, difference)
    return squares if reduction == "none" else call(f"np.{reduction}", squares)


MSE_LOSS = tensor(
    "tensorlib.mse_loss",
    _mse,
    pull=_mse_pull,
    jvps=along(_mse_now, 0, 1, count=3),
    needs=((0, 1), (0, 1), ()),
    implements=(mse_loss,),
    shape="a number, or that of both",
    samples=lambda rng: [
        (rng.normal(size=(2, 3)), rng.normal(size=(2, 3))),
        (rng.normal(size=4), rng.normal(size=4), "sum"),
        (rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), "none"),
        (rng.normal(size=3).astype("f4"), rng.normal(size=3).astype("f4")),
    ],
)

# Logarithms of probabilities of classes


def nll_loss(
    input: Any, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean"
) -> Any:
    """Return minus the logarithms of the probabilities of the classes in target.

    input: the logarithms, (n, classes, ...). target: (n, ...). weight: by class; "mean" divides by those that
    count. ignore_index: a target that does not count.
    """
    return NLL_LOSS.value(namespace((input,)), input, target, weight, ignore_index, reduction)


def _classes(xp: Any, x: Any) -> Any:
    """Return the classes of an array as its last axis, all other axes as one."""
    if len(x.shape) == 1:
        return x.reshape((1, -1))
    return x if len(x.shape) == 2 else xp.moveaxis(x, 1, -1).reshape((-1, x.shape[1]))


def _check_classes(input: Any, target: Any) -> None:
    real_only("nll_loss", input)
    shape = tuple(input.shape)
    wanted = () if len(shape) == 1 else (*shape[:1], *shape[2:])
    if not shape or tuple(target.shape) != wanted:
        raise ValueError(
            f"nll_loss: an input of shape {shape} (n, classes, ...) takes targets of shape {wanted}, "
            f"not {tuple(target.shape)}"
        )


def _shares(xp: Any, like: Any, labels: Any, weight: Any, ignore_index: int) -> Any:
    """Return by sample the weight of its class; 0 for a sample that does not count."""
    counts = labels != ignore_index
    if weight is None:
        return xp.astype(counts, like.dtype)
    return xp.where(counts, weight[xp.where(counts, labels, 0)], 0.0)


def _nll_saves(
    xp: Any,
    wanted: tuple[int, ...],
    input: Any,
    target: Any,
    weight: Any = None,
    ignore_index: Any = -100,
    reduction: Any = "mean",
) -> tuple[Any, tuple[Any, ...]]:
    check_reduction("nll_loss", reduction)
    _check_classes(input, target)
    own = kernel(xp, "nll_loss")
    if own is not None:
        y, total = own(input, target, weight, ignore_index, reduction)
        return y, (total,)
    labels = target.reshape(-1)
    shares = _shares(xp, input, labels, weight, ignore_index)
    picked = _classes(xp, input)[xp.arange(len(labels)), xp.where(labels == ignore_index, 0, labels)]
    losses, total = -picked * shares, xp.sum(shares)
    if reduction == "none":
        return losses.reshape(target.shape), (total,)
    return xp.sum(losses) if reduction == "sum" else xp.sum(losses) / total, (total,)


def _nll_pull(
    xp: Any,
    wanted: tuple[int, ...],
    g: Any,
    y: Any,
    saved: tuple[Any, ...],
    input: Any,
    target: Any,
    weight: Any = None,
    ignore_index: Any = -100,
    reduction: Any = "mean",
) -> list[Any]:
    if wanted[-1] == 2:
        last = _pulled_weights(xp, g, y, saved[0], input, target, weight, ignore_index, reduction)
        rest = (input, target, weight, ignore_index, reduction)
        return [*(_nll_pull(xp, (0,), g, y, saved, *rest) if wanted[1:] else ()), last]
    own = kernel(xp, "nll_loss_vjp")
    if own is not None:
        return [own(g, input.shape, target, weight, ignore_index, reduction, *saved)]
    labels = target.reshape(-1)
    shares = _shares(xp, g, labels, weight, ignore_index)
    if reduction == "mean":
        shares = shares / saved[0]
    given = -(g.reshape(-1) if reduction == "none" else g) * shares
    shape = tuple(input.shape)
    classes = shape[0] if len(shape) == 1 else shape[1]
    rows = zeros_beside(given, (len(labels), classes), input.dtype)
    rows[xp.arange(len(labels)), xp.where(labels == ignore_index, 0, labels)] = given
    if len(shape) <= 2:
        return [rows.reshape(shape)]
    return [xp.moveaxis(rows.reshape((shape[0], *shape[2:], classes)), -1, 1)]


def _pulled_weights(
    xp: Any, g: Any, y: Any, total: Any, input: Any, target: Any, weight: Any, ignored: int, reduction: str
) -> Scattered:
    """Return the cotangent of the weights of classes."""
    labels = target.reshape(-1)
    counts = labels != ignored
    classes = xp.where(counts, labels, 0)
    losses = -_classes(xp, input)[xp.arange(len(labels)), classes]
    if reduction == "mean":
        each = g * (losses - y) / total
    else:
        each = (g.reshape(-1) if reduction == "none" else g) * losses
    return Scattered(weight, classes, xp.where(counts, each, 0.0), True)


def _nll_now(
    input: Any, target: Any, weight: Any = None, ignore_index: Any = -100, reduction: Any = "mean"
) -> Any:
    losses = call("tensorlib.nll_loss", input, target, None, ignore_index, "none")
    counts = call("np.not_equal", target, ignore_index)
    shares = call("np.take", weight, call("np.where", counts, target, 0), 0)
    shares = call("np.where", counts, shares, 0.0)
    found = MULTIPLY(losses, shares)
    if reduction == "none":
        return found
    total = call("np.sum", found)
    return total if reduction == "sum" else DIVIDE(total, call("np.sum", shares))


def _nll_jvp(t: Any, y: Any, input: Any, *rest: Any) -> Any:
    return number(call("tensorlib.nll_loss", t, *rest))


def _nll_samples(rng: Any) -> list[tuple[Any, ...]]:
    x, labels = rng.normal(size=(4, 3)), np.array([2, 0, 1, 2])
    w = np.array([0.5, 1.0, 2.0])
    return [
        (x, labels),
        (x, labels, w, 1),
        (x, labels, None, -100, "sum"),
        (x, labels, w, 2, "none"),
        (rng.normal(size=(2, 3, 2, 2)), rng.integers(0, 3, (2, 2, 2)), w),
        (x.astype("f4"), labels),
        (x[0], labels[0]),
    ]


NLL_LOSS = tensor(
    "tensorlib.nll_loss",
    value_of(_nll_saves),
    saves=_nll_saves,
    pull=_nll_pull,
    jvps=(_nll_jvp, None, along(_nll_now, 2, count=5)[2], None, None),
    needs=((1, 2), (), (0, 1, 2, RESULT), (), ()),
    implements=(nll_loss,),
    shape="(n, classes, ...), (n, ...) -> a number, or (n, ...)",
    samples=_nll_samples,
)


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    ignore_index: Any = -100,
    reduction: Any = "mean",
    label_smoothing: Any = 0.0,
) -> Any:
    """Return the cross entropy of the classes in target, or of probabilities, and softmax(input)."""
    axis = 0 if len(input.shape) == 1 else 1
    logs = log_softmax(input, axis)
    if target.dtype == input.dtype:
        return _of_probabilities(logs, target, weight, reduction, label_smoothing, axis)
    loss = nll_loss(logs, target, weight, ignore_index, reduction)
    if label_smoothing == 0.0:
        return loss
    return _smoothed(logs, loss, target, weight, ignore_index, reduction, label_smoothing, axis)


def _weighted(logs: Any, weight: Any, axis: Any) -> Any:
    """Return the logarithms times the weights of their classes."""
    if weight is None:
        return logs
    return logs * np.reshape(weight, (len(weight), *[1] * (len(logs.shape) - axis - 1)))


def _of_probabilities(logs: Any, target: Any, weight: Any, reduction: Any, smoothing: Any, axis: Any) -> Any:
    count = logs.shape[axis]
    if smoothing != 0.0:
        target = target * (1.0 - smoothing) + smoothing / count
    losses = -np.sum(target * _weighted(logs, weight, axis), axis=axis)
    if reduction == "none":
        return losses
    total = np.sum(losses)
    return total if reduction == "sum" else total / (np.size(logs) / count)


def _smoothed(
    logs: Any, loss: Any, target: Any, weight: Any, ignored: Any, reduction: Any, smoothing: Any, axis: Any
) -> Any:
    counts = target != ignored
    each = np.where(counts, -np.sum(_weighted(logs, weight, axis), axis=axis), 0.0)
    if reduction == "mean":
        if weight is None:
            each = np.sum(each) / np.sum(counts)
        else:
            shares = np.where(counts, weight[np.where(counts, target, 0)], 0.0)
            each = np.sum(each) / np.sum(shares)
    elif reduction == "sum":
        each = np.sum(each)
    return (1.0 - smoothing) * loss + smoothing / logs.shape[axis] * each


translated_as(cross_entropy, cross_entropy)
