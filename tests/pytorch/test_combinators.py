"""checkpoint.arrays of tensors, beside PyTorch's cumulative functions and their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import checkpoint
from checkpoint import arrays, engines

AT = torch.tensor([2, 0, 2, 1, 0, 2, 1])


def product(a: Any, b: Any) -> Any:
    return a * b


def sums_of_bins(x: Any) -> Any:
    return arrays.reduce_by_index(lambda a, b: a + b, torch.zeros(3, dtype=torch.float64), AT, x)


PAIRS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "sums": (lambda x: arrays.scan(torch.add, x), lambda x: torch.cumsum(x, 0)),
    "products": (lambda x: arrays.scan(product, x), lambda x: torch.cumprod(x, 0)),
    "logarithms of sums": (
        lambda x: arrays.scan(torch.logaddexp, x),
        lambda x: torch.logcumsumexp(x, 0),
    ),
    "bins": (sums_of_bins, lambda x: torch.zeros(3, dtype=x.dtype).index_add(0, AT, x)),
    "those that pass": (lambda x: arrays.filter(lambda a: a > 1.0, x), lambda x: x[x > 1.0]),
}


@pytest.mark.parametrize("name", PAIRS)
def test_gradients_are_those_of_pytorch(name: str) -> None:
    own, other = PAIRS[name]
    x = torch.linspace(0.5, 1.5, 7, dtype=torch.float64)
    known = x.clone().requires_grad_()
    (other(known) ** 2).sum().backward()
    for engine in engines.usable():
        found = checkpoint.grad(lambda x: torch.sum(own(x) ** 2), engine=engine)(x)
        assert torch.allclose(found, known.grad, rtol=1e-11, atol=0.0)
