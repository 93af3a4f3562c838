"""Powers element by element, with broadcasting."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.scalars import powers
from checkpoint.scalars.kernels import kernel_of
from tensorlib.elementwise.formulas import on_arrays
from tensorlib.elementwise.pointwise import ANY, POSITIVE
from tensorlib.rules import sampled, unbroadcast


def _samples(rng: Any) -> list[tuple[Any, ...]]:
    bases = rng.normal(size=(2, 3))
    special = [(bases, 2), (abs(bases), 3.0), (np.array([0.0, 1.0]), 2), (bases, 0), (bases + 3.0, -1)]
    return [*sampled(POSITIVE, ANY)(rng), *special, (bases.astype(np.float32), 2)]


def _raised(xp: Any, x: Any, y: Any) -> Any:
    return x**y if hasattr(x, "dtype") or hasattr(y, "dtype") else xp.power(x, y)


def _base_of_square(xp: Any, g: Any, y: Any, x: Any, exponent: Any) -> Any:
    """Return the cotangent of the base of a square by a loop of engine c; None: there is none for it."""
    if (type(exponent) is not int and type(exponent) is not float) or exponent != 2:
        return None
    found = None if (scaled := kernel_of("scaled")) is None else scaled(g, 2.0, x)
    return None if found is None else unbroadcast(xp, found, x)


POWER = on_arrays(powers.power, samples=_samples, faster=_base_of_square)
RAISED = on_arrays(
    powers.power,
    name="py.pow/array",
    value=_raised,
    implements=(),
    overloads=("py.pow",),
    samples=_samples,
    faster=_base_of_square,
)
FLOAT_POWER = on_arrays(powers.float_power, samples=_samples)
