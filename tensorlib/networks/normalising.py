"""Normalisation by mean and variance: of layers, of groups of channels.

The value saves the mean and the reciprocal of the deviation, in the shapes in which PyTorch saves them.
"""

from __future__ import annotations

import math
from typing import Any

from checkpoint.ad.array_library import kernel, namespace
from checkpoint.prims.arrays import tensor
from tensorlib.elementwise.pointwise import ADD, DIVIDE, MULTIPLY, SUBTRACT
from tensorlib.layout.moving import call, shape_now
from tensorlib.networks.composed import along, value_of
from tensorlib.reductions.axes import plain_axis
from tensorlib.rules import real_only, unless_refused

Saved = tuple[Any, ...]


def statistics(xp: Any, x: Any, axes: tuple[int, ...], eps: float) -> tuple[Any, Any, Any]:
    """Return the normalised elements, the mean and the reciprocal of the deviation."""
    mean = xp.mean(x, axis=axes, keepdims=True)
    centred = x - mean
    rstd = 1.0 / xp.sqrt(xp.mean(centred * centred, axis=axes, keepdims=True) + eps)
    return centred * rstd, mean, rstd


def pulled(xp: Any, scaled: Any, normal: Any, rstd: Any, axes: tuple[int, ...]) -> Any:
    """Return the cotangent of what was normalised, for that of the normalised elements."""
    lean = xp.mean(scaled * normal, axis=axes, keepdims=True)
    return (scaled - xp.mean(scaled, axis=axes, keepdims=True) - normal * lean) * rstd


def pulled_eps(xp: Any, scaled: Any, normal: Any, rstd: Any) -> float:
    """Return the cotangent of eps."""
    return float(-0.5 * xp.sum(scaled * normal * (rstd * rstd)))


def normalised(x: Any, axes: tuple[int, ...], eps: Any) -> Any:
    """Return the normalised elements, by records."""
    centred = SUBTRACT(x, call("np.mean", x, axes, None, True))
    variance = call("np.mean", MULTIPLY(centred, centred), axes, None, True)
    return DIVIDE(centred, call("np.sqrt", ADD(variance, eps)))


def scaled_by(x: Any, weight: Any, bias: Any) -> Any:
    found = x if weight is None else MULTIPLY(x, weight)
    return found if bias is None else ADD(found, bias)


# Layers


