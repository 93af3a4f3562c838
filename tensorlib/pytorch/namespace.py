"""PyTorch's functions by NumPy's names and with NumPy's parameters: what records call as `xp`.

In: tensors, with Python's numbers beside them. Out: tensors. What is not here is array_api_compat's, which
has the names of the array API standard, or PyTorch's own. Python's numbers take the dtype of the tensor that
they stand beside, as in PyTorch and NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from array_api_compat import torch as standard

pi = math.pi


def __getattr__(name: str) -> Any:
    try:
        return getattr(standard, name)
    except AttributeError:
        raise NotImplementedError(f"np.{name} has no counterpart for PyTorch's tensors here") from None


# Making tensors


def array(x: Any, dtype: Any = None, order: str = "K", ndmin: int = 0) -> Any:
    """Return a new tensor of the same elements, its axes in order."""
    if isinstance(x, torch.Tensor):
        return x.to(dtype or x.dtype, copy=True, memory_format=torch.contiguous_format)
    return torch.tensor(x, dtype=dtype)


def asarray(x: Any, dtype: Any = None) -> Any:
    """Return a tensor; of numbers a new one."""
    if isinstance(x, torch.Tensor):
        return x if dtype is None else x.to(dtype)
    if isinstance(x, list | tuple) and any(isinstance(part, torch.Tensor) for part in x):
        return torch.stack([asarray(part, dtype) for part in x])
    return torch.asarray(x, dtype=dtype)


def astype(x: Any, dtype: Any, copy: bool = True) -> Any:
    """Return a tensor of another dtype."""
    return x.to({float: torch.float64, int: torch.int64, bool: torch.bool}.get(dtype, dtype), copy=copy)


def zeros(shape: Any, dtype: Any = None) -> Any:
    return torch.zeros(shape, dtype=dtype)


def ones(shape: Any, dtype: Any = None) -> Any:
    return torch.ones(shape, dtype=dtype)


def full(shape: Any, value: Any, dtype: Any = None) -> Any:
    return torch.full(shape, value, dtype=dtype)


def ascontiguousarray(x: Any) -> Any:
    return x.contiguous()


# Element by element


def _beside(x: Any, y: Any) -> tuple[Any, Any]:
    """Return two operands of which one may be Python's number as tensors."""
    if not isinstance(x, torch.Tensor) and not isinstance(y, torch.Tensor):
        return torch.tensor(x), torch.tensor(y)
    if not isinstance(x, torch.Tensor):
        x = torch.tensor(x, dtype=torch.result_type(y, x), device=y.device)
    elif not isinstance(y, torch.Tensor):
        y = torch.tensor(y, dtype=torch.result_type(x, y), device=x.device)
    return x, y


def _binary(function: Callable[..., Any]) -> Callable[..., Any]:
    def applied(x: Any, y: Any) -> Any:
        if isinstance(x, torch.Tensor) and isinstance(y, torch.Tensor):
            return function(x, y)
        return function(*_beside(x, y))

    return applied


add, subtract, multiply, divide = map(_binary, (torch.add, torch.sub, torch.mul, torch.true_divide))
true_divide = divide
power, remainder, floor_divide = map(_binary, (torch.pow, torch.remainder, torch.floor_divide))
maximum, minimum, fmax, fmin = map(_binary, (torch.maximum, torch.minimum, torch.fmax, torch.fmin))
arctan2, hypot, copysign, logaddexp = map(
    _binary, (torch.arctan2, torch.hypot, torch.copysign, torch.logaddexp)
)
equal, not_equal, less, less_equal = map(_binary, (torch.eq, torch.ne, torch.lt, torch.le))
greater, greater_equal = map(_binary, (torch.gt, torch.ge))
logical_and, logical_or, logical_xor = map(_binary, (torch.logical_and, torch.logical_or, torch.logical_xor))
float_power = _binary(torch.float_power)
fmod = _binary(torch.fmod)


