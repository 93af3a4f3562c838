"""Elements in another order, or several times: flip, roll, rotate, tile, repeat, pad."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from checkpoint.ad.array_library import zeros_beside
from checkpoint.errors import RunError
from checkpoint.prims.arrays import tensor
from tensorlib.layout.moving import added_at, call, copied, is_list, linear, spread_over, with_options
from tensorlib.moves import rolled
from tensorlib.rules import unbroadcast, zeroed


def _flips(name: str, function: Any, value: Any, options: Any) -> Any:
    return linear(
        f"np.{name}",
        value,
        lambda xp, g, y, m, *rest: value(xp, g, *rest),
        views=True,
        implements=(function,),
        shape="that of the array",
        samples=options,
    )


FLIP = _flips(
    "flip",
    np.flip,
    lambda xp, m, axis=None: xp.flip(m, axis),
    lambda rng: [*with_options(())(rng), *with_options((0,), (-1,), ((0, 1),), low=2)(rng)],
)
FLIPLR = _flips("fliplr", np.fliplr, lambda xp, m: xp.fliplr(m), with_options((), low=2))
FLIPUD = _flips("flipud", np.flipud, lambda xp, m: xp.flipud(m), with_options((), low=1))


def _negated(shift: Any) -> Any:
    is_one = type(shift) is int or not (is_list(shift) or np.ndim(shift))
    return -shift if is_one else tuple([-int(n) for n in shift])


ROLL = linear(
    "np.roll",
    lambda xp, a, shift, axis=None: rolled(xp, a, shift, axis),
    lambda xp, g, y, a, shift, axis=None: rolled(xp, g, _negated(shift), axis),
    needs=((1,),),
    implements=(np.roll,),
    shape="that of the array",
    samples=lambda rng: [
        *with_options((1,), (-2,))(rng),
        *with_options((1, 0), (-2, -1), ((1, 2), (0, 1)), (1, (0, 1)), low=2)(rng),
    ],
)
ROT90 = linear(
    "np.rot90",
    lambda xp, m, k=1, axes=(0, 1): xp.rot90(m, k, axes),
    lambda xp, g, y, m, k=1, axes=(0, 1): xp.rot90(g, -k, axes),
    views=True,
    implements=(np.rot90,),
    shape="(n, m) -> (m, n)",
    samples=with_options((), (2,), (-1,), (1, (1, 0)), low=2),
)

# Several times


def _untiled(xp: Any, g: Any, y: Any, a: Any, reps: Any) -> Any:
    counts = tuple([int(n) for n in reps]) if is_list(reps) or np.ndim(reps) else (int(reps),)
    shape = (1,) * (len(counts) - a.ndim) + tuple(a.shape)
    counts = (1,) * (len(shape) - len(counts)) + counts
    pairs = [n for count, length in zip(counts, shape, strict=True) for n in (count, length)]
    return xp.sum(g.reshape(pairs), axis=tuple(range(0, len(pairs), 2))).reshape(a.shape)


TILE = linear(
    "np.tile",
    lambda xp, A, reps: xp.tile(A, reps),
    _untiled,
    needs=((1,),),
    implements=(np.tile,),
    shape="(n, m) -> (r * n, s * m)",
    samples=lambda rng: [*with_options((2,), ((2, 3),), ((2, 1, 2),))(rng), ([1.0, 2.0], 2), (1.5, 3)],
)


def _unrepeated(xp: Any, g: Any, y: Any, a: Any, repeats: Any, axis: Any = None) -> Any:
    shape = (prod(a.shape),) if axis is None else tuple(a.shape)
    k = 0 if axis is None else axis % a.ndim
    if np.ndim(repeats) == 0:
        split = (*shape[:k], shape[k], int(repeats), *shape[k + 1 :])
        return xp.sum(g.reshape(split), axis=k + 1).reshape(a.shape)
    counts = np.broadcast_to(repeats, (shape[k],))
    whole = zeros_beside(g, shape, g.dtype)
    index = (slice(None),) * k + (xp.repeat(xp.arange(shape[k]), counts),)
    xp.add.at(whole, index, g)
    return whole.reshape(a.shape)


REPEAT = linear(
    "np.repeat",
    lambda xp, a, repeats, axis=None: xp.repeat(a, repeats, axis),
    _unrepeated,
    needs=((1,),),
    implements=(np.repeat,),
    methods=("repeat",),
    shape="each element, row, ... several times",
    samples=lambda rng: [
        *with_options((2,))(rng),
        *with_options((2, 0), (3, -1), low=2)(rng),
        (rng.normal(size=(3, 2)), [1, 0, 2], 0),
        (rng.normal(size=3), np.array([1, 0, 2])),
        ([1.0, 2.0], 2),
    ],
)
RESIZE = copied(
    "np.resize",
    lambda xp, a, new_shape: xp.resize(a, new_shape),
    implements=(np.resize,),
    shape="the one asked for: the elements over and over",
    samples=with_options(((2, 5),), (3,)),
)

# Margins

_GATHERING = ("edge", "reflect", "symmetric", "wrap", "empty")


def _checked(mode: Any) -> None:
    if mode != "constant" and mode not in _GATHERING[:-1]:
        known = ", ".join(["constant", *_GATHERING[:-1]])
        raise RunError(f"np.pad with mode={mode!r} has no rule here: one of {known} has")


def _pad(xp: Any, array: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
    _checked(mode)
    if mode == "constant":
        return xp.pad(array, pad_width, mode, constant_values=constant_values)
    return xp.pad(array, pad_width, mode)


def _pad_array_vjp(
    xp: Any, g: Any, y: Any, array: Any, pad_width: Any, mode: str = "constant", *_: Any
) -> Any:
    if mode == "constant":
        return g[_inside(array.ndim, array.shape, pad_width)]
    source = xp.pad(xp.arange(prod(array.shape)).reshape(array.shape), pad_width, mode)
    return added_at(xp, array, source, g)


def _widths(ndim: int, pad_width: Any) -> Any:
    if isinstance(pad_width, dict):
        widths: list[Any] = [pad_width.get(i, pad_width.get(i - ndim, 0)) for i in range(ndim)]
        return [(w, w) if np.ndim(w) == 0 else w for w in widths]
    return np.broadcast_to(pad_width, (ndim, 2))


def _inside(ndim: int, shape: Any, pad_width: Any) -> tuple[slice, ...]:
    pairs = _widths(ndim, pad_width)
    return tuple([slice(int(pair[0]), int(pair[0]) + n) for pair, n in zip(pairs, shape, strict=True)])


def _pad_values_vjp(
    xp: Any, g: Any, y: Any, array: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0
) -> Any:
    if np.ndim(constant_values):
        raise RunError("np.pad has no derivative by several constant_values: pad once for each")
    rest = xp.array(g)
    rest[_inside(array.ndim, array.shape, pad_width)] = 0
    return unbroadcast(xp, rest, constant_values)


def _pad_values_jvp(
    tangent: Any, y: Any, array: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0
) -> Any:
    zeros = call("np.astype", call("np.zeros_like", array, None), float)
    return call("np.pad", zeros, pad_width, mode, tangent)


PAD = tensor(
    "np.pad",
    _pad,
    vjps=(spread_over(_pad_array_vjp), None, None, _pad_values_vjp),
    jvps=(
        lambda t, y, array, width, mode="constant", *_: call("np.pad", zeroed(t), width, mode, 0.0),
        None,
        None,
        _pad_values_jvp,
    ),
    needs=((1,), (), (), (1,)),
    implements=(np.pad,),
    shape="with margins",
    samples=lambda rng: [
        *with_options((1,), (((1, 2),), "constant", 1.5), (0,))(rng),
        *with_options(((1, 2), "edge"), ((1, 2), "reflect"), ((2, 1), "wrap"), ((2, 1), "symmetric"))(rng)[
            3:5
        ],
        *[
            (rng.normal(size=(3, 4)), ((1, 2), (0, 3)), mode)
            for mode in ("constant", "edge", "reflect", "symmetric", "wrap")
        ],
        (rng.normal(size=5), 7, "wrap"),
        (rng.normal(size=3), 1, "constant", rng.normal(size=())),
        (rng.normal(size=3), 2, "constant", 1),
    ],
)
