"""Test cases for gradients of NumPy functions that HIPS autograd and JAX publish, as data.

Each case is the name of a record and operands for it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

Case = tuple[str, tuple[Any, ...]]
Interval = tuple[float, float]
WIDE = (-2.0, 2.0)

# HIPS autograd, test_systematic and test_scalar_ops: an interval, and whether complex operands are tried

UNARY: list[tuple[str, Interval, bool]] = [
    ("np.sin", WIDE, True),
    ("np.absolute", (0.1, 4.0), True),
    ("np.arccosh", (1.1, 4.0), True),
    ("np.arcsinh", (-0.9, 0.9), True),
    ("np.arctanh", (-0.9, 0.9), True),
    ("np.ceil", (-1.5, 1.5), False),
    ("np.cos", WIDE, True),
    ("np.cosh", WIDE, True),
    ("np.deg2rad", WIDE, False),
    ("np.rad2deg", WIDE, False),
    ("np.exp", WIDE, True),
    ("np.exp2", WIDE, True),
    ("np.expm1", WIDE, True),
    ("np.fabs", WIDE, False),
    ("np.floor", (-1.5, 1.5), False),
    ("np.log", (0.2, 2.0), True),
    ("np.log10", (0.2, 2.0), True),
    ("np.log1p", (0.2, 2.0), True),
    ("np.log2", (0.2, 2.0), True),
    ("np.negative", WIDE, True),
    ("np.sign", WIDE, False),
    ("np.sinh", WIDE, True),
    ("np.sqrt", (1.0, 3.0), True),
    ("np.square", WIDE, True),
    ("np.tan", (-1.1, 1.1), True),
    ("np.tanh", WIDE, True),
    ("np.real", WIDE, True),
    ("np.imag", WIDE, True),
    ("np.conjugate", WIDE, True),
    ("np.angle", (0.5, 2.0), True),
    ("np.sinc", WIDE, False),
    ("np.arcsin", (-0.9, 0.9), False),
    ("np.arccos", (-0.9, 0.9), False),
    ("np.arctan", WIDE, False),
    ("np.reciprocal", (0.5, 2.0), True),
]

# The same of two operands: their intervals; whether complex ones are tried

BINARY: list[tuple[str, Interval, Interval, bool]] = [
    ("np.add", WIDE, WIDE, True),
    ("np.subtract", WIDE, WIDE, True),
    ("np.multiply", WIDE, WIDE, True),
    ("np.divide", WIDE, (0.3, 2.0), False),
    ("np.divide", WIDE, (-2.0, -0.3), False),
    ("np.divide", WIDE, (0.5, 2.0), True),
    ("np.logaddexp", WIDE, WIDE, False),
    ("np.logaddexp2", WIDE, WIDE, False),
    ("np.remainder", (-0.9, 0.9), (0.7, 1.9), False),
    ("np.remainder", WIDE, (0.8, 2.1), False),
    ("np.remainder", WIDE, (-2.0, -0.3), False),
    ("np.fmod", (-0.9, 0.9), (0.7, 1.9), False),
    ("np.power", (0.7, 2.0), WIDE, False),
    ("py.pow/array", (0.7, 2.0), WIDE, False),
    ("np.arctan2", WIDE, (0.5, 2.0), False),
    ("np.hypot", WIDE, (0.5, 2.0), False),
    ("np.maximum", WIDE, WIDE, False),
    ("np.minimum", WIDE, WIDE, False),
    ("np.fmax", WIDE, WIDE, False),
    ("np.fmin", WIDE, WIDE, False),
]

STATISTICS = ["np.max", "np.mean", "np.min", "np.sum", "np.prod", "np.var", "np.std", "np.all", "np.any"]
OF_COMPLEX = frozenset(("np.mean", "np.sum", "np.prod", "np.var", "np.std"))
DEVIATIONS = ("np.var", "np.std")
# The parameters between axis and keepdims, where these are not the dtype alone.
FURTHER: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("np.all", "np.any", "np.max", "np.min"), ()),
    **dict.fromkeys(DEVIATIONS, (None, 0)),
}


def unary(rng: Any) -> Iterator[Case]:
    """Yield a real, a vector and two matrices in the interval; off the real axis a number and a matrix."""
    for name, (low, high), complex_too in UNARY:
        point = np.float64(low + 0.4 * (high - low))
        for x in (float(point), point, *[rng.uniform(low, high, shape) for shape in ((2,), (3, 2), (1, 2))]):
            yield name, (x,)
        if complex_too:
            yield name, (np.complex128(point + 0.1j * (low + 0.3 * (high - low))),)
            yield name, (rng.uniform(low, high, (3, 2)) + 0.1j * rng.uniform(size=(3, 2)),)


def binary(rng: Any) -> Iterator[Case]:
    """Yield all pairs of a real, a vector and two matrices; and some of complex ones."""
    for name, first, second, complex_too in BINARY:
        pairs = [_operands(rng, interval, complex_too) for interval in (first, second)]
        for operands in itertools.product(*pairs):
            yield name, operands


def _operands(rng: Any, interval: Interval, complex_too: bool) -> list[Any]:
    found = [
        np.float64(rng.uniform(*interval)),
        *[rng.uniform(*interval, shape) for shape in ((2,), (3, 2), (1, 2))],
    ]
    if complex_too:
        found.append(rng.uniform(*interval, (3, 2)) + 0.1j * rng.uniform(size=(3, 2)))
    return found


def statistics(rng: Any) -> Iterator[Case]:
    """Yield numbers, vectors and matrices, with axes, with and without keepdims."""
    arrays = [rng.normal(size=3), rng.normal(size=(2, 3)), rng.normal(size=(1, 3))]
    for name in STATISTICS:
        more = FURTHER.get(name, (None,))
        if name not in DEVIATIONS:
            yield name, (3.5,)
            yield name, (np.float64(rng.normal()),)
        for a, axis, keepdims in itertools.product(arrays, (None, 0), (True, False)):
            if not (name == "np.std" and a.shape[0] == 1 and axis == 0):
                yield name, (a, axis, *more, keepdims)
        for axis, keepdims in itertools.product((None, 0, 1), (True, False)):
            yield name, (arrays[1], axis, *more, keepdims)
        if name in OF_COMPLEX:
            yield name, (rng.normal(size=(2, 3)) + 0.1j * rng.normal(size=(2, 3)), 0, *more, False)


def numpy_cases(rng: Any) -> Iterator[Case]:
    """Yield HIPS autograd's cases of reductions, scans and choices (test_numpy)."""
    m, cube = rng.normal(size=(10, 11)), rng.normal(size=(3, 4, 5))
    for name in ("np.max", "np.min"):
        yield from ((name, operands) for operands in ((m,), (cube, 1), (cube, 1, True)))
    yield from (("np.sum", operands) for operands in ((m,), (m, 0), (m, 0, None, True), (cube, (1, 2))))
    yield from (("np.mean", operands) for operands in ((m,), (m, 0), (m, 0, None, True)))
    yield from (("np.cumsum", operands) for operands in ((m, 0), (m, 1), (m[0],), (m,)))
    small = rng.normal(size=(2, 3)) ** 2 + 0.1
    yield from (("np.prod", operands) for operands in ((small / 10.0,), (small, 0), (small, 0, None, True)))
    yield "np.prod", (rng.normal(size=7) ** 2 + 0.1,)
    yield "np.clip", (rng.normal(size=(5, 5)), 0.1, 1.1)
    yield "np.where", (rng.normal(size=(4, 5)) > 0, rng.normal(size=(4, 5)), rng.normal(size=(4, 5)))
    yield "np.nan_to_num", (np.array([0.3, -1.0, 2.0]),)
    for name, keepdims, ddof in itertools.product(DEVIATIONS, (True, False), (0, 1)):
        for a in (rng.normal(size=3), rng.normal(size=(3, 4)), rng.normal(size=(1, 3))):
            yield name, (a, None, None, ddof, keepdims)
        yield name, (rng.normal(size=(3, 4)), 1, None, 2, keepdims)
    for n, axis in itertools.product((1, 2), (0, 1)):
        yield "np.diff", (rng.normal(size=(5, 5)), n, axis)
    for a in (rng.normal(size=6), rng.normal(size=(3, 4)), rng.normal(size=(3, 4, 2))):
        yield "tensorlib.logsumexp", (a,)
        yield "tensorlib.logsumexp", (a, 0, None, True)
        yield "np.linalg.norm", (a,)
        yield "np.linalg.norm", (a, None, 0)
    yield "np.linalg.norm", (rng.normal(size=(6, 5)), "fro")
    for order in (1.2, 2.0, 3.4):
        yield "np.linalg.norm", (rng.normal(size=(6, 5)), order, 0)
    yield "tensorlib.logsumexp", (rng.normal(size=(2, 3)), 0, rng.uniform(0.5, 1.5, (2, 3)))


