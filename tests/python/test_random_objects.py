"""Random programs of objects do on every engine what they do in Python."""

from __future__ import annotations

import pytest
from hypothesis import given, note, settings

from tests.python.agreement import check
from tests.python.generator import Program
from tests.python.generator_objects import HEAD, objects_programs
from tests.python.test_random import MANY, REPEATABLE


def agrees(program: Program) -> None:
    """Check all laws for one program."""
    note(program.text.removeprefix(HEAD))
    note(f"main{program.args}")
    check(program.function(), program.args)


@given(program=objects_programs())
@settings(REPEATABLE, max_examples=15)
def test_agrees(program: Program) -> None:
    agrees(program)


@pytest.mark.long
@pytest.mark.timeout(3600)
@given(program=objects_programs(fuel=25))
@MANY
def test_many_agree(program: Program) -> None:
    agrees(program)
