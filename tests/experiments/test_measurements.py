"""The measurements run, on small cases, and what they measure is right."""

from __future__ import annotations

import io
import sys

import pytest

from checkpoint import engines
from checkpoint.driver.schedule import Bisection, Plain
from experiments import common
from experiments.memory import paper
from experiments.speed import steps

ENGINE = engines.get("interp")


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> tuple[object, object]:
    """Return the paper's benchmark for n = 5, l = 8, phi = 3, and its argument."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("5 8 3\n"))
    value = common.value_of(paper.PROGRAM, ENGINE)
    return value.car, value.cdr


@pytest.mark.parametrize("schedule", [Plain(), Bisection(base=1_000)], ids=repr)
def test_the_papers_benchmark_has_value_and_gradient_in_closed_form(
    program: tuple[object, object], schedule: Plain | Bisection
) -> None:
    swept = common.reverse(*program, ENGINE, schedule)
    assert swept.value == pytest.approx(5 * 6 * 11 / 12, rel=1e-9)
    assert common.items(swept.gradient) == pytest.approx([5.0, 4.0, 3.0, 2.0, 1.0], rel=1e-9)


def test_both_modes_agree_to_the_bit_and_the_counts_say_how(program: tuple[object, object]) -> None:
    plain = common.reverse(*program, ENGINE, Plain())
    bisection = common.reverse(*program, ENGINE, Bisection(base=1_000))
    assert common.items(plain.gradient) == common.items(bisection.gradient)
    assert plain.counts.most_kept == 1
    assert plain.counts.taped == plain.steps == bisection.steps
    assert bisection.entries < plain.entries


@pytest.mark.parametrize("name", steps.PROGRAMS)
def test_every_program_of_the_speed_table_runs(name: str) -> None:
    row = steps.measure(name, 2.0, ENGINE, repeats=1, base=100)
    assert row["steps"] > 0
    assert row["forward"] > 0
