"""The training kit on PyTorch's tensors: the values of torch.optim, of its schedules, of torch.nn's cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from checkpoint import engines, grad, value_and_grad
from tensorlib import networks, random
from tensorlib.training import adam, batches, clip_norm, cosine, exponential, linear_warmup, sgd, stepwise

ENGINES = pytest.mark.parametrize("engine", engines.usable())
OPTIMISERS: dict[str, tuple[Any, Any, dict[str, Any], dict[str, Any]]] = {
    "sgd": (sgd, torch.optim.SGD, {}, {}),
    "momentum": (sgd, torch.optim.SGD, {"momentum": 0.9, "dampening": 0.1, "weight_decay": 0.01}, {}),
    "nesterov": (sgd, torch.optim.SGD, {"momentum": 0.9, "nesterov": True}, {}),
    "adam": (adam, torch.optim.Adam, {}, {}),
    "adam, options": (adam, torch.optim.Adam, {"betas": (0.8, 0.9), "eps": 1e-3, "weight_decay": 0.1}, {}),
    "adamw": (adam, torch.optim.AdamW, {"weight_decay": 0.1}, {"decoupled": True}),
}


def weights(dtype: torch.dtype) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    return [torch.randn(shape, generator=generator, dtype=dtype) for shape in ((3, 4), (4,), ())]


def loss(parameters: list[torch.Tensor]) -> torch.Tensor:
    w, b, c = parameters
    return (torch.tanh(w) * b + c).square().sum() + torch.cos(c)


def theirs(kind: Any, dtype: torch.dtype, steps: int, **options: Any) -> list[torch.Tensor]:
    parameters = [p.requires_grad_() for p in weights(dtype)]
    optimiser = kind(parameters, lr=0.05, **options)
    for _ in range(steps):
        optimiser.zero_grad()
        loss(parameters).backward()
        optimiser.step()
    return [p.detach() for p in parameters]


@pytest.mark.parametrize(("dtype", "precision"), [(torch.float64, 1e-14), (torch.float32, 1e-6)], ids=str)
@pytest.mark.parametrize("name", OPTIMISERS)
def test_optimisers_are_pytorchs(name: str, dtype: torch.dtype, precision: float) -> None:
    mine, kind, options, more = OPTIMISERS[name]
    parameters, state = weights(dtype), None
    for _ in range(5):
        parameters, state = mine(parameters, grad(loss)(parameters), state, rate=0.05, **options, **more)
    for found, wanted in zip(parameters, theirs(kind, dtype, 5, **options), strict=True):
        assert found.dtype == dtype
        torch.testing.assert_close(found, wanted, rtol=precision, atol=precision)


@ENGINES
def test_derivatives_through_training(engine: str) -> None:
    drawn = weights(torch.float64)

    def trained(rate: Any) -> Any:
        parameters, state = drawn, None
        for step in range(3):
            gradient, _ = clip_norm(grad(loss)(parameters), 1.0)
            parameters, state = adam(parameters, gradient, state, cosine(rate, step, 4))
        return loss(parameters)

    value, slope = value_and_grad(trained, engine=engine)(0.1)
    assert value == trained(0.1)
    assert slope == pytest.approx(float(trained(0.1 + 1e-5) - trained(0.1 - 1e-5)) / 2e-5, rel=1e-7)


SCHEDULES: dict[str, tuple[dict[str, Any], Any]] = {
    "StepLR": ({"step_size": 2, "gamma": 0.5}, lambda n: stepwise(0.1, n, 2, 0.5)),
    "ExponentialLR": ({"gamma": 0.5}, lambda n: exponential(0.1, n, 0.5)),
    "CosineAnnealingLR": ({"T_max": 6, "eta_min": 0.01}, lambda n: cosine(0.1, n, 6, 0.01)),
    "LinearLR": ({"start_factor": 0.25, "total_iters": 4}, lambda n: linear_warmup(0.1, n, 4, 0.25)),
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_rates_are_pytorchs(name: str) -> None:
    options, rate = SCHEDULES[name]
    optimiser = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
    schedule = getattr(torch.optim.lr_scheduler, name)(optimiser, **options)
    for step in range(6):
        assert rate(step) == pytest.approx(optimiser.param_groups[0]["lr"], rel=1e-12)
        optimiser.step()
        schedule.step()


def test_clipped_gradients_are_pytorchs() -> None:
    parameters = weights(torch.float64)
    for p in parameters:
        p.grad = p.clone()
    found, norm = clip_norm([p.clone() for p in parameters], 0.5)
    assert norm == pytest.approx(float(torch.nn.utils.clip_grad_norm_(parameters, 0.5)), rel=1e-14)
    for mine, p in zip(found, parameters, strict=True):
        torch.testing.assert_close(mine, p.grad, rtol=1e-14, atol=0.0)


@ENGINES
def test_batches_of_tensors(engine: str) -> None:
    data = (torch.arange(10.0), torch.arange(10))

    def total(x: Any) -> Any:
        return sum(
            [(k + 1) * (b * x[0] + a).sum() for k, (a, b) in enumerate(batches(data, 4, random.key(1)))]
        )

    assert float(grad(total, engine=engine)(torch.ones(1))) == float(
        total(torch.ones(1)) - total(torch.zeros(1))
    )
    assert [len(a) for a, _ in batches(data, 4, random.key(1))] == [4, 4, 2]


def in_numpy(x: Any) -> Any:
    return tuple([in_numpy(each) for each in x]) if isinstance(x, tuple) else x.detach().numpy()


CELLS: dict[str, tuple[Any, Any, Any]] = {
    "lstm": (torch.nn.LSTMCell, torch.lstm_cell, networks.lstm_cell),
    "gru": (torch.nn.GRUCell, torch.gru_cell, networks.gru_cell),
}


@ENGINES
@pytest.mark.parametrize("is_torch", [True, False], ids=["PyTorch", "NumPy"])
@pytest.mark.parametrize("name", CELLS)
def test_cells_are_pytorchs(name: str, is_torch: bool, engine: str) -> None:
    module_of, function, ours = CELLS[name]
    torch.manual_seed(1)
    module = module_of(3, 4).double()
    x, h, c = [torch.randn(2, n, dtype=torch.float64, requires_grad=True) for n in (3, 4, 4)]
    state = (h, c) if name == "lstm" else h
    args = [x, state, *module.parameters()]

    def weighed(found: Any) -> Any:
        return (found[0] * found[1] if name == "lstm" else found * found * found).sum()

    wanted = torch.autograd.grad(weighed(module(x, state)), [x, h, *module.parameters()])
    if not is_torch:
        args = [in_numpy(each) for each in args]
    cell = function if is_torch else ours
    found = grad(lambda *a: weighed(cell(*a)), argnums=tuple(range(6)), engine=engine)(*args)
    state_bar = found[1][0] if name == "lstm" else found[1]
    for mine, theirs_ in zip([found[0], state_bar, *found[2:]], wanted, strict=True):
        np.testing.assert_allclose(np.asarray(mine), np.asarray(theirs_), rtol=1e-12, atol=1e-14)
