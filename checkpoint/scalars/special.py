"""The error function."""

from __future__ import annotations

import math
from typing import Any

from checkpoint.scalars.algebra import Expr, Rule
from checkpoint.scalars.definition import Arrays, define
from checkpoint.scalars.powers import exp

_SLOPE = 2.0 / math.sqrt(math.pi)  # of erf at 0


def _bell(factor: float) -> Rule:
    def partial(x: Expr, z: Expr) -> Any:
        return factor * exp(-(x * x))

    return partial


erf = define(
    "erf",
    "error function",
    _bell(_SLOPE),
    value=math.erf,
    c="erf(x)",
    language="",
    python=(math.erf,),
    arrays=Arrays(name="scipy.special.erf", domain=((-2.0, 2.0),)),
)
erfc = define(
    "erfc",
    "complementary error function",
    _bell(-_SLOPE),
    value=math.erfc,
    c="erfc(x)",
    language="",
    python=(math.erfc,),
    arrays=Arrays(name="scipy.special.erfc", domain=((-2.0, 2.0),)),
)
