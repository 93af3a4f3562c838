"""Sample arguments of every class of layers in torch.nn: how a layer is made, and what it is called with.

A name may have a suffix after a space, where a layer is tried in several ways. What has no sample is listed
with its reason (`WITHOUT_SAMPLES`); test_layers.py finds a class of torch.nn that is in neither.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

Sample = Callable[[], tuple[Any, tuple[Any, ...]]]

x, labels = torch.randn, torch.tensor([1, 0, 2])
signs = torch.tensor([1.0, -1.0, 1.0])


def shares(*shape: int) -> Any:
    return torch.softmax(torch.randn(*shape), -1)


def between(*shape: int) -> Any:
    return torch.rand(*shape) * 0.8 + 0.1


def alike(layer: Any, *shape: int) -> Sample:
    """Return the sample of a layer that has no arguments."""
    return lambda: (layer(), (x(*(shape or (3, 5))),))


def loss(layer: Any, *inputs: Any) -> Sample:
    return lambda: (layer(), tuple([each() if callable(each) else each for each in inputs]))


def called_once(module: Any, *inputs: Any) -> Any:
    module(*inputs)
    return module


def a() -> Any:
    return x(3, 4)


class OfLogits(nn.Module):  # type: ignore[misc]  # types of PyTorch are not read
    """CTCLoss of logits: PyTorch's derivative of it alone takes for granted that log_softmax is before it."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.CTCLoss()

    def forward(self, x: Any, y: Any, lengths: Any, counts: Any) -> Any:
        return self.inner(x.log_softmax(-1), y, lengths, counts)


ACTIVATIONS = (
    "CELU ELU GELU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid Mish PReLU ReLU ReLU6 SELU "
    "SiLU Sigmoid Softplus Softshrink Softsign Tanh Tanhshrink Identity"
)
LOSSES: dict[str, Sample] = {
    "L1Loss": loss(nn.L1Loss, a, a),
    "MSELoss": loss(nn.MSELoss, a, a),
    "SmoothL1Loss": loss(nn.SmoothL1Loss, a, a),
    "HuberLoss": loss(nn.HuberLoss, a, a),
    "NLLLoss": loss(nn.NLLLoss, a, labels),
    "CrossEntropyLoss": loss(nn.CrossEntropyLoss, a, labels),
    "KLDivLoss": loss(lambda: nn.KLDivLoss(reduction="batchmean"), a, lambda: shares(3, 4)),
    "KLDivLoss log_target": loss(lambda: nn.KLDivLoss(reduction="sum", log_target=True), a, a),
    "BCELoss": loss(nn.BCELoss, lambda: between(3, 4), lambda: between(3, 4)),
    "BCEWithLogitsLoss": loss(nn.BCEWithLogitsLoss, a, lambda: between(3, 4)),
    "BCEWithLogitsLoss pos_weight": loss(
        lambda: nn.BCEWithLogitsLoss(pos_weight=torch.rand(4)), a, lambda: between(3, 4)
    ),
    "CosineEmbeddingLoss": loss(nn.CosineEmbeddingLoss, a, a, signs),
    "GaussianNLLLoss": loss(nn.GaussianNLLLoss, a, a, lambda: between(3, 4)),
    "HingeEmbeddingLoss": loss(nn.HingeEmbeddingLoss, lambda: x(3), signs),
    "MarginRankingLoss": loss(nn.MarginRankingLoss, lambda: x(3), lambda: x(3), signs),
    "MultiLabelMarginLoss": loss(nn.MultiLabelMarginLoss, a, torch.tensor([[3, 0, -1, 1]] * 3)),
    "MultiLabelSoftMarginLoss": loss(nn.MultiLabelSoftMarginLoss, a, lambda: (between(3, 4) > 0.5) * 1.0),
    "MultiMarginLoss": loss(nn.MultiMarginLoss, a, labels),
    "PoissonNLLLoss": loss(nn.PoissonNLLLoss, a, lambda: between(3, 4)),
    "SoftMarginLoss": loss(nn.SoftMarginLoss, lambda: x(3), signs.int()),
    "TripletMarginLoss": loss(nn.TripletMarginLoss, a, a, a),
    "TripletMarginWithDistanceLoss": loss(nn.TripletMarginWithDistanceLoss, a, a, a),
    "CTCLoss": loss(
        OfLogits,
        lambda: x(7, 2, 5),
        torch.tensor([[1, 2], [3, 3]]),
        torch.tensor([7, 6]),
        torch.tensor([2, 2]),
    ),
    "AdaptiveLogSoftmaxWithLoss": lambda: (
        nn.AdaptiveLogSoftmaxWithLoss(4, 9, [3, 6]),
        (x(5, 4), torch.tensor([0, 4, 8, 2, 5])),
    ),
    "LinearCrossEntropyLoss": lambda: (nn.LinearCrossEntropyLoss(4, 5), (x(3, 4), labels)),
}


