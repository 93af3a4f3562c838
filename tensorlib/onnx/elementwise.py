"""Operators element by element: arithmetic, comparisons, elementary functions, activations."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.errors import refusal
from checkpoint.prims.arrays import onnx_operator
from tensorlib.layout.transfer import cast, is_real
from tensorlib.networks.activations import erf, gelu, leaky_relu, relu, sigmoid, silu, softplus

for _name, _function in {
    "Abs": np.abs,
    "Acos": np.arccos,
    "Acosh": np.arccosh,
    "Add": np.add,
    "And": np.logical_and,
    "Asin": np.arcsin,
    "Asinh": np.arcsinh,
    "Atan": np.arctan,
    "Atanh": np.arctanh,
    "BitwiseAnd": np.bitwise_and,
    "BitwiseNot": np.invert,
    "BitwiseOr": np.bitwise_or,
    "BitwiseXor": np.bitwise_xor,
    "Ceil": np.ceil,
    "Cos": np.cos,
    "Cosh": np.cosh,
    "Equal": np.equal,
    "Exp": np.exp,
    "Floor": np.floor,
    "Greater": np.greater,
    "GreaterOrEqual": np.greater_equal,
    "IsNaN": np.isnan,
    "Less": np.less,
    "LessOrEqual": np.less_equal,
    "Log": np.log,
    "Mul": np.multiply,
    "Neg": np.negative,
    "Not": np.logical_not,
    "Or": np.logical_or,
    "Reciprocal": np.reciprocal,
    "Round": np.rint,
    "Sign": np.sign,
    "Sin": np.sin,
    "Sinh": np.sinh,
    "Sqrt": np.sqrt,
    "Sub": np.subtract,
    "Tan": np.tan,
    "Tanh": np.tanh,
    "Xor": np.logical_xor,
}.items():
    onnx_operator(_name)(_function)

for _name, _activation in {"Relu": relu, "Sigmoid": sigmoid, "Erf": erf, "Softplus": softplus}.items():
    onnx_operator(_name)(_activation)


@onnx_operator("Div")
def divide(a: Any, b: Any) -> Any:
    """Return a / b; of integers, without the fraction."""
    if is_real(a):
        return np.divide(a, b)
    quotient = np.floor_divide(np.abs(a), np.abs(b))
    return quotient * np.sign(a) * np.sign(b)


@onnx_operator("Pow")
def power(x: Any, exponent: Any) -> Any:
    """Return x to the power, of the type of x."""
    if is_real(x) == is_real(exponent):
        return np.power(x, exponent)
    if is_real(x):
        return np.power(x, cast(exponent, x))
    return cast(np.power(cast(x, exponent), exponent), x)


@onnx_operator("Mod")
def modulo(a: Any, b: Any, *, fmod: Any = 0) -> Any:
    """Return the rest of a / b, with the sign of b; with fmod that of a."""
    return np.fmod(a, b) if fmod else np.remainder(a, b)


@onnx_operator("Identity")
def identity(x: Any) -> Any:
    """Return x."""
    return x


@onnx_operator("Where")
def where(condition: Any, x: Any, y: Any) -> Any:
    """Return x where the condition holds, y elsewhere."""
    return np.where(condition, x, y)


@onnx_operator("Clip", since=11)
def clip(x: Any, low: Any = None, high: Any = None) -> Any:
    """Return x within the bounds that there are."""
    if low is not None:
        x = np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


@onnx_operator("Clip", until=10)
def clip_by_attributes(x: Any, *, min: Any = None, max: Any = None) -> Any:
    """Return x within the bounds that there are."""
    return clip(x, min, max)


@onnx_operator("Max")
def greatest(*xs: Any) -> Any:
    """Return the largest of the arrays, element by element."""
    found = xs[0]
    for x in xs[1:]:
        found = np.maximum(found, x)
    return found


@onnx_operator("Min")
def least(*xs: Any) -> Any:
    """Return the smallest of the arrays, element by element."""
    found = xs[0]
    for x in xs[1:]:
        found = np.minimum(found, x)
    return found


@onnx_operator("Sum")
def total(*xs: Any) -> Any:
    """Return the sum of the arrays."""
    found = xs[0]
    for x in xs[1:]:
        found = found + x
    return found


@onnx_operator("Mean")
def mean(*xs: Any) -> Any:
    """Return the mean of the arrays."""
    return total(*xs) / len(xs)


@onnx_operator("IsInf")
def is_infinite(x: Any, *, detect_negative: Any = 1, detect_positive: Any = 1) -> Any:
    """Return where x is infinite, of the signs that count."""
    found = np.isinf(x)
    if not detect_negative:
        found = np.logical_and(found, np.greater(x, 0.0))
    return found if detect_positive else np.logical_and(found, np.less(x, 0.0))


# Activations


@onnx_operator("LeakyRelu")
def leaky(x: Any, *, alpha: Any = 0.01) -> Any:
    """Return x where it is positive, alpha x elsewhere."""
    return leaky_relu(x, alpha)


@onnx_operator("PRelu")
def prelu(x: Any, slope: Any) -> Any:
    """Return x where it is positive, slope times x elsewhere."""
    return np.where(np.less(x, 0.0), x * slope, x)


@onnx_operator("ThresholdedRelu")
def thresholded_relu(x: Any, *, alpha: Any = 1.0) -> Any:
    """Return x where it is greater than alpha, 0 elsewhere."""
    return np.where(np.greater(x, alpha), x, 0.0 * x)


@onnx_operator("Elu")
def elu(x: Any, *, alpha: Any = 1.0) -> Any:
    """Return x where it is positive, alpha (exp(x) - 1) elsewhere."""
    return np.where(np.less(x, 0.0), alpha * np.expm1(np.minimum(x, 0.0)), x)


@onnx_operator("Celu")
def celu(x: Any, *, alpha: Any = 1.0) -> Any:
    """Return x where it is positive, alpha (exp(x / alpha) - 1) elsewhere."""
    return np.maximum(x, 0.0) + np.minimum(alpha * np.expm1(np.minimum(x, 0.0) / alpha), 0.0)


@onnx_operator("Selu")
def selu(x: Any, *, alpha: Any = 1.67326319217681884765625, gamma: Any = 1.05070102214813232421875) -> Any:
    """Return gamma times x where it is positive, gamma alpha (exp(x) - 1) elsewhere."""
    return gamma * np.where(np.greater(x, 0.0), x, alpha * np.expm1(np.minimum(x, 0.0)))


@onnx_operator("HardSigmoid")
def hard_sigmoid(x: Any, *, alpha: Any = 0.2, beta: Any = 0.5) -> Any:
    """Return alpha x + beta, from 0 to 1."""
    return np.minimum(np.maximum(alpha * x + beta, 0.0), 1.0)


@onnx_operator("HardSwish")
def hard_swish(x: Any) -> Any:
    """Return x times a sixth of x + 3, from 0 to 1."""
    return x * hard_sigmoid(x, alpha=1.0 / 6.0, beta=0.5)


@onnx_operator("Softsign")
def softsign(x: Any) -> Any:
    """Return x / (1 + |x|)."""
    return x / (1.0 + np.abs(x))


@onnx_operator("Mish")
def mish(x: Any) -> Any:
    """Return x tanh(log(1 + exp(x)))."""
    return x * np.tanh(softplus(x))


@onnx_operator("Swish")
def swish(x: Any, *, alpha: Any = 1.0) -> Any:
    """Return x times the sigmoid of alpha x."""
    return silu(x) if alpha == 1.0 else x * sigmoid(alpha * x)


@onnx_operator("Gelu")
def gelu_of(x: Any, *, approximate: Any = "none") -> Any:
    """Return x times the normal distribution of x, or its approximation by tanh."""
    return gelu(x, approximate)


@onnx_operator("Shrink")
def shrink(x: Any, *, bias: Any = 0.0, lambd: Any = 0.5) -> Any:
    """Return x nearer to 0 by bias; 0 where it is within lambd."""
    below = np.where(np.less(x, -lambd), x + bias, 0.0 * x)
    return np.where(np.greater(x, lambd), x - bias, below)


# Types of elements

# By the numbers that TensorProto.DataType gives them.
_DTYPES = {
    1: "float32",
    2: "uint8",
    3: "int8",
    4: "uint16",
    5: "int16",
    6: "int32",
    7: "int64",
    9: "bool",
    10: "float16",
    11: "float64",
    12: "uint32",
    13: "uint64",
    16: "bfloat16",
}


def dtype_name(number: Any) -> Any:
    """Return the name of a type of elements by ONNX's number of it."""
    if number not in _DTYPES:
        raise refusal(f"elements of ONNX's type {number} have no arrays here")
    return _DTYPES[number]


@onnx_operator("Cast")
def cast_to(x: Any, *, to: Any, saturate: Any = 1, round_mode: Any = "up") -> Any:
    """Return x with elements of another type."""
    return cast(x, dtype_name(to))


@onnx_operator("CastLike")
def cast_like(x: Any, other: Any, *, saturate: Any = 1, round_mode: Any = "up") -> Any:
    """Return x with elements of the type of another array."""
    return cast(x, other)


# Without random numbers


@onnx_operator("Dropout", until=11)
def dropout_by_attributes(x: Any, *, outputs: Any, ratio: Any = 0.5, is_test: Any = 1) -> Any:
    """Return x, and that all of it is kept."""
    return (x, np.equal(x, x))[:outputs]


@onnx_operator("Dropout", since=12)
def dropout(
    x: Any,
    ratio: Any = None,
    training: Any = None,
    *,
    outputs: Any,
    seed: Any = None,
) -> Any:
    """Return x, and that all of it is kept; raise ValueError in training, which would draw random numbers."""
    if training is not None and bool(training):
        raise refusal(
            "Dropout in training draws hidden random numbers: export the model for inference, and drop by "
            "tensorlib.networks.dropout(x, p, key) before or after it"
        )
    return (x, np.equal(x, x))[:outputs]
