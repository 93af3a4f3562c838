"""Which records, and which functions written in Python, PyTorch's functions and methods are."""

from __future__ import annotations

import torch

from checkpoint.prims.arrays import DRAWN, also_implements, lacks, translated_as
from tensorlib import networks as of_networks
from tensorlib.pytorch import activations, creation, drawing, functions, layers, losses, modules, networks
from tensorlib.pytorch.library import TORCH
from tensorlib.pytorch.refused import LACKING, refuse_all
from tensorlib.rules import record

# PyTorch's functions with the parameters of NumPy's, by NumPy's name where that is another one.
_ALIKE = {
    "": (
        "absolute arccos arccosh arcsin arcsinh arctan arctanh ceil copysign cos cosh dot exp exp2 expm1 "
        "floor fmod greater greater_equal hypot isfinite isinf isnan less less_equal log log10 log1p log2 "
        "logaddexp logical_and logical_not logical_or logical_xor matmul maximum minimum multiply negative "
        "not_equal outer reciprocal remainder sign sin sinh sqrt square subtract tan tanh trunc"
    ),
    "absolute": "abs",
    "add": "add",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "arctan2 atan2",
    "arctanh": "atanh",
    "divide": "div divide true_divide",
    "equal": "eq",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "matmul": "mm bmm mv",
    "multiply": "mul",
    "negative": "neg",
    "not_equal": "ne",
    "power": "pow float_power",
    "subtract": "sub",
}
# Functions with parameters of their own, which are also methods; and methods that are no functions.
_WRITTEN = (
    "sum mean var std amax amin argmax argmin max min cumsum softmax log_softmax clamp reshape "
    "transpose permute t is_complex unsqueeze squeeze flatten numel clone detach "
    "sort topk unique kthvalue mode median nanmedian cummax cummin slogdet"
)
_METHODS = "expand size dim ndimension type contiguous float double half bfloat16 cpu cuda to"
_OF_NETWORKS = (
    "relu leaky_relu silu gelu sigmoid softplus embedding mse_loss nll_loss "
    "cross_entropy scaled_dot_product_attention"
)
_RECORDS = "linear layer_norm group_norm"  # with the parameters of PyTorch's
_ALSO_OF_NUMPY = (  # written once for all libraries, with PyTorch's parameters
    "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d pad "
    "max_pool1d max_pool2d max_pool3d max_unpool1d max_unpool2d max_unpool3d "
    "avg_pool1d avg_pool2d avg_pool3d "
    "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d "
    "adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d interpolate fold unfold ctc_loss"
)
_ACTIVATIONS = "relu sigmoid erf"  # also names of torch itself, and methods

for _numpy, _names in _ALIKE.items():
    for _name in _names.split():
        _record = record(f"np.{_numpy or _name}")
        also_implements(_record, getattr(torch, _name))
        if hasattr(torch.Tensor, _name):
            TORCH.methods[_name] = _record
also_implements(record("np.where"), torch.where)
for _name in [*_WRITTEN.split(), "cat", "stack", "broadcast_tensors"]:
    translated_as(getattr(torch, _name), getattr(functions, _name))
for _name in ("softmax", "log_softmax"):
    translated_as(getattr(torch.nn.functional, _name), getattr(functions, _name))
for _name in _OF_NETWORKS.split():
    translated_as(getattr(torch.nn.functional, _name), getattr(networks, _name))
for _name in _ALSO_OF_NUMPY.split():
    translated_as(getattr(torch.nn.functional, _name), getattr(of_networks, _name))
for _module in (activations, losses, layers):
    for _name in _module.NAMES.split():
        translated_as(getattr(torch.nn.functional, _name), getattr(_module, _name))
for _name in [*losses.ALIKE.split(), *layers.ALIKE.split(), "prelu", "glu", "softsign", "tanhshrink"]:
    translated_as(getattr(torch.nn.functional, _name), getattr(of_networks, _name))
for _name in ("lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell"):
    translated_as(getattr(torch, _name), getattr(of_networks, _name))
for _name in ("batch_norm", "instance_norm"):  # which change the running statistics
    translated_as(getattr(torch.nn.functional, _name), getattr(of_networks, _name), writes=True)
for _name in _RECORDS.split():
    also_implements(record(f"tensorlib.{_name}"), getattr(torch.nn.functional, _name))
for _name in _ACTIVATIONS.split():
    translated_as(getattr(torch, _name), getattr(networks, _name))
    TORCH.methods[_name] = getattr(networks, _name)
translated_as(torch.special.erf, networks.erf)
translated_as(torch.special.expit, networks.sigmoid)
translated_as(torch.linalg.slogdet, functions.slogdet)
translated_as(torch.concat, functions.cat)
translated_as(torch.concatenate, functions.cat)
TORCH.methods.update({name: getattr(functions, name) for name in (*_WRITTEN.split(), *_METHODS.split())})
_METHODS_OF = [f"ndarray.{method}" for name in LACKING for method in record(name).methods]
lacks(TORCH, [*LACKING, *_METHODS_OF])
TORCH.aliases.update(axis="dim", keepdims="keepdim")
TORCH.methods["view"] = functions.view
for _name in creation.NAMES.split():
    translated_as(getattr(torch, _name), getattr(creation, _name))
translated_as(torch.nn.utils.parameters_to_vector, creation.parameters_to_vector)
translated_as(torch.cuda.is_available, creation.has_cuda)
translated_as(torch.backends.mps.is_available, creation.has_mps)
translated_as(torch.get_default_dtype, creation.get_default_dtype)
TORCH.methods.update(creation.METHODS)
for _name in drawing.NAMES.split():
    translated_as(getattr(torch, _name), getattr(drawing, _name))
for _name in drawing.NETWORKS.split():
    translated_as(getattr(torch.nn.functional, _name), getattr(drawing, _name))
TORCH.methods.update({f"{DRAWN}{name}": getattr(drawing, name) for name in drawing.FILLING.split()})
TORCH.methods.update(bernoulli=drawing.bernoulli, multinomial=drawing.multinomial)
modules.translate_all()
refuse_all()
