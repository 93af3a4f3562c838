"""Products: dot, vdot, inner, outer, matmul, tensordot.

Each is linear in each of its operands. None of the rules of cotangents conjugates (the convention is stated
in tensorlib.signals.fourier), save those of functions that conjugate an operand themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from checkpoint.ad.tensors import SAME
from checkpoint.ad.tracing.loops import product
from checkpoint.prims.arrays import tensor
from tensorlib.rules import shape_of, unbroadcast


def _summed(xp: Any, x: Any, y: Any, x_axes: Sequence[int], y_axes: Sequence[int]) -> Any:
    return xp.tensordot(x, y, axes=(list(x_axes), list(y_axes)))


# dot, inner, outer, vdot


def _dot_left(xp: Any, g: Any, y: Any, a: Any, b: Any) -> Any:
    n, m, free = len(shape_of(a)), len(shape_of(b)), len(shape_of(a)) - 1
    if n == 0 or m == 0:
        return unbroadcast(xp, g * xp.asarray(b), a)
    if m == 1:
        return unbroadcast(xp, xp.tensordot(g, xp.asarray(b), axes=0), a)
    return unbroadcast(xp, _summed(xp, g, b, range(free, g.ndim), [*range(m - 2), m - 1]), a)


def _dot_right(xp: Any, g: Any, y: Any, a: Any, b: Any) -> Any:
    n, m = len(shape_of(a)), len(shape_of(b))
    if n == 0 or m == 0:
        return unbroadcast(xp, g * xp.asarray(a), b)
    found = _summed(xp, a, g, range(n - 1), range(n - 1))
    return unbroadcast(xp, found if m == 1 else xp.moveaxis(found, 0, -2), b)


def _inner_left(xp: Any, g: Any, y: Any, a: Any, b: Any) -> Any:
    n, m = len(shape_of(a)), len(shape_of(b))
    if n == 0 or m == 0:
        return unbroadcast(xp, g * xp.asarray(b), a)
    return unbroadcast(xp, _summed(xp, g, b, range(n - 1, g.ndim), range(m - 1)), a)


def _inner_right(xp: Any, g: Any, y: Any, a: Any, b: Any) -> Any:
    n, m = len(shape_of(a)), len(shape_of(b))
    if n == 0 or m == 0:
        return unbroadcast(xp, g * xp.asarray(a), b)
    return unbroadcast(xp, _summed(xp, g, a, range(n - 1), range(n - 1)), b)


def outer_left(xp: Any, g: Any, y: Any, a: Any, b: Any) -> Any:
    """Return the cotangent of the first operand of outer."""
    return unbroadcast(xp, (g @ xp.ravel(xp.asarray(b))).reshape(shape_of(a)), a)


def outer_right(xp: Any, g: Any, y: Any, a: Any, b: Any) -> Any:
    """Return the cotangent of the second operand of outer."""
    return unbroadcast(xp, (xp.ravel(xp.asarray(a)) @ g).reshape(shape_of(b)), b)


def _vdot_left(xp: Any, g: Any, y: Any, a: Any, b: Any) -> Any:
    return unbroadcast(xp, xp.conj(g * xp.asarray(b)).reshape(shape_of(a)), a)


def _vdot_right(xp: Any, g: Any, y: Any, a: Any, b: Any) -> Any:
    return unbroadcast(xp, (g * xp.conj(xp.asarray(a))).reshape(shape_of(b)), b)


# matmul


def _matmul_left(xp: Any, g: Any, y: Any, a: Any, b: Any) -> Any:
    n, m = len(shape_of(a)), len(shape_of(b))
    b = xp.asarray(b)
    if n == 1 and m == 1:
        return unbroadcast(xp, g * b, a)
    if n == 1:
        return unbroadcast(xp, (b @ g[..., None])[..., 0], a)
    if m == 1:
        return unbroadcast(xp, g[..., None] * b, a)
    if n == 2 and m > 2:
        rest = [*range(m - 2), m - 1]
        return unbroadcast(xp, _summed(xp, g, b, rest, rest), a)
    return unbroadcast(xp, product(g, xp.swapaxes(b, -1, -2)), a)


def _matmul_right(xp: Any, g: Any, y: Any, a: Any, b: Any) -> Any:
    n, m = len(shape_of(a)), len(shape_of(b))
    a = xp.asarray(a)
    if n == 1 and m == 1:
        return unbroadcast(xp, g * a, b)
    if n == 1:
        return unbroadcast(xp, a[:, None] * g[..., None, :], b)
    if n == 2 and m == 1:
        return unbroadcast(xp, g @ a, b)
    rest = range(n - 1)
    if m == 1 or (m == 2 and n > 2):
        return unbroadcast(xp, _summed(xp, a, g, rest, rest), b)
    return unbroadcast(xp, product(xp.swapaxes(a, -1, -2), g), b)


# tensordot


def _pairs(n: int, m: int, axes: Any) -> tuple[list[int], list[int]]:
    """Return the axes that are summed over, of each operand, none negative."""
    if isinstance(axes, list | tuple):
        left, right = (list(part) if isinstance(part, list | tuple) else [int(part)] for part in axes)
        return [i % n for i in left], [i % m for i in right]
    return list(range(n - int(axes), n)), list(range(int(axes)))


def _tensordot_one(
    xp: Any, g: Any, other: Any, own_axes: list[int], other_axes: list[int], g_rest: list[int]
) -> Any:
    """Return the cotangent of an operand; g_rest: the axes of g that are the other operand's."""
    free = [i for i in range(len(shape_of(other))) if i not in other_axes]
    found = _summed(xp, g, other, g_rest, free)
    order = sorted(range(len(other_axes)), key=lambda i: other_axes[i])
    own_free = [i for i in range(found.ndim) if i not in own_axes]
    places = [*own_free, *[own_axes[i] for i in order]]
    return xp.transpose(found, [places.index(i) for i in range(found.ndim)])


