"""Further activations: piecewise ones, mish and log_sigmoid as records, others made of a few functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.array_library import namespace
from checkpoint.prims.arrays import translated_as
from tensorlib.elementwise.comparison import GREATER
from tensorlib.elementwise.pointwise import ADD, DIVIDE, MULTIPLY, SUBTRACT
from tensorlib.elementwise.selection import WHERE
from tensorlib.networks.activations import SIGMOID, SOFTPLUS, activation, sigmoid
from tensorlib.rules import record

# The functions as users call them


def elu(x: Any, alpha: float = 1.0) -> Any:
    """Return x where it is positive, alpha (exp(x) - 1) elsewhere."""
    return ELU.value(namespace((x,)), x, alpha)


def celu(x: Any, alpha: float = 1.0) -> Any:
    """Return x where it is positive, alpha (exp(x / alpha) - 1) elsewhere."""
    return CELU.value(namespace((x,)), x, alpha)


def selu(x: Any) -> Any:
    """Return elu with the slope and the alpha that keep mean 0 and variance 1."""
    return SELU.value(namespace((x,)), x)


def hardtanh(x: Any, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """Return x between two bounds, at which its derivative is 0."""
    return HARDTANH.value(namespace((x,)), x, min_val, max_val)


def relu6(x: Any) -> Any:
    """Return x between 0 and 6."""
    return hardtanh(x, 0.0, 6.0)


def hardsigmoid(x: Any) -> Any:
    """Return x / 6 + 1 / 2 between 0 and 1."""
    return HARDSIGMOID.value(namespace((x,)), x)


def hardswish(x: Any) -> Any:
    """Return x hardsigmoid(x)."""
    return HARDSWISH.value(namespace((x,)), x)


def hardshrink(x: Any, lambd: float = 0.5) -> Any:
    """Return x where it is beyond -lambd and lambd, 0 between them."""
    return HARDSHRINK.value(namespace((x,)), x, lambd)


def softshrink(x: Any, lambd: float = 0.5) -> Any:
    """Return x moved towards 0 by lambd, 0 between -lambd and lambd."""
    return SOFTSHRINK.value(namespace((x,)), x, lambd)


def threshold(x: Any, threshold: float = 0.0, value: float = 0.0) -> Any:
    """Return x where it is above the threshold, the value elsewhere."""
    return THRESHOLD.value(namespace((x,)), x, threshold, value)


def mish(x: Any) -> Any:
    """Return x tanh(softplus(x))."""
    return MISH.value(namespace((x,)), x)


def logsigmoid(x: Any) -> Any:
    """Return log(sigmoid(x))."""
    return LOG_SIGMOID.value(namespace((x,)), x)


# Their records


def _where(test: Any, x: Any, y: Any) -> Any:
    return WHERE(test, x, y)


def _exp(x: Any) -> Any:
    return record("np.exp")(x)


def _low(xp: Any, x: Any) -> Any:
    """Return the part of x below 0, so that its exponential does not overflow."""
    return xp.where(x > 0.0, 0.0, x)


ELU = activation(
    "elu",
    lambda xp, x, alpha=1.0: xp.where(x > 0.0, x, xp.expm1(_low(xp, x)) * alpha)[()],
    lambda y, x, alpha=1.0: _where(GREATER(x, 0.0), 1.0, MULTIPLY(_exp(_below(x)), alpha)),
    "x",
    0.7,
    by=(lambda y, x, alpha: _where(GREATER(x, 0.0), 0.0, record("np.expm1")(_below(x))),),
    implements=(elu,),
    convention="alpha at 0",
)


def _below(x: Any) -> Any:
    """Return the part of x below 0, by records."""
    return _where(GREATER(x, 0.0), 0.0, x)


def _celu_by_alpha(y: Any, x: Any, alpha: Any) -> Any:
    low = DIVIDE(_below(x), alpha)
    return SUBTRACT(record("np.expm1")(low), MULTIPLY(low, _exp(low)))


CELU = activation(
    "celu",
    lambda xp, x, alpha=1.0: xp.where(x > 0.0, x, xp.expm1(_low(xp, x) / alpha) * alpha)[()],
    lambda y, x, alpha=1.0: _where(GREATER(x, 0.0), 1.0, _exp(DIVIDE(_below(x), alpha))),
    "x",
    0.7,
    by=(_celu_by_alpha,),
    implements=(celu,),
)
_SCALE, _ALPHA = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
SELU = activation(
    "selu",
    lambda xp, x: xp.where(x > 0.0, x * _SCALE, xp.expm1(_low(xp, x)) * (_ALPHA * _SCALE))[()],
    lambda y, x: _where(GREATER(x, 0.0), _SCALE, MULTIPLY(_exp(_below(x)), _ALPHA * _SCALE)),
    "x",
    implements=(selu,),
    convention="the left one at 0",
)


def _inside(x: Any, low: Any, high: Any, inner: Any) -> Any:
    """Return the inner values where x is between two bounds, 0 at them and beyond."""
    return _where(GREATER(x, low), _where(GREATER(high, x), inner, 0.0), 0.0)


HARDTANH = activation(
    "hardtanh",
    lambda xp, x, min_val=-1.0, max_val=1.0: xp.clip(x, min_val, max_val),
    lambda y, x, min_val=-1.0, max_val=1.0: _inside(x, min_val, max_val, 1.0),
    "x",
    -0.5,
    1.5,
    by=(
        lambda y, x, min_val, max_val=1.0: _where(GREATER(x, min_val), 0.0, 1.0),
        lambda y, x, min_val, max_val: _where(GREATER(max_val, x), 0.0, 1.0),
    ),
    implements=(hardtanh,),
    convention="0 at the bounds",
)
HARDSIGMOID = activation(
    "hardsigmoid",
    lambda xp, x: xp.clip(x + 3.0, 0.0, 6.0) / 6.0,
    lambda y, x: _inside(x, -3.0, 3.0, 1.0 / 6.0),
    "x",
    implements=(hardsigmoid,),
    convention="0 at -3 and 3",
)
HARDSWISH = activation(
    "hardswish",
    lambda xp, x: x * xp.clip(x + 3.0, 0.0, 6.0) / 6.0,
    lambda y, x: _where(GREATER(3.0, x), _inside(x, -3.0, 3.0, ADD(DIVIDE(x, 3.0), 0.5)), 1.0),
    "x",
    implements=(hardswish,),
    convention="0 at -3, 1 at 3",
)


def _outside(x: Any, lambd: Any) -> Any:
    return _where(GREATER(x, lambd), 1.0, _where(GREATER(MULTIPLY(x, -1.0), lambd), 1.0, 0.0))


HARDSHRINK = activation(
    "hardshrink",
    lambda xp, x, lambd=0.5: xp.where(xp.abs(x) > lambd, x, 0.0)[()],
    lambda y, x, lambd=0.5: _outside(x, lambd),
    "x",
    0.8,
    by=(lambda y, x, lambd: 0.0,),
    implements=(hardshrink,),
    convention="0 at the bounds",
)
SOFTSHRINK = activation(
    "softshrink",
    lambda xp, x, lambd=0.5: xp.where(x > lambd, x - lambd, xp.where(x < -lambd, x + lambd, 0.0))[()],
    lambda y, x, lambd=0.5: _outside(x, lambd),
    "x",
    0.8,
    by=(lambda y, x, lambd: MULTIPLY(_outside(x, lambd), MULTIPLY(record("np.sign")(x), -1.0)),),
    implements=(softshrink,),
    convention="0 at the bounds",
)
THRESHOLD = activation(
    "threshold",
    lambda xp, x, threshold=0.0, value=0.0: xp.where(x > threshold, x, value)[()],
    lambda y, x, threshold=0.0, value=0.0: _where(GREATER(x, threshold), 1.0, 0.0),
    "x",
    0.3,
    -1.0,
    by=(
        lambda y, x, threshold, value=0.0: 0.0,
        lambda y, x, threshold, value: _where(GREATER(x, threshold), 0.0, 1.0),
    ),
    implements=(threshold,),
    convention="0 at the threshold",
)


def _mish_slope(y: Any, x: Any) -> Any:
    bend = record("np.tanh")(SOFTPLUS(x))
    steep = MULTIPLY(MULTIPLY(x, SIGMOID(x)), SUBTRACT(1.0, MULTIPLY(bend, bend)))
    return ADD(bend, steep)


MISH = activation(
    "mish", lambda xp, x: x * xp.tanh(SOFTPLUS.value(xp, x)), _mish_slope, "x", implements=(mish,)
)
LOG_SIGMOID = activation(
    "log_sigmoid",
    lambda xp, x: xp.minimum(x, 0.0) - xp.log1p(xp.exp(-xp.abs(x))),
    lambda y, x: SIGMOID(MULTIPLY(x, -1.0)),
    "x",
    implements=(logsigmoid,),
)

# What is made of other functions


def softsign(x: Any) -> Any:
    """Return x / (1 + |x|)."""
    return x / (np.abs(x) + 1.0)


def tanhshrink(x: Any) -> Any:
    """Return x - tanh(x)."""
    return x - np.tanh(x)


def prelu(input: Any, weight: Any) -> Any:
    """Return input where it is positive, weight times it elsewhere; weight: one, or one for each channel."""
    if len(weight.shape) == 1 and weight.shape[0] > 1:
        weight = np.reshape(weight, (1, -1, *[1] * (len(input.shape) - 2)))
    return np.where(input > 0.0, input, weight * input)


def glu(input: Any, dim: Any = -1) -> Any:
    """Return the first half of an axis times the sigmoid of the second half."""
    size = input.shape[dim]
    if size % 2:
        raise ValueError(f"glu: axis {dim} of {size} elements is not two halves")
    first, second = np.split(input, 2, axis=dim)
    return first * sigmoid(second)


for _function in (softsign, tanhshrink, prelu, glu, relu6):
    translated_as(_function, _function)
