"""SqueezeNet 1.1, ResNet-18 and an LSTM of characters, as PyTorch's users write them, with random weights."""

from __future__ import annotations

from typing import Any

from experiments.extras import needed

with needed():
    import torch
    from torch import nn


class Fire(nn.Module):  # type: ignore[misc]  # torch is checked as if it were not there
    """A narrow convolution of single places, then wider ones of single places and of three by three."""

    def __init__(self, inputs: int, narrow: int, wide: int) -> None:
        super().__init__()
        self.squeeze = nn.Conv2d(inputs, narrow, 1)
        self.expand1x1 = nn.Conv2d(narrow, wide, 1)
        self.expand3x3 = nn.Conv2d(narrow, wide, 3, padding=1)

    def forward(self, x: Any) -> Any:
        x = torch.relu(self.squeeze(x))
        return torch.cat([torch.relu(self.expand1x1(x)), torch.relu(self.expand3x3(x))], 1)


def squeezenet(classes: int = 1000) -> Any:
    """Return SqueezeNet 1.1 (Iandola et al. 2016)."""
    sizes = [(64, 16, 64), (128, 16, 64), (128, 32, 128), (256, 32, 128)]
    sizes += [(256, 48, 192), (384, 48, 192), (384, 64, 256), (512, 64, 256)]
    fires = [Fire(*each) for each in sizes]
    for place in (4, 2):
        fires.insert(place, nn.MaxPool2d(3, 2, ceil_mode=True))
    return nn.Sequential(
        *(nn.Conv2d(3, 64, 3, 2), nn.ReLU(), nn.MaxPool2d(3, 2, ceil_mode=True)),
        *fires,
        *(nn.Dropout(0.5), nn.Conv2d(512, classes, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()),
    )


class Block(nn.Module):  # type: ignore[misc]  # torch is checked as if it were not there
    """Two convolutions with batch normalisation, and a shortcut."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        across = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
        same = stride == 1 and inputs == outputs
        self.downsample = nn.Identity() if same else nn.Sequential(across, nn.BatchNorm2d(outputs))

    def forward(self, x: Any) -> Any:
        y = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(y)) + self.downsample(x))


def resnet18(classes: int = 1000) -> Any:
    """Return ResNet-18 (He et al. 2016)."""
    sizes = [(64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1)]
    sizes += [(128, 256, 2), (256, 256, 1), (256, 512, 2), (512, 512, 1)]
    return nn.Sequential(
        *(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)),
        *[Block(*each) for each in sizes],
        *(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, classes)),
    )


class Characters(nn.Module):  # type: ignore[misc]  # torch is checked as if it were not there
    """Predicts the next character: an embedding, an LSTM of two layers, a linear layer."""

    def __init__(self, alphabet: int = 64, width: int = 128) -> None:
        super().__init__()
        self.embedding = nn.Embedding(alphabet, 32)
        self.lstm = nn.LSTM(32, width, num_layers=2, batch_first=True)
        self.out = nn.Linear(width, alphabet)

    def forward(self, x: Any) -> Any:
        return self.out(self.lstm(self.embedding(x))[0])