def of_axes(kind: str, n: int, size: int, *given: Any, channels: int = 3, **named: Any) -> Sample:
    """Return the sample of a layer with n axes of places; evaluation=True: as it is in evaluation."""
    evaluation = named.pop("evaluation", False)

    def made() -> tuple[Any, tuple[Any, ...]]:
        layer = getattr(nn, f"{kind}{n}d")(*given, **named)
        return (layer.eval() if evaluation else layer), (x(4, channels, *[size] * n),)

    return made


def unpooled(n: int) -> Sample:
    def made() -> tuple[Any, tuple[Any, ...]]:
        pool = getattr(nn, f"MaxPool{n}d")(2, return_indices=True)
        return getattr(nn, f"MaxUnpool{n}d")(2), pool(x(2, 3, *[6] * n))

    return made


PLACES: dict[str, Sample] = {}
for n in (1, 2, 3):
    PLACES |= {
        f"Conv{n}d": of_axes("Conv", n, 6, 4, 6, 3, 2, 1, channels=4, groups=2),
        f"ConvTranspose{n}d": of_axes("ConvTranspose", n, 3, 4, 6, 3, 2, 1, channels=4),
        f"MaxPool{n}d": of_axes("MaxPool", n, 6, 3, 2, 1),
        f"AvgPool{n}d": of_axes("AvgPool", n, 6, 3, 2, 1),
        f"LPPool{n}d": of_axes("LPPool", n, 6, 2, 2),
        f"AdaptiveAvgPool{n}d": of_axes("AdaptiveAvgPool", n, 6, 4),
        f"AdaptiveMaxPool{n}d": of_axes("AdaptiveMaxPool", n, 6, 4),
        f"MaxUnpool{n}d": unpooled(n),
        f"BatchNorm{n}d": of_axes("BatchNorm", n, 3, 3),
        f"BatchNorm{n}d in evaluation": of_axes("BatchNorm", n, 3, 3, evaluation=True),
        f"InstanceNorm{n}d": of_axes("InstanceNorm", n, 3, 3, affine=True),
        f"CircularPad{n}d": of_axes("CircularPad", n, 4, 2),
        f"ConstantPad{n}d": of_axes("ConstantPad", n, 4, 2, 1.5),
        f"ReflectionPad{n}d": of_axes("ReflectionPad", n, 4, 2),
        f"ReplicationPad{n}d": of_axes("ReplicationPad", n, 4, 2),
        f"ZeroPad{n}d": of_axes("ZeroPad", n, 4, 2),
        f"Dropout{n}d": of_axes("Dropout", n, 4, 0.5),
        f"Dropout{n}d in evaluation": of_axes("Dropout", n, 4, 0.5, evaluation=True),
    }
