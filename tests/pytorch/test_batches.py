"""Running statistics, in and out, and dropout by a key: on arrays and tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

import checkpoint
from checkpoint import Bisection, engines, grad, value_and_grad
from tensorlib import networks, random

ENGINES = pytest.mark.parametrize("engine", engines.usable())


def drawn(*shapes: tuple[int, ...]) -> list[Tensor]:
    generator = torch.Generator().manual_seed(3)
    return [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]


def in_place(x: Any, mean: Any, var: Any) -> Any:
    """Two steps of training, and one of testing with what they leave, which counts as constant."""
    for _ in range(2):
        x = F.batch_norm(x, mean, var, training=True, momentum=0.3)
        x = x * x
    y = F.batch_norm(x, mean, var)
    return (y * torch.cos(y)).sum()


def returned(x: Any, mean: Any, var: Any) -> Any:
    for _ in range(2):
        x, new_mean, new_var = networks.batch_norm_training(x, mean, var, momentum=0.3)
        mean[...] = new_mean
        var[...] = new_var
        x = x * x
    y = F.batch_norm(x, mean, var)
    return (y * torch.cos(y)).sum()


@ENGINES
def test_running_statistics_are_changed_as_in_pytorch(engine: str) -> None:
    (x,) = drawn((4, 3, 5))
    statistics = torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
    gradient, state = grad(returned, has_state=True, engine=engine)(x, *statistics)
    again, other = grad(in_place, has_state=True, engine=engine)(x, *statistics)
    assert torch.equal(statistics[0], torch.zeros(3, dtype=torch.float64))
    assert torch.equal(again, gradient)
    assert all(map(torch.equal, other.args[1:], state.args[1:]))
    with pytest.raises(checkpoint.RunError, match=r"came in as an argument .* pass has_state=True"):
        grad(in_place, engine=engine)(x, *statistics)
    leaf = x.clone().requires_grad_()
    (expected,) = torch.autograd.grad(in_place(leaf, *statistics), leaf)
    assert torch.allclose(gradient, expected, 1e-10, 1e-10)
    for mine, theirs in zip(state.args[1:], statistics, strict=True):
        assert torch.allclose(mine, theirs, 1e-12, 1e-12)


class Normed:
    """A layer with running statistics of its own."""

    def __init__(self, channels: int) -> None:
        self.mean = torch.zeros(channels, dtype=torch.float64)
        self.var = torch.ones(channels, dtype=torch.float64)
        self.batches = 0

    def __call__(self, x: Any) -> Any:
        self.batches += 1
        return F.batch_norm(x, self.mean, self.var, training=True)


def of_layer(x: Any, layer: Any) -> Any:
    return torch.cos(layer(layer(x) * x)).sum()


def of_own_layer(x: Any) -> Any:
    layer = Normed(3)
    return of_layer(x, layer) * layer.var.sum()


def by_instance(x: Any, mean: Any, var: Any) -> Any:
    x = F.instance_norm(x, mean, var, momentum=0.3)
    return torch.cos(F.instance_norm(x * x, mean, var, use_input_stats=False)).sum()


@ENGINES
def test_running_statistics_of_layers(engine: str) -> None:
    (x,) = drawn((4, 3, 5))
    leaf, theirs = x.clone().requires_grad_(), Normed(3)
    (expected,) = torch.autograd.grad(of_layer(leaf, theirs), leaf)
    gradient, state = grad(of_layer, has_state=True, engine=engine, schedule=Bisection(9))(x, Normed(3))
    assert torch.allclose(gradient, expected, 1e-12, 1e-12)
    mine = state.args[1]
    assert mine.batches == 2
    assert torch.allclose(mine.mean, theirs.mean, 1e-12, 1e-12)
    assert torch.allclose(mine.var, theirs.var, 1e-12, 1e-12)
    (expected,) = torch.autograd.grad(of_own_layer(leaf), leaf)
    assert torch.allclose(grad(of_own_layer, engine=engine)(x), expected, 1e-12, 1e-12)


@ENGINES
def test_running_statistics_by_instance(engine: str) -> None:
    (x,) = drawn((4, 3, 5))
    given = torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
    gradient, state = grad(by_instance, has_state=True, engine=engine)(x, *given)
    leaf = x.clone().requires_grad_()
    (expected,) = torch.autograd.grad(by_instance(leaf, *given), leaf)
    assert torch.allclose(gradient, expected, 1e-12, 1e-12)
    for mine, theirs in zip(state.args[1:], given, strict=True):
        assert torch.allclose(mine, theirs, 1e-12, 1e-12)
    with pytest.raises(ValueError, match="without use_input_stats needs running_mean"):
        grad(lambda x: F.instance_norm(x, use_input_stats=False).sum(), engine=engine)(x)


def of_arrays(x: Any, mean: Any, var: Any) -> Any:
    y = networks.batch_norm(x, mean, var, training=True, momentum=0.3)
    return (networks.batch_norm(y * y, mean, var) ** 3).sum()


@ENGINES
def test_running_statistics_of_numpy_are_changed_in_programs(engine: str) -> None:
    (x,) = drawn((4, 3, 5))
    statistics = np.zeros(3), np.ones(3)
    gradient, state = grad(of_arrays, has_state=True, engine=engine)(x.numpy(), *statistics)
    assert not statistics[0].any()
    of_tensors, _ = grad(of_arrays, has_state=True, engine=engine)(x, *map(torch.from_numpy, statistics))
    assert np.allclose(gradient, of_tensors, 1e-12, 1e-12)
    of_arrays(x.numpy(), *statistics)
    for mine, theirs in zip(state.args[1:], statistics, strict=True):
        assert mine.tobytes() == theirs.tobytes()


def test_running_statistics_of_numpy_are_changed_outside_of_programs() -> None:
    (x,) = drawn((4, 3, 5))
    statistics = torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
    mean, var = [each.numpy().copy() for each in statistics]
    y = networks.batch_norm(x.numpy(), mean, var, training=True)
    assert np.allclose(y, F.batch_norm(x, *statistics, training=True), 1e-12, 1e-12)
    assert np.allclose(mean, statistics[0], 1e-12, 1e-12)
    assert np.allclose(var, statistics[1], 1e-12, 1e-12)


def as_values(x: Any, mean: Any, var: Any) -> Any:
    for _ in range(2):
        x, mean, var = networks.batch_norm_training(x, mean, var, momentum=0.3)
        x = x * x
    y = networks.batch_norm(x, mean, var)
    return np.sum(y * np.cos(y)), (mean, var)


@ENGINES
def test_running_statistics_are_values(engine: str) -> None:
    (x,) = drawn((4, 3, 5))
    statistics = torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
    given = x.numpy(), *[each.numpy().copy() for each in statistics]
    gradient, out = grad(as_values, has_aux=True, engine=engine, schedule=Bisection(3))(*given)
    leaf = x.clone().requires_grad_()
    (expected,) = torch.autograd.grad(in_place(leaf, *statistics), leaf)
    assert np.allclose(gradient, expected, 1e-10, 1e-10)
    for mine, theirs in zip(out, statistics, strict=True):
        assert np.allclose(mine, theirs, 1e-12, 1e-12)


def test_one_value_has_no_variance() -> None:
    with pytest.raises(ValueError, match="one value per channel"):
        grad(lambda x: F.batch_norm(x[:1, :, 0], None, None, training=True).sum())(drawn((4, 3, 5))[0])


def dropped(x: Any, key: Any) -> Any:
    for each in random.split(key, 3):
        x = networks.dropout(np.sin(x), 0.4, each)
    return np.sum(networks.dropout_planes(x, 0.5, random.fold_in(key, 7)) * x)


@ENGINES
def test_dropout_by_a_key(engine: str) -> None:
    (x,) = drawn((6, 5, 8))
    key = random.key(4)
    value, plain = value_and_grad(dropped, engine=engine, schedule="plain")(x.numpy(), key)
    assert value == dropped(x.numpy(), key)
    for how in ({"schedule": Bisection(1)}, {"memory": "1MiB"}):
        again, gradient = value_and_grad(dropped, engine=engine, **how)(x.numpy(), key)
        assert (value, gradient.tobytes()) == (again, plain.tobytes())
    of_tensors, gradient = value_and_grad(dropped, engine=engine)(x, key)
    assert np.allclose(of_tensors, value, 1e-12)
    assert np.allclose(gradient, plain, 1e-12, 1e-12)


def test_what_is_dropped() -> None:
    y = networks.dropout(np.ones((100, 50)), 0.25, random.key(1))
    assert sorted(set(y.ravel())) == [0.0, 1.0 / 0.75]
    assert abs((y == 0.0).mean() - 0.25) < 0.03
    planes = networks.dropout_planes(np.ones((100, 50, 3)), 0.25, random.key(1))
    assert (planes == planes[:, :, :1]).all()
    assert abs((planes == 0.0).mean() - 0.25) < 0.03
    assert not networks.dropout(np.ones(3), 1.0, random.key(1)).any()
    assert (networks.dropout(np.ones(3), 0.5, random.key(1), training=False) == 1.0).all()
    with pytest.raises(ValueError, match="between 0 and 1"):
        networks.dropout(np.ones(3), 1.5, random.key(1))


@ENGINES
def test_dropout_of_pytorch_that_drops_nothing(engine: str) -> None:
    x = torch.ones(3)
    assert torch.equal(grad(lambda x: F.dropout(x, training=False).sum(), engine=engine)(x), x)
    assert torch.equal(grad(lambda x: F.dropout2d(x, 0.0).sum(), engine=engine)(x), x)
