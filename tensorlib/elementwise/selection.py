"""Functions element by element that choose, round, or depend on the sign."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from checkpoint.ad.tensors import Tensor
from checkpoint.prims.arrays import tensor
from checkpoint.scalars import piecewise
from checkpoint.scalars.kernels import kernel_of
from tensorlib.elementwise.comparison import EQUAL, GREATER, ISFINITE, ISNAN, LESS, LOGICAL_OR
from tensorlib.elementwise.complex import absolute_jvp, absolute_vjp
from tensorlib.elementwise.formulas import partials_of
from tensorlib.elementwise.pointwise import ANY, MULTIPLY
from tensorlib.rules import (
    discrete,
    gated,
    is_complex,
    number,
    real_only,
    sampled,
    stacked,
    tangent_array,
    unbroadcast,
)

# where


def _where(xp: Any, condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None and y is None:
        return xp.nonzero(condition)
    loop = kernel_of("where") if type(condition) is np.ndarray else None
    found = None if loop is None else loop(condition, x, y)
    return xp.where(condition, x, y) if found is None else found


def _where_samples(rng: Any) -> list[tuple[Any, ...]]:
    mask = rng.integers(0, 2, (3, 4)).astype(bool)
    x = rng.normal(size=(3, 4))
    return [
        (mask, x, rng.normal(size=4)),
        (mask, x, 0.0),
        (mask, 1.5, x[:, :1]),
        (mask, 1.0, 2.0),
        (x > 0, x, rng.normal(size=())),
        (True, x, x.T[::2].T[:, :1]),
        (mask[0], x.astype(np.float32), 0.0),
        (mask[:0], x[:0], x[:0]),
    ]


WHERE: Tensor = gated(
    "np.where",
    _where,
    None,
    lambda t, condition, x, y: WHERE(condition, t, 0.0),
    lambda t, condition, x, y: WHERE(condition, 0.0, t),
    needs=((), (0,), (0,)),
    operator="where",
    implements=(np.where,),
    shape="all operands broadcast together; of a condition alone: see numpy.nonzero",
    samples=_where_samples,
)

# The greater and the lesser


def _part(t: Any, all_of_it: Any, half_of_it: Any) -> Any:
    return WHERE(all_of_it, t, WHERE(half_of_it, MULTIPLY(0.5, t), 0.0))


def _above(t: Any, x: Any, y: Any) -> Any:
    """Return the part of t that belongs to x in the greater of x and y."""
    return _part(t, GREATER(x, y), EQUAL(x, y))


def _below(t: Any, x: Any, y: Any) -> Any:
    return _part(t, LESS(x, y), EQUAL(x, y))


def _above_or_other(t: Any, x: Any, y: Any) -> Any:
    """Return the same where an operand that is NaN does not count."""
    return _part(t, LOGICAL_OR(GREATER(x, y), ISNAN(y)), EQUAL(x, y))


def _below_or_other(t: Any, x: Any, y: Any) -> Any:
    return _part(t, LOGICAL_OR(LESS(x, y), ISNAN(y)), EQUAL(x, y))


def _extreme(name: str, gate: Any, hidden: tuple[Any, ...] = (), operator: str = "") -> Tensor:
    def value(xp: Any, x: Any, y: Any) -> Any:
        return getattr(xp, name)(x, y)

    return gated(
        f"np.{name}",
        value,
        gate,
        lambda t, x, y: gate(t, y, x),
        needs=((0, 1), (0, 1)),
        implements=(getattr(np, name), *hidden),
        operator=operator,
        convention="one half each for equal operands",
        samples=sampled(ANY, ANY),
    )


MAXIMUM = _extreme("maximum", _above, operator="maximum")
MINIMUM = _extreme("minimum", _below, operator="minimum")
FMAX = _extreme("fmax", _above_or_other)
FMIN = _extreme("fmin", _below_or_other)

# clip: the lesser of the upper bound and the greater of the lower bound and a


def _raised(a: Any, low: Any) -> Any:
    return a if low is None else MAXIMUM(a, low)


def _clip_array(t: Any, a: Any, low: Any, high: Any) -> Any:
    if low is not None:
        t = _above(t, a, low)
    return t if high is None else _below(t, _raised(a, low), high)


def _clip_low(t: Any, a: Any, low: Any, high: Any) -> Any:
    t = _above(t, low, a)
    return t if high is None else _below(t, MAXIMUM(a, low), high)


def _clip_high(t: Any, a: Any, low: Any, high: Any) -> Any:
    return _below(t, high, _raised(a, low))


def _clip_samples(rng: Any) -> list[tuple[Any, ...]]:
    a = rng.normal(size=(3, 4))
    bounds = [
        (-0.5, 0.5),
        (None, 0.3),
        (-0.2, None),
        (-np.ones(4), rng.uniform(0.0, 1.0, (3, 1))),
        (0.5, -0.5),
    ]
    return [*[(a, *pair) for pair in bounds], (a.T, -0.5, 0.5), (a[0].astype(np.float32), -0.5, 0.5)]


def _clip(name: str, value: Any, **fields: Any) -> Tensor:
    return gated(
        name,
        value,
        lambda t, a, low=None, high=None: _clip_array(t, a, low, high),
        lambda t, a, low=None, high=None: _clip_low(t, a, low, high),
        lambda t, a, low=None, high=None: _clip_high(t, a, low, high),
        needs=((0, 1, 2), (0, 1, 2), (0, 1, 2)),
        convention="one half each for the array and a bound that are equal",
        samples=_clip_samples,
        **fields,
    )


CLIP = _clip(
    "np.clip",
    lambda xp, a, a_min=None, a_max=None: xp.clip(a, a_min, a_max),
    implements=(np.clip,),
)
_clip(
    "np.clip/method",
    lambda xp, a, min=None, max=None: xp.clip(a, min, max),
    methods=("clip",),
)

# Signs

_STEPS = "0 also where it jumps"


def _steps(name: str, *others: Any, **fields: Any) -> Tensor:
    def value(xp: Any, x: Any) -> Any:
        real_only(f"np.{name}", x)
        return getattr(xp, name)(x)

    return discrete(
        f"np.{name}",
        value,
        implements=(getattr(np, name), *others),
        shape="that of the array",
        convention=_STEPS,
        samples=sampled(ANY),
        **fields,
    )


SIGN = _steps("sign")
FLOOR = _steps("floor")
CEIL = _steps("ceil")
RINT = _steps("rint")
FIX = _steps("fix")


(_SLOPE,) = partials_of(piecewise.absolute)  # of reals


def _absolute_vjp(xp: Any, g: Any, y: Any, x: Any) -> Any:
    return absolute_vjp(xp, g, y, x) if is_complex(x) else unbroadcast(xp, g * _SLOPE(x, y), x)


def _absolute_jvp(tangent: Any, y: Any, x: Any) -> Any:
    tangent, x = tangent_array(tangent), stacked(x)
    return absolute_jvp(tangent, y, x) if is_complex(x) else number(MULTIPLY(tangent, _SLOPE(x, y)))


def _absolute(name: str, value: Any, samples: Any, **fields: Any) -> Tensor:
    return tensor(
        name,
        value,
        vjps=(_absolute_vjp,),
        jvps=(_absolute_jvp,),
        needs=((0, 1),),
        shape="that of the array",
        convention="0 at 0",
        samples=samples,
        **fields,
    )


def _absolute_samples(rng: Any) -> list[tuple[Any, ...]]:
    z = rng.normal(size=3) + 1j * rng.normal(size=3)
    return [*sampled(ANY)(rng), (z,), (z[0],)]


ABSOLUTE = _absolute(
    "np.absolute",
    lambda xp, x: xp.absolute(x),
    _absolute_samples,
    implements=(np.absolute,),
)
_absolute(  # of a complex number NumPy's scalars have other bits than its arrays
    "py.abs/array",
    lambda xp, x: abs(x),
    _absolute_samples,
    overloads=("py.abs",),
)
FABS = _absolute("np.fabs", lambda xp, x: xp.fabs(x), sampled(ANY), implements=(np.fabs,))


HEAVISIDE = gated(
    "np.heaviside",
    lambda xp, x1, x2: xp.heaviside(x1, x2),
    None,
    lambda t, x, half: WHERE(EQUAL(x, 0.0), t, 0.0),
    needs=((), (0,)),
    implements=(np.heaviside,),
    convention="by the first operand 0, also where it jumps",
    samples=lambda rng: [(np.array([-1.0, 0.0, 2.0]), rng.normal(size=3)), (rng.normal(size=(2, 3)), 0.5)],
)

# Rounding


def _round(xp: Any, a: Any, decimals: Any = 0) -> Any:
    return xp.round(a, 0 if decimals is None else decimals)


def _round_samples(rng: Any) -> list[tuple[Any, ...]]:
    return [
        (rng.normal(size=(2, 3)), 1),
        (rng.normal(size=3),),
        (np.float64(2.345), 2),
        (rng.normal(size=()),),
    ]


ROUND = discrete(
    "np.round",
    _round,
    2,
    implements=(np.round, np.around),
    methods=("round",),
    shape="that of the array",
    convention=_STEPS,
    samples=_round_samples,
)

discrete(
    "py.round/array",
    lambda xp, x, n=None: round(x) if n is None else round(x, n),
    2,
    overloads=("py.round",),
    shape="() -> an integer; with digits () -> (): only NumPy's scalars, as in Python",
    convention=_STEPS,
    samples=lambda rng: [(np.float64(2.345),), (np.float64(2.345), 2), (np.float32(2.5), 0)],
)

# What is no finite number


def _nan_to_num(
    xp: Any, x: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    return xp.nan_to_num(x, True, nan, posinf, neginf)


NAN_TO_NUM = gated(
    "np.nan_to_num",
    _nan_to_num,
    lambda t, x, *rest: WHERE(ISFINITE(x), t, 0.0),
    None,
    lambda t, x, *rest: WHERE(ISNAN(x), t, 0.0),
    lambda t, x, *rest: WHERE(EQUAL(x, math.inf), t, 0.0),
    lambda t, x, *rest: WHERE(EQUAL(x, -math.inf), t, 0.0),
    needs=((0,), (), (0, 2), (0, 3), (0, 4)),
    implements=(np.nan_to_num,),
    shape="that of the array",
    convention="0 where an element is replaced",
    samples=lambda rng: [
        *sampled(ANY)(rng),
        (np.array([np.nan, 1.0, np.inf, -np.inf]), True, 0.5, 2.0, -3.0),
    ],
)
