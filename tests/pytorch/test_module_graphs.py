"""Modules as one step: on a tape their graph is kept, and counted, and the module does not run again."""

from __future__ import annotations

import copy
import gc
from typing import Any

import pytest
import torch
from torch import nn

import checkpoint
from checkpoint import config
from checkpoint.torch import from_module
from checkpoint.torch.graphs import Graph
from tests.support.corpus import usable_engines

ENGINES = [engine.name for engine in usable_engines()]
WIDTH, DEPTH = 64, 12


class Counted(nn.Module):  # type: ignore[misc]  # types of PyTorch are not read
    """A block that counts its runs, and computes something else where autograd does not record."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(WIDTH, WIDTH)
        self.runs = [0]

    def forward(self, x: Any) -> Any:
        self.runs[0] += 1
        y = torch.tanh(self.linear(x))
        return x + (y * y if torch.is_grad_enabled() else y)


@pytest.fixture(autouse=True)
def unchecked() -> Any:
    """Each check of a module runs it once more."""
    with config.override(check=False):
        yield


def made(engine: str) -> tuple[list[Any], Any, Any, list[Any]]:
    """Return blocks, the same as steps, an input, and PyTorch's gradients."""
    torch.manual_seed(0)
    blocks = [Counted() for _ in range(DEPTH)]
    x = torch.randn(4, WIDTH)
    expected = torch.autograd.grad(loss(blocks, x), [p for block in blocks for p in block.parameters()])
    steps = [from_module(block) for block in blocks]
    checkpoint.grad(loss, engine=engine)(steps, x)  # the first call of a module is looked at
    for block in blocks:
        block.runs[0] = 0
    return blocks, steps, x, list(expected)


def loss(blocks: Any, x: Any) -> Any:
    for block in blocks:
        x = block(x)
    return x.square().sum()


def parameters(gradient: Any) -> list[Any]:
    return [p for block in gradient for p in block.parameters()]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("how", "runs"),
    [
        ({"schedule": "plain"}, 1),
        ({}, 1),
        ({"schedule": checkpoint.Individual(calls_of=Counted.forward)}, None),
        ({"schedule": checkpoint.Bisection(base=60)}, None),
        ({"memory": "300KiB"}, None),
    ],
    ids=["plain", "default", "individual", "bisection", "budget"],
)
def test_a_module_runs_once_on_a_tape(engine: str, how: dict[str, Any], runs: int | None) -> None:
    blocks, steps, x, expected = made(engine)
    value, gradient = checkpoint.value_and_grad(loss, engine=engine, **how)(steps, x)
    assert runs is None or [block.runs[0] for block in blocks] == [runs] * DEPTH
    assert torch.equal(value, loss(blocks, x))
    assert all(map(torch.equal, parameters(gradient), expected))
    assert torch.equal(checkpoint.value_and_grad(loss, argnums=1)(steps, x)[0], value)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_pullback_reverses_a_graph_as_often_as_it_is_called(engine: str) -> None:
    blocks, steps, x, expected = made(engine)
    value, pull = checkpoint.pullback(loss, steps, x, engine=engine)
    with pull:
        for factor in (1.0, 3.0, 1.0):
            found = parameters(pull(torch.full_like(value, factor)))
            assert all(torch.equal(a, b) for a, b in zip(found, expected, strict=True)) == (factor == 1.0)
    assert [block.runs[0] for block in blocks] == [1] * DEPTH


@pytest.mark.parametrize("engine", ENGINES)
def test_what_autograd_saves_is_counted_and_freed(engine: str) -> None:
    _, steps, x, _ = made(engine)
    with checkpoint.profile() as profile:
        checkpoint.grad(loss, engine=engine, schedule="plain")(steps, x)
    saved = 2 * x.nbytes * DEPTH  # of each block its input, and what tanh returns
    assert profile.total.peak_tape_bytes >= saved
    gc.collect()
    assert not [held for held in gc.get_objects() if type(held) is Graph]


class Overwriting(nn.Module):  # type: ignore[misc]  # as above
    def forward(self, x: Any) -> Any:
        y = torch.exp(x)
        z = y * 2.0
        y.add_(1.0)  # which exp needs
        return y + z


