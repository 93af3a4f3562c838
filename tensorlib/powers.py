"""Powers element by element, with broadcasting."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.prims.arrays import tensor
from tensorlib.comparison import EQUAL, GREATER, LOGICAL_AND
from tensorlib.elementary import LOG
from tensorlib.pointwise import ANY, MULTIPLY, POSITIVE, SUBTRACT
from tensorlib.rules import damped, number, quietly, sampled, stacked, tangent_array, unbroadcast
from tensorlib.selection import WHERE


def _by_base(x: Any, y: Any) -> Any:
    """Y x^(y-1); 0 where y is 0."""
    if type(y) in (int, float, bool):
        return MULTIPLY(y, RAISED(x, y - 1)) if y != 0 else 0.0
    nowhere = LOGICAL_AND(EQUAL(x, 0), EQUAL(y, 0))
    return MULTIPLY(y, POWER(x, WHERE(nowhere, 1.0, SUBTRACT(y, 1.0))))


def _by_exponent(x: Any, y: Any, z: Any) -> Any:
    """Z log x; 0 where x is 0 and y positive."""
    still = LOGICAL_AND(EQUAL(x, 0), GREATER(y, 0))
    return MULTIPLY(z, LOG(WHERE(still, 1.0, x)))


def _base_vjp(xp: Any, g: Any, z: Any, x: Any, y: Any) -> Any:
    with quietly():
        product = g * _by_base(x, y)
    return unbroadcast(xp, xp.where(g == 0, 0.0, product), x)


def _exponent_vjp(xp: Any, g: Any, z: Any, x: Any, y: Any) -> Any:
    with quietly():
        product = g * _by_exponent(x, y, z)
    return unbroadcast(xp, xp.where(g == 0, 0.0, product), y)


def _base_jvp(tangent: Any, z: Any, x: Any, y: Any) -> Any:
    with quietly():
        return number(damped(_by_base(stacked(x), stacked(y)), tangent_array(tangent)))


def _exponent_jvp(tangent: Any, z: Any, x: Any, y: Any) -> Any:
    with quietly():
        return number(damped(_by_exponent(stacked(x), stacked(y), z), tangent_array(tangent)))


def _samples(rng: Any) -> list[tuple[Any, ...]]:
    bases = rng.normal(size=(2, 3))
    special = [(bases, 2), (abs(bases), 3.0), (np.array([0.0, 1.0]), 2), (bases, 0), (bases + 3.0, -1)]
    return [*sampled(POSITIVE, ANY)(rng), *special, (bases.astype(np.float32), 2)]


def _power(name: str, value: Any, **fields: Any) -> Any:
    return tensor(
        name,
        value,
        vjps=(_base_vjp, _exponent_vjp),
        jvps=(_base_jvp, _exponent_jvp),
        needs=((0, 1), (0, 1, 2)),
        shape="both operands broadcast together",
        convention="0 by a positive exponent where the base is 0; 0 by the base where the exponent is",
        samples=_samples,
        **fields,
    )


POWER = _power("np.power", lambda xp, x, y: xp.power(x, y), implements=(np.power,))
RAISED = _power(
    "py.pow/array",
    lambda xp, x, y: x**y if hasattr(x, "dtype") or hasattr(y, "dtype") else xp.power(x, y),
    overloads=("py.pow",),
)
FLOAT_POWER = _power("np.float_power", lambda xp, x, y: xp.float_power(x, y), implements=(np.float_power,))
