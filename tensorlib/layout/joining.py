"""Arrays put together, taken apart, with elements inserted and deleted."""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import accumulate, pairwise
from math import prod
from typing import Any

import numpy as np

from checkpoint.ad.array_library import zeros_beside
from checkpoint.prims.arrays import tensor
from tensorlib.layout.moving import Outline, along, call, copied, is_list, linear, listed, shape_of
from tensorlib.moves import moved
from tensorlib.rules import stacked, zeroed

Rule = Callable[..., Any]


def _parts(arrays: Any) -> list[Any]:
    """Return the arrays that are joined: the items of a list, or the rows of an array."""
    if hasattr(arrays, "dtype"):
        return [Outline(tuple(arrays.shape[1:]), arrays.dtype)] * int(arrays.shape[0])
    return list(arrays)


def _as_it_is(xp: Any, part: Any) -> Any:
    return part


def _shape_as(normal: Rule, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that an array of this one has as a part that is joined."""
    return shape if normal is _as_it_is else _normal_shape(normal, shape)


@functools.lru_cache(1000)
def _normal_shape(normal: Rule, shape: tuple[int, ...]) -> tuple[int, ...]:
    found: tuple[int, ...] = normal(np, np.broadcast_to(np.zeros(()), shape)).shape
    return found


def _joins(name: str, function: Any, normal: Rule, axis_of: Rule, **fields: Any) -> Any:
    """Register a function that puts arrays together along an axis.

    normal(xp, part): a part as it is joined; axis_of(parts, *rest): along which axis, for parts in that form.
    """

    def vjp(xp: Any, g: Any, y: Any, arrays: Any, *rest: Any) -> Any:
        parts = _parts(arrays)
        forms = [xp.empty(shape_of(part)) if is_list(part) else part for part in parts]
        shapes = [_shape_as(normal, shape_of(part)) for part in forms]
        axis = axis_of(shapes, *rest)
        if axis is None:
            shapes, g = [(int(np.prod(shape)),) for shape in shapes], g.reshape(-1)
            axis = 0
        ends = list(accumulate([shape[axis] for shape in shapes], initial=0))
        before = (slice(None),) * axis
        pieces = [g[(*before, slice(start, end))] for start, end in pairwise(ends)]
        given = [
            listed(xp, piece.reshape(shape_of(part)), part) for piece, part in zip(pieces, parts, strict=True)
        ]
        return xp.stack(given) if hasattr(arrays, "dtype") else given

    rest = fields.pop("rest", 0)
    return tensor(
        f"np.{name}",
        fields.pop("value"),
        vjps=(vjp, *[None] * rest),
        jvps=(along(f"np.{name}"), *[None] * rest),
        needs=((),),
        implements=function if isinstance(function, tuple) else (function,),
        **fields,
    )


def _pair(rng: Any) -> tuple[Any, Any]:
    return rng.normal(size=(2, 3)), rng.normal(size=(2, 3))


def _axis(shapes: Any, axis: Any = 0) -> Any:
    return axis if axis is None else axis % len(shapes[0])


CONCATENATE = _joins(
    "concatenate",
    np.concatenate,
    _as_it_is,
    _axis,
    value=lambda xp, arrays, axis=0: xp.concatenate(arrays, axis),
    rest=1,
    shape="(..., n, ...), (..., m, ...) -> (..., n + m, ...)",
    samples=lambda rng: [
        (list(_pair(rng)),),
        (_pair(rng), -1),
        ([*_pair(rng), np.arange(6).reshape(2, 3)], 0),
        (list(_pair(rng)), None),
        ([rng.normal(size=(0, 2)), rng.normal(size=(3, 2)).T[::2].T[:, :2].reshape(-1, 1).repeat(2, 1)],),
        ([rng.normal(size=2), [1.0, 2, 3.0]],),
        (rng.normal(size=(2, 3, 2)), 1),
        ([rng.normal(size=2), rng.normal(size=1), rng.normal(size=3)],),
    ],
)


def _stack_vjp(xp: Any, g: Any, y: Any, arrays: Any, axis: int = 0) -> Any:
    return moved(xp, g, axis, 0)


STACK = linear(
    "np.stack",
    lambda xp, arrays, axis=0: xp.stack(arrays, axis),
    _stack_vjp,
    implements=(np.stack,),
    shape="k times (n, ...) -> (k, n, ...)",
    samples=lambda rng: [
        (list(_pair(rng)),),
        (_pair(rng), -1),
        ([*_pair(rng), np.arange(6).reshape(2, 3)], 1),
        ([rng.normal(size=()), 2.0, rng.normal(size=()), 1],),
        (rng.normal(size=(2, 3)), 1),
    ],
)
VSTACK = _joins(
    "vstack",
    np.vstack,
    lambda xp, part: xp.atleast_2d(part),
    lambda shapes: 0,
    value=lambda xp, tup: xp.vstack(tup),
    shape="(n, k), (m, k) -> (n + m, k); (k,) is a row",
    samples=lambda rng: [(list(_pair(rng)),), ([rng.normal(size=3), *_pair(rng)],), ([1.0, 2.0, 3],)],
)
HSTACK = _joins(
    "hstack",
    np.hstack,
    lambda xp, part: xp.atleast_1d(part),
    lambda shapes: min(1, len(shapes[0]) - 1),
    value=lambda xp, tup: xp.hstack(tup),
    shape="(k, n), (k, m) -> (k, n + m); (n,), (m,) -> (n + m,)",
    samples=lambda rng: [
        (list(_pair(rng)),),
        ([rng.normal(size=3), rng.normal(size=2)],),
        ([1.0, rng.normal(size=2), 3],),
        ([rng.normal(size=3), [0.5, 1.5]],),
    ],
)
COLUMN_STACK = _joins(
    "column_stack",
    np.column_stack,
    lambda xp, part: part if part.ndim > 1 else part.reshape(-1, 1),
    lambda shapes: 1,
    value=lambda xp, tup: xp.column_stack(tup),
    shape="(k,), (k, m) -> (k, 1 + m)",
    samples=lambda rng: [(list(_pair(rng)),), ([rng.normal(size=2), *_pair(rng)],)],
)
DSTACK = _joins(
    "dstack",
    np.dstack,
    lambda xp, part: xp.atleast_3d(part),
    lambda shapes: 2,
    value=lambda xp, tup: xp.dstack(tup),
    shape="(n, k), (n, k) -> (n, k, 2)",
    samples=lambda rng: [(list(_pair(rng)),), ([rng.normal(size=2), rng.normal(size=2)],)],
)


def _append_vjp(position: int) -> Rule:
    def vjp(xp: Any, g: Any, y: Any, arr: Any, values: Any, axis: Any = None) -> Any:
        whole, along_axis = (g.reshape(-1), 0) if axis is None else (g, axis)
        first = shape_of(arr)[axis] if axis is not None else prod(shape_of(arr))
        part = slice(first, None) if position else slice(None, first)
        piece = whole[(*[slice(None)] * (along_axis % whole.ndim), part)]
        operand = (arr, values)[position]
        return listed(xp, piece.reshape(shape_of(operand)), operand)

    return vjp


def _append_jvp(position: int) -> Rule:
    def jvp(tangent: Any, y: Any, arr: Any, values: Any, axis: Any = None) -> Any:
        other = call("np.zeros_like", values if position == 0 else arr, None)
        other = call("np.astype", other, float)
        pair = (zeroed(tangent), other) if position == 0 else (other, zeroed(tangent))
        return call("np.append", *pair, axis)

    return jvp


APPEND = tensor(
    "np.append",
    lambda xp, arr, values, axis=None: xp.append(arr, values, axis),
    vjps=(_append_vjp(0), _append_vjp(1), None),
    jvps=(_append_jvp(0), _append_jvp(1), None),
    needs=((), (), ()),
    implements=(np.append,),
    shape="(n,), (m,) -> (n + m,)",
    samples=lambda rng: [
        _pair(rng),
        (*_pair(rng), 1),
        (*_pair(rng), -2),
        (rng.normal(size=3), 2.5),
        (rng.normal(size=3), [2.5, 1.5]),
        (rng.normal(size=3), 2),
    ],
)


def _block_vjp(xp: Any, g: Any, y: Any, arrays: Any) -> Any:
    """Return for each array the cotangent at the positions of its own elements."""
    sizes: list[int] = []

    def numbered(part: Any) -> Any:
        if is_list(part):
            return [numbered(item) for item in part]
        shape = shape_of(part)
        start = sum(sizes)
        sizes.append(int(np.prod(shape)))
        return xp.arange(start, start + sizes[-1]).reshape(shape)

    source = xp.block(numbered(arrays))
    whole = zeros_beside(g, sum(sizes), g.dtype)
    whole[source.ravel()] = g.ravel()
    pieces = iter(xp.split(whole, np.cumsum(sizes)[:-1]))

    def taken(part: Any) -> Any:
        if is_list(part):
            return [taken(item) for item in part]
        return listed(xp, next(pieces).reshape(shape_of(part)), part)

    return taken(arrays)


BLOCK = tensor(
    "np.block",
    lambda xp, arrays: xp.block(arrays),
    vjps=(_block_vjp,),
    jvps=(along("np.block"),),
    needs=((),),
    implements=(np.block,),
    shape="blocks of blocks, the innermost lists along the last axis",
    samples=lambda rng: [
        (
            [
                [rng.normal(size=(2, 2)), np.zeros((2, 1), int)],
                [rng.normal(size=(1, 2)), rng.normal(size=(1, 1))],
            ],
        ),
        ([rng.normal(size=2), 2.5, 1],),
    ],
)

# Taken apart


def _splits(name: str, function: Any, axis_of: Rule | None) -> Any:
    """Register a function that takes an array apart; axis_of: along which axis, None: the caller says."""

    def vjp(xp: Any, g: Any, y: Any, ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
        return xp.concatenate(list(g), axis if axis_of is None else axis_of(ary.ndim))

    def along_axis(xp: Any, ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
        return list(getattr(xp, name)(ary, indices_or_sections, axis))

    def along_its_own(xp: Any, ary: Any, indices_or_sections: Any) -> Any:
        return list(getattr(xp, name)(ary, indices_or_sections))

    options = [(2, -1), ([1], 0), ([1, 2], 1)] if axis_of is None else [(2,), ([1],)]
    return linear(
        f"np.{name}",
        along_axis if axis_of is None else along_its_own,
        vjp,
        views=True,
        implements=(function,),
        shape="an axis of length n into pieces",
        samples=lambda rng: [
            (x, *option)
            for option in options
            for x in (rng.normal(size=(2, 4, 2)), rng.normal(size=(4, 4)).T)
        ],
    )


SPLIT = _splits("split", np.split, None)
ARRAY_SPLIT = _splits("array_split", np.array_split, None)
HSPLIT = _splits("hsplit", np.hsplit, lambda ndim: min(1, ndim - 1))
VSPLIT = _splits("vsplit", np.vsplit, lambda ndim: 0)
DSPLIT = linear(
    "np.dsplit",
    lambda xp, ary, indices_or_sections: list(xp.dsplit(ary, indices_or_sections)),
    lambda xp, g, y, ary, indices_or_sections: xp.concatenate(list(g), 2),
    views=True,
    implements=(np.dsplit,),
    shape="(n, m, k) -> pieces (n, m, i)",
    samples=lambda rng: [(rng.normal(size=(2, 3, 4)), 2), (rng.normal(size=(2, 3, 4)), [1, 3])],
)

UNSTACK = linear(
    "np.unstack",
    lambda xp, x, axis=0: tuple(xp.unstack(x, axis=axis)),
    lambda xp, g, y, x, axis=0: xp.stack(list(g), axis),
    views=True,
    implements=(np.unstack,) if hasattr(np, "unstack") else (),
    shape="k slices along an axis",
    samples=lambda rng: [(rng.normal(size=(2, 3)),), (rng.normal(size=(2, 3)), -1)],
)

# Elements inserted and deleted

DELETE = copied(
    "np.delete",
    lambda xp, arr, obj, axis=None: xp.delete(arr, obj, axis),
    needs=((1,),),
    implements=(np.delete,),
    shape="without some elements, rows, ...",
    samples=lambda rng: [
        (rng.normal(size=(3, 4)), 1, 0),
        (rng.normal(size=(3, 4)), [0, 2], -1),
        (rng.normal(size=(3, 4)).T, slice(0, 2), 0),
        (rng.normal(size=(3, 4)), 5),
        (rng.normal(size=3), np.array([True, False, True])),
    ],
)


def _insert_positions(xp: Any, arr: Any, obj: Any, values: Any, axis: Any, of_values: bool) -> Any:
    """Return for each element of the result its position in an operand; -1: it is of the other one."""
    shape = shape_of(values)
    size = int(np.prod(shape))
    own = xp.arange(size).reshape(shape) if of_values else xp.full(shape, -1)
    whole = shape_of(arr)
    rest = xp.full(whole, -1) if of_values else xp.arange(prod(whole)).reshape(whole)
    return xp.insert(rest, obj, own, axis)


def _insert_vjp(of_values: bool) -> Rule:
    def vjp(xp: Any, g: Any, y: Any, arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
        source = _insert_positions(xp, arr, obj, values, axis, of_values)
        operand = values if of_values else arr
        shape = shape_of(operand)
        whole = zeros_beside(g, int(np.prod(shape)) + 1, g.dtype)
        xp.add.at(whole, source.ravel(), g.ravel())
        return listed(xp, whole[:-1].reshape(shape), operand)

    return vjp


def _insert_jvp(of_values: bool) -> Rule:
    def jvp(tangent: Any, y: Any, arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
        if not of_values:
            return call("np.insert", zeroed(tangent), obj, 0.0, axis)
        zeros = call("np.astype", call("np.zeros_like", stacked(arr), None), float)
        return call("np.insert", zeros, obj, zeroed(tangent), axis)

    return jvp


INSERT = tensor(
    "np.insert",
    lambda xp, arr, obj, values, axis=None: xp.insert(arr, obj, values, axis),
    vjps=(_insert_vjp(False), None, _insert_vjp(True), None),
    jvps=(_insert_jvp(False), None, _insert_jvp(True), None),
    needs=((1,), (), (1,), ()),
    implements=(np.insert,),
    shape="with elements, rows, ... inserted",
    samples=lambda rng: [
        (rng.normal(size=4), 1, 2.5),
        (rng.normal(size=4), [1, 3], rng.normal(size=2)),
        (rng.normal(size=(2, 3)), 1, rng.normal(size=3), 0),
        (rng.normal(size=(2, 3)), 1, 1.5, -1),
        (rng.normal(size=(2, 3)), 1, 1.5),
    ],
)
