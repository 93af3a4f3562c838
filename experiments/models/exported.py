"""Networks that PyTorch exports to ONNX, run and trained one step, beside PyTorch itself.

In: SqueezeNet 1.1, ResNet-18 and an LSTM of characters (networks.py) in test mode, random inputs and labels.
Out: how far value, gradients and parameters after a step of SGD are from PyTorch's, and CPU times of the
gradient: medians, interleaved.

Reproduce:

    python -m experiments.models.exported [--full]
"""

from __future__ import annotations

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import statistics
import tempfile
import warnings
from pathlib import Path
from typing import Any

import checkpoint
from experiments import common
from experiments.extras import needed
from experiments.models.networks import Characters, resnet18, squeezenet
from tensorlib.training import sgd

with needed():
    import torch
    from torch.nn import functional as F

RATE = 0.01


def network_of(module: Any, x: Any, folder: Path) -> Any:
    """Return the graph of a module; not optimised, so that all parameters keep their names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, (x,), folder / "net.onnx", dynamo=True, optimize=False, verbose=False)
    return checkpoint.read(folder / "net.onnx")


def compared(module: Any, x: Any, repeats: int, engine: str) -> dict[str, Any]:
    """Return how a module's graph compares with the module."""
    module.eval()
    with tempfile.TemporaryDirectory() as folder:
        net = network_of(module, x, Path(folder))
    y = module(x)
    labels = torch.randint(0, y.shape[-1], (y.numel() // y.shape[-1],))
    named = dict(module.named_parameters())

    def loss(trained: Any, others: Any, x: Any, labels: Any) -> Any:
        y = net(x, parameters={**others, **trained})
        return F.cross_entropy(y.reshape(-1, y.shape[-1]), labels)

    everything = {name: torch.from_numpy(array) for name, array in net.parameters.items()}
    trained = {name: everything[name] for name in named}
    differentiated: Any = checkpoint.value_and_grad(loss, engine=engine)

    def ours() -> Any:
        return differentiated(trained, everything, x, labels)

    def autograd() -> Any:
        y = module(x)
        value = F.cross_entropy(y.reshape(-1, y.shape[-1]), labels)
        return value, dict(zip(named, torch.autograd.grad(value, list(named.values())), strict=True))

    cold = common.seconds(ours)
    (value, found), (expected, bars) = ours(), autograd()
    times = [(common.seconds(ours), common.seconds(autograd)) for _ in range(repeats)]
    stepped, _ = sgd(trained, found, rate=RATE)
    after = loss_after_step(module, x, labels, bars)
    return {
        "nodes": net.text.count("\n") - 2 - len(net.parameters),
        "parameters": sum(each.numel() for each in named.values()),
        "output": farthest({"y": net(x)}, {"y": y}),
        "gradients": farthest(found, bars),
        "equal": sum(torch.equal(found[name], bars[name]) for name in named),
        "arrays": len(named),
        "stepped": farthest(stepped, dict(module.named_parameters())),
        "loss": [expected.item(), after.item()],
        "own loss": [float(value), float(differentiated(stepped, everything, x, labels)[0])],
        "cold": cold,
        "seconds": statistics.median(own for own, _ in times),
        "autograd": statistics.median(other for _, other in times),
    }


def loss_after_step(module: Any, x: Any, labels: Any, bars: Any) -> Any:
    """Do a step of PyTorch's own SGD, and return the loss after it."""
    for name, parameter in module.named_parameters():
        parameter.grad = bars[name]
    torch.optim.SGD(module.parameters(), lr=RATE).step()
    y = module(x)
    return F.cross_entropy(y.reshape(-1, y.shape[-1]), labels).detach()


def farthest(found: Any, expected: Any) -> float:
    """Return the largest difference, relative to the largest element of each array."""
    return max(
        float((found[name] - each).detach().abs().max() / each.detach().abs().max())
        for name, each in expected.items()
    )


def main() -> None:
    """Compare the three networks, and write what was found."""
    options = common.keepable(common.parser("Networks exported to ONNX beside PyTorch"))
    options.add_argument("--full", action="store_true", help="images of 224 by 224, 200 characters")
    chosen = options.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    size, length = (224, 200) if chosen.full else (64, 40)
    images, text = torch.randn(2, 3, size, size), torch.randint(0, 64, (8, length))
    cases = {
        "SqueezeNet 1.1": (squeezenet(), images),
        "ResNet-18": (resnet18(), images),
        "characters": (Characters(), text),
    }
    found = {name: compared(*case, chosen.repeats, chosen.engine) for name, case in cases.items()}
    rows = [
        [
            name,
            str(each["nodes"]),
            *[f"{each[key]:.1e}" for key in ("output", "gradients", "stepped")],
            f"{each['equal']} of {each['arrays']}",
            *[f"{each[key]:.3f}" for key in ("cold", "seconds", "autograd")],
        ]
        for name, each in found.items()
    ]
    header = ["", "nodes", "output", "gradients", "after a step", "equal bits", "cold s", "s", "autograd s"]
    print(common.table(header, rows))
    content = {"images": list(images.shape), "text": list(text.shape), "torch": torch.__version__}
    if chosen.keep:
        common.save("models-exported", chosen.engine, **content, networks=found)


if __name__ == "__main__":
    main()
