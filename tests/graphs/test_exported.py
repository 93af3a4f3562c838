"""Networks that PyTorch has exported: PyTorch's values and gradients, on tensors and on NumPy's arrays."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnxscript", reason="PyTorch's exporter needs onnxscript")

from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

import checkpoint  # noqa: E402
from checkpoint import engines  # noqa: E402
from tensorlib import networks  # noqa: E402


class Convolutions(nn.Module):  # type: ignore[misc]  # torch is checked as if it were not there
    """Convolutions, batch and group norms, pools, a shortcut, other sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.second = nn.Conv2d(8, 8, 3, padding=1, groups=2)
        self.groups = nn.GroupNorm(2, 8)
        self.up = nn.ConvTranspose2d(8, 4, 2, stride=2)
        self.last = nn.Linear(4, 5)

    def forward(self, x: Any) -> Any:
        x = F.relu(self.norm(self.first(x)))
        x = F.max_pool2d(x + F.gelu(self.groups(self.second(x))), 3, 2, 1)
        x = F.interpolate(F.leaky_relu(self.up(x)), scale_factor=2.0, mode="bilinear")
        return self.last(F.adaptive_avg_pool2d(x, 1).flatten(1))


class Transformer(nn.Module):  # type: ignore[misc]  # torch is checked as if it were not there
    """Embeddings, two blocks of attention and multilayer perceptrons, with layer norms before each."""

    def __init__(self, width: int = 16) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(11, width), nn.Parameter(torch.randn(6, width))
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(4)])
        self.heads = nn.ModuleList([nn.Linear(width, 3 * width) for _ in range(2)])
        self.inner = nn.ModuleList([nn.Linear(width, 4 * width) for _ in range(2)])
        self.outer = nn.ModuleList([nn.Linear(4 * width, width) for _ in range(2)])
        self.last = nn.Linear(width, 11)

    def forward(self, x: Any) -> Any:
        y = self.tokens(x) + self.places
        for i in range(2):
            y = y + self.attention(self.heads[i](self.norms[2 * i](y)))
            y = y + self.outer[i](F.gelu(self.inner[i](self.norms[2 * i + 1](y))))
        return self.last(y)

    def attention(self, x: Any) -> Any:
        n, length, _ = x.shape
        q, k, v = (each.reshape(n, length, 2, -1).transpose(1, 2) for each in x.chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return y.transpose(1, 2).reshape(n, length, -1)


class Recurrent(nn.Module):  # type: ignore[misc]  # torch is checked as if it were not there
    """An embedding, an LSTM of two layers, a GRU of both directions."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(11, 6)
        self.lstm = nn.LSTM(6, 7, num_layers=2, batch_first=True)
        self.gru = nn.GRU(7, 5, bidirectional=True, batch_first=True)
        self.last = nn.Linear(10, 11)

    def forward(self, x: Any) -> Any:
        return self.last(self.gru(self.lstm(self.tokens(x))[0])[0])


IMAGES, TEXT = torch.randn(2, 3, 16, 16), torch.randint(0, 11, (3, 6))
NETWORKS: dict[str, Any] = {
    "convolutions": (Convolutions, IMAGES),
    "transformer": (Transformer, TEXT),
    "recurrent": (Recurrent, TEXT),
}


def exported(module: Any, x: Any, folder: Path) -> Any:
    """Return a module in test mode, and its graph as PyTorch exports it."""
    module.eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, (x,), folder / "net.onnx", dynamo=True, optimize=False, verbose=False)
    return checkpoint.read(folder / "net.onnx")


@pytest.mark.parametrize("name", NETWORKS)
def test_values_and_gradients_are_those_of_pytorch(name: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    make, x = NETWORKS[name]
    module = make()
    net = exported(module, x, tmp_path)
    named = dict(module.named_parameters())
    assert named.keys() <= net.parameters.keys()
    y = module(x)
    labels = torch.randint(0, y.shape[-1], (y.numel() // y.shape[-1],))
    expected = torch.autograd.grad(F.cross_entropy(y.flatten(0, -2), labels), list(named.values()))

    def loss(trained: Any, others: Any, x: Any, labels: Any) -> Any:
        y = net(x, parameters={**others, **trained})
        return networks.cross_entropy(np.reshape(y, (-1, y.shape[-1])), labels)

    differentiated: Any = checkpoint.value_and_grad

    trained = {key: net.parameters[key] for key in named}
    for engine in engines.usable():
        for given in ((trained, net.parameters), _tensors((trained, net.parameters))):
            is_tensor = given[0] is not trained
            data = (x, labels) if is_tensor else (x.numpy(), labels.numpy())
            _, found = differentiated(loss, engine=engine)(*given, *data)
            for key, bar in zip(named, expected, strict=True):
                assert isinstance(found[key], torch.Tensor) == is_tensor
                size = float(bar.abs().max())
                np.testing.assert_allclose(np.asarray(found[key]), bar, rtol=1e-4, atol=3e-6 * size)
    np.testing.assert_allclose(net(x), y.detach(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(net(x.numpy()), y.detach(), rtol=1e-4, atol=1e-5)


def _tensors(parameters: Any) -> Any:
    return tuple([{key: torch.from_numpy(each) for key, each in part.items()} for part in parameters])


def test_parameters_follow_the_input_to_its_library(tmp_path: Path) -> None:
    net = exported(Convolutions(), IMAGES, tmp_path)
    assert isinstance(net(IMAGES), torch.Tensor)
    assert isinstance(net(IMAGES.numpy()), np.ndarray)
    found = checkpoint.grad(lambda p: (net(IMAGES, parameters=p) ** 2).sum())(net.parameters)
    assert isinstance(found["last.bias"], np.ndarray)
