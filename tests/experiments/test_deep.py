"""Deep networks: the losses and gradients of all methods agree; failures are told in their tools' words."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

import checkpoint
from checkpoint.ctarget import library

torch = pytest.importorskip("torch")
pytest.importorskip("sklearn")
if library.reason():
    pytest.skip("the experiments run on engine c", allow_module_level=True)

from experiments import common, deep, depths, training  # noqa: E402 (they import torch)
from experiments.published.run import deepest  # noqa: E402
from experiments.resnet import net as resnet  # noqa: E402
from experiments.resnet import run, train  # noqa: E402

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


def test_the_search_for_the_deepest_network() -> None:
    rows = deep.largest("experiments.resnet.net", deep.TORCH, 48 * deep.MIB, 128, 60.0)
    depths = [row["depth"] for row in rows]
    assert depths[:2] == [deep.FIRST, deep.FACTOR * deep.FIRST]
    assert len(rows) == 2 + deep.HALVINGS
    assert "allocate memory" in rows[1]["error"]
    assert deep.FIRST <= deepest(rows)["depth"] < depths[1]


def test_an_experiment_may_be_run_in_parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ran: list[Any] = []

    def measured(module: str, name: str, depth: int, *options: Any) -> dict[str, Any]:
        ran.append((name, depth))
        memory, cap, each = options
        row = {"method": name, "depth": depth, "memory": memory, "cap": cap, "each": each}
        return {**row, "ms": float(len(ran)), "growth": 0, "weights": depth, "loss": 0.0}

    monkeypatch.setattr(deep, "measured", measured)
    monkeypatch.setattr(common, "RESULTS", tmp_path)
    for options in (
        "--only memory= --depth 3 --depth 2",
        "--only plain --depth 2",
        "--only memory= --depth 3",
    ):
        monkeypatch.setattr("sys.argv", ["run", "--full", *options.split()])
        depths.main(run.EXPERIMENT)
    assert ran == [(deep.BUDGET, 3), (deep.BUDGET, 2), (deep.PLAIN, 2), (deep.BUDGET, 3)]
    rows = [(row["method"], row["depth"], row["ms"]) for row in common.saved("resnet", "c")["rows"]]
    assert rows == [(deep.BUDGET, 2, 2.0), (deep.PLAIN, 2, 3.0), (deep.BUDGET, 3, 4.0)]


@pytest.mark.parametrize(
    ("module", "options", "message"),
    [
        ("resnet.run", "--depth 0", "argument --depth: '0' is not a whole number of at least 1"),
        ("gpt.run", "--only adjoint", "no method's name contains 'adjoint'; there are: "),
        ("resnet.train", "--rate nan", "argument --rate: 'nan' is not a number above 0"),
        ("gpt.train", "--steps two", "argument --steps: 'two' is not a whole number of at least 1"),
        ("published.run", "--cap -1", "argument --cap: '-1' is not a whole number of at least 1"),
        ("published.run", "--only adjoint", "no method's name contains 'adjoint'; there are: "),
        ("trees.run", "--count 0", "argument --count: '0' is not a whole number of at least 1"),
    ],
)
def test_wrong_options_are_refused_by_name(
    module: str, options: str, message: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    ran = importlib.import_module(f"experiments.{module}")
    monkeypatch.setattr("sys.argv", ["run", *options.split()])
    with pytest.raises(SystemExit):
        ran.main() if hasattr(ran, "main") else depths.main(ran.EXPERIMENT)
    assert message in capsys.readouterr().err


def test_depths_are_extrapolated_through_the_two_greatest_that_ended() -> None:
    gib = 1 << 30
    fields = ("method", "depth", "growth", "weights", "each")
    rows = [
        dict(zip(fields, row, strict=True))
        for row in (
            (deep.TORCH, 10, 7 * gib, 0, False),
            (deep.TORCH, 20, 1 * gib, gib, False),
            (deep.TORCH, 40, 3 * gib, 2 * gib, False),
            (deep.TORCH, 40, 9 * gib, 2 * gib, True),
            (deep.BUDGET, 40, gib, gib, False),
        )
    ]
    failed = {"method": deep.TORCH, "depth": 80, "each": False, "error": "MemoryError"}
    assert depths.deepest([*rows, failed]) == [(deep.TORCH, 105, gib / 5)]


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
