"""Deep networks: the losses and gradients of all methods agree; failures are told in their tools' words."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import checkpoint
from checkpoint.ctarget import library

torch = pytest.importorskip("torch")
pytest.importorskip("sklearn")
if library.reason():
    pytest.skip("the experiments run on engine c", allow_module_level=True)

from experiments import deep, training  # noqa: E402 (they import torch)
from experiments.published.run import deepest  # noqa: E402
from experiments.resnet import net as resnet  # noqa: E402
from experiments.resnet import train  # noqa: E402

NETS = ("experiments.resnet.net", "experiments.gpt.net")


@pytest.mark.parametrize("module", NETS)
def test_gradients_have_the_bits_of_pytorch(module: str) -> None:
    model = importlib.import_module(module)
    net, data = model.weights(3), model.batch()
    schedules: tuple[Any, ...] = ("plain", checkpoint.Individual(model.block), checkpoint.RightBranching())
    for schedule in schedules:
        value, gradient = checkpoint.value_and_grad(model.loss, engine="c", schedule=schedule)(net, *data)
        leaves = [leaf.detach().clone().requires_grad_() for leaf in model.tensors(net)]
        own = iter(leaves)
        same = type(net)(*[_replaced(part, own) for part in net])
        loss = model.loss(same, *data)
        loss.backward()
        assert torch.equal(value, loss.detach())
        assert all(torch.equal(g, w.grad) for g, w in zip(model.tensors(gradient), leaves, strict=True))


def _replaced(part: Any, leaves: Any) -> Any:
    if isinstance(part, torch.Tensor):
        return next(leaves)
    made = [_replaced(each, leaves) for each in part]
    return made if isinstance(part, list) else type(part)(*made)


@pytest.mark.parametrize("module", NETS)
def test_the_methods_take_turns(module: str) -> None:
    names = (*deep.OURS, *deep.PEERS)
    rows = deep.times(module, 2, names, 32 * deep.MIB, 1)
    assert [row["method"] for row in rows] == list(names)
    model = importlib.import_module(module)
    losses = {deep.method(model, name, 2, 32 * deep.MIB)() for name in names}
    assert len(losses) == 1


@pytest.mark.parametrize("name", [deep.BUDGET, deep.TORCH_EACH])
def test_weights_are_changed_within_the_gradient(name: str) -> None:
    run = deep.method(resnet, name, 3, 32 * deep.MIB, steps=True)
    first = [run() for _ in range(3)]
    assert first[0] > first[1] > first[2]


def test_memory_and_failures() -> None:
    row = deep.measured("experiments.resnet.net", deep.BUDGET, 20, 8 * deep.MIB)
    assert 0 < row["growth"] < 12 * deep.MIB
    assert deep.memory_line(row)[:2] == ["20", deep.BUDGET]
    failed = deep.measured("experiments.resnet.net", deep.TORCH, 400, cap=64 * deep.MIB)
    assert "allocate memory" in failed["error"], failed
    assert deepest([row, failed]) == {"depth": 20, "ms": row["ms"], "ended": failed["error"]}


def test_training() -> None:
    images, labels, tested, expected = resnet.images()
    batches = train.batches(images, labels, 1)
    losses = []
    descent = training.descent(resnet, resnet.weights(2), batches, 32 * deep.MIB, 3e-3, 44)
    for weights, loss in descent:
        net = weights
        losses.append(loss)
    assert training.mean(losses[-5:]) < 0.5 * training.mean(losses[:5])
    assert train.accuracy(net, tested, expected) > 0.85
