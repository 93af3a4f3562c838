"""Attention and transformers of torch.nn: their `forward`, without the fast paths that keep no gradient.

PyTorch takes those only where nothing requires a gradient, so values and gradients here are those of its
ordinary path. Nested tensors, and masks of the fast paths, are none of these.
"""
# PyTorch's names

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from checkpoint.errors import refusal
from checkpoint.prims.arrays import translated_as
from tensorlib.networks.affine import linear
from tensorlib.pytorch.drawing import dropout
from tensorlib.pytorch.functions import softmax
from tensorlib.pytorch.networks import scaled_dot_product_attention


def canonical(mask: Any, name: Any, dtype: Any) -> Any:
    """Return a mask as what is added to scores: -inf where one of booleans is true."""
    if mask is None:
        return None
    if mask.dtype == torch.bool:
        return np.astype(np.where(mask, -math.inf, 0.0), dtype)
    if mask.dtype != dtype:
        raise ValueError(f"{name} is a mask of booleans, or of the dtype of the query, not of {mask.dtype}")
    return mask


def attention(
    self: Any,
    query: Any,
    key: Any,
    value: Any,
    key_padding_mask: Any = None,
    need_weights: Any = True,
    attn_mask: Any = None,
    average_attn_weights: Any = True,
    is_causal: Any = False,
) -> Any:
    """Return what nn.MultiheadAttention.forward does."""
    is_swapped = self.batch_first and len(query.shape) == 3
    if is_swapped:
        query, key, value = np.swapaxes(query, 0, 1), np.swapaxes(key, 0, 1), np.swapaxes(value, 0, 1)
    found, weights = attend(
        query,
        key,
        value,
        self.embed_dim,
        self.num_heads,
        self.in_proj_weight,
        self.in_proj_bias,
        self.bias_k,
        self.bias_v,
        self.add_zero_attn,
        self.dropout,
        self.out_proj.weight,
        self.out_proj.bias,
        training=self.training,
        key_padding_mask=key_padding_mask,
        need_weights=need_weights,
        attn_mask=attn_mask,
        use_separate_proj_weight=not self._qkv_same_embed_dim,
        q_proj_weight=self.q_proj_weight,
        k_proj_weight=self.k_proj_weight,
        v_proj_weight=self.v_proj_weight,
        average_attn_weights=average_attn_weights,
        is_causal=is_causal,
    )
    return (np.swapaxes(found, 0, 1) if is_swapped else found), weights


def attend(
    query: Any,
    key: Any,
    value: Any,
    embed_dim_to_check: Any,
    num_heads: Any,
    in_proj_weight: Any,
    in_proj_bias: Any,
    bias_k: Any,
    bias_v: Any,
    add_zero_attn: Any,
    dropout_p: Any,
    out_proj_weight: Any,
    out_proj_bias: Any,
    training: Any = True,
    key_padding_mask: Any = None,
    need_weights: Any = True,
    attn_mask: Any = None,
    use_separate_proj_weight: Any = False,
    q_proj_weight: Any = None,
    k_proj_weight: Any = None,
    v_proj_weight: Any = None,
    static_k: Any = None,
    static_v: Any = None,
    average_attn_weights: Any = True,
    is_causal: Any = False,
) -> Any:
    """Return what torch.nn.functional.multi_head_attention_forward does."""
    if static_k is not None or static_v is not None:
        raise refusal("multi_head_attention_forward: static_k and static_v have no rule: leave them out")
    if is_causal and attn_mask is None:
        raise ValueError("is_causal says what attn_mask is: pass it, too")
    is_batched = len(query.shape) == 3
    if not is_batched:
        query, key, value = query[:, None], key[:, None], value[:, None]
        key_padding_mask = None if key_padding_mask is None else key_padding_mask[None]
    _, count, width = query.shape
    if width != embed_dim_to_check:
        raise ValueError(f"the query has {width} features, not {embed_dim_to_check}")
    size = width // num_heads
    padding = canonical(key_padding_mask, "key_padding_mask", query.dtype)
    mask = None
    if not is_causal or padding is not None or need_weights:
        mask, is_causal = canonical(attn_mask, "attn_mask", query.dtype), False
    if use_separate_proj_weight:
        weights = [q_proj_weight, k_proj_weight, v_proj_weight]
    else:
        weights = np.split(in_proj_weight, 3, axis=0)
    biases = (None, None, None) if in_proj_bias is None else np.split(in_proj_bias, 3, axis=0)
    q = linear(query, weights[0], biases[0])
    k = linear(key, weights[1], biases[1])
    v = linear(value, weights[2], biases[2])
    added = 0
    if bias_k is not None:
        k = np.concatenate([k, np.tile(bias_k, (1, count, 1))], axis=0)
        v = np.concatenate([v, np.tile(bias_v, (1, count, 1))], axis=0)
        added = 1
    if add_zero_attn:
        k = np.concatenate([k, np.zeros_like(k[:1])], axis=0)
        v = np.concatenate([v, np.zeros_like(v[:1])], axis=0)
        added = added + 1
    q, k, v = _heads(q, num_heads, size), _heads(k, num_heads, size), _heads(v, num_heads, size)
    mask = _merged(mask, padding, added, count, num_heads)
    if not training:
        dropout_p = 0.0
    if not need_weights:
        found = scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
        return _joined(found, out_proj_weight, out_proj_bias, is_batched), None
    scores = np.matmul(q * math.sqrt(1.0 / size), np.swapaxes(k, -2, -1))
    shares = softmax(scores if mask is None else mask + scores, -1)
    shares = dropout(shares, dropout_p, dropout_p > 0.0)
    found = _joined(np.matmul(shares, v), out_proj_weight, out_proj_bias, is_batched)
    if average_attn_weights:
        shares = np.mean(shares, axis=1)
    return found, (shares if is_batched else shares[0])


