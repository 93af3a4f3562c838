"""Random Python functions do on every engine what they do in Python."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, note, settings

from tests.python.agreement import check
from tests.python.generator import HEAD, Program, programs

REPEATABLE = settings(
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
MANY = settings(REPEATABLE, max_examples=4000, derandomize=False)


def agrees(program: Program) -> None:
    """Check all laws for one program."""
    note(program.text.removeprefix(HEAD))
    note(f"main{program.args}")
    check(program.function(), program.args, may_refuse=program.may_refuse)


@given(program=programs())
@REPEATABLE
def test_agrees(program: Program) -> None:
    agrees(program)


@pytest.mark.long
@pytest.mark.timeout(3600)
@given(program=programs(fuel=25))
@MANY
def test_many_agree(program: Program) -> None:
    agrees(program)
