"""Places of largest elements and back, and softmax by a mask, on tensors and arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from checkpoint import Bisection, engines, grad
from tensorlib import networks

ENGINES = pytest.mark.parametrize("engine", engines.usable())


def one(names: Any, x: Any) -> Any:
    y, at = names.max_pool1d(x, 3, 2, 1, return_indices=True)
    return (names.max_unpool1d(y * y, at, 3, 2, 1, output_size=x.shape) * x).sum()


def two(names: Any, x: Any) -> Any:
    y, at = names.max_pool2d(x, 2, return_indices=True)
    return (names.max_unpool2d(y * y, at, 2) * x).sum() + (y * at).sum()


def three(names: Any, x: Any) -> Any:
    y, at = names.max_pool3d(x, (2, 1, 2), return_indices=True)
    return (names.max_unpool3d(y * y, at, (2, 1, 2)) ** 2).sum() + y.sum()


def adaptive(names: Any, x: Any) -> Any:
    y, at = names.adaptive_max_pool2d(x, (2, 3), return_indices=True)
    return (names.max_unpool2d(y * y, at, (3, 2), output_size=x.shape[-2:]) * x).sum()


def overlapping(names: Any, x: Any) -> Any:
    """Several windows have their largest element at one place."""
    y, at = names.max_pool2d(x, 3, 1, return_indices=True)
    return (names.max_unpool2d(y * y, at, 3, 1) * x).sum()


CASES: dict[Callable[[Any, Any], Any], tuple[int, ...]] = {
    one: (2, 3, 9),
    two: (2, 3, 6, 4),
    three: (1, 2, 4, 3, 4),
    adaptive: (2, 2, 6, 6),
    overlapping: (2, 2, 5, 5),
}


@ENGINES
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_places_and_back(f: Callable[[Any, Any], Any], engine: str) -> None:
    x = torch.randn(CASES[f], generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    leaf = x.clone().requires_grad_()
    (expected,) = torch.autograd.grad(f(F, leaf), leaf)
    found = grad(lambda x: f(F, x), engine=engine)(x)
    assert torch.allclose(found, expected, 1e-12, 1e-12)
    again = grad(lambda x: f(F, x), engine=engine, schedule=Bisection(3))(x)
    assert torch.equal(again, found)
    of_arrays = grad(lambda x: f(networks, x), engine=engine)(x.numpy())
    assert np.allclose(of_arrays, expected, 1e-12, 1e-12)


def test_places_are_those_of_pytorch() -> None:
    x = torch.randn((2, 3, 7, 5), generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    for size, stride, padding, dilation in ((3, 2, 1, 1), (2, 2, 0, 1), (3, 1, 1, 2)):
        sizes: Any = {"kernel_size": size, "stride": stride, "padding": padding, "dilation": dilation}
        y, at = F.max_pool2d(x, **sizes, return_indices=True)
        mine, places = networks.max_pool2d(x.numpy(), **sizes, return_indices=True)
        assert np.array_equal(mine, y)
        assert np.array_equal(places, at)


def test_places_that_are_none() -> None:
    x = np.ones((1, 1, 2))
    with pytest.raises(ValueError, match="a place is not within planes"):
        networks.max_unpool1d(x, np.array([[[0, 9]]]), 2)
    with pytest.raises(ValueError, match=r"places of shape \(1, 1, 3\)"):
        networks.max_unpool1d(x, np.zeros((1, 1, 3), dtype=int), 2)


def masked(x: Any, mask: Any) -> Any:
    return (networks.masked_softmax(x, mask) ** 2 * x).sum()


@ENGINES
def test_masked_softmax(engine: str) -> None:
    x = torch.randn((4, 3, 5), generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    mask = torch.rand((3, 5), generator=torch.Generator().manual_seed(4)) > 0.4
    mask[1] = False
    leaf = x.clone().requires_grad_()
    shares = torch.where(mask, torch.softmax(leaf.masked_fill(~mask, -1e300), -1), 0.0)
    (expected,) = torch.autograd.grad((shares**2 * leaf).sum(), leaf)
    found = grad(masked, engine=engine)(x, mask)
    assert torch.allclose(found, expected, 1e-12, 1e-12)
    assert not found[:, 1].any()
    assert np.allclose(grad(masked, engine=engine)(x.numpy(), mask.numpy()), expected, 1e-12, 1e-12)
    x[:, ~mask] = torch.nan  # what is masked does not matter
    assert not grad(lambda x: networks.masked_softmax(x, mask).sum(), engine=engine)(x).isnan().any()
    with pytest.raises(TypeError, match=r"the mask is of booleans, not of torch\.int64"):
        grad(masked, engine=engine)(x, mask.long())
