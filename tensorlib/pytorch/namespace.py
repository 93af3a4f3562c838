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
    return asarray(x, dtype)


def asarray(x: Any, dtype: Any = None) -> Any:
    """Return a tensor; of Python's numbers a new one, in double precision unless it stands beside tensors."""
    if isinstance(x, torch.Tensor):
        return x if dtype is None else x.to(dtype_of(dtype))
    if not isinstance(x, list | tuple):
        return torch.asarray(x, dtype=dtype_of(dtype or (type(x) if type(x) in _DTYPES else None)))
    parts = [asarray(part, dtype) for part in x]
    return torch.stack(_together(parts, x)) if parts else torch.zeros((0,), dtype=dtype_of(dtype or float))


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
    return torch.zeros(_whole(shape), dtype=dtype_of(dtype or float))


def ones(shape: Any, dtype: Any = None) -> Any:
    return torch.ones(_whole(shape), dtype=dtype_of(dtype or float))


def full(shape: Any, value: Any, dtype: Any = None) -> Any:
    if isinstance(value, torch.Tensor):
        return array(torch.broadcast_to(asarray(value, dtype_of(dtype)), _whole(shape)))
    return torch.full(_whole(shape), value, dtype=dtype_of(dtype or type(value)))


def empty(shape: Any, dtype: Any = None) -> Any:
    return torch.empty(_whole(shape), dtype=dtype_of(dtype or float))


def zeros_like(x: Any, dtype: Any = None, shape: Any = None) -> Any:
    x = asarray(x)
    return zeros(x.shape if shape is None else shape, x.dtype if dtype is None else dtype)


def ones_like(x: Any, dtype: Any = None, shape: Any = None) -> Any:
    x = asarray(x)
    return ones(x.shape if shape is None else shape, x.dtype if dtype is None else dtype)


def empty_like(x: Any, dtype: Any = None, shape: Any = None) -> Any:
    x = asarray(x)
    return empty(x.shape if shape is None else shape, x.dtype if dtype is None else dtype)


def full_like(x: Any, value: Any, dtype: Any = None) -> Any:
    return torch.full_like(asarray(x), value, dtype=dtype_of(dtype))


_DTYPES = {float: torch.float64, int: torch.int64, bool: torch.bool, complex: torch.complex128}


def dtype_of(dtype: Any) -> Any:
    """Return PyTorch's dtype for a class of Python's numbers; a dtype itself."""
    return _DTYPES.get(dtype, dtype)


def dtype(kind: Any) -> Any:
    """Return what NumPy's np.dtype does, of PyTorch."""
    return dtype_of(kind)


def can_cast(given: Any, wanted: Any, casting: str) -> bool:
    """Return whether a dtype may be converted to another one, as by NumPy's casting "same_kind"."""
    return bool(torch.can_cast(given, wanted))


def _whole(shape: Any) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def ascontiguousarray(x: Any) -> Any:
    return x.contiguous()


# Element by element


def _beside(x: Any, y: Any) -> tuple[Any, Any]:
    """Return two operands of which one may be Python's number as tensors."""
    if not isinstance(x, torch.Tensor) and not isinstance(y, torch.Tensor):
        return torch.tensor(x), torch.tensor(y)
    if not isinstance(x, torch.Tensor):
        x = _number(x)
        x = torch.tensor(x, dtype=torch.result_type(y, x), device=y.device)
    elif not isinstance(y, torch.Tensor):
        y = _number(y)
        y = torch.tensor(y, dtype=torch.result_type(x, y), device=x.device)
    return x, y


def _number(x: Any) -> Any:
    """Return one number as Python's."""
    return x.item() if hasattr(x, "item") else x


def _binary(function: Callable[..., Any]) -> Callable[..., Any]:
    def applied(x: Any, y: Any, out: Any = None, casting: str = "") -> Any:
        if not (isinstance(x, torch.Tensor) and isinstance(y, torch.Tensor)):
            x, y = _beside(x, y)
        return function(x, y) if out is None else function(x, y, out=out)

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
float_power, fmod, heaviside, matmul = map(
    _binary, (torch.float_power, torch.fmod, torch.heaviside, torch.matmul)
)
bitwise_and, bitwise_or, bitwise_xor = map(_binary, (torch.bitwise_and, torch.bitwise_or, torch.bitwise_xor))
left_shift, right_shift = map(_binary, (torch.bitwise_left_shift, torch.bitwise_right_shift))


def _positions(x: Any, index: Any) -> Any:
    """Return the places, in the row of all elements of a tensor, of those that an index names."""
    return torch.arange(x.numel(), device=x.device).reshape(x.shape)[index]


