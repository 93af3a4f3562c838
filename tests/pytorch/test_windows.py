"""Convolutions, pools, normalisation by batch and their kin: values and gradients beside PyTorch's.

On tensors they are PyTorch's kernels: bits are PyTorch's where no location has more than two contributions.
On NumPy's arrays they are our own, and differ in rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from checkpoint import Bisection, engines, grad, jvp, value_and_grad
from checkpoint.errors import CheckpointError
from tensorlib import networks, to
from tests.support.sampling import sample

pytestmark = pytest.mark.filterwarnings("ignore:Using padding='same'")  # PyTorch's own advice
ENGINES = pytest.mark.parametrize("engine", engines.usable())
Program = Callable[..., Any]
Shapes = tuple[tuple[int, ...], ...]

RUNNING = torch.tensor([0.1, -0.2, 0.3]), torch.tensor([0.5, 1.5, 1.0])


def batch(names: Any, x: Any, w: Any = None, b: Any = None, eps: float = 1e-5) -> Any:
    return names.batch_norm(x, None, None, w, b, training=True, eps=eps)


def by_running(names: Any, x: Any, w: Any, b: Any) -> Any:
    return names.batch_norm(x, as_other(RUNNING[0], x), as_other(RUNNING[1], x), w, b)


def as_other(statistic: Any, x: Any) -> Any:
    return to(statistic, x.dtype)


def instance(names: Any, x: Any, w: Any, b: Any, eps: float) -> Any:
    return names.instance_norm(x, weight=w, bias=b, eps=eps)


# By name: the function of torch.nn.functional, with its other arguments, and the shapes of tensors.
CASES: dict[str, tuple[Any, dict[str, Any], Shapes]] = {
    "conv1d": ("conv1d", {"stride": 2, "padding": 1}, ((2, 3, 8), (4, 3, 3), (4,))),
    "conv1d alone": ("conv1d", {}, ((3, 8), (4, 3, 3))),
    "conv2d": ("conv2d", {}, ((2, 3, 6, 5), (4, 3, 3, 3), (4,))),
    "conv2d odd": (
        "conv2d",
        {"stride": (2, 1), "padding": (0, 2), "dilation": (1, 2)},
        ((2, 3, 7, 5), (2, 3, 3, 2), (2,)),
    ),
    "conv2d groups": ("conv2d", {"groups": 2, "padding": 1}, ((2, 4, 5, 5), (6, 2, 3, 3))),
    "conv2d deep": ("conv2d", {"groups": 4}, ((1, 4, 5, 5), (4, 1, 3, 3), (4,))),
    "conv2d same": ("conv2d", {"padding": "same", "dilation": 2}, ((1, 2, 6, 5), (3, 2, 3, 2))),
    "conv2d even": ("conv2d", {"padding": "same"}, ((1, 2, 6, 5), (3, 2, 4, 2), (3,))),
    "conv2d valid": ("conv2d", {"padding": "valid"}, ((1, 2, 6, 5), (3, 2, 1, 1))),
    "conv3d": ("conv3d", {"stride": 2, "padding": 1}, ((1, 2, 4, 3, 5), (3, 2, 2, 3, 3), (3,))),
    "transpose1d": ("conv_transpose1d", {"stride": 2, "output_padding": 1}, ((2, 3, 4), (3, 2, 3), (2,))),
    "transpose2d": (
        "conv_transpose2d",
        {"stride": 2, "padding": 1, "groups": 2, "dilation": (1, 2)},
        ((2, 4, 3, 4), (4, 2, 3, 2), (4,)),
    ),
    "transpose3d": ("conv_transpose3d", {}, ((1, 2, 2, 3, 2), (2, 2, 2, 2, 2))),
    "max1d": ("max_pool1d", {"kernel_size": 3, "stride": 2, "padding": 1}, ((2, 3, 8),)),
    "max2d": ("max_pool2d", {"kernel_size": 2}, ((2, 3, 6, 5),)),
    "max2d odd": (
        "max_pool2d",
        {"kernel_size": (3, 2), "stride": 2, "padding": (1, 0), "dilation": (1, 2), "ceil_mode": True},
        ((3, 7, 8),),
    ),
    "max3d": ("max_pool3d", {"kernel_size": 2, "stride": 1}, ((1, 2, 3, 4, 3),)),
    "avg1d": ("avg_pool1d", {"kernel_size": 3, "stride": 2, "padding": 1}, ((2, 3, 8),)),
    "avg2d": ("avg_pool2d", {"kernel_size": 2}, ((2, 3, 6, 5),)),
    "avg2d odd": (
        "avg_pool2d",
        {"kernel_size": (3, 2), "stride": 2, "padding": 1, "ceil_mode": True, "count_include_pad": False},
        ((2, 3, 6, 5),),
    ),
    "avg2d divisor": ("avg_pool2d", {"kernel_size": 2, "divisor_override": 3}, ((2, 3, 6, 5),)),
    "avg3d": ("avg_pool3d", {"kernel_size": 2, "stride": (1, 2, 1), "ceil_mode": True}, ((1, 2, 3, 4, 3),)),
    "batch": (batch, {}, ((4, 3, 5),)),
    "batch weights": (batch, {"eps": 1e-3}, ((4, 3), (3,), (3,))),
    "batch test": (by_running, {}, ((4, 3, 2, 2), (3,), (3,))),
    "instance": ("instance_norm", {}, ((2, 3, 4, 2),)),
    "instance weights": (instance, {"eps": 1e-3}, ((2, 3, 4), (3,), (3,))),
    "adaptive1d": ("adaptive_avg_pool1d", {"output_size": 3}, ((2, 3, 7),)),
    "adaptive2d": ("adaptive_avg_pool2d", {"output_size": (3, None)}, ((2, 3, 7, 4),)),
    "adaptive one": ("adaptive_avg_pool2d", {"output_size": 1}, ((2, 3, 7, 4),)),
    "adaptive3d": ("adaptive_avg_pool3d", {"output_size": (2, 1, 3)}, ((2, 3, 3, 4, 2),)),
    "adaptive max1d": ("adaptive_max_pool1d", {"output_size": 3}, ((2, 3, 7),)),
    "adaptive max2d": ("adaptive_max_pool2d", {"output_size": (3, 2)}, ((3, 7, 4),)),
    "adaptive max3d": ("adaptive_max_pool3d", {"output_size": 2}, ((2, 3, 3, 4, 2),)),
    "nearest": ("interpolate", {"scale_factor": 2}, ((2, 3, 4, 3),)),
    "nearest exact": ("interpolate", {"size": (6, 5), "mode": "nearest-exact"}, ((1, 2, 4, 3),)),
    "area": ("interpolate", {"size": 3, "mode": "area"}, ((1, 2, 4),)),
    "linear": ("interpolate", {"scale_factor": 1.5, "mode": "linear"}, ((1, 2, 4),)),
    "bilinear": ("interpolate", {"size": (7, 2), "mode": "bilinear"}, ((1, 2, 4, 3),)),
    "corners": ("interpolate", {"size": (7, 2), "mode": "bilinear", "align_corners": True}, ((1, 2, 4, 3),)),
    "trilinear": ("interpolate", {"scale_factor": (2, 1, 3), "mode": "trilinear"}, ((1, 1, 2, 3, 2),)),
    "bicubic": ("interpolate", {"size": (7, 5), "mode": "bicubic"}, ((1, 2, 4, 3),)),
    "unfold": ("unfold", {"kernel_size": (2, 3), "padding": 1, "stride": (1, 2)}, ((2, 3, 4, 5),)),
    "unfold alone": ("unfold", {"kernel_size": 2, "dilation": 2}, ((3, 4, 5),)),
    "fold": ("fold", {"output_size": (4, 5), "kernel_size": 2, "stride": (2, 1)}, ((2, 12, 8),)),
    "pad": ("pad", {"pad": (1, 2, 0, 1), "value": 0.5}, ((2, 3, 4),)),
    "pad less": ("pad", {"pad": (-1, 2)}, ((2, 3, 4),)),
    "reflect": ("pad", {"pad": (2, 1, 1, 1), "mode": "reflect"}, ((1, 2, 3, 4),)),
    "replicate": ("pad", {"pad": (2, 1, 1, 4), "mode": "replicate"}, ((1, 2, 3, 4),)),
    "circular": ("pad", {"pad": (2, 4), "mode": "circular"}, ((1, 2, 4),)),
}
REPEATED = (
    "fold",
    "reflect",
    "replicate",
    "circular",
)  # elements with more than two contributions, in an order of our own
EVERY_CASE = pytest.mark.parametrize("name", CASES)
SOME_PAIRS = pytest.mark.parametrize(("name", "engine"), sample(product(CASES, engines.usable())))


def drawn(shapes: Shapes, dtype: torch.dtype) -> tuple[Tensor, ...]:
    generator = torch.Generator().manual_seed(len(shapes))
    return tuple([torch.randn(shape, dtype=dtype, generator=generator) for shape in shapes])


def of_tensors(name: str) -> Program:
    """Return the case as a program with a number as its result, in which every element counts otherwise."""
    function, named, _ = CASES[name]
    called = getattr(F, function) if isinstance(function, str) else partial(function, F)

    def total(*args: Tensor) -> Tensor:
        y = called(*args, **named)
        return (y * torch.cos(y + 0.3)).sum()

    return total


def of_arrays(name: str) -> Program:
    function, named, _ = CASES[name]
    called = getattr(networks, function) if isinstance(function, str) else partial(function, networks)

    def total(*args: Any) -> Any:
        y = called(*args, **named)
        return (y * np.cos(y + 0.3)).sum()

    return total


def theirs(f: Program, args: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    leaves = [x.clone().requires_grad_() for x in args]
    return tuple(torch.autograd.grad(f(*leaves), leaves))


@ENGINES
@EVERY_CASE
def test_on_tensors(name: str, engine: str) -> None:
    f, every = of_tensors(name), tuple(range(len(CASES[name][2])))
    for dtype in (torch.float64, torch.float32):
        args = drawn(CASES[name][2], dtype)
        value, gradient = value_and_grad(f, argnums=every, engine=engine)(*args)
        assert torch.equal(value, f(*args))
        for mine, other in zip(gradient, theirs(f, args), strict=True):
            assert mine.dtype == dtype
            assert torch.equal(mine, other) if name not in REPEATED else torch.allclose(mine, other)


@SOME_PAIRS
def test_on_arrays(name: str, engine: str) -> None:
    every = tuple(range(len(CASES[name][2])))
    for dtype, precision in ((torch.float64, 1e-11), (torch.float32, 1e-4)):
        args = drawn(CASES[name][2], dtype)
        f, arrays = of_arrays(name), [x.numpy() for x in args]
        value, gradient = value_and_grad(f, argnums=every, engine=engine)(*arrays)
        assert np.allclose(value, of_tensors(name)(*args), precision, precision)
        assert f(*arrays) == value
        for mine, other in zip(gradient, theirs(of_tensors(name), args), strict=True):
            assert mine.dtype == other.numpy().dtype
            assert np.allclose(mine, other, precision, precision)


@SOME_PAIRS
def test_schedules_agree_to_the_bit(name: str, engine: str) -> None:
    every = tuple(range(len(CASES[name][2])))
    args = drawn(CASES[name][2], torch.float32)
    for f, given in ((of_tensors(name), args), (of_arrays(name), [x.numpy() for x in args])):
        plain = grad(f, argnums=every, schedule="plain", engine="interp")(*given)
        for how in ({"schedule": Bisection(1)}, {"schedule": "plain"}):
            again = grad(f, argnums=every, engine=engine, **how)(*given)
            assert all(np.array_equal(one, other) for one, other in zip(again, plain, strict=True))


@EVERY_CASE
def test_second_derivatives(name: str) -> None:
    shapes = CASES[name][2]
    args, f = drawn(shapes, torch.float64), of_tensors(name)
    along = drawn((*shapes, ()), torch.float64)[:-1]
    every = tuple(range(len(shapes)))
    leaves = [x.clone().requires_grad_() for x in args]
    first = torch.autograd.grad(f(*leaves), leaves, create_graph=True)
    product = sum([(g * t).sum() for g, t in zip(first, along, strict=True)])
    expected = torch.autograd.grad(product, leaves)
    _, found = jvp(lambda packed: grad(f, argnums=every)(*packed), args, along)
    for mine, other in zip(found, expected, strict=True):
        assert torch.allclose(mine, other, 1e-9, 1e-9)
    given, same = (tuple([x.numpy() for x in args]), tuple([x.numpy() for x in along])), of_arrays(name)
    _, found = jvp(lambda packed: grad(same, argnums=every)(*packed), *given)
    for mine, other in zip(found, expected, strict=True):
        assert np.allclose(mine, other, 1e-9, 1e-9)


X, W = torch.ones(1, 2, 5, 5), torch.ones(3, 2, 3, 3)
WRONG: list[tuple[Callable[[Tensor], Tensor], str]] = [
    (lambda x: F.conv2d(x, W[:, :1]), "does not take the 2 channels"),
    (lambda x: F.conv2d(x, W, W[0, 0, 0, :2]), r"bias has shape"),
    (lambda x: F.conv2d(x, W, stride=2, padding="same"), "stride of 1"),
    (lambda x: F.conv2d(x[0, 0], W), "have not the same axes"),
    (lambda x: F.conv1d(x, W), "conv1d: an input has 2 or 3 axes, not 4"),
    (lambda x: F.conv_transpose1d(x, W), "conv_transpose1d: an input has 2 or 3 axes, not 4"),
    (lambda x: F.conv2d(x, W, dilation=3), "is larger than an input"),
    (lambda x: F.conv_transpose2d(x, W.transpose(0, 1), output_padding=1), "output_padding is smaller"),
    (lambda x: F.max_unpool2d(x, torch.full(x.shape, 300), 2), "a place is not within planes"),
    (lambda x: F.max_pool2d(x, 6), "windows of .* are larger"),
    (lambda x: F.avg_pool2d(x, 2, padding=2), "at most half"),
    (lambda x: F.interpolate(x, scale_factor=1.3), "no whole number"),
    (lambda x: F.interpolate(x, 3, mode="trilinear"), "mode 'trilinear' does not take 2 sizes"),
    (lambda x: F.unfold(x, 7), "no windows of"),
    (lambda x: F.fold(x[0], 4, 2), r"are not \(n, channels"),
    (lambda x: F.interpolate(x, 3, 2), "takes size or scale_factor"),
    (lambda x: F.pad(x, (1, 1), mode="mirror"), "not 'mirror'"),
    (lambda x: F.pad(x, (5, 0), mode="reflect"), "more than axis 3 has"),
    (lambda x: F.pad(x, (1,)), "not pairs"),
]


@ENGINES
@pytest.mark.parametrize(("f", "text"), WRONG, ids=[text[:20] for _, text in WRONG])
def test_errors(engine: str, f: Callable[[Tensor], Tensor], text: str) -> None:
    with pytest.raises((ValueError, CheckpointError), match=text):
        grad(lambda x: f(x).sum(), engine=engine)(X)
