"""Elements reduced by index: bincount, segment_sum and its kin; counts of the elements in bins."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from checkpoint.ad.array_library import as_dtype, dtype_kind, zeros_beside
from checkpoint.ad.containers import List
from checkpoint.prims.arrays import tensor
from tensorlib.layout.moving import as_like, call, listed, shape_now
from tensorlib.rules import discrete, real_only, record

Rule = Callable[..., Any]


def segment_sum(values: Any, index: Any, count: int) -> Any:
    """Return for each i < count the sum of the values (rows) whose index is i; 0 where there is none."""
    return _segment_sum(np, values, index, count)


def segment_prod(values: Any, index: Any, count: int) -> Any:
    """Return for each i < count the product of the values (rows) whose index is i; 1 where there is none."""
    return _segment_prod(np, values, index, count)


def segment_max(values: Any, index: Any, count: int) -> Any:
    """Return for each i < count the largest of the values (rows) of index i; -inf where there is none."""
    return _extreme("maximum", -np.inf)(np, values, index, count)


def segment_min(values: Any, index: Any, count: int) -> Any:
    """Return for each i < count the smallest of the values (rows) of index i; inf where there is none."""
    return _extreme("minimum", np.inf)(np, values, index, count)


def _start(xp: Any, values: Any, count: int, element: Any) -> Any:
    whole = zeros_beside(values, (count, *values.shape[1:]), values.dtype)
    whole[...] = element
    return whole


def _segment_sum(xp: Any, values: Any, index: Any, count: int) -> Any:
    whole = _start(xp, values, count, 0)
    xp.add.at(whole, index, values)
    return whole


def _segment_prod(xp: Any, values: Any, index: Any, count: int) -> Any:
    whole = _start(xp, values, count, 1)
    xp.multiply.at(whole, index, values)
    return whole


def _extreme(name: str, element: float) -> Rule:
    def value(xp: Any, values: Any, index: Any, count: int) -> Any:
        if dtype_kind(values.dtype) in "iu":
            limits = np.iinfo(values.dtype)
            whole = _start(xp, values, count, limits.min if element < 0 else limits.max)
        else:
            whole = _start(xp, values, count, element)
        getattr(xp, name).at(whole, index, values)
        return whole

    return value


def _segments(rng: Any) -> list[tuple[Any, ...]]:
    index = np.array([0, 2, 0, 2, 2])
    return [
        (rng.normal(size=5), index, 4),
        (rng.normal(size=(5, 2)), index, 3),
        (rng.normal(size=(2, 5)).T, [1, 0, 1, 1, 0], 2),
        (rng.normal(size=0), np.zeros(0, int), 2),
        (np.arange(5), index, 3),
    ]


SEGMENT_SUM = tensor(
    "tensorlib.segment_sum",
    _segment_sum,
    vjps=(lambda xp, g, y, values, index, count: xp.take(g, index, 0), None, None),
    jvps=(lambda t, y, values, index, count: call("tensorlib.segment_sum", t, index, count), None, None),
    needs=((1,), (), ()),
    implements=(segment_sum,),
    shape="(n, ...), (n,) -> (count, ...)",
    samples=_segments,
)


def _others(xp: Any, values: Any, index: Any, count: int) -> Any:
    """Return for each value the product of the others of its index, whichever of them are zero."""
    zero = values == 0
    zeros = _segment_sum(xp, zero.astype(int), index, count)[index]
    rest = _segment_prod(xp, xp.where(zero, 1, values), index, count)[index]
    without = rest / xp.where(zero, 1, values)
    return xp.where(zeros == 0, without, xp.where((zeros == 1) & zero, rest, 0))


def _members(xp: Any, values: Any, index: Any, count: int) -> Any:
    """Return for each index a row: the positions of its values, then len(values) to the end."""
    index = xp.asarray(index)
    sizes = xp.bincount(index, minlength=count)
    order = xp.argsort(index, kind="stable")
    starts = xp.cumsum(sizes) - sizes
    table = xp.full((count, int(max(sizes, default=0))), prod(index.shape))
    table[index[order], xp.arange(prod(index.shape)) - starts[index[order]]] = order
    return table


MEMBERS = discrete(
    "tensorlib.segment-members",
    _members,
    3,
    shape="(n, ...), (n,) -> (count, k)",
    samples=lambda rng: [(np.zeros(3), np.array([1, 0, 1]), 2)],
)


def _with_last(x: Any, last: float) -> Any:
    """Return x with one more row."""
    row = call("np.full", (1, *shape_now(x)[1:]), last)
    return call("np.concatenate", List([x, row]), 0)


def _segment_prod_jvp(tangent: Any, y: Any, values: Any, index: Any, count: int) -> Any:
    """Return the tangent of np.prod along the rows of a table in which each index has a row."""
    members = call("tensorlib.segment-members", values, index, count)
    table = call("np.take", _with_last(values, 1.0), members, 0)
    directions = call("np.take", _with_last(tangent, 0.0), members, 0)
    rule = record("np.prod").jvp(0)
    assert callable(rule)
    return rule(directions, call("np.prod", table, 1), table, 1)


SEGMENT_PROD = tensor(
    "tensorlib.segment_prod",
    _segment_prod,
    vjps=(
        lambda xp, g, y, values, index, count: xp.take(g, index, 0) * _others(xp, values, index, count),
        None,
        None,
    ),
    jvps=(_segment_prod_jvp, None, None),
    needs=((0, 1), (), ()),
    implements=(segment_prod,),
    shape="(n, ...), (n,) -> (count, ...)",
    samples=lambda rng: [
        *_segments(rng),
        (np.array([1.5, 0.0, 2.0, 0.5]), np.array([0, 0, 0, 1]), 2),
        (np.array([0.0, 0.0, 2.0, 0.5]), np.array([0, 0, 0, 0]), 2),
        (rng.normal(size=(4, 2)), np.array([0, 0, 0, 2]), 3),
    ],
)


def _extreme_vjp(xp: Any, g: Any, y: Any, values: Any, index: Any, count: int) -> Any:
    """Return the cotangent shared evenly by the values that are the largest (smallest) of their index."""
    hit = as_dtype(values == xp.take(y, index, 0), values.dtype)
    share = _segment_sum(xp, hit, index, count)
    return hit * xp.take(g / xp.where(share == 0, 1, share), index, 0)


def _extreme_jvp(tangent: Any, y: Any, values: Any, index: Any, count: int) -> Any:
    share = call("tensorlib.segment-shares", values, y, index, count)
    return call("tensorlib.segment_sum", call("np.multiply", tangent, share), index, count)


def _shares(xp: Any, values: Any, y: Any, index: Any, count: int) -> Any:
    """Return the share of each value in the derivative of its index."""
    return _extreme_vjp(xp, xp.ones_like(y), y, values, index, count)


SHARES = discrete(
    "tensorlib.segment-shares",
    _shares,
    4,
    shape="(n, ...), (count, ...), (n,) -> (n, ...)",
    samples=lambda rng: [(np.array([1.0, 2.0, 2.0]), np.array([2.0]), np.zeros(3, int), 1)],
)


def _register_extreme(name: str, function: str, element: float, implemented: Any) -> Any:
    return tensor(
        f"tensorlib.{name}",
        _extreme(function, element),
        vjps=(_extreme_vjp, None, None),
        jvps=(_extreme_jvp, None, None),
        needs=((0, 1, 3), (), ()),
        implements=(implemented,),
        shape="(n, ...), (n,) -> (count, ...)",
        convention="values that are equal share the derivative evenly",
        samples=lambda rng: [
            (rng.normal(size=5), np.array([0, 2, 0, 2, 1]), 3),
            (rng.normal(size=(5, 2)), [0, 1, 0, 1, 1], 2),
            (rng.normal(size=(2, 5)).T, [1, 0, 1, 1, 0], 2),
            (np.arange(5), [1, 0, 1, 1, 0], 3),
        ],
    )


SEGMENT_MAX = _register_extreme("segment_max", "maximum", -np.inf, segment_max)
SEGMENT_MIN = _register_extreme("segment_min", "minimum", np.inf, segment_min)


# Counts


def _bincount_weights_vjp(xp: Any, g: Any, y: Any, x: Any, weights: Any = None, minlength: int = 0) -> Any:
    given = xp.take(g, x)
    return as_like(given, weights) if hasattr(weights, "dtype") else listed(xp, given, weights)


BINCOUNT = tensor(
    "np.bincount",
    lambda xp, x, weights=None, minlength=0: xp.bincount(x, weights, minlength),
    vjps=(None, _bincount_weights_vjp, None),
    jvps=(None, lambda t, y, x, weights=None, minlength=0: call("np.bincount", x, t, minlength), None),
    needs=((), (0,), ()),
    implements=(np.bincount,),
    shape="(n,), (n,) -> (max(x) + 1,) or more",
    samples=lambda rng: [
        (np.array([0, 2, 0, 1]),),
        (np.array([0, 2, 0, 1]), rng.normal(size=4)),
        (np.array([0, 2, 0, 1]), rng.normal(size=8)[::2], 5),
        (np.array([0, 2]), [0.5, 1.5]),
    ],
)


def counted(a: Any, bins: Any = 10, range: Any = None) -> tuple[Any, Any]:
    """Return the counts and edges of numpy.histogram, both as constants."""
    counts, edges = COUNTED(a, bins, range)
    return counts, edges


def _counted(xp: Any, a: Any, bins: Any = 10, range: Any = None) -> Any:
    real_only("np.histogram", a, bins)
    return tuple(xp.histogram(a, bins, range))


COUNTED = discrete(
    "tensorlib.counted",
    _counted,
    3,
    implements=(counted,),
    shape="(...) -> (k,), (k + 1,)",
    samples=lambda rng: [(rng.normal(size=9), 4), (rng.normal(size=9), np.array([-1.0, 0.0, 1.0]))],
)
