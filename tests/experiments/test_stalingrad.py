"""The benchmarks of experiments/stalingrad: published errors, derivatives, rows; the paper's run in C."""

from __future__ import annotations

import math
import shutil
from dataclasses import replace

import pytest

from checkpoint import engines
from experiments import common
from experiments.speed import paper
from experiments.stalingrad import lambda_calculus, programs, prolog, run, subjects

ENGINE = "hybrid"


@pytest.mark.parametrize("mode", subjects.MODES)
def test_backprop_has_the_published_error(mode: str) -> None:
    subject = replace(subjects.backprop(False), steps=1)
    assert subject.action((mode,), "vlad", ENGINE)() == pytest.approx(subjects.ERRORS[1], rel=1e-13)


def test_backprop_in_python_has_the_published_error() -> None:
    subject = subjects.backprop(False)
    assert subject.is_right(subject.action(("R",), "python", ENGINE)())


def test_backprop_from_the_first_step() -> None:
    error = programs.backprop(subjects.OWN["R"], 1, math.exp)
    assert error == pytest.approx(subjects.ERRORS[1], rel=1e-13)


def test_a_derivative_that_is_too_large_is_wrong() -> None:
    subject = subjects.saddle(False)
    assert subject.is_right(2.0)
    assert not subject.is_right(2.0 + 1e-9)


@pytest.mark.parametrize("language", run.LANGUAGES)
@pytest.mark.parametrize("name", ["lambda", "prolog"])
def test_interpreters_climb_as_the_derivative_written_out(name: str, language: str) -> None:
    subject = subjects.PROGRAMS[name](False)
    assert subject.is_right(subject.action(("R",), language, ENGINE)())


@pytest.mark.parametrize("likelihood", [lambda_calculus.likelihood, prolog.likelihood])
def test_the_likelihood_is_greatest_at_a_quarter_and_a_third(likelihood: programs.Function) -> None:
    at = [1 / 4, 1 / 3]
    assert likelihood(at) == pytest.approx(1 / 4 * (3 / 4) ** 3 * 1 / 3 * (2 / 3) ** 2)
    assert subjects.reverse(likelihood)(at) == pytest.approx([0.0, 0.0], abs=1e-15)


def test_a_row_says_what_is_missing() -> None:
    subject = subjects.backprop(False)
    row = run.row(subject, ("R",), "python", ENGINE, math.inf)
    assert row["right"]
    assert row["seconds"] > 0.0
    assert run.line(row).startswith("backprop R")
    missing = run.row(subject, ("checkpoint-R",), "python", "autograd", math.inf)
    assert "autograd" in missing["missing"]
    assert "skipped: autograd" in run.line(missing)


def test_what_takes_too_long_is_ended() -> None:
    def forever() -> None:
        while True:
            pass

    with pytest.raises(run.TooLong, match=r"more than 0\.05 s"), run.limited(0.05):
        forever()


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_the_papers_benchmark_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Value and gradient in C, where the tape is divided, are the engine's to rounding."""
    monkeypatch.setattr("sys.stdin", None)
    size = paper.Size(5, 12, 3, 3_000)
    engine = engines.get(ENGINE).name
    swept, _ = paper.in_lists(size, engine, 0)
    value, gradient, _, taped = paper.by_hand(size, swept.steps, 0)
    assert taped > 1
    assert value == pytest.approx(swept.value, rel=1e-12)
    assert gradient == pytest.approx(common.items(swept.gradient), rel=1e-11)
