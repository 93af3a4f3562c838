"""The law of reading back: a printed core program, read again, prints the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from checkpoint.lang import prelude
from checkpoint.lang.core import Expr
from checkpoint.lang.grammar import check
from checkpoint.lang.printer import show
from tests.lang.random_core import programs
from tests.lang.support import ARITIES, core
from tests.lang.table import CORE

PROGRAMS = sorted((Path(__file__).parent.parent / "programs").glob("*.vlad"))


def check_reads_back(expr: Expr) -> None:
    printed = show(expr)
    again = core(printed)
    assert show(again) == printed


@pytest.mark.parametrize("case", CORE)
def test_the_table_reads_back(case: str) -> None:
    check_reads_back(core(CORE[case][0]))


@pytest.mark.parametrize("name", prelude.definitions())
def test_the_prelude_reads_back(name: str) -> None:
    check_reads_back(core(name))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_programs_read_back(path: Path) -> None:
    check_reads_back(core(path.read_text(), str(path)))


@given(programs())
@settings(max_examples=300)
def test_random_programs_read_back(program: Expr) -> None:
    check(program, ARITIES)
    check_reads_back(program)
