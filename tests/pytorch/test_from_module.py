"""checkpoint.torch.from_module: a module as one step of a program; values and gradients are PyTorch's."""

from __future__ import annotations

import copy
import math
import pickle
import warnings
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

import checkpoint
from checkpoint import config
from checkpoint.torch import from_module
from tests.support.corpus import usable_engines
from tests.support.sampling import side_by_side

ENGINES = [engine.name for engine in usable_engines()]
SCHEDULES: list[dict[str, Any]] = [
    {"schedule": "plain"},
    {"schedule": "bisection"},
    {"memory": "1MiB"},
    {},
]


class Foreign(nn.Module):  # type: ignore[misc]  # types of PyTorch are not read
    """A block with running statistics and dropout, written in a way that no program translates."""

    def __init__(self, width: int, rate: float = 0.0) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(width, width), nn.BatchNorm1d(width), nn.ReLU(inplace=True))
        self.rate = rate

    def forward(self, x: Any) -> Any:
        y = self.inner(x)
        exec("pass")
        return x + functional.dropout(y, self.rate, self.training)


class Deep(nn.Module):  # type: ignore[misc]  # as above
    def __init__(self, blocks: Any) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(6, 1)

    def forward(self, x: Any) -> Any:
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def made(depth: int, rate: float) -> tuple[Any, Any, Any]:
    """Return a model of foreign blocks, the same as a model of PyTorch's alone, and an input."""
    torch.manual_seed(1)
    plain = Deep([Foreign(6, rate) for _ in range(depth)])
    model = copy.deepcopy(plain)
    model.blocks = nn.ModuleList([from_module(block) for block in model.blocks])
    return model, plain, torch.randn(5, 6)


def loss(model: Any, x: Any) -> Any:
    return model(x).square().sum()


def values_of(model: Any) -> list[Any]:
    return [x.detach() for x in model.parameters()]


def assert_equal(found: Any, expected: Any) -> None:
    assert len(found) == len(expected)
    assert all(map(torch.equal, found, expected))


@pytest.mark.parametrize(("engine", "how"), side_by_side("training", ENGINES, SCHEDULES))
def test_training_is_that_of_pytorch_to_the_bit(engine: str, how: dict[str, Any]) -> None:
    model, plain, x = made(4, 0.4)
    torch.manual_seed(3)
    expected = loss(plain, x.requires_grad_())
    expected.backward()
    after = torch.get_rng_state()
    torch.manual_seed(3)
    call = checkpoint.value_and_grad(loss, (0, 1), has_state=True, engine=engine, **how)
    (value, state), (found, of_x) = call(model, x.detach())
    assert torch.equal(value, expected.detach())
    assert torch.equal(torch.get_rng_state(), after)
    assert torch.equal(of_x, x.grad)
    assert_equal(values_of(found), [p.grad for p in plain.parameters()])
    assert_equal(list(state.args[0].buffers()), list(plain.buffers()))
    assert all(int(block.inner[1].num_batches_tracked) == 1 for block in plain.blocks)
    assert list(state.args[0].blocks[0].state_dict()) == list(plain.blocks[0].state_dict())


@pytest.mark.parametrize("engine", ENGINES)
def test_a_program_that_draws_goes_on_drawing(engine: str) -> None:
    block = from_module(nn.Dropout(0.5))
    torch.manual_seed(3)
    expected = [functional.dropout(torch.ones(20), 0.5) for _ in range(4)]
    torch.manual_seed(3)
    value, found = checkpoint.vjp(lambda x: [block(x), block(x)], torch.ones(20), [torch.ones(20)] * 2)
    assert_equal(value, expected[:2])
    assert torch.equal(found, expected[0] + expected[1])
    y, pullback = checkpoint.pullback(lambda x: [block(x), block(x)], torch.ones(20), engine=engine)
    torch.manual_seed(4)
    assert_equal(y, expected[2:])
    for _ in range(2):
        assert torch.equal(pullback([torch.ones(20)] * 2), expected[2] + expected[3])


class Several(nn.Module):  # type: ignore[misc]  # as above
    def __init__(self) -> None:
        super().__init__()
        self.mean: Any
        self.w = nn.Parameter(torch.tensor([0.5, -1.0], dtype=torch.float64))
        self.scale = nn.Parameter(torch.tensor(2.0, dtype=torch.float64))
        self.register_buffer("mean", torch.zeros(2, dtype=torch.float64))

    def forward(self, pair: Any, *, by: Any, power: int = 1) -> Any:
        x, (y, mask) = pair
        self.mean = 0.5 * self.mean + 0.5 * x.detach()
        z = torch.sin(x * self.w) * by["factor"] ** power + y * mask
        return {"z": z, "parts": [z.sum() * self.scale, (x, None)], "count": 3}


def several(block: Any, x: Any, y: Any, factor: Any) -> Any:
    mask = torch.tensor([True, False])
    found = block((x, [y, mask]), by={"factor": factor}, power=2)
    return found["z"].sum() * found["parts"][0] + found["parts"][1][0].prod() + found["count"]