def _heads(x: Any, heads: Any, size: Any) -> Any:
    """Return (length, n, heads size) as (n, heads, length, size)."""
    return np.transpose(np.reshape(x, (x.shape[0], x.shape[1], heads, size)), (1, 2, 0, 3))


def _joined(x: Any, weight: Any, bias: Any, is_batched: Any) -> Any:
    """Return (n, heads, length, size) as (length, n, heads size) after the last product."""
    count, heads, length, size = x.shape
    rows = np.reshape(np.transpose(x, (2, 0, 1, 3)), (length * count, heads * size))
    found = np.reshape(linear(rows, weight, bias), (length, count, weight.shape[0]))
    return found if is_batched else found[:, 0]


def _merged(mask: Any, padding: Any, added: Any, count: Any, heads: Any) -> Any:
    """Return what is added to the scores (n, heads, length, length of the keys)."""
    if mask is not None:
        if added:
            mask = np.concatenate(
                [mask, np.zeros_like(mask[..., :1])] + [mask[..., :1] * 0.0] * (added - 1), -1
            )
        if len(mask.shape) == 3:
            mask = np.reshape(mask, (count, heads, mask.shape[1], mask.shape[2]))
    if padding is None:
        return mask
    for _ in range(added):
        padding = np.concatenate([padding, np.zeros_like(padding[:, :1])], axis=-1)
    padding = padding[:, None, None, :]
    return padding if mask is None else mask + padding


def encoder_layer(
    self: Any, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: Any = False
) -> Any:
    """Return what nn.TransformerEncoderLayer.forward does."""
    x = src
    if self.norm_first:
        x = x + self._sa_block(self.norm1(x), src_mask, src_key_padding_mask, is_causal=is_causal)
        return x + self._ff_block(self.norm2(x))
    x = self.norm1(x + self._sa_block(x, src_mask, src_key_padding_mask, is_causal=is_causal))
    return self.norm2(x + self._ff_block(x))


def encoder(
    self: Any, src: Any, mask: Any = None, src_key_padding_mask: Any = None, is_causal: Any = None
) -> Any:
    """Return what nn.TransformerEncoder.forward does."""
    x = src
    for layer in self.layers:
        x = layer(x, src_mask=mask, is_causal=bool(is_causal), src_key_padding_mask=src_key_padding_mask)
    return x if self.norm is None else self.norm(x)


def decoder(
    self: Any,
    tgt: Any,
    memory: Any,
    tgt_mask: Any = None,
    memory_mask: Any = None,
    tgt_key_padding_mask: Any = None,
    memory_key_padding_mask: Any = None,
    tgt_is_causal: Any = None,
    memory_is_causal: Any = False,
) -> Any:
    """Return what nn.TransformerDecoder.forward does."""
    x = tgt
    for layer in self.layers:
        x = layer(
            x,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=bool(tgt_is_causal),
            memory_is_causal=memory_is_causal,
        )
    return x if self.norm is None else self.norm(x)


def translate_all() -> None:
    """Register how attention and transformers are called."""
    nn = torch.nn
    translated_as(nn.MultiheadAttention.forward, attention)
    translated_as(nn.functional.multi_head_attention_forward, attend)
    translated_as(nn.TransformerEncoderLayer.forward, encoder_layer)
    translated_as(nn.TransformerEncoder.forward, encoder)
    translated_as(nn.TransformerDecoder.forward, decoder)