IMAGES: dict[str, Sample] = {
    "Conv2d padding_mode": lambda: (nn.Conv2d(3, 4, 3, padding=1, padding_mode="circular"), (x(2, 3, 6, 6),)),
    "Conv2d padding same": lambda: (nn.Conv2d(3, 4, 3, padding="same"), (x(2, 3, 6, 6),)),
    "InstanceNorm2d running": lambda: (nn.InstanceNorm2d(3, track_running_stats=True), (x(4, 3, 3, 3),)),
    "GroupNorm": lambda: (nn.GroupNorm(2, 4), (x(2, 4, 5),)),
    "LocalResponseNorm": lambda: (nn.LocalResponseNorm(3), (x(2, 5, 4, 4),)),
    "CrossMapLRN2d": lambda: (nn.CrossMapLRN2d(3), (x(2, 5, 4, 4),)),
    "SyncBatchNorm": lambda: (nn.SyncBatchNorm(3), (x(4, 3, 3, 3),)),
    "PixelShuffle": lambda: (nn.PixelShuffle(2), (x(2, 8, 3, 3),)),
    "PixelUnshuffle": lambda: (nn.PixelUnshuffle(2), (x(2, 2, 4, 6),)),
    "ChannelShuffle": lambda: (nn.ChannelShuffle(2), (x(2, 6, 3, 3),)),
    "Softmax2d": lambda: (nn.Softmax2d(), (x(2, 4, 3, 3),)),
    "Upsample nearest": lambda: (nn.Upsample(scale_factor=2), (x(2, 3, 4, 4),)),
    "Upsample bilinear": lambda: (nn.Upsample(scale_factor=2, mode="bilinear"), (x(2, 3, 4, 4),)),
    "Upsample bicubic": lambda: (nn.Upsample(scale_factor=2, mode="bicubic"), (x(2, 3, 4, 4),)),
    "Upsample trilinear": lambda: (nn.Upsample(size=5, mode="trilinear"), (x(2, 3, 4, 4, 4),)),
    "Upsample linear": lambda: (nn.Upsample(size=9, mode="linear", align_corners=True), (x(2, 3, 4),)),
    "UpsamplingBilinear2d": lambda: (nn.UpsamplingBilinear2d(scale_factor=2), (x(2, 3, 4, 4),)),
    "UpsamplingNearest2d": lambda: (nn.UpsamplingNearest2d(scale_factor=2), (x(2, 3, 4, 4),)),
    "FractionalMaxPool2d": lambda: (nn.FractionalMaxPool2d(2, output_size=3), (x(2, 3, 6, 6),)),
    "FractionalMaxPool3d": lambda: (nn.FractionalMaxPool3d(2, output_size=3), (x(2, 3, 6, 6, 6),)),
    "Fold": lambda: (nn.Fold((4, 5), 2), (x(2, 12, 12),)),
    "Unfold": lambda: (nn.Unfold(2), (x(2, 3, 4, 5),)),
}
ROWS: dict[str, Sample] = {
    "Bilinear": lambda: (nn.Bilinear(3, 4, 5), (x(2, 3), x(2, 4))),
    "CosineSimilarity": lambda: (nn.CosineSimilarity(), (x(3, 4), x(3, 4))),
    "PairwiseDistance": lambda: (nn.PairwiseDistance(), (x(3, 4), x(3, 4))),
    "Embedding": lambda: (nn.Embedding(7, 4, padding_idx=1), (torch.tensor([[1, 2], [6, 2]]),)),
    "EmbeddingBag": lambda: (nn.EmbeddingBag(7, 4), (torch.tensor([[1, 2], [6, 2]]),)),
    "EmbeddingBag sum": lambda: (
        nn.EmbeddingBag(7, 4, mode="sum"),
        (torch.tensor([1, 2, 6, 2, 0]), torch.tensor([0, 2])),
    ),
    "EmbeddingBag max": lambda: (nn.EmbeddingBag(7, 4, mode="max"), (torch.tensor([[1, 2], [6, 2]]),)),
    "Flatten": lambda: (nn.Flatten(), (x(2, 3, 4),)),
    "Unflatten": lambda: (nn.Unflatten(1, (2, 3)), (x(2, 6),)),
    "GLU": lambda: (nn.GLU(), (x(3, 6),)),
    "LayerNorm": lambda: (nn.LayerNorm(5), (x(3, 5),)),
    "RMSNorm": lambda: (nn.RMSNorm(5), (x(3, 5),)),
    "Linear": lambda: (nn.Linear(5, 3), (x(2, 5),)),
    "LogSoftmax": lambda: (nn.LogSoftmax(1), (x(3, 5),)),
    "Softmax": lambda: (nn.Softmax(1), (x(3, 5),)),
    "Softmin": lambda: (nn.Softmin(1), (x(3, 5),)),
    "Threshold": lambda: (nn.Threshold(0.1, -2.0), (x(3, 5),)),
    "Dropout": lambda: (nn.Dropout(0.5), (x(3, 5),)),
    "Dropout in evaluation": lambda: (nn.Dropout().eval(), (x(3, 5),)),
    "AlphaDropout": lambda: (nn.AlphaDropout(), (x(3, 5),)),
    "AlphaDropout in evaluation": lambda: (nn.AlphaDropout().eval(), (x(3, 5),)),
    "FeatureAlphaDropout": lambda: (nn.FeatureAlphaDropout(), (x(3, 5),)),
    "FeatureAlphaDropout in evaluation": lambda: (nn.FeatureAlphaDropout().eval(), (x(3, 5),)),
    "RReLU": lambda: (nn.RReLU(), (x(3, 5),)),
    "RReLU in evaluation": lambda: (nn.RReLU().eval(), (x(3, 5),)),
    "PReLU by channel": lambda: (nn.PReLU(3), (x(2, 3, 4),)),
    "LazyLinear": lambda: (called_once(nn.LazyLinear(3), x(2, 5)), (x(2, 5),)),
    "Sequential": lambda: (nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 2)), (x(3, 5),)),
}


