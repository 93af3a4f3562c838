"""Sums, means and deviations along axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.prims.arrays import tensor
from tensorlib.elementwise.comparison import EQUAL
from tensorlib.elementwise.complex import CONJ, REAL
from tensorlib.elementwise.pointwise import DIVIDE, MULTIPLY, SUBTRACT
from tensorlib.elementwise.selection import WHERE
from tensorlib.layout.moving import as_like, call, linear, listed, matrices, shape_now, with_options
from tensorlib.moves import spread
from tensorlib.reductions.axes import count, kept, on_lists, plain_axis
from tensorlib.rules import is_complex, raw, stacked, tangent_array
from tensorlib.short_axes import added_up, is_short

SHAPE = "that of the array without the axes; with keepdims these have length 1"


def axes_samples(*further: tuple[Any, ...], empty: bool = True) -> Any:
    """Return arrays of all kinds beside axes; further: other operands, each of which makes one sample."""

    def samples(rng: Any) -> list[tuple[Any, ...]]:
        found = (
            list(matrices(rng)) + with_options((0,), (-1,), low=1)(rng) + with_options(((0, -1),), low=2)(rng)
        )
        found = [operands for operands in found if empty or operands[0].size]
        found += [([1.0, 2.5, -1.0],), ([[1.0, 2.0], [rng.normal(size=()), 4.0]], 0), (2.5,)]
        return found + [(rng.normal(size=(3, 4)), *rest) for rest in further]

    return samples


def safe(y: Any) -> Any:
    """Return a divisor, 1 where it is 0."""
    return WHERE(EQUAL(y, 0.0), 1.0, y)


# Sums


def _sum_vjp(
    xp: Any, g: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False
) -> Any:
    return spread(xp, kept(xp, g, a.ndim, axis, keepdims), a.shape)


def _sum(xp: Any, a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    if dtype is None:
        return added_up(xp, a, axis, keepdims)
    return xp.sum(a, axis=axis, dtype=dtype, keepdims=keepdims)


SUM = linear(
    "np.sum",
    _sum,
    _sum_vjp,
    operator="sum",
    implements=(np.sum,),
    methods=("sum",),
    shape=SHAPE,
    samples=axes_samples((1, None, True), (None, None, True), (0, np.dtype(np.float32))),
)


def _mean_vjp(
    xp: Any, g: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False
) -> Any:
    share = g / max(count(a.shape, axis), 1)
    return spread(xp, kept(xp, share, a.ndim, axis, keepdims), a.shape)


def _mean(xp: Any, a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    if dtype is None and is_short(a, axis):
        return added_up(xp, a, axis, keepdims) / a.shape[-1]
    return xp.mean(a, axis=axis, dtype=dtype, keepdims=keepdims)


MEAN = linear(
    "np.mean",
    _mean,
    _mean_vjp,
    operator="mean",
    implements=(np.mean,),
    methods=("mean",),
    shape=SHAPE,
    samples=axes_samples((1, None, True), (None, None, True), empty=False),
)


# Deviations


def _degrees(shape: tuple[int, ...], axis: Any, ddof: Any) -> Any:
    """Return the degrees of freedom; a number that is differentiated if ddof is."""
    degrees = float(max(count(shape, axis) - raw(ddof), 0))
    return SUBTRACT(float(count(shape, axis)), ddof) if degrees and type(ddof) is not int else degrees


def _conjugate(deviations: Any) -> Any:
    return CONJ(deviations) if is_complex(deviations) else deviations


def _var(xp: Any, a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    return xp.var(a, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)


def _std(xp: Any, a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    return xp.std(a, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)


def _with_mean(name: str) -> Any:
    """Return the `saves` of a deviation: it saves the mean, which is computed once."""

    def saves(
        xp: Any,
        wanted: tuple[int, ...],
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        ddof: Any = 0,
        keepdims: Any = False,
    ) -> tuple[Any, tuple[Any, ...]]:
        whole, function = xp.asarray(a), getattr(xp, name)
        mean = xp.mean(whole, axis=axis, keepdims=True)
        if dtype is not None or whole.dtype == np.float16:  # NumPy takes the mean in another dtype
            return function(a, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims), (mean,)
        return function(whole, axis=axis, ddof=ddof, keepdims=keepdims, mean=mean), (mean,)

    return saves


def _of_deviations(share: Any, power: float) -> Any:
    """Return the `pull` of a deviation, whose cotangent is a share of each element's deviation.

    power: that of the degrees of freedom by which the result is divided.
    """

    def pull(
        xp: Any,
        wanted: tuple[int, ...],
        g: Any,
        y: Any,
        saved: tuple[Any, ...],
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        ddof: Any = 0,
        keepdims: Any = False,
    ) -> list[Any]:
        whole = xp.asarray(a)
        degrees = _degrees(whole.shape, axis, ddof)

        def of_array() -> Any:
            each = kept(xp, share(xp, g, y, degrees), whole.ndim, axis, keepdims)
            found = each * _conjugate(whole - saved[0])
            return as_like(found, a) if hasattr(a, "dtype") else listed(xp, found, a)

        return [of_array() if i == 0 else float(xp.sum(g * y) * power / degrees) for i in wanted]

    return pull


def _along_deviations(t: Any, a: Any, axis: Any, ddof: Any, keepdims: Any) -> Any:
    """Return the mean of the tangent times the deviations."""
    t, a = tangent_array(t), stacked(a)
    deviations = _conjugate(SUBTRACT(a, call("np.mean", a, axis, None, True)))
    total = call("np.sum", MULTIPLY(deviations, t), axis, None, keepdims)
    total = REAL(total) if is_complex(t) else total
    return DIVIDE(total, _degrees(shape_now(a), plain_axis(axis), ddof))


def _var_jvp(
    t: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
) -> Any:
    return MULTIPLY(2.0, _along_deviations(t, a, axis, ddof, keepdims))


def _std_jvp(
    t: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
) -> Any:
    return DIVIDE(_along_deviations(t, a, axis, ddof, keepdims), safe(y))


def _along_degrees(power: float) -> Any:
    """Return the rule for the tangent of ddof; power: that of the degrees of freedom in the result."""

    def jvp(
        t: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False
    ) -> Any:
        degrees = _degrees(shape_now(stacked(a)), plain_axis(axis), ddof)
        return DIVIDE(MULTIPLY(MULTIPLY(y, t), power), degrees)

    return jvp


_SPREAD = axes_samples((1, None, 1, True), (None, None, 1), ((0, 1), None, 2, True), empty=False)


def _spread(rng: Any) -> list[tuple[Any, ...]]:
    return [operands for operands in _SPREAD(rng) if np.size(operands[0]) > 1]


VAR = tensor(
    "np.var",
    _var,
    saves=_with_mean("var"),
    pull=_of_deviations(lambda xp, g, y, degrees: xp.divide(2.0 * g, degrees), 1.0),
    jvps=(_var_jvp, None, None, _along_degrees(1.0), None),
    implements=(np.var,),
    methods=("var",),
    shape=SHAPE,
    samples=lambda rng: [*_spread(rng), (rng.normal(size=(3, 4)), 1, None, 0.5)],
)
STD = tensor(
    "np.std",
    _std,
    saves=_with_mean("std"),
    pull=_of_deviations(lambda xp, g, y, degrees: xp.divide(g, safe(y) * degrees), 0.5),
    jvps=(_std_jvp, None, None, _along_degrees(0.5), None),
    implements=(np.std,),
    methods=("std",),
    shape=SHAPE,
    convention="0 where all elements are equal",
    samples=lambda rng: [
        *_spread(rng),
        (np.array([[1.0, 2.0], [3.0, 5.0]]), -1),
        (rng.normal(size=(3, 4)), 1, None, 0.5),
    ],
)


# Averages with weights


def _aligned(xp: Any, weights: Any, shape: tuple[int, ...], axis: Any) -> Any:
    """Return the weights in a shape that broadcasts to that of the array."""
    if weights is None or xp.shape(weights) == shape:
        return weights
    place = axis % len(shape)
    return xp.reshape(weights, [n if i == place else 1 for i, n in enumerate(shape)])


def _average(xp: Any, a: Any, axis: Any = None, weights: Any = None, keepdims: Any = False) -> Any:
    return xp.average(a, axis=axis, weights=weights, keepdims=keepdims)


def _average_vjp(
    xp: Any, g: Any, y: Any, a: Any, axis: Any = None, weights: Any = None, keepdims: Any = False
) -> Any:
    g = kept(xp, g, a.ndim, axis, keepdims)
    if weights is None:
        return xp.broadcast_to(g / count(a.shape, axis), a.shape)
    w = xp.broadcast_to(_aligned(xp, weights, a.shape, axis), a.shape)
    return g * w / xp.sum(w, axis=axis, keepdims=True)


def _weights_vjp(xp: Any, g: Any, y: Any, a: Any, axis: Any, weights: Any, keepdims: Any = False) -> Any:
    a = xp.asarray(a)
    w = xp.broadcast_to(_aligned(xp, weights, a.shape, axis), a.shape)
    deviations = a - kept(xp, y, a.ndim, axis, keepdims)
    found = kept(xp, g, a.ndim, axis, keepdims) * deviations / xp.sum(w, axis=axis, keepdims=True)
    if xp.shape(weights) != a.shape:
        found = xp.sum(found, axis=tuple([i for i in range(a.ndim) if i != axis % a.ndim]))
    return listed(xp, found, weights)


def _weights_now(weights: Any, a: Any, axis: Any) -> Any:
    shape = shape_now(a)
    if shape_now(weights) == shape:
        return weights
    place = plain_axis(axis) % len(shape)
    return call("np.reshape", weights, tuple([n if i == place else 1 for i, n in enumerate(shape)]))


def _average_jvp(t: Any, y: Any, a: Any, axis: Any = None, weights: Any = None, keepdims: Any = False) -> Any:
    t, a = tangent_array(t), stacked(a)
    if weights is None:
        return call("np.mean", t, axis, None, keepdims)
    w = call("np.broadcast_to", _weights_now(stacked(weights), a, axis), shape_now(a))
    return DIVIDE(
        call("np.sum", MULTIPLY(w, t), axis, None, keepdims), call("np.sum", w, axis, None, keepdims)
    )


def _weights_jvp(t: Any, y: Any, a: Any, axis: Any, weights: Any, keepdims: Any = False) -> Any:
    a, w = stacked(a), stacked(weights)
    t = call("np.broadcast_to", _weights_now(tangent_array(t), a, axis), shape_now(a))
    w = call("np.broadcast_to", _weights_now(w, a, axis), shape_now(a))
    deviations = SUBTRACT(a, call("np.average", a, axis, weights, True))
    total = call("np.sum", MULTIPLY(deviations, t), axis, None, keepdims)
    return DIVIDE(total, call("np.sum", w, axis, None, keepdims))


def _weighted(rng: Any) -> list[tuple[Any, ...]]:
    a = rng.normal(size=(3, 4))
    w = rng.uniform(0.5, 2.0, (3, 4))
    return [
        (a,),
        (a, 0),
        (a, None, w),
        (a, 1, w, True),
        (a, -1, w[0]),
        (a.T, 0, w.T),
        ([1.0, 2.0], 0, [0.5, 0.2]),
    ]


AVERAGE = tensor(
    "np.average",
    _average,
    vjps=(on_lists(_average_vjp), None, _weights_vjp, None),
    jvps=(_average_jvp, None, _weights_jvp, None),
    needs=((2,), (), (0, 2, 3, 4)),
    implements=(np.average,),
    shape=SHAPE,
    samples=_weighted,
)
