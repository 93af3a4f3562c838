"""Functions of networks, with PyTorch's names, parameters and conventions, on arrays of every library.

from tensorlib.networks import layer_norm, linear, silu
"""

from __future__ import annotations

from tensorlib.networks.activations import gelu, leaky_relu, relu, sigmoid, silu, softplus
from tensorlib.networks.affine import embedding, linear
from tensorlib.networks.attention import scaled_dot_product_attention
from tensorlib.networks.losses import cross_entropy, mse_loss, nll_loss
from tensorlib.networks.normalising import group_norm, layer_norm

__all__ = [
    "cross_entropy",
    "embedding",
    "gelu",
    "group_norm",
    "layer_norm",
    "leaky_relu",
    "linear",
    "mse_loss",
    "nll_loss",
    "relu",
    "scaled_dot_product_attention",
    "sigmoid",
    "silu",
    "softplus",
]
