"""Sums and means along axes that leave out NaNs."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.tensors import Tensor
from checkpoint.prims.arrays import tensor
from tensorlib.elementwise.comparison import ISNAN
from tensorlib.elementwise.pointwise import DIVIDE, SUBTRACT
from tensorlib.elementwise.selection import WHERE
from tensorlib.layout.moving import call
from tensorlib.reductions.axes import kept, on_lists
from tensorlib.reductions.sums import SHAPE
from tensorlib.rules import stacked, tangent_array


def _sum_along(t: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    return call("np.sum", WHERE(ISNAN(a), 0.0, t), axis, None, keepdims)


def _count(a: Any, axis: Any, keepdims: Any) -> Any:
    return call("np.sum", SUBTRACT(1.0, ISNAN(a)), axis, None, keepdims)


def _sum_jvp(t: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    return _sum_along(tangent_array(t), stacked(a), axis, keepdims)


def _mean_jvp(t: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    a = stacked(a)
    return DIVIDE(_sum_along(tangent_array(t), a, axis, keepdims), _count(a, axis, keepdims))


def _sum_vjp(
    xp: Any, g: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False
) -> Any:
    return xp.where(xp.isnan(a), 0.0, kept(xp, g, a.ndim, axis, keepdims))


def _mean_vjp(
    xp: Any, g: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False
) -> Any:
    count = xp.sum(~xp.isnan(a), axis=axis, keepdims=keepdims)
    return _sum_vjp(xp, g / count, y, a, axis, dtype, keepdims)


def _samples(rng: Any) -> list[tuple[Any, ...]]:
    return [(rng.normal(size=(3, 4)), *rest) for rest in ((), (0,), (-1, None, True), ((0, 1),))]


def _without_missing(name: str, vjp: Any, jvp: Any) -> Tensor:
    def value(xp: Any, a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
        return getattr(xp, name)(a, axis=axis, dtype=dtype, keepdims=keepdims)

    return tensor(
        f"np.{name}",
        value,
        vjps=(on_lists(vjp), None, None, None),
        jvps=(jvp, None, None, None),
        needs=((0,),),
        implements=(getattr(np, name),),
        shape=SHAPE,
        convention="0 by elements that are NaN",
        samples=_samples,
    )


NANSUM = _without_missing("nansum", _sum_vjp, _sum_jvp)
NANMEAN = _without_missing("nanmean", _mean_vjp, _mean_jvp)