def _add_at(x: Any, index: Any, values: Any) -> None:
    """Add to the elements that an index names, as often as it names them, in its order."""
    places = _positions(x, index)
    given = torch.broadcast_to(asarray(values, x.dtype), places.shape)
    whole = x if x.is_contiguous() else x.contiguous()
    whole.view(-1).index_add_(0, places.reshape(-1), given.reshape(-1))
    if whole is not x:
        x.copy_(whole)


def _subtract_at(x: Any, index: Any, values: Any) -> None:
    _add_at(x, index, -asarray(values))


add.at, subtract.at = _add_at, _subtract_at  # type: ignore[attr-defined]


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


conjugate = conj
invert = _unary(torch.bitwise_not)


def iscomplexobj(x: Any) -> bool:
    return bool(asarray(x).is_complex())


def isrealobj(x: Any) -> bool:
    return not iscomplexobj(x)


def isscalar(x: Any) -> bool:
    return not isinstance(x, torch.Tensor)


def angle(x: Any, deg: bool = False) -> Any:
    return torch.rad2deg(torch.angle(x)) if deg else torch.angle(x)


def imag(x: Any) -> Any:
    """Return the imaginary parts; zeros for reals."""
    return torch.imag(x) if x.is_complex() else torch.zeros_like(x)


def where(condition: Any, x: Any, y: Any) -> Any:
    if not isinstance(condition, torch.Tensor):
        condition = torch.tensor(condition)
    if not isinstance(x, torch.Tensor) and not isinstance(y, torch.Tensor):
        x = torch.tensor(x, dtype=torch.float64 if isinstance(x, float) else None)  # as precise as the number
    return torch.where(condition, x, y)


def round(x: Any, decimals: int = 0) -> Any:
    return torch.round(x, decimals=decimals)


def clip(x: Any, a_min: Any = None, a_max: Any = None) -> Any:
    found = x if a_min is None else maximum(x, a_min)
    return found if a_max is None else minimum(found, a_max)


