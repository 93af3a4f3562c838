"""Arrays as the items that lanes take (`vmap`), and the results of lanes as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.array_library import dtype_kind, namespace_of, zeros_beside
from checkpoint.prims.arrays import tensor
from tensorlib.layout.moving import call, linear

_DOUBLE = 8  # bytes of a float64


def _items(xp: Any, a: Any, axis: int) -> tuple[Any, ...]:
    """Return the items along an axis: floats of an array of float64 that has no other, else arrays."""
    rows = xp.moveaxis(a, axis, 0)
    if rows.ndim == 1 and dtype_kind(a.dtype) == "f" and a.dtype.itemsize == _DOUBLE:
        return tuple(rows.tolist())
    return tuple([rows[i, ...] for i in range(rows.shape[0])])


def _blocks(xp: Any, a: Any, axis: int, ends: Any) -> tuple[Any, ...]:
    """Return the parts along an axis that end before some indices, the last of which is its length."""
    before = (slice(None),) * (axis % a.ndim)
    return tuple([a[(*before, slice(start, end))] for start, end in zip((0, *ends), ends, strict=False)])


def _blocks_vjp(xp: Any, g: Any, y: Any, a: Any, axis: int, ends: Any) -> Any:
    return xp.concatenate(list(g), axis % a.ndim)


def _joined(xp: Any, like: Any, parts: Any, axis: int) -> Any:
    """Return numbers or arrays along a new axis, numbers beside the elements of an array `like`."""
    if not isinstance(parts[0], float | int):
        return xp.stack(list(parts), axis)
    dtype = float if isinstance(parts[0], float) else type(parts[0])  # NumPy's float64 is a float
    whole = zeros_beside(like, (len(parts),), dtype)
    whole[...] = namespace_of(like).asarray(list(parts), dtype=whole.dtype)
    return whole


def _items_vjp(xp: Any, g: Any, y: Any, a: Any, axis: int) -> Any:
    whole = zeros_beside(a, a.shape, a.dtype)
    rows = xp.moveaxis(whole, axis, 0)
    if type(g[0]) is float:
        rows[...] = xp.asarray(list(g), dtype=a.dtype)
        return whole
    for i, part in enumerate(g):
        rows[i, ...] = part
    return whole


def _joined_vjp(xp: Any, g: Any, y: Any, like: Any, parts: Any, axis: int) -> Any:
    found = _items(xp, g, axis)
    if type(found[0]) is float and type(parts[0]) is float:
        return list(found)
    return [
        namespace_of(x).asarray(part, dtype=x.dtype) if hasattr(x, "dtype") else float(part)
        for part, x in zip(found, parts, strict=True)
    ]


def _joined_jvp(tangent: Any, y: Any, like: Any, parts: Any, axis: int) -> Any:
    return call("tensorlib.joined", like, tangent, axis)


ITEMS = linear(
    "tensorlib.items",
    _items,
    _items_vjp,
    views=True,
    shape="(..., n, ...) -> n arrays (..., ...), or n floats",
    samples=lambda rng: [
        (rng.normal(size=3), 0),
        (rng.normal(size=(2, 3)), 0),
        (rng.normal(size=(2, 3, 2)), -2),
    ],
)
BLOCKS = linear(
    "tensorlib.blocks",
    _blocks,
    _blocks_vjp,
    views=True,
    shape="(..., n, ...) -> (..., k, ...), (..., m - k, ...), ..., parts that end before k, m, ...",
    samples=lambda rng: [
        (rng.normal(size=5), 0, (2, 4, 5)),
        (rng.normal(size=(2, 3)), -1, (1, 3)),
        (rng.normal(size=(3, 2)), 0, (2, 3)),
    ],
)
JOINED = tensor(
    "tensorlib.joined",
    _joined,
    vjps=(None, _joined_vjp, None),
    jvps=(None, _joined_jvp, None),
    needs=((), (1,), ()),
    shape="n arrays (..., ...) -> (..., n, ...); n numbers -> (n,)",
    samples=lambda rng: [
        (rng.normal(size=2), [1.5, 2.5], 0),
        (rng.normal(size=2), [rng.normal(size=3), rng.normal(size=3)], 0),
        (rng.normal(size=2), [rng.normal(size=3), rng.normal(size=3)], -1),
        (rng.normal(size=2), [rng.normal(size=()), rng.normal(size=())], 0),
    ],
)


# Batched programs (checkpoint/prims/batched): arrays whose first axis is that of lanes


def _taken_vjp(xp: Any, g: Any, y: Any, a: Any, at: Any) -> Any:
    whole = zeros_beside(a, a.shape, a.dtype)
    whole[at] = g
    return whole


def _merged(xp: Any, parts: Any, at: Any, count: int) -> Any:
    """Return arrays of several groups of lanes as one of `count` lanes; at: the places of each group."""
    first = parts[0]
    whole = zeros_beside(first, (count, *first.shape[1:]), first.dtype)
    for part, places in zip(parts, at, strict=True):
        whole[places] = part
    return whole


def _alike(xp: Any, like: Any, x: Any, count: int) -> Any:
    """Return a number or array once for each lane, beside the elements of an array `like`."""
    if isinstance(x, float | int):
        whole = zeros_beside(like, (count,), type(x))
        whole[...] = x
        return whole
    whole = zeros_beside(x, (count, *x.shape), x.dtype)
    whole[...] = x
    return whole


def _alike_vjp(xp: Any, g: Any, y: Any, like: Any, x: Any, count: int) -> Any:
    whole = xp.sum(g, axis=0)
    return float(whole) if isinstance(x, float | int) else whole


linear(
    "tensorlib.lanes_taken",
    lambda xp, a, at: a[at],
    _taken_vjp,
    needs=((1,),),
    shape="(n, ...), (m,) -> (m, ...), the lanes at some places, no two of them alike",
    samples=lambda rng: [
        (rng.normal(size=(3, 2)), np.array([0, 2])),
        (rng.normal(size=3), np.array([2, 1])),
    ],
)
tensor(
    "tensorlib.lanes_merged",
    _merged,
    vjps=(lambda xp, g, y, parts, at, count: [g[places] for places in at], None, None),
    jvps=(
        lambda tangent, y, parts, at, count: call("tensorlib.lanes_merged", tangent, at, count),
        None,
        None,
    ),
    needs=((1,), (), ()),
    shape="(n, ...), (m, ...), ... -> (n + m + ..., ...), each lane at the place that it is given",
    samples=lambda rng: [
        ([rng.normal(size=(2, 2)), rng.normal(size=(1, 2))], [np.array([0, 2]), np.array([1])], 3),
    ],
)
tensor(
    "tensorlib.lanes_alike",
    _alike,
    vjps=(None, _alike_vjp, None),
    jvps=(
        None,
        lambda tangent, y, like, x, count: call("tensorlib.lanes_alike", like, tangent, count),
        None,
    ),
    needs=((), (1,), ()),
    shape="(...) -> (n, ...), n times the same",
    samples=lambda rng: [
        (rng.normal(size=2), 1.5, 3),
        (rng.normal(size=2), rng.normal(size=(2, 3)), 2),
    ],
)
