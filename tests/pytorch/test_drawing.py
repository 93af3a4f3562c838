"""Random numbers of PyTorch in programs: its bits under the same seed, drawn once however often steps run."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

import checkpoint
from tests.support.corpus import usable_engines

ENGINES = pytest.mark.parametrize("engine", [engine.name for engine in usable_engines()])


def noisy(x: Tensor) -> Any:
    return (x * torch.randn_like(x).exp()).square().sum() + (x * torch.rand_like(x)).sum()


def of_sizes(x: Tensor) -> Any:
    y = x * torch.rand(5, 7) + torch.randn((5, 7), dtype=torch.float64) + torch.randn(size=(7,))
    return (y[torch.randperm(5)] * x * torch.randint(1, 5, (5, 7)) * torch.randint(3, (7,))).sum()


def of_distributions(x: Tensor) -> Any:
    kept = torch.bernoulli(torch.sigmoid(x)) + torch.bernoulli(x.detach(), 0.5) + torch.poisson(x.exp())
    row = torch.multinomial(x.exp(), 2)
    moved = torch.normal(x, 0.5) + torch.normal(0.0, x.exp()) + torch.normal(1.0, 2.0, (5, 7))
    return (x * kept * moved).sum() + x.gather(1, row).square().sum()


def drop_path(x: Tensor) -> Any:
    """Drop whole rows as libraries of models do."""
    mask = x.new_empty((x.shape[0], 1)).bernoulli_(0.6)
    mask.div_(0.6)
    return (x * mask).square().sum()


def filled(x: Tensor) -> Any:
    y = torch.empty_like(x).uniform_(0.5, 2.0).add_(1.0)
    z = x * 1.0
    z[:, :3].normal_(0.0, 0.1)
    w = torch.zeros(7)
    w.exponential_(2.0)
    n = torch.zeros(5, 7).random_(4)
    return (x * y * z.exp() * w * n).sum()


FUNCTIONS: list[Callable[[Tensor], Any]] = [
    noisy,
    of_sizes,
    of_distributions,
    drop_path,
    filled,
    lambda x: F.alpha_dropout(x, 0.3, True).square().sum(),
    lambda x: F.alpha_dropout(x.T, 1.0, True).square().sum(),
    lambda x: F.feature_alpha_dropout(x, 0.3, True).square().sum(),
    lambda x: F.rrelu(x, 0.1, 0.4, training=True).square().sum(),
    lambda x: F.gumbel_softmax(x, 0.7)[:, 0].square().sum(),
    lambda x: (F.gumbel_softmax(x, 0.7, hard=True) * x).sum(),
]


@ENGINES
@pytest.mark.parametrize("schedule", ["plain", "bisection"])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_values_gradients_and_the_state_are_those_of_pytorch(f: Any, schedule: str, engine: str) -> None:
    torch.manual_seed(1)
    x = torch.randn(5, 7, dtype=torch.float64)
    given = x.clone().requires_grad_()
    torch.manual_seed(3)
    value = f(given)
    left = torch.get_rng_state()
    (theirs,) = torch.autograd.grad(value, given)
    torch.manual_seed(3)
    mine, gradient = checkpoint.value_and_grad(f, engine=engine, schedule=schedule)(x)
    assert torch.equal(torch.get_rng_state(), left)
    torch.testing.assert_close(mine, value.detach(), rtol=1e-14, atol=0.0)
    torch.testing.assert_close(gradient, theirs, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    "made", [lambda: nn.AlphaDropout(0.3), lambda: nn.FeatureAlphaDropout(0.3), nn.RReLU]
)
def test_layers_have_the_bits_of_pytorch(made: Any, dtype: torch.dtype) -> None:
    x = torch.randn(3, 4, 5, dtype=dtype)
    given = x.clone().requires_grad_()
    torch.manual_seed(3)
    layer = made()
    value = layer(given)
    (theirs,) = torch.autograd.grad(value, given, torch.ones_like(value))
    torch.manual_seed(3)
    mine, gradient = checkpoint.vjp(layer, x, torch.ones_like(x))
    assert torch.equal(mine, value.detach())
    assert torch.equal(gradient, theirs)


def test_derivatives_of_derivatives_draw_the_same() -> None:
    x = torch.randn(6, dtype=torch.float64)

    def f(x: Tensor) -> Any:
        return F.rrelu(F.alpha_dropout(x, 0.4, True), training=True).pow(3).sum()

    def third(x: Tensor) -> Any:
        return checkpoint.grad(lambda x: checkpoint.grad(f)(x).sum())(x).sum()

    torch.manual_seed(3)
    mine = checkpoint.grad(third)(x)
    torch.manual_seed(3)
    given = x.clone().requires_grad_()
    y = f(given)
    for _ in range(3):
        (y,) = torch.autograd.grad(y.sum(), given, create_graph=True)
    torch.testing.assert_close(mine, y.detach())


def walk(x: Tensor, steps: int) -> Any:
    for _ in range(steps):
        x = torch.tanh(x + 0.1 * torch.randn_like(x)) * torch.rand(1)
    return x.sum()


@ENGINES
def test_recomputation_draws_the_same_numbers(engine: str) -> None:
    x = torch.ones(4)
    found: list[tuple[Any, ...]] = []
    for how in ({"schedule": "plain"}, {"schedule": "bisection"}, {"memory": 4_000_000}):
        torch.manual_seed(3)
        pair = checkpoint.value_and_grad(walk, engine=engine, **how)(x, 40)
        found.append((*pair, torch.get_rng_state()))
    for each in found[1:]:
        assert all(map(torch.equal, found[0], each))


def test_lanes_draw_one_after_the_other() -> None:
    x = torch.randn(4, 3)
    torch.manual_seed(3)
    expected = torch.stack([noisy(row) for row in x])
    torch.manual_seed(3)
    torch.testing.assert_close(checkpoint.vmap(noisy)(x), expected)
    torch.manual_seed(3)
    with pytest.warns(checkpoint.LanesWarning, match="random-state has no batched form"):
        torch.testing.assert_close(checkpoint.vmap(noisy, exact=False)(x), expected)


def test_interrupted_runs_draw_the_same() -> None:
    torch.manual_seed(3)
    expected = walk(torch.ones(4), 9)
    for steps in (40, 200):
        torch.manual_seed(3)
        z = checkpoint.interrupt(lambda x: walk(x, 9), torch.ones(4), steps)
        assert torch.equal(checkpoint.resume(z), expected)


def of_device(x: Tensor) -> Any:
    y = x * torch.arange(3, device=x.device, dtype=x.dtype)
    if x.device != y.device or x.device.type != "cpu" or str(x.device) != "cpu" or x.is_cuda:
        return x.sum()
    where = torch.device("cuda" if torch.cuda.is_available() and x.is_cuda else "cpu")
    return (y.to(where) * x.new_full((3,), 2.0) * x.new_tensor([1.0, 2.0, 3.0])).sum()


class Placed(nn.Module):  # type: ignore[misc]  # types of PyTorch are not read
    """A module that knows its device."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.full((3,), 2.0))
        self.device = torch.device("cpu")

    def forward(self, x: Tensor) -> Any:
        return x.to(self.device) * self.scale * torch.ones(3, device=self.device)


