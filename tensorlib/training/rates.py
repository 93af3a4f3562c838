"""Learning rates by the number of steps done: plain functions of numbers, differentiable by the rate.

Each is a schedule of torch.optim.lr_scheduler, as a formula. Multiply, compare and branch for others.
"""

from __future__ import annotations

import math
from typing import Any

from checkpoint.prims.arrays import translated_as


def stepwise(rate: Any, step: Any, every: Any, factor: Any = 0.1) -> Any:
    """Return the rate, multiplied by the factor once for each `every` steps done."""
    return rate * factor ** (step // every)


def exponential(rate: Any, step: Any, factor: Any) -> Any:
    """Return the rate, multiplied by the factor once for each step done."""
    return rate * factor**step


def cosine(rate: Any, step: Any, steps: Any, last: Any = 0.0) -> Any:
    """Return a rate that goes to `last` within so many steps, along half a cosine, and stays."""
    done = min(step, steps) / steps
    return last + (rate - last) * (1.0 + math.cos(math.pi * done)) / 2.0


def linear_warmup(rate: Any, step: Any, steps: Any, first: Any = 0.0) -> Any:
    """Return a rate that grows from first * rate to the rate within so many steps, linearly, and stays."""
    return rate * (first + (1.0 - first) * min(step, steps) / steps)


for _function in (stepwise, exponential, cosine, linear_warmup):
    translated_as(_function, _function)
