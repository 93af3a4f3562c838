"""The experiment on trees, at a small size: the gradients are those of PyTorch's recursion."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from checkpoint import engines, value_and_grad
from experiments.trees import models


def test_trees() -> None:
    tree = models.tree_of(ast.parse("x = 1").body[0])
    assert models.size(tree) == 4
    assert [models.KINDS[t[0]] for t in (tree, *tree[1:], tree[1][1])] == [
        "Assign",
        "Name",
        "Constant",
        "Store",
    ]
    found = models.trees(6, 50, 500)
    assert len(found) == 6
    assert all(50 <= models.size(tree) <= 500 for tree, _ in found)
    assert {label for _, label in found} <= {0, 1}


@pytest.mark.parametrize("engine", engines.usable())
def test_gradients_are_pytorchs(engine: str) -> None:
    pytest.importorskip("torch")
    from experiments.trees import run  # noqa: PLC0415  # with its peer

    trees = models.trees(2, 10, 150)
    run.check(run.gradients(4, engine, None, "float64"), trees)
    rows = run.measured(run.gradients(4, engine, None), trees, 1)
    assert [row["nodes"] > 9 for row in rows] == [True, True]


def test_schedules_agree() -> None:
    p = models.parameters(3, "float32")
    (tree, label), *_ = models.trees(1, 10, 150)
    label_array = np.array(label)
    value, gradient = value_and_grad(models.loss, schedule="plain")(p, tree, label_array)
    again, other = value_and_grad(models.loss, schedule="bisection")(p, tree, label_array)
    assert value == again
    assert all((a == b).all() for a, b in zip(gradient, other, strict=True))
