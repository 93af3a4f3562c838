"""Elementary functions element by element: roots, exponentials, logarithms, angles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from checkpoint.ad.tensors import Tensor
from checkpoint.scalars import angles
from tensorlib.elementwise.formulas import on_arrays, register_all
from tensorlib.elementwise.pointwise import ANY, SUBTRACT
from tensorlib.rules import pointwise, record, sampled


def _lengths(rng: Any) -> list[tuple[Any, ...]]:
    return [*sampled((0.5, 2.0), ANY)(rng), (np.array([3.0, 1.0]), np.array([4.0, 0.0]))]


on_arrays(angles.hypot, samples=_lengths)
register_all()
EXP, EXP2 = record("np.exp"), record("np.exp2")

# Logarithms of sums

LOGADDEXP = pointwise(
    "np.logaddexp",
    lambda xp, x, y: xp.logaddexp(x, y),
    lambda x, y, z: EXP(SUBTRACT(x, z)),
    lambda x, y, z: EXP(SUBTRACT(y, z)),
    needs=((0, 2), (1, 2)),
    implements=(np.logaddexp,),
    samples=sampled(ANY, ANY),
)
LOGADDEXP2 = pointwise(
    "np.logaddexp2",
    lambda xp, x, y: xp.logaddexp2(x, y),
    lambda x, y, z: EXP2(SUBTRACT(x, z)),
    lambda x, y, z: EXP2(SUBTRACT(y, z)),
    needs=((0, 2), (1, 2)),
    implements=(np.logaddexp2,),
    samples=sampled(ANY, ANY),
)

# sin(pi x) / (pi x)


def _sinc_series(xp: Any, x: Any, n: int) -> Any:
    """Return the n-th derivative of sinc near 0: the Taylor series, term by term."""
    total = xp.zeros_like(x)
    for k in range((n + 1) // 2, n + 20):
        term = (-1.0) ** k * math.pi ** (2 * k) / ((2 * k + 1) * math.factorial(2 * k - n))
        total = total + term * x ** (2 * k - n)
    return total


def _sinc_recurrence(xp: Any, x: Any, n: int) -> Any:
    """Return the n-th derivative of sinc away from 0, by the n-th of x sinc(x) = sin(pi x) / pi."""
    found = xp.sinc(x)
    for k in range(1, n + 1):
        found = (math.pi ** (k - 1) * xp.sin(math.pi * x + k * math.pi / 2) - k * found) / x
    return found


def _sinc_derived(xp: Any, x: Any, n: int) -> Any:
    near = xp.abs(x) < 0.5 + 0.35 * n
    return xp.where(
        near, _sinc_series(xp, xp.where(near, x, 0.0), n), _sinc_recurrence(xp, xp.where(near, 9.0, x), n)
    )


SINC_DERIVED: Tensor = pointwise(
    "tensorlib.sinc-derived",
    _sinc_derived,
    lambda x, n, y: SINC_DERIVED(x, n + 1),
    lambda x, n, y: 0.0,
    needs=((0, 1), ()),
    samples=lambda rng: [(rng.normal(size=4), n) for n in (1, 2, 5)],
)
SINC = pointwise(
    "np.sinc",
    lambda xp, x: xp.sinc(x),
    lambda x, y: SINC_DERIVED(x, 1),
    needs=((0,),),
    implements=(np.sinc,),
    samples=lambda rng: [*sampled(ANY)(rng), (np.array([0.0, 0.01, 0.9, 5.0, -3.0]),)],
)
