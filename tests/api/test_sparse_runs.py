"""Sparse Jacobians of programs on arrays: how many runs their groups take, and the bits of these."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import checkpoint
from checkpoint import jacobian, jacrev
from checkpoint.api import sparse
from checkpoint.api.colouring import planned
from checkpoint.prims.sparsity.sets import part, united
from tests.api.counting import calls_counted
from tests.api.test_sparse import has_bits

X = np.linspace(-1.0, 1.0, 30)


def wide(x: Any) -> Any:
    """Return numbers that depend on ten neighbours each, by steps on arrays."""
    y = np.tanh(x)
    for _ in range(9):
        y = y[1:] * np.cos(y[:-1]) + 0.5
    return {"y": y, "pair": (y[:3] * 2.0, 1.0)}


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Count the runs on duals, the runs that wait for cotangents, and these cotangents."""
    names = "on_duals", "waiting", "cotangent", "vjp"
    return calls_counted(monkeypatch, dict(zip(names, names, strict=True)))


def test_many_groups_of_columns_take_one_run(engine: str, runs: dict[str, int]) -> None:
    """The first run measures, the second has all nine further groups; they have the bits of columns alone."""
    found = jacobian(wide, mode="forward", engine=engine)(X)
    assert runs == {"on_duals": 2, "waiting": 0, "cotangent": 0, "vjp": 0}
    expected = [checkpoint.jvp(wide, X, unit, engine=engine)[1] for unit in np.eye(30)]
    dense = np.stack([np.concatenate([each["y"], each["pair"][0], [0.0]]) for each in expected], axis=1)
    has_bits(found, dense)


def test_groups_of_rows_are_reversals_of_one_run(engine: str, runs: dict[str, int]) -> None:
    found = jacobian(wide, mode="reverse", engine=engine)(X)
    assert runs == {"on_duals": 0, "waiting": 1, "cotangent": 13, "vjp": 0}
    dense = jacrev(wide, engine=engine)(X)
    has_bits(found, np.concatenate([dense["y"], dense["pair"][0], np.zeros((1, 30))]))


def test_a_schedule_that_reverses_once_runs_again(engine: str) -> None:
    whole = jacobian(wide, mode="reverse", engine=engine)(X)
    again = jacobian(wide, mode="reverse", engine=engine, schedule=checkpoint.Binomial(snapshots=2))(X)
    has_bits(again, whole.toarray())


def test_the_plan_of_a_pattern_serves_calls_with_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another pattern, which another branch has, has a plan of its own."""

    def either(x: Any) -> Any:
        return [x[0] * x[1] if x[0] > 0.0 else x[1]]

    made, plans = jacobian(either), []

    def counted(pattern: Any, mode: str | None) -> Any:
        plans.append(pattern.nnz)
        return planned(pattern, mode)

    monkeypatch.setattr(sparse, "planned", counted)
    found = [
        made(x).toarray().tolist() for x in ([2.0, 3.0], [4.0, 5.0], [-1.0, 2.0], [-2.0, 2.0], [2.0, 3.0])
    ]
    assert found == [[[3.0, 2.0]], [[5.0, 4.0]], [[0.0, 1.0]], [[0.0, 1.0]], [[3.0, 2.0]]]
    assert plans == [2, 1, 2]


def test_parts_and_unions_of_sets() -> None:
    rows = sp.csr_array(np.array([[1, 0, 1], [0, 0, 0], [0, 1, 0], [1, 1, 1]], bool))
    for start, size in ((0, 4), (0, 2), (1, 2), (1, 1), (3, 1), (2, 0)):
        assert np.array_equal(part(rows, start, size).toarray(), rows.toarray()[start : start + size])
    assert united(rows, rows.copy()) is rows
    other = part(rows, 1, 2)
    assert united(other, part(rows, 2, 2)).toarray().tolist() == [[False, True, False], [True, True, True]]
