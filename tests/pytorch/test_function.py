"""checkpoint.torch.function: autograd records it, and its derivatives are PyTorch's own."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
import torch

import checkpoint
from tests.support.corpus import usable_engines
from tests.support.sampling import side_by_side

ENGINES = [engine.name for engine in usable_engines()]


def network(layers: Any, x: Any) -> Any:
    for w, b in layers:
        x = torch.tanh(x @ w + b)
    return {"loss": (x * x).sum(), "last": x, "layers": len(layers)}


def arguments(count: int = 3, dtype: Any = torch.float64) -> tuple[Any, Any]:
    generator = torch.Generator().manual_seed(1)

    def made(*shape: int) -> Any:
        return torch.randn(*shape, dtype=dtype, generator=generator).requires_grad_()

    return [(made(4, 4), made(4)) for _ in range(count)], made(2, 4)


def total(y: Any) -> Any:
    return 2.0 * y["loss"] + y["last"].sum()


@pytest.mark.parametrize(
    ("engine", "schedule"),
    side_by_side("nested", ENGINES, [None, "plain", "bisection"]),
)
def test_gradients_of_nested_arguments_are_autograds(engine: str, schedule: str | None) -> None:
    layers, x = arguments()
    leaves = [*(leaf for layer in layers for leaf in layer), x]
    y = checkpoint.torch.function(network, engine=engine, schedule=schedule)(layers, x)
    expected = network(layers, x)
    assert torch.equal(y["loss"], expected["loss"])
    assert y["layers"] == 3
    found = torch.autograd.grad(total(y), leaves, retain_graph=True)
    again = torch.autograd.grad(total(y), leaves)
    assert all(map(torch.equal, found, again))
    torch.testing.assert_close(found, torch.autograd.grad(total(expected), leaves))


@pytest.mark.parametrize("engine", ENGINES)
def test_derivatives_of_derivatives(engine: str) -> None:
    f = checkpoint.torch.function(network, engine=engine)

    def flat(*given: Any) -> Any:
        y = f([given[:2], given[2:4]], given[4])
        return y["loss"], y["last"]

    layers, x = arguments(2)
    leaves = (*layers[0], *layers[1], x)
    assert torch.autograd.gradcheck(flat, leaves, fast_mode=True)
    assert torch.autograd.gradgradcheck(flat, leaves, fast_mode=True)


def test_third_derivatives_and_complex_numbers() -> None:
    def third(f: Any) -> Any:
        y = f(x)
        for _ in range(3):
            (y,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        return y

    def wave(x: Any) -> Any:
        return torch.sin(x) * x * x

    def spiral(z: Any) -> Any:
        return torch.exp(z) * z

    x = torch.tensor([0.3, -1.2], dtype=torch.float64, requires_grad=True)
    torch.testing.assert_close(third(checkpoint.torch.function(wave)), third(wave))
    z = torch.tensor([0.3 + 1.0j, -1.2 + 0.1j], dtype=torch.complex128, requires_grad=True)
    f = checkpoint.torch.function(spiral)
    torch.testing.assert_close(*[torch.autograd.grad(g(z).abs().sum(), z) for g in (f, spiral)])
    assert torch.autograd.gradcheck(f, (z,))
    assert torch.autograd.gradgradcheck(f, (z,))


def test_it_trains_within_a_model() -> None:
    def trained(f: Any) -> list[Any]:
        torch.manual_seed(3)
        first, last = torch.nn.Linear(4, 4), torch.nn.Linear(4, 1)
        layers = [(leaf.detach().float().requires_grad_() for leaf in layer) for layer in arguments()[0]]
        middle = [tuple(layer) for layer in layers]
        parameters = [*first.parameters(), *last.parameters(), *(leaf for layer in middle for leaf in layer)]
        optimizer = torch.optim.Adam(parameters, lr=0.01)
        losses = []
        for _ in range(20):
            optimizer.zero_grad()
            x = torch.linspace(-1.0, 1.0, 32).reshape(8, 4)
            loss = (last(f(middle, first(x))["last"]) - 0.5).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        return losses

    found, expected = trained(checkpoint.torch.function(network, memory="1MiB")), trained(network)
    torch.testing.assert_close(found, expected)
    assert found[-1] < found[0] / 4


@pytest.mark.parametrize("engine", ENGINES)
def test_only_what_requires_gradients_is_differentiated(engine: str) -> None:
    layers, x = arguments()
    layers[1][0].requires_grad_(False)
    y = checkpoint.torch.function(network, engine=engine)(layers, x.detach())
    y["loss"].backward()
    assert layers[1][0].grad is None
    assert layers[1][1].grad is not None
    assert x.grad is None
    with torch.no_grad():
        assert not checkpoint.torch.function(network, engine=engine)(layers, x)["loss"].requires_grad


@pytest.mark.parametrize("engine", ENGINES)
def test_what_the_function_reads_from_its_surroundings(engine: str) -> None:
    layers, x = arguments()
    leaves = [leaf for layer in layers for leaf in layer]
    f = checkpoint.torch.function(lambda x: network(layers, x)["loss"], engine=engine)
    for _ in range(2):
        found = torch.autograd.grad(f(x.detach()), leaves)
        torch.testing.assert_close(found, torch.autograd.grad(network(layers, x)["loss"], leaves))


def test_a_tensor_at_several_places() -> None:
    w = torch.tensor([0.5, 2.0], requires_grad=True)
    f = checkpoint.torch.function(lambda ws, v: [ws[0] * ws[1] * v, ws[0]])
    (product, first) = f([w, w], w)
    (product.sum() + 3.0 * first.sum()).backward()
    assert torch.equal(w.grad, 3.0 * w.detach() ** 2 + 3.0)


@pytest.mark.parametrize("engine", [name for name in ENGINES if name != "interp"])
def test_nothing_is_held_once_the_graph_is_gone(engine: str) -> None:
    layers, x = arguments()
    hidden = x * 1.0
    held = weakref.ref(hidden.untyped_storage())
    y = checkpoint.torch.function(network, engine=engine)(layers, hidden)
    gc.collect()
    gc.disable()
    try:
        del hidden
        assert held() is not None
        y["loss"].backward()
        del y
        assert held() is None
    finally:
        gc.enable()


def test_tensors_that_change_before_the_backward_pass_are_an_error() -> None:
    layers, x = arguments()
    y = checkpoint.torch.function(network)(layers, x)
    with torch.no_grad():
        layers[0][0].mul_(2.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y["loss"].backward()


def test_results_may_be_changed_in_place() -> None:
    x = torch.tensor([0.3, -1.2], dtype=torch.float64, requires_grad=True)
    y = checkpoint.torch.function(torch.exp)(x)
    y.mul_(2.0)
    (found,) = torch.autograd.grad(y.sum(), x)
    torch.testing.assert_close(found, 2.0 * torch.exp(x.detach()))


def test_settings_of_the_forward_pass_hold_in_the_backward_pass() -> None:
    def f(x: Any) -> Any:
        return (x @ x).float().sum()

    x = torch.randn(4, 4, generator=torch.Generator().manual_seed(1)).requires_grad_()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y, expected = checkpoint.torch.function(f, schedule="bisection")(x), f(x)
    assert torch.equal(y, expected)
    (found,) = torch.autograd.grad(y, x)
    torch.testing.assert_close(found, torch.autograd.grad(expected, x)[0], rtol=0.02, atol=0.05)


def test_errors() -> None:
    with pytest.raises(checkpoint.RunError, match=r"torch\.function takes a function, not an int"):
        checkpoint.torch.function(3)  # type: ignore[call-overload]  # what it refuses
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(IndexError):
        checkpoint.torch.function(lambda x: x[5])(x)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_retained_graph_is_reversed_without_running_the_function_again(engine: str) -> None:
    runs = [0]

    def tanh(x: Any) -> Any:
        runs[0] += 1
        return torch.tanh(x)

    step = checkpoint.primitive(tanh, vjp=lambda g, y, x: (g * (1.0 - y * y),))

    def chain(x: Any) -> Any:
        for _ in range(20):
            x = x + step(x)
        return x.sum()

    x = torch.linspace(-1.0, 1.0, 5, dtype=torch.float64, requires_grad=True)
    y = checkpoint.torch.function(chain, engine=engine)(x)
    before = runs[0]
    found = [torch.autograd.grad(y, x, retain_graph=True)[0] for _ in range(3)]
    found += torch.autograd.grad(y, x)
    assert runs[0] == before
    assert all(torch.equal(part, found[0]) for part in found)
    with pytest.raises(RuntimeError, match="second time"):
        torch.autograd.grad(y, x)


@pytest.mark.parametrize("engine", ENGINES)
def test_second_derivatives_beside_constants(engine: str) -> None:
    w, x = torch.ones(3, requires_grad=True), torch.full((3,), 2.0)
    f = checkpoint.torch.function(lambda w, x, c: ((w * x * c) ** 3).sum(), engine=engine)
    (g,) = torch.autograd.grad(f(w, x, 1.5), w, create_graph=True)
    (found,) = torch.autograd.grad(g.sum(), w)
    torch.testing.assert_close(found, torch.full((3,), 6.0 * 27.0))


def normalised() -> Any:
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1))


@pytest.mark.parametrize(
    ("engine", "schedule"),
    side_by_side("statistics", ENGINES, ["plain", "bisection"]),
)
def test_running_statistics_are_in_the_state(engine: str, schedule: str) -> None:
    mine, theirs, x = normalised(), normalised(), torch.randn(6, 3)
    f = checkpoint.torch.function(
        lambda m, x: m(x).square().sum(), engine=engine, schedule=schedule, has_state=True
    )
    for count in (1, 2):
        mine.zero_grad()
        theirs.zero_grad()
        y, state = f(mine, x)
        assert int(mine[1].num_batches_tracked) == count - 1  # the caller's own stays as it is
        y.backward()
        expected = theirs(x).square().sum()
        expected.backward()
        torch.testing.assert_close(y, expected)
        for p, q in zip(mine.parameters(), theirs.parameters(), strict=True):
            torch.testing.assert_close(p.grad, q.grad, rtol=1e-4, atol=1e-5)
        mine.load_state_dict(state.args[0].state_dict())
        torch.testing.assert_close(dict(mine.named_buffers()), dict(theirs.named_buffers()))
        assert not any(x.requires_grad for x in mine.buffers())
    with torch.no_grad():
        assert int(f(mine, x)[1].args[0][1].num_batches_tracked) == 3


class Memory(torch.nn.Module):  # type: ignore[misc]  # types of PyTorch are not read
    """A recurrence that keeps its state as an attribute."""

    def __init__(self) -> None:
        super().__init__()
        self.w = torch.nn.Parameter(torch.full((3,), 0.5))
        self.h = torch.zeros(3)

    def forward(self, x: Any) -> Any:
        self.h = torch.tanh(self.w * self.h + x)
        return self.h.sum()


@pytest.mark.parametrize("engine", ENGINES)
def test_gradients_go_through_the_state(engine: str) -> None:
    x = torch.ones(3, requires_grad=True)
    f = checkpoint.torch.function(lambda m, x: m(x), engine=engine, has_state=True)
    mine, theirs = Memory(), Memory()
    y, state = f(mine, x)
    z, state = f(state.args[0], state.args[1])
    expected = theirs(x) + theirs(x)
    torch.testing.assert_close(y + z, expected)
    found = torch.autograd.grad(y + z, (x, mine.w), create_graph=True)
    also = torch.autograd.grad(expected, (x, theirs.w), create_graph=True)
    torch.testing.assert_close(found, also)
    torch.testing.assert_close(torch.autograd.grad(found[0].sum(), x), torch.autograd.grad(also[0].sum(), x))
