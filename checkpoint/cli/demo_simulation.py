"""The simulation that `checkpoint demo` differentiates: ordinary Python, which knows nothing of this package.

In: parameters. Out: a number, after a run of more than a million steps.
"""

from __future__ import annotations

import math

TIME_STEP = 0.003


def heat(parameters: tuple[float, float, float]) -> float:
    """Return the heat that friction makes in a minute, as a periodic force moves a mass on a spring."""
    stiffness, friction, push = parameters
    x = v = total = 0.0
    for i in range(20_000):
        force = push * math.sin(1.5 * TIME_STEP * i) - stiffness * x
        if v > 0.0:
            force -= friction
        else:
            force += friction
        v += TIME_STEP * force
        x += TIME_STEP * v
        total += TIME_STEP * friction * abs(v)
    return total
