"""torch.nn.functional in programs: values and gradients are PyTorch's, to the second order; errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from checkpoint import Bisection, engines, grad, jvp, value_and_grad
from checkpoint.errors import CheckpointError
from tensorlib import networks

ENGINES = pytest.mark.parametrize("engine", engines.usable())
DTYPES = {"float64": (torch.float64, 1e-12), "float32": (torch.float32, 1e-5)}
LABELS, OTHERS = torch.tensor([2, 0, -100, 1]), torch.tensor([[2, 0], [1, 1], [0, 2], [2, 2]])
TOKENS = torch.tensor([[4, 1, 1], [0, 2, 4]])
KEEP = torch.tensor([[True, False, True], [True, True, False], [False, True, True]])

NONE = torch.tensor([[True, False, True], [False, False, False], [True, True, True]])


def draw(dtype: torch.dtype, *shapes: tuple[int, ...]) -> tuple[Tensor, ...]:
    generator = torch.Generator().manual_seed(len(shapes))
    return tuple([torch.randn(shape, dtype=dtype, generator=generator) for shape in shapes])


def activations(x: Tensor) -> Tensor:
    y = F.relu(x) + F.leaky_relu(x, 0.2) * F.silu(x) + F.gelu(x) - F.gelu(x, approximate="tanh")
    return y + F.softplus(x, beta=2.0) * torch.sigmoid(x) + F.sigmoid(-x) * x.sigmoid() + torch.erf(x)


def softmaxes(x: Tensor) -> Tensor:
    return F.softmax(x, dim=-1) * F.log_softmax(x, 1) + torch.softmax(x, dim=0) * x.log_softmax(0)


def layer(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return F.layer_norm(x, (3,), w, b) * F.layer_norm(x, x.shape) + F.layer_norm(x, [3], weight=w, eps=1e-3)


def groups(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return F.group_norm(x, 2, w, b) * F.group_norm(x, 4) + F.group_norm(x, num_groups=1, bias=b)


def dense(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return F.linear(F.linear(x, w, b), w.T) * F.linear(x[0, 0], w).sum()


def tokens(w: Tensor) -> Tensor:
    return F.embedding(TOKENS, w) * F.embedding(TOKENS, w * w, padding_idx=1)


def entropies(x: Tensor, w: Tensor) -> Tensor:
    y = F.cross_entropy(x, LABELS) + F.cross_entropy(x, LABELS, weight=(w * w).detach(), reduction="sum")
    y = y * w.sum() + F.cross_entropy(x, LABELS, label_smoothing=0.1) + F.cross_entropy(x, F.softmax(-x, 1))
    return y + (F.nll_loss(x, LABELS, reduction="none") * x[:, 0]).sum() + F.cross_entropy(x[0], LABELS[0])


def pictures(x: Tensor) -> Tensor:
    return F.cross_entropy(x, OTHERS) + F.cross_entropy(x, OTHERS, reduction="none").square().sum()


def squares(x: Tensor, w: Tensor) -> Tensor:
    return F.mse_loss(x, w) + F.mse_loss(x, w, reduction="sum") * F.mse_loss(x * w, w, reduction="none")


def attends(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    whole = F.scaled_dot_product_attention(q, k, v) + F.scaled_dot_product_attention(q, k, v, KEEP)
    return whole * F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.3)


def attends_to_none(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The second position attends to none: its result and all derivatives through it are 0."""
    return F.scaled_dot_product_attention(q, k, v, NONE)


def biased(q: Tensor, k: Tensor, mask: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, k, attn_mask=mask)


PROGRAMS: dict[str, tuple[Callable[..., Tensor], tuple[tuple[int, ...], ...]]] = {
    "activations": (activations, ((3, 4),)),
    "softmaxes": (softmaxes, ((3, 4),)),
    "layer": (layer, ((4, 2, 3), (3,), (3,))),
    "groups": (groups, ((2, 4, 3), (4,), (4,))),
    "dense": (dense, ((2, 3, 4), (5, 4), (5,))),
    "tokens": (tokens, ((5, 2),)),
    "entropies": (entropies, ((4, 3), (3,))),
    "pictures": (pictures, ((4, 3, 2),)),
    "squares": (squares, ((2, 3), (2, 3))),
    "attends": (attends, ((2, 2, 3, 4),) * 3),
    "attends_to_none": (attends_to_none, ((2, 2, 3, 4),) * 3),
    "biased": (biased, ((2, 3, 4), (2, 3, 4), (3, 3))),
}


