"""torch.nn.functional, with PyTorch's parameters, for programs to be translated with."""
# PyTorch's names

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from checkpoint.errors import refusal
from checkpoint.prims.arrays import prim
from tensorlib.networks.losses import cross_entropy as _cross_entropy

_IN_PLACE = "inplace=True changes the input, which its own gradient needs: leave it out, and use the result"
_OLD = "size_average and reduce are PyTorch's old names: pass reduction="


def refuse_old(size_average: Any, reduce: Any) -> None:
    if size_average is not None or reduce is not None:
        raise refusal(_OLD)


def relu(input: Any, inplace: Any = False) -> Any:
    if inplace:
        raise refusal(_IN_PLACE)
    return prim("tensorlib.relu", input)


def leaky_relu(input: Any, negative_slope: Any = None, inplace: Any = False) -> Any:
    if inplace:
        raise refusal(_IN_PLACE)
    if negative_slope is None:  # a number of the program's may be differentiated, this one need not
        return prim("tensorlib.leaky_relu", input, 0.01)
    return prim("tensorlib.leaky_relu", input, negative_slope)


def silu(input: Any, inplace: Any = False) -> Any:
    if inplace:
        raise refusal(_IN_PLACE)
    return prim("tensorlib.silu", input)


def gelu(input: Any, *, approximate: Any = "none") -> Any:
    return prim("tensorlib.gelu", input, approximate)


def sigmoid(input: Any) -> Any:
    return prim("tensorlib.sigmoid", input)


def erf(input: Any) -> Any:
    return prim("tensorlib.erf", input)


def softplus(input: Any, beta: Any = 1, threshold: Any = 20) -> Any:
    return prim("tensorlib.softplus", input, beta, threshold)


def embedding(
    input: Any,
    weight: Any,
    padding_idx: Any = None,
    max_norm: Any = None,
    norm_type: Any = 2.0,
    scale_grad_by_freq: Any = False,
    sparse: Any = False,
) -> Any:
    if max_norm is not None or scale_grad_by_freq or sparse:
        raise refusal("embedding: max_norm, scale_grad_by_freq and sparse have no rule: leave them out")
    return prim("tensorlib.embedding", input, weight, padding_idx)


def mse_loss(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: Any = "mean",
    weight: Any = None,
) -> Any:
    refuse_old(size_average, reduce)
    if weight is not None:
        raise refusal("mse_loss with weights has no rule: write (weight * (input - target) ** 2).mean()")
    return prim("tensorlib.mse_loss", input, target, reduction)


def nll_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: Any = -100,
    reduce: Any = None,
    reduction: Any = "mean",
) -> Any:
    refuse_old(size_average, reduce)
    return prim("tensorlib.nll_loss", input, target, weight, ignore_index, reduction)


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: Any = -100,
    reduce: Any = None,
    reduction: Any = "mean",
    label_smoothing: Any = 0.0,
) -> Any:
    refuse_old(size_average, reduce)
    return _cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: Any = 0.0,
    is_causal: Any = False,
    scale: Any = None,
    enable_gqa: Any = False,
) -> Any:
    if enable_gqa:
        raise refusal("enable_gqa has no rule: repeat the heads of key and value")
    if dropout_p != 0.0:
        rows = torch.diag_embed(np.ones_like(key[..., 0]))  # the identity: what is returned are the shares
        shares = scaled_dot_product_attention(query, key, rows, attn_mask, 0.0, is_causal, scale)
        return np.matmul(torch.nn.functional.dropout(shares, dropout_p), value)
    return prim(
        "tensorlib.scaled_dot_product_attention",
        query,
        key,
        value,
        attn_mask,
        dropout_p,
        is_causal,
        scale,
    )
