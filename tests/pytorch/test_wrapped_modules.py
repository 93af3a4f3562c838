"""Modules that wrap others, and modules as containers of their parameters."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from checkpoint import SourceError, engines, grad, value_and_grad

ENGINES = pytest.mark.parametrize("engine", engines.usable())
X = torch.linspace(-1.0, 1.0, 12).reshape(3, 4)


def net() -> nn.Sequential:
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 4))


def loss(model: nn.Module, x: Tensor) -> Tensor:
    return model(x).square().mean()


class Tied(nn.Module):  # type: ignore[misc]  # types of PyTorch are not read
    """Two layers of one weight."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)
        self.second.weight = self.first.weight

    def forward(self, x: Tensor) -> Any:
        return self.second(torch.tanh(self.first(x)))


def regularised(model: nn.Module, x: Tensor) -> Tensor:
    penalty = sum(p.square().sum() for p in model.parameters())
    return loss(model, x) + 0.1 * penalty + len(dict(model.named_parameters()))


def of_norm(model: nn.Module, x: Tensor) -> Any:
    return sum(p.square().sum() for p in grad(loss)(model, x).parameters())


def autograd(f: Any, model: nn.Module) -> tuple[Tensor, list[Tensor]]:
    value = f(model, X)
    return value.detach(), list(torch.autograd.grad(value, list(model.parameters())))


def close(found: nn.Module, expected: list[Tensor]) -> bool:
    mine = list(found.parameters())
    return all(torch.allclose(*pair, 1e-5, 1e-6) for pair in zip(mine, expected, strict=True))


@ENGINES
@pytest.mark.parametrize("make", [net, Tied])
def test_penalties_of_all_parameters(make: Any, engine: str) -> None:
    model = make()
    value, gradient = value_and_grad(regularised, engine=engine)(model, X)
    expected, wanted = autograd(regularised, model)
    assert torch.allclose(value, expected)
    if make is net:
        assert close(gradient, wanted)
    else:  # of what two names share each has its part of the cotangent
        assert torch.allclose(gradient.first.weight + gradient.second.weight, wanted[0])


@ENGINES
def test_parameters_of_a_gradient(engine: str) -> None:
    model = net()
    found = grad(of_norm, engine=engine)(model, X)
    value = loss(model, X)
    slopes = torch.autograd.grad(value, list(model.parameters()), create_graph=True)
    norm = torch.stack([slope.square().sum() for slope in slopes]).sum()
    assert close(found, list(torch.autograd.grad(norm, list(model.parameters()))))


def test_what_wraps_a_module_is_that_module() -> None:
    model = net()
    expected = [p.clone() for p in grad(loss)(model, X).parameters()]
    assert close(grad(loss)(nn.DataParallel(model), X), expected)
    with pytest.raises(SourceError, match=r"torch\.compile returns cannot .*: pass what it was made of"):
        grad(loss)(torch.compile(model), X)


def test_what_has_no_forward_in_python_is_refused() -> None:
    with pytest.raises(NotImplementedError, match=r"has no forward in Python: .*from_module"):
        grad(loss, 1)(nn.Module(), X)


def trained(model: nn.Module, x: Tensor) -> Tensor:
    torch.optim.SGD(model.parameters(), lr=0.1)
    return loss(model, x)


def test_optimisers_are_refused_with_what_to_do() -> None:
    with pytest.raises(SourceError, match=r"torch\.optim\.SGD cannot be .*value_and_grad"):
        grad(trained)(net(), X)
    with pytest.raises(SourceError, match=r"torch\.compile cannot be .*: call the function as it is"):
        grad(lambda x: torch.compile(torch.sin)(x).sum())(X)


class Holder:
    """An object that holds a method of another one."""

    def __init__(self, weight: Tensor) -> None:
        self.weight = weight
        self.apply = net().eval


@ENGINES
def test_objects_that_hold_methods(engine: str) -> None:
    found = grad(lambda holder, x: (holder.weight * x).sum(), engine=engine)(Holder(X), X)
    assert torch.equal(found.weight, X)
    assert found.apply is None
