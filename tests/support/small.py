"""Help tests of small gradients: how many plans have taken, and whether they equal ordinary ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint import value_and_grad
from checkpoint.functions import small
from tests.python.agreement import outcome, same_outcomes


def taken(f: Any, count: int = 1, names: tuple[str, ...] = ()) -> int:
    """Return how many gradients were taken by the plan for a function."""
    plan = small.plan_of(f, count, names)
    return 0 if plan is None else plan.taken


def agrees(f: Callable[..., Any], *args: Any, times: int = 3, argnums: Any = 0) -> int:
    """Check that gradients by plans are what ordinary ones are; return how many plans took."""
    found = 0
    want = outcome(lambda: value_and_grad(f, argnums, schedule="budget")(*args))
    for _ in range(times):
        plan, before = small.plan_of(f, len(args)), taken(f, len(args))  # type: ignore[arg-type]
        got = outcome(lambda: value_and_grad(f, argnums)(*args))
        assert same_outcomes(want, got), f"{got}, not {want}"
        found += 0 if plan is None else plan.taken - before
    return found
