"""Changes through views: what the guide says to write instead of them means the same, and is differentiated.

In: the rows of the table in docs/guide/arrays.md, a program that changes the array `a` through another name,
and one that does not. Out: to NumPy both are the same program; the first is an error here, the second exact.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.errors import RunError
from tests.python.texts import defined, run

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "arrays.md"
X = np.array([0.5, 2.0, -1.5])


def rows() -> list[tuple[str, str]]:
    """Return the two programs of each row."""
    table = GUIDE.read_text().partition("| Instead of | write |\n|---|---|\n")[2].partition("\n\n")[0]
    cells = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return [(through_views, itself) for through_views, itself in cells]


def function(program: str) -> Callable[[Any], Any]:
    """Return the function that makes an array, runs a program with it and reads it."""
    text = (
        f"def f(x):\n    a = np.outer(x[:2], x)\n    y = 0.0\n    {program}\n    return np.sum(a * a) + y\n"
    )
    f: Callable[[Any], Any] = defined(text, np=np)["f"]
    return f


def slope(f: Callable[[Any], Any], v: Any) -> float:
    """Return the central difference along v."""
    return float(f(X + 1e-6 * v) - f(X - 1e-6 * v)) / 2e-6


def test_the_guide_has_the_table() -> None:
    assert len(rows()) >= 8


@pytest.mark.parametrize(("through_views", "itself"), rows())
def test_what_the_guide_says_to_write(through_views: str, itself: str, engine: str) -> None:
    f = function(itself)
    assert run(f, X.copy(), engine=engine) == f(X.copy()) == function(through_views)(X.copy())
    y, x_bar = checkpoint.vjp(f, X.copy(), 1.0, engine=engine)
    assert y == f(X.copy())
    assert x_bar == pytest.approx([slope(f, v) for v in np.eye(3)], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(("through_views", "itself"), rows())
def test_what_it_says_not_to_write_is_an_error(through_views: str, itself: str, engine: str) -> None:
    with pytest.raises(RunError, match="was changed through another name, a view of it"):
        run(function(through_views), X.copy(), engine=engine)