def _unary(function: Callable[..., Any]) -> Callable[..., Any]:
    def applied(x: Any) -> Any:
        return function(x if isinstance(x, torch.Tensor) else torch.tensor(x))

    return applied


sin, cos, tan = map(_unary, (torch.sin, torch.cos, torch.tan))
exp, expm1, log, log1p, log2, log10 = map(
    _unary, (torch.exp, torch.expm1, torch.log, torch.log1p, torch.log2, torch.log10)
)
sqrt, isfinite, isnan, logical_not = map(_unary, (torch.sqrt, torch.isfinite, torch.isnan, torch.logical_not))
negative = _unary(torch.neg)


def real(x: Any) -> Any:
    """Return the real parts; a tensor of reals itself."""
    if not isinstance(x, torch.Tensor):
        return x.real
    return torch.real(x) if x.is_complex() else x


def conj(x: Any) -> Any:
    """Return the complex conjugates, computed; a tensor of reals itself."""
    return torch.conj_physical(x) if x.is_complex() else x


def rint(x: Any) -> Any:
    return torch.round(x)


# Along axes


def _axes(x: Any, axis: Any) -> tuple[int, ...]:
    return tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)


def var(x: Any, axis: Any = None, dtype: Any = None, ddof: float = 0, keepdims: bool = False) -> Any:
    return torch.var(_cast(x, dtype), dim=_axes(x, axis), correction=ddof, keepdim=keepdims)


def std(x: Any, axis: Any = None, dtype: Any = None, ddof: float = 0, keepdims: bool = False) -> Any:
    return torch.std(_cast(x, dtype), dim=_axes(x, axis), correction=ddof, keepdim=keepdims)


def mean(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    return torch.mean(_cast(x, dtype), dim=_axes(x, axis), keepdim=keepdims)


def _cast(x: Any, dtype: Any) -> Any:
    return x if dtype is None else x.to(dtype)


def max(x: Any, axis: Any = None, keepdims: bool = False) -> Any:  # NumPy's name
    return torch.amax(x, dim=_axes(x, axis), keepdim=keepdims)


def min(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return torch.amin(x, dim=_axes(x, axis), keepdim=keepdims)


def cumsum(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    return torch.cumsum(x.reshape(-1) if axis is None else x, 0 if axis is None else axis, dtype=dtype)


# Shapes


def ravel(x: Any, order: str = "C") -> Any:
    return x.reshape(-1)


def reshape(x: Any, shape: Any, order: str = "C") -> Any:
    return torch.reshape(x, shape if isinstance(shape, tuple) else (shape,))


def transpose(x: Any, axes: Sequence[int] | None = None) -> Any:
    return x.permute(*(reversed(range(x.ndim)) if axes is None else tuple(axes)))


def size(x: Any, axis: int | None = None) -> int:
    return int(x.numel() if axis is None else x.shape[axis])


def ndim(x: Any) -> int:
    return int(x.ndim) if isinstance(x, torch.Tensor) else 0


def shape(x: Any) -> tuple[int, ...]:
    return tuple(x.shape) if isinstance(x, torch.Tensor) else ()


def broadcast_to(x: Any, shape: Any) -> Any:
    return torch.broadcast_to(x if isinstance(x, torch.Tensor) else torch.tensor(x), tuple(shape))


def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    return torch.swapaxes(x, axis1, axis2)


def concatenate(arrays: Sequence[Any], axis: Any = 0) -> Any:
    if axis is None:
        return torch.cat([asarray(x).reshape(-1) for x in arrays])
    return torch.cat([asarray(x) for x in arrays], dim=axis)


def stack(arrays: Sequence[Any], axis: int = 0) -> Any:
    return torch.stack([asarray(x) for x in arrays], dim=axis)


def tensordot(x: Any, y: Any, axes: Any = 2) -> Any:
    return torch.tensordot(x, y, dims=axes)
