"""Activations: functions element by element with one slope, a composition of records.

Where a library has a kernel of the name, the value is that kernel's; cotangents are those of the kernel
`NAME_vjp`(g, y, x, *parameters).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from checkpoint.ad.array_library import kernel, namespace
from checkpoint.ad.pullbacks import RESULT
from checkpoint.ad.tensors import Tensor
from checkpoint.prims.arrays import parameters_of, tensor
from checkpoint.scalars import special
from tensorlib.elementwise.comparison import GREATER
from tensorlib.elementwise.formulas import loop_of
from tensorlib.elementwise.pointwise import ADD, DIVIDE, MULTIPLY, SUBTRACT
from tensorlib.elementwise.selection import WHERE
from tensorlib.rules import number, real_only, record, sampled, tangent_array, unbroadcast

Rule = Callable[..., Any]
_ERF = loop_of(special.erf)
_NEEDS = {"x": 0, "y": RESULT}


def activation(
    name: str,
    value: Rule,
    slope: Rule,
    reads: str,
    *parameters: Any,
    by: tuple[Rule, ...] = (),
    **fields: Any,
) -> Tensor:
    """Register an activation.

    value(xp, x, *parameters). slope(y, x, *parameters): the derivative, made of records. reads: which of x
    and y it reads. parameters: others than the default ones, of a further sample. by: the derivatives by the
    first of them, of the same operands.
    """
    rest = parameters_of(value)[0] - 2
    vjp_kernel = f"{name}_vjp"

    def vjp(xp: Any, g: Any, y: Any, x: Any, *given: Any) -> Any:
        own = kernel(xp, vjp_kernel)
        if own is not None:
            return own(g, y, x, *given)
        return unbroadcast(xp, g * slope(y, x, *given), x)

    def jvp(t: Any, y: Any, x: Any, *given: Any) -> Any:
        return number(MULTIPLY(tangent_array(t), slope(y, x, *given)))

    given = range(1, 1 + rest)  # the parameters, of which each may be an array without axes
    rules = [_by_parameter(i, rule) for i, rule in enumerate(by)] + [(None, None)] * (rest - len(by))
    base = sampled((-2.5, 2.5))
    return tensor(
        f"tensorlib.{name}",
        _by_kernel(name, value),
        vjps=(vjp, *[pull for pull, _ in rules]),
        jvps=(jvp, *[push for _, push in rules]),
        needs=((*[_NEEDS[letter] for letter in reads], *given), *[(0, *given, RESULT)] * rest),
        shape="that of the array",
        samples=lambda rng: [
            *base(rng),
            *([(base(rng)[0][0], *parameters)] if parameters else []),
        ],
        **fields,
    )


def _by_parameter(position: int, by: Rule) -> tuple[Rule | None, Rule | None]:
    """Return the rules for the cotangent and the tangent of a parameter, by the derivative by it."""

    def pull(xp: Any, g: Any, y: Any, x: Any, *given: Any) -> Any:
        return unbroadcast(xp, g * by(y, x, *given), given[position])

    def push(t: Any, y: Any, x: Any, *given: Any) -> Any:
        return number(MULTIPLY(by(y, x, *given), t))

    return pull, push


def _by_kernel(name: str, value: Rule) -> Rule:
    """Return the value by the library's own kernel, if it has one of the name."""

    def found(xp: Any, x: Any, *given: Any) -> Any:
        real_only(name, x)
        own = kernel(xp, name)
        return value(xp, x, *given) if own is None else own(x, *given)

    found.__wrapped__ = value  # type: ignore[attr-defined]  # which has its parameters
    return found


# The functions as users call them


def relu(x: Any) -> Any:
    """Return x where it is positive, 0 elsewhere."""
    return RELU.value(namespace((x,)), x)


def leaky_relu(x: Any, negative_slope: float = 0.01) -> Any:
    """Return x where it is positive, negative_slope times x elsewhere."""
    return LEAKY_RELU.value(namespace((x,)), x, negative_slope)


def sigmoid(x: Any) -> Any:
    """Return 1 / (1 + exp(-x))."""
    return SIGMOID.value(namespace((x,)), x)


def silu(x: Any) -> Any:
    """Return x times its sigmoid."""
    return SILU.value(namespace((x,)), x)


