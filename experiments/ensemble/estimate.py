"""The estimate of one series by derivatives of checkpoint."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import checkpoint
from experiments.ensemble import hares
from experiments.ensemble.newton import Found, Vector, minimum


class Estimate:
    """The estimate of one series, and the seconds of the processor that it took."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def __call__(self, series: hares.Series) -> tuple[Found, float]:
        began = time.process_time()
        return self.of(series), time.process_time() - began

    def of(self, series: hares.Series) -> Found:
        value_and_gradient, product = _derivatives()

        def misfit(p: Vector) -> Any:
            return value_and_gradient(p, *series, self.steps)

        def hessian_times(p: Vector, v: Vector) -> Any:
            return product(p, v, *series, self.steps)

        return minimum(misfit, hessian_times, hares.START)


@cache
def _derivatives() -> tuple[Any, Any]:
    """Return value_and_grad of the loss, and the product of its Hessian."""

    def product(p: Vector, v: Vector, hare: list[float], lynx: list[float], steps: int) -> Any:
        return checkpoint.hvp(lambda q: hares.loss(q, hare, lynx, steps), p, v)

    return checkpoint.value_and_grad(hares.loss), product