@pytest.mark.parametrize("engine", ENGINES)
def test_nests_of_tensors_come_in_and_go_out(engine: str) -> None:
    module, given = Several(), [torch.tensor(x, dtype=torch.float64) for x in ([0.3, 0.7], [2.0, 5.0], 1.5)]
    block = from_module(module)
    call = checkpoint.value_and_grad(several, (0, 1, 2, 3), has_state=True, engine=engine)
    (value, state), (found, *others) = call(block, *given)
    leaves = [x.requires_grad_() for x in given]
    expected = several(copy.deepcopy(module), *leaves)
    torch.testing.assert_close(value, expected.detach())
    gradients = torch.autograd.grad(expected, leaves)
    torch.testing.assert_close(others, list(gradients))
    assert not torch.equal(state.args[0].mean, module.mean)
    assert torch.equal(state.args[0].mean, 0.5 * given[0].detach())
    several(module, *leaves).backward()
    torch.testing.assert_close(found.w, module.w.grad)
    torch.testing.assert_close(found.scale, module.scale.grad)


@pytest.mark.filterwarnings("ignore:.*deprecated")  # torch.func warns of a use of its own
@pytest.mark.parametrize("engine", ENGINES)
def test_derivatives_of_every_order(engine: str) -> None:
    torch.manual_seed(1)
    module = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 3)).double()
    block, x, v = from_module(module), torch.randn(3).double(), torch.randn(3).double()

    def written(x: Any) -> Any:
        return (module(x) * x).sum()

    def with_block(x: Any) -> Any:
        return (block(x) * x).sum()

    _, expected = torch.func.jvp(written, (x,), (v,))
    torch.testing.assert_close(checkpoint.jvp(with_block, x, v, engine=engine)[1], expected)
    _, second = torch.func.jvp(torch.func.grad(written), (x,), (v,))
    torch.testing.assert_close(checkpoint.hvp(with_block, x, v, engine=engine), second)
    third = checkpoint.grad(lambda x: checkpoint.grad(lambda x: checkpoint.grad(with_block)(x)[0])(x)[1])
    expected = torch.func.jacrev(torch.func.jacrev(torch.func.grad(written)))(x)[0, 1]
    torch.testing.assert_close(third(x), expected)
    h = checkpoint.hessian(with_block, engine=engine)(x)
    torch.testing.assert_close(h, torch.func.hessian(written)(x))


def test_scripted_modules_and_tied_weights() -> None:
    torch.manual_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # TorchScript is deprecated
        scripted = torch.jit.script(nn.Sequential(nn.Linear(3, 3), nn.Tanh()))
    block, x = from_module(nn.Sequential(scripted, nn.Linear(3, 3))), torch.randn(2, 3)
    expected = torch.autograd.grad(loss(block, x), list(block.parameters()))
    found = checkpoint.grad(loss)(block, x)
    assert_equal(values_of(found), list(expected))
    tied = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3))
    tied[2].weight = tied[0].weight
    block = from_module(tied)
    expected = torch.autograd.grad(loss(tied, x), list(tied.parameters()))
    assert_equal(values_of(checkpoint.grad(loss)(block, x)), list(expected))


def test_a_block_is_a_module_as_others_are() -> None:
    torch.manual_seed(1)
    module = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
    block, x = from_module(module), torch.randn(4, 3)
    assert from_module(block) is block
    assert torch.equal(block(x), copy.deepcopy(module)(x))
    assert int(dict(block.named_buffers())["1.num_batches_tracked"]) == 1
    for other in (copy.deepcopy(block), pickle.loads(pickle.dumps(block))):
        other.eval()
        block.eval()
        assert torch.equal(other(x), block(x))
    block.load_state_dict(module.state_dict())
    assert list(block.state_dict()) == list(module.state_dict())
    with pytest.raises(RuntimeError, match="Missing key"):
        block.load_state_dict({})
    with pytest.raises(RuntimeError, match="Unexpected key"):
        block.load_state_dict({**module.state_dict(), "other": x})
    assert repr(block) == "Block(Sequential)"
    found = checkpoint.grad(loss)(block.double(), x.double())
    assert {p.dtype for p in found.parameters()} == {torch.float64}
    optimizer = torch.optim.SGD(block.parameters(), lr=0.1)
    before = values_of(block)[0].clone()
    for p, g in zip(block.parameters(), found.parameters(), strict=True):
        p.grad = g.detach()
    optimizer.step()
    assert not torch.equal(values_of(block)[0], before)


def test_within_a_model_that_autograd_records() -> None:
    torch.manual_seed(1)
    module = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
    f = checkpoint.torch.function(lambda model, x: model(x))
    model, x = nn.Sequential(from_module(module), nn.Linear(3, 3)), torch.randn(4, 3)
    torch.manual_seed(2)
    expected = torch.autograd.grad(loss(model, x), list(model.parameters()))
    torch.manual_seed(2)
    found = torch.autograd.grad(f(model, x).square().sum(), list(model.parameters()))
    assert_equal(found, expected)


