"""Powers of two: np.ldexp, and the exponents of np.frexp, which are integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlib.rules import constant, discrete, pointwise, sampled


def _samples(rng: Any) -> list[tuple[Any, ...]]:
    return [
        (rng.normal(size=(2, 3)), np.array([-2, 0, 5])),
        (rng.normal(), np.array([1, 2])),
        (rng.normal(size=3), 4),
        (rng.normal(size=2), [1, 2]),
        (rng.normal(size=3).astype(np.float32), 1),
    ]


# Of integers that may be floats, as lists of them are in rules for tangents.
POWERS_OF_TWO = discrete(
    "tensorlib.powers-of-two",
    lambda xp, x: xp.ldexp(1.0, xp.asarray(x).astype(int)),
    shape="that of the array",
    samples=lambda rng: [(np.array([-2, 3]),), (4,), (np.array([1.0, 2.0]),)],
)
pointwise(
    "np.ldexp",
    lambda xp, x1, x2: xp.ldexp(x1, x2),
    lambda x1, x2, y: POWERS_OF_TWO(x2),
    constant(0.0),
    needs=((1,), ()),
    implements=(np.ldexp,),
    convention="the exponents are integers, and have no derivative",
    samples=_samples,
)


def exponents_of(x: Any) -> Any:
    """Return the exponents that np.frexp gives."""
    return np.frexp(x)[1]


discrete(
    "tensorlib.exponents",
    lambda xp, x: xp.frexp(x)[1],
    implements=(exponents_of,),
    shape="that of the array",
    convention="0 also where it jumps",
    samples=sampled((0.6, 0.9)),
)
