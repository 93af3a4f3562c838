"""Foreign modules whose parameters enter as a tuple: the cotangents that a step gives to its fields."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

import checkpoint
from checkpoint.torch import from_module
from tests.support.corpus import usable_engines

ENGINES = pytest.mark.parametrize("engine", [engine.name for engine in usable_engines()])
SCHEDULES: list[dict[str, Any]] = [{"schedule": "plain"}, {"schedule": "bisection"}, {"memory": "128KiB"}]


def made() -> tuple[Any, Any, Any]:
    """Return blocks, foreign and of PyTorch, of which the first one is used twice; and an input."""
    torch.manual_seed(3)
    plain = [nn.Sequential(nn.Linear(6, 6), nn.Tanh(), nn.LayerNorm(6)) for _ in range(3)]
    foreign = [from_module(each) for each in plain]
    return [*foreign, foreign[0]], [*plain, plain[0]], torch.randn(4, 6)


def loss(blocks: Any, x: Any) -> Any:
    for block in blocks:
        x = block(x)
    return x.square().sum()


def expected(plain: Any, x: Any) -> list[Any]:
    leaf = x.clone().requires_grad_()
    (of_x,) = torch.autograd.grad(loss(plain, leaf), leaf, retain_graph=True)
    weights = [p for block in plain[:3] for p in block.parameters()]
    return [*torch.autograd.grad(loss(plain, leaf), weights), of_x]


def summed(found: Any) -> list[Any]:
    """Return the gradients of three blocks, of which the first one has two."""
    parts = [list(block.parameters()) for block in found]
    first = [x + y for x, y in zip(parts[0], parts[3], strict=True)]
    return [x.detach() for x in (*first, *parts[1], *parts[2])]


@ENGINES
@pytest.mark.parametrize("how", SCHEDULES)
def test_each_parameter_receives_its_cotangent(engine: str, how: dict[str, Any]) -> None:
    foreign, plain, x = made()
    *of_weights, of_x = expected(plain, x)
    found, found_x = checkpoint.grad(loss, (0, 1), engine=engine, **how)(foreign, x)
    for mine, theirs in zip([*summed(found), found_x], [*of_weights, of_x], strict=True):
        torch.testing.assert_close(mine, theirs)
    assert torch.equal(found_x, of_x)
    assert torch.equal(checkpoint.grad(loss, 1, engine=engine, **how)(foreign, x), of_x)
    alone = checkpoint.grad(loss, engine=engine, **how)(foreign, x)
    assert all(map(torch.equal, summed(alone), summed(found)))


@ENGINES
def test_a_pullback_is_called_again(engine: str) -> None:
    foreign, _, x = made()
    y, pullback = checkpoint.pullback(lambda blocks: loss(blocks, x), foreign, engine=engine)
    value, expected = checkpoint.value_and_grad(loss, engine=engine)(foreign, x)
    assert torch.equal(y, value)
    for _ in range(2):
        assert all(map(torch.equal, summed(pullback(torch.tensor(1.0))), summed(expected)))


@ENGINES
def test_derivatives_of_derivatives_of_parameters(engine: str) -> None:
    foreign, plain, x = made()

    def squares(block: Any, x: Any) -> Any:
        inner = checkpoint.grad(lambda block: block(x).sin().sum())(block)
        return sum(p.square().sum() for p in inner.parameters())

    found = checkpoint.grad(squares, engine=engine)(foreign[1], x)
    weights = list(plain[1].parameters())
    inner = torch.autograd.grad(plain[1](x).sin().sum(), weights, create_graph=True)
    theirs = torch.autograd.grad(sum(p.square().sum() for p in inner), weights)
    for mine, other in zip(found.parameters(), theirs, strict=True):
        torch.testing.assert_close(mine.detach(), other, rtol=1e-4, atol=1e-5)


def test_engine_c_tapes_a_block_without_python_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    plans = pytest.importorskip("checkpoint.ctarget.plans")
    if "c" not in [engine.name for engine in usable_engines()]:
        pytest.skip("engine c is not there")
    foreign, plain, x = made()
    taped: list[str] = []
    perform = plans.perform_tensor_taped

    def noted(machine: Any, record: Any, *others: Any) -> Any:
        taped.append(record.name)
        return perform(machine, record, *others)

    monkeypatch.setattr(plans, "perform_tensor_taped", noted)
    found = checkpoint.grad(loss, 1, engine="c", schedule="plain")(foreign, x)
    assert torch.equal(found, expected(plain, x)[-1])
    assert "torch.nn.Module" not in taped
    with_statistics = from_module(nn.Sequential(nn.Linear(6, 6), nn.BatchNorm1d(6)))
    checkpoint.grad(loss, 1, has_state=True, engine="c", schedule="plain")([with_statistics], x)
    assert "torch.nn.Module" in taped


def decayed(model: Any, x: Any) -> Any:
    y = model(x).square().sum() + sum(b.sum() for b in model.buffers())
    for name, p in model.named_parameters():
        if name.endswith("weight"):
            y = y + 0.1 * p.square().sum()
    return y + sum(p.abs().sum() for p in model.parameters())


def named(block: Any, x: Any) -> Any:
    weights = dict(block.named_parameters(prefix="a"))
    return block(x).sum() + weights["a.weight"].square().sum() + block.bias.sum()


@ENGINES
def test_parameters_are_those_of_a_module_in_programs(engine: str) -> None:
    torch.manual_seed(1)
    parts = [nn.Sequential(nn.Linear(6, 4), nn.Tanh()), nn.Linear(4, 3), nn.BatchNorm1d(3)]
    plain, x = nn.Sequential(*parts), torch.randn(5, 6)
    model = nn.Sequential(from_module(parts[0]), parts[1], from_module(parts[2]))
    call = checkpoint.value_and_grad(decayed, engine=engine, has_state=True)
    (value, _), gradient = call(model, x)
    expected = decayed(plain, x)
    torch.testing.assert_close(value, expected.detach())
    theirs = torch.autograd.grad(expected, list(plain.parameters()))
    for mine, other in zip(gradient.parameters(), theirs, strict=True):
        torch.testing.assert_close(mine.detach(), other)
    linear = nn.Linear(6, 2)
    value, found = checkpoint.value_and_grad(named, engine=engine)(from_module(linear), x)
    expected = named(linear, x)
    torch.testing.assert_close(value, expected.detach())
    theirs = torch.autograd.grad(expected, list(linear.parameters()))
    for mine, other in zip(found.parameters(), theirs, strict=True):
        torch.testing.assert_close(mine.detach(), other)
    with pytest.raises(AttributeError, match="'Block' object has no attribute 'nothing'"):
        checkpoint.grad(lambda block: block.nothing.sum(), engine=engine)(from_module(linear))
