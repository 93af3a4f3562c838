"""The measurements of scaling run, on small cases, and their fits find what they are given."""

from __future__ import annotations

import math

import pytest

from checkpoint import engines
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection, Plain
from checkpoint.functions.runs import primops_values
from experiments import common
from experiments.scaling import slopes, touched


@pytest.fixture(params=engines.usable())
def engine(request: pytest.FixtureRequest) -> Engine:
    return engines.get(request.param)


def test_the_chain_reads_every_number_once(engine: Engine) -> None:
    f, x = common.value_of('(include "programs/chain.vlad")', engine), touched.numbers(20)
    value = 0.5
    slope: list[float] = []
    for number in common.items(x):
        slope = [math.cos(value + number) * earlier for earlier in [*slope, 1.0]]
        value = math.sin(value + number)
    plain = common.reverse(f, x, engine, Plain())
    assert plain.value == value
    assert common.items(plain.gradient) == pytest.approx(slope, rel=1e-12)
    cut = common.reverse(f, x, engine, Bisection(base=7))
    assert common.items(cut.gradient) == common.items(plain.gradient)


def test_rows_of_the_touched_table_are_compared_within_their_base(engine: Engine) -> None:
    rows = [touched.measure(n, base, engine, 1) for base in ("50", "t/8") for n in (10, 20)]
    found = touched.compared(rows)
    assert [row["ratio"] for row in found[::2]] == [1.0, 1.0]
    assert found[1]["ratio"] == rows[1]["us per step"] / rows[0]["us per step"]
    assert rows[3]["states"] == rows[2]["states"]


@pytest.mark.parametrize("steps", [400, 1000])
def test_the_loop_has_the_steps_that_are_asked_for_or_a_few_less(engine: Engine, steps: int) -> None:
    assert steps - 40 < primops_values(slopes.program_of(steps, engine), slopes.X, engine) <= steps


def test_fits_find_t_log_t_and_log_t() -> None:
    base = 512
    rows = [
        {"steps": 2**k, "states": k - 8, "bytes": 1000 * k, "live": 7, "seconds": 2**k * (k - 8) * 1e-9}
        for k in range(12, 21)
    ]
    found = slopes.fits(rows, base)
    assert found["p beside log"] == pytest.approx(1)
    assert found["ns per step"] == pytest.approx({"a": 1.0, "b": 1.0, "r2": 1.0})
    assert found["states"] == pytest.approx({"a": 1.0, "b": 1.0, "r2": 1.0})
    assert found["q"] == pytest.approx(1)
    assert found["live"]["s"] == pytest.approx(0)
    assert found["bytes"]["b"] == pytest.approx(1000)
    assert "t^1.000" in slopes.report("bisection", found)
