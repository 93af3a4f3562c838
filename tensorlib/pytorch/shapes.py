"""Shapes of tensors, and their products, by NumPy's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from tensorlib.pytorch.axes import axes_of
from tensorlib.pytorch.elementwise import beside
from tensorlib.pytorch.making import aligned, asarray, whole


def ravel(x: Any, order: str = "C") -> Any:
    return asarray(x).reshape(-1)


def reshape(x: Any, shape: Any, order: str = "C") -> Any:
    return torch.reshape(asarray(x), whole(shape))


def transpose(x: Any, axes: Sequence[int] | None = None) -> Any:
    x = asarray(x)
    return x.permute(tuple(reversed(range(x.ndim))) if axes is None else tuple(axes))


def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    return torch.moveaxis(x, source, destination)


def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    return torch.swapaxes(x, axis1, axis2)


def expand_dims(x: Any, axis: Any) -> Any:
    x = asarray(x)
    for place in sorted(i % (x.ndim + len(axes_of(x, axis))) for i in axes_of(x, axis)):
        x = torch.unsqueeze(x, place)
    return x


def squeeze(x: Any, axis: Any = None) -> Any:
    x = asarray(x)
    if axis is None:
        return torch.squeeze(x)
    if any(x.shape[i] != 1 for i in axes_of(x, axis)):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return torch.squeeze(x, axes_of(x, axis))


def flip(x: Any, axis: Any = None) -> Any:
    return torch.flip(asarray(x), axes_of(asarray(x), axis))


def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    x = asarray(x)
    if isinstance(axis, tuple) and not isinstance(shift, tuple):
        shift = (shift,) * len(axis)
    return torch.roll(x, shift, axis)


def tile(x: Any, reps: Any) -> Any:
    return torch.tile(asarray(x), whole(reps))


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
    if type(x) is torch.Tensor and isinstance(shape, tuple):
        return torch.broadcast_to(x, shape)
    return torch.broadcast_to(asarray(x), whole(shape))


def broadcast_arrays(*arrays: Any) -> tuple[Any, ...]:
    return tuple(torch.broadcast_tensors(*map(asarray, arrays)))


def nonzero(x: Any) -> tuple[Any, ...]:
    return tuple(torch.nonzero(asarray(x), as_tuple=True))


def unstack(x: Any, axis: int = 0) -> tuple[Any, ...]:
    return tuple(torch.unbind(x, axis))


def concatenate(arrays: Sequence[Any], axis: int | None = 0) -> Any:
    if axis is None:
        return torch.cat([x.reshape(-1) for x in aligned(arrays)])
    return torch.cat(aligned(arrays), dim=axis)


def hstack(arrays: Sequence[Any]) -> Any:
    return torch.hstack(aligned(arrays))


def vstack(arrays: Sequence[Any]) -> Any:
    return torch.vstack(aligned(arrays))


def atleast_1d(x: Any) -> Any:
    return torch.atleast_1d(asarray(x))


def atleast_2d(x: Any) -> Any:
    return torch.atleast_2d(asarray(x))


def stack(arrays: Sequence[Any], axis: int = 0) -> Any:
    return torch.stack(aligned(arrays), dim=axis)


def split(x: Any, places: Any, axis: int = 0) -> list[Any]:
    return list(torch.tensor_split(x, places, dim=axis))


array_split = split


# Products


def tensordot(x: Any, y: Any, axes: Any = 2) -> Any:
    if isinstance(axes, list | tuple):
        axes = [[part] if isinstance(part, int) else part for part in axes]
    return torch.tensordot(*aligned((x, y)), dims=axes)


def dot(x: Any, y: Any) -> Any:
    x, y = beside(x, y)
    if not x.ndim or not y.ndim:
        return x * y
    return torch.tensordot(x, y, dims=([x.ndim - 1], [max(y.ndim - 2, 0)]))


def vecdot(x: Any, y: Any, axis: int = -1) -> Any:
    return torch.linalg.vecdot(*aligned((x, y)), dim=axis)


def inner(x: Any, y: Any) -> Any:
    return torch.inner(*aligned((x, y)))


def outer(x: Any, y: Any) -> Any:
    return torch.outer(*[each.reshape(-1) for each in aligned((x, y))])


def einsum(subscripts: str, *operands: Any, optimize: Any = False) -> Any:
    return torch.einsum(subscripts, *aligned(operands))
