"""Sums and products of the elements where a mask holds, beginning with an initial value: where=, initial=."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.prims.arrays import tensor, translated_in_full
from tensorlib.elementwise.pointwise import MULTIPLY
from tensorlib.layout.moving import call
from tensorlib.reductions.axes import kept, on_lists
from tensorlib.reductions.scans import PROD
from tensorlib.reductions.sums import SHAPE, SUM
from tensorlib.rules import stacked, tangent_array, unbroadcast


def sum_where(a: Any, axis: Any, dtype: Any, keepdims: Any, initial: Any, where: Any) -> Any:
    """Return np.sum with all its arguments."""
    return np.sum(a, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)


def prod_where(a: Any, axis: Any, dtype: Any, keepdims: Any, initial: Any, where: Any) -> Any:
    """Return np.prod with all its arguments."""
    return np.prod(a, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)


def _sum_where_vjp(
    xp: Any, g: Any, y: Any, a: Any, axis: Any, dtype: Any, keepdims: Any, initial: Any, where: Any
) -> Any:
    return xp.where(where, kept(xp, g, a.ndim, axis, keepdims), 0.0) * xp.ones(a.shape)


def _where_samples(rng: Any) -> list[tuple[Any, ...]]:
    x = rng.normal(size=(3, 4))
    return [
        (x, None, None, False, 0.5, x > 0.0),
        (x, 0, None, False, 1.5, x > 0.0),
        (x, (0, 1), None, True, 0.5, x[:, :1] > -9.0),
        (x, 1, None, False, rng.normal(size=()), True),
        ([1.0, 2.0], 0, None, False, 2.5, [True, False]),
    ]


SUM_WHERE = tensor(
    "tensorlib.sum_where",
    lambda xp, a, axis, dtype, keepdims, initial, where: xp.sum(
        a, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where
    ),
    vjps=(
        on_lists(_sum_where_vjp),
        None,
        None,
        None,
        lambda xp, g, y, a, axis, dtype, keepdims, initial, where: unbroadcast(xp, xp.sum(g), initial),
        None,
    ),
    linear=True,
    needs=((5,), (), (), (), (), ()),
    implements=(sum_where,),
    shape=SHAPE,
    samples=_where_samples,
)


def _prod_where_vjp(
    xp: Any, g: Any, y: Any, a: Any, axis: Any, dtype: Any, keepdims: Any, initial: Any, where: Any
) -> Any:
    rule = PROD.vjp(0)
    assert rule is not None
    chosen = xp.where(where, a, 1.0)
    return xp.where(where, rule(xp, g * initial, y, chosen, axis, dtype, keepdims), 0.0)


def _prod_initial_vjp(
    xp: Any, g: Any, y: Any, a: Any, axis: Any, dtype: Any, keepdims: Any, initial: Any, where: Any
) -> Any:
    found = xp.prod(xp.where(where, a, 1.0), axis=axis, keepdims=keepdims)
    return unbroadcast(xp, xp.sum(g * found), initial)


def _product(a: Any, where: Any, axis: Any, keepdims: Any) -> Any:
    return call("np.prod", call("np.where", where, a, 1.0), axis, None, keepdims)


def _prod_where_jvp(
    t: Any, y: Any, a: Any, axis: Any, dtype: Any, keepdims: Any, initial: Any, where: Any
) -> Any:
    rule: Any = PROD.jvp(0)
    chosen = call("np.where", where, stacked(a), 1.0)
    along = rule(call("np.where", where, tangent_array(t), 0.0), y, chosen, axis, None, keepdims)
    return MULTIPLY(initial, along)


PROD_WHERE = tensor(
    "tensorlib.prod_where",
    lambda xp, a, axis, dtype, keepdims, initial, where: xp.prod(
        a, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where
    ),
    vjps=(on_lists(_prod_where_vjp), None, None, None, _prod_initial_vjp, None),
    jvps=(
        _prod_where_jvp,
        None,
        None,
        None,
        lambda t, y, a, axis, dtype, keepdims, initial, where: MULTIPLY(
            t, _product(stacked(a), where, axis, keepdims)
        ),
        None,
    ),
    implements=(prod_where,),
    shape=SHAPE,
    samples=_where_samples,
)


def sum_in_full(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = 0, where: Any = True
) -> Any:
    """See numpy.sum."""
    return sum_where(a, axis, dtype, keepdims, initial, where)


def prod_in_full(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = 1, where: Any = True
) -> Any:
    """See numpy.prod."""
    return prod_where(a, axis, dtype, keepdims, initial, where)


translated_in_full(SUM, sum_in_full)
translated_in_full(PROD, prod_in_full)
