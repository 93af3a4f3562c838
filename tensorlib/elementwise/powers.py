"""Powers element by element, with broadcasting."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.scalars import powers
from tensorlib.elementwise.formulas import on_arrays
from tensorlib.elementwise.pointwise import ANY, POSITIVE
from tensorlib.rules import sampled


def _samples(rng: Any) -> list[tuple[Any, ...]]:
    bases = rng.normal(size=(2, 3))
    special = [(bases, 2), (abs(bases), 3.0), (np.array([0.0, 1.0]), 2), (bases, 0), (bases + 3.0, -1)]
    return [*sampled(POSITIVE, ANY)(rng), *special, (bases.astype(np.float32), 2)]


def _raised(xp: Any, x: Any, y: Any) -> Any:
    return x**y if hasattr(x, "dtype") or hasattr(y, "dtype") else xp.power(x, y)


POWER = on_arrays(powers.power, samples=_samples)
RAISED = on_arrays(
    powers.power,
    name="py.pow/array",
    value=_raised,
    implements=(),
    overloads=("py.pow",),
    samples=_samples,
)
FLOAT_POWER = on_arrays(powers.float_power, samples=_samples)
