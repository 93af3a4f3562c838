"""Comparisons, logic and bits element by element: exact, without derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from checkpoint.ad.tensors import Tensor
from tensorlib.rules import discrete, sampled

_BOTH = "both operands broadcast together"
_ANY = (-2.0, 2.0)


def _compared(name: str, operator: Callable[[Any, Any], Any], overload: str) -> Tensor:
    def value(xp: Any, x: Any, y: Any) -> Any:
        if hasattr(x, "dtype") or hasattr(y, "dtype"):
            return operator(x, y)
        return getattr(xp, name)(x, y)

    return discrete(
        f"np.{name}",
        value,
        2,
        implements=(getattr(np, name),),
        overloads=(overload,),
        shape=_BOTH,
        samples=sampled(_ANY, _ANY),
    )


LESS = _compared("less", lambda x, y: x < y, "py.lt")
LESS_EQUAL = _compared("less_equal", lambda x, y: x <= y, "py.le")
GREATER = _compared("greater", lambda x, y: x > y, "py.gt")
GREATER_EQUAL = _compared("greater_equal", lambda x, y: x >= y, "py.ge")
EQUAL = _compared("equal", lambda x, y: x == y, "py.eq")
NOT_EQUAL = _compared("not_equal", lambda x, y: x != y, "py.ne")

# Logic and bits


def _exact(name: str, count: int, samples: Any, overloads: tuple[str, ...] = (), *others: Any) -> Tensor:
    def one(xp: Any, x: Any) -> Any:
        return getattr(xp, name)(x)

    def two(xp: Any, x: Any, y: Any) -> Any:
        return getattr(xp, name)(x, y)

    return discrete(
        f"np.{name}",
        one if count == 1 else two,
        count,
        implements=(getattr(np, name), *others),
        overloads=overloads,
        shape=_BOTH if count == 2 else "that of the array",
        samples=samples,
    )


def _booleans(rng: Any) -> list[tuple[Any, ...]]:
    x, y = rng.integers(0, 2, (2, 3)).astype(bool), rng.integers(0, 2, 3).astype(bool)
    return [
        (x, y),
        (x, True),
        (rng.integers(0, 9, (2, 3)), rng.integers(0, 9, 3)),
        (rng.integers(0, 9, 3), 2),
    ]


def _single(rng: Any) -> list[tuple[Any, ...]]:
    return [operands[:1] for operands in _booleans(rng)]


def _wholes(rng: Any) -> list[tuple[Any, ...]]:
    return [(rng.integers(0, 9, (2, 3)), rng.integers(0, 4, 3)), (rng.integers(0, 9, 3), 2)]


def _special(rng: Any) -> list[tuple[Any, ...]]:
    return [
        (np.array([1.0, np.nan, np.inf, -np.inf]),),
        (rng.normal(size=(2, 3)),),
        (np.float64(2.0),),
        (1.5,),
    ]


LOGICAL_AND = _exact("logical_and", 2, _booleans)
LOGICAL_OR = _exact("logical_or", 2, _booleans)
LOGICAL_XOR = _exact("logical_xor", 2, _booleans)
LOGICAL_NOT = _exact("logical_not", 1, _single)
BITWISE_AND = _exact("bitwise_and", 2, _booleans, ("py.and",))
BITWISE_OR = _exact("bitwise_or", 2, _booleans, ("py.or",))
BITWISE_XOR = _exact("bitwise_xor", 2, _booleans, ("py.xor",))
INVERT = _exact("invert", 1, _single, ("py.invert",))
LEFT_SHIFT = _exact("left_shift", 2, _wholes, ("py.lshift",))
RIGHT_SHIFT = _exact("right_shift", 2, _wholes, ("py.rshift",))
ISFINITE = _exact("isfinite", 1, _special)
ISINF = _exact("isinf", 1, _special)
ISNAN = _exact("isnan", 1, _special)
SIGNBIT = _exact("signbit", 1, _special)


def _all_close(name: str) -> Tensor:
    def value(xp: Any, a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: Any = False) -> Any:
        return getattr(xp, name)(a, b, rtol, atol, equal_nan)

    return discrete(
        f"np.{name}",
        value,
        5,
        implements=(getattr(np, name),),
        shape=_BOTH if name == "isclose" else "a boolean",
        samples=sampled(_ANY, _ANY),
    )


ISCLOSE = _all_close("isclose")
ALLCLOSE = _all_close("allclose")
ARRAY_EQUAL = discrete(
    "np.array_equal",
    lambda xp, a1, a2, equal_nan=False: xp.array_equal(a1, a2, equal_nan),
    3,
    implements=(np.array_equal,),
    shape="a boolean",
    samples=sampled(_ANY, _ANY),
)
