"""Functions of networks and tensors of a kind, as texts name them: as the Python functions."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import Bisection
from checkpoint.errors import RunError
from checkpoint.lang.tensors import KINDS
from tensorlib import networks, random
from tensorlib.special import log_softmax, softmax
from tests.support.corpus import usable_engines

pytestmark = pytest.mark.engines_in_turn

ENGINES = pytest.mark.parametrize("engine", [engine.name for engine in usable_engines()])
RNG = np.random.default_rng(3)
X, IMAGE, LINE = RNG.normal(size=(3, 4)), RNG.normal(size=(2, 4, 6, 4)), RNG.normal(size=(2, 4, 6))
W, V, B, T = [RNG.normal(size=s) for s in ((3, 4, 3, 2), (3, 2, 3), (3,), (4, 3, 2, 3))]
S, OFFSET, M = RNG.normal(size=4), RNG.normal(size=4), RNG.normal(size=4)
KEY = random.key(3)


def fused(t: Any) -> Any:
    shares = softmax(np.where(t > 0.3, -1e300, 0.5 * t), -1)
    return np.where(t > 0.3, 0.0, shares)


# A program of operands, these, and the Python function of the same.
FUNCTIONS: dict[str, tuple[tuple[Any, ...], Callable[..., Any]]] = {
    "(ReLU a)": ((X,), networks.relu),
    "(LeakyReLU a 0.2)": ((X,), lambda a: networks.leaky_relu(a, 0.2)),
    "(LeakyReLU a (tensor-ref b 0))": ((X, B), lambda a, b: networks.leaky_relu(a, b[0])),
    "(GeLU a)": ((X,), networks.gelu),
    "(sigmoid a)": ((X,), networks.sigmoid),
    "(softmax a 1)": ((X,), lambda a: softmax(a, 1)),
    "(log-softmax a 0)": ((X,), lambda a: log_softmax(a, 0)),
    "(fused-scale-mask-softmax a (> a 0.3) 0.5)": ((X,), fused),
    "(max-value a 1)": ((X,), lambda a: np.max(a, axis=1)),
    "(* a (index-of-max a 0))": ((X,), lambda a: a * np.argmax(a, axis=0)),
    "(convolve a b 1 1 1)": ((IMAGE, W), lambda a, b: networks.conv2d(a, b, padding=1)),
    "(convolve a b '(2 1) '(0 1) '(1 2))": (
        (IMAGE, W),
        lambda a, b: networks.conv2d(a, b, stride=(2, 1), padding=(0, 1), dilation=(1, 2)),
    ),
    "(convolve a (narrow b 1 0 2) 1 0 1)": (
        (IMAGE, RNG.normal(size=(6, 3, 2, 2))),
        lambda a, b: networks.conv2d(a, b[:, :2], groups=2),
    ),
    "(convolve-add-tied (narrow a 1 0 2) b c 2 1 1)": (
        (LINE, V, B),
        lambda a, b, c: networks.conv1d(a[:, :2], b, c, stride=2, padding=1),
    ),
    "(transpose-convolve a b 2 1 1)": (
        (IMAGE, T),
        lambda a, b: networks.conv_transpose2d(a, b, stride=2, padding=1),
    ),
    "(max-pool a 2 2 0)": ((IMAGE,), lambda a: networks.max_pool2d(a, 2)),
    "(max-pool a 3 1 1)": ((LINE,), lambda a: networks.max_pool1d(a, 3, 1, 1)),
    "(average-pool a '(3 2) '(2 1) '(1 0))": (
        (IMAGE,),
        lambda a: networks.avg_pool2d(a, (3, 2), (2, 1), (1, 0)),
    ),
    "(interpolate a 1.5)": ((IMAGE,), lambda a: networks.interpolate(a, scale_factor=1.5, mode="bilinear")),
    "(interpolate-to-size a '(3 7))": ((IMAGE,), lambda a: networks.interpolate(a, (3, 7), mode="bilinear")),
    "(interpolate-to-size a 4)": ((LINE,), lambda a: networks.interpolate(a, 4, mode="linear")),
    "(upsample-nearest a 2)": ((IMAGE,), lambda a: networks.interpolate(a, scale_factor=2)),
    "(downsample-nearest a 2)": ((IMAGE,), lambda a: a[:, :, ::2, ::2]),
    "(decimate a 3 3)": ((IMAGE,), lambda a: a[:, :, :, ::3]),
    "(car (batch-normalization-training a b c (initialize-batch-normalization 4)))": (
        (IMAGE, S, OFFSET),
        lambda a, b, c: networks.batch_norm_training(a, np.zeros(4), np.ones(4), b, c)[0],
    ),
    "(concat (second (batch-normalization-training a b b (list c (exp c)))) 0)": (
        (IMAGE, S, M),
        lambda a, b, c: np.concatenate(networks.batch_norm_training(a, c, np.exp(c), b, b)[1:]),
    ),
    "(batch-normalization-test a b c (list d (exp d)))": (
        (IMAGE, S, OFFSET, M),
        lambda a, b, c, d: networks.batch_norm(a, d, np.exp(d), b, c),
    ),
    "(layer-normalization a b c)": ((IMAGE, S, OFFSET), lambda a, b, c: networks.layer_norm(a, (4,), b, c)),
    "(embedding (list->tensor '((0 2) (1 2))) a)": (
        (X,),
        lambda a: networks.embedding(np.array([[0, 2], [1, 2]]), a),
    ),
    "(dropout a 0.4 (random-key 3))": ((X,), lambda a: networks.dropout(a, 0.4, KEY)),
    "(dropout a 1 (random-key 3))": ((X,), lambda a: networks.dropout(a, 1.0, KEY)),
    "(dropout-planewise a 0.5 (random-key 3))": ((LINE,), lambda a: networks.dropout_planes(a, 0.5, KEY)),
    "(* a (cross-entropy-loss a (list->tensor '(2 0 3))))": (
        (X,),
        lambda a: a * networks.cross_entropy(a, np.array([2, 0, 3])),
    ),
    "(* a (cross-entropy-loss (tensor-ref a 0) (index-of-max (tensor-ref a 1) 0)))": (
        (X,),
        lambda a: a * networks.cross_entropy(a[0], np.argmax(a[1])),
    ),
    "(narrow-tensor a 1 1 2)": ((X,), lambda a: a[:, 1:3]),
    "(expand-tensor a '(2 4))": ((S,), lambda a: np.broadcast_to(a, (2, 4))),
    "(concat-tensors (list a (* a a)) 1)": ((X,), lambda a: np.concatenate([a, a * a], 1)),
}


def python_vjp(function: Callable[..., Any], operands: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return the Python function's value and cotangents for the cosine of the value as cotangent."""
    y = np.asarray(function(*operands))
    return y, checkpoint.grad(
        lambda *x: np.sum(function(*x) * np.cos(y)), argnums=tuple(range(len(operands)))
    )(*operands)