def weighed(f: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return the program with a number as its result, in which every element counts otherwise."""

    def total(*args: Tensor) -> Tensor:
        y = f(*args)
        return (y * torch.cos(y + 0.3)).sum()

    return total


def theirs(f: Callable[..., Tensor], args: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    leaves = [x.clone().requires_grad_() for x in args]
    return tuple(torch.autograd.grad(f(*leaves), leaves))


@ENGINES
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_gradients_are_those_of_pytorch(name: str, dtype: str, engine: str) -> None:
    (f, shapes), (kind, precision) = PROGRAMS[name], DTYPES[dtype]
    args, program = draw(kind, *shapes), weighed(f)
    value, gradient = value_and_grad(program, argnums=tuple(range(len(args))), engine=engine)(*args)
    assert torch.allclose(value, program(*args), precision, precision)
    for mine, other in zip(gradient, theirs(program, args), strict=True):
        assert (mine.dtype, mine.shape) == (other.dtype, other.shape)
        assert torch.allclose(mine, other, 10 * precision, 10 * precision)


@ENGINES
@pytest.mark.parametrize("name", PROGRAMS)
def test_each_argument_alone_has_its_gradient(name: str, engine: str) -> None:
    f, shapes = PROGRAMS[name]
    args, program = draw(torch.float64, *shapes), weighed(f)
    for position, expected in enumerate(theirs(program, args)):
        found = grad(program, argnums=position, engine=engine)(*args)
        assert torch.allclose(found, expected, 1e-11, 1e-11)


@ENGINES
@pytest.mark.parametrize("name", PROGRAMS)
def test_schedules_agree_to_the_bit(name: str, engine: str) -> None:
    f, shapes = PROGRAMS[name]
    args, program = draw(torch.float32, *shapes), weighed(f)
    every = tuple(range(len(args)))
    plain = grad(program, argnums=every, schedule="plain", engine="interp")(*args)
    for how in ({"schedule": Bisection(1)}, {"memory": 100_000}, {"schedule": "plain"}):
        again = grad(program, argnums=every, engine=engine, **how)(*args)
        assert all(map(torch.equal, again, plain)), how


@pytest.mark.parametrize("name", PROGRAMS)
def test_second_derivatives(name: str) -> None:
    """The tangent of the gradient is PyTorch's gradient of the gradient's product with it."""
    f, shapes = PROGRAMS[name]
    args, program = draw(torch.float64, *shapes), weighed(f)
    along = draw(torch.float64, *shapes, ())[:-1]
    every = tuple(range(len(args)))
    _, found = jvp(lambda packed: grad(program, argnums=every)(*packed), args, along)
    leaves = [x.clone().requires_grad_() for x in args]
    first: Any = None
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        first = torch.autograd.grad(program(*leaves), leaves, create_graph=True)
        product = sum([(g * t).sum() for g, t in zip(first, along, strict=True)])
        expected = torch.autograd.grad(product, leaves, allow_unused=True)
    for mine, other, like in zip(found, expected, args, strict=True):
        wanted = torch.zeros_like(like) if other is None else other
        assert torch.allclose(mine, wanted, 1e-9, 1e-9)


def of_one_kernel(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return F.layer_norm(F.gelu(F.linear(x, w, b)), (5,)).sum()


@ENGINES
def test_gradients_have_the_bits_of_pytorch_where_the_kernels_are_the_same(engine: str) -> None:
    for dtype, _ in DTYPES.values():
        args = draw(dtype, (8, 4), (5, 4), (5,))
        value, gradient = value_and_grad(of_one_kernel, argnums=(0, 1, 2), engine=engine)(*args)
        assert torch.equal(value, of_one_kernel(*args))
        assert all(map(torch.equal, gradient, theirs(of_one_kernel, args)))


def of_arrays(x: Any, w: Any, b: Any, labels: Any) -> Any:
    h = networks.layer_norm(networks.linear(x, w, b), (5,))
    h = networks.group_norm(networks.silu(h) + networks.relu(h), 5) + networks.softplus(networks.gelu(h))
    h = networks.scaled_dot_product_attention(h, h, h, is_causal=True) + networks.leaky_relu(h)
    h = h + networks.mse_loss(h, networks.sigmoid(h)) * networks.embedding(labels, w.T @ w)[:, :1]
    return networks.cross_entropy(h, labels, label_smoothing=0.1, ignore_index=1)


def of_tensors(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    h = F.layer_norm(F.linear(x, w, b), (5,))
    h = F.group_norm(F.silu(h) + F.relu(h), 5) + F.softplus(F.gelu(h))
    h = F.scaled_dot_product_attention(h, h, h, is_causal=True) + F.leaky_relu(h)
    h = h + F.mse_loss(h, F.sigmoid(h)) * F.embedding(OTHERS[:, 0], w.T @ w)[:, :1]
    return F.cross_entropy(h, OTHERS[:, 0], label_smoothing=0.1, ignore_index=1)


@ENGINES
def test_the_functions_on_arrays_of_numpy_are_those_of_pytorch(engine: str) -> None:
    args = draw(torch.float64, (4, 4), (5, 4), (5,))
    arrays = [*[x.numpy() for x in args], OTHERS[:, 0].numpy()]
    assert np.allclose(of_arrays(*arrays), of_tensors(*args), 1e-12, 1e-12)
    _, gradient = value_and_grad(of_arrays, argnums=(0, 1, 2), engine=engine)(*arrays)
    for mine, other in zip(gradient, theirs(of_tensors, args), strict=True):
        assert np.allclose(mine, other, 1e-11, 1e-11)


X = torch.ones(4, 3)
WRONG: list[tuple[Callable[[Tensor], Tensor], str]] = [
    (lambda x: F.layer_norm(x, (4,)), r"normalized_shape \(4,\) is not the last axes"),
    (lambda x: F.layer_norm(x, (3,), x[0, :2]), r"weight has shape \(2,\), not \(3,\)"),
    (lambda x: F.group_norm(x, 2), "are not 2 equal groups"),
    (lambda x: F.linear(x, x.T), r"weights of shape \(3, 4\) take"),
    (lambda x: F.embedding(x, x), "embedding takes an array of integers"),
    (lambda x: F.mse_loss(x, x, reduction="men"), 'reduction must be "mean", "sum" or "none"'),
    (lambda x: F.mse_loss(x, x, size_average=True), "size_average and reduce"),
    (lambda x: F.nll_loss(x, LABELS[:3]), r"takes targets of shape \(4,\), not \(3,\)"),
    (lambda x: F.gelu(x, approximate="no"), "approximate"),
    (lambda x: F.relu(x, inplace=True), "inplace=True changes the input"),
    (lambda x: F.softmax(x.abs()), "pass dim"),
    (lambda x: F.scaled_dot_product_attention(x, x[:, :2], x), r"not of shapes \(4, 3\), \(4, 2\), \(4, 3\)"),
    (lambda x: F.embedding(LABELS.abs() % 4, x, max_norm=1.0), "max_norm, scale_grad_by_freq and sparse"),
]


@ENGINES
@pytest.mark.parametrize(("f", "text"), WRONG, ids=[text[:20] for _, text in WRONG])
def test_errors(engine: str, f: Callable[[Tensor], Tensor], text: str) -> None:
    with pytest.raises((ValueError, TypeError, RuntimeError, CheckpointError), match=text):
        grad(lambda x: f(x).sum(), engine=engine)(X)


def of_parameters(x: Tensor, w: Tensor, p: float) -> Tensor:
    y = F.layer_norm(x, (3,), eps=p) * F.leaky_relu(x, p) + F.softplus(x, beta=p)
    z = F.group_norm(x, 1, w, eps=p).sum() + F.scaled_dot_product_attention(x, x, x, scale=p).square().sum()
    return y.square().sum() + z + F.cross_entropy(x, LABELS, weight=w * w) * F.mse_loss(x, 2.0 * x)


@ENGINES
def test_numbers_and_weights_of_classes_are_differentiated(engine: str) -> None:
    x, w = draw(torch.float64, (4, 3), (3,))
    value, (by_w, by_p) = value_and_grad(of_parameters, argnums=(1, 2), engine=engine)(x, w, 0.5)
    assert torch.allclose(value, of_parameters(x, w, 0.5))
    near = [of_parameters(x, w, 0.5 + step) for step in (1e-6, -1e-6)]
    assert abs((near[0] - near[1]) / 2e-6 - by_p) < 1e-5
    for i in range(3):
        e = torch.zeros(3, dtype=torch.float64)
        e[i] = 1e-6
        near = [of_parameters(x, each, 0.5) for each in (w + e, w - e)]
        assert abs((near[0] - near[1]) / 2e-6 - by_w[i]) < 1e-5