# JAX, lax_autodiff_test and lax_numpy_test: intervals, for shapes that broadcast; points of special interest

JAX_UNARY: list[tuple[str, Interval]] = [
    ("np.negative", WIDE),
    ("np.floor", (0.1, 0.4)),
    ("np.ceil", (0.1, 0.4)),
    ("np.rint", (0.1, 0.4)),
    ("np.exp", (-0.5, 0.5)),
    ("np.exp2", (-0.5, 0.5)),
    ("np.expm1", WIDE),
    ("np.log", (0.1, 3.0)),
    ("np.log1p", (0.1, 3.0)),
    ("np.sinh", WIDE),
    ("np.cosh", WIDE),
    ("np.tanh", WIDE),
    ("np.sin", (-5.0, 5.0)),
    ("np.cos", (-5.0, 5.0)),
    ("np.tan", (-1.3, 1.3)),
    ("np.arcsin", (-0.95, 0.95)),
    ("np.arccos", (-0.95, 0.95)),
    ("np.absolute", (0.1, 3.0)),
    ("np.sqrt", (0.1, 3.0)),
    ("np.cbrt", (0.5, 3.0)),
    ("np.arcsinh", WIDE),
    ("np.arccosh", (1.1, 3.0)),
    ("np.arctanh", (-0.9, 0.9)),
]
JAX_BINARY: list[tuple[str, Interval, Interval]] = [
    ("np.arctan2", (0.3, 3.0), WIDE),
    ("np.power", (0.1, 3.0), (0.1, 3.0)),
    ("np.add", WIDE, WIDE),
    ("np.subtract", WIDE, WIDE),
    ("np.multiply", WIDE, WIDE),
    ("np.divide", WIDE, (0.5, 3.0)),
    ("np.maximum", WIDE, WIDE),
    ("np.minimum", WIDE, WIDE),
    ("np.logaddexp", (-0.9, 0.9), (-0.9, 0.9)),
    ("np.logaddexp2", (-0.9, 0.9), (-0.9, 0.9)),
]
QUARTERS = (0.0, np.pi, np.pi / 2, np.pi / 4)
SPECIAL: dict[str, tuple[float, ...]] = {
    "np.sinh": (0.0,),
    "np.cosh": (0.0,),
    "np.tanh": (0.0, 1000.0),
    "np.sin": QUARTERS,
    "np.cos": QUARTERS,
    "np.tan": (0.0,),
    "np.arcsin": (0.0,),
    "np.arccos": (0.0,),
    "np.arctan": (0.0, 1000.0),
    "np.arcsinh": (0.0, 1000.0),
    "np.arccosh": (1000.0,),
    "np.arctanh": (0.0,),
    "np.sinc": (0.0,),
}
COMPATIBLE: list[list[tuple[int, ...]]] = [[(3,)], [(), (3, 4), (3, 1), (1, 4)], [(2, 3, 4), (2, 1, 4)]]
REDUCED: list[tuple[int, ...]] = [(), (0,), (1,), (0, 1), (0, 2), (0, 1, 2)]


