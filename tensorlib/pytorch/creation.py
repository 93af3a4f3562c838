"""New tensors, by PyTorch's functions: constants, ranges, and tensors of numbers and of NumPy's arrays.

A tensor whose elements PyTorch leaves open (torch.empty) has zeros, the same ones at each recomputation.
"""
# PyTorch's names

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from checkpoint.prims.arrays import prim
from tensorlib.rules import discrete


def _make(xp: Any, name: str, arguments: Any, dtype: Any = None, device: Any = None) -> Any:
    make = getattr(torch, name, None) or getattr(torch.Tensor, name)
    return make(*arguments, dtype=dtype, device=device)


MAKE = discrete(
    "tensorlib.torch-make",
    _make,
    4,
    shape="a name of PyTorch, and what its function takes",
    samples=lambda rng: [("zeros", (2, 3))],
)


def _whole(size: Any) -> Any:
    return size[0] if len(size) == 1 and isinstance(size[0], tuple | list) else size


def zeros(*size: Any, dtype: Any = None, device: Any = None, requires_grad: Any = False) -> Any:
    return prim("tensorlib.torch-make", "zeros", tuple(_whole(size)), dtype, device)


def ones(*size: Any, dtype: Any = None, device: Any = None, requires_grad: Any = False) -> Any:
    return prim("tensorlib.torch-make", "ones", tuple(_whole(size)), dtype, device)


def empty(*size: Any, dtype: Any = None, device: Any = None, requires_grad: Any = False) -> Any:
    return prim("tensorlib.torch-make", "zeros", tuple(_whole(size)), dtype, device)


def full(
    size: Any, fill_value: Any, dtype: Any = None, device: Any = None, requires_grad: Any = False
) -> Any:
    if isinstance(fill_value, float):
        return prim("tensorlib.torch-make", "zeros", tuple(size), dtype, device) + fill_value
    return prim("tensorlib.torch-make", "full", (tuple(size), fill_value), dtype, device)


def zeros_like(input: Any, dtype: Any = None, device: Any = None, requires_grad: Any = False) -> Any:
    return prim("tensorlib.torch-make", "zeros_like", (input,), dtype, device)


def ones_like(input: Any, dtype: Any = None, device: Any = None, requires_grad: Any = False) -> Any:
    return prim("tensorlib.torch-make", "ones_like", (input,), dtype, device)


def empty_like(input: Any, dtype: Any = None, device: Any = None, requires_grad: Any = False) -> Any:
    return prim("tensorlib.torch-make", "zeros_like", (input,), dtype, device)


def full_like(
    input: Any, fill_value: Any, dtype: Any = None, device: Any = None, requires_grad: Any = False
) -> Any:
    return prim("tensorlib.torch-make", "zeros_like", (input,), dtype, device) + fill_value


def arange(
    start: Any,
    end: Any = None,
    step: Any = 1,
    dtype: Any = None,
    device: Any = None,
    requires_grad: Any = False,
) -> Any:
    bounds = (0, start, step) if end is None else (start, end, step)
    return prim("tensorlib.torch-make", "arange", bounds, dtype, device)


def eye(n: Any, m: Any = None, dtype: Any = None, device: Any = None, requires_grad: Any = False) -> Any:
    return prim("tensorlib.torch-make", "eye", (n, n if m is None else m), dtype, device)


def tensor(data: Any, dtype: Any = None, device: Any = None, requires_grad: Any = False) -> Any:
    found = np.array(data)
    if dtype is None:
        dtype = prim("tensorlib.torch-dtype", found, isinstance(data, list | tuple | float))
    return prim("tensorlib.to", found, dtype, device)


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Any:
    return tensor(data, dtype, device)


def new_zeros(input: Any, *size: Any, dtype: Any = None, device: Any = None) -> Any:
    return prim("tensorlib.torch-make", "new_zeros", (input, tuple(_whole(size))), dtype, device)


def new_ones(input: Any, *size: Any, dtype: Any = None, device: Any = None) -> Any:
    return prim("tensorlib.torch-make", "new_ones", (input, tuple(_whole(size))), dtype, device)


def new_full(input: Any, size: Any, fill_value: Any, dtype: Any = None, device: Any = None) -> Any:
    return prim("tensorlib.torch-make", "new_zeros", (input, tuple(size)), dtype, device) + fill_value


def new_tensor(input: Any, data: Any, dtype: Any = None, device: Any = None) -> Any:
    place = input.device if device is None else device
    return prim("tensorlib.to", np.array(data), input.dtype if dtype is None else dtype, place)


def to_long(input: Any) -> Any:
    return prim("tensorlib.to", input, torch.int64, None)


def to_int(input: Any) -> Any:
    return prim("tensorlib.to", input, torch.int32, None)


def to_bool(input: Any) -> Any:
    return prim("tensorlib.to", input, torch.bool, None)


def parameters_to_vector(parameters: Any) -> Any:
    return np.concatenate([np.reshape(each, (-1,)) for each in parameters])


def from_numpy(ndarray: Any) -> Any:
    return tensor(ndarray)


def _dtype(xp: Any, array: Any, of_numbers: Any) -> Any:
    """Return the dtype of a tensor of an array's elements; the default one if these were Python's numbers."""
    if isinstance(array, torch.Tensor):
        return array.dtype
    own = torch.from_numpy(np.zeros(0, array.dtype)).dtype
    return torch.get_default_dtype() if of_numbers and own is torch.float64 else own


DTYPE = discrete(
    "tensorlib.torch-dtype",
    _dtype,
    2,
    shape="an array, whether it is of Python's numbers -> a dtype",
    samples=lambda rng: [],
)


# What says something of the machine, and of PyTorch's settings

_FACTS = {
    "cuda": torch.cuda.is_available,
    "mps": torch.backends.mps.is_available,
    "dtype": torch.get_default_dtype,
}

discrete(
    "torch.fact",
    lambda xp, name: _FACTS[name](),
    1,
    shape="a name -> no array",
    samples=None,
)


def has_cuda() -> Any:
    return prim("torch.fact", "cuda")


def has_mps() -> Any:
    return prim("torch.fact", "mps")


def get_default_dtype() -> Any:
    return prim("torch.fact", "dtype")


NAMES = (
    "zeros ones empty full zeros_like ones_like empty_like full_like arange eye tensor as_tensor from_numpy"
)
METHODS = {
    "new_zeros": new_zeros,
    "new_ones": new_ones,
    "new_empty": new_zeros,
    "new_full": new_full,
    "new_tensor": new_tensor,
    "long": to_long,
    "int": to_int,
    "bool": to_bool,
}
