"""Casts and transfers between dtypes, devices and libraries, inside of differentiated functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import checkpoint
from checkpoint import engines, grad, jvp, value_and_grad
from checkpoint.errors import SourceError
from tensorlib import to

ENGINES = pytest.mark.parametrize("engine", engines.usable())
X = torch.tensor([0.5, -1.25, 2.0], dtype=torch.float64)


def casts(x: Tensor) -> Tensor:
    y = x.to(torch.float32) * x.float() + x.to("cpu", torch.float32) + x.to("cpu", dtype=torch.float32)
    y = (
        y
        + x.to(device="cpu", dtype=torch.float32) * x.half().float()
        + x.to(y).sin()
        + x.to(torch.float32, copy=True)
    )
    return (y.double() * x.to(torch.float64) * x.cpu() * x.bfloat16().double()).sum()


@ENGINES
def test_casts_of_pytorch(engine: str) -> None:
    value, gradient = value_and_grad(casts, engine=engine)(X)
    leaf = X.clone().requires_grad_()
    (expected,) = torch.autograd.grad(casts(leaf), leaf)
    assert torch.equal(value, casts(X))
    assert gradient.dtype is torch.float64
    assert torch.allclose(gradient, expected, 1e-6)


def through_numpy(x: Tensor) -> Any:
    y = to(x, np.float32)
    z = to(np.tanh(y) * y, torch.float64)
    return (z * x).sum()


def through_pytorch(x: Any) -> Any:
    y = to(x * 2.0, torch.float32)
    return np.sum(to(torch.sin(y) * y, np.float64) * x)


@ENGINES
def test_arrays_of_one_library_become_those_of_another(engine: str) -> None:
    value, gradient = value_and_grad(through_numpy, engine=engine)(X)
    assert type(value) is Tensor
    assert (type(gradient), gradient.dtype) == (Tensor, torch.float64)
    wanted = X.tanh() * 2.0 * X + X * X * (1.0 - X.tanh() ** 2)
    assert torch.allclose(gradient, wanted, 1e-5)
    gradient = grad(through_pytorch, engine=engine)(X.numpy())
    assert (type(gradient), gradient.dtype) == (np.ndarray, np.float64)
    wanted = 4.0 * X * torch.sin(2.0 * X) + 4.0 * X * X * torch.cos(2.0 * X)
    assert np.allclose(gradient, wanted.numpy(), 1e-5)


@pytest.mark.parametrize("f", [through_numpy, through_pytorch])
def test_tangents_and_second_derivatives(f: Callable[..., Any]) -> None:
    x: Any = X.numpy() if f is through_pytorch else X
    _, tangent = jvp(f, x, x)
    assert np.isclose(float(tangent), float((grad(f)(x) * x).sum()), 1e-5)
    _, second = jvp(grad(f), x, x)
    near = [grad(f)(x * (1.0 + s * 1e-3)) for s in (-1.0, 1.0)]
    assert np.allclose(second, (near[1] - near[0]) / 2e-3, 1e-2, 1e-2)


@ENGINES
def test_schedules_agree(engine: str) -> None:
    def loop(x: Tensor) -> Any:
        for _ in range(40):
            x = torch.sin(x.float()).double() * 1.5
        return x.sum()

    plain = grad(loop, schedule="plain", engine="interp")(X)
    assert torch.equal(grad(loop, schedule="bisection", engine=engine)(X), plain)


@ENGINES
def test_devices_that_are_not_there(engine: str) -> None:
    with pytest.raises(SourceError, match="arrays of NumPy are on the CPU, not on 'cuda'"):
        grad(lambda x: np.sum(to(x, device="cuda")), engine=engine)(X.numpy())
    with pytest.raises((RuntimeError, AssertionError, checkpoint.errors.CheckpointError)):
        grad(lambda x: to(x, device="nowhere").sum(), engine=engine)(X)


def test_outside_of_programs() -> None:
    assert to(X, torch.float32).dtype is torch.float32
    assert to(X, np.float32).dtype == np.float32
    assert to(X) is X
    there = to(X.numpy(), torch.float64)
    there[0] = 7.0
    assert X[0] == 0.5