def softplus(x: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """Return log(1 + exp(beta x)) / beta; x itself where beta x is greater than the threshold."""
    return SOFTPLUS.value(namespace((x,)), x, beta, threshold)


def gelu(x: Any, approximate: str = "none") -> Any:
    """Return x times the normal distribution of x; approximate="tanh": its approximation by tanh."""
    return GELU.value(namespace((x,)), x, approximate)


def erf(x: Any) -> Any:
    """Return the error function of x."""
    return ERF.value(namespace((x,)), x)


# Their records

RELU = activation(
    "relu",
    lambda xp, x: xp.maximum(x, 0.0),
    lambda y, x: WHERE(GREATER(y, 0.0), 1.0, 0.0),
    "y",
    implements=(relu,),
    convention="0 at 0",
)
LEAKY_RELU = activation(
    "leaky_relu",
    lambda xp, x, negative_slope=0.01: xp.where(x > 0.0, x, x * negative_slope),
    lambda y, x, negative_slope=0.01: WHERE(GREATER(x, 0.0), 1.0, negative_slope),
    "x",
    0.2,
    by=(lambda y, x, negative_slope: WHERE(GREATER(x, 0.0), 0.0, x),),
    implements=(leaky_relu,),
    convention="negative_slope at 0",
)


def _sigmoid(xp: Any, x: Any) -> Any:
    small = xp.exp(-xp.abs(x))  # no overflow
    return xp.where(x >= 0.0, 1.0 / (1.0 + small), small / (1.0 + small))[()]


SIGMOID = activation(
    "sigmoid",
    _sigmoid,
    lambda y, x: MULTIPLY(y, SUBTRACT(1.0, y)),
    "y",
    implements=(sigmoid,),
)


def _silu_slope(y: Any, x: Any) -> Any:
    s = SIGMOID(x)
    return MULTIPLY(s, ADD(1.0, MULTIPLY(x, SUBTRACT(1.0, s))))


SILU = activation("silu", lambda xp, x: x * SIGMOID.value(xp, x), _silu_slope, "x", implements=(silu,))


def _softplus(xp: Any, x: Any, beta: Any = 1.0, threshold: Any = 20.0) -> Any:
    scaled = x * beta
    low = xp.minimum(scaled, threshold)  # no overflow where x itself is taken
    return xp.where(scaled > threshold, x, xp.log1p(xp.exp(low)) / beta)[()]


def _by_beta(y: Any, x: Any, beta: Any, threshold: Any = 20.0) -> Any:
    scaled = MULTIPLY(x, beta)
    bent = DIVIDE(SUBTRACT(MULTIPLY(x, SIGMOID(scaled)), y), beta)
    return WHERE(GREATER(scaled, threshold), 0.0, bent)


SOFTPLUS = activation(
    "softplus",
    _softplus,
    lambda y, x, beta=1.0, threshold=20.0: WHERE(
        GREATER(MULTIPLY(x, beta), threshold), 1.0, SIGMOID(MULTIPLY(x, beta))
    ),
    "x",
    2.0,
    3.0,
    by=(_by_beta,),
    implements=(softplus,),
    convention="beyond the threshold that of x",
)

_OF_TANH = math.sqrt(2.0 / math.pi)


ERF = activation(
    "erf",
    _ERF,
    lambda y, x: MULTIPLY(2.0 / math.sqrt(math.pi), record("np.exp")(MULTIPLY(-1.0, MULTIPLY(x, x)))),
    "x",
    implements=(erf,),
)


def _gelu(xp: Any, x: Any, approximate: Any = "none") -> Any:
    _check_approximation(approximate)
    if approximate == "tanh":
        return 0.5 * x * (1.0 + xp.tanh(_OF_TANH * (x + 0.044715 * x * x * x)))
    return 0.5 * x * (1.0 + ERF.value(xp, x * math.sqrt(0.5)))


def _check_approximation(approximate: Any) -> None:
    if approximate not in ("none", "tanh"):
        raise ValueError(f'gelu: approximate must be "none" or "tanh", not {approximate!r}')


def _gelu_slope(y: Any, x: Any, approximate: Any = "none") -> Any:
    if approximate == "tanh":
        cube = MULTIPLY(MULTIPLY(x, x), x)
        bend = record("np.tanh")(MULTIPLY(_OF_TANH, ADD(x, MULTIPLY(0.044715, cube))))
        rise = MULTIPLY(_OF_TANH, ADD(1.0, MULTIPLY(3.0 * 0.044715, MULTIPLY(x, x))))
        steep = MULTIPLY(MULTIPLY(x, SUBTRACT(1.0, MULTIPLY(bend, bend))), rise)
        return MULTIPLY(0.5, ADD(ADD(1.0, bend), steep))
    below = MULTIPLY(0.5, ADD(1.0, ERF(MULTIPLY(x, math.sqrt(0.5)))))
    bell = DIVIDE(record("np.exp")(MULTIPLY(-0.5, MULTIPLY(x, x))), math.sqrt(2.0 * math.pi))
    return ADD(below, MULTIPLY(x, bell))


GELU = activation("gelu", _gelu, _gelu_slope, "x", "tanh", implements=(gelu,))
