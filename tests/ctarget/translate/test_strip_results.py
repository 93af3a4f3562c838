"""Functions of the C library in strips: bits and errors of hybrid, and one test for the lanes of a vector."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.ctarget.translate.collected import units_of
from checkpoint.ctarget.translate.emit import text as emitted
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.support.alone import check_alone, is_alone
from tests.support.strips import counted, translate_soon

pytestmark = [needs_c, needs_compiler, pytest.mark.usefixtures("soon")]

WIDTH = 800


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    translate_soon(monkeypatch)


@pytest.fixture
def strips(monkeypatch: pytest.MonkeyPatch) -> Any:
    return counted(monkeypatch)


def waves(x: float, n: float) -> float:
    while n > 0.0:
        x = math.sin(x) + math.exp(-x) + math.atan2(x, n)
        n = n - 1.0
    return x


def infinite(x: float, n: float) -> float:
    """Results that are not finite, though they are none of a failure."""
    x = x * 1e308 * 1e10
    while n > 0.0:
        x = math.exp(x) + math.log(x) + math.fmod(n, x)
        n = n - 1.0
    return x


def logs(x: float, n: float) -> float:
    """Let a number of one lane in forty fall below zero."""
    while n > 1.0:
        n, x = n - 1.0, math.log(x) + 3.0
    return x


def large(x: float, n: float) -> float:
    while n > 38.0:
        n, x = n - 1.0, math.exp(x * 500.0)
    return x


def remainders(x: float, n: float) -> float:
    return math.fmod(x + 5.0, n - 17.0)


def arguments() -> tuple[Any, Any]:
    rng = np.random.default_rng(7)
    return rng.random(WIDTH) * 2.0 + 0.01, rng.integers(1, 40, WIDTH).astype(float)


@pytest.mark.parametrize("f", [waves, infinite], ids=lambda f: f.__name__)
def test_values(f: Any, strips: Any) -> None:
    args = arguments()
    want = checkpoint.vmap(f, engine="hybrid")(*args)
    assert checkpoint.vmap(f, engine="c")(*args).tobytes() == want.tobytes()
    assert strips.value > 0


@pytest.mark.parametrize("f", [logs, large, remainders], ids=lambda f: f.__name__)
def test_the_first_lane_that_fails(f: Any) -> None:
    args = arguments()
    found = []
    for engine in ("hybrid", "c", "c"):
        with pytest.raises((ValueError, OverflowError)) as caught:
            checkpoint.vmap(f, engine=engine)(*args)
        found.append((type(caught.value), str(caught.value), getattr(caught.value, "__notes__", [])))
    assert found[1:] == found[:1] * 2
    assert "lane 0" not in str(found[0])  # strips are run before


def test_no_lane_is_tested_by_itself() -> None:
    """The loops around calls have no branch; vectors of results are tested behind them."""
    if not is_alone():
        check_alone(__file__, "no_lane_is_tested")
        return
    units = units_of(lambda: checkpoint.vmap(waves, engine="c")(*arguments()))
    (text,) = [text for unit in units if "strip_plain" in (text := emitted.source(unit, "plain"))]
    loops = re.findall(r"FOR_LANES\((?:(?!LANES_JOINED).)*value_sin.*?LANES_JOINED", text, re.S)
    assert loops
    for loop in loops:
        assert "value_exp" in loop  # one loop calls both
        assert "goto" not in loop
    assert "refused_lanes(" in text
