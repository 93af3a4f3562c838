"""Arrays with some elements written: x[i] = v, x.fill(v), np.add.at, np.put_along_axis and their kin.

The value of each is a new array. Those that change their first operand in Python say so (`changes`), and have
`in_place` to do it where nobody else holds the array. What is written has the array's dtype, as in NumPy:
floats that are written into an array of integers are cut off, and carry no derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from checkpoint.ad.array_library import as_dtype, zeros_beside
from checkpoint.prims.arrays import tensor
from tensorlib.layout.indexing import along_index, repeats
from tensorlib.layout.moving import call, is_list, listed, shape_of
from tensorlib.rules import positions, unbroadcast, zeroed

Rule = Callable[..., Any]


def to_written(xp: Any, g: Any, v: Any) -> Any:
    """Return the cotangent of what was written, for that of the elements it was written to."""
    if is_list(v):
        return listed(xp, unbroadcast(xp, g, xp.zeros(shape_of(v))), v)
    if hasattr(v, "shape") and len(v.shape) > g.ndim:  # leading axes of length 1, which NumPy drops
        short = unbroadcast(xp, g, xp.zeros(v.shape[len(v.shape) - g.ndim :]))
        return as_dtype(short.reshape(v.shape), v.dtype)
    return unbroadcast(xp, g, v)


def last_written(xp: Any, g: Any, index: Any) -> Any:
    """Return the cotangent of each write at an index: zero for those that a later one wrote over."""
    at = xp.asarray(g[index])
    if not repeats(index):
        return xp.array(at)
    order = positions(xp, prod(at.shape), g).reshape(at.shape)
    marks = zeros_beside(g, g.shape, order.dtype)
    marks[index] = order
    return xp.where(marks[index] == order, at, zeros_beside(g, (), at.dtype))


def cleared(xp: Any, g: Any, index: Any) -> Any:
    """Return a cotangent without the elements at an index, which were written over."""
    rest = xp.array(g)
    rest[index] = 0
    return rest


def _writes(name: str, parameters: int, index_of: Rule, write: Rule, **fields: Any) -> Any:
    """Register x with v at an index; the operands are x, what says where, v, and what further says where.

    index_of(xp, x, *where): the index; write(xp, x, v, *where): writes in place.
    """
    last = parameters - 1

    def parts(operands: tuple[Any, ...]) -> tuple[Any, Any, tuple[Any, ...]]:
        return operands[0], operands[last], operands[1:last]

    def value(xp: Any, *operands: Any) -> Any:
        x, v, where = parts(operands)
        result = xp.array(x)
        write(xp, result, v, *where)
        return result

    def in_place(xp: Any, *operands: Any) -> Any:
        x, v, where = parts(operands)
        write(xp, x, v, *where)
        return x

    def x_vjp(xp: Any, g: Any, y: Any, *operands: Any) -> Any:
        x, _, where = parts(operands)
        return cleared(xp, g, index_of(xp, x, *where))

    def v_vjp(xp: Any, g: Any, y: Any, *operands: Any) -> Any:
        x, v, where = parts(operands)
        return to_written(xp, last_written(xp, g, index_of(xp, x, *where)), v)

    def x_jvp(tangent: Any, y: Any, *operands: Any) -> Any:
        return call(name, tangent, *operands[1:last], 0.0)

    def v_jvp(tangent: Any, y: Any, *operands: Any) -> Any:
        return call(name, call("np.zeros_like", y), *operands[1:last], zeroed(tangent))

    where_read = tuple(range(1, last))
    return tensor(
        name,
        fields.pop("value")(value),
        vjps=(x_vjp, *[None] * (last - 1), v_vjp),
        jvps=(x_jvp, *[None] * (last - 1), v_jvp),
        needs=(where_read,) * parameters,
        changes=fields.pop("changes", True),
        in_place=in_place,
        **fields,
    )


def _written(rng: Any) -> list[tuple[Any, ...]]:
    x = rng.normal(size=(3, 4))
    rows = np.array([0, 2, 0])
    return [
        (x, (1, 2), 2.5),
        (x, 1, rng.normal(size=4)),
        (x, 1, 2.5),
        (x, slice(1, None), rng.normal(size=(2, 4))),
        (x, (slice(None), 1), rng.normal(size=())),
        (x, (slice(None, None, 2), slice(1, 3)), rng.normal(size=(1, 2))),
        (x, rows, rng.normal(size=(3, 4))),
        (x, rows, 2.5),
        (x, (rows, rows), rng.normal(size=3)),
        (x, x > 0, 1.5),
        (x, x > 0, rng.normal(size=int(np.sum(x > 0)))),
        (x, np.array([True, False, True]), rng.normal(size=4)),
        (x, ..., rng.normal(size=(3, 4))),
        (x, 0, [1.0, 2, 3.0, 4.0]),
        (x, 0, 3),
        (x, 0, np.arange(4)),
        (x, 0, rng.normal(size=(1, 4))),
        (x.T, (0, slice(1, 3)), rng.normal(size=2)),
        (x[:, ::2], 0, rng.normal(size=2)),
        (rng.normal(size=()), (), 2.5),
        (rng.normal(size=3), [], rng.normal(size=0)),
        (rng.normal(size=3), np.int64(1), 2.0),
    ]


def _set(xp: Any, x: Any, v: Any, i: Any) -> None:
    x[i] = v


def _shows(x: Any, index: Any) -> bool:
    """Return whether x[index] shows the elements of x: lists, arrays and booleans make a copy of them."""
    return all(_places(x, part) for part in (index if type(index) is tuple else (index,)))


def _places(x: Any, part: Any) -> bool:
    if part is None or part is Ellipsis or isinstance(part, slice | np.integer):
        return True
    if type(part) is int:
        return True
    return getattr(part, "shape", None) == () and not isinstance(x, np.ndarray)  # a number of PyTorch's


def _put_back(xp: Any, x: Any, i: Any, v: Any) -> Any:
    return SETITEM.value(xp, x, i, v) if _shows(x, i) else x


def _put_back_in_place(xp: Any, x: Any, i: Any, v: Any) -> Any:
    if _shows(x, i):
        x[i] = v
    return x


def _x_back(xp: Any, g: Any, y: Any, x: Any, i: Any, v: Any) -> Any:
    return cleared(xp, g, i) if _shows(x, i) else g


def _v_back(xp: Any, g: Any, y: Any, x: Any, i: Any, v: Any) -> Any:
    return to_written(xp, last_written(xp, g, i), v) if _shows(x, i) else xp.zeros_like(v)


def _slice_of(xp: Any, x: Any, low: Any, high: Any, step: Any) -> slice:
    return slice(low, high, step)


def _set_slice(xp: Any, x: Any, v: Any, low: Any, high: Any, step: Any) -> None:
    x[low:high:step] = v


SETITEM = _writes(
    "np.setitem",
    3,
    lambda xp, x, i: i,
    _set,
    value=lambda value: lambda xp, x, i, v: value(xp, x, i, v),  # noqa: PLW0108
    operator="set-element",
    overloads=("py.set",),
    of_first=True,
    writes=lambda x, i, v: i,
    shape="that of x; v broadcasts to x[i]",
    convention="of several values written to one element the last one counts",
    samples=_written,
)
PUT_BACK = tensor(
    "np.put-back",
    _put_back,
    vjps=(_x_back, None, _v_back),
    jvps=(
        lambda tangent, y, x, i, v: call("np.put-back", tangent, i, call("np.zeros_like", v)),
        None,
        lambda tangent, y, x, i, v: call("np.put-back", call("np.zeros_like", y), i, zeroed(tangent)),
    ),
    needs=((1,), (1,), (1, 2)),
    changes=True,
    in_place=_put_back_in_place,
    overloads=("py.put-back",),
    of_first=True,
    writes=lambda x, i, v: i if _shows(x, i) else False,  # x[False] has no elements
    shape="that of x; v has that of x[i]",
    convention="what has been changed in a copy, x[[0, 1]], is not put back",
    samples=lambda rng: [
        (x, i, rng.normal(size=x[i].shape))
        for x in [rng.normal(size=(3, 4))]
        for i in [
            1,
            (..., 1),
            slice(None, None, 2),
            (None, -1),
            np.int64(0),
            [0, 1],
            x > 0,
            (0, [1, 1]),
            True,
        ]
    ],
)
SET_SLICE = _writes(
    "np.set-slice",
    5,
    _slice_of,
    _set_slice,
    value=lambda value: (
        lambda xp, x, low, high, step, v: value(  # noqa: PLW0108
            xp, x, low, high, step, v
        )
    ),
    overloads=("py.set-slice",),
    of_first=True,
    writes=lambda x, low, high, step, v: slice(low, high, step),
    shape="that of x; v broadcasts to x[low:high:step]",
    samples=lambda rng: [
        (rng.normal(size=5), 1, -1, None, rng.normal(size=3)),
        (rng.normal(size=5), None, None, 2, 1.5),
        (rng.normal(size=(5, 2)), 3, None, None, rng.normal(size=2)),
        (rng.normal(size=5), 1, 3, None, [0.5, 1.5]),
    ],
)


def _put_along_index(xp: Any, x: Any, indices: Any, axis: Any) -> Any:
    if axis is None:
        return np.unravel_index(indices, x.shape)
    return along_index(xp, x, indices, axis)


def _put_along(xp: Any, arr: Any, indices: Any, values: Any, axis: Any) -> Any:
    xp.put_along_axis(arr, indices, values, axis)
    return arr


PUT_ALONG_AXIS = tensor(
    "np.put_along_axis",
    lambda xp, arr, indices, values, axis: _put_along(xp, xp.array(arr), indices, values, axis),
    vjps=(
        lambda xp, g, y, arr, indices, values, axis: cleared(xp, g, _put_along_index(xp, arr, indices, axis)),
        None,
        lambda xp, g, y, arr, indices, values, axis: to_written(
            xp, last_written(xp, g, _put_along_index(xp, arr, indices, axis)), values
        ),
        None,
    ),
    jvps=(
        lambda t, y, arr, indices, values, axis: call("np.put_along_axis", t, indices, 0.0, axis),
        None,
        lambda t, y, arr, indices, values, axis: call(
            "np.put_along_axis", call("np.zeros_like", y), indices, zeroed(t), axis
        ),
        None,
    ),
    needs=((1,), (), (1,), ()),
    changes=True,
    in_place=_put_along,
    implements=(np.put_along_axis,),
    shape="that of the first operand",
    convention="of several values written to one element the last one counts",
    samples=lambda rng: [
        (rng.normal(size=(3, 4)), np.array([[0, 2, 2, 1]]), rng.normal(size=(1, 4)), 0),
        (rng.normal(size=(3, 4)), np.array([[0, 0], [3, 1], [1, 1]]), rng.normal(size=(3, 2)), -1),
        (rng.normal(size=(3, 4)), np.array([[0, 2, 2, 1]]), 1.5, 0),
    ],
)


def _fill(xp: Any, x: Any, value: Any) -> Any:
    x.fill(value)
    return x


FILL = tensor(
    "array.fill",
    lambda xp, a, value: xp.full_like(a, value),
    vjps=(None, lambda xp, g, y, a, value: unbroadcast(xp, g, value)),
    jvps=(None, lambda t, y, a, value: t),
    needs=((), ()),
    changes=True,
    in_place=_fill,
    methods=("fill",),
    shape="that of the array",
    overloads=("py.fill",),
    writes=lambda a, value: ...,
    samples=lambda rng: [(rng.normal(size=(2, 3)), 1.5), (rng.normal(size=3), rng.normal(size=()))],
)


def _set_flags(xp: Any, a: Any, write: Any) -> Any:
    before = a.flags.writeable
    if write:
        a.setflags(write)  # raises NumPy's own error where that is not possible
        a.setflags(before)
    result = xp.array(a)
    result.setflags(write)
    return result


SET_FLAGS = tensor(
    "array.setflags",
    _set_flags,
    vjps=(lambda xp, g, y, a, write: g, None),
    jvps=(lambda t, y, a, write: t, None),
    needs=((), ()),
    changes=True,
    shape="that of the array",
    overloads=("py.set-flags",),
    samples=lambda rng: [(rng.normal(size=(2, 3)), False), (rng.normal(size=3), True)],
)


def _copyto(xp: Any, dst: Any, src: Any) -> Any:
    xp.copyto(dst, src)
    return dst


COPYTO = tensor(
    "np.copyto",
    lambda xp, dst, src: _copyto(xp, xp.array(dst), src),
    vjps=(None, lambda xp, g, y, dst, src: to_written(xp, g, src)),
    jvps=(None, lambda t, y, dst, src: call("np.copyto", call("np.zeros_like", y), zeroed(t))),
    needs=((), ()),
    changes=True,
    in_place=_copyto,
    implements=(np.copyto,),
    shape="that of the first operand, to which the second broadcasts",
    samples=lambda rng: [(rng.normal(size=(2, 3)), rng.normal(size=3)), (rng.normal(size=3), 1.5)],
)


def _diagonal_index(xp: Any, x: Any) -> Any:
    return (xp.arange(min(x.shape)),) * x.ndim


def _fill_diagonal(xp: Any, a: Any, val: Any) -> Any:
    xp.fill_diagonal(a, val)
    return a


FILL_DIAGONAL = tensor(
    "np.fill_diagonal",
    lambda xp, a, val: _fill_diagonal(xp, xp.array(a), val),
    vjps=(
        lambda xp, g, y, a, val: cleared(xp, g, _diagonal_index(xp, a)),
        lambda xp, g, y, a, val: to_written(xp, g[_diagonal_index(xp, g)], val),
    ),
    jvps=(
        lambda t, y, a, val: call("np.fill_diagonal", t, 0.0),
        lambda t, y, a, val: call("np.fill_diagonal", call("np.zeros_like", y), zeroed(t)),
    ),
    needs=((), ()),
    changes=True,
    in_place=_fill_diagonal,
    implements=(np.fill_diagonal,),
    shape="(n, m), () or (min(n, m),) -> (n, m)",
    samples=lambda rng: [
        (rng.normal(size=(3, 3)), 1.5),
        (rng.normal(size=(3, 3)), rng.normal(size=3)),
        (rng.normal(size=(2, 3)), rng.normal(size=())),
    ],
)