def cell(make: Any, *states: Any) -> Sample:
    return lambda: (make(3, 4), (x(2, 3), *states))


def attention(**given: Any) -> Sample:
    return lambda: (
        nn.MultiheadAttention(8, 2, batch_first=True, **given),
        (x(2, 5, 8), x(2, 6, 8), x(2, 6, 8)),
    )


def layer(**given: Any) -> Any:
    return nn.TransformerEncoderLayer(8, 2, 16, **{"dropout": 0.0, "batch_first": True} | given)


def decoder(**given: Any) -> Any:
    return nn.TransformerDecoderLayer(8, 2, 16, **{"dropout": 0.0, "batch_first": True} | given)


SEQUENCES: dict[str, Sample] = {
    "RNNCell": cell(nn.RNNCell),
    "RNNCell relu": lambda: (nn.RNNCell(3, 4, nonlinearity="relu"), (x(2, 3), x(2, 4))),
    "GRUCell": cell(nn.GRUCell, x(2, 4)),
    "LSTMCell": lambda: (nn.LSTMCell(3, 4), (x(2, 3), (x(2, 4), x(2, 4)))),
    "LSTMCell without states": cell(nn.LSTMCell),
    "RNN": lambda: (nn.RNN(3, 4), (x(5, 2, 3),)),
    "GRU": lambda: (nn.GRU(3, 4), (x(5, 2, 3),)),
    "LSTM": lambda: (nn.LSTM(3, 4), (x(5, 2, 3),)),
    "RNN relu": lambda: (nn.RNN(3, 4, nonlinearity="relu", batch_first=True), (x(2, 5, 3), x(1, 2, 4))),
    "GRU two layers": lambda: (nn.GRU(3, 4, 2, batch_first=True, bidirectional=True), (x(2, 5, 3),)),
    "LSTM two layers": lambda: (nn.LSTM(3, 4, 2, bidirectional=True), (x(5, 2, 3),)),
    "LSTM states": lambda: (nn.LSTM(3, 4, bias=False), (x(5, 3), (x(1, 4), x(1, 4)))),
    "LSTM projected": lambda: (nn.LSTM(3, 4, proj_size=2), (x(5, 2, 3),)),
    "MultiheadAttention": attention(),
    "MultiheadAttention other widths": lambda: (
        nn.MultiheadAttention(8, 2, kdim=3, vdim=5),
        (x(5, 2, 8), x(6, 2, 3), x(6, 2, 5)),
    ),
    "MultiheadAttention added": attention(add_bias_kv=True, add_zero_attn=True),
    "MultiheadAttention self": lambda: (
        Self(nn.MultiheadAttention(8, 2, batch_first=True), need_weights=False),
        (x(2, 5, 8),),
    ),
    "MultiheadAttention masked": lambda: (
        Self(
            nn.MultiheadAttention(8, 2, batch_first=True),
            attn_mask=nn.Transformer.generate_square_subsequent_mask(5),
            is_causal=True,
            need_weights=False,
        ),
        (x(2, 5, 8),),
    ),
    "MultiheadAttention padded": lambda: (
        Self(
            nn.MultiheadAttention(8, 2, batch_first=True),
            key_padding_mask=torch.tensor([[False] * 4 + [True], [False] * 3 + [True] * 2]),
        ),
        (x(2, 5, 8),),
    ),
    "MultiheadAttention in evaluation": lambda: (
        Self(nn.MultiheadAttention(8, 2, batch_first=True).eval()),
        (x(2, 5, 8),),
    ),
    "TransformerEncoderLayer": lambda: (layer(), (x(2, 5, 8),)),
    "TransformerEncoderLayer norm_first": lambda: (layer(norm_first=True, activation="gelu"), (x(2, 5, 8),)),
    "TransformerEncoderLayer in evaluation": lambda: (layer(dropout=0.1).eval(), (x(2, 5, 8),)),
    "TransformerEncoderLayer in training": lambda: (layer(dropout=0.1), (x(2, 5, 8),)),
    "TransformerDecoderLayer": lambda: (decoder(), (x(2, 5, 8), x(2, 6, 8))),
    "TransformerEncoder": lambda: (
        nn.TransformerEncoder(layer(), 2, nn.LayerNorm(8)),
        (x(2, 5, 8),),
    ),
    "TransformerEncoder causal": lambda: (
        Masked(nn.TransformerEncoder(layer(), 2), nn.Transformer.generate_square_subsequent_mask(5)),
        (x(2, 5, 8),),
    ),
    "TransformerEncoder in evaluation": lambda: (
        nn.TransformerEncoder(layer(), 2, enable_nested_tensor=False).eval(),
        (x(2, 5, 8),),
    ),
    "TransformerDecoder": lambda: (nn.TransformerDecoder(decoder(), 2), (x(2, 5, 8), x(2, 6, 8))),
    "Transformer": lambda: (
        nn.Transformer(8, 2, 1, 1, 16, dropout=0.0, batch_first=True),
        (x(2, 5, 8), x(2, 6, 8)),
    ),
}