def isclose(x: Any, y: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    return torch.isclose(*_beside(x, y), rtol, atol, equal_nan)


def allclose(x: Any, y: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    return bool(isclose(x, y, rtol, atol, equal_nan).all())


def rint(x: Any) -> Any:
    return torch.round(x)


# Along axes


def _axes(x: Any, axis: Any) -> tuple[int, ...]:
    return tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)


def _along(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a reduction along several axes, all of them by default."""

    def applied(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        x = asarray(x, dtype)
        return function(x, dim=_axes(x, axis), keepdim=keepdims) if x.ndim else function(x)

    return applied


sum = _along(torch.sum)  # NumPy's names
mean = _along(torch.mean)


def max(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    x = asarray(x)
    return torch.amax(x, dim=_axes(x, axis), keepdim=keepdims)


def min(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    x = asarray(x)
    return torch.amin(x, dim=_axes(x, axis), keepdim=keepdims)


amax, amin = max, min


def var(x: Any, axis: Any = None, dtype: Any = None, ddof: float = 0, keepdims: bool = False) -> Any:
    x = asarray(x, dtype)
    return torch.var(x, dim=_axes(x, axis), correction=ddof, keepdim=keepdims)


def std(x: Any, axis: Any = None, dtype: Any = None, ddof: float = 0, keepdims: bool = False) -> Any:
    x = asarray(x, dtype)
    return torch.std(x, dim=_axes(x, axis), correction=ddof, keepdim=keepdims)


def _flat_or_along(x: Any, axis: int | None) -> tuple[Any, int]:
    """Return a tensor and the axis of a function that takes all elements in a row by default."""
    x = asarray(x)
    return (x.reshape(-1), 0) if axis is None else (x, axis)


def cumsum(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    return torch.cumsum(*_flat_or_along(x, axis), dtype=dtype)


def prod(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    x = asarray(x, dtype)
    if not isinstance(axis, tuple):
        return torch.prod(x) if axis is None and not keepdims else _prod_along(x, _axes(x, axis), keepdims)
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
        raise NotImplementedError(f"np.take with mode={mode!r} has no counterpart for PyTorch's tensors here")
    x, axis = _flat_or_along(x, axis)
    indices = asarray(indices)
    found = torch.index_select(x, axis, indices.reshape(-1) % x.shape[axis])
    return found.reshape(*x.shape[:axis], *indices.shape, *x.shape[axis % x.ndim + 1 :])


def take_along_axis(x: Any, indices: Any, axis: int) -> Any:
    return torch.take_along_dim(x, indices, axis)


# Shapes


def ravel(x: Any, order: str = "C") -> Any:
    return asarray(x).reshape(-1)


def reshape(x: Any, shape: Any, order: str = "C") -> Any:
    return torch.reshape(asarray(x), _whole(shape))


def transpose(x: Any, axes: Sequence[int] | None = None) -> Any:
    x = asarray(x)
    return x.permute(tuple(reversed(range(x.ndim))) if axes is None else tuple(axes))


def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    return torch.moveaxis(x, source, destination)


def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    return torch.swapaxes(x, axis1, axis2)


def expand_dims(x: Any, axis: Any) -> Any:
    x = asarray(x)
    for place in sorted(i % (x.ndim + len(_axes(x, axis))) for i in _axes(x, axis)):
        x = torch.unsqueeze(x, place)
    return x


def squeeze(x: Any, axis: Any = None) -> Any:
    x = asarray(x)
    if axis is None:
        return torch.squeeze(x)
    if any(x.shape[i] != 1 for i in _axes(x, axis)):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return torch.squeeze(x, _axes(x, axis))


def flip(x: Any, axis: Any = None) -> Any:
    return torch.flip(asarray(x), _axes(asarray(x), axis))


def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    x = asarray(x)
    if isinstance(axis, tuple) and not isinstance(shift, tuple):
        shift = (shift,) * len(axis)
    return torch.roll(x, shift, axis)


def tile(x: Any, reps: Any) -> Any:
    return torch.tile(asarray(x), _whole(reps))


def repeat(x: Any, repeats: Any, axis: int | None = None) -> Any:
    return torch.repeat_interleave(asarray(x), repeats, axis)


def tril(x: Any, k: int = 0) -> Any:
    return torch.tril(x, k)


def triu(x: Any, k: int = 0) -> Any:
    return torch.triu(x, k)


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return torch.diagonal(asarray(x), offset, axis1, axis2).sum(-1)


def size(x: Any, axis: int | None = None) -> int:
    return int(asarray(x).numel() if axis is None else x.shape[axis])


def ndim(x: Any) -> int:
    return int(x.ndim) if isinstance(x, torch.Tensor) else 0


def shape(x: Any) -> tuple[int, ...]:
    return tuple(x.shape) if isinstance(x, torch.Tensor) else ()


def broadcast_to(x: Any, shape: Any) -> Any:
    return torch.broadcast_to(asarray(x), _whole(shape))


def concatenate(arrays: Sequence[Any], axis: int | None = 0) -> Any:
    if axis is None:
        return torch.cat([asarray(x).reshape(-1) for x in arrays])
    return torch.cat([asarray(x) for x in arrays], dim=axis)


def hstack(arrays: Sequence[Any]) -> Any:
    return torch.hstack([asarray(x) for x in arrays])


def vstack(arrays: Sequence[Any]) -> Any:
    return torch.vstack([asarray(x) for x in arrays])


def atleast_1d(x: Any) -> Any:
    return torch.atleast_1d(asarray(x))


def atleast_2d(x: Any) -> Any:
    return torch.atleast_2d(asarray(x))


def stack(arrays: Sequence[Any], axis: int = 0) -> Any:
    return torch.stack([asarray(x) for x in arrays], dim=axis)


def split(x: Any, places: Any, axis: int = 0) -> list[Any]:
    return list(torch.tensor_split(x, places, dim=axis))


array_split = split


# Products


def tensordot(x: Any, y: Any, axes: Any = 2) -> Any:
    if isinstance(axes, list | tuple):
        axes = [[part] if isinstance(part, int) else part for part in axes]
    return torch.tensordot(asarray(x), asarray(y), dims=axes)


def dot(x: Any, y: Any) -> Any:
    x, y = _beside(x, y)
    if not x.ndim or not y.ndim:
        return x * y
    return torch.tensordot(x, y, dims=([x.ndim - 1], [max_axis(y)]))


def max_axis(y: Any) -> int:
    """Return the axis of its second operand that dot sums over."""
    return 0 if y.ndim == 1 else int(y.ndim) - 2


def inner(x: Any, y: Any) -> Any:
    return torch.inner(asarray(x), asarray(y))


def outer(x: Any, y: Any) -> Any:
    return torch.outer(asarray(x).reshape(-1), asarray(y).reshape(-1))


def einsum(subscripts: str, *operands: Any, optimize: Any = False) -> Any:
    return torch.einsum(subscripts, *[asarray(x) for x in operands])
