"""PyTorch's own functions of networks, and those by which its autograd reverses them.

They are found by their names (checkpoint.ad.array_library.kernel). So values and gradients are PyTorch's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch.nn import functional

_ATEN = torch.ops.aten
_RELU_BACKWARD = _ATEN.threshold_backward.default
_GROUP_NORM_BACKWARD = _ATEN.native_group_norm_backward.default
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}

# Products that are zero beside zeros


def zero_beside_zero(product: Any, g: Any) -> Any:
    return product.masked_fill_(torch.logical_not(g), 0.0)


def sqrt_vjp(g: Any, y: Any, x: Any) -> Any:
    """Return g * (0.5 / y), zero beside zeros; 2 y is exact, so the bits are those of its reciprocal."""
    slope = 0.5 / y if y.is_complex() else torch.add(y, y).reciprocal_()
    return zero_beside_zero(slope.mul_(g), g)


# Activations

relu, sigmoid, erf = torch.relu, torch.sigmoid, torch.erf
leaky_relu, silu, softplus = functional.leaky_relu, functional.silu, functional.softplus


def gelu(x: Any, approximate: str = "none") -> Any:
    return functional.gelu(x, approximate=approximate)


def relu_vjp(g: Any, y: Any, x: Any) -> Any:
    return _RELU_BACKWARD(g, y, 0)


def leaky_relu_vjp(g: Any, y: Any, x: Any, negative_slope: float = 0.01) -> Any:
    return _ATEN.leaky_relu_backward(g, x, negative_slope, False)


def sigmoid_vjp(g: Any, y: Any, x: Any) -> Any:
    return _ATEN.sigmoid_backward(g, y)


def silu_vjp(g: Any, y: Any, x: Any) -> Any:
    return _ATEN.silu_backward(g, x)


def softplus_vjp(g: Any, y: Any, x: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    return _ATEN.softplus_backward(g, x, beta, threshold)


def gelu_vjp(g: Any, y: Any, x: Any, approximate: str = "none") -> Any:
    return _ATEN.gelu_backward(g, x, approximate=approximate)


def softmax(x: Any, axis: Any) -> Any:
    return torch.softmax(x, axis)


def log_softmax(x: Any, axis: Any) -> Any:
    return torch.log_softmax(x, axis)


def softmax_vjp(g: Any, y: Any, axis: Any) -> Any:
    return _ATEN._softmax_backward_data(g, y, axis, y.dtype)


def log_softmax_vjp(g: Any, y: Any, axis: Any) -> Any:
    return _ATEN._log_softmax_backward_data(g, y, axis, y.dtype)


# Layers

linear = functional.linear


def embedding_vjp(g: Any, indices: Any, rows: int, padding: int | None) -> Any:
    at = -1 if padding is None else padding % rows
    return _ATEN.embedding_dense_backward(g, indices, rows, at, False)


def layer_norm(x: Any, shape: Sequence[int], weight: Any, bias: Any, eps: float) -> Any:
    return torch.native_layer_norm(x, shape, weight, bias, eps)


def layer_norm_pull(
    g: Any, x: Any, shape: Sequence[int], mean: Any, rstd: Any, weight: Any, wanted: list[bool]
) -> Any:
    bias = weight  # only whether there is one matters
    return _ATEN.native_layer_norm_backward(g, x, shape, mean, rstd, weight, bias, wanted)


def _groups(x: Any) -> tuple[int, int, int]:
    n, channels, *places = x.shape
    return n, channels, math.prod(places)


def group_norm(x: Any, groups: int, weight: Any, bias: Any, eps: float) -> Any:
    x = x.contiguous()
    return torch.native_group_norm(x, weight, bias, *_groups(x), groups, eps)


def group_norm_pull(
    g: Any, x: Any, groups: int, mean: Any, rstd: Any, weight: Any, wanted: list[bool]
) -> Any:
    g, x = g.contiguous(), x.contiguous()
    return _GROUP_NORM_BACKWARD(g, x, mean, rstd, weight, *_groups(x), groups, wanted)


# Losses


def mse_loss(x: Any, target: Any, reduction: str) -> Any:
    return functional.mse_loss(x, target, reduction=reduction)


def mse_loss_vjp(g: Any, x: Any, target: Any, reduction: str) -> Any:
    return _ATEN.mse_loss_backward(g, x, target, REDUCTIONS[reduction])


def nll_loss(x: Any, target: Any, weight: Any, ignored: int, reduction: str) -> Any:
    """Return the value, and the sum of the weights that count."""
    if x.dim() <= 2:
        return _ATEN.nll_loss_forward(x, target, weight, REDUCTIONS[reduction], ignored)
    flat, labels = _as_images(x.shape)
    y, total = _ATEN.nll_loss2d_forward(
        x.reshape(flat), target.reshape(labels), weight, REDUCTIONS[reduction], ignored
    )
    return (y.reshape(target.shape) if reduction == "none" else y), total


def nll_loss_vjp(
    g: Any, shape: Sequence[int], target: Any, weight: Any, ignored: int, reduction: str, total: Any
) -> Any:
    like, how = g.new_empty(shape), REDUCTIONS[reduction]
    if len(shape) <= 2:
        return _ATEN.nll_loss_backward(g, like, target, weight, how, ignored, total)
    flat, labels = _as_images(shape)
    given = g.reshape(labels) if reduction == "none" else g
    like, target = like.reshape(flat), target.reshape(labels)
    return _ATEN.nll_loss2d_backward(given, like, target, weight, how, ignored, total).reshape(shape)


def _as_images(shape: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shapes of logarithms and labels with all axes of places as one, as PyTorch has them."""
    n, classes, *places = shape
    return (n, classes, 1, math.prod(places)), (n, 1, math.prod(places))


