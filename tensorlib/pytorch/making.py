"""New tensors, and their dtypes, by NumPy's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch


def array(x: Any, dtype: Any = None, order: str = "K", ndmin: int = 0) -> Any:
    """Return a new tensor of the same elements, its axes in order."""
    if isinstance(x, torch.Tensor):
        return x.to(dtype or x.dtype, copy=True, memory_format=torch.contiguous_format)
    return asarray(x, dtype)


def asarray(x: Any, dtype: Any = None) -> Any:
    """Return a tensor; of Python's numbers a new one, in double precision unless it stands beside tensors."""
    if isinstance(x, torch.Tensor):
        return x if dtype is None else x.to(dtype_of(dtype))
    return _made(x, dtype, _first_tensor(x))


def aligned(arrays: Any) -> list[Any]:
    """Return operands as tensors; those that were none are made on the device of the first that was one."""
    found = list(arrays)
    first = None
    for each in found:
        if not isinstance(each, torch.Tensor):
            first = _first_tensor(found)
            break
    return [each if isinstance(each, torch.Tensor) else _made(each, None, first) for each in found]


def _first_tensor(x: Any) -> Any:
    """Return the first tensor in nested lists and tuples; None if there is none."""
    if isinstance(x, torch.Tensor):
        return x
    found = (_first_tensor(part) for part in x) if isinstance(x, list | tuple) else ()
    return next((each for each in found if each is not None), None)


def _made(x: Any, dtype: Any, beside: Any) -> Any:
    """Return a tensor of numbers, lists and tensors, on the device of the one that they stand beside."""
    if isinstance(x, torch.Tensor):
        return asarray(x, dtype)
    device = None if beside is None else beside.device
    if not isinstance(x, list | tuple):
        kind = dtype_of(dtype or (type(x) if type(x) in _DTYPES else None))
        return torch.asarray(x, dtype=kind, device=device)
    parts = [_made(part, dtype, beside) for part in x]
    if not parts:
        return torch.zeros((0,), dtype=dtype_of(dtype or float), device=device)
    return torch.stack(_together(parts, x))


def _together(parts: list[Any], given: Sequence[Any]) -> list[Any]:
    """Return tensors of one dtype: that of those which were given as tensors, if any were."""
    firm = [part for part, item in zip(parts, given, strict=True) if isinstance(item, torch.Tensor)]
    dtypes = [part.dtype for part in firm or parts]
    common = dtypes[0]
    for dtype in dtypes[1:]:
        common = torch.promote_types(common, dtype)
    return [part.to(common) for part in parts]


def copyto(out: Any, x: Any, casting: str = "", where: Any = None) -> None:
    """Write elements to a tensor, in place."""
    if where is None:
        out.copy_(asarray(x))
    else:
        out.copy_(torch.where(asarray(where), asarray(x, out.dtype), out))


def astype(x: Any, dtype: Any, copy: bool = True) -> Any:
    """Return a tensor of another dtype."""
    return x.to(dtype_of(dtype), copy=copy)


def zeros(shape: Any, dtype: Any = None) -> Any:
    return torch.zeros(whole(shape), dtype=dtype_of(dtype or float))


def ones(shape: Any, dtype: Any = None) -> Any:
    return torch.ones(whole(shape), dtype=dtype_of(dtype or float))


def full(shape: Any, value: Any, dtype: Any = None) -> Any:
    if isinstance(value, torch.Tensor):
        return array(torch.broadcast_to(asarray(value, dtype_of(dtype)), whole(shape)))
    return torch.full(whole(shape), value, dtype=dtype_of(dtype or type(value)))


def empty(shape: Any, dtype: Any = None) -> Any:
    return torch.empty(whole(shape), dtype=dtype_of(dtype or float))


def _like(make: Any, x: Any, dtype: Any, shape: Any) -> Any:
    dtype = x.dtype if dtype is None else dtype_of(dtype)
    return make(x.shape if shape is None else whole(shape), dtype=dtype, device=x.device)


def zeros_like(x: Any, dtype: Any = None, shape: Any = None) -> Any:
    x = asarray(x)
    return _like(torch.zeros, x, dtype, shape)


def ones_like(x: Any, dtype: Any = None, shape: Any = None) -> Any:
    x = asarray(x)
    return _like(torch.ones, x, dtype, shape)


def empty_like(x: Any, dtype: Any = None, shape: Any = None) -> Any:
    x = asarray(x)
    return _like(torch.empty, x, dtype, shape)


def full_like(x: Any, value: Any, dtype: Any = None) -> Any:
    return torch.full_like(asarray(x), value, dtype=dtype_of(dtype))


_DTYPES = {float: torch.float64, int: torch.int64, bool: torch.bool, complex: torch.complex128}


def dtype_of(dtype: Any) -> Any:
    """Return PyTorch's dtype for a class of Python's numbers; a dtype itself."""
    return _DTYPES.get(dtype, dtype)


dtype = dtype_of  # NumPy's name


def can_cast(given: Any, wanted: Any, casting: str) -> bool:
    """Return whether a dtype may be converted to another one, as by NumPy's casting "same_kind"."""
    return bool(torch.can_cast(given, wanted))


def whole(shape: Any) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def ascontiguousarray(x: Any) -> Any:
    return x.contiguous()
