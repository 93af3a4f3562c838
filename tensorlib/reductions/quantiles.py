"""Medians and quantiles along axes, by all methods of NumPy's: among the sorted elements, or between two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from checkpoint.ad.array_library import zeros_beside
from checkpoint.ad.operands import native
from checkpoint.ad.tensors import ALWAYS, Tensor
from checkpoint.prims.arrays import tensor
from tensorlib.elementwise.pointwise import ADD, MULTIPLY, SUBTRACT
from tensorlib.layout.moving import call, shape_now
from tensorlib.reductions.axes import like_result, lined_up, lines_now, on_lists, put_back
from tensorlib.reductions.sums import SHAPE, axes_samples
from tensorlib.rules import stacked, tangent_array, unbroadcast

# By method, of levels q and a number of elements n: at which position among the sorted ones a quantile is.
STEPS: dict[str, Callable[[Any, Any, int], Any]] = {
    "lower": lambda xp, q, n: xp.floor((n - 1) * q),
    "higher": lambda xp, q, n: xp.ceil((n - 1) * q),
    "nearest": lambda xp, q, n: xp.round((n - 1) * q),
    "midpoint": lambda xp, q, n: 0.5 * (xp.floor((n - 1) * q) + xp.ceil((n - 1) * q)),
    "inverted_cdf": lambda xp, q, n: xp.ceil(n * q) - 1.0,
    "averaged_inverted_cdf": lambda xp, q, n: 0.5 * (xp.ceil(n * q) + xp.floor(n * q)) - 0.5,
    "closest_observation": lambda xp, q, n: _nearest_odd(xp, n * q - 1.5),
}


def _nearest_odd(xp: Any, place: Any) -> Any:
    """Return the whole number above; of a whole number itself, if it is odd."""
    below = xp.floor(place)
    return xp.where((place == below) & (below % 2 == 1), below, below + 1.0)


# Methods that are continuous in the level, by the parameters alpha and beta of Hyndman and Fan (1996).
LINES = {
    "linear": (1.0, 1.0),
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1.0 / 3.0, 1.0 / 3.0),
    "normal_unbiased": (3.0 / 8.0, 3.0 / 8.0),
}


def _places(xp: Any, q: Any, n: int, method: str) -> tuple[Any, Any]:
    """Return for each of a vector of levels its position, and the derivative of that by the level."""
    levels = xp.ravel(xp.asarray(q, float))
    if method == "linear":
        return levels * (n - 1), xp.full(levels.shape, float(n - 1))
    if method in STEPS:
        return xp.clip(STEPS[method](xp, levels, n), 0, n - 1), xp.zeros(levels.shape)
    alpha, beta = LINES[method]
    places = n * levels + (alpha + levels * (1.0 - alpha - beta)) - 1.0
    is_inside = (places >= 0.0) & (places < n - 1)
    return xp.clip(places, 0, n - 1), xp.where(is_inside, n + 1.0 - alpha - beta, 0.0)


def _neighbours(xp: Any, q: Any, n: int, method: str) -> tuple[Any, Any, Any]:
    """Return for each of a vector of levels the sorted elements beside it, and where it is between them."""
    place, _ = _places(xp, q, n, method)
    low = xp.clip(xp.floor(place), 0, max(n - 2, 0)).astype(int)
    return low, xp.minimum(low + 1, n - 1), place - low


def _sorted(xp: Any, a: Any, axis: Any) -> tuple[Any, Any]:
    lines = lined_up(xp, a, axis)
    return lines, xp.argsort(lines, axis=-1, kind="stable")


def _lines_of(xp: Any, g: Any, levels: int, lines: Any) -> Any:
    """Return the cotangent of the result with one line of levels for each of elements."""
    return xp.moveaxis(g.reshape((levels, *lines.shape[:-1])), 0, -1)


def _of_elements(xp: Any, g: Any, a: Any, q: Any, axis: Any, method: str) -> Any:
    lines, order = _sorted(xp, a, axis)
    low, high, part = _neighbours(xp, q, lines.shape[-1], method)
    g = _lines_of(xp, g, len(part), lines)
    in_order = zeros_beside(g, lines.shape, g.dtype)
    for i in range(len(part)):
        in_order[..., low[i]] += g[..., i] * (1.0 - part[i])
        in_order[..., high[i]] += g[..., i] * part[i]
    found = xp.empty_like(in_order)
    xp.put_along_axis(found, order, in_order, -1)
    return put_back(xp, found, a.shape, axis)


def _of_levels(xp: Any, g: Any, a: Any, q: Any, axis: Any, method: str) -> Any:
    lines, order = _sorted(xp, a, axis)
    n = lines.shape[-1]
    low, high, _ = _neighbours(xp, q, n, method)
    in_order = xp.take_along_axis(lines, order, -1)
    slopes = _places(xp, q, n, method)[1] * (in_order[..., high] - in_order[..., low])
    products = (_lines_of(xp, g, len(low), lines) * slopes).reshape((-1, len(low)))
    return xp.reshape(xp.sum(products, axis=0), xp.shape(q))


def _between(t: Any, y: Any, a: Any, q: Any, axis: Any, method: str) -> Any:
    """Return what the tangent of the elements contributes."""
    order, low, high, part = _order_now(a, q, axis, method)
    in_order = call("np.take_along_axis", lines_now(t, axis), order, -1)
    below = MULTIPLY(SUBTRACT(1.0, part), call("np.take", in_order, low, -1))
    return _as_result(ADD(below, MULTIPLY(part, call("np.take", in_order, high, -1))), y)


def _slopes(y: Any, a: Any, q: Any, axis: Any, method: str) -> Any:
    """Return the derivative by the level, in the shape of the result."""
    order, low, high, _ = _order_now(a, q, axis, method)
    in_order = call("np.take_along_axis", lines_now(a, axis), order, -1)
    n = shape_now(in_order)[-1]
    rise = SUBTRACT(call("np.take", in_order, high, -1), call("np.take", in_order, low, -1))
    return _as_result(MULTIPLY(_places(np, native(ALWAYS, q), n, method)[1], rise), y)


def _order_now(a: Any, q: Any, axis: Any, method: str) -> tuple[Any, Any, Any, Any]:
    lines = lines_now(a, axis)
    order = call("np.argsort", lines, -1, "stable")
    n = shape_now(lines)[-1]
    levels = native(ALWAYS, q)
    low, high, _ = _neighbours(np, levels, n, method)
    place, slope = _places(np, levels, n, method)
    scaled = MULTIPLY(call("np.ravel", ADD(q, np.zeros(np.shape(levels)))), slope)
    return order, low, high, SUBTRACT(ADD(scaled, place - slope * np.ravel(levels)), low)


def _as_result(lines: Any, y: Any) -> Any:
    return like_result(call("np.moveaxis", lines, -1, 0), y)


# Medians


def _median_vjp(xp: Any, g: Any, y: Any, a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return _of_elements(xp, g, a, 0.5, axis, "linear")


def _median_jvp(t: Any, y: Any, a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return _between(tangent_array(t), y, stacked(a), 0.5, axis, "linear")


MEDIAN = tensor(
    "np.median",
    lambda xp, a, axis=None, keepdims=False: xp.median(a, axis=axis, keepdims=keepdims),
    vjps=(on_lists(_median_vjp), None, None),
    jvps=(_median_jvp, None, None),
    needs=((0,),),
    implements=(np.median,),
    shape=SHAPE,
    convention="of equal elements that of the first in the array",
    samples=axes_samples((1, True), (None, True), (0,), empty=False),
)

# Quantiles and percentiles


def _quantile(name: str, unit: float) -> Tensor:
    """Register a quantile; unit: the level of the greatest element."""

    def value(
        xp: Any, a: Any, q: Any, axis: Any = None, method: Any = "linear", keepdims: Any = False
    ) -> Any:
        return getattr(xp, name)(a, q, axis=axis, method=method, keepdims=keepdims)

    def by_elements(
        xp: Any, g: Any, y: Any, a: Any, q: Any, axis: Any = None, method: Any = "linear", *rest: Any
    ) -> Any:
        return _of_elements(xp, g, a, xp.divide(q, unit), axis, method)

    def by_levels(
        xp: Any, g: Any, y: Any, a: Any, q: Any, axis: Any = None, method: Any = "linear", *rest: Any
    ) -> Any:
        return unbroadcast(xp, _of_levels(xp, g, xp.asarray(a), xp.divide(q, unit), axis, method) / unit, q)

    def along_elements(
        t: Any, y: Any, a: Any, q: Any, axis: Any = None, method: Any = "linear", *rest: Any
    ) -> Any:
        return _between(tangent_array(t), y, stacked(a), call("np.divide", q, unit), axis, method)

    def along_levels(
        t: Any, y: Any, a: Any, q: Any, axis: Any = None, method: Any = "linear", *rest: Any
    ) -> Any:
        slopes = _slopes(y, stacked(a), call("np.divide", q, unit), axis, method)
        return MULTIPLY(slopes, _level_tangents(tangent_array(t), y, unit))

    return tensor(
        f"np.{name}",
        value,
        vjps=(on_lists(by_elements), by_levels, None, None, None),
        jvps=(along_elements, along_levels, None, None, None),
        needs=((0, 1), (0, 1)),
        implements=(getattr(np, name),),
        shape="that of the levels, then that of the array without the axes",
        convention="of equal elements that of the first in the array; by the level from above",
        samples=lambda rng: _levels(rng, unit),
    )


def _level_tangents(t: Any, y: Any, unit: float) -> Any:
    """Return the tangent of levels, with axes of length 1 behind."""
    behind = len(shape_now(y)) - len(shape_now(t))
    return call("np.divide", call("np.reshape", t, shape_now(t) + (1,) * behind), unit)


def _levels(rng: Any, unit: float) -> list[tuple[Any, ...]]:
    a = rng.normal(size=(3, 4))
    levels = unit * np.array([0.15, 0.8])
    found = [
        (a, 0.3 * unit),
        (a, levels),
        (a, levels, 0),
        (a, 0.7 * unit, -1),
        (a.T, levels, (0, 1)),
        ([1.0, 2.0], levels),
    ]
    return [
        *found,
        (a, levels, 1, "linear", True),
        (a, levels.reshape(2, 1), 1),
        (a[:, 0], np.float64(0.4 * unit)),
        *[(a, 0.9 * levels, 1, method) for method in (*STEPS, *LINES)],
    ]


QUANTILE = _quantile("quantile", 1.0)
PERCENTILE = _quantile("percentile", 100.0)
