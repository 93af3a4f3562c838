"""PyTorch's functions and methods, with PyTorch's parameters, for programs to be translated with.

Functions whose parameters are those of NumPy's are NumPy's records (tensorlib.pytorch.names). The others are
written here with NumPy's functions, which apply PyTorch's own to tensors.
"""
# PyTorch's names

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch

from checkpoint.errors import refusal
from checkpoint.prims.arrays import prim
from tensorlib.special import log_softmax as _log_softmax
from tensorlib.special import softmax as _softmax

# Sums, means, extremes


def sum(input: Any, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Any:
    return np.sum(input, axis=dim, dtype=dtype, keepdims=keepdim)


def mean(input: Any, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Any:
    return np.mean(input, axis=dim, dtype=dtype, keepdims=keepdim)


def var(
    input: Any, dim: Any = None, unbiased: Any = None, keepdim: Any = False, *, correction: Any = 1
) -> Any:
    axes, ddof = _degrees(dim, unbiased, correction)
    return np.var(input, axis=axes, ddof=ddof, keepdims=keepdim)


def std(
    input: Any, dim: Any = None, unbiased: Any = None, keepdim: Any = False, *, correction: Any = 1
) -> Any:
    axes, ddof = _degrees(dim, unbiased, correction)
    return np.std(input, axis=axes, ddof=ddof, keepdims=keepdim)


def _degrees(dim: Any, unbiased: Any, correction: Any) -> Any:
    """Return the axes, and how many degrees of freedom are lost; x.var(False) passes `unbiased` first."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    return dim, correction if unbiased is None else int(unbiased)


def amax(input: Any, dim: Any = None, keepdim: Any = False) -> Any:
    return np.max(input, axis=dim, keepdims=keepdim)


def amin(input: Any, dim: Any = None, keepdim: Any = False) -> Any:
    return np.min(input, axis=dim, keepdims=keepdim)


class Selected(NamedTuple):
    """Holds what torch.max, torch.sort and their kin return along an axis."""

    values: Any
    indices: Any


def max(input: Any, dim: Any = None, keepdim: Any = False) -> Any:
    if dim is None:
        return np.max(input)
    if isinstance(dim, int):
        return _extreme(input, np.argmax(input, axis=dim, keepdims=True), dim, keepdim)
    return np.maximum(input, dim)


def min(input: Any, dim: Any = None, keepdim: Any = False) -> Any:
    if dim is None:
        return np.min(input)
    if isinstance(dim, int):
        return _extreme(input, np.argmin(input, axis=dim, keepdims=True), dim, keepdim)
    return np.minimum(input, dim)


def _extreme(input: Any, indices: Any, dim: Any, keepdim: Any) -> Any:
    values = np.take_along_axis(input, indices, dim)
    if keepdim:
        return Selected(values, indices)
    return Selected(np.squeeze(values, axis=dim), np.squeeze(indices, axis=dim))


def argmax(input: Any, dim: Any = None, keepdim: Any = False) -> Any:
    return np.argmax(input, axis=dim, keepdims=keepdim)


def argmin(input: Any, dim: Any = None, keepdim: Any = False) -> Any:
    return np.argmin(input, axis=dim, keepdims=keepdim)


def cumsum(input: Any, dim: Any) -> Any:
    return np.cumsum(input, axis=dim)


def softmax(input: Any, dim: Any = None, _stacklevel: Any = 3, dtype: Any = None) -> Any:
    if dim is None:
        raise refusal("softmax: pass dim, the axis; PyTorch guesses it otherwise, and warns")
    return _softmax(input if dtype is None else np.astype(input, dtype), dim)


def log_softmax(input: Any, dim: Any = None, _stacklevel: Any = 3, dtype: Any = None) -> Any:
    if dim is None:
        raise refusal("log_softmax: pass dim, the axis; PyTorch guesses it otherwise, and warns")
    return _log_softmax(input if dtype is None else np.astype(input, dtype), dim)


# Operators of PyTorch's whose results have names


def sort(input: Any, dim: Any = -1, descending: Any = False, *, stable: Any = False) -> Any:
    return Selected(*torch.Tensor.sort(input, dim=dim, descending=descending, stable=stable))


def topk(input: Any, k: Any, dim: Any = -1, largest: Any = True, sorted: Any = True) -> Any:
    return Selected(*torch.Tensor.topk(input, k, dim, largest, sorted))


def kthvalue(input: Any, k: Any, dim: Any = -1, keepdim: Any = False) -> Any:
    return Selected(*torch.Tensor.kthvalue(input, k, dim, keepdim))


def mode(input: Any, dim: Any = -1, keepdim: Any = False) -> Any:
    return Selected(*torch.Tensor.mode(input, dim, keepdim))


def median(input: Any, dim: Any = None, keepdim: Any = False) -> Any:
    return torch.Tensor.median(input) if dim is None else Selected(*torch.Tensor.median(input, dim, keepdim))


def nanmedian(input: Any, dim: Any = None, keepdim: Any = False) -> Any:
    if dim is None:
        return torch.Tensor.nanmedian(input)
    return Selected(*torch.Tensor.nanmedian(input, dim, keepdim))


def cummax(input: Any, dim: Any) -> Any:
    return Selected(*torch.Tensor.cummax(input, dim))


def cummin(input: Any, dim: Any) -> Any:
    return Selected(*torch.Tensor.cummin(input, dim))


def unique(
    input: Any,
    sorted: Any = True,
    return_inverse: Any = False,
    return_counts: Any = False,
    dim: Any = None,
) -> Any:
    if dim is not None:  # PyTorch has no derivative of it
        return torch.Tensor.unique(input, sorted, return_inverse, return_counts, dim)
    found, inverse, counts = torch.Tensor.unique(detach(input), True, True, True)
    places = torch.arange(np.size(input), device=input.device)
    first = torch.full(found.shape, np.size(input), device=input.device)
    first = first.scatter_reduce(0, np.reshape(inverse, (-1,)), places, "amin")
    values = np.reshape(input, (-1,))[first]  # of equal elements the first has the derivative
    if not (return_inverse or return_counts):
        return values
    parts = [values]
    if return_inverse:
        parts.append(inverse)
    if return_counts:
        parts.append(counts)
    return tuple(parts)


class SignAndLog(NamedTuple):
    """Holds what torch.linalg.slogdet returns."""

    sign: Any
    logabsdet: Any


def slogdet(A: Any) -> Any:
    return SignAndLog(*torch.Tensor.slogdet(A))


# Element by element


def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    found = input if min is None else np.where(input < min, min, input)  # at a bound the input counts
    return found if max is None else np.where(found > max, max, found)


# Shapes


def reshape(input: Any, *shape: Any) -> Any:
    return np.reshape(input, _several(shape))


def view(input: Any, *shape: Any) -> Any:
    if isinstance(shape[0], torch.dtype):
        raise refusal("view of a tensor as another dtype has no derivative: convert it, x.to(dtype)")
    return np.reshape(input, _several(shape))


def _several(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the integers that a method of PyTorch's has been given, one by one or in a tuple or list."""
    return tuple(given[0]) if isinstance(given[0], tuple | list) else given


def transpose(input: Any, dim0: Any, dim1: Any) -> Any:
    return np.swapaxes(input, dim0, dim1)


def permute(input: Any, *dims: Any) -> Any:
    return np.transpose(input, _several(dims))


def t(input: Any) -> Any:
    return input.T


def unsqueeze(input: Any, dim: Any) -> Any:
    return np.expand_dims(input, dim)


def squeeze(input: Any, dim: Any = None) -> Any:
    if dim is not None and input.shape[dim] != 1:
        return input
    return np.squeeze(input, axis=dim)


def flatten(input: Any, start_dim: Any = 0, end_dim: Any = -1) -> Any:
    shape = input.shape
    last = end_dim % len(shape)
    middle = 1
    for size in shape[start_dim : last + 1]:
        middle = middle * size
    return np.reshape(input, (*shape[:start_dim], middle, *shape[last + 1 :]))


def expand(input: Any, *sizes: Any) -> Any:
    shape = _several(sizes)
    extra = len(shape) - len(input.shape)
    whole = [n if n != -1 else input.shape[i - extra] for i, n in enumerate(shape)]
    return np.broadcast_to(input, tuple(whole))


def broadcast_tensors(*tensors: Any) -> Any:
    shape: Any = ()
    for x in tensors:
        shape = np.broadcast_shapes(shape, x.shape)
    return tuple([np.broadcast_to(x, shape) for x in tensors])


def cat(tensors: Any, dim: Any = 0) -> Any:
    return np.concatenate(tensors, axis=dim)


def stack(tensors: Any, dim: Any = 0) -> Any:
    return np.stack(tensors, axis=dim)


def size(input: Any, dim: Any = None) -> Any:
    return input.shape if dim is None else input.shape[dim]


def numel(input: Any) -> Any:
    return np.size(input)


def dim(input: Any) -> Any:
    return input.ndim


def ndimension(input: Any) -> Any:
    return input.ndim


# Copies


def clone(input: Any) -> Any:
    return np.copy(input)


def contiguous(input: Any) -> Any:
    return input


def detach(input: Any) -> Any:
    return prim("py.stop", input)


def float(input: Any) -> Any:
    return prim("tensorlib.to", input, torch.float32, None)


def double(input: Any) -> Any:
    return prim("tensorlib.to", input, torch.float64, None)


def half(input: Any) -> Any:
    return prim("tensorlib.to", input, torch.float16, None)


def bfloat16(input: Any) -> Any:
    return prim("tensorlib.to", input, torch.bfloat16, None)


def cpu(input: Any) -> Any:
    return prim("tensorlib.to", input, None, "cpu")


def cuda(input: Any, device: Any = "cuda") -> Any:
    return prim("tensorlib.to", input, None, device)


def to(
    input: Any,
    first: Any = None,
    second: Any = None,
    non_blocking: Any = False,
    copy: Any = False,
    *,
    dtype: Any = None,
    device: Any = None,
) -> Any:
    if device is None:
        device = first
    elif dtype is None:
        dtype = first
    if dtype is None:
        dtype = second
    found = prim("tensorlib.to", input, dtype, device)
    return np.copy(found) if copy else found


def type(input: Any, dtype: Any = None) -> Any:
    if dtype is None or isinstance(dtype, str):
        raise refusal("x.type() and types by name have no meaning in programs: use x.dtype, x.to(dtype)")
    return prim("tensorlib.to", input, dtype, None)


def is_complex(input: Any) -> Any:
    return np.iscomplexobj(input)
