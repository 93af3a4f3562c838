"""Products of vectors and of blocks: vecdot, cross, kron; and the trace."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.array_library import zeros_beside
from checkpoint.ad.tensors import SAME
from checkpoint.prims.arrays import tensor
from tensorlib.linear.products import BILINEAR, complexes, drawn
from tensorlib.moves import moved
from tensorlib.rules import shape_of, unbroadcast
from tensorlib.short_axes import crossed


def _vecdot_rule(position: int) -> Any:
    def vjp(xp: Any, g: Any, y: Any, x1: Any, x2: Any, axis: Any = -1) -> Any:
        own, other = (x1, x2) if position == 0 else (x2, x1)
        terms = moved(xp, xp.asarray(other), axis, -1)
        terms = g[..., None] * (terms if position == 0 else xp.conj(terms))
        terms = xp.conj(terms) if position == 0 else terms
        shape = list(shape_of(own))
        size = shape.pop(axis)
        terms = unbroadcast(xp, terms, _Shaped((*shape, size), terms.dtype))
        return unbroadcast(xp, moved(xp, terms, -1, axis), own)

    return vjp


class _Shaped:
    """A shape and a dtype, for `unbroadcast`."""

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape = shape
        self.dtype = dtype


# kron, cross, trace


def _kron_rule(position: int) -> Any:
    def vjp(xp: Any, g: Any, y: Any, a: Any, b: Any) -> Any:
        own, other = (a, b) if position == 0 else (b, a)
        shapes = [shape_of(own), shape_of(other)]
        count = max(map(len, shapes))
        full = [(1,) * (count - len(shape)) + shape for shape in shapes]
        first, second = full if position == 0 else reversed(full)
        parts = g.reshape([n for pair in zip(first, second, strict=True) for n in pair])
        apart = [n for size in full[1] for n in ((1, size) if position == 0 else (size, 1))]
        axes = tuple(range(1 - position, 2 * count, 2))
        found = xp.sum(parts * xp.asarray(other).reshape(apart), axis=axes)
        return unbroadcast(xp, found.reshape(shapes[0]), own)

    return vjp


def _lifted(xp: Any, x: Any, axis: int) -> Any:
    """Return vectors along the last axis, with a third element 0 for those of two."""
    x = moved(xp, xp.asarray(x), axis, -1)
    if x.shape[-1] == 3:
        return x
    return xp.concatenate([x, xp.zeros((*x.shape[:-1], 1), x.dtype)], axis=-1)


def cross_cotangent(position: int) -> Any:
    """Return the rule of an operand of cross."""

    def vjp(
        xp: Any,
        g: Any,
        y: Any,
        a: Any,
        b: Any,
        axisa: int = -1,
        axisb: int = -1,
        axisc: int = -1,
        axis: Any = None,
    ) -> Any:
        axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
        own, own_axis, other, axis = (a, axisa, b, axisb) if position == 0 else (b, axisb, a, axisa)
        flat = shape_of(a)[axisa] == 2 and shape_of(b)[axisb] == 2
        g3 = g[..., None] * xp.asarray([0.0, 0.0, 1.0], g.dtype) if flat else moved(xp, g, axisc, -1)
        other3 = _lifted(xp, other, axis)
        found = crossed(xp, other3, g3) if position == 0 else crossed(xp, g3, other3)
        shape = list(shape_of(own))
        size = shape.pop(own_axis)
        found = unbroadcast(xp, found[..., :size], _Shaped((*shape, size), found.dtype))
        return unbroadcast(xp, moved(xp, found, -1, own_axis), own)

    return vjp


def trace_cotangent(xp: Any, g: Any, y: Any, a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the cotangent of matrices for that of their traces."""
    shape = shape_of(a)
    whole = zeros_beside(g, shape, g.dtype)
    front = whole if (axis1, axis2) == (0, 1) else xp.moveaxis(whole, (axis1, axis2), (0, 1))
    count = max(0, min(shape[axis1] - max(-offset, 0), shape[axis2] - max(offset, 0)))
    steps = xp.arange(count)
    front[steps + max(-offset, 0), steps + max(offset, 0)] = g
    return unbroadcast(xp, whole, a)


# Samples


def _cross_samples(rng: Any) -> list[tuple[Any, ...]]:
    found = drawn(((3,), (3,)), ((4, 3), (4, 3)), ((4, 3), (3,)), ((2, 1, 3), (4, 3)))(rng)
    x, y = rng.normal(size=(3, 4)), rng.normal(size=(4, 3))
    return [*found, (x, y, 0, 1, 0), (x, x, -1, -1, -1, 0), (x.T, [1.0, 2.0, 3.0]), (x, x.T, 0, -1)]


def _trace_samples(rng: Any) -> list[tuple[Any, ...]]:
    x, y = rng.normal(size=(3, 4)), rng.normal(size=(2, 3, 4))
    return [
        (x,),
        (x, 1),
        (x, -2),
        (x, 9),
        (y,),
        (y, 1, 1, 2),
        (y, 0, -1, 0),
        (x.T,),
        (x[:0],),
        (complexes(rng, 2, 2),),
    ]


def _vecdot_samples(rng: Any) -> list[tuple[Any, ...]]:
    found = drawn(((3,), (3,)), ((4, 3), (4, 3)), ((4, 3), (3,)), ((2, 1, 3), (4, 3)), ((0,), (0,)))(rng)
    x = rng.normal(size=(3, 4))
    return [*found, (x, x[:, :1], 0), (x, x, -2), (complexes(rng, 3), complexes(rng, 2, 3))]


VECDOT = tensor(
    "np.vecdot",
    lambda xp, x1, x2, axis=-1: xp.vecdot(x1, x2, axis=axis),
    vjps=(_vecdot_rule(0), _vecdot_rule(1), None),
    jvps=(SAME, SAME, None),
    needs=((1,), (0,), ()),
    implements=(np.vecdot, np.linalg.vecdot),
    shape="(n,), (n,) -> (), along an axis; the others broadcast together",
    samples=_vecdot_samples,
)
KRON = tensor(
    "np.kron",
    lambda xp, a, b: xp.kron(a, b),
    vjps=(_kron_rule(0), _kron_rule(1)),
    **BILINEAR,
    implements=(np.kron,),
    shape="(n, ...), (m, ...) -> (n m, ...)",
    samples=drawn(
        ((2, 3), (4, 2)), ((3,), (2,)), ((2,), (2, 3)), ((2, 3, 2), (2, 2)), ((), (2,)), ((0,), (2,))
    ),
)
CROSS = tensor(
    "np.cross",
    lambda xp, a, b, axisa=-1, axisb=-1, axisc=-1, axis=None: crossed(xp, a, b, axisa, axisb, axisc, axis),
    vjps=(cross_cotangent(0), cross_cotangent(1), None, None, None, None),
    jvps=(SAME, SAME, None, None, None, None),
    needs=((1,), (0,), (), (), (), ()),
    implements=(np.cross,),
    shape="(..., 3), (..., 3) -> (..., 3)",
    samples=_cross_samples,
)
TRACE = tensor(
    "np.trace",
    lambda xp, a, offset=0, axis1=0, axis2=1: xp.trace(a, offset, axis1, axis2),
    vjps=(trace_cotangent, None, None, None),
    linear=True,
    needs=((), (), (), ()),
    implements=(np.trace,),
    methods=("trace",),
    shape="(n, m, ...) -> (...)",
    samples=_trace_samples,
)
