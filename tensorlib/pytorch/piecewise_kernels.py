"""PyTorch's own kernels of piecewise activations, and those by which its autograd reverses them."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

from tensorlib.pytorch.kernels import REDUCTIONS

_ATEN = torch.ops.aten
elu, celu, selu, hardtanh = functional.elu, functional.celu, functional.selu, functional.hardtanh
mish = functional.mish
hardshrink, softshrink, log_sigmoid = functional.hardshrink, functional.softshrink, functional.logsigmoid
_SCALE, _ALPHA = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717  # of selu


def threshold(x: Any, threshold: float = 0.0, value: float = 0.0) -> Any:
    return functional.threshold(x, threshold, value)


def elu_vjp(g: Any, y: Any, x: Any, alpha: float = 1.0) -> Any:
    return _ATEN.elu_backward(g, alpha, 1.0, 1.0, False, x)


def celu_vjp(g: Any, y: Any, x: Any, alpha: float = 1.0) -> Any:
    return _ATEN.elu_backward(g, alpha, 1.0, 1.0 / alpha, False, x)


def selu_vjp(g: Any, y: Any, x: Any) -> Any:
    return _ATEN.elu_backward(g, _ALPHA, _SCALE, 1.0, False, x)


def hardtanh_vjp(g: Any, y: Any, x: Any, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    return _ATEN.hardtanh_backward(g, x, min_val, max_val)


# PyTorch rounds 1 / 6 to single precision, also for double precision: there it is exact here


def hardsigmoid(x: Any) -> Any:
    return (x + 3.0).clamp_(0.0, 6.0).div_(6.0) if x.dtype == torch.float64 else functional.hardsigmoid(x)


def hardsigmoid_vjp(g: Any, y: Any, x: Any) -> Any:
    if g.dtype == torch.float64:
        return torch.where((x > -3.0) & (x < 3.0), g / 6.0, 0.0)
    return _ATEN.hardsigmoid_backward(g, x)


def hardswish(x: Any) -> Any:
    return (
        (x + 3.0).clamp_(0.0, 6.0).mul_(x).div_(6.0) if x.dtype == torch.float64 else functional.hardswish(x)
    )


def hardswish_vjp(g: Any, y: Any, x: Any) -> Any:
    return _ATEN.hardswish_backward(g, x)


def hardshrink_vjp(g: Any, y: Any, x: Any, lambd: float = 0.5) -> Any:
    return _ATEN.hardshrink_backward(g, x, lambd)


def softshrink_vjp(g: Any, y: Any, x: Any, lambd: float = 0.5) -> Any:
    return _ATEN.softshrink_backward(g, x, lambd)


def threshold_vjp(g: Any, y: Any, x: Any, threshold: float = 0.0, value: float = 0.0) -> Any:
    return _ATEN.threshold_backward(g, x, threshold)


def mish_vjp(g: Any, y: Any, x: Any) -> Any:
    return _ATEN.mish_backward(g, x)


def log_sigmoid_vjp(g: Any, y: Any, x: Any) -> Any:
    return _ATEN.log_sigmoid_backward(g, x, _ATEN.log_sigmoid_forward(x)[1])


# A loss


def binary_cross_entropy(x: Any, target: Any, weight: Any, reduction: str) -> Any:
    return _ATEN.binary_cross_entropy(x, target, weight, REDUCTIONS[reduction])


def binary_cross_entropy_vjp(g: Any, x: Any, target: Any, weight: Any, reduction: str) -> Any:
    return _ATEN.binary_cross_entropy_backward(g, x, target, weight, REDUCTIONS[reduction])
