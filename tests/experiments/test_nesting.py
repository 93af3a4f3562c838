"""The nested derivatives of experiments/nesting: published digits, and one gradient by every nesting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from checkpoint import engines
from checkpoint.ad.values import list_value
from checkpoint.functions.runs import call_values
from checkpoint.lang.printer import write_value
from experiments import common
from experiments.nesting import run

ENGINE = engines.get()

FLIGHT = """
(include "modes.vlad")
(include "flight.vlad")
(lambda ((list outer inner))
  (let ((f (lambda ((list w)) (naive-euler (gradient-of inner) w))))
    (cons (f (list 0)) (first (((gradient-of outer) f) (list 0))))))
"""


def flight(*nesting: str) -> Any:
    """Return the pair of value and derivative of the particle's flight at w = 0."""
    procedure = common.value_of(FLIGHT, ENGINE, Path(run.__file__).parent)
    return call_values(procedure, list_value(nesting), ENGINE)


@pytest.mark.parametrize("nesting", [("F", "F"), ("F", "R"), ("R", "F"), ("R", "R")])
def test_every_nesting_gives_the_same_derivative(nesting: tuple[str, str]) -> None:
    found = flight(*nesting)
    assert found.car == pytest.approx(3.199079002508194, rel=1e-9)
    assert found.cdr == pytest.approx(-19.40463645002821, rel=1e-9)


def test_the_derivative_is_that_of_differences() -> None:
    f = common.value_of(
        '(include "modes.vlad") (include "flight.vlad") (lambda (w) (naive-euler gradient-F w))',
        ENGINE,
        Path(run.__file__).parent,
    )
    above, below = (call_values(f, w, ENGINE) for w in (1e-5, -1e-5))
    assert flight("R", "F").cdr == pytest.approx((above - below) / 2e-5, rel=1e-7)


def test_checkpointing_changes_no_bit() -> None:
    assert write_value(flight("checkpoint-R", "checkpoint-R")) == write_value(flight("R", "R"))


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("nesting", run.NESTINGS, ids=" over ".join)
@pytest.mark.parametrize("name", run.PUBLISHED)
def test_published_digits(name: str, nesting: tuple[str, str]) -> None:
    found = run.outcome(name, nesting, ENGINE)
    assert run.is_published(name, found), found