class Counter(nn.Module):  # type: ignore[misc]  # as above
    def __init__(self, what: str) -> None:
        super().__init__()
        self.what, self.calls, self.w = what, 0, nn.Parameter(torch.ones(2))

    def forward(self, x: Any) -> Any:
        if self.what == "attribute":
            self.calls += 1
        if self.what == "result":
            return x * float(torch.tensor(0.0).uniform_(generator=GENERATOR)) * self.w
        if self.what == "argument":
            x.mul_(2.0)
        if self.what == "parameter":
            self.w.mul_(2.0)
        if self.what == "set":
            return {1.0}
        if self.what == "error":
            raise KeyError("no such thing")
        return x * self.w


GENERATOR = torch.Generator()


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("attribute", "Counter changes its attribute calls in a call, which may happen more than once"),
        ("result", "Counter gives another result when it runs again with the same tensors and random"),
        ("argument", r"Counter changes an argument in place, and what came before needs its elements"),
        ("parameter", r"Counter changes its parameter w in place"),
        ("set", r"Counter returns a builtins\.set, which no program can take"),
    ],
)
def test_other_effects_are_found(what: str, says: str) -> None:
    block = from_module(Counter(what))
    with config.override(check=True), pytest.raises(checkpoint.RunError, match=says) as caught:
        checkpoint.grad(lambda block, x: block(x).sum())(block, torch.ones(2))
    assert "block(x).sum()" in str(caught.value)


def test_errors_of_the_module_are_the_programs() -> None:
    block = from_module(nn.Linear(3, 2))
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied") as caught:
        checkpoint.grad(lambda block, x: block(x).sum())(block, torch.ones(2, 2))
    assert any("block(x).sum()" in note for note in caught.value.__notes__)
    with pytest.raises(KeyError, match="no such thing"):
        checkpoint.grad(lambda block, x: block(x).sum())(from_module(Counter("error")), torch.ones(2))
    caught_inside = checkpoint.grad(_handled)(torch.ones(2), from_module(Counter("error")))
    assert torch.equal(caught_inside, torch.full((2,), 3.0))
    with pytest.raises(checkpoint.RunError, match="from_module takes a module, not an int"):
        from_module(3)
    with pytest.raises(checkpoint.RunError, match="has_state=True"):
        checkpoint.grad(loss)(from_module(nn.BatchNorm1d(3)), torch.randn(4, 3))


def _handled(x: Any, block: Any) -> Any:
    try:
        return block(x).sum()
    except KeyError:
        return 3.0 * x.sum()


class Once(torch.autograd.Function):  # type: ignore[misc]  # as above
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]  # as above
    def backward(ctx: Any, g: Any) -> Any:
        return 2.0 * ctx.saved_tensors[0] * g


class Squares(nn.Module):  # type: ignore[misc]  # as above
    def forward(self, x: Any) -> Any:
        return Once.apply(x)


def test_a_gradient_without_a_derivative_is_refused_by_name() -> None:
    block, x = from_module(Squares()), torch.tensor([1.0, 3.0])
    assert torch.equal(checkpoint.grad(lambda x: block(x).sum())(x), 2.0 * x)
    with pytest.raises(checkpoint.RunError, match="PyTorch has no derivative of Squares here"):
        checkpoint.hvp(lambda x: block(x).sum(), x, x)


def test_capsules() -> None:
    torch.manual_seed(1)
    block, x = from_module(nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))), torch.randn(2, 3)

    def f(x: Any) -> Any:
        for _ in range(3):
            x = block(x)
        return x.sum()

    torch.manual_seed(5)
    expected = f(x)
    steps = checkpoint.primops(f, x)
    torch.manual_seed(5)
    z = checkpoint.interrupt(f, x, steps // 2)
    assert torch.equal(checkpoint.resume(z), expected.detach())


class Scaled(nn.Module):  # type: ignore[misc]  # as above
    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.tensor([0.5, -1.0]))

    def forward(self, x: Any, factor: float) -> Any:
        exec("pass")
        return x * self.w * factor


@pytest.mark.parametrize("engine", ENGINES)
def test_by_a_real_that_autograd_takes_for_a_constant_the_derivative_is_unknown(engine: str) -> None:
    block, x = from_module(Scaled()), torch.tensor([1.0, 2.0])

    def loss(x: Any, factor: float) -> Any:
        return block(x, factor).sum()

    by_x, by_factor = checkpoint.grad(loss, argnums=(0, 1), engine=engine)(x, 3.0)
    assert torch.equal(by_x, torch.tensor([1.5, -3.0]))
    assert math.isnan(by_factor)
    assert torch.equal(checkpoint.grad(loss, engine=engine)(x, 3.0), by_x)
    assert math.isnan(checkpoint.jvp(lambda f: loss(x, f), 3.0, 1.0, engine=engine)[1])
