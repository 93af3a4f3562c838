"""Activations of torch.nn.functional with PyTorch's parameters, for programs to be translated with."""
# PyTorch's names

from __future__ import annotations

from typing import Any

from checkpoint.errors import refusal
from checkpoint.prims.arrays import prim
from tensorlib.pytorch.networks import _IN_PLACE


def elu(input: Any, alpha: Any = None, inplace: Any = False) -> Any:
    if inplace:
        raise refusal(_IN_PLACE)
    return prim("tensorlib.elu", input, 1.0 if alpha is None else alpha)


def celu(input: Any, alpha: Any = None, inplace: Any = False) -> Any:
    if inplace:
        raise refusal(_IN_PLACE)
    return prim("tensorlib.celu", input, 1.0 if alpha is None else alpha)


def selu(input: Any, inplace: Any = False) -> Any:
    if inplace:
        raise refusal(_IN_PLACE)
    return prim("tensorlib.selu", input)


def hardtanh(input: Any, min_val: Any = None, max_val: Any = None, inplace: Any = False) -> Any:
    if inplace:
        raise refusal(_IN_PLACE)
    low, high = -1.0 if min_val is None else min_val, 1.0 if max_val is None else max_val
    return prim("tensorlib.hardtanh", input, low, high)


def relu6(input: Any, inplace: Any = False) -> Any:
    if inplace:
        raise refusal(_IN_PLACE)
    return prim("tensorlib.hardtanh", input, 0.0, 6.0)


def hardsigmoid(input: Any, inplace: Any = False) -> Any:
    if inplace:
        raise refusal(_IN_PLACE)
    return prim("tensorlib.hardsigmoid", input)


def hardswish(input: Any, inplace: Any = False) -> Any:
    if inplace:
        raise refusal(_IN_PLACE)
    return prim("tensorlib.hardswish", input)


def mish(input: Any, inplace: Any = False) -> Any:
    if inplace:
        raise refusal(_IN_PLACE)
    return prim("tensorlib.mish", input)


def threshold(input: Any, threshold: Any, value: Any, inplace: Any = False) -> Any:
    if inplace:
        raise refusal(_IN_PLACE)
    return prim("tensorlib.threshold", input, threshold, value)


def hardshrink(input: Any, lambd: Any = 0.5) -> Any:
    return prim("tensorlib.hardshrink", input, lambd)


def softshrink(input: Any, lambd: Any = 0.5) -> Any:
    if lambd < 0.0:
        raise ValueError(f"softshrink: lambd must not be negative, not {lambd}")
    return prim("tensorlib.softshrink", input, lambd)


def logsigmoid(input: Any) -> Any:
    return prim("tensorlib.log_sigmoid", input)


def tanh(input: Any) -> Any:
    return prim("np.tanh", input)


NAMES = (
    "elu celu selu hardtanh relu6 hardsigmoid hardswish mish threshold hardshrink softshrink logsigmoid tanh"
)