def layer_norm(
    input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    """Return input normalised over its last axes, times weight, plus bias."""
    return LAYER_NORM.value(namespace((input,)), input, normalized_shape, weight, bias, eps)


def _shape(normalized_shape: Any) -> tuple[int, ...]:
    return (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)


def _check_layer(x: Any, shape: tuple[int, ...], weight: Any, bias: Any, eps: Any = None) -> None:
    real_only("layer_norm", x)
    given = tuple(x.shape)
    if not shape or given[-len(shape) :] != shape:
        raise ValueError(
            f"layer_norm: normalized_shape {shape} is not the last axes of an input of shape {given}"
        )
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None and tuple(each.shape) != shape:
            raise ValueError(f"layer_norm: {name} has shape {tuple(each.shape)}, not {shape}")


def _layer_norm_saves(
    xp: Any,
    wanted: tuple[int, ...],
    input: Any,
    normalized_shape: Any,
    weight: Any = None,
    bias: Any = None,
    eps: Any = 1e-5,
) -> tuple[Any, Saved]:
    shape = _shape(normalized_shape)
    own = kernel(xp, "layer_norm")
    if own is not None:
        y, mean, rstd = unless_refused(own, _check_layer, input, shape, weight, bias, eps)
        return y, (mean, rstd)
    _check_layer(input, shape, weight, bias)
    normal, mean, rstd = statistics(xp, input, tuple(range(-len(shape), 0)), eps)
    found = normal if weight is None else normal * weight
    return found if bias is None else found + bias, (mean, rstd)


def _layer_norm_pull(
    xp: Any,
    wanted: tuple[int, ...],
    g: Any,
    y: Any,
    saved: Saved,
    input: Any,
    normalized_shape: Any,
    weight: Any = None,
    bias: Any = None,
    eps: Any = 1e-5,
) -> list[Any]:
    shape = _shape(normalized_shape)
    mean, rstd = saved
    if wanted[-1] == 4:
        operands = (input, normalized_shape, weight, bias, eps)
        scaled = g if weight is None else g * weight
        last = pulled_eps(xp, scaled, (input - mean) * rstd, rstd)
        return [*(_layer_norm_pull(xp, wanted[:-1], g, y, saved, *operands) if wanted[1:] else ()), last]
    own = kernel(xp, "layer_norm_pull")
    if own is not None and wanted != (3,):
        given = own(g, input, shape, mean, rstd, weight, [0 in wanted, 2 in wanted, 3 in wanted])
        return [given[0 if i == 0 else i - 1] for i in wanted]
    axes = tuple(range(-len(shape), 0))
    rows = tuple(range(len(g.shape) - len(shape)))
    normal = (input - mean) * rstd if wanted != (3,) else None
    scaled = g if weight is None or wanted == (3,) else g * weight
    found = []
    for position in wanted:
        if position == 0:
            found.append(pulled(xp, scaled, normal, rstd, axes))
        else:
            found.append(xp.sum(g * normal if position == 2 else g, axis=rows))
    return found


def _layer_norm_now(
    input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5
) -> Any:
    shape = _shape(plain_axis(normalized_shape))
    return scaled_by(normalised(input, tuple(range(-len(shape), 0)), eps), weight, bias)


def _layer_samples(rng: Any) -> list[Saved]:
    x, w, b = rng.normal(size=(3, 2, 4)), rng.normal(size=4), rng.normal(size=4)
    wide = (rng.normal(size=(2, 4)), rng.normal(size=(2, 4)))
    small = [each.astype("f4") for each in (x, w, b)]
    return [
        (x, (4,)),
        (x, (4,), w, b),
        (x, (2, 4), *wide, 1e-3),
        (x[0, 0], (4,), w),
        (small[0], (4,), small[1], small[2]),
    ]


LAYER_NORM = tensor(
    "tensorlib.layer_norm",
    value_of(_layer_norm_saves),
    saves=_layer_norm_saves,
    pull=_layer_norm_pull,
    jvps=along(_layer_norm_now, 0, 2, 3, 4, count=5),
    needs=((0, 2), (), (0, 2), (), (0, 2)),  # PyTorch's own reversals take the weight, too
    implements=(layer_norm,),
    shape="that of input",
    samples=_layer_samples,
)

# Groups


def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    """Return input (n, channels, ...) normalised by group of channels, times weight, plus bias by channel."""
    return GROUP_NORM.value(namespace((input,)), input, num_groups, weight, bias, eps)


def _check_groups(x: Any, groups: int, weight: Any, bias: Any, eps: Any = None) -> None:
    real_only("group_norm", x)
    given = tuple(x.shape)
    if len(given) < 2 or groups < 1 or given[1] % groups:
        raise ValueError(
            f"group_norm: the channels of an input of shape {given} are not {groups} equal groups"
        )
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None and tuple(each.shape) != given[1:2]:
            raise ValueError(f"group_norm: {name} has shape {tuple(each.shape)}, not {given[1:2]}")


def _by_channel(each: Any, x: Any) -> Any:
    return each.reshape((1, each.shape[0], *[1] * (len(x.shape) - 2)))


def _group_norm_saves(
    xp: Any,
    wanted: tuple[int, ...],
    input: Any,
    num_groups: Any,
    weight: Any = None,
    bias: Any = None,
    eps: Any = 1e-5,
) -> tuple[Any, Saved]:
    own = kernel(xp, "group_norm")
    if own is not None:
        y, mean, rstd = unless_refused(own, _check_groups, input, num_groups, weight, bias, eps)
        return y, (mean, rstd)
    _check_groups(input, num_groups, weight, bias)
    grouped = input.reshape((input.shape[0], num_groups, -1))
    normal, mean, rstd = statistics(xp, grouped, (2,), eps)
    found = normal.reshape(input.shape)
    found = found if weight is None else found * _by_channel(weight, input)
    return found if bias is None else found + _by_channel(bias, input), (mean, rstd)


def _group_norm_pull(
    xp: Any,
    wanted: tuple[int, ...],
    g: Any,
    y: Any,
    saved: Saved,
    input: Any,
    num_groups: Any,
    weight: Any = None,
    bias: Any = None,
    eps: Any = 1e-5,
) -> list[Any]:
    mean, rstd = saved
    if wanted[-1] == 4:
        operands = (input, num_groups, weight, bias, eps)
        last = _pulled_group_eps(xp, g, mean, rstd, input, num_groups, weight)
        return [*(_group_norm_pull(xp, wanted[:-1], g, y, saved, *operands) if wanted[1:] else ()), last]
    own = kernel(xp, "group_norm_pull")
    if own is not None and wanted != (3,):
        given = own(g, input, num_groups, mean, rstd, weight, [0 in wanted, 2 in wanted, 3 in wanted])
        return [given[0 if i == 0 else i - 1] for i in wanted]
    shape, ones = (g.shape[0], num_groups, -1), (g.shape[0], num_groups, 1)
    mean, rstd = mean.reshape(ones), rstd.reshape(ones)
    normal = (input.reshape(shape) - mean) * rstd if wanted != (3,) else None
    scaled = (g if weight is None or wanted == (3,) else g * _by_channel(weight, g)).reshape(shape)
    rest = (0, *range(2, len(g.shape)))
    found: list[Any] = []
    for position in wanted:
        if position == 0:
            found.append(pulled(xp, scaled, normal, rstd, (2,)).reshape(g.shape))
        elif position == 2:
            assert normal is not None
            found.append(xp.sum(g * normal.reshape(g.shape), axis=rest))
        else:
            found.append(xp.sum(g, axis=rest))
    return found


def _pulled_group_eps(
    xp: Any, g: Any, mean: Any, rstd: Any, input: Any, num_groups: int, weight: Any
) -> float:
    shape, ones = (g.shape[0], num_groups, -1), (g.shape[0], num_groups, 1)
    rstd = rstd.reshape(ones)
    scaled = (g if weight is None else g * _by_channel(weight, g)).reshape(shape)
    return pulled_eps(xp, scaled, (input.reshape(shape) - mean.reshape(ones)) * rstd, rstd)


def _group_norm_now(
    input: Any, num_groups: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5
) -> Any:
    shape = shape_now(input)
    grouped = call("np.reshape", input, (shape[0], num_groups, math.prod(shape[1:]) // num_groups))
    normal = call("np.reshape", normalised(grouped, (2,), eps), shape)
    across = (1, shape[1], *[1] * (len(shape) - 2))
    scale, offset = [None if each is None else call("np.reshape", each, across) for each in (weight, bias)]
    return scaled_by(normal, scale, offset)


def _group_samples(rng: Any) -> list[Saved]:
    x, w, b = rng.normal(size=(2, 4, 3)), rng.normal(size=4), rng.normal(size=4)
    return [
        (x, 2),
        (x, 2, w, b),
        (rng.normal(size=(2, 4, 2, 3)), 4, w, b, 1e-3),
        (rng.normal(size=(2, 4)), 1, w),
        (x.astype("f4"), 2, w.astype("f4"), b.astype("f4")),
    ]


GROUP_NORM = tensor(
    "tensorlib.group_norm",
    value_of(_group_norm_saves),
    saves=_group_norm_saves,
    pull=_group_norm_pull,
    jvps=along(_group_norm_now, 0, 2, 3, 4, count=5),
    needs=((0, 2), (), (0, 2), (), (0, 2)),  # PyTorch's own reversals take the weight, too
    implements=(group_norm,),
    shape="that of input",
    samples=_group_samples,
)
