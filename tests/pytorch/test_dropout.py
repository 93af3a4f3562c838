"""Dropout in training: PyTorch's random numbers, drawn once and the same in recomputation, and its bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

import checkpoint
from checkpoint.errors import SourceError
from tests.support.corpus import usable_engines
from tests.support.sampling import side_by_side

ENGINES = pytest.mark.parametrize("engine", [engine.name for engine in usable_engines()])


def squares(module: Any, x: Any) -> Any:
    return module(x).square().sum()


def iterated(module: Any, x: Any) -> Any:
    """Return a sum after 12 steps, each with dropout of its own."""
    for _ in range(12):
        x = torch.tanh(module(x))
    return x.sum()


def network() -> Any:
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.3), nn.Linear(8, 4), nn.Dropout(0.5))


def run(f: Callable[..., Any], module: Any, x: Any, **how: Any) -> tuple[list[Any], Any]:
    """Return the value, the gradients by the input and the parameters, and the generator's state after."""
    torch.manual_seed(3)
    value, (of_module, of_x) = checkpoint.value_and_grad(f, (0, 1), **how)(module, x)
    return [value, of_x, *[p.detach() for p in of_module.parameters()]], torch.get_rng_state()


def expected(f: Callable[..., Any], module: Any, x: Any) -> tuple[list[Any], Any]:
    """Return PyTorch's."""
    torch.manual_seed(3)
    given = x.clone().requires_grad_()
    value = f(module, given)
    gradients = torch.autograd.grad(value, [given, *module.parameters()])
    return [value.detach(), *gradients], torch.get_rng_state()


@pytest.mark.parametrize(
    ("engine", "schedule"),
    side_by_side("dropout", [engine.name for engine in usable_engines()], ["plain", "bisection"]),
)
def test_a_network_has_the_bits_of_pytorch(engine: str, schedule: str) -> None:
    torch.manual_seed(1)
    module, x = network(), torch.randn(5, 4)
    found, state = run(squares, module, x, engine=engine, schedule=schedule)
    theirs, left = expected(squares, module, x)
    assert all(map(torch.equal, found, theirs))
    assert torch.equal(state, left)
    assert not torch.equal(found[0], squares(module, x))  # other numbers are drawn now


@ENGINES
@pytest.mark.parametrize(
    ("f", "shape"),
    [
        (lambda x: functional.dropout1d(x, 0.4), (3, 4, 2)),
        (lambda x: functional.dropout2d(x, 0.4), (3, 4, 2, 2)),
        (lambda x: functional.dropout3d(x, 0.4), (3, 4, 2, 2, 2)),
        (lambda x: functional.dropout(x, 1.0), (3, 4)),
        (lambda x: functional.dropout(x.T, 0.2), (3, 4)),
        (lambda x: functional.dropout(x, 0.5) * functional.dropout(x, 0.5), (3, 4)),
    ],
)
def test_functions_have_the_bits_of_pytorch(f: Any, shape: Any, engine: str) -> None:
    torch.manual_seed(1)
    x = torch.randn(shape, dtype=torch.float64)
    torch.manual_seed(3)
    given = x.clone().requires_grad_()
    value = f(given).sum()
    (theirs,) = torch.autograd.grad(value, given)
    left = torch.get_rng_state()
    torch.manual_seed(3)
    mine, gradient = checkpoint.value_and_grad(lambda x: f(x).sum(), engine=engine)(x)
    assert torch.equal(mine, value.detach())
    assert torch.equal(gradient, theirs)
    assert torch.equal(torch.get_rng_state(), left)


@ENGINES
def test_recomputation_draws_the_same_numbers(engine: str) -> None:
    torch.manual_seed(1)
    module, x = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.3)), torch.randn(5, 4)
    plain, left = run(iterated, module, x, engine=engine, schedule="plain")
    for how in ({"schedule": "bisection"}, {"schedule": "binomial"}, {"memory": 4_000_000}):
        found, state = run(iterated, module, x, engine=engine, **how)
        assert all(map(torch.equal, found, plain))
        assert torch.equal(state, left)
    theirs, state = expected(iterated, module, x)
    torch.testing.assert_close(found, theirs)
    assert torch.equal(state, left)


@pytest.mark.parametrize(
    ("module", "f"),
    [
        (nn.LSTM(4, 3, 2, dropout=0.4), lambda m, x: m(x)[0].square().sum()),
        (nn.MultiheadAttention(4, 2, dropout=0.4), lambda m, x: m(x, x, x)[0].square().sum()),
        (
            nn.MultiheadAttention(4, 2, dropout=0.4),
            lambda m, x: m(x, x, x, need_weights=False)[0].square().sum(),
        ),
    ],
)
def test_dropout_within_layers(module: Any, f: Any) -> None:
    torch.manual_seed(1)
    x = torch.randn(6, 2, 4)
    found, state = run(f, module, x)
    theirs, left = expected(f, module, x)
    torch.testing.assert_close(found, theirs, rtol=1e-4, atol=1e-5)
    assert torch.equal(state, left)


@ENGINES
def test_second_derivatives(engine: str) -> None:
    x = torch.randn(4, dtype=torch.float64)

    def f(x: Any) -> Any:
        return functional.dropout(x, 0.5).pow(3).sum()

    torch.manual_seed(3)
    mine = checkpoint.hvp(f, x, torch.ones_like(x), engine=engine)
    torch.manual_seed(3)
    factors = functional.dropout(torch.ones_like(x), 0.5)
    torch.testing.assert_close(mine[1] if isinstance(mine, tuple) else mine, 6.0 * factors.pow(3) * x)


def test_errors() -> None:
    x = torch.ones(3)
    with pytest.raises(ValueError, match="between 0 and 1"):
        checkpoint.grad(lambda x: functional.dropout(x, 1.5).sum())(x)
    with pytest.raises(SourceError, match="inplace=True changes the input"):
        checkpoint.grad(lambda x: functional.dropout(x, 0.5, inplace=True).sum())(x)
