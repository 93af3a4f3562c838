"""Other sizes of pictures: interpolation, adaptive means; the largest of adaptive windows.

All but the last are linear along each axis: on libraries without kernels of their own, a product with a
matrix for each.
"""

from __future__ import annotations

import itertools
import math
from math import prod
from typing import Any

import numpy as np

from checkpoint.ad.array_library import kernel, namespace
from checkpoint.errors import refusal
from checkpoint.prims.arrays import tensor, translated_as
from tensorlib.networks.planes import gathered, gathered_now, planes, scattered
from tensorlib.networks.unpooling import with_places
from tensorlib.reductions.axes import plain_axis
from tensorlib.rules import discrete, raw, real_only

Sizes = tuple[int, ...]
_CUBIC = -0.75  # of the kernel of bicubic interpolation, as PyTorch has it


def resample(input: Any, mode: str, size: Sizes, align_corners: bool | None = None) -> Any:
    """Return input (n, channels, *places) with other places; mode: of `interpolate`, or "adaptive"."""
    return RESAMPLE.value(namespace((input,)), input, mode, size, align_corners)


_AXES = {"linear": (1,), "bilinear": (2,), "trilinear": (3,), "bicubic": (2,)}


def _check(x: Any, mode: str, size: Sizes) -> None:
    real_only("interpolate", x)
    lead, places = planes(x, len(size))
    if len(lead) not in (1, 2) or len(size) not in _AXES.get(mode, (1, 2, 3)):
        raise ValueError(f"interpolate: mode {mode!r} does not take {len(size)} sizes for {tuple(x.shape)}")
    if min((*size, *places)) < 1:
        raise ValueError(f"interpolate: from {places} to {size}: sizes are at least 1")


