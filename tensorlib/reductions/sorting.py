"""Order: sorting, searching, elements that differ."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from checkpoint.ad.array_library import zeros_beside
from checkpoint.prims.arrays import tensor
from tensorlib.layout.moving import call, is_list, listed, matrices, with_options
from tensorlib.rules import discrete, tangent_array


def _of_lists(vjp: Callable[..., Any]) -> Callable[..., Any]:
    """Return the rule of an array for one that may be a list of numbers, too."""

    def rule(xp: Any, g: Any, y: Any, a: Any, *rest: Any) -> Any:
        if not is_list(a):
            return vjp(xp, g, y, a, *rest)
        return listed(xp, vjp(xp, g, y, xp.asarray(a), *rest), a)

    return rule


def _in_order(xp: Any, like: Any, order: Any, g: Any, axis: Any) -> Any:
    """Return the cotangent of an array whose elements were taken in an order along an axis."""
    if axis is None:
        whole = zeros_beside(g, prod(like.shape), g.dtype)
        whole[order] = g
        return whole.reshape(like.shape)
    whole = zeros_beside(g, like.shape, g.dtype)
    if like.ndim:
        xp.put_along_axis(whole, order, g, axis)
        return whole
    return g


def _sort_vjp(xp: Any, g: Any, y: Any, a: Any, axis: Any = -1, kind: Any = None) -> Any:
    return _in_order(xp, a, xp.argsort(a, axis, kind="stable"), g, axis)


def _sort_jvp(tangent: Any, y: Any, a: Any, axis: Any = -1, kind: Any = None) -> Any:
    order = call("np.argsort", a, axis, "stable")
    return call("np.take_along_axis", tangent_array(tangent), order, axis)


_AXES = with_options((), (0,), (None,), low=1)
SORT = tensor(
    "np.sort",
    lambda xp, a, axis=-1, kind=None: xp.sort(a, axis, kind),
    vjps=(_of_lists(_sort_vjp), None, None),
    jvps=(_sort_jvp, None, None),
    needs=((0,), (), ()),
    implements=(np.sort,),
    overloads=("py.array-sorted",),
    shape="that of the array",
    convention="of equal elements the first stays the first, and its derivative goes with it",
    samples=_AXES,
)


def _sort_in_place(xp: Any, a: Any, axis: Any = -1, kind: Any = None) -> Any:
    a.sort(axis, kind)
    return a


SORT_METHOD = tensor(
    "array.sort",
    lambda xp, a, axis=-1, kind=None: xp.sort(a, axis, kind),
    vjps=(_sort_vjp, None, None),
    jvps=(_sort_jvp, None, None),
    needs=((0,), (), ()),
    changes=True,
    in_place=_sort_in_place,
    methods=("sort",),
    shape="that of the array",
    convention="as np.sort",
    samples=with_options((), (0,), low=1),
)
ARGSORT = discrete(
    "np.argsort",
    lambda xp, a, axis=-1, kind=None: xp.argsort(a, axis, kind),
    3,
    implements=(np.argsort,),
    methods=("argsort",),
    shape="that of the array",
    samples=_AXES,
)
PARTITION = tensor(
    "np.partition",
    lambda xp, a, kth, axis=-1: xp.take_along_axis(xp.asarray(a), xp.argpartition(a, kth, axis), axis),
    vjps=(
        _of_lists(lambda xp, g, y, a, kth, axis=-1: _in_order(xp, a, xp.argpartition(a, kth, axis), g, axis)),
        None,
        None,
    ),
    jvps=(
        lambda t, y, a, kth, axis=-1: call(
            "np.take_along_axis", tangent_array(t), call("np.argpartition", a, kth, axis), axis
        ),
        None,
        None,
    ),
    needs=((0, 1), (), ()),
    implements=(np.partition,),
    shape="that of the array",
    samples=lambda rng: [
        (rng.normal(size=(4, 5)), 2),
        (rng.normal(size=(4, 5)), 1, 0),
        (rng.normal(size=6), (1, 3)),
        (rng.normal(size=(2, 3)), 3, None),
    ],
)
ARGPARTITION = discrete(
    "np.argpartition",
    lambda xp, a, kth, axis=-1: xp.argpartition(a, kth, axis),
    3,
    implements=(np.argpartition,),
    methods=("argpartition",),
    shape="that of the array",
    samples=lambda rng: [(rng.normal(size=(4, 5)), 2)],
)
LEXSORT = discrete(
    "np.lexsort",
    lambda xp, keys, axis=-1: xp.lexsort(keys, axis),
    2,
    implements=(np.lexsort,),
    shape="(k, n) -> (n,)",
    samples=lambda rng: [((rng.normal(size=4), np.array([1, 0, 1, 0])),)],
)
SEARCHSORTED = discrete(
    "np.searchsorted",
    lambda xp, a, v, side="left", sorter=None: xp.searchsorted(a, v, side, sorter),
    4,
    implements=(np.searchsorted,),
    methods=("searchsorted",),
    shape="that of the second operand",
    samples=lambda rng: [
        (np.sort(rng.normal(size=5)), rng.normal(size=(2, 3))),
        (np.arange(3.0), 1.5, "right"),
    ],
)
DIGITIZE = discrete(
    "np.digitize",
    lambda xp, x, bins, right=False: xp.digitize(x, bins, right),
    3,
    implements=(np.digitize,),
    shape="that of the array",
    samples=lambda rng: [(rng.normal(size=5), np.array([-1.0, 0.0, 1.0]))],
)


# Elements that differ


def _unique(
    xp: Any,
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
) -> Any:
    return xp.unique(ar, return_index, return_inverse, return_counts, axis)


def _unique_vjp(xp: Any, g: Any, y: Any, ar: Any, *rest: Any) -> Any:
    axis = rest[3] if len(rest) > 3 else None
    _, first = xp.unique(ar, return_index=True, axis=axis)
    g = g[0] if isinstance(g, tuple) else g
    whole = zeros_beside(g, prod(ar.shape) if axis is None else ar.shape, g.dtype)
    whole[(slice(None),) * ((axis or 0) % max(ar.ndim, 1)) + (first,)] = g
    return whole.reshape(ar.shape)


def _unique_jvp(tangent: Any, y: Any, ar: Any, *rest: Any) -> Any:
    axis = rest[3] if len(rest) > 3 else None
    first = call("np.unique", ar, True, False, False, axis).items[1]
    return call("np.take", tangent_array(tangent), first, axis)


UNIQUE = tensor(
    "np.unique",
    _unique,
    vjps=(_of_lists(_unique_vjp), *[None] * 4),
    jvps=(_unique_jvp, *[None] * 4),
    needs=((0,),),
    implements=(np.unique,),
    shape="(n,) -> (m,), sorted; after it what is asked for",
    convention="of equal elements the first is the one taken",
    samples=lambda rng: [
        (rng.normal(size=4),),
        (rng.normal(size=(2, 3)),),
        (rng.normal(size=4), True, True, True),
        (rng.normal(size=(3, 2)), False, False, False, 0),
    ],
)
ISIN = discrete(
    "np.isin",
    lambda xp, element, test_elements, assume_unique=False, invert=False: xp.isin(
        element, test_elements, assume_unique, invert
    ),
    4,
    implements=(np.isin,),
    shape="that of the first operand",
    samples=lambda rng: [(np.array([1, 2, 3]), [1, 3])],
)
COUNT_NONZERO = discrete(
    "np.count_nonzero",
    lambda xp, a, axis=None, keepdims=False: xp.count_nonzero(a, axis, keepdims=keepdims),
    3,
    implements=(np.count_nonzero,),
    shape="without the axes",
    samples=matrices,
)
