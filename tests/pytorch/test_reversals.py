"""Cotangents of tensors where slopes are infinite, and beside Python's numbers."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from checkpoint import engines, grad

ENGINES = pytest.mark.parametrize("engine", engines.usable())


def roots(x: Any, w: Any) -> Any:
    return (torch.sqrt(x) * w).sum() + (torch.log(x + 1.0) * w).sum()


@ENGINES
def test_a_zero_cotangent_gives_zero_where_a_slope_is_infinite(engine: str) -> None:
    x, w = torch.tensor([0.0, 0.0, 4.0]), torch.tensor([0.0, 2.0, 1.0])
    found = grad(roots, engine=engine)(x, w)
    assert found.tolist() == [0.0, torch.inf, pytest.approx(0.25 + 0.2)]


@ENGINES
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
def test_numbers_beside_tensors_have_their_dtype(engine: str, dtype: torch.dtype) -> None:
    x = torch.tensor([0.5, 2.0, 4.0], dtype=dtype)
    found = grad(lambda a: (3 / a + 2.5 * a - 1).sum(), engine=engine)(x)
    assert found.dtype is dtype
    assert torch.allclose(found, (2.5 - 3 / (x.double() * x.double())).to(dtype), rtol=1e-2)
