"""Foreign modules whose results show elements of what came in, and programs that change these in place."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

import checkpoint
from checkpoint.torch import from_module
from tests.support.corpus import usable_engines

ENGINES = pytest.mark.parametrize("engine", [engine.name for engine in usable_engines()])
SCHEDULES = ["plain", "bisection", checkpoint.Bisection(base=3)]


class Through(nn.Module):  # type: ignore[misc]  # types of PyTorch are not read
    """Returns views: of its argument, of a parameter, of its results, as `what` says."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what, self.w = what, nn.Parameter(torch.tensor([0.5, -1.0, 2.0]))

    def forward(self, x: Any) -> Any:
        if self.what == "argument":
            return x.view(-1)
        if self.what == "parts":
            return x.view(-1), x[0], x[0] + self.w
        if self.what == "parameter":
            return self.w
        if self.what == "pair":
            return x[0], x[1]
        y = x * self.w
        return y, y.view(-1)


X = torch.arange(6.0).view(2, 3)


def changed(block: Any, x: Any) -> Any:
    z = torch.sin(x)
    y = block(z)
    y += 1.0
    return (y * y * y).sum()


def changed_parts(block: Any, x: Any) -> Any:
    flat, row, new = block(torch.sin(x))
    row = row + new
    flat *= 2.0
    return (flat * flat).sum() + row.sum()


@ENGINES
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("what", "f"), [("argument", changed), ("parts", changed_parts)])
def test_a_view_may_be_changed(what: str, f: Any, schedule: Any, engine: str) -> None:
    module, leaf = Through(what), X.clone().requires_grad_()
    expected = f(module, leaf)
    (of_x,) = torch.autograd.grad(expected, leaf)
    call = checkpoint.value_and_grad(f, argnums=1, engine=engine, schedule=schedule)
    value, found = call(from_module(module), X)
    assert torch.equal(value, expected)
    assert torch.equal(found, of_x)


def read_again(block: Any, x: Any) -> Any:
    z = x * 2.0
    y = block(z)
    y += 1.0
    return y.sum() + z.sum()


def of_argument(block: Any, x: Any) -> Any:
    y = block(x)
    y += 1.0
    return y.sum()


@ENGINES
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    ("f", "says"), [(read_again, "changed through another name"), (of_argument, "came in as an argument")]
)
def test_what_pytorch_would_show_is_refused(f: Any, says: str, schedule: Any, engine: str) -> None:
    x = X.clone()
    with pytest.raises(checkpoint.RunError, match=says):
        checkpoint.grad(f, argnums=1, engine=engine, schedule=schedule)(from_module(Through("argument")), x)
    assert torch.equal(x, X)


def of_pair(block: Any, x: Any) -> Any:
    z = x * 2.0
    y, other = block((x, z))
    y += 1.0
    other *= 3.0
    return (y * x).sum() + (other * z).sum()


def of_several(block: Any, x: Any) -> Any:
    y, flat = block(x)
    flat += 1.0
    return (y * y).sum() + (flat * flat).sum()


@ENGINES
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_other_results_are_copies(schedule: Any, engine: str) -> None:
    settings = {"engine": engine, "schedule": schedule}
    x, block = X.clone(), from_module(Through("pair"))
    found = checkpoint.grad(of_pair, argnums=1, **settings)(block, x)
    assert torch.equal(x, X)
    assert torch.equal(found, 2.0 * X + 1.0 + 24.0 * X)
    block = from_module(Through("several"))
    w = block.w.detach().clone()
    found = checkpoint.grad(of_several, argnums=1, **settings)(block, x)
    assert torch.equal(found, 2.0 * (x * w) * w + 2.0 * (x * w + 1.0) * w)
    block = from_module(Through("parameter"))
    found = checkpoint.grad(changed, **settings)(block, x)
    assert torch.equal(block.w, w)
    assert torch.equal(found.w, 3.0 * (w + 1.0) * (w + 1.0))
