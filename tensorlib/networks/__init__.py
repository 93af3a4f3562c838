"""Functions of networks, with PyTorch's names, parameters and conventions, on arrays of every library.

from tensorlib.networks import layer_norm, linear, silu
"""

from __future__ import annotations

from tensorlib.networks.activations import gelu, leaky_relu, relu, sigmoid, silu, softplus
from tensorlib.networks.affine import embedding, linear
from tensorlib.networks.alignments import ctc_loss
from tensorlib.networks.attention import scaled_dot_product_attention
from tensorlib.networks.batches import batch_norm, batch_norm_training, instance_norm
from tensorlib.networks.cells import gru_cell, lstm_cell, tree_lstm_cell
from tensorlib.networks.columns import fold, unfold
from tensorlib.networks.convolution import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from tensorlib.networks.dropping import dropout, dropout_planes
from tensorlib.networks.losses import cross_entropy, mse_loss, nll_loss
from tensorlib.networks.masked import masked_softmax
from tensorlib.networks.normalising import group_norm, layer_norm
from tensorlib.networks.padding import pad
from tensorlib.networks.pools import (
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    max_unpool1d,
    max_unpool2d,
    max_unpool3d,
)
from tensorlib.networks.resampling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    interpolate,
)

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "batch_norm_training",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cross_entropy",
    "ctc_loss",
    "dropout",
    "dropout_planes",
    "embedding",
    "fold",
    "gelu",
    "group_norm",
    "gru_cell",
    "instance_norm",
    "interpolate",
    "layer_norm",
    "leaky_relu",
    "linear",
    "lstm_cell",
    "masked_softmax",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "mse_loss",
    "nll_loss",
    "pad",
    "relu",
    "scaled_dot_product_attention",
    "sigmoid",
    "silu",
    "softplus",
    "tree_lstm_cell",
    "unfold",
]
