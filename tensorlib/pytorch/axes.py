"""Functions along the axes of tensors, by NumPy's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from checkpoint.errors import refusal
from tensorlib.pytorch.making import asarray


def axes_of(x: Any, axis: Any) -> tuple[int, ...]:
    return tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)


def _along(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a reduction along several axes, all of them by default."""

    def applied(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        if axis is not None and dtype is None and type(x) is torch.Tensor and x.ndim:
            return function(x, axis, keepdims)
        x = asarray(x, dtype)
        return function(x, dim=axes_of(x, axis), keepdim=keepdims) if x.ndim else function(x)

    return applied


sum = _along(torch.sum)  # NumPy's names
mean = _along(torch.mean)


def max(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    x = asarray(x)
    return torch.amax(x, dim=axes_of(x, axis), keepdim=keepdims)


def min(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    x = asarray(x)
    return torch.amin(x, dim=axes_of(x, axis), keepdim=keepdims)


amax, amin = max, min


def var(
    x: Any, axis: Any = None, dtype: Any = None, ddof: float = 0, keepdims: bool = False, mean: Any = None
) -> Any:
    x = asarray(x, dtype)
    return torch.var(x, dim=axes_of(x, axis), correction=ddof, keepdim=keepdims)


def std(
    x: Any, axis: Any = None, dtype: Any = None, ddof: float = 0, keepdims: bool = False, mean: Any = None
) -> Any:
    x = asarray(x, dtype)
    return torch.std(x, dim=axes_of(x, axis), correction=ddof, keepdim=keepdims)


def _flat_or_along(x: Any, axis: int | None) -> tuple[Any, int]:
    """Return a tensor and the axis of a function that takes all elements in a row by default."""
    x = asarray(x)
    return (x.reshape(-1), 0) if axis is None else (x, axis)


def cumsum(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    return torch.cumsum(*_flat_or_along(x, axis), dtype=dtype)


def prod(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    x = asarray(x, dtype)
    if not isinstance(axis, tuple):
        return torch.prod(x) if axis is None and not keepdims else _prod_along(x, axes_of(x, axis), keepdims)
    return _prod_along(x, axis, keepdims)


def _prod_along(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    for axis in sorted((i % x.ndim for i in axes), reverse=True):
        x = torch.prod(x, axis, keepdims)
    return x


def cumprod(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    return torch.cumprod(*_flat_or_along(x, axis), dtype=dtype)


def argmax(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    return torch.argmax(x, axis, keepdims)


def argmin(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    return torch.argmin(x, axis, keepdims)


def sort(x: Any, axis: int | None = -1, kind: Any = None) -> Any:
    x, axis = _flat_or_along(x, axis)
    return torch.sort(x, dim=axis, stable=True)[0]


def argsort(x: Any, axis: int | None = -1, kind: Any = None) -> Any:
    x, axis = _flat_or_along(x, axis)
    return torch.sort(x, dim=axis, stable=True)[1]


def count_nonzero(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return sum(asarray(x) != 0, axis=axis, keepdims=keepdims)


def diff(x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    return torch.diff(asarray(x), n, axis, prepend, append)


def take(x: Any, indices: Any, axis: int | None = None, mode: str = "raise") -> Any:
    if mode != "raise":
        raise refusal(f"np.take with mode={mode!r} has no counterpart for PyTorch's tensors here")
    x, axis = _flat_or_along(x, axis)
    indices = asarray(indices)
    found = torch.index_select(x, axis, indices.reshape(-1) % x.shape[axis])
    return found.reshape(*x.shape[:axis], *indices.shape, *x.shape[axis % x.ndim + 1 :])


def take_along_axis(x: Any, indices: Any, axis: int) -> Any:
    return torch.take_along_dim(x, indices, axis)
