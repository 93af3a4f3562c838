"""The laws of runs and gradients for random programs with shift and reset, on every engine."""

from __future__ import annotations

import pytest
from hypothesis import given, note, settings

from checkpoint.driver.engine import Engine
from tests.control.random_control import programs
from tests.laws.random_programs import POINTS
from tests.laws.test_random_programs import MANY, REPEATABLE, check
from tests.support.corpus import engine_name, usable_engines

pytestmark = pytest.mark.parametrize("engine", usable_engines(), ids=engine_name)


FEW = settings(REPEATABLE, max_examples=20)


@given(text=programs(), x=POINTS)
@FEW
def test_laws(text: str, x: float, engine: Engine) -> None:
    note(text)
    check(text, x, engine)


@pytest.mark.long
@pytest.mark.timeout(3600)
@given(text=programs(size=5), x=POINTS)
@MANY
def test_laws_of_many(text: str, x: float, engine: Engine) -> None:
    check(text, x, engine)
