"""Programs over tensors: values are Python's to the bit, gradients autograd's; engines, schedules agree."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils import _pytree as pytree

from checkpoint import Binomial, Bisection, engines, jvp, value_and_grad
from tests.pytorch.programs import corpus

DTYPES = {"float64": (torch.float64, 1e-12), "float32": (torch.float32, 1e-5)}
SCHEDULES: dict[str, dict[str, Any]] = {
    "bisection": {"schedule": Bisection(base=20)},
    "binomial": {"schedule": Binomial(snapshots=3)},
    "budget": {"memory": 60_000},
}

pytestmark = [
    pytest.mark.parametrize("engine", engines.usable()),
    pytest.mark.parametrize("name", list(corpus(torch.float64))),
]


def ours(name: str, dtype: torch.dtype, engine: str, **how: Any) -> tuple[Any, list[torch.Tensor]]:
    f, args = corpus(dtype)[name]
    value, gradient = value_and_grad(f, argnums=tuple(range(len(args))), engine=engine, **how)(*args)
    return value, pytree.tree_leaves(gradient)


def theirs(name: str, dtype: torch.dtype) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """Return what PyTorch's autograd gives."""
    f, args = corpus(dtype)[name]
    leaves, nest = pytree.tree_flatten(args)
    leaves = [leaf.requires_grad_() for leaf in leaves]
    value = f(*pytree.tree_unflatten(leaves, nest))
    return value.detach(), list(torch.autograd.grad(value, leaves))


@pytest.mark.parametrize("dtype", DTYPES)
def test_values_and_gradients_are_those_of_pytorch(name: str, engine: str, dtype: str) -> None:
    kind, precision = DTYPES[dtype]
    (value, gradient), (expected, wanted) = ours(name, kind, engine), theirs(name, kind)
    assert torch.equal(value, expected)
    for mine, other in zip(gradient, wanted, strict=True):
        assert (mine.dtype, mine.shape, type(mine)) == (other.dtype, other.shape, torch.Tensor)
        assert torch.allclose(mine, other, precision, precision)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_schedules_agree_to_the_bit(name: str, engine: str, schedule: str) -> None:
    value, gradient = ours(name, torch.float32, engine, **SCHEDULES[schedule])
    expected, plain = ours(name, torch.float32, "interp", schedule="plain")
    assert torch.equal(value, expected)
    assert all(map(torch.equal, gradient, plain))


def test_tangents_agree_with_cotangents(name: str, engine: str) -> None:
    f, args = corpus(torch.float64)[name]
    generator = torch.Generator().manual_seed(11)
    leaves, nest = pytree.tree_flatten(args)
    tangents = [torch.randn(leaf.shape, dtype=leaf.dtype, generator=generator) for leaf in leaves]
    whole = pytree.tree_unflatten(tangents, nest)
    _, derivative = jvp(lambda packed: f(*packed), args, whole, engine=engine)
    _, gradient = ours(name, torch.float64, engine)
    expected = sum((g * t).sum() for g, t in zip(gradient, tangents, strict=True))
    assert torch.allclose(derivative, torch.as_tensor(expected), 1e-10, 1e-10)