def _tensordot_left(xp: Any, g: Any, y: Any, a: Any, b: Any, axes: Any = 2) -> Any:
    n, m = len(shape_of(a)), len(shape_of(b))
    left, right = _pairs(n, m, axes)
    free = n - len(left)
    return unbroadcast(xp, _tensordot_one(xp, g, b, left, right, list(range(free, g.ndim))), a)


def _tensordot_right(xp: Any, g: Any, y: Any, a: Any, b: Any, axes: Any = 2) -> Any:
    n, m = len(shape_of(a)), len(shape_of(b))
    left, right = _pairs(n, m, axes)
    return unbroadcast(xp, _tensordot_one(xp, g, a, right, left, list(range(n - len(left)))), b)


# Samples


def drawn(*pairs: tuple[tuple[int, ...], ...]) -> Any:
    """Return samples of these shapes."""
    return lambda rng: [tuple([rng.normal(size=shape) for shape in pair]) for pair in pairs]


def complexes(rng: Any, *shape: int) -> Any:
    """Return random complex numbers."""
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


def _dot_samples(rng: Any) -> list[tuple[Any, ...]]:
    shapes = [((3,), (3,)), ((2, 3), (3, 4)), ((2, 3), (3,)), ((3,), (3, 2)), ((), (3,)), ((2, 3), ())]
    shapes += [((2, 3), (4, 3, 2)), ((2, 1, 3), (3,)), ((2, 1, 3), (2, 3, 2)), ((0,), (0,)), ((2, 0), (0, 3))]
    found = drawn(*shapes)(rng)
    found += [
        (2.5, rng.normal(size=3)),
        (2.5, 1.5),
        (rng.normal(size=(3, 2)).T, rng.normal(size=(6, 2))[::2]),
    ]
    found += [([1.5, 2.5, -1.0], rng.normal(size=3)), (complexes(rng, 2, 3), rng.normal(size=(3, 2)))]
    return [*found, (np.float32(rng.normal(size=(2, 3))), np.float32(rng.normal(size=(3, 2))))]


def _inner_samples(rng: Any) -> list[tuple[Any, ...]]:
    shapes = [((3,), (3,)), ((2, 3), (4, 3)), ((2, 3), (3,)), ((3,), (2, 1, 3)), ((), (3,)), ((2, 0), (3, 0))]
    return [*drawn(*shapes)(rng), (rng.normal(size=(3, 2)).T, [0.5, 1.5, 2.5])]


def _outer_samples(rng: Any) -> list[tuple[Any, ...]]:
    found = drawn(((3,), (4,)), ((2, 3), (2,)), ((0,), (3,)), ((), (2,)))(rng)
    return [*found, (rng.normal(size=3), 2.5), (2.5, 1.5), (complexes(rng, 2), rng.normal(size=3))]


