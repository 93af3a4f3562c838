"""Normalisation of channels by the mean and variance of a batch, or by running statistics; of each sample.

The value saves what PyTorch saves: of a batch the mean and the reciprocal of the deviation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.array_library import kernel, namespace
from checkpoint.prims.arrays import prim, tensor, translated_as
from tensorlib.elementwise.pointwise import ADD, DIVIDE, SUBTRACT
from tensorlib.layout.moving import call, shape_now
from tensorlib.networks.composed import along, value_of
from tensorlib.networks.normalising import normalised, pulled, pulled_eps, scaled_by, statistics
from tensorlib.rules import real_only

Saved = tuple[Any, ...]


def by_statistics(input: Any, weight: Any, bias: Any, mean: Any, var: Any, eps: float = 1e-5) -> Any:
    """Return input (n, channels, ...) normalised by channel, times weight, plus bias.

    mean, var: by which it is normalised; None for those of the batch.
    """
    return BATCH_NORM.value(namespace((input,)), input, weight, bias, mean, var, eps)


def _check(x: Any, weight: Any, bias: Any, mean: Any, var: Any) -> None:
    real_only("batch_norm", x)
    shape = tuple(x.shape)
    if len(shape) < 2:
        raise ValueError(f"batch_norm: an input of shape {shape} is not (n, channels, ...)")
    if (mean is None) != (var is None):
        raise ValueError("batch_norm: running_mean and running_var are given together")
    given = {"weight": weight, "bias": bias, "running_mean": mean, "running_var": var}
    for name, each in given.items():
        if each is not None and tuple(each.shape) != shape[1:2]:
            raise ValueError(f"batch_norm: {name} has shape {tuple(each.shape)}, not {shape[1:2]}")
    if mean is None and x.shape[1] and not _size(shape) // shape[1] > 1:
        raise ValueError(f"batch_norm: an input of shape {shape} has one value per channel: no variance")


def _size(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape))


def _across(x: Any) -> tuple[int, ...]:
    return (1, -1, *[1] * (len(x.shape) - 2))


def _axes(x: Any) -> tuple[int, ...]:
    return (0, *range(2, len(x.shape)))


def _saves(
    xp: Any,
    wanted: tuple[int, ...],
    input: Any,
    weight: Any,
    bias: Any,
    mean: Any,
    var: Any,
    eps: Any = 1e-5,
) -> tuple[Any, Saved]:
    _check(input, weight, bias, mean, var)
    own = kernel(xp, "batch_norm")
    if own is not None:
        y, *saved = own(input, weight, bias, mean, var, mean is None, eps)
        return y, tuple(saved)
    across = _across(input)
    if mean is None:
        normal, middle, rstd = statistics(xp, input, _axes(input), eps)
        saved = [middle.reshape(-1), rstd.reshape(-1)]
    else:
        saved = [mean, 1.0 / xp.sqrt(var + eps)]
        normal = (input - mean.reshape(across)) * saved[1].reshape(across)
    found = normal if weight is None else normal * weight.reshape(across)
    return found if bias is None else found + bias.reshape(across), tuple(saved)


def _pull(
    xp: Any,
    wanted: tuple[int, ...],
    g: Any,
    y: Any,
    saved: Saved,
    input: Any,
    weight: Any,
    bias: Any,
    mean: Any,
    var: Any,
    eps: Any = 1e-5,
) -> list[Any]:
    own = kernel(xp, "batch_norm_pull")
    if own is not None and wanted[0] < 2:
        given = own(g, input, weight, mean, var, saved, mean is None, eps, [i in wanted for i in range(3)])
        first = [given[i] for i in wanted if i <= 2]
        rest = tuple([i for i in wanted if i > 2])
        operands = input, weight, bias, mean, var, eps
        return first + (_pull(xp, rest, g, y, saved, *operands) if rest else [])
    across, axes = _across(g), _axes(g)
    of_batch, found = mean is None, {}
    if 2 in wanted:
        found[2] = xp.sum(g, axis=axes)
    if wanted != (2,):
        middle, rstd = saved if own is None or of_batch else (mean, 1.0 / xp.sqrt(var + eps))
        rstd = rstd.reshape(across)
        normal = (input - middle.reshape(across)) * rstd
        scaled = g if weight is None else g * weight.reshape(across)
        found[1] = xp.sum(g * normal, axis=axes)
        if 0 in wanted:
            found[0] = pulled(xp, scaled, normal, rstd, axes) if of_batch else scaled * rstd
        if not of_batch:
            found[3] = -xp.sum(scaled, axis=axes) * rstd.reshape(-1)
            found[4] = -0.5 * xp.sum(scaled * normal, axis=axes) * rstd.reshape(-1) ** 2
        if 5 in wanted:
            found[5] = pulled_eps(xp, scaled, normal, rstd)
    return [found[i] for i in wanted]


def _now(input: Any, weight: Any, bias: Any, mean: Any, var: Any, eps: Any = 1e-5) -> Any:
    count = len(shape_now(input)) - 2
    across = (1, shape_now(input)[1], *[1] * count)
    parts = [None if each is None else call("np.reshape", each, across) for each in (weight, bias, mean, var)]
    if mean is None:
        normal = normalised(input, (0, *range(2, 2 + count)), eps)
    else:
        normal = DIVIDE(SUBTRACT(input, parts[2]), call("np.sqrt", ADD(parts[3], eps)))
    return scaled_by(normal, parts[0], parts[1])


def _samples(rng: Any) -> list[Saved]:
    x, (w, b, mean) = rng.normal(size=(3, 2, 4)), rng.normal(size=(3, 2))
    var = rng.uniform(0.5, 2.0, 2)
    wide = rng.normal(size=(2, 2, 3, 2))
    return [
        (x, None, None, None, None),
        (x, w, b, None, None, 1e-3),
        (wide, w, None, mean, var),
        (rng.normal(size=(3, 2)), w, b, mean, var, 1e-2),
        tuple([each.astype("f4") for each in (x, w, b, mean, var)]),
    ]


BATCH_NORM = tensor(
    "tensorlib.batch_norm",
    value_of(_saves),
    saves=_saves,
    pull=_pull,
    jvps=along(_now, 0, 1, 2, 3, 4, 5, count=6),
    needs=((0, 1, 3, 4), (0, 1, 3, 4), (), (0, 1, 3, 4), (0, 1, 3, 4), (0, 1, 3, 4)),
    implements=(by_statistics,),
    shape="that of input",
    samples=_samples,
)

# The functions as users call them


def _normed(input: Any, weight: Any, bias: Any, mean: Any, var: Any, eps: Any) -> Any:
    if eps == 1e-5:  # the usual one is no number of the program's, and has no derivative
        return by_statistics(input, weight, bias, mean, var)
    return by_statistics(input, weight, bias, mean, var, eps)


def _as_constant(x: Any) -> Any:
    """Return x, which counts as a constant in programs."""
    return x


def _constant(x: Any) -> Any:
    return prim("py.stop", x)


def batch_norm_training(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    momentum: Any = 0.1,
    eps: Any = 1e-5,
) -> Any:
    """Return input normalised by the batch, and the running statistics after it, which count as constants."""
    y = _normed(input, weight, bias, None, None, eps)
    x = _as_constant(input)
    axes = (0, *range(2, len(x.shape)))
    mean, var = np.mean(x, axis=axes), np.var(x, axis=axes, ddof=1)
    kept = 1.0 - momentum
    return y, kept * running_mean + momentum * mean, kept * running_var + momentum * var


def batch_norm(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: Any = False,
    momentum: Any = 0.1,
    eps: Any = 1e-5,
) -> Any:
    """Return input (n, channels, ...) normalised by the running statistics; in training by the batch.

    In training the running statistics are changed, unless they are None: in a differentiated function they
    must be its own, or has_state=True returns what they become. They count as constants.
    """
    if not training:
        if running_mean is None:
            raise ValueError("batch_norm without training needs running_mean and running_var")
        return _normed(input, weight, bias, running_mean, running_var, eps)
    if running_mean is None:
        return _normed(input, weight, bias, None, None, eps)
    y, mean, var = batch_norm_training(input, running_mean, running_var, weight, bias, momentum, eps)
    running_mean[...] = mean
    running_var[...] = var
    return y


def instance_norm(
    input: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: Any = True,
    momentum: Any = 0.1,
    eps: Any = 1e-5,
) -> Any:
    """Return input with each channel of each sample normalised, times weight, plus bias.

    Running statistics are changed as batch_norm does, by the means of all samples; without use_input_stats it
    is normalised by them.
    """
    if not use_input_stats:
        if running_mean is None:
            raise ValueError("instance_norm without use_input_stats needs running_mean and running_var")
        return _normed(input, weight, bias, running_mean, running_var, eps)
    shape = input.shape
    rows = np.reshape(input, (1, shape[0] * shape[1], *shape[2:]))
    weights = None if weight is None else np.tile(weight, shape[0])
    biases = None if bias is None else np.tile(bias, shape[0])
    y = np.reshape(_normed(rows, weights, biases, None, None, eps), shape)
    if running_mean is not None:
        x = _as_constant(input)
        axes = tuple(range(2, len(shape)))
        mean, var = np.mean(x, axis=axes), np.var(x, axis=axes, ddof=1)
        running_mean[...] = (1.0 - momentum) * running_mean + momentum * np.mean(mean, axis=0)
        running_var[...] = (1.0 - momentum) * running_var + momentum * np.mean(var, axis=0)
    return y


translated_as(_as_constant, _constant)
translated_as(batch_norm_training, batch_norm_training)
for _function in (batch_norm, instance_norm):
    translated_as(_function, _function, writes=True)
