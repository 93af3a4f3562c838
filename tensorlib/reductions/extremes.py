"""Greatest and least elements along axes, and where they are; counts of what holds."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from checkpoint.ad.array_library import is_default
from checkpoint.ad.arrays import Discrete
from checkpoint.ad.tensors import Tensor
from checkpoint.prims.arrays import tensor
from checkpoint.scalars.kernels import kernel_of
from tensorlib.elementwise.comparison import EQUAL
from tensorlib.elementwise.pointwise import DIVIDE, SUBTRACT
from tensorlib.elementwise.selection import WHERE
from tensorlib.layout.moving import as_axes, call, shape_now
from tensorlib.reductions.axes import kept, on_lists, plain_axis
from tensorlib.reductions.sums import SHAPE, axes_samples
from tensorlib.rules import discrete, raw, stacked, tangent_array
from tensorlib.short_axes import extreme

TIES = "shared evenly by the elements that are equal"


def _shares(xp: Any, a: Any, extreme: Any, axis: Any) -> Any:
    """Return the share of each element in the extreme of its axes."""
    chosen = a == extreme
    if _are_single(xp, chosen, extreme):
        return chosen / 1
    return chosen / xp.sum(chosen, axis=axis, keepdims=True)


def _are_single(xp: Any, chosen: Any, extreme: Any) -> bool:
    """Return whether one element alone is each extreme; then nothing need be added up along axes."""
    has_nan = bool(xp.any(xp.isnan(extreme)))
    return not has_nan and int(xp.count_nonzero(chosen)) == prod(extreme.shape)


def _share_of(t: Any, y: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    """Return the mean of a tangent over the elements that are the extreme y, whose axes are kept."""
    chosen = EQUAL(a, y)
    total = call("np.sum", WHERE(chosen, t, 0.0), axis, None, keepdims)
    if type(chosen) is Discrete and is_default(chosen.data) and _are_single(np, chosen.data, raw(y)):
        return total  # which 1 divides
    return DIVIDE(total, call("np.sum", chosen, axis, None, keepdims))


def _axes_kept(y: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    """Return an extreme with the axes of the reduction as axes of length 1."""
    if keepdims:
        return y
    shape = shape_now(a)
    reduced = as_axes(plain_axis(axis), len(shape))
    return call("np.reshape", y, tuple([1 if i in reduced else n for i, n in enumerate(shape)]))


def _extreme(name: str, implements: tuple[Any, ...], **fields: Any) -> Tensor:
    def value(xp: Any, a: Any, axis: Any = None, keepdims: Any = False) -> Any:
        return extreme(xp, name, a, axis, keepdims)

    def vjp(xp: Any, g: Any, y: Any, a: Any, axis: Any = None, keepdims: Any = False) -> Any:
        if (loop := kernel_of("shared")) is not None and (found := loop(a, axis, y, g)) is not None:
            return found
        shares = _shares(xp, a, kept(xp, y, a.ndim, axis, keepdims), axis)
        return kept(xp, g, a.ndim, axis, keepdims) * shares

    def jvp(t: Any, y: Any, a: Any, axis: Any = None, keepdims: Any = False) -> Any:
        t, a = tangent_array(t), stacked(a)
        return _share_of(t, _axes_kept(y, a, axis, keepdims), a, axis, keepdims)

    return tensor(
        f"np.{name}",
        value,
        vjps=(on_lists(vjp), None, None),
        jvps=(jvp, None, None),
        implements=implements,
        shape=SHAPE,
        convention=TIES,
        samples=axes_samples((1, True), (None, True), empty=False),
        **fields,
    )


MAX = _extreme("max", (np.max, np.amax), methods=("max",), operator="max")
MIN = _extreme("min", (np.min, np.amin), methods=("min",), operator="min")
NANMAX = _extreme("nanmax", (np.nanmax,))
NANMIN = _extreme("nanmin", (np.nanmin,))


def _ptp_vjp(xp: Any, g: Any, y: Any, a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    high = _shares(xp, a, xp.max(a, axis=axis, keepdims=True), axis)
    low = _shares(xp, a, xp.min(a, axis=axis, keepdims=True), axis)
    return kept(xp, g, a.ndim, axis, keepdims) * (high - low)


def _ptp_jvp(t: Any, y: Any, a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    t, a = tangent_array(t), stacked(a)
    high = _share_of(t, call("np.max", a, axis, True), a, axis, keepdims)
    return SUBTRACT(high, _share_of(t, call("np.min", a, axis, True), a, axis, keepdims))


PTP = tensor(
    "np.ptp",
    lambda xp, a, axis=None, keepdims=False: xp.ptp(a, axis=axis, keepdims=keepdims),
    vjps=(on_lists(_ptp_vjp), None, None),
    jvps=(_ptp_jvp, None, None),
    needs=((0,),),
    implements=(np.ptp,),
    shape=SHAPE,
    convention=TIES,
    samples=axes_samples((1, True), (None, True), empty=False),
)

# Without derivative


def _exact(name: str, **fields: Any) -> Tensor:
    def value(xp: Any, a: Any, axis: Any = None, keepdims: Any = False) -> Any:
        return getattr(xp, name)(a, axis=axis, keepdims=keepdims)

    return discrete(
        f"np.{name}",
        value,
        3,
        implements=(getattr(np, name),),
        shape=SHAPE,
        samples=lambda rng: [
            (rng.normal(size=(2, 3)), 0),
            (rng.normal(size=3),),
            (rng.normal(size=(2, 3)), 1, True),
        ],
        **fields,
    )


ARGMAX = _exact("argmax", methods=("argmax",))
ARGMIN = _exact("argmin", methods=("argmin",))
NANARGMAX = _exact("nanargmax")
NANARGMIN = _exact("nanargmin")
ANY = _exact("any", methods=("any",))
ALL = _exact("all", methods=("all",))
