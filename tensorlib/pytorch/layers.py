"""Layers of torch.nn.functional with PyTorch's parameters, for programs to be translated with."""
# PyTorch's names

from __future__ import annotations

from typing import Any

import torch

from checkpoint.errors import refusal
from tensorlib.networks import layers
from tensorlib.special import softmax

_SINGLE, _DOUBLE, _HALF, _BRAIN = [
    torch.finfo(dtype).eps for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16)
]


def _epsilon(dtype: Any) -> Any:
    """Return the distance from 1 to the next number of a dtype."""
    if dtype == torch.float32:
        return _SINGLE
    if dtype == torch.float64:
        return _DOUBLE
    return _HALF if dtype == torch.float16 else _BRAIN


def rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: Any = None) -> Any:
    if eps is None:
        eps = _epsilon(input.dtype)
    return layers.rms_norm(input, normalized_shape, weight, eps)


def softmin(input: Any, dim: Any = None, _stacklevel: Any = 3, dtype: Any = None) -> Any:
    if dim is None or dtype is not None:
        raise refusal("softmin: pass dim, the axis, and no dtype: convert the input")
    return softmax(-input, dim)


def normalize(input: Any, p: Any = 2.0, dim: Any = 1, eps: Any = 1e-12, out: Any = None) -> Any:
    if out is not None:
        raise refusal("normalize: leave out= away, and use the result")
    return layers.normalize(input, p, dim, eps)


def embedding_bag(
    input: Any,
    weight: Any,
    offsets: Any = None,
    max_norm: Any = None,
    norm_type: Any = 2.0,
    scale_grad_by_freq: Any = False,
    mode: Any = "mean",
    sparse: Any = False,
    per_sample_weights: Any = None,
    include_last_offset: Any = False,
    padding_idx: Any = None,
) -> Any:
    if max_norm is not None or scale_grad_by_freq or sparse:
        raise refusal("embedding_bag: max_norm, scale_grad_by_freq and sparse have no rule: leave them out")
    return layers.embedding_bag(
        input, weight, offsets, mode, per_sample_weights, include_last_offset, padding_idx
    )


NAMES = "rms_norm softmin normalize embedding_bag"
ALIKE = (
    "bilinear local_response_norm pixel_shuffle pixel_unshuffle channel_shuffle lp_pool1d lp_pool2d lp_pool3d"
)
