"""Layers of torch.nn in programs: which have PyTorch's gradient, which are refused, by name."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

import checkpoint
from tests.pytorch.layers.samples import SAMPLES, WITHOUT_SAMPLES
from tests.pytorch.layers.survey import expected, found, outcome, survey
from tests.support.corpus import usable_engines

ENGINES = [engine.name for engine in usable_engines()]
REFUSED = {  # what the survey shows begins with "refused: " or "fails: ", and has these words
    "CrossMapLRN2d": "CrossMapLRN2d",
    "AdaptiveLogSoftmaxWithLoss": "new_zeros",
}
EXACT = (  # PyTorch's own kernels, so that value and gradient are its to the bit
    "CELU ELU GELU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid Mish ReLU ReLU6 SELU SiLU "
    "Softplus Softshrink Threshold Linear LayerNorm Conv2d MaxPool2d Embedding"
)


def test_every_class_of_torch_nn_has_a_sample() -> None:
    classes = [
        name for name, each in vars(nn).items() if isinstance(each, type) and issubclass(each, nn.Module)
    ]
    known = {name.split()[0] for name in SAMPLES} | set(WITHOUT_SAMPLES)
    assert [name for name in classes if name not in known] == []


@pytest.mark.parametrize("name", EXACT.split())
def test_layers_of_one_kernel_have_the_bits_of_pytorch(name: str) -> None:
    assert all(map(torch.equal, found(name, "hybrid"), expected(name)))


OFTEN = (
    "LSTM two layers, GRU two layers, RNN relu, LSTMCell without states, MultiheadAttention padded, RMSNorm, "
    "MultiheadAttention added, PReLU by channel, GLU, BCELoss, BCEWithLogitsLoss pos_weight, HuberLoss, "
    "CosineEmbeddingLoss, MultiLabelMarginLoss, TripletMarginLoss, GaussianNLLLoss, HingeEmbeddingLoss, "
    "EmbeddingBag sum, PixelShuffle, LocalResponseNorm, Bilinear, ParameterList, ParameterDict, LPPool2d, "
    "Transformer, TransformerEncoder in evaluation, AlphaDropout, FeatureAlphaDropout, RReLU, "
    "FractionalMaxPool2d, FractionalMaxPool3d"
)


@pytest.mark.parametrize("name", OFTEN.split(", "))
def test_layers_that_are_often_used(name: str) -> None:
    assert outcome(name, ENGINES[0]) in ("bits", "close")


@pytest.mark.long
def test_all_layers() -> None:
    for name, outcomes in survey(list(SAMPLES), ["c", "hybrid"], lambda line: None).items():
        for text in outcomes.values():
            if name in REFUSED:
                assert text.startswith(("refused: ", "fails: ")), (name, text)
                assert REFUSED[name] in text, (name, text)
            else:
                assert text in ("bits", "close"), (name, text)


class Tagger(nn.Module):  # type: ignore[misc]  # types of PyTorch are not read
    """Names, one by one, as a recurrence over characters in both directions."""

    def __init__(self) -> None:
        super().__init__()
        self.characters = nn.Embedding(9, 4)
        self.recurrence = nn.LSTM(4, 5, num_layers=2, batch_first=True, bidirectional=True)
        self.act = functional.hardswish
        self.head = nn.Linear(10, 3)

    def forward(self, text: Any) -> Any:
        states, _ = self.recurrence(self.characters(text))
        return self.head(self.act(states))


@pytest.mark.parametrize("schedule", ["plain", "bisection"])
def test_a_recurrent_model_with_a_function_as_an_attribute(schedule: str) -> None:
    torch.manual_seed(1)
    model, text, labels = Tagger(), torch.randint(0, 9, (2, 7)), torch.randint(0, 3, (14,))

    def loss(model: Any, text: Any, labels: Any) -> Any:
        return functional.cross_entropy(model(text).reshape(-1, 3), labels)

    value, gradient = checkpoint.value_and_grad(loss, schedule=schedule)(model, text, labels)
    expected = loss(model, text, labels)
    expected.backward()
    torch.testing.assert_close(value, expected.detach())
    mine = {name: parameter.detach() for name, parameter in gradient.named_parameters()}
    theirs = {name: parameter.grad for name, parameter in model.named_parameters()}
    torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5)


def test_running_statistics_of_instances_are_returned() -> None:
    torch.manual_seed(1)
    model, x = nn.InstanceNorm2d(3, track_running_stats=True), torch.randn(4, 3, 3, 3)
    before = copy.deepcopy(dict(model.named_buffers()))
    call = checkpoint.value_and_grad(lambda m, x: m(x).square().sum(), 1, has_state=True)
    (_, state), _ = call(model, x)
    assert all(torch.equal(buffer, before[name]) for name, buffer in model.named_buffers())
    model(x)
    torch.testing.assert_close(state.args[0].running_mean, model.running_mean)
    torch.testing.assert_close(state.args[0].running_var, model.running_var)


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: (nn.LSTM(3, 4), (torch.randn(5, 2, 4),)), "expected inputs of 3 features, not 4"),
        (lambda: (nn.GRUCell(3, 4), (torch.randn(2, 4),)), r"an input \(n, 3\)"),
        (lambda: (nn.RReLU(inplace=True), (torch.randn(2, 4),)), "inplace=True changes the input"),
        (lambda: (nn.BCELoss(), (torch.randn(9) * 3.0, torch.rand(9))), "probabilities, from 0 to 1"),
        (lambda: (nn.HuberLoss(delta=-1.0), (torch.randn(9), torch.rand(9))), "delta must be positive"),
        (lambda: (nn.Softshrink(-1.0), (torch.randn(9),)), "lambd must not be negative"),
        (lambda: (nn.PixelShuffle(2), (torch.randn(2, 3, 4, 4),)), "3 channels are not a multiple of 4"),
        (lambda: (nn.RMSNorm(3), (torch.randn(2, 4),)), r"normalized_shape \(3,\) is not the last axes"),
        (lambda: (nn.Sequential(nn.LazyLinear(3)), (torch.randn(2, 4),)), "run the module once on a sample"),
        (lambda: (nn.LazyBatchNorm1d(), (torch.randn(2, 4),)), "run the module once on a sample"),
        (lambda: (nn.ELU(inplace=True), (torch.randn(2, 4),)), "inplace=True changes the input"),
    ],
)
def test_errors(made: Any, says: str) -> None:
    module, inputs = made()
    with pytest.raises((ValueError, checkpoint.SourceError, checkpoint.RunError), match=says):
        checkpoint.grad(lambda m, *xs: m(*xs).sum(), 1)(module, *inputs)
