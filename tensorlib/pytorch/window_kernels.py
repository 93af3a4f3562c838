"""PyTorch's own functions of windows: convolutions, pools, and normalisation by batch, and their reverse.

They are found by their names, as those of tensorlib.pytorch.kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn import functional

_ATEN = torch.ops.aten


def _tensor_of(like: Any, beside: Any) -> Any:
    """Return a tensor; of the form of one, whose elements are not read, one without elements set."""
    if isinstance(like, torch.Tensor):
        return like
    return torch.empty(like.shape, dtype=like.dtype, device=beside.device)


# Convolutions


convolution = torch.convolution
_CONVOLUTION_BACKWARD = _ATEN.convolution_backward.default


def convolution_pull(g: Any, input: Any, weight: Any, *rest: Any) -> Any:
    *how, wanted = rest
    outputs = [g.shape[1]] if wanted[2] else None
    return _CONVOLUTION_BACKWARD(g, _tensor_of(input, g), _tensor_of(weight, g), outputs, *how, wanted)


# Pools; those of one axis are PyTorch's own of two, the first of size 1


def _in_two(x: Any) -> Any:
    return x.unsqueeze(-2)


def _wide(sizes: Sequence[int], first: int) -> list[int]:
    return [first, *sizes]


def max_pool(
    x: Any,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    up: bool,
) -> tuple[Any, Any]:
    """Return the values, and the places of each in its plane."""
    if len(kernel) == 1:
        y, places = _ATEN.max_pool2d_with_indices(
            _in_two(x), _wide(kernel, 1), _wide(stride, 1), _wide(padding, 0), _wide(dilation, 1), up
        )
        return y.squeeze(-2), places.squeeze(-2)
    function = _ATEN.max_pool2d_with_indices if len(kernel) == 2 else _ATEN.max_pool3d_with_indices
    y, places = function(x, kernel, stride, padding, dilation, up)
    return y, places


def max_pool_vjp(
    g: Any,
    x: Any,
    places: Any,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    up: bool,
) -> Any:
    x = _tensor_of(x, g)
    if len(kernel) == 1:
        sizes = _wide(kernel, 1), _wide(stride, 1), _wide(padding, 0), _wide(dilation, 1)
        found = _ATEN.max_pool2d_with_indices_backward(_in_two(g), _in_two(x), *sizes, up, _in_two(places))
        return found.squeeze(-2)
    two = len(kernel) == 2
    function = _ATEN.max_pool2d_with_indices_backward if two else _ATEN.max_pool3d_with_indices_backward
    return function(g, x, kernel, stride, padding, dilation, up, places)


def avg_pool(
    x: Any,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    up: bool,
    padded: bool,
    divisor: int | None,
) -> Any:
    if len(kernel) == 1:
        sizes = _wide(kernel, 1), _wide(stride, 1), _wide(padding, 0)
        return _ATEN.avg_pool2d(_in_two(x), *sizes, up, padded, divisor).squeeze(-2)
    function = _ATEN.avg_pool2d if len(kernel) == 2 else _ATEN.avg_pool3d
    return function(x, kernel, stride, padding, up, padded, divisor)


def avg_pool_vjp(
    g: Any,
    x: Any,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    up: bool,
    padded: bool,
    divisor: int | None,
) -> Any:
    x = _tensor_of(x, g)
    if len(kernel) == 1:
        sizes = _wide(kernel, 1), _wide(stride, 1), _wide(padding, 0)
        found = _ATEN.avg_pool2d_backward(_in_two(g), _in_two(x), *sizes, up, padded, divisor)
        return found.squeeze(-2)
    function = _ATEN.avg_pool2d_backward if len(kernel) == 2 else _ATEN.avg_pool3d_backward
    return function(g, x, kernel, stride, padding, up, padded, divisor)


def unfold(x: Any, *sizes: Any) -> Any:
    return _ATEN.im2col(x, *sizes)


def fold(x: Any, *sizes: Any) -> Any:
    return _ATEN.col2im(x, *sizes)


def adaptive_max_pool(x: Any, size: Sequence[int]) -> tuple[Any, Any]:
    """Return the values, and the places of each in its plane."""
    if len(size) == 1:
        y, places = _ATEN.adaptive_max_pool2d(_in_two(x), _wide(size, 1))
        return y.squeeze(-2), places.squeeze(-2)
    y, places = (_ATEN.adaptive_max_pool2d if len(size) == 2 else _ATEN.adaptive_max_pool3d)(x, size)
    return y, places


def adaptive_max_pool_vjp(g: Any, x: Any, places: Any, size: Sequence[int]) -> Any:
    x = _tensor_of(x, g)
    if len(size) == 1:
        back = _ATEN.adaptive_max_pool2d_backward
        return back(_in_two(g), _in_two(x), _in_two(places)).squeeze(-2)
    two = len(size) == 2
    return (_ATEN.adaptive_max_pool2d_backward if two else _ATEN.adaptive_max_pool3d_backward)(g, x, places)


# Normalisation by batch


def batch_norm(x: Any, weight: Any, bias: Any, mean: Any, var: Any, training: bool, eps: float) -> Any:
    """Return the value, and the mean and the reciprocal of the deviation where they are of the batch."""
    return _ATEN.native_batch_norm(x, weight, bias, mean, var, training, 0.0, eps)


def batch_norm_pull(
    g: Any,
    x: Any,
    weight: Any,
    mean: Any,
    var: Any,
    saved: Any,
    training: bool,
    eps: float,
    wanted: list[bool],
) -> Any:
    x = _tensor_of(x, g)
    return _ATEN.native_batch_norm_backward(g, x, weight, mean, var, *saved, training, eps, wanted)


# Functions that are linear in their only tensor are reversed as PyTorch's autograd does it


def resample(x: Any, mode: str, size: Sequence[int], corners: bool | None) -> Any:
    if mode == "adaptive":
        return getattr(functional, f"adaptive_avg_pool{len(size)}d")(x, size)
    return functional.interpolate(x, size, mode=mode, align_corners=corners)


def _reversed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the rule for the cotangent of a function that is linear in its first operand."""

    def vjp(g: Any, x: Any, *rest: Any) -> Any:
        with torch.inference_mode(mode=False), torch.enable_grad():
            leaf = torch.zeros(x.shape, dtype=x.dtype, device=g.device, requires_grad=True)
            (found,) = torch.autograd.grad(function(leaf, *rest), leaf, g)
        return found

    return vjp


resample_vjp = _reversed(resample)