def _vdot_samples(rng: Any) -> list[tuple[Any, ...]]:
    found = drawn(((3,), (3,)), ((2, 3), (2, 3)), ((2, 3), (6,)), ((0,), (0,)), ((), ()))(rng)
    return [*found, (complexes(rng, 3), complexes(rng, 3)), (rng.normal(size=3), complexes(rng, 3))]


def _matmul_samples(rng: Any) -> list[tuple[Any, ...]]:
    shapes = [
        ((3,), (3,)),
        ((2, 3), (3, 4)),
        ((2, 3), (3,)),
        ((3,), (3, 2)),
        ((3,), (4, 3, 2)),
        ((4, 2, 3), (3,)),
    ]
    shapes += [((4, 2, 3), (3, 2)), ((2, 3), (4, 3, 2)), ((4, 2, 3), (4, 3, 2)), ((4, 1, 2, 3), (5, 3, 2))]
    shapes += [((1, 2, 3), (4, 3, 2)), ((2, 0), (0, 3)), ((0, 2), (2, 3))]
    found = [*drawn(*shapes)(rng), (rng.normal(size=(3, 2)).T, rng.normal(size=(6, 2))[::2])]
    return [
        *found,
        (complexes(rng, 2, 3), complexes(rng, 3)),
        (rng.normal(size=(2, 3)), complexes(rng, 3, 2)),
    ]


def _tensordot_samples(rng: Any) -> list[tuple[Any, ...]]:
    a, b, c = rng.normal(size=(2, 3, 4)), rng.normal(size=(4, 3, 5)), rng.normal(size=(3, 4, 2))
    found: list[tuple[Any, ...]] = [(a, c), (a, c, 2), (a, b, 1), (a, b, 0), (a, b, ([1, 2], [1, 0]))]
    found += [(a, c, ((2, 0, 1), (1, 2, 0))), (a, c, (-1, 1)), (a, b, ((2, -2), (0, 1))), (a, a, 3)]
    return [*found, (a, rng.normal(size=(0,)), 0), (rng.normal(size=3), complexes(rng, 3, 2), 1)]


BILINEAR: dict[str, Any] = {"jvps": (SAME, SAME), "needs": ((1,), (0,))}

DOT = tensor(
    "np.dot",
    lambda xp, a, b: xp.dot(a, b),
    vjps=(_dot_left, _dot_right),
    **BILINEAR,
    implements=(np.dot,),
    methods=("dot",),
    shape="(..., k), (..., k, m) -> (..., ..., m); with a number, or with two vectors, their product",
    samples=_dot_samples,
)
INNER = tensor(
    "np.inner",
    lambda xp, a, b: xp.inner(a, b),
    vjps=(_inner_left, _inner_right),
    **BILINEAR,
    implements=(np.inner,),
    shape="(..., k), (..., k) -> (..., ...)",
    samples=_inner_samples,
)
OUTER = tensor(
    "np.outer",
    lambda xp, a, b: xp.outer(a, b),
    vjps=(outer_left, outer_right),
    **BILINEAR,
    implements=(np.outer,),
    shape="(n,), (m,) -> (n, m), of the operands' elements in a row",
    samples=_outer_samples,
)
VDOT = tensor(
    "np.vdot",
    lambda xp, a, b: xp.vdot(a, b),
    vjps=(_vdot_left, _vdot_right),
    **BILINEAR,
    implements=(np.vdot,),
    shape="(n,), (n,) -> (), of the operands' elements in a row",
    samples=_vdot_samples,
)


def _matmul(xp: Any, x1: Any, x2: Any) -> Any:
    return product(x1, x2) if type(x1) is type(x2) is np.ndarray else xp.matmul(x1, x2)


MATMUL = tensor(
    "np.matmul",
    _matmul,
    vjps=(_matmul_left, _matmul_right),
    **BILINEAR,
    operator="matmul",
    implements=(np.matmul, np.linalg.matmul),
    overloads=("py.matmul",),
    shape="(n?, k), (k, m?) -> (n?, m?), what comes before broadcasts together",
    samples=_matmul_samples,
)
TENSORDOT = tensor(
    "np.tensordot",
    lambda xp, a, b, axes=2: xp.tensordot(a, b, axes=axes),
    vjps=(_tensordot_left, _tensordot_right, None),
    jvps=(SAME, SAME, None),
    needs=((1,), (0,), ()),
    implements=(np.tensordot, np.linalg.tensordot),
    shape="the axes that are not summed over, those of the first operand first",
    samples=_tensordot_samples,
)
