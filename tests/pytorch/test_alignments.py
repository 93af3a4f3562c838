"""ctc_loss: values and gradients beside PyTorch's, on tensors and arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from checkpoint import Bisection, engines, grad, hvp, value_and_grad
from checkpoint.errors import SourceError
from tensorlib import networks

ENGINES = pytest.mark.parametrize("engine", engines.usable())
TARGETS = torch.tensor([[1, 2, 2], [3, 1, 0], [2, 0, 0], [1, 3, 2]])
INPUTS, LENGTHS = torch.tensor([6, 5, 6, 3]), torch.tensor([3, 2, 0, 3])

ARRAYS = TARGETS.numpy(), INPUTS.numpy(), LENGTHS.numpy()


def drawn() -> Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.randn(6, 4, 4, dtype=torch.float64, generator=generator)


@ENGINES
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_values_and_gradients_are_those_of_pytorch(engine: str, reduction: str) -> None:
    def f(x: Tensor) -> Tensor:
        losses = F.ctc_loss(F.log_softmax(x, 2), TARGETS, INPUTS, LENGTHS, reduction=reduction)
        return (losses * torch.cos(losses)).sum()

    def same(x: Any) -> Any:
        logs = x - np.log(np.sum(np.exp(x), axis=2, keepdims=True))
        losses = networks.ctc_loss(logs, *ARRAYS, reduction=reduction)
        return np.sum(losses * np.cos(losses))

    x = drawn()
    leaf = x.clone().requires_grad_()
    (expected,) = torch.autograd.grad(f(leaf), leaf)
    value, gradient = value_and_grad(f, engine=engine)(x)
    assert torch.allclose(value, f(x), 1e-10)
    assert torch.allclose(gradient, expected, 1e-9, 1e-9)
    assert torch.equal(gradient, grad(f, engine=engine, schedule=Bisection(5))(x))
    value, gradient = value_and_grad(same, engine=engine)(x.numpy())
    assert np.allclose(value, f(x), 1e-10)
    assert np.allclose(gradient, expected, 1e-9, 1e-9)


def test_lengths_as_tuples_and_one_sample() -> None:
    x = F.log_softmax(drawn(), 2)
    expected = F.ctc_loss(x, TARGETS, INPUTS, LENGTHS)
    given = tuple(INPUTS.tolist()), tuple(LENGTHS.tolist())
    value, _ = value_and_grad(lambda x: F.ctc_loss(x, TARGETS, *given))(x)
    assert torch.allclose(value, expected)
    one = F.ctc_loss(x[:, 0], TARGETS[0], INPUTS[0], LENGTHS[0])
    value, _ = value_and_grad(lambda x: F.ctc_loss(x, TARGETS[0], INPUTS[0], LENGTHS[0]))(x[:, 0])
    assert torch.allclose(value, one)


def test_what_no_alignment_gives() -> None:
    x, short = F.log_softmax(drawn(), 2), torch.tensor([6, 5, 6, 2])

    def f(x: Tensor, zero: bool) -> Tensor:
        return F.ctc_loss(x, TARGETS, INPUTS.minimum(short), LENGTHS, reduction="sum", zero_infinity=zero)

    value, gradient = value_and_grad(lambda x: f(x, True))(x)
    assert torch.allclose(value, f(x, True))
    assert not gradient[:, 3].any()
    assert value_and_grad(lambda x: f(x, False))(x)[0] == torch.inf


def test_second_derivatives_are_differences() -> None:
    def f(x: Any) -> Any:
        logs = x - np.log(np.sum(np.exp(x), axis=2, keepdims=True))
        return networks.ctc_loss(logs, *ARRAYS)

    x = drawn().numpy()
    v = np.cos(np.arange(x.size)).reshape(x.shape)
    near = [grad(f)(x + step * v) for step in (1e-5, -1e-5)]
    assert np.allclose(hvp(f, x, v), (near[0] - near[1]) / 2e-5, 1e-6, 1e-8)


def test_targets_in_one_row_are_refused() -> None:
    with pytest.raises(SourceError, match="not all in one row"):
        grad(lambda x: F.ctc_loss(x, TARGETS.reshape(-1), INPUTS, LENGTHS))(drawn())
