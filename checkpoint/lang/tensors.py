"""The names of the functions of tensors in a text, and the number of operands of each.

The functions themselves are records of tensorlib.language, which is loaded when a program names one. Their
names are reserved only in programs that use them, so that other programs may call a variable `size`.
Functions that are made of these are in the prelude.
"""

from __future__ import annotations

from collections.abc import Mapping

_FUNCTIONS = {
    "list->tensor": 1,
    "zeros": 1,
    "ones": 1,
    "fill": 2,
    "identity": 1,
    "random-key": 1,
    "split-key": 2,
    "uniform": 2,
    "randn": 2,
    "normal": 4,
    "size": 1,
    "tensor-ref": 2,
    "view": 2,
    "reshape": 2,
    "resize": 2,
    "expand": 2,
    "transpose": 1,
    "permute": 2,
    "narrow": 4,
    "crop": 4,
    "pad": 4,
    "concat": 2,
    "where": 3,
    "if-tensor": 3,
    "sum": 2,
    "maxall": 1,
    "minall": 1,
    "matmul": 2,
    "addmv": 3,
    "addmm": 3,
    "baddbmm": 3,
    "addr": 3,
}

# Networks, on tensors with the axes samples, channels, places.
_NETWORKS = {
    "ReLU": 1,
    "LeakyReLU": 2,
    "GeLU": 1,
    "sigmoid": 1,
    "softmax": 2,
    "log-softmax": 2,
    "fused-scale-mask-softmax": 3,
    "max-value": 2,
    "index-of-max": 2,
    "convolve": 5,
    "convolve-add-tied": 6,
    "transpose-convolve": 5,
    "max-pool": 4,
    "average-pool": 4,
    "interpolate": 2,
    "interpolate-to-size": 2,
    "upsample-nearest": 2,
    "downsample-nearest": 2,
    "decimate": 3,
    "normalize-batch": 3,
    "normalize-by-statistics": 5,
    "batch-statistics": 1,
    "layer-normalization": 3,
    "embedding": 2,
    "nll-loss": 2,
    "narrow-tensor": 4,
    "expand-tensor": 2,
    "concat-tensors": 2,
}
# Of a kind: where a tensor is and what its elements are, `cpu-float` and so on.
PLACES = ("cpu", "gpu")
ELEMENTS = ("float", "double", "half", "bfloat16", "byte", "int")
_OF_A_KIND = {
    "{}": 1,
    "{}-tensor?": 1,
    "list->{}-tensor": 1,
    "fill-{}": 2,
    "randn-{}": 2,
    "normal-{}": 4,
}
KINDS = tuple([f"{place}-{elements}" for place in PLACES for elements in ELEMENTS])

TENSORS: Mapping[str, int] = {
    **_FUNCTIONS,
    **_NETWORKS,
    **{form.format(kind): count for kind in KINDS for form, count in _OF_A_KIND.items()},
}