@pytest.mark.parametrize("engine", ENGINES)
def test_a_module_that_overwrites_what_autograd_needs_is_refused_by_pytorch(engine: str) -> None:
    f = checkpoint.grad(lambda block, x: block(x).sum(), argnums=1, engine=engine)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        f(from_module(Overwriting()), torch.ones(3))


@pytest.mark.parametrize("engine", ENGINES)
def test_results_that_the_program_changes_in_place(engine: str) -> None:
    def changing(block: Any, x: Any) -> Any:
        y = block(x)
        z = y * y
        y[0] = 2.0 * x[1]
        return (block(y) * y + z).sum()

    def plain(block: Any, x: Any) -> Any:
        y = block(x)
        new = torch.cat([2.0 * x[1:2], y[1:]])
        return (block(new) * new + y * y).sum()

    torch.manual_seed(3)
    inner = nn.Sequential(nn.Linear(3, 3), nn.Sigmoid())
    x = torch.randn(4, 3)
    expected = torch.autograd.grad(plain(inner, x), list(inner.parameters()))
    value, pull = checkpoint.pullback(changing, from_module(inner), x, engine=engine)
    for _ in range(3):
        found = list(pull(torch.ones_like(value)).parameters())
        torch.testing.assert_close(found, list(expected))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("how", [{"schedule": "plain"}, {}], ids=["uncounted", "counted"])
def test_what_a_graph_needs_is_changed_and_restored(engine: str, how: dict[str, Any]) -> None:
    """The run changes the block's input and its result, which autograd has saved, after the call."""

    def changing(block: Any, x: Any) -> Any:
        x = x * 1.0
        y = block(x)
        z = (x * y).sum()
        x[0] = 3.0
        y[1] = x[0] * 2.0
        return z + (x * y * block(y)).sum()

    def plain(block: Any, x: Any) -> Any:
        y = block(x)
        x_new = torch.cat([torch.full_like(x[:1], 3.0), x[1:]])
        y_new = torch.cat([y[:1], x_new[:1] * 2.0, y[2:]])
        return (x * y).sum() + (x_new * y_new * block(y_new)).sum()

    torch.manual_seed(4)
    inner, x = nn.Sequential(nn.Linear(3, 3), nn.Sigmoid()), torch.randn(4, 3)
    leaf = x.clone().requires_grad_()
    expected = torch.autograd.grad(plain(inner, leaf), [leaf, *inner.parameters()])
    call = checkpoint.grad(changing, argnums=(0, 1), engine=engine, **how)
    found, of_x = call(from_module(inner), x)
    torch.testing.assert_close([of_x, *found.parameters()], list(expected))


def changes() -> list[Any]:
    """Return functions that change a module, by its parts, between two calls."""

    def replaced(layer: Any, norm: Any) -> None:
        layer.weight.data = torch.flip(layer.weight.data, (0,))

    def stepped(layer: Any, norm: Any) -> None:
        with torch.no_grad():
            layer.weight.add_(0.5)

    def hooked(layer: Any, norm: Any) -> None:
        layer.register_forward_hook(lambda module, args, y: y * 2.0)

    def moved(layer: Any, norm: Any) -> None:
        norm.running_mean.fill_(0.25)

    return [replaced, stepped, hooked, moved]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("how", [{"schedule": "plain"}, {}], ids=["uncounted", "counted"])
def test_a_module_may_change_between_calls(engine: str, how: dict[str, Any]) -> None:
    torch.manual_seed(5)
    inner = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Tanh(), nn.Linear(3, 3))
    twin, x = copy.deepcopy(inner), torch.randn(6, 3)
    block = from_module(inner)  # whose tensors are those of `inner`
    call = checkpoint.value_and_grad(
        lambda block, x: block(x).square().sum(), has_state=True, engine=engine, **how
    )

    def check() -> None:
        twin.load_state_dict(block.state_dict())
        expected = torch.autograd.grad(twin(x).square().sum(), list(twin.parameters()))
        (_, state), found = call(block, x)
        assert all(map(torch.equal, found.parameters(), expected))
        assert all(map(torch.equal, state.args[0].buffers(), twin.buffers()))

    check()
    for change in changes():
        change(inner[0], inner[1])
        change(twin[0], twin[1])
        for training in (True, False, True):
            block.train(training)
            twin.train(training)
            check()
