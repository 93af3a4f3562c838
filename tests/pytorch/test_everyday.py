"""Everyday functions of PyTorch's users, as they write them: values and gradients beside autograd's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

import checkpoint
from tests.support.corpus import usable_engines

ENGINES = pytest.mark.parametrize("engine", [engine.name for engine in usable_engines()])
EDGES = torch.tensor([[0, 1, 2, 3], [1, 2, 3, 4]])


def messages(x: Tensor) -> Any:
    """Return what a layer of a graph network computes."""
    source, target = EDGES
    out = torch.zeros(5, 4)
    out.index_add_(0, target, x[source])
    also = torch.zeros(5, 4).scatter_add_(0, target[:, None].expand(-1, 4), x[source].exp())
    return (out.pow(2) + also.masked_fill_(also > 2.0, 0.5)).sum()


def moments(x: Tensor) -> Any:
    return x.std(unbiased=False) + x.var(0, unbiased=True).sum() + x.var(False) + x.std(1, keepdim=True).sum()


def noisy_labels(x: Tensor) -> Any:
    """Return a loss of a module that the function makes."""
    labels = (x[:, 0] > 0.0).long() + x[:, 1].ge(0.0).int()
    return nn.NLLLoss()(F.log_softmax(x, 1), labels) + x[(x > 0.0).bool()].sum()


def flattened(x: Tensor) -> Any:
    vector = torch.nn.utils.parameters_to_vector([x, x[0] * 2.0])
    a, b = torch.broadcast_tensors(x[:1], x[:, :1])
    return vector.square().sum() + (a * b).sum() + x.type(torch.float64).sum() * x.ndimension()


def latent(x: Tensor) -> Any:
    """Return the loss of a variational autoencoder."""
    mean, log_variance = x[:, :2], x[:, 2:]
    z = mean + torch.exp(0.5 * log_variance) * torch.randn_like(mean)
    return z.square().sum() - 0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())


FUNCTIONS: list[Callable[[Tensor], Any]] = [messages, moments, noisy_labels, flattened, latent]


@ENGINES
@pytest.mark.parametrize("f", FUNCTIONS)
def test_everyday_functions(f: Callable[[Tensor], Any], engine: str) -> None:
    torch.manual_seed(1)
    x = torch.randn(5, 4)
    given = x.clone().requires_grad_()
    torch.manual_seed(2)
    expected = f(given)
    (theirs,) = torch.autograd.grad(expected, given)
    torch.manual_seed(2)
    value, gradient = checkpoint.value_and_grad(f, engine=engine)(x)
    torch.testing.assert_close(value, expected.detach())
    torch.testing.assert_close(gradient, theirs, rtol=1e-4, atol=1e-5)


@ENGINES
def test_the_first_of_equal_elements_has_the_derivative(engine: str) -> None:
    """PyTorch has no derivative of `unique`."""
    x = torch.tensor([[3.0, 1.0], [1.0, 2.0]])
    cotangent = (torch.tensor([1.0, 2.0, 3.0]), None, None)
    y, found = checkpoint.vjp(lambda x: torch.unique(x, True, True, True), x, cotangent, engine=engine)
    assert all(map(torch.equal, y, torch.unique(x, True, True, True)))
    assert torch.equal(found, torch.tensor([[3.0, 1.0], [0.0, 2.0]]))
    assert torch.equal(checkpoint.grad(lambda x: x.unique().sum(), engine=engine)(x), (found != 0.0).float())


def same_kind(x: Tensor) -> Any:
    z = x * 2.0
    y = z.float()
    y += 1.0
    return y.sum() + z.sum()


@ENGINES
def test_a_conversion_to_the_same_dtype_is_the_tensor_itself(engine: str) -> None:
    x = torch.tensor([3.0, 1.0])
    with pytest.raises(checkpoint.RunError, match="changed through another name"):
        checkpoint.grad(same_kind, engine=engine)(x)
    value, gradient = checkpoint.value_and_grad(same_kind, engine=engine)(x.double())
    assert torch.equal(value, same_kind(x.double()))
    assert torch.equal(gradient, torch.full_like(x, 4.0).double())
