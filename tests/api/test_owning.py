"""Arrays that a plan returns without a copy: those that it alone has."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlib  # noqa: F401  # registers NumPy's arrays
from checkpoint.ad.tracing.lines import Called, Line, compiled
from checkpoint.ad.tracing.owning import owned


def test_an_array_that_a_plan_alone_has_is_not_copied() -> None:
    kept: list[Any] = []

    def fresh(x: Any) -> Any:
        return x * 2.0

    def view(x: Any) -> Any:
        return (x * 2.0)[:3]

    def held(x: Any) -> Any:
        kept.append(x * 2.0)
        return kept[-1]

    def read_only(x: Any) -> Any:
        y = x * 2.0
        y.flags.writeable = False
        return y

    copied: list[Any] = []

    def copy(x: Any) -> Any:
        copied.append(x)
        return np.array(x)

    x = np.arange(4.0)
    for make, is_copied in ((fresh, False), (view, True), (held, True), (read_only, True)):
        made = Called(make, "make(", (x,), ["i0"], make(x))
        whole = Called(np.array, "copy(", (made.made,), ["r0"], made.made)
        lines = [Line(made.text(), ("i0",), "r0", made), Line(whole.text(), ("r0",), "r1", whole)]
        scope = {"make": make, "copy": copy}
        run = compiled(["i0"], owned(lines, ["r1"], scope), ["r1"], scope)
        copied.clear()
        (found,) = run(x)
        assert found.tolist() == make(x).tolist()
        assert (len(copied) == 1) == is_copied, make
        assert found.flags.writeable
