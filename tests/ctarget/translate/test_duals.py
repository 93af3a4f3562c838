"""Forward mode in translated code: primal and tangent in places of their own, as numbers.c computes them."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import pytest

import checkpoint
from checkpoint.cps.blocks import Return
from checkpoint.ctarget.translate.collected import procedure_names, units_of
from checkpoint.ctarget.translate.emit import text
from checkpoint.ctarget.translate.ops.check_ops import Divides
from checkpoint.ctarget.translate.ops.scalar_ops import Convert
from checkpoint.ctarget.translate.units.graph import Exit, Unit
from checkpoint.ctarget.translate.units.paths import nodes
from tests.ctarget.translate.shared_objects import needs_compiler

pytestmark = needs_compiler
COUNT = 3000
LEAST, MOST = 0.25, 8.0


def products(x: float, y: float) -> float:
    for i in range(COUNT):
        x = x - (x * y - 0.5) * 0.01 + i * 1e-9
        y = y + (1.0 / (x + 3.0) - y * 0.25) * 0.01
    return x * y


def functions(x: float, y: float) -> float:
    for _ in range(COUNT):
        x = math.sin(x) + math.sqrt(y * y) * 0.5
        y = math.exp(-y) / (1.0 + x * x)
    return x + y


def choices(x: float, y: float) -> float:
    """Comparisons of primals; on a branch that an operand does not reach there is no tangent of it."""
    for _ in range(COUNT):
        if x > y:
            x = x - 0.25
        else:
            x = x + y * 1.5
            y = -y if y < 0.25 else y * 0.5
    return x - y


def roots(x: float, y: float) -> float:
    """A partial that is infinite where the tangent is 0: it contributes nothing."""
    for _ in range(COUNT):
        x = x + math.sqrt(y) + math.sqrt(0.0 * x)
    return x


def changes(x: float, y: float) -> float:
    """At first a dual, then a plain real, then a dual again."""
    total = y
    for i in range(COUNT):
        x = x * 0.999 + total * 0.001
        total = 2.0 if i % 3 else x
    return x + total


def rounds(x: float, y: float) -> float:
    """Integers of numbers have no tangents; what is made of them with numbers has."""
    for _ in range(COUNT):
        x = x * 0.5 + int(y * 8.0) / 8.0 + math.floor(x) * 0.25 + math.hypot(x, y) * 0.125
        y = y * 0.75 + round(x) * 0.0625 - math.trunc(y) * x * 0.03125
    return x * y


def asks(x: float, y: float) -> float:
    """Questions are asked of primals: whether a number is 0, finite, a float."""
    for _ in range(COUNT):
        if y and not math.isnan(x):
            x = x * 0.75 + (y if isinstance(y, float) else 1.0) * 0.5
        y = y - 0.25 if not math.isinf(x) and y > 0.25 else x * 0.125
    return x - y


def bounds(x: float, y: float, turns: int = 150) -> float:
    """Few numbers, some without a tangent: what goes through them ends soon."""
    for _ in range(turns):
        x = max(abs(x), LEAST, 0.75 * x + y) * 0.9
        y = sum((x, y * 0.5, LEAST)) * 0.25
    return min(x, y, MOST)


def divides(x: float, y: float, zero_at: int = -1) -> float:
    """Quotients and remainders of numbers and of integers."""
    for i in range(200):
        quotient, remainder = divmod(x * 3.75 + y, 1.25 if i != zero_at else y * 0.0)
        tens, ones = divmod(i, 7)
        x = x * 0.5 + remainder * 0.25 + quotient * 0.125 + tens * 1e-3
        y = y * 0.75 - ones * 1e-3
    return x * y


def outcome(f: Callable[[float, float], float], engine: str, tangents: tuple[float, float]) -> list[str]:
    def of_pair(point: Any) -> float:
        return f(*point)

    value, tangent = checkpoint.jvp(of_pair, (0.75, 0.5), tangents, engine=engine)
    return [value.hex(), tangent.hex()]


@pytest.mark.parametrize(
    "f", [products, functions, choices, roots, changes, rounds, asks, bounds], ids=lambda f: f.__name__
)
def test_bit_for_bit(f: Callable[[float, float], float], monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []

    def spy(unit: Unit, *forms: str, lines: bool) -> str:
        assert forms == ("plain",), "nothing is taped"
        written.append(source(unit, *forms, lines=lines))
        return written[-1]

    source = text.source
    monkeypatch.setattr(text, "source", spy)
    monkeypatch.setenv("CHECKPOINT_JIT", "wait")
    for tangents in ((1.0, 0.0), (-0.5, 2.0), (math.inf, 1.0)):
        assert outcome(f, "c", tangents) == outcome(f, "hybrid", tangents)
    assert any("_tangent_" in each for each in written)


@pytest.mark.parametrize("f", [products, rounds, asks, bounds, divides], ids=lambda f: f.__name__)
def test_products_with_a_hessian(f: Callable[[float, float], float], monkeypatch: pytest.MonkeyPatch) -> None:
    def product(engine: str) -> list[str]:
        found = checkpoint.hvp(lambda point: f(*point), (0.75, 0.5), (1.0, -0.5), engine=engine)
        return [number.hex() for number in found]

    monkeypatch.setenv("CHECKPOINT_JIT", "wait")
    assert product("c") == product("hybrid")


def test_a_divisor_of_zero_leaves_the_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECKPOINT_JIT", "wait")
    outcome(divides, "c", (1.0, -0.5))
    texts = []
    for engine in ("c", "hybrid"):
        with pytest.raises(ZeroDivisionError) as raised:
            checkpoint.grad(divides, engine=engine)(0.75, 0.5, 190)
        texts.append(str(raised.value))
    assert texts[0] == texts[1]


def test_divmod_is_part_of_a_unit() -> None:
    units = units_of(lambda: checkpoint.grad(divides, engine="c")(0.75, 0.5))
    assert any(isinstance(op, Divides) for unit in units for node in nodes(unit) for op in node.ops)


def test_integers_of_duals_are_made_in_units() -> None:
    units = units_of(
        lambda: checkpoint.hvp(lambda point: rounds(*point), (0.75, 0.5), (1.0, -0.5), engine="c")
    )
    made = {
        op.function for unit in units for node in nodes(unit) for op in node.ops if isinstance(op, Convert)
    }
    assert made >= {"whole_part", "whole_down", "whole_nearest"}


@pytest.mark.xfail(
    sys.version_info >= (3, 12), reason="the sum of 3.12 makes rounding good, on more paths", strict=True
)
def test_loops_over_few_numbers_are_part_of_the_loop_around_them() -> None:
    """Know of each number whether it has a tangent; leave nothing to the machine before the end."""
    units = units_of(
        lambda: checkpoint.hvp(
            lambda point: bounds(point[0], point[1], COUNT), (0.75, 0.5), (1.0, -0.5), engine="c"
        )
    )
    (unit,) = [unit for unit in units if {"bounds", "max", "sum"} <= set(procedure_names(unit))]
    left = [node.block.block for node in nodes(unit) if isinstance(node.end, Exit)]
    assert left
    assert all(isinstance(block.end, Return) for block in left)
