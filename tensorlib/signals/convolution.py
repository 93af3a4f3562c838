"""Convolution and correlation of vectors, and the differences of np.gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.array_library import zeros_beside
from checkpoint.ad.containers import Record
from checkpoint.errors import RunError
from checkpoint.prims.arrays import tensor
from tensorlib.layout.moving import call, keywords_first, listed, shape_now, spread_over
from tensorlib.rules import unbroadcast, zeroed

# Convolution: z[k] = sum_i a[i] v[k - i], k from `start` on, of which there are as many as the mode says.


def _start(n: int, m: int, mode: str) -> int:
    """Return where the result begins in the full one, of n + m - 1 elements."""
    if mode == "full":
        return 0
    shorter = min(n, m)
    return shorter - 1 if mode == "valid" else (shorter - 1) // 2


def _full(xp: Any, g: Any, n: int, m: int, mode: str, start: int) -> Any:
    whole = zeros_beside(g, n + m - 1, g.dtype)
    whole[start : start + g.shape[0]] = g
    return whole


def _size(x: Any) -> int:
    return int(x.size) if hasattr(x, "size") else len(x) if hasattr(x, "__len__") else 1


def _convolve_vjp(of_first: bool) -> Any:
    def vjp(xp: Any, g: Any, y: Any, a: Any, v: Any, mode: str = "full") -> Any:
        n, m = _size(a), _size(v)
        whole = _full(xp, g, n, m, mode, _start(n, m, mode))
        other, own = (v, a) if of_first else (a, v)
        found = xp.correlate(whole, xp.conj(xp.atleast_1d(other)), "valid")
        return _shaped(xp, found, own)

    return vjp


def _shaped(xp: Any, g: Any, operand: Any) -> Any:
    if isinstance(operand, list | tuple):
        return listed(xp, g, operand)
    return unbroadcast(xp, g.reshape(getattr(operand, "shape", ())), operand)


def _vectors(rng: Any) -> list[tuple[Any, ...]]:
    pairs = [(5, 3), (3, 5), (4, 4), (1, 4), (4, 2)]
    return [
        *[
            (rng.normal(size=n), rng.normal(size=m), mode)
            for n, m in pairs
            for mode in ("full", "same", "valid")
        ],
        (rng.normal(size=4), rng.normal(size=3)),
        (rng.normal(size=8)[::2], [1.0, -1.0]),
    ]


CONVOLVE = tensor(
    "np.convolve",
    lambda xp, a, v, mode="full": xp.convolve(a, v, mode),
    vjps=(_convolve_vjp(True), _convolve_vjp(False), None),
    jvps=(
        lambda t, y, a, v, mode="full": call("np.convolve", zeroed(t), v, mode),
        lambda t, y, a, v, mode="full": call("np.convolve", a, zeroed(t), mode),
        None,
    ),
    needs=((1,), (0,), ()),
    implements=(np.convolve,),
    shape="(n,), (m,) -> (n + m - 1,), or as the mode says",
    samples=_vectors,
)


def _correlate_start(n: int, m: int, mode: str) -> int:
    """Return the same as `_start`; where the second vector is longer, NumPy exchanges both and reverses."""
    if mode != "same" or n >= m:
        return _start(n, m, mode)
    return n + m - 1 - m - (n - 1) // 2


def _correlate_vjp(of_first: bool) -> Any:
    def vjp(xp: Any, g: Any, y: Any, a: Any, v: Any, mode: str = "valid") -> Any:
        n, m = _size(a), _size(v)
        whole = _full(xp, g, n, m, mode, _correlate_start(n, m, mode))
        if of_first:
            return _shaped(xp, xp.convolve(whole, xp.conj(xp.atleast_1d(v)), "valid"), a)
        return _shaped(xp, xp.conj(xp.correlate(whole, xp.conj(xp.atleast_1d(a)), "valid"))[::-1], v)

    return vjp


CORRELATE = tensor(
    "np.correlate",
    lambda xp, a, v, mode="valid": xp.correlate(a, v, mode),
    vjps=(_correlate_vjp(True), _correlate_vjp(False), None),
    jvps=(
        lambda t, y, a, v, mode="valid": call("np.correlate", zeroed(t), v, mode),
        lambda t, y, a, v, mode="valid": call("np.correlate", a, zeroed(t), mode),
        None,
    ),
    needs=((1,), (0,), ()),
    implements=(np.correlate,),
    shape="(n,), (m,) -> (max(n, m) - min(n, m) + 1,), or as the mode says",
    samples=_vectors,
)

# Differences


def _along_axes(ndim: int, axis: Any, spacings: tuple[Any, ...]) -> list[tuple[int, Any]]:
    """Return the axes, each with the spacing along it."""
    axes = list(range(ndim)) if axis is None else [axis] if isinstance(axis, int) else list(axis)
    if len(spacings) < len(axes):
        spacings = (spacings or (1.0,)) * len(axes)
    return [(a % ndim, spacing) for a, spacing in zip(axes, spacings, strict=True)]


def _gradient(xp: Any, f: Any, axis: Any, edge_order: int, *varargs: Any) -> Any:
    found = xp.gradient(f, *varargs, axis=axis, edge_order=edge_order)
    return tuple(found) if isinstance(found, list) else found


keywords_first(_gradient, "varargs", {"axis": None, "edge_order": 1})


def _undifferenced(xp: Any, g: Any, n: int, spacing: Any, axis: int, edge_order: int) -> Any:
    """Return the cotangent of an array of which the gradient along an axis was taken.

    Each element of the gradient is a sum of at most three neighbours: what it has of each is found by taking
    the gradient of three combs.
    """
    width = min(3, n)
    rows = xp.moveaxis(g, axis, 0)
    whole = zeros_beside(g, rows.shape, g.dtype)
    at = xp.arange(n)
    first = xp.clip(at - 1, 0, n - width)
    for k in range(width):
        comb = (at % width == k).astype(float)
        factor = xp.gradient(comb, spacing, edge_order=edge_order)
        shape = (n,) + (1,) * (rows.ndim - 1)
        xp.add.at(whole, first + (k - first) % width, rows * factor.reshape(shape))
    return xp.moveaxis(whole, 0, axis)


def _gradient_vjp(xp: Any, g: Any, y: Any, f: Any, axis: Any, edge_order: int, *varargs: Any) -> Any:
    bars = g if isinstance(g, tuple) else (g,)
    total = sum(
        _undifferenced(xp, bar, f.shape[a], spacing, a, edge_order)
        for bar, (a, spacing) in zip(bars, _along_axes(f.ndim, axis, varargs), strict=True)
    )
    return unbroadcast(xp, total, f)


def _of_spacing(position: int, spacings: int, count: int) -> list[int]:
    """Return which parts of the result the spacing at a position is for; the first position is 3."""
    return list(range(count)) if spacings == 1 else [position - 3]


_COORDINATES = "np.gradient has no derivative by coordinates: only by a spacing that is one number"


def _spacing_vjp(
    xp: Any, g: Any, y: Any, f: Any, axis: Any, edge_order: int, *varargs: Any, position: int
) -> Any:
    h = varargs[position - 3]
    if np.ndim(h):
        raise RunError(_COORDINATES)
    bars, parts = (g, y) if isinstance(y, tuple) else ((g,), (y,))
    own = _of_spacing(position, len(varargs), len(parts))
    return unbroadcast(xp, xp.asarray(-sum(xp.sum(bars[i] * parts[i]) for i in own) / h), h)


def _gradient_jvp(tangent: Any, y: Any, f: Any, *rest: Any) -> Any:
    found = call("np.gradient", zeroed(tangent), *rest)
    return found.items if type(found) is Record else found


def _spacing_jvp(
    tangent: Any, y: Any, f: Any, axis: Any, edge_order: int, *varargs: Any, position: int
) -> Any:
    h = varargs[position - 3]
    if shape_now(h):
        raise RunError(_COORDINATES)
    rate = call("np.negative", call("np.divide", tangent, h))
    if type(y) is not Record:
        return call("np.multiply", y, rate)
    own = _of_spacing(position, len(varargs), len(y.items))
    return tuple([call("np.multiply", x, rate) if i in own else None for i, x in enumerate(y.items)])


GRADIENT = tensor(
    "np.gradient",
    _gradient,
    vjps=(spread_over(_gradient_vjp), None, None, _spacing_vjp),
    jvps=(_gradient_jvp, None, None, _spacing_jvp),
    implements=(np.gradient,),
    shape="that of the array, for each axis; the operands are the array, axis, edge_order, the spacings",
    samples=lambda rng: [
        (rng.normal(size=5), None, 1),
        (rng.normal(size=5), None, 1, 0.5),
        (rng.normal(size=5), None, 2, rng.uniform(0.5, 1.0, ())),
        (rng.normal(size=2), None, 1),
        (rng.normal(size=(3, 4)), None, 1),
        (rng.normal(size=(3, 4)), None, 2, 0.5, 2.0),
        (rng.normal(size=(3, 4)), None, 1, 0.5),
        (rng.normal(size=(3, 4)), 1, 1, 0.5),
        (rng.normal(size=(3, 4)), (0, 1), 1),
        (rng.normal(size=5), None, 1, np.array([0, 1, 3, 4, 7])),
        ([1.0, 4.0, 2.0], None, 1),
    ],
)
