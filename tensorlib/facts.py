"""Facts: of dtypes and their limits, window functions, and arrays as text. All without derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tensorlib.rules import discrete


class FloatLimits(NamedTuple):
    """What numpy.finfo says of a dtype."""

    bits: Any
    dtype: Any
    eps: Any
    epsneg: Any
    iexp: Any
    machep: Any
    max: Any
    maxexp: Any
    min: Any
    minexp: Any
    negep: Any
    nexp: Any
    nmant: Any
    precision: Any
    resolution: Any
    smallest_normal: Any
    smallest_subnormal: Any
    tiny: Any


class IntegerLimits(NamedTuple):
    """What numpy.iinfo says of a dtype."""

    bits: Any
    dtype: Any
    max: Any
    min: Any


def _float_limits(xp: Any, dtype: Any) -> FloatLimits:
    found = np.finfo(dtype)
    return FloatLimits(*[getattr(found, name) for name in FloatLimits._fields])


def _integer_limits(xp: Any, type: Any) -> IntegerLimits:
    found = np.iinfo(type)
    return IntegerLimits(*[getattr(found, name) for name in IntegerLimits._fields])


FINFO = discrete(
    "np.finfo",
    _float_limits,
    shape="numbers",
    implements=(np.finfo,),
    samples=lambda rng: [(np.dtype(np.float32),), (np.float64(1.0),)],
)
IINFO = discrete(
    "np.iinfo",
    _integer_limits,
    shape="numbers",
    implements=(np.iinfo,),
    samples=lambda rng: [(np.dtype(np.int32),)],
)


def _fact(name: str, value: Callable[..., Any], operands: int, *samples: tuple[Any, ...]) -> Any:
    return discrete(
        f"np.{name}",
        value,
        operands,
        implements=(getattr(np, name),),
        shape="as NumPy gives it",
        samples=lambda rng: list(samples),
    )


_F8, _I4 = np.dtype("float64"), np.dtype("int32")
_X = np.array([1.5, -2.0, 0.0])

_fact("dtype", lambda xp, dtype, align=False, copy=False: np.dtype(dtype), 3, (_F8,), ("int32",))
_fact("issubdtype", lambda xp, arg1, arg2: bool(np.issubdtype(arg1, arg2)), 2, (_F8, _I4))
_fact("can_cast", lambda xp, from_, to, casting="safe": bool(np.can_cast(from_, to, casting)), 3, (_I4, _F8))
_fact("promote_types", lambda xp, type1, type2: np.promote_types(type1, type2), 2, (_I4, _F8))
_fact("min_scalar_type", lambda xp, a: np.min_scalar_type(a), 1, (3,))
_fact("iscomplex", lambda xp, x: xp.iscomplex(x), 1, (_X,), (_X + 1j,))
_fact("isreal", lambda xp, x: xp.isreal(x), 1, (_X,))
_fact("isposinf", lambda xp, x: xp.isposinf(x), 1, (_X / 0.5,))
_fact("isneginf", lambda xp, x: xp.isneginf(x), 1, (_X,))
_fact("iterable", lambda xp, y: bool(np.iterable(y)), 1, (_X,), (2.5,))
_fact("gcd", lambda xp, x1, x2: xp.gcd(x1, x2), 2, (np.array([4, 6]), 2))
_fact("lcm", lambda xp, x1, x2: xp.lcm(x1, x2), 2, (np.array([4, 6]), 3))
_fact("bitwise_count", lambda xp, x: xp.bitwise_count(x), 1, (np.array([4, 7]),))
_fact("spacing", lambda xp, x: xp.spacing(x), 1, (_X,))


def _window(name: str) -> None:
    _fact(name, lambda xp, M: getattr(xp, name)(M), 1, (5,), (1,))


for _name in ("bartlett", "blackman", "hamming", "hanning"):
    _window(_name)

_fact("tril_indices_from", lambda xp, arr, k=0: np.tril_indices_from(arr, k), 2, (np.eye(3),))
_fact("triu_indices_from", lambda xp, arr, k=0: np.triu_indices_from(arr, k), 2, (np.eye(3), 1))
_fact("diag_indices_from", lambda xp, arr: np.diag_indices_from(arr), 1, (np.eye(3),))


def _text(name: str) -> None:
    function = getattr(np, name)
    _fact(
        name,
        lambda xp, a, max_line_width=None, precision=None: function(a, max_line_width, precision),
        3,
        (_X,),
    )


_text("array_str")
_text("array2string")
_text("array_repr")
_fact(
    "format_float_positional",
    lambda xp, x, precision=None, unique=True: np.format_float_positional(x, precision, unique),
    3,
    (2.5,),
)
_fact("base_repr", lambda xp, number, base=2, padding=0: np.base_repr(number, base, padding), 3, (5,))
_fact("binary_repr", lambda xp, num, width=None: np.binary_repr(num, width), 2, (5,))
