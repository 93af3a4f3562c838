"""Private names: inside a class `__x` means `_Class__x`, in attributes, variables and parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

import checkpoint
from checkpoint.lang.python.source.private import mangled

__outside = 4.0
_Plot__outside = 3.0


@dataclass(frozen=True)
class Plot:
    width: float
    __depth: float

    def __area(self, *, __scale: float = 2.0) -> float:
        return self.width * self.__depth * __scale

    def priced(self, __rate: float) -> float:
        def with_rate(__area: float) -> float:
            return __area * __rate + __outside

        squares = [__each * __each for __each in (self.__area(), 1.0)]
        return with_rate(squares[0]) + squares[1]

    @property
    def __secret(self) -> float:
        return self.width**2

    def told(self) -> float:
        doubled = (lambda __q: __q * self.__secret, 2.0)
        return float(doubled[0](doubled[1]))


class __Hidden:
    """Its name, without the underscores in front, is the one that counts."""

    def __init__(self, x: float) -> None:
        self.__x = x

    def value(self, y: float) -> float:
        return y * self.__x


HIDDEN = __Hidden(5.0)


def priced(x: float) -> float:
    return Plot(x, 2.0).priced(0.5)


def told(x: float) -> float:
    return Plot(x, 2.0).told()


def hidden(x: float) -> float:
    return HIDDEN.value(x)


@pytest.mark.parametrize("f", [priced, told, hidden])
def test_private_names(f: Callable[[float], float], engine: str) -> None:
    y, slope = checkpoint.value_and_grad(f, engine=engine)(1.5)
    assert y == f(1.5)
    assert slope == pytest.approx((f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6, rel=1e-8)


@pytest.mark.parametrize(
    ("name", "cls", "meaning"),
    [("__x", "C", "_C__x"), ("__x__", "C", "__x__"), ("_x", "C", "_x"), ("__x", "", "__x")],
)
def test_what_is_private(name: str, cls: str, meaning: str) -> None:
    assert (mangled(name, cls) if cls else name) == meaning