@ENGINES
def test_devices_are_constants_of_programs(engine: str) -> None:
    x = torch.ones(3)
    expected = torch.tensor([0.0, 4.0, 12.0])
    assert torch.equal(checkpoint.grad(of_device, engine=engine)(x), expected)
    found = checkpoint.grad(lambda m, x: m(x).sum(), engine=engine)(Placed(), x)
    assert torch.equal(found.scale, x)


@ENGINES
def test_what_is_changed_in_place_needs_no_name(engine: str) -> None:
    def f(x: Tensor) -> Any:
        return ((x * 2.0).mul_(x).add_(1.0) * (x * 3.0).clamp_(max=2.0)).sum()

    x = torch.tensor([0.1, 0.5, 1.0])
    given = x.clone().requires_grad_()
    (expected,) = torch.autograd.grad(f(given), given)
    torch.testing.assert_close(checkpoint.grad(f, engine=engine)(x), expected)


def doubled(view: Any) -> Any:
    """Return a function that changes a view of a variable, which has no name, and uses the variable."""

    def f(x: Tensor) -> Any:
        y = x * 1.0
        view(y).mul_(2.0)
        return (y * x).sum()

    return f


@ENGINES
@pytest.mark.parametrize(
    "view", [lambda y: y.view(3), lambda y: y[:2], lambda y: y.narrow(0, 0, 2), lambda y: y, torch.flatten]
)
def test_what_a_view_without_a_name_changes_is_not_lost(view: Any, engine: str) -> None:
    with pytest.raises(checkpoint.RunError, match="changed through another name, a view of it"):
        checkpoint.grad(doubled(view), engine=engine)(torch.ones(3))


KEPT = torch.ones(3)


@pytest.mark.parametrize(
    ("f", "says"),
    [
        (lambda x: F.alpha_dropout(x, 0.5, True, inplace=True), "inplace=True changes the input"),
        (lambda x: F.rrelu(x, training=True, inplace=True), "inplace=True changes the input"),
        (lambda x: x * torch.manual_seed(1), r"torch\.manual_seed .* seed PyTorch's generator outside"),
        (lambda x: x * KEPT.normal_(), "normal_ of a tensor .* give the tensor a name"),
        (lambda x: x.detach().mul_(2.0) * x, "mul_ of a tensor .* give the tensor a name"),
    ],
)
def test_errors(f: Any, says: str) -> None:
    importlib.import_module("torch._dynamo")  # wraps torch.manual_seed
    with pytest.raises((ValueError, checkpoint.CheckpointError), match=says):
        checkpoint.grad(lambda x: f(x).sum())(torch.ones(3))