# Attention


def positions(count: int, like: Any) -> Any:
    """Return 0, 1, ... where a tensor is."""
    return torch.arange(count, device=like.device)


_FLASH = 1  # what _fused_sdp_choice returns for the kernel without a matrix of all pairs


def attention(query: Any, key: Any, value: Any, mask: Any, causal: bool, scale: float | None) -> Any:
    """Return the value, and as residuals (shares, None) or (None, logsumexp), whichever PyTorch computes.

    A mask of floats may be differentiated, for which PyTorch has no other way than by the shares.
    """
    alone = mask is None or mask.dtype == torch.bool
    mask = _added(mask, query)
    chosen = torch._fused_sdp_choice(query, key, value, mask, 0.0, causal, scale=scale) if alone else 0
    if chosen == _FLASH and query.dim() == key.dim() == value.dim() == 4 and query.device.type == "cpu":
        flash = _ATEN._scaled_dot_product_flash_attention_for_cpu
        y, logsumexp = flash(query, key, value, 0.0, causal, attn_mask=mask, scale=scale)
        return y, None, logsumexp
    y, shares = torch._scaled_dot_product_attention_math(query, key, value, mask, 0.0, causal, scale=scale)
    return y, shares, None


def _added(mask: Any, like: Any) -> Any:
    """Return a mask of booleans as what is added to the scores."""
    if mask is None or mask.dtype != torch.bool:
        return mask
    return torch.zeros_like(mask, dtype=like.dtype).masked_fill_(~mask, -math.inf)


def attention_pull(
    g: Any,
    y: Any,
    shares: Any,
    logsumexp: Any,
    query: Any,
    key: Any,
    value: Any,
    mask: Any,
    causal: bool,
    scale: float | None,
) -> Any:
    """Return the cotangents of query, key and value; None without a kernel for it."""
    if logsumexp is None:
        return None
    flash = _ATEN._scaled_dot_product_flash_attention_for_cpu_backward
    added = _added(mask, query)
    return flash(g, query, key, value, y, logsumexp, 0.0, causal, attn_mask=added, scale=scale)
