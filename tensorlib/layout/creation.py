"""New arrays: of given elements, of one number, of steps between two."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.prims.arrays import tensor
from tensorlib.layout.moving import call, linear, matrices, shape_now, viewed
from tensorlib.rules import discrete, unbroadcast

_SHAPES = [((2, 3),), (4,), ((),), ((0, 2),)]


def _nested(rng: Any) -> list[tuple[Any, ...]]:
    x, y = rng.normal(size=(2, 3))
    return [
        ([1.5, 2.5],),
        ([[1.5, 2], [3.5, 4.5]],),
        ([x, y],),
        ([[x[0], 2.0], (y[0], y[1])],),
        ((x, [1.0, 2.0, 3.0]),),
        ([x, np.arange(3)],),
        (2.5,),
        (x,),
        ([],),
        ([x.astype("float32"), y],),
    ]


def _array(xp: Any, object: Any, dtype: Any = None, ndmin: int = 0) -> Any:
    return xp.array(object, dtype, ndmin=ndmin)


ARRAY = linear(
    "np.array",
    _array,
    lambda xp, g, y, object, *rest: g.reshape(object.shape),
    needs=((0,),),
    operator="array",
    implements=(np.array,),
    shape="that of the nested list",
    samples=lambda rng: [*_nested(rng), ([1.0, 2.0], None, 2), ([1.5, 2.5], np.dtype("float32"))],
)
ASARRAY = linear(
    "np.asarray",
    lambda xp, a, dtype=None: viewed(xp.asarray(a, dtype), a),
    lambda xp, g, y, a, *rest: g,
    needs=((0,),),
    operator="array",
    views=True,
    implements=(np.asarray, np.asanyarray),
    shape="that of the nested list",
    samples=_nested,
)
COPY = linear(
    "np.copy",
    lambda xp, a: xp.array(a),
    lambda xp, g, y, a: g,
    needs=((0,),),
    implements=(np.copy,),
    shape="that of the array, and its order in memory",
    samples=matrices,
)
COPIED = linear(
    "array.copy",
    lambda xp, a: xp.array(a, order="C") if hasattr(a, "__setitem__") else a.copy(),
    lambda xp, g, y, a: g,
    methods=("copy",),
    shape="that of the array; the last axis is contiguous, so sums add in the order of NumPy's",
    samples=matrices,
)

# Of one number

ZEROS = discrete(
    "np.zeros",
    lambda xp, shape, dtype=float: xp.zeros(shape, dtype),
    2,
    implements=(np.zeros,),
    shape="the one asked for",
    samples=lambda rng: _SHAPES,
)
EMPTY = discrete(
    "np.empty",
    lambda xp, shape, dtype=float: xp.zeros(shape, dtype),
    2,
    implements=(np.empty,),
    shape="the one asked for; all elements are 0",
    samples=lambda rng: _SHAPES,
)
ONES = discrete(
    "np.ones",
    lambda xp, shape, dtype=None: xp.ones(shape, dtype),
    2,
    implements=(np.ones,),
    shape="the one asked for",
    samples=lambda rng: _SHAPES,
)
EYE = discrete(
    "np.eye",
    lambda xp, N, M=None, k=0, dtype=float: xp.eye(N, M, k, dtype),
    4,
    implements=(np.eye,),
    shape="(N, M)",
    samples=lambda rng: [(3,), (2, 3, 1)],
)
IDENTITY = discrete(
    "np.identity",
    lambda xp, n, dtype=None: xp.identity(n, dtype),
    2,
    implements=(np.identity,),
    shape="(n, n)",
    samples=lambda rng: [(3,)],
)
TRI = discrete(
    "np.tri",
    lambda xp, N, M=None, k=0, dtype=float: xp.tri(N, M, k, dtype),
    4,
    implements=(np.tri,),
    shape="(N, M)",
    samples=lambda rng: [(3,), (2, 3, 1)],
)


def _like(name: str, function: Any, make: str, methods: tuple[str, ...] = ()) -> Any:
    return discrete(
        f"np.{name}",
        lambda xp, a, dtype=None, shape=None: getattr(xp, make)(a, dtype, shape=shape),
        3,
        implements=(function,),
        methods=methods,
        shape="that of the array",
        samples=matrices,
    )


ZEROS_LIKE = _like("zeros_like", np.zeros_like, "zeros_like")
ONES_LIKE = _like("ones_like", np.ones_like, "ones_like")
EMPTY_LIKE = _like("empty_like", np.empty_like, "zeros_like")


def _filled(name: str) -> Any:
    """Return the rule for the tangent of the number that fills an array."""
    return lambda tangent, y, first, fill_value, *rest: call(name, first, tangent, *rest)


FULL = tensor(
    "np.full",
    lambda xp, shape, fill_value, dtype=None: xp.full(shape, fill_value, dtype),
    vjps=(None, lambda xp, g, y, shape, fill_value, *rest: unbroadcast(xp, g, fill_value), None),
    jvps=(None, _filled("np.full"), None),
    needs=((),) * 3,
    implements=(np.full,),
    shape="the one asked for",
    samples=lambda rng: [((2, 3), 1.5), (3, rng.normal(size=())), ((2, 3), rng.normal(size=3)), ((0,), 2.0)],
)


def _full_like(xp: Any, a: Any, fill_value: Any, dtype: Any = None) -> Any:
    return xp.full_like(a, fill_value, dtype)


FULL_LIKE = tensor(
    "np.full_like",
    _full_like,
    vjps=(None, lambda xp, g, y, a, fill_value, *rest: unbroadcast(xp, g, fill_value), None),
    jvps=(
        None,
        lambda tangent, y, a, fill_value, *rest: call("np.broadcast_to", tangent, shape_now(y)),
        None,
    ),
    needs=((),) * 3,
    implements=(np.full_like,),
    shape="that of the array",
    samples=lambda rng: [(np.zeros((2, 3)), 1.5), (np.zeros(3), rng.normal(size=()))],
)