@ENGINES
@pytest.mark.parametrize("text", FUNCTIONS)
def test_values_and_cotangents_are_those_of_the_python_functions(text: str, engine: str) -> None:
    operands, function = FUNCTIONS[text]
    y, gradient = python_vjp(function, operands)
    f = checkpoint.read(f"(lambda ((list {' '.join('abcd'[: len(operands)])})) {text})")
    for how in ("plain", Bisection(1)):
        found, given = checkpoint.vjp(f, list(operands), np.cos(y), engine=engine, schedule=how)
        np.testing.assert_allclose(found, y, rtol=1e-14, atol=1e-15)
        for mine, other in zip(given, gradient, strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("text", FUNCTIONS)
def test_tangents_agree_with_cotangents(text: str) -> None:
    operands, function = FUNCTIONS[text]
    y, gradient = python_vjp(function, operands)
    f = checkpoint.read(f"(lambda ((list {' '.join('abcd'[: len(operands)])})) {text})")
    along = [np.sin(1.0 + np.arange(x.size)).reshape(x.shape) for x in operands]
    _, tangent = checkpoint.jvp(f, list(operands), along)
    forward = np.sum(tangent * np.cos(y))
    reverse = sum([np.sum(g * t) for g, t in zip(gradient, along, strict=True)])
    np.testing.assert_allclose(forward, reverse, rtol=1e-9, atol=1e-12)


def test_reals() -> None:
    assert checkpoint.read("(list (ReLU -2) (ReLU 3) (sigmoid 0))") == [0.0, 3.0, 0.5]
    assert checkpoint.vjp(checkpoint.read("sigmoid"), 0.0) == (0.5, 0.25)
    assert checkpoint.read("(index-of-max (list->tensor '(1 4 2)) 0)") == 1.0


def test_attention_to_nothing_is_nothing() -> None:
    f = checkpoint.read("(lambda (t) (sumall (fused-scale-mask-softmax t (< t 9) 2)))")
    value, gradient = checkpoint.vjp(f, X)
    assert value == 0.0
    assert not gradient.any()


# Tensors of a kind

DTYPES = {"float": "f4", "double": "f8", "half": "f2", "byte": "u1", "int": "i4"}
HELD = [f"cpu-{name}" for name in DTYPES]


@pytest.mark.parametrize("kind", HELD)
def test_kinds(kind: str) -> None:
    dtype = np.dtype(DTYPES[kind.removeprefix("cpu-")])
    for text, wanted in (
        (f"({kind} (list->tensor '(1.5 2)))", np.array([1.5, 2.0]).astype(dtype)),
        (f"({kind} 2.5)", np.array(2.5).astype(dtype)),
        (f"(list->{kind}-tensor '((1 2) (3 4)))", np.array([[1, 2], [3, 4]], dtype)),
        (f"(fill-{kind} '(2 1) 3.5)", np.full((2, 1), 3.5).astype(dtype)),
    ):
        found = checkpoint.read(text)
        assert (found.dtype, found.shape) == (dtype, wanted.shape)
        np.testing.assert_array_equal(found, wanted)
    for other in KINDS:
        assert checkpoint.read(f"({other}-tensor? ({kind} 1))") is (other == kind)
        assert checkpoint.read(f"({other}-tensor? 1)") is False


@pytest.mark.parametrize("elements", ["float", "double", "half"])
def test_random_numbers_of_a_kind(elements: str) -> None:
    dtype = DTYPES[elements]
    drawn = random.standard_normal(KEY, (2, 3)).astype(dtype)
    np.testing.assert_array_equal(checkpoint.read(f"(randn-cpu-{elements} (random-key 3) '(2 3))"), drawn)
    f = checkpoint.read(f"(lambda ((list m d)) (normal-cpu-{elements} (random-key 3) 3 m d))")
    y, (mean, deviation) = checkpoint.vjp(f, [1.0, 2.0], np.ones(3, dtype))
    numbers = random.standard_normal(KEY, 3)
    np.testing.assert_array_equal(y, (1.0 + 2.0 * numbers).astype(dtype))
    assert (mean, deviation) == (3.0, pytest.approx(numbers.sum(), rel=1e-12))


@ENGINES
@pytest.mark.parametrize("elements", ["float", "double", "half"])
def test_conversions_are_differentiable(elements: str, engine: str) -> None:
    f = checkpoint.read(f"(lambda (t) (sumall (* (cpu-double (cpu-{elements} t)) (list->tensor '(1 2)))))")
    x = np.array([0.5, -1.25])
    assert checkpoint.vjp(f, x, engine=engine)[0] == -2.0
    np.testing.assert_array_equal(checkpoint.vjp(f, x, engine=engine)[1], [1.0, 2.0])
    assert checkpoint.jvp(f, x, np.array([1.0, 0.5]), engine=engine)[1] == 2.0


FAILING = {
    "(gpu-float (ones 2))": "gpu-float: there is no GPU here for arrays of CuPy or PyTorch; use cpu-float",
    "(fill-gpu-int 2 1)": "fill-gpu-int: there is no GPU here for arrays",
    "(randn-cpu-int (random-key 1) 2)": "normal numbers are no integers; convert them, (cpu-int t)",
    "(convolve (ones 3) (ones 3) 1 1 1)": (
        "operand 1 has 1 axes, not 3, 4 or 5: samples, channels, and one to three of places"
    ),
    "(convolve (ones '(1 2 4)) (ones '(3 2 5)) 1 0 1)": "larger than",
    "(convolve (ones '(1 2 4)) (ones '(3 3 3)) 1 0 1)": "convolution",
    "(convolve (ones '(1 2 4)) (ones '(3 2 3)) '(1 2) 0 1)": "a list of 1 of them, one for each axis",
    "(convolve (ones '(1 2 4)) 'a 1 0 1)": "operand 2 is neither a real nor a tensor",
    "(max-pool (ones '(1 2 4)) 5 1 0)": "windows of (5,) are larger than an input of shape (1, 2, 4)",
    "(average-pool (ones '(1 2 4)) 0 1 0)": "sizes are at least 1",
    "(downsample-nearest (ones '(1 1 3)) 2)": "places [3] are not all multiples of 2",
    "(decimate (ones 3) 1 2)": "there is no axis 1 in a tensor of 1 axes, which count from 0",
    "(decimate (ones 3) 0 0)": "every element number 0: a real of at least 1 is needed",
    "(softmax (ones 3) 1)": "there is no axis 1 in a tensor of 1 axes",
    "(layer-normalization (ones '(2 3)) (ones 2) (ones 2))": "shape (2,) is not the last axes",
    "(normalize-batch (ones '(2 3)) (ones 2) (ones 3))": "batch_norm",
    "(embedding (list->tensor '(0.5)) (ones '(2 2)))": "indices are whole numbers",
    "(embedding (list->tensor '(2)) (ones '(2 2)))": "index 2 is out of bounds",
    "(nll-loss (ones '(2 3)) (ones 3))": "takes targets of shape (2,), not (3,)",
    "(dropout (ones 2) 1.5 (random-key 1))": "dropout: the probability is between 0 and 1",
    "(interpolate (ones '(1 1 3)) 'a)": "operand 2 is not a real",
}


@ENGINES
@pytest.mark.parametrize("text", FAILING)
def test_messages(text: str, engine: str) -> None:
    with pytest.raises(RunError) as caught:
        checkpoint.read(text, engine=engine)
    assert FAILING[text] in str(caught.value)


@pytest.mark.parametrize("text", ["(cpu-bfloat16 (ones 2))", "(list->cpu-bfloat16-tensor '(1 2))"])
def test_what_numpy_lacks_where_pytorch_is_not_installed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint.read("(cpu-float (ones 2))")
    monkeypatch.setattr(importlib.import_module("tensorlib.language.kinds"), "find_spec", lambda name: None)
    with pytest.raises(RunError, match="NumPy has no bfloat16, and PyTorch, which has, is not installed"):
        checkpoint.read(text)
