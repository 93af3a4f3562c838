"""vmap over PyTorch's tensors: items of float64 are floats, results are tensors, with derivatives."""

from __future__ import annotations

from typing import Any

import pytest

from checkpoint import engines, grad, vmap

torch = pytest.importorskip("torch")


def root(a: float) -> float:
    x, n = a, 0
    while abs(x * x - a) > 1e-9 and n < 50:
        x, n = (x + a / x) / 2.0, n + 1
    return x


def total(a: Any) -> Any:
    return vmap(root)(a).sum()


def products(w: Any, a: Any) -> Any:
    return vmap(lambda row: w @ row)(a).sum()


@pytest.mark.parametrize("engine", engines.usable())
def test_tensors(engine: str) -> None:
    items = [1.0, 2.0, 9.0]
    x = torch.tensor(items, dtype=torch.float64)
    slopes = torch.tensor([grad(root)(item) for item in items], dtype=torch.float64)
    assert torch.equal(
        vmap(root, engine=engine)(x), torch.tensor([root(item) for item in items], dtype=x.dtype)
    )
    assert torch.equal(grad(total, engine=engine)(x), slopes)
    assert torch.equal(vmap(grad(root), engine=engine)(x), slopes)
    w_bar, a_bar = grad(products, (0, 1), engine=engine)(torch.ones(3), torch.ones(2, 3))
    assert torch.equal(w_bar, torch.full((3,), 2.0))
    assert torch.equal(a_bar, torch.ones(2, 3))


@pytest.mark.parametrize("engine", engines.usable())
def test_results_are_tensors(engine: str) -> None:
    found = vmap(lambda row: (row.sum(), 1, True, 2.5), engine=engine)(torch.ones(2, 3))
    assert [part.dtype for part in found] == [torch.float32, torch.int64, torch.bool, torch.float64]
    assert [part.tolist() for part in found] == [[3.0, 3.0], [1, 1], [True, True], [2.5, 2.5]]
