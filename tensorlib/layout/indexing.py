"""Elements by their positions: x[i] with integers, slices and arrays, take, compress, choose, select."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from checkpoint.ad.accumulators import Scattered
from checkpoint.ad.array_library import as_dtype, dtype_kind, zeros_beside
from checkpoint.ad.containers import List
from checkpoint.ad.tensors import SAME
from checkpoint.prims.arrays import tensor
from tensorlib.layout.moving import call, copied, is_list, linear, listed, shape_of, viewed
from tensorlib.rules import discrete, unbroadcast, zeroed


def scattered(xp: Any, like: Any, index: Any, g: Any) -> Any:
    """Return a contribution to the elements at an index."""
    return Scattered(like, index, g if g.dtype == like.dtype else as_dtype(g, like.dtype), repeats(index))


def repeats(index: Any) -> bool:
    """Return whether an index may name an element more than once: integers in an array or a list may."""
    parts = index if type(index) is tuple else (index,)
    for part in parts:
        array = np.asarray(part) if type(part) is list else part
        if getattr(array, "ndim", 0) and dtype_kind(array.dtype) != "b":
            return True
    return False


def element(x: Any, index: Any) -> Any:
    """Return x[index] of an array, or of a list by an integer that an array holds."""
    return viewed(x[index], x)


def _indexed(rng: Any) -> list[tuple[Any, ...]]:
    x, v = rng.normal(size=(3, 4, 2)), rng.normal(size=5)
    rows, columns = np.array([0, 2, 0]), np.array([1, 1, 1])
    indices: list[Any] = [
        0,
        -1,
        (1, 2),
        (1, 2, 0),
        slice(1, None),
        (slice(None), 1),
        (slice(None, None, -1), slice(1, 3)),
        (..., 0),
        (None, 1, ..., None),
        rows,
        [0, 1, 1],
        (rows, columns),
        (slice(None), rows),
        (rows, slice(None), np.array([0, 1, 0])),
        (np.array([[0], [2]]), np.array([1, 3])),
        x[:, :, 0] > 0.0,
        (np.array([True, False, True]), 1),
        x > 0.0,
        np.array([], dtype=int),
        np.int64(1),
        True,
        (),
        ...,
    ]
    return [
        *[(x, i) for i in indices],
        (x.T, (0, slice(1, 3))),
        (v[::2], -1),
        (v[::2], [0, 0, -1]),
        (v.astype("float32"), 2),
        (rng.normal(size=()), ()),
        (np.zeros((0, 3)), (slice(None), 1)),
        (v, np.zeros(5, bool)),
    ]


GETITEM = tensor(
    "np.getitem",
    lambda xp, x, i: element(x, i),
    vjps=(lambda xp, g, y, x, i: scattered(xp, x, i, g), None),
    jvps=(SAME, None),
    needs=((1,), ()),
    views=True,
    operator="element",
    overloads=("py.item",),
    of_first=True,
    shape="as NumPy indexes",
    samples=_indexed,
)
SLICE = tensor(
    "np.slice",
    lambda xp, x, low=None, high=None, step=None: viewed(x[slice(low, high, step)], x),
    vjps=(
        lambda xp, g, y, x, low=None, high=None, step=None: scattered(xp, x, slice(low, high, step), g),
        *[None] * 3,
    ),
    jvps=(SAME, None, None, None),
    needs=((1, 2, 3),),
    views=True,
    operator="slice",
    overloads=("py.slice",),
    of_first=True,
    shape="(n, ...) -> (m, ...)",
    samples=lambda rng: [
        (rng.normal(size=5), 1, -1, None),
        (rng.normal(size=5), None, None, None),
        (rng.normal(size=5), 3, 1, None),
        (rng.normal(size=(4, 2)), None, None, -2),
        (rng.normal(size=(4, 2)).T, np.int64(1), None, None),
    ],
)


def _take_vjp(xp: Any, g: Any, y: Any, a: Any, indices: Any, axis: Any = None, mode: str = "raise") -> Any:
    where = xp.asarray(indices)
    length = prod(a.shape) if axis is None else a.shape[axis]
    if mode != "raise":
        where = where % length if mode == "wrap" else xp.clip(where, 0, max(length - 1, 0))
    if axis is None:
        whole = zeros_beside(g, prod(a.shape), g.dtype)
        xp.add.at(whole, where, g)
        return whole.reshape(a.shape)
    return scattered(xp, a, (slice(None),) * (axis % a.ndim) + (where,), g)


TAKE = linear(
    "np.take",
    lambda xp, a, indices, axis=None, mode="raise": xp.take(a, indices, axis, mode=mode),
    _take_vjp,
    needs=((1,),),
    implements=(np.take,),
    methods=("take",),
    shape="with the elements, rows, ... at the indices",
    samples=lambda rng: [
        (rng.normal(size=(3, 4)), [0, 2, 2], 0),
        (rng.normal(size=(3, 4)), np.array([[0, 1], [-1, 1]]), -1),
        (rng.normal(size=(3, 4)).T, 1, 0),
        (rng.normal(size=(3, 4)), [0, 11, 0]),
        (rng.normal(size=4), [-1, 7], 0, "clip"),
        (rng.normal(size=4), [-1, 7], None, "wrap"),
        (rng.normal(size=4), 2),
        ([1.0, 2.0, 3.0], [0, 2]),
    ],
)


def along_index(xp: Any, like: Any, indices: Any, axis: Any) -> Any:
    """Return the index that take_along_axis means."""
    axis = axis % like.ndim
    ranges = np.ogrid[tuple([slice(n) for n in like.shape])]
    found = [xp.asarray(part) for part in ranges]
    found[axis] = indices
    return tuple(found)


def _take_along_vjp(xp: Any, g: Any, y: Any, arr: Any, indices: Any, axis: Any = -1) -> Any:
    if axis is None:
        whole = zeros_beside(g, prod(arr.shape), g.dtype)
        xp.add.at(whole, indices, g)
        return whole.reshape(arr.shape)
    return scattered(xp, arr, along_index(xp, arr, indices, axis), g)


TAKE_ALONG_AXIS = linear(
    "np.take_along_axis",
    lambda xp, arr, indices, axis=-1: xp.take_along_axis(arr, indices, axis),
    _take_along_vjp,
    needs=((1,),),
    implements=(np.take_along_axis,),
    shape="that of the indices",
    samples=lambda rng: [
        (rng.normal(size=(3, 4)), np.array([[0, 2, 2, 1]]), 0),
        (rng.normal(size=(3, 4)), np.array([[0], [3], [-1]]), -1),
        (rng.normal(size=(3, 4)), np.array([0, 5, 5]), None),
        (rng.normal(size=(2, 3, 2)), np.zeros((2, 2, 2), int), 1),
    ],
)


def _compress_index(xp: Any, condition: Any, ndim: int, axis: Any) -> Any:
    where = xp.nonzero(xp.asarray(condition))[0]
    return (slice(None),) * (axis % ndim) + (where,)


def _compress_vjp(xp: Any, g: Any, y: Any, condition: Any, a: Any, axis: Any = None) -> Any:
    shape = shape_of(a)
    whole = zeros_beside(g, (int(np.prod(shape)),) if axis is None else shape, g.dtype)
    whole[_compress_index(xp, condition, whole.ndim, axis or 0)] = g
    return listed(xp, whole.reshape(shape), a)


COMPRESS = tensor(
    "np.compress",
    lambda xp, condition, a, axis=None: xp.compress(condition, a, axis),
    vjps=(None, _compress_vjp, None),
    jvps=(None, lambda t, y, condition, a, axis=None: call("np.compress", condition, zeroed(t), axis), None),
    needs=((), (0,), ()),
    implements=(np.compress,),
    shape="without the elements, rows, ... where the condition does not hold",
    samples=lambda rng: [
        ([True, False, True], rng.normal(size=(3, 4)), 0),
        ([True, False, True], rng.normal(size=(3, 4)), -1),
        (np.array([True, False, True]), rng.normal(size=3)),
    ],
)
EXTRACT = tensor(
    "np.extract",
    lambda xp, condition, arr: xp.extract(condition, arr),
    vjps=(
        None,
        lambda xp, g, y, condition, arr: _compress_vjp(xp, g, y, xp.asarray(condition).ravel(), arr),
    ),
    jvps=(None, lambda t, y, condition, arr: call("np.extract", condition, zeroed(t))),
    needs=((), (0,)),
    implements=(np.extract,),
    shape="(m,), as many as the condition holds for",
    samples=lambda rng: [(np.eye(3) > 0, rng.normal(size=(3, 3))), ([True, False], rng.normal(size=2))],
)

WINDOWS = copied(
    "np.lib.stride_tricks.sliding_window_view",
    lambda xp, x, window_shape, axis=None: xp.lib.stride_tricks.sliding_window_view(x, window_shape, axis),
    views=True,
    implements=(np.lib.stride_tricks.sliding_window_view,),
    shape="(n,) -> (n - w + 1, w), and so along several axes",
    samples=lambda rng: [
        (rng.normal(size=6), 3),
        (rng.normal(size=(4, 5)), (2, 3)),
        (rng.normal(size=(4, 5)), 2, 1),
        (rng.normal(size=(4, 5)).T, 2, 0),
        ([1.0, 2.0, 4.0], 2),
    ],
)

# One of several, element by element


def _chosen_vjp(which: Any, position: int) -> Any:
    """Return the rule for a list of choices; which(xp, *operands): the choice of each element."""

    def vjp(xp: Any, g: Any, y: Any, *operands: Any) -> Any:
        number = which(xp, *operands)
        return [
            None if not _takes(part) else _unbroadcast(xp, xp.where(number == k, g, 0), part)
            for k, part in enumerate(_items(operands[position]))
        ]

    return vjp


def _takes(part: Any) -> bool:
    return is_list(part) or hasattr(part, "dtype") or type(part) is float


def _unbroadcast(xp: Any, g: Any, part: Any) -> Any:
    if is_list(part):
        return listed(xp, unbroadcast(xp, g, xp.zeros(shape_of(part))), part)
    return unbroadcast(xp, as_dtype(g, part.dtype) if hasattr(part, "dtype") else g, part)


def _items(choices: Any) -> list[Any]:
    return list(choices)


def _array_or_list(rule: Any, position: int) -> Any:
    def vjp(xp: Any, g: Any, y: Any, *operands: Any) -> Any:
        given = rule(xp, g, y, *operands)
        return xp.stack(given) if hasattr(operands[position], "dtype") else given

    return vjp


def _which_chosen(xp: Any, a: Any, choices: Any, mode: str = "raise") -> Any:
    if mode == "raise":
        return xp.asarray(a)
    count = len(choices)
    return xp.mod(a, count) if mode == "wrap" else xp.clip(a, 0, count - 1)


CHOOSE = tensor(
    "np.choose",
    lambda xp, a, choices, mode="raise": xp.choose(a, choices, mode=mode),
    vjps=(None, _array_or_list(_chosen_vjp(_which_chosen, 1), 1), None),
    jvps=(None, lambda t, y, a, choices, mode="raise": call("np.choose", a, zeroed(t), mode), None),
    implements=(np.choose,),
    shape="the indices and all choices broadcast together",
    samples=lambda rng: [
        (np.array([0, 1, 0]), [rng.normal(size=3), rng.normal(size=3)]),
        (np.array([[0, 1, 1]]), [rng.normal(size=(2, 1)), 2.0]),
        (np.array([0, 3, -1]), [rng.normal(size=3), rng.normal(size=3)], "wrap"),
        (np.array([0, 1, 1]), rng.normal(size=(2, 3))),
    ],
)


def _which_selected(xp: Any, condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    number = xp.full(np.broadcast_shapes(*[shape_of(c) for c in condlist]), -1)
    for k in reversed(range(len(condlist))):
        number = xp.where(xp.asarray(condlist[k]), k, number)
    return number


def _select_default_vjp(xp: Any, g: Any, y: Any, condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    rest = xp.where(_which_selected(xp, condlist, choicelist) == -1, g, 0)
    return unbroadcast(xp, rest, default)


def _select_default_jvp(tangent: Any, y: Any, condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    return call("np.select", condlist, List([0.0] * len(choicelist.items)), tangent)


SELECT = tensor(
    "np.select",
    lambda xp, condlist, choicelist, default=0: xp.select(
        [xp.asarray(c) for c in condlist], list(choicelist), default
    ),
    vjps=(None, _array_or_list(_chosen_vjp(_which_selected, 1), 1), _select_default_vjp),
    jvps=(
        None,
        lambda t, y, condlist, choicelist, default=0: call("np.select", condlist, zeroed(t), 0.0),
        _select_default_jvp,
    ),
    implements=(np.select,),
    shape="all operands broadcast together",
    samples=lambda rng: [
        ([np.array([True, False, True])], [rng.normal(size=3)]),
        (
            [np.array([True, False, False]), np.array([True, True, False])],
            [rng.normal(size=3), rng.normal(size=(2, 1))],
            1.5,
        ),
        ([np.array([True, False]), np.array([True, True])], [2.0, rng.normal(size=2)], rng.normal(size=())),
    ],
)

# Positions


def _found_in(name: str, function: Any, methods: tuple[str, ...] = ()) -> Any:
    return discrete(
        f"np.{name}",
        lambda xp, a: getattr(xp, name)(a),
        1,
        implements=(function,),
        methods=methods,
        shape="as many as there are elements that are not zero",
        samples=lambda rng: [(rng.normal(size=(2, 3)) > 0,), (rng.normal(size=4),)],
    )


NONZERO = _found_in("nonzero", np.nonzero, ("nonzero",))
ARGWHERE = _found_in("argwhere", np.argwhere)
FLATNONZERO = _found_in("flatnonzero", np.flatnonzero)


def _index_helper(name: str, function: Any, value: Any, operands: int, sample: tuple[Any, ...]) -> Any:
    return discrete(
        f"np.{name}",
        value,
        operands,
        implements=(function,),
        shape="as NumPy gives them",
        samples=lambda rng: [sample],
    )


IX = discrete(
    "np.ix_",
    lambda xp, *args: tuple(xp.ix_(*args)),
    variadic=True,
    implements=(np.ix_,),
    shape="(n,), (m,) -> (n, 1), (1, m)",
    samples=lambda rng: [(np.array([0, 2]), [1, 1])],
)
INDICES = _index_helper("indices", np.indices, lambda xp, dimensions: xp.indices(dimensions), 1, ((2, 3),))
TRIL_INDICES = _index_helper(
    "tril_indices", np.tril_indices, lambda xp, n, k=0, m=None: xp.tril_indices(n, k, m), 3, (3,)
)
TRIU_INDICES = _index_helper(
    "triu_indices", np.triu_indices, lambda xp, n, k=0, m=None: xp.triu_indices(n, k, m), 3, (3, 1)
)
DIAG_INDICES = _index_helper(
    "diag_indices", np.diag_indices, lambda xp, n, ndim=2: xp.diag_indices(n, ndim), 2, (3,)
)
UNRAVEL_INDEX = _index_helper(
    "unravel_index",
    np.unravel_index,
    lambda xp, indices, shape: xp.unravel_index(indices, shape),
    2,
    (5, (2, 3)),
)
RAVEL_MULTI_INDEX = _index_helper(
    "ravel_multi_index",
    np.ravel_multi_index,
    lambda xp, multi_index, dims: xp.ravel_multi_index(multi_index, dims),
    2,
    ((1, 2), (2, 3)),
)
