"""Random programs that mix features do on every engine, translated and not, what they do in Python."""

from __future__ import annotations

import pytest

from checkpoint import engines
from tests.python.agreement import check, check_translated
from tests.python.generator_mixed import program

MORE = pytest.mark.long
EACH = pytest.mark.parametrize(
    "seed", [*range(8), *[pytest.param(seed, marks=MORE) for seed in range(8, 400)]]
)


@EACH
def test_agrees(seed: int) -> None:
    """Refused are programs that change an array through one name and look at it through another one."""
    made = program(seed)
    assert check(made.function(), made.args, may_refuse=True) in ("value", "error", "long", "refused")


@pytest.mark.skipif("c" not in engines.usable(), reason="translation is of engine c")
@pytest.mark.parametrize("seed", [3, *[pytest.param(seed, marks=MORE) for seed in range(8, 400, 9)]])
def test_agrees_where_it_is_translated(seed: int) -> None:
    made = program(seed)
    check_translated(made.function(), made.args)