def _matrix(mode: str, n: int, m: int, corners: bool | None) -> Any:
    """Return the matrix (m, n) of one axis."""
    found = np.zeros((m, n))
    for i in range(m):
        if mode in ("adaptive", "area"):
            low, high = i * n // m, -(-(i + 1) * n // m)
            found[i, low:high] = 1.0 / (high - low)
        elif mode.startswith("nearest"):
            found[i, i * n // m if mode == "nearest" else (2 * i + 1) * n // (2 * m)] = 1.0
        else:
            at = _place(i, n, m, corners)
            taps = _cubic_taps(at) if mode == "bicubic" else _linear_taps(max(at, 0.0))
            for place, weight in taps:
                found[i, min(max(place, 0), n - 1)] += weight
    return found


def _place(i: int, n: int, m: int, corners: bool | None) -> float:
    if corners:
        return i * (n - 1) / (m - 1) if m > 1 else 0.0
    return (i + 0.5) * n / m - 0.5


def _linear_taps(at: float) -> list[tuple[int, float]]:
    low = math.floor(at)
    return [(low, 1.0 - (at - low)), (low + 1, at - low)]


def _cubic_taps(at: float) -> list[tuple[int, float]]:
    low = math.floor(at)
    taps = []
    for k in range(-1, 3):
        x, a = abs(at - low - k), _CUBIC
        near = ((a + 2) * x - (a + 3)) * x * x + 1
        taps.append((low + k, near if x <= 1 else ((x - 5) * x + 8) * a * x - 4 * a))
    return taps


def _along(xp: Any, x: Any, mode: str, sizes: list[tuple[int, int]], corners: Any, back: bool) -> Any:
    """Return an array multiplied along its last axes by their matrices, or by the transposes of these."""
    first = len(x.shape) - len(sizes)
    for axis, (n, m) in enumerate(sizes, first):
        matrix = xp.asarray(_matrix(mode, n, m, corners), dtype=x.dtype)
        x = xp.moveaxis(xp.moveaxis(x, axis, -1) @ (matrix if back else matrix.T), -1, axis)
    return x


def _resample(xp: Any, input: Any, mode: Any, size: Any, align_corners: Any = None) -> Any:
    _check(input, mode, size)
    own = kernel(xp, "resample")
    if own is not None:
        return own(input, mode, size, align_corners)
    sizes = list(zip(planes(input, len(size))[1], size, strict=True))
    return _along(xp, input, mode, sizes, align_corners, False)


def _resample_vjp(
    xp: Any, g: Any, y: Any, input: Any, mode: Any, size: Any, align_corners: Any = None
) -> Any:
    own = kernel(xp, "resample_vjp")
    if own is not None:
        return own(g, input, mode, size, align_corners)
    sizes = list(zip(planes(input, len(size))[1], size, strict=True))
    return _along(xp, g, mode, sizes, align_corners, True)


RESAMPLE = tensor(
    "tensorlib.resample",
    _resample,
    vjps=(_resample_vjp, None, None, None),
    linear=True,
    needs=((), (), (), ()),
    implements=(resample,),
    shape="(n, c, ...) -> (n, c, *size)",
    samples=lambda rng: [
        (rng.normal(size=(2, 3, 5)), "adaptive", (3,)),
        (rng.normal(size=(1, 2, 3, 4)), "nearest", (6, 3)),
        (rng.normal(size=(1, 2, 3, 4)), "nearest-exact", (5, 8)),
        (rng.normal(size=(1, 2, 3, 4)), "bilinear", (6, 2), False),
        (rng.normal(size=(1, 2, 3, 4)), "bilinear", (5, 7), True),
        (rng.normal(size=(1, 2, 3, 4)), "bicubic", (6, 3), False),
        (rng.normal(size=(1, 1, 2, 3, 2)), "trilinear", (3, 2, 4), True),
        (rng.normal(size=(1, 2, 5)).astype("f4"), "linear", (3,), False),
    ],
)

# The largest of adaptive windows


def adaptive_largest(input: Any, output_size: Sizes) -> Any:
    """Return the largest element of each of so many windows along each axis; the sizes are a tuple."""
    return ADAPTIVE_MAX.value(namespace((input,)), input, output_size)


def _adaptive_saves(
    xp: Any, wanted: tuple[int, ...], input: Any, output_size: Any
) -> tuple[Any, tuple[Any, ...]]:
    _check(input, "adaptive", output_size)
    own = kernel(xp, "adaptive_max_pool")
    if own is not None:
        y, at = own(input, output_size)
        return y, (at,)
    lead, places = planes(input, len(output_size))
    flat = input.reshape((prod(lead), *places))
    positions = xp.arange(prod(places)).reshape(places)
    found = []
    for cell in itertools.product(*map(range, output_size)):
        window = tuple(
            [
                slice(i * n // m, -(-(i + 1) * n // m))
                for i, n, m in zip(cell, places, output_size, strict=True)
            ]
        )
        first = xp.argmax(flat[(slice(None), *window)].reshape((prod(lead), -1)), axis=1)
        found.append(positions[window].reshape(-1)[first])
    at = xp.stack(found, 1).reshape((*lead, *output_size))
    return gathered(xp, input, at, len(output_size)), (at,)


def _adaptive_value(xp: Any, input: Any, output_size: Any) -> Any:
    return _adaptive_saves(xp, (), input, output_size)[0]


def _adaptive_pull(
    xp: Any, wanted: tuple[int, ...], g: Any, y: Any, saved: tuple[Any, ...], input: Any, output_size: Any
) -> list[Any]:
    own = kernel(xp, "adaptive_max_pool_vjp")
    if own is not None:
        return [own(g, input, saved[0], output_size)]
    return [scattered(xp, g, saved[0], input, len(output_size))]


def _adaptive_jvp(t: Any, y: Any, input: Any, output_size: Any) -> Any:
    data = raw(input)
    sizes = plain_axis(output_size)
    at = _adaptive_saves(namespace((data,)), (), data, sizes)[1][0]
    return gathered_now(t, y, at, len(sizes))


ADAPTIVE_MAX = tensor(
    "tensorlib.adaptive_max_pool",
    _adaptive_value,
    saves=_adaptive_saves,
    pull=_adaptive_pull,
    jvps=(_adaptive_jvp, None),
    needs=((), ()),
    implements=(adaptive_largest,),
    shape="(n, c, ...) -> (n, c, *output_size)",
    convention="the first of equal ones has the whole derivative",
    samples=lambda rng: [
        (rng.normal(size=(2, 3, 7)), (3,)),
        (rng.normal(size=(2, 5, 4)), (2, 3)),
        (rng.normal(size=(1, 2, 3, 4, 3)), (2, 2, 1)),
        (rng.normal(size=(2, 3, 4)).astype("f4"), (2,)),
    ],
)


def adaptive_places(input: Any, output_size: Sizes) -> Any:
    """Return the place of the largest element of each window in its plane; the sizes are a tuple."""
    return _adaptive_places(namespace((input,)), input, output_size)


def _adaptive_places(xp: Any, input: Any, output_size: Any) -> Any:
    return _adaptive_saves(xp, (), input, output_size)[1][0]


discrete(
    "tensorlib.adaptive_max_pool_places",
    _adaptive_places,
    operands=2,
    implements=(adaptive_places,),
    shape="(n, c, ...) -> (n, c, *output_size)",
    samples=ADAPTIVE_MAX.samples,
)

# The functions as users call them


def _each(size: Any, places: Any) -> Any:
    """Return a size for each axis; None is that of the input."""
    sizes = [size] * len(places) if size is None or isinstance(size, int) else list(size)
    return tuple([n if m is None else m for m, n in zip(sizes, places, strict=True)])


def adaptive_avg_pool1d(input: Any, output_size: Any) -> Any:
    """Return the means of so many windows along the last axis."""
    return resample(input, "adaptive", _each(output_size, input.shape[-1:]))


def adaptive_avg_pool2d(input: Any, output_size: Any) -> Any:
    """Return the means of so many windows along each of the last two axes."""
    return resample(input, "adaptive", _each(output_size, input.shape[-2:]))


def adaptive_avg_pool3d(input: Any, output_size: Any) -> Any:
    """Return the means of so many windows along each of the last three axes."""
    return resample(input, "adaptive", _each(output_size, input.shape[-3:]))


def _adaptive_max(input: Any, output_size: Any, return_indices: Any, count: Any) -> Any:
    sizes = _each(output_size, input.shape[-count:])
    return (
        with_places(input, adaptive_places(input, sizes), count)
        if return_indices
        else adaptive_largest(input, sizes)
    )


def adaptive_max_pool1d(input: Any, output_size: Any, return_indices: Any = False) -> Any:
    """Return the largest elements of so many windows along the last axis."""
    return _adaptive_max(input, output_size, return_indices, 1)


def adaptive_max_pool2d(input: Any, output_size: Any, return_indices: Any = False) -> Any:
    """Return the largest elements of so many windows along each of the last two axes."""
    return _adaptive_max(input, output_size, return_indices, 2)


def adaptive_max_pool3d(input: Any, output_size: Any, return_indices: Any = False) -> Any:
    """Return the largest elements of so many windows along each of the last three axes."""
    return _adaptive_max(input, output_size, return_indices, 3)


def interpolate(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: Any = "nearest",
    align_corners: Any = None,
    recompute_scale_factor: Any = None,
    antialias: Any = False,
) -> Any:
    """Return input (n, channels, *places) with other places.

    size, or by how much: scale_factor. mode: "nearest", "nearest-exact", "area", "linear", "bilinear",
    "trilinear" or "bicubic", for one, two, three and two axes; align_corners: whether these keep the corners.
    """
    places = input.shape[2:]
    if antialias:
        raise refusal("interpolate with antialias has no rule: leave it out")
    if mode not in ("nearest", "nearest-exact", "area", "linear", "bilinear", "trilinear", "bicubic"):
        raise ValueError(f"interpolate has no mode {mode!r}")
    if (size is None) == (scale_factor is None):
        raise ValueError("interpolate takes size or scale_factor")
    if size is None:
        factors = scale_factor if isinstance(scale_factor, list | tuple) else [scale_factor] * len(places)
        size = tuple([int(n * factor) for n, factor in zip(places, factors, strict=True)])
        for n, m, factor in zip(places, size, factors, strict=True):
            if m != n * factor and not recompute_scale_factor:
                raise ValueError(
                    f"interpolate: {n} places times {factor} are no whole number: pass size, or "
                    f"recompute_scale_factor=True"
                )
    return resample(input, mode, _each(size, places), align_corners)


_ALL = (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)
for _function in (*_ALL, adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d, interpolate):
    translated_as(_function, _function)
