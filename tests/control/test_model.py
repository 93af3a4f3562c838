"""Programs with shift and reset have the values that an abstract machine gives them, on every engine."""

from __future__ import annotations

import pytest
from hypothesis import given, note

from checkpoint.driver.engine import Engine
from checkpoint.errors import RunError
from checkpoint.functions import runs
from tests.control.model import Failed, plain, value_at
from tests.control.random_control import PLAIN, programs
from tests.laws.random_programs import POINTS
from tests.laws.test_random_programs import MANY, REPEATABLE
from tests.support.corpus import FOLDER, engine_name, usable_engines, value_of
from tests.support.same import difference

pytestmark = pytest.mark.parametrize("engine", usable_engines(), ids=engine_name)

CORPUS = ("control", "control-tags", "control-handlers")
FAILED = "failed"


def check(text: str, x: float, engine: Engine) -> None:
    try:
        expected = plain(value_at(text, x))
    except Failed:
        expected = FAILED
    try:
        found = plain(runs.call_values(value_of(text, engine), x, engine))
    except RunError:
        found = FAILED
    assert found == expected or difference(found, expected) is None


@pytest.mark.parametrize("name", CORPUS)
def test_corpus(name: str, engine: Engine) -> None:
    check((FOLDER / f"{name}.vlad").read_text(), 1.5, engine)


@given(text=programs(forms=PLAIN), x=POINTS)
@REPEATABLE
def test_random_programs(text: str, x: float, engine: Engine) -> None:
    note(text)
    check(text, x, engine)


@pytest.mark.long
@pytest.mark.timeout(3600)
@given(text=programs(5, PLAIN), x=POINTS)
@MANY
def test_many_random_programs(text: str, x: float, engine: Engine) -> None:
    note(text)
    check(text, x, engine)
