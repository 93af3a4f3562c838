"""Tensors by which nothing is differentiated are constants; the cotangents of the others keep their bits."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils import _pytree as pytree

from checkpoint import Bisection, engines, grad
from tests.arrays.test_activity import counted
from tests.pytorch.programs import corpus

NAMES = [name for name, (_, args) in corpus(torch.float64).items() if len(args) > 1]


@pytest.mark.parametrize("engine", engines.usable())
@pytest.mark.parametrize("schedule", ["plain", Bisection(base=20)], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_wanted_cotangents_have_the_same_bits(name: str, schedule: Any, engine: str) -> None:
    f, args = corpus(torch.float32)[name]
    whole = grad(f, tuple(range(len(args))), engine=engine, schedule="plain")(*args)
    for i, expected in enumerate(whole):
        found = grad(f, i, engine=engine, schedule=schedule)(*args)
        for mine, other in zip(pytree.tree_leaves(found), pytree.tree_leaves(expected), strict=True):
            assert torch.equal(mine, other) if isinstance(mine, torch.Tensor) else mine == other


def layers(w: Any, x: Any) -> Any:
    for _ in range(40):
        w = torch.tanh(w)
    return (w * x).sum()


@pytest.mark.parametrize("engine", engines.usable())
def test_no_rule_is_called_for_what_is_not_wanted(engine: str) -> None:
    args = torch.ones(3), torch.ones(3)
    grad(layers, 1, engine=engine)(*args)
    with counted() as called:
        grad(layers, 1, engine=engine)(*args)
    assert "np.tanh" not in called
    with counted() as called:
        grad(layers, 0, engine=engine)(*args)
    assert called.count("np.tanh") == 40