def jax_pointwise(rng: Any) -> Iterator[Case]:
    """Yield each function on shapes that broadcast, and where its formula might fail."""
    for name, interval in JAX_UNARY:
        for shape in itertools.chain(*COMPATIBLE):
            yield name, (rng.uniform(*interval, shape),)
    for name, first, second in JAX_BINARY:
        for group in COMPATIBLE:
            for left, right in itertools.combinations_with_replacement(group, 2):
                yield name, (rng.uniform(*first, left), rng.uniform(*second, right))
    for name, points in SPECIAL.items():
        yield from ((name, (point,)) for point in points)


def jax_reductions(rng: Any) -> Iterator[Case]:
    """Yield sums, products and extremes over axes; running ones; distant bounds, in each order."""
    cube = rng.uniform(0.5, 2.0, (3, 4, 5))
    for name, axes in itertools.product(("np.sum", "np.prod", "np.max", "np.min"), REDUCED):
        yield name, (cube, axes)
    for name, a in itertools.product(("np.cumsum", "np.cumprod"), (rng.normal(size=10), cube)):
        yield from ((name, (a, axis)) for axis in range(a.ndim))
    for shape in ((), (2, 3)):
        x = rng.normal(size=shape)
        yield from (
            ("np.clip", operands)
            for operands in itertools.islice(itertools.permutations((x, x - 10, x + 10)), 4)
        )
