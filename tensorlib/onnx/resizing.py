"""The operator Resize: other sizes of axes, by the nearest element, or by polynomials of degree 1 or 3."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from checkpoint.errors import refusal
from checkpoint.prims.arrays import onnx_operator
from tensorlib.layout.transfer import beside, cast


@onnx_operator("Resize", since=11, structural=("roi", "scales", "sizes"))
def resize(
    x: Any,
    roi: Any = None,
    scales: Any = None,
    sizes: Any = None,
    *,
    antialias: Any = 0,
    axes: Any = None,
    coordinate_transformation_mode: Any = "half_pixel",
    cubic_coeff_a: Any = -0.75,
    exclude_outside: Any = 0,
    extrapolation_value: Any = 0.0,
    keep_aspect_ratio_policy: Any = "stretch",
    mode: Any = "nearest",
    nearest_mode: Any = "round_prefer_floor",
) -> Any:
    """Return x with other sizes along some axes, or along all."""
    if antialias or exclude_outside:
        raise refusal("Resize with antialias or exclude_outside has no rule")
    if coordinate_transformation_mode == "tf_crop_and_resize":
        raise refusal("Resize with tf_crop_and_resize has no rule: slice x, and resize the part")
    rank = len(x.shape)
    axes = list(range(rank)) if axes is None else [axis % rank for axis in axes]
    if sizes is None or len(sizes) == 0:
        sizes = [math.floor(x.shape[axis] * scale) for axis, scale in zip(axes, scales, strict=True)]
    else:
        scales = [n / x.shape[axis] for n, axis in zip(sizes, axes, strict=True)]
        if keep_aspect_ratio_policy != "stretch":
            one = min(scales) if keep_aspect_ratio_policy == "not_larger" else max(scales)
            scales = [one] * len(axes)
            sizes = [math.floor(x.shape[axis] * one + 0.5) for axis in axes]
    for axis, n, scale in zip(axes, sizes, scales, strict=True):
        if n != x.shape[axis] or scale != 1.0:
            places = _places(x.shape[axis], n, scale, coordinate_transformation_mode)
            if mode == "nearest":
                x = np.take(x, beside(_nearest(places, x.shape[axis], nearest_mode), x), axis=axis)
            else:
                x = _blended(x, axis, places, mode, cubic_coeff_a)
    return x


@onnx_operator("Resize", until=10, structural=("scales",))
def resize_by_scales(x: Any, scales: Any, *, mode: Any = "nearest") -> Any:
    """Return x with its axes so many times as long."""
    return resize(
        x, None, scales, mode=mode, coordinate_transformation_mode="asymmetric", nearest_mode="floor"
    )


@onnx_operator("Upsample", since=9, structural=("scales",))
def upsample(x: Any, scales: Any, *, mode: Any = "nearest") -> Any:
    """Return x with its axes so many times as long."""
    return resize_by_scales(x, scales, mode=mode)


@onnx_operator("Upsample", until=8)
def upsample_by_attribute(x: Any, *, scales: Any, mode: Any = "nearest") -> Any:
    """Return x with its axes so many times as long."""
    return resize_by_scales(x, scales, mode=mode)


def _places(n: Any, m: Any, scale: Any, mode: Any) -> Any:
    """Return the places among n elements at which m are taken, reals."""
    at = np.arange(m) * 1.0
    if mode == "align_corners":
        return at * ((n - 1.0) / (n * scale - 1.0)) if n * scale != 1.0 else at * 0.0
    if mode == "asymmetric":
        return at / scale
    if mode == "pytorch_half_pixel" and m == 1:
        return at * 0.0
    if mode == "half_pixel_symmetric":
        short = m / (n * scale)
        return n / 2.0 * (1.0 - short) + (at + 0.5) / scale - 0.5
    if mode in ("half_pixel", "pytorch_half_pixel"):
        return (at + 0.5) / scale - 0.5
    raise refusal(f"Resize has no coordinate_transformation_mode {mode!r} here")


def _nearest(places: Any, n: Any, mode: Any) -> Any:
    """Return the elements nearest to places."""
    if mode == "floor":
        found = np.floor(places)
    elif mode == "ceil":
        found = np.ceil(places)
    elif mode == "round_prefer_ceil":
        found = np.floor(places + 0.5)
    else:
        found = np.ceil(places - 0.5)
    return _within(found, n)


def _within(places: Any, n: Any) -> Any:
    return np.minimum(np.maximum(places, 0.0), n - 1.0).astype(np.int64)


def _blended(x: Any, axis: Any, places: Any, mode: Any, a: Any) -> Any:
    """Return the sums of elements around places, with weights that are polynomials of the distance."""
    n = x.shape[axis]
    low = np.floor(places)
    rest = places - low
    if mode == "linear":
        weights = [1.0 - rest, rest]
    elif mode == "cubic":
        weights = [_far(rest + 1.0, a), _near(rest, a), _near(1.0 - rest, a), _far(2.0 - rest, a)]
    else:
        raise refusal(f"Resize has no mode {mode!r}")
    first = 0 if mode == "linear" else -1
    shape = tuple([-1 if i == axis else 1 for i in range(len(x.shape))])
    found = None
    for i, weight in enumerate(weights):
        taken = np.take(x, beside(_within(low + (first + i), n), x), axis=axis)
        part = taken * cast(beside(np.reshape(weight, shape), x), x)
        found = part if found is None else found + part
    return found


def _near(d: Any, a: Any) -> Any:
    """Return the weight at a distance up to 1."""
    return ((a + 2.0) * d - (a + 3.0)) * d * d + 1.0


def _far(d: Any, a: Any) -> Any:
    """Return the weight at a distance from 1 to 2."""
    return ((a * d - 5.0 * a) * d + 8.0 * a) * d - 4.0 * a
