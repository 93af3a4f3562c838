"""Arrays of another shape or dtype, with the same elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.array_library import as_dtype, zeros_beside
from checkpoint.prims.arrays import tensor
from tensorlib.layout.moving import (
    as_axes,
    by_positions,
    call,
    in_place_of,
    linear,
    listed,
    matrices,
    shape_now,
    viewed,
    with_options,
)
from tensorlib.rules import tangent_array, unbroadcast


def _float_vjp(xp: Any, g: float, y: float, x: Any) -> Any:
    whole = zeros_beside(x, x.shape, x.dtype)
    whole[...] = g
    return whole


FLOAT = tensor(
    "np.float",
    lambda xp, x: float(x),
    vjps=(_float_vjp,),
    linear=True,
    needs=((0,),),  # a float tells neither the library nor the device
    overloads=("py.float",),
    shape="() -> a float",
    samples=lambda rng: [(rng.normal(size=()),), (np.float64(2.5),)],
)
ASTYPE = tensor(
    "np.astype",
    lambda xp, x, dtype: as_dtype(x, dtype),
    vjps=(lambda xp, g, y, x, dtype: unbroadcast(xp, g, x), None),
    linear=True,
    needs=((), ()),
    implements=(np.astype,) if hasattr(np, "astype") else (),
    methods=("astype",),
    shape="that of the array",
    samples=lambda rng: [
        (rng.normal(size=3), np.dtype(np.float32)),
        (rng.normal(size=(2, 2)), np.dtype(float)),
    ],
)


def _conversion(kind: Any) -> Any:
    """Register a dtype as a function."""
    large = np.dtype(kind).itemsize > 2 or np.dtype(kind).kind != "f"
    return linear(
        f"np.{kind.__name__}",
        lambda xp, x: getattr(xp, kind.__name__)(x),
        lambda xp, g, y, x: g,
        needs=((),),
        implements=(kind,),
        shape="that of the array",
        samples=lambda rng: [(2,), *[(x,) for x in (rng.normal(size=3), 1.5, rng.normal(size=())) if large]],
    )


FLOAT64 = _conversion(np.float64)
FLOAT32, FLOAT16 = _conversion(np.float32), _conversion(np.float16)
INT64, INT32, INT16, INT8 = (_conversion(kind) for kind in (np.int64, np.int32, np.int16, np.int8))
UINT64, UINT32, UINT8 = (_conversion(kind) for kind in (np.uint64, np.uint32, np.uint8))
BOOL = _conversion(np.bool_)


def _to_shape(xp: Any, g: Any, y: Any, x: Any, *rest: Any) -> Any:
    return g.reshape(x.shape)


def _sized(rng: Any) -> list[tuple[Any, ...]]:
    x = rng.normal(size=(3, 4))
    return [
        (x, (2, 6)),
        (x, -1),
        (x.T, (2, -1)),
        (x, 12),
        (x, (3, 4)),
        (rng.normal(size=()), (1, 1)),
        (rng.normal(size=(0, 3)), (3, 0)),
        ([1.0, 2.0, 3.0, 4.0], (2, 2)),
    ]


RESHAPE = linear(
    "np.reshape",
    lambda xp, a, shape: viewed(xp.reshape(a, shape), a),
    _to_shape,
    operator="reshape",
    views=True,
    implements=(np.reshape,),
    shape="the one asked for, of as many elements",
    samples=_sized,
)
RESHAPE_METHOD = linear(
    "array.reshape",
    lambda xp, a, *shape: viewed(a.reshape(*shape), a),
    _to_shape,
    operator="reshape",
    views=True,
    methods=("reshape",),
    shape="the one asked for, of as many elements; x.reshape(2, 3) and x.reshape((2, 3))",
    samples=lambda rng: [(rng.normal(size=(3, 4)), 2, -1), (rng.normal(size=(3, 4)).T, (2, 6))],
)
RAVEL = linear(
    "np.ravel",
    lambda xp, a: viewed(xp.ravel(a), a),
    _to_shape,
    operator="reshape",
    views=True,
    implements=(np.ravel,),
    methods=("ravel",),
    shape="(...) -> (size,)",
    samples=matrices,
)
FLATTEN = linear(
    "array.flatten",
    lambda xp, a: a.flatten(),
    _to_shape,
    operator="reshape",
    methods=("flatten",),
    shape="(...) -> (size,), a copy",
    samples=matrices,
)
SQUEEZE = linear(
    "np.squeeze",
    lambda xp, a, axis=None: viewed(xp.squeeze(a, axis), a),
    _to_shape,
    operator="reshape",
    views=True,
    implements=(np.squeeze,),
    methods=("squeeze",),
    shape="without axes of length 1",
    samples=lambda rng: [
        (rng.normal(size=(1, 3, 1)),),
        (rng.normal(size=(1, 3, 1)), -1),
        (rng.normal(size=(1, 3, 1)), (0, 2)),
        (rng.normal(size=3),),
        (rng.normal(size=()),),
    ],
)
EXPAND_DIMS = linear(
    "np.expand_dims",
    lambda xp, a, axis: xp.expand_dims(a, axis),
    _to_shape,
    operator="reshape",
    views=True,
    implements=(np.expand_dims,),
    shape="with an axis of length 1, or several",
    samples=lambda rng: [(x, i) for (x,) in matrices(rng) for i in (0, -1, (0, 1))],
)

# Orders of axes


def _transposed(xp: Any, g: Any, y: Any, x: Any, *axes: Any) -> Any:
    given = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None
    if given is None:
        return xp.transpose(g)
    order = as_axes(given, len(given))
    back = sorted(range(len(order)), key=lambda i: order[i])
    return xp.transpose(g, back)


TRANSPOSE = linear(
    "np.transpose",
    lambda xp, a, axes=None: xp.transpose(a, axes),
    _transposed,
    views=True,
    implements=(np.transpose,),
    shape="(n, m, ...) -> (..., m, n), or the axes in the order asked for",
    samples=lambda rng: [
        *matrices(rng),
        (rng.normal(size=(2, 3, 4)), (1, 2, 0)),
        (rng.normal(size=(2, 3, 4)), (-1, 0, 1)),
        ([[1.0, 2.0], [3.0, 4.0]],),
    ],
)
TRANSPOSE_METHOD = linear(
    "array.transpose",
    lambda xp, a, *axes: a.transpose(*axes),
    _transposed,
    views=True,
    methods=("transpose",),
    shape="as np.transpose; x.transpose(1, 0) and x.transpose((1, 0))",
    samples=lambda rng: [
        (rng.normal(size=(2, 3, 4)), 1, 2, 0),
        (rng.normal(size=(2, 3, 4)), (1, 2, 0)),
        (rng.normal(size=(2, 3)),),
        (rng.normal(size=(2, 3)), None),
    ],
)
SWAPAXES = linear(
    "np.swapaxes",
    lambda xp, a, axis1, axis2: xp.swapaxes(a, axis1, axis2),
    lambda xp, g, y, a, axis1, axis2: xp.swapaxes(g, axis1, axis2),
    views=True,
    implements=(np.swapaxes,),
    methods=("swapaxes",),
    shape="with two axes exchanged",
    samples=with_options((0, 1), (-1, 0), low=2),
)
MOVEAXIS = linear(
    "np.moveaxis",
    lambda xp, a, source, destination: xp.moveaxis(a, source, destination),
    lambda xp, g, y, a, source, destination: xp.moveaxis(g, destination, source),
    views=True,
    implements=(np.moveaxis,),
    shape="with axes moved",
    samples=with_options((0, 1), (-1, 0), ((0, 1), (-1, -2)), low=2),
)
ROLLAXIS = linear(
    "np.rollaxis",
    lambda xp, a, axis, start=0: xp.rollaxis(a, axis, start),
    by_positions(lambda xp, a, axis, start=0: xp.rollaxis(a, axis, start)),
    views=True,
    implements=(np.rollaxis,),
    shape="with an axis moved",
    samples=with_options((1,), (-1, 0), (0, 2), low=2),
)
PERMUTE_DIMS = linear(
    "np.matrix_transpose",
    lambda xp, x: xp.swapaxes(x, -1, -2),
    lambda xp, g, y, x: xp.swapaxes(g, -1, -2),
    views=True,
    implements=(np.matrix_transpose, np.linalg.matrix_transpose),
    shape="(..., n, m) -> (..., m, n)",
    samples=with_options((), low=2),
)

# Broadcasting

BROADCAST_TO = linear(
    "np.broadcast_to",
    lambda xp, array, shape: viewed(xp.broadcast_to(array, shape), array),
    lambda xp, g, y, array, shape: unbroadcast(xp, g, array),
    views=True,
    implements=(np.broadcast_to,),
    shape="the one asked for, to which that of the array broadcasts",
    samples=lambda rng: [
        (rng.normal(size=(1, 4)), (3, 4)),
        (rng.normal(size=()), (2,)),
        (rng.normal(size=(3, 4)), (2, 3, 4)),
        (rng.normal(size=4), 4),
        (2.5, (2, 2)),
        (rng.normal(size=(1, 3)), (0, 3)),
    ],
)


def _broadcast(xp: Any, *args: Any) -> Any:
    if not any(hasattr(x, "dtype") for x in args):
        args = tuple([xp.asarray(x) for x in args])
    return tuple([viewed(part, x) for part, x in zip(xp.broadcast_arrays(*args), args, strict=True)])


def _first(g: Any) -> Any:
    """Return the first cotangent of several that there is."""
    return next((part for part in g if part is not None), None)


def _broadcast_vjp(xp: Any, g: Any, y: Any, *args: Any, position: int) -> Any:
    if g[position] is None:
        return zeros_beside(_first(g), args[position].shape, args[position].dtype)
    return unbroadcast(xp, g[position], args[position])


def _broadcast_jvp(tangent: Any, y: Any, *args: Any, position: int) -> Any:
    part = call("np.broadcast_to", tangent, shape_now(y.items[position]))
    return in_place_of(part, y.items, position)


BROADCAST_ARRAYS = tensor(
    "np.broadcast_arrays",
    _broadcast,
    vjps=(_broadcast_vjp,),
    jvps=(_broadcast_jvp,),
    views=True,
    implements=(np.broadcast_arrays,),
    shape="all operands broadcast together",
    samples=lambda rng: [
        (rng.normal(size=(3, 1)), rng.normal(size=4)),
        (rng.normal(size=(3, 1)), 2.0, np.arange(2)),
        (rng.normal(size=2),),
    ],
)


def _at_least(name: str, function: Any) -> Any:
    def value(xp: Any, *arys: Any) -> Any:
        if len(arys) == 1:
            return viewed(getattr(xp, name)(arys[0]), arys[0])
        return tuple([viewed(getattr(xp, name)(x), x) for x in arys])

    def vjp(xp: Any, g: Any, y: Any, *arys: Any, position: int) -> Any:
        x = arys[position]
        part = g[position] if len(arys) > 1 else g
        if not hasattr(x, "dtype"):
            shape = np.shape(x)
            return listed(xp, xp.zeros(shape) if part is None else part.reshape(shape), x)
        return zeros_beside(_first(g), x.shape, x.dtype) if part is None else part.reshape(x.shape)

    def jvp(tangent: Any, y: Any, *arys: Any, position: int) -> Any:
        tangent = tangent_array(tangent)
        if len(arys) == 1:
            return call("np.reshape", tangent, shape_now(y))
        return in_place_of(call("np.reshape", tangent, shape_now(y.items[position])), y.items, position)

    return tensor(
        f"np.{name}",
        value,
        vjps=(vjp,),
        jvps=(jvp,),
        views=True,
        implements=(function,),
        shape="with axes of length 1 added, until there are as many",
        samples=lambda rng: [
            *matrices(rng),
            (2.5,),
            ([1.5, 2.5],),
            (rng.normal(size=()), rng.normal(size=(2, 3)), 1.5),
        ],
    )


ATLEAST_1D = _at_least("atleast_1d", np.atleast_1d)
ATLEAST_2D = _at_least("atleast_2d", np.atleast_2d)
ATLEAST_3D = _at_least("atleast_3d", np.atleast_3d)