class Self(nn.Module):  # type: ignore[misc]  # types of PyTorch are not read
    """Attention of a sequence to itself, with further arguments."""

    def __init__(self, inner: Any, **given: Any) -> None:
        super().__init__()
        self.inner = inner
        self.given = given

    def forward(self, x: Any) -> Any:
        return self.inner(x, x, x, **self.given)


class Masked(nn.Module):  # type: ignore[misc]  # as above
    """An encoder with a mask of the pairs that do not count."""

    def __init__(self, inner: Any, mask: Any) -> None:
        super().__init__()
        self.inner = inner
        self.mask = mask

    def forward(self, x: Any) -> Any:
        return self.inner(x, mask=self.mask, is_causal=True)


class Sharing(nn.Module):  # type: ignore[misc]  # as above
    """Layers in a list and in a dictionary, and parameters likewise."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])
        self.named = nn.ModuleDict({"first": nn.Linear(4, 4), "second": nn.Tanh()})

    def forward(self, x: Any) -> Any:
        for layer in self.layers:
            x = x + layer(x)
        for key in self.named:
            x = self.named[key](x)
        return x


class OfParameters(nn.Module):  # type: ignore[misc]  # as above
    def __init__(self) -> None:
        super().__init__()
        self.each = nn.ParameterList([nn.Parameter(torch.randn(4)) for _ in range(2)])

    def forward(self, x: Any) -> Any:
        for p in self.each:
            x = torch.tanh(x * p)
        return x + self.each[0]


class OfNamedParameters(nn.Module):  # type: ignore[misc]  # as above
    def __init__(self) -> None:
        super().__init__()
        self.each = nn.ParameterDict({"a": nn.Parameter(torch.randn(4)), "b": nn.Parameter(torch.randn(4))})

    def forward(self, x: Any) -> Any:
        return torch.tanh(x * self.each["a"]) + self.each["b"]


CONTAINERS: dict[str, Sample] = {
    "ModuleList": lambda: (Sharing(), (x(3, 4),)),
    "ModuleDict": lambda: (Sharing(), (x(3, 4),)),
    "ParameterList": lambda: (OfParameters(), (x(3, 4),)),
    "ParameterDict": lambda: (OfNamedParameters(), (x(3, 4),)),
}
SAMPLES: dict[str, Sample] = {
    **{name: alike(getattr(nn, name)) for name in ACTIVATIONS.split()},
    **ROWS,
    **PLACES,
    **IMAGES,
    **LOSSES,
    **SEQUENCES,
    **CONTAINERS,
}
WITHOUT_SAMPLES = {
    "Module": "the base of all",
    "Container": "PyTorch's old name for Module",
    "NLLLoss2d": "PyTorch's old name for NLLLoss",
    "RNNBase": "the base of RNN, LSTM and GRU",
    "RNNCellBase": "the base of the cells",
    "DataParallel": "needs several GPUs",
    **dict.fromkeys(
        [
            f"Lazy{kind}{n}d"
            for kind in ("BatchNorm", "Conv", "ConvTranspose", "InstanceNorm")
            for n in (1, 2, 3)
        ],
        "becomes the layer without Lazy at its first call",
    ),
}
HAS_STATE = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm", "InstanceNorm2d running")
