"""A module as one step of a program, beside recomputation driven by hand.

    python -m experiments.models.foreign [--depth N] [--repeats N]

Question: what does a network cost whose blocks are foreign, `checkpoint.torch.from_module(block)`, beside
what runs each block once without and once with a history: PyTorch's checkpoint of each block, and a loop by
hand? Blocks are those of experiments/resnet, as modules; CPU seconds, one thread; methods take turns. A
result lives until the method's next one is there, as gradients in training do, so that no time depends on
whether the allocator has given memory back to the system in between. Out: a table, and with --keep
experiments/results/models-foreign-c.json.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import checkpoint
from experiments import common
from experiments.extras import needed

with needed():
    import torch
    from torch import nn
    from torch.utils.checkpoint import checkpoint as recomputed

    from checkpoint.torch import from_module

CHANNELS, GROUPS, SIDE, BATCH = 16, 4, 8, 32


class Block(nn.Module):  # type: ignore[misc]  # types of PyTorch are not read
    """A pre-activation block."""

    def __init__(self, depth: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList([nn.GroupNorm(GROUPS, CHANNELS) for _ in range(2)])
        self.convs = nn.ModuleList(
            [nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1, bias=False) for _ in range(2)]
        )
        with torch.no_grad():
            self.convs[1].weight.div_(math.sqrt(depth))

    def forward(self, x: Any) -> Any:
        h = self.convs[0](torch.relu(self.norms[0](x)))
        return x + self.convs[1](torch.relu(self.norms[1](h)))


def loss(blocks: Any, x: Any) -> Any:
    """Return the sum of squares of what the last block returns."""
    for block in blocks:
        x = block(x)
    return x.square().sum()


def of_autograd(blocks: Any, x: Any) -> list[Any]:
    """Return the gradients that autograd computes, with everything kept."""
    return list(torch.autograd.grad(loss(blocks, x), list(blocks.parameters())))


def each_again(reentrant: bool) -> Callable[[Any, Any], list[Any]]:
    """Return the same with PyTorch's checkpoint of each block."""

    def gradients(blocks: Any, x: Any) -> list[Any]:
        blocks.zero_grad()
        x = x.clone().requires_grad_()
        for block in blocks:
            x = recomputed(block, x, use_reentrant=reentrant)
        x.square().sum().backward()
        return [p.grad for p in blocks.parameters()]

    return gradients


def by_hand(blocks: Any, x: Any) -> list[Any]:
    """Return the same by a loop that keeps what is between blocks, and runs each block again."""
    xs = [x]
    with torch.no_grad():
        for block in blocks:
            xs.append(block(xs[-1]))
    last = xs.pop().requires_grad_()
    (g,) = torch.autograd.grad(last.square().sum(), last)
    found: list[Any] = []
    for block in reversed(blocks):
        x = xs.pop().detach().requires_grad_()
        g, *of_block = torch.autograd.grad(block(x), [x, *block.parameters()], g)
        found += of_block[::-1]
    return found[::-1]


def timed(methods: dict[str, Callable[[], Any]], repeats: int) -> dict[str, list[float]]:
    """Return CPU seconds of each method, which take turns; the first two rounds are not counted."""
    times: dict[str, list[float]] = {name: [] for name in methods}
    results: dict[str, Any] = {}
    for turn in range(repeats + 2):
        for name, method in methods.items():
            begun = time.process_time()
            found = method()
            taken = time.process_time() - begun
            results[name] = found
            if turn > 1:
                times[name].append(taken)
    return times


def main() -> None:
    options = common.keepable(common.parser("foreign modules beside recomputation by hand"))
    options.add_argument("--depth", type=common.natural, default=100, help="the number of blocks (100)")
    chosen = options.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    blocks = nn.ModuleList([Block(chosen.depth) for _ in range(chosen.depth)])
    foreign = nn.ModuleList([from_module(block) for block in blocks])
    x = torch.randn(BATCH, CHANNELS, SIDE, SIDE)
    states, block = 4 * x.numel() * chosen.depth, 2 << 20  # room for one block, at least
    ours = {
        'from_module, `schedule="plain"`': checkpoint.grad(loss, engine=chosen.engine, schedule="plain"),
        "from_module, the states that by hand keeps": checkpoint.grad(
            loss, engine=chosen.engine, memory=states + block
        ),
        "from_module, half of the states": checkpoint.grad(
            loss, engine=chosen.engine, memory=max(states // 2, block)
        ),
    }
    methods: dict[str, Callable[[], Any]] = {
        "PyTorch, everything kept": lambda: of_autograd(blocks, x),
        "by hand": lambda: by_hand(blocks, x),
        "PyTorch, `checkpoint` of each block": lambda: each_again(False)(blocks, x),
        "the same, `use_reentrant=True`": lambda: each_again(True)(blocks, x),
    }
    expected = of_autograd(blocks, x)
    for name, gradient in ours.items():
        methods[name] = lambda gradient=gradient: gradient(foreign, x)  # type: ignore[misc]
        found = list(gradient(foreign, x).parameters())
        assert all(map(torch.equal, found, expected)), name
    assert all(map(torch.equal, by_hand(blocks, x), expected))
    times = timed(methods, chosen.repeats)
    hand = times["by hand"]
    rows = [
        {
            "method": name,
            "ms per block": 1e3 * statistics.median(found) / chosen.depth,
            "by hand": statistics.median([a / b for a, b in zip(found, hand, strict=True)]),
        }
        for name, found in times.items()
    ]
    lines = [[row["method"], f"{row['ms per block']:.2f}", f"{row['by hand']:.2f}"] for row in rows]
    print(common.table(("", "ms per block", "/ by hand"), lines))
    if chosen.keep:
        common.save("models-foreign", chosen.engine, depth=chosen.depth, rows=rows)


if __name__ == "__main__":
    main()
