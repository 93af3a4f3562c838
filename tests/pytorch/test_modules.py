"""torch.nn's modules and the user's own in programs: values and gradients are those of PyTorch."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

import checkpoint
from checkpoint.errors import SourceError
from tests.support.corpus import usable_engines

ENGINES = [engine.name for engine in usable_engines()]


class ResidualBlock(nn.Module):  # type: ignore[misc]  # types of PyTorch are not read
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)

    def forward(self, x: Any) -> Any:
        y = functional.relu(self.norm1(self.conv1(x)))
        return functional.relu(x + self.norm2(self.conv2(y)))


class ResNet(nn.Module):  # type: ignore[misc]  # as above
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.blocks = nn.ModuleList([ResidualBlock(8) for _ in range(2)])
        self.head = nn.Linear(8, 5)

    def forward(self, x: Any) -> Any:
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(dim=(2, 3)))


class Block(nn.Module):  # type: ignore[misc]  # as above
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.queries, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.dropout = nn.Dropout(0.0)

    def forward(self, x: Any) -> Any:
        count, length, width = x.shape
        parts = self.queries(self.norm1(x)).reshape(count, length, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.dropout(self.out(y.transpose(1, 2).reshape(count, length, width)))
        return x + self.mlp(self.norm2(x))


class Transformer(nn.Module):  # type: ignore[misc]  # as above
    def __init__(self) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(11, 8), nn.Parameter(torch.randn(6, 8))
        self.blocks = nn.Sequential(*[Block(8, 2) for _ in range(2)])
        self.norm, self.head = nn.LayerNorm(8), nn.Linear(8, 11, bias=False)

    def forward(self, tokens: Any) -> Any:
        x = self.tokens(tokens) + self.places[: tokens.shape[1]]
        return self.head(self.norm(self.blocks(x)))


def gradients(model: Any) -> dict[str, Any]:
    return {name: parameter.grad for name, parameter in model.named_parameters()}


def assert_gradients_of(found: Any, model: Any, tolerance: float) -> None:
    parameters = {name: parameter.detach() for name, parameter in found.named_parameters()}
    torch.testing.assert_close(parameters, gradients(model), rtol=tolerance, atol=tolerance)


LAYERS = {
    "linear": lambda: nn.Linear(8, 3),
    "activations": lambda: nn.Sequential(
        nn.Linear(8, 8),
        nn.ReLU(),
        nn.GELU(),
        nn.SiLU(),
        nn.Sigmoid(),
        nn.Tanh(),
        nn.Softplus(),
        nn.Softmax(-1),
    ),
    "layer norm": lambda: nn.LayerNorm(8),
    "dropout in evaluation": lambda: nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5)).eval(),
    "named layers": lambda: nn.Sequential(nn.Flatten(), nn.LeakyReLU(), nn.Identity(), nn.Linear(8, 2)),
}
IMAGES = {
    "conv": lambda: nn.Conv2d(4, 6, 3, stride=2, padding=1),
    "conv reflect": lambda: nn.Conv2d(4, 6, 3, padding=1, padding_mode="reflect"),
    "conv transpose": lambda: nn.ConvTranspose2d(4, 6, 3, stride=2),
    "group norm": lambda: nn.GroupNorm(2, 4),
    "instance norm": lambda: nn.InstanceNorm2d(4, affine=True),
    "batch norm in evaluation": lambda: nn.BatchNorm2d(4).eval(),
    "batch norm without statistics": lambda: nn.BatchNorm2d(4, track_running_stats=False),
    "pools": lambda: nn.Sequential(
        nn.Conv2d(4, 4, 1),
        nn.MaxPool2d(2),
        nn.Upsample(scale_factor=2),
        nn.AdaptiveAvgPool2d(2),
        nn.AvgPool2d(2),
    ),
}


@pytest.mark.parametrize("name", [*LAYERS, *IMAGES])
def test_layers(name: str) -> None:
    torch.manual_seed(1)
    x = torch.randn(2, 4, 8, 8) if name in IMAGES else torch.randn(4, 8)
    layer = (LAYERS | IMAGES)[name]()
    value, (found, of_x) = checkpoint.value_and_grad(lambda m, x: m(x).square().sum(), (0, 1))(layer, x)
    x.requires_grad_()
    expected = layer(x).square().sum()
    expected.backward()
    torch.testing.assert_close(value, expected.detach())
    torch.testing.assert_close(of_x, x.grad, rtol=1e-4, atol=1e-5)
    assert type(found) is type(layer)
    assert_gradients_of(found, layer, 1e-4)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_transformer_as_people_write_it(engine: str) -> None:
    torch.manual_seed(1)
    model, tokens = Transformer(), torch.randint(0, 11, (2, 6))

    def loss(model: Any, tokens: Any) -> Any:
        return functional.cross_entropy(model(tokens)[:, :-1].reshape(-1, 11), tokens[:, 1:].reshape(-1))

    value, found = checkpoint.value_and_grad(loss, engine=engine)(model, tokens)
    expected = loss(model, tokens)
    expected.backward()
    torch.testing.assert_close(value, expected.detach())
    assert_gradients_of(found, model, 1e-5)


@pytest.mark.parametrize("schedule", ["plain", "bisection"])
def test_a_residual_network_in_training_returns_its_statistics(schedule: str) -> None:
    torch.manual_seed(1)
    model, x, labels = ResNet(), torch.randn(4, 3, 16, 16), torch.tensor([0, 1, 2, 3])

    def loss(model: Any, x: Any, labels: Any) -> Any:
        return functional.cross_entropy(model(x), labels)

    before = copy.deepcopy(dict(model.named_buffers()))
    call = checkpoint.value_and_grad(loss, has_state=True, schedule=schedule)
    (value, state), found = call(model, x, labels)
    assert all(torch.equal(buffer, before[name]) for name, buffer in model.named_buffers())
    expected = loss(model, x, labels)
    expected.backward()
    torch.testing.assert_close(value, expected.detach())
    assert_gradients_of(found, model, 1e-4)
    torch.testing.assert_close(dict(state.args[0].named_buffers()), dict(model.named_buffers()))


def test_a_module_within_a_model_that_autograd_records() -> None:
    torch.manual_seed(1)
    model = Transformer()
    blocks = checkpoint.torch.function(lambda m, x: m(x), memory="1MiB")
    tokens = torch.randint(0, 11, (2, 6))
    x = model.tokens(tokens)
    blocks(model.blocks, x).sum().backward()
    found = copy.deepcopy({k: v for k, v in gradients(model).items() if v is not None})
    model.zero_grad()
    model.blocks(model.tokens(tokens)).sum().backward()
    torch.testing.assert_close(found, {k: v for k, v in gradients(model).items() if v is not None})


@pytest.mark.parametrize(
    ("made", "error", "says"),
    [
        (lambda: nn.BatchNorm1d(8), checkpoint.RunError, "pass has_state=True"),
        (lambda: nn.ReLU(inplace=True), SourceError, "inplace=True changes the input"),
        (lambda: hooked(nn.Linear(8, 8)), SourceError, "hooks of a module are not called"),
    ],
)
def test_what_is_refused_says_what_to_write(made: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        checkpoint.grad(lambda m, x: m(x).sum(), 1)(made(), torch.randn(4, 8))


def hooked(module: Any) -> Any:
    module.register_forward_hook(lambda module, given, result: None)
    return module
