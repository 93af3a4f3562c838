"""Where pools have found their largest elements, and back: the elements at these places, zeros elsewhere."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from checkpoint.ad.array_library import namespace, zeros_beside
from checkpoint.prims.arrays import tensor, translated_as
from tensorlib.networks.planes import gathered, planes
from tensorlib.networks.pooling import MAX_POOL, max_saves
from tensorlib.rules import discrete, real_only

Sizes = tuple[int, ...]


def largest_places(
    input: Any, kernel_size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool
) -> Any:
    """Return the place of the largest element of each window in its plane; all sizes are tuples."""
    return _places(namespace((input,)), input, kernel_size, stride, padding, dilation, ceil_mode)


def _places(
    xp: Any, input: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: Any
) -> Any:
    return max_saves(xp, (), input, kernel_size, stride, padding, dilation, ceil_mode)[1][0]


discrete(
    "tensorlib.max_pool_places",
    _places,
    operands=6,
    implements=(largest_places,),
    shape="(n, c, ...) -> (n, c, ...)",
    samples=MAX_POOL.samples,
)


def with_places(input: Any, at: Any, count: Any) -> Any:
    """Return the elements of an input at places in its planes, of so many axes, and the places."""
    flat = np.reshape(input, (*input.shape[:-count], -1))
    found = np.take_along_axis(flat, np.reshape(at, (*at.shape[:-count], -1)), -1)
    return np.reshape(found, at.shape), at


translated_as(with_places, with_places)


def unpooled(input: Any, indices: Any, places: Sizes) -> Any:
    """Return planes of these sizes with the elements at the places `indices`, and zeros elsewhere."""
    return _unpooled(namespace((input,)), input, indices, places)


def _unpooled(xp: Any, input: Any, indices: Any, places: Any) -> Any:
    real_only("max_unpool", input)
    if tuple(indices.shape) != tuple(input.shape):
        raise ValueError(
            f"max_unpool: places of shape {tuple(indices.shape)} for an input of {tuple(input.shape)}"
        )
    lead, _ = planes(input, len(places))
    rows, size = prod(lead), prod(places)
    if prod(input.shape) and not (int(indices.min()) >= 0 and int(indices.max()) < size):
        raise ValueError(f"max_unpool: a place is not within planes of {tuple(places)}")
    whole = zeros_beside(input, (rows, size), input.dtype)
    whole[xp.arange(rows)[:, None], indices.reshape((rows, -1))] = input.reshape((rows, -1))
    return whole.reshape((*lead, *places))


def _unpooled_vjp(xp: Any, g: Any, y: Any, input: Any, indices: Any, places: Any) -> Any:
    return gathered(xp, g, indices, len(places))


def _samples(rng: Any) -> list[tuple[Any, ...]]:
    def at(count: int, size: int, *shape: int) -> Any:
        return np.stack([rng.permutation(size)[:count].reshape(shape) for _ in range(6)]).reshape(
            2, 3, *shape
        )

    return [
        (rng.normal(size=(2, 3, 4)), at(4, 9, 4), (9,)),
        (rng.normal(size=(2, 3, 2, 3)), at(6, 20, 2, 3), (4, 5)),
        (rng.normal(size=(2, 3, 2, 1, 2)).astype("f4"), at(4, 24, 2, 1, 2), (3, 2, 4)),
    ]


tensor(
    "tensorlib.max_unpool",
    _unpooled,
    vjps=(_unpooled_vjp, None, None),
    linear=True,
    needs=((1,), (), ()),
    implements=(unpooled,),
    shape="(n, c, ...), (n, c, ...) -> (n, c, *places)",
    convention="of several elements at one place each has the place's cotangent, as in PyTorch",
    samples=_samples,
)
