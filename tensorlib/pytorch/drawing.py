"""What PyTorch draws from its generators, for programs to be translated with: numbers, noise, dropout.

Each draws from the state of the generators, which is an operand (checkpoint.prims.arrays_drawing). So the
numbers are PyTorch's under the same seed, the generators are left where PyTorch leaves them, and a run that
is interrupted, or run again for its derivative, draws the same. The numbers are constants, as they are to
PyTorch. A generator of the caller's own is no operand, and is refused.
"""
# PyTorch's names

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from checkpoint.errors import refusal
from checkpoint.prims.arrays import prim
from checkpoint.prims.arrays_drawing import drawing_from
from tensorlib.pytorch.networks import _IN_PLACE, leaky_relu
from tensorlib.rules import discrete
from tensorlib.special import softmax

# Numbers

_OWN = (
    "generator= is a state that no program sees: leave it out, which draws from PyTorch's own generator, "
    "seeded by torch.manual_seed outside of the function; or draw outside, and pass the numbers"
)


def _drawn(xp: Any, name: str, arguments: Any, dtype: Any, device: Any, state: Any) -> Any:
    options = {} if dtype is None and device is None else {"dtype": dtype, "device": device}
    with torch.no_grad(), drawing_from(state, is_first=True):
        return getattr(torch, name)(*arguments, **options)


discrete(
    "torch.drawn",
    _drawn,
    5,
    shape="a name of PyTorch, and what its function takes",
    samples=lambda rng: [],  # tests/pytorch/test_drawing.py: NumPy draws other numbers
)


def _filled(xp: Any, x: Any, name: str, arguments: Any, state: Any) -> Any:
    made = torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=x.device)
    with torch.no_grad(), drawing_from(state, is_first=True):
        return getattr(made, name)(*arguments)


discrete(
    "torch.filled",
    _filled,
    4,
    shape="that of the first operand",
    samples=lambda rng: [],  # as above
)


def _of_size(name: Any, size: Any, sizes: Any, dtype: Any, device: Any, generator: Any) -> Any:
    if generator is not None:
        raise refusal(_OWN)
    if size is None:
        size = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], tuple | list) else sizes
    return prim("torch.drawn", name, (tuple(size),), dtype, device, prim("torch.random-state"))


def rand(
    *sizes: Any,
    size: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: Any = False,
    generator: Any = None,
) -> Any:
    return _of_size("rand", size, sizes, dtype, device, generator)


def randn(
    *sizes: Any,
    size: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: Any = False,
    generator: Any = None,
) -> Any:
    return _of_size("randn", size, sizes, dtype, device, generator)


def _numbers(name: Any, arguments: Any, generator: Any, dtype: Any = None, device: Any = None) -> Any:
    if generator is not None:
        raise refusal(_OWN)
    return prim("torch.drawn", name, arguments, dtype, device, prim("torch.random-state"))


def rand_like(input: Any, *, dtype: Any = None, device: Any = None, requires_grad: Any = False) -> Any:
    return _numbers("rand_like", (input,), None, dtype, device)


def randn_like(input: Any, *, dtype: Any = None, device: Any = None, requires_grad: Any = False) -> Any:
    return _numbers("randn_like", (input,), None, dtype, device)


def randint(
    low: Any = 0,
    high: Any = None,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: Any = False,
    generator: Any = None,
) -> Any:
    if size is None:  # (high, size)
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    return _numbers("randint", (low, high, tuple(size)), generator, dtype, device)


def randint_like(input: Any, low: Any, high: Any = None, *, dtype: Any = None, device: Any = None) -> Any:
    bounds = (0, low) if high is None else (low, high)
    return _numbers("randint_like", (input, *bounds), None, dtype, device)


def randperm(
    n: Any, *, dtype: Any = None, device: Any = None, requires_grad: Any = False, generator: Any = None
) -> Any:
    return _numbers("randperm", (n,), generator, dtype, device)


def bernoulli(input: Any, p: Any = None, *, generator: Any = None) -> Any:
    return _numbers("bernoulli", (input,) if p is None else (input, p), generator)


def multinomial(input: Any, num_samples: Any, replacement: Any = False, *, generator: Any = None) -> Any:
    return _numbers("multinomial", (input, num_samples, replacement), generator)


def poisson(input: Any, generator: Any = None) -> Any:
    return _numbers("poisson", (input,), generator)


def normal(
    mean: Any = 0.0,
    std: Any = 1.0,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    generator: Any = None,
) -> Any:
    if size is None:
        return _numbers("normal", (mean, std), generator)
    return _numbers("normal", (mean, std, tuple(size)), generator, dtype, device)


NAMES = "rand randn rand_like randn_like randint randint_like randperm bernoulli multinomial poisson normal"


# Methods that fill a tensor: x.normal_(0.0, 0.1), as x[...] = what this returns


def normal_(self: Any, mean: Any = 0.0, std: Any = 1.0, *, generator: Any = None) -> Any:
    return _filling(self, "normal_", (mean, std), generator)


def uniform_(self: Any, from_: Any = 0.0, to: Any = 1.0, *, generator: Any = None) -> Any:
    return _filling(self, "uniform_", (from_, to), generator)


def bernoulli_(self: Any, p: Any = 0.5, *, generator: Any = None) -> Any:
    return _filling(self, "bernoulli_", (p,), generator)


def exponential_(self: Any, lambd: Any = 1.0, *, generator: Any = None) -> Any:
    return _filling(self, "exponential_", (lambd,), generator)


def random_(self: Any, *bounds: Any, generator: Any = None) -> Any:
    return _filling(self, "random_", bounds, generator)


def _filling(x: Any, name: Any, arguments: Any, generator: Any) -> Any:
    if generator is not None:
        raise refusal(_OWN)
    return prim("torch.filled", x, name, arguments, prim("torch.random-state"))


FILLING = "normal_ uniform_ bernoulli_ exponential_ random_"


# Dropout


_DROPPING = {
    "dropout": torch.nn.functional.dropout,
    "dropout1d": torch.nn.functional.dropout1d,
    "dropout2d": torch.nn.functional.dropout2d,
    "dropout3d": torch.nn.functional.dropout3d,
}
_ALPHA = {
    "alpha_dropout": torch.nn.functional.alpha_dropout,
    "feature_alpha_dropout": torch.nn.functional.feature_alpha_dropout,
}


def _factors(xp: Any, x: Any, name: str, p: float, state: Any) -> Any:
    """Return what dropout multiplies by: the same elements are dropped of ones, in the same order."""
    with torch.no_grad(), drawing_from(state, is_first=True):
        return _DROPPING[name](torch.ones_like(x), p, True)


discrete(
    "torch.dropout-factors",
    _factors,
    4,
    shape="that of the first operand",
    samples=lambda rng: [],  # tests/pytorch/test_dropout.py: NumPy's arrays are not dropped so
)


def _factors_and_shift(xp: Any, x: Any, name: str, p: float, state: Any) -> Any:
    """Return what alpha dropout multiplies by, and what it adds: its derivative, and its value of zeros."""
    zeros = torch.zeros_like(x, requires_grad=True)
    with torch.enable_grad(), drawing_from(state, is_first=True):
        y = _ALPHA[name](zeros, p, True)
        (factors,) = torch.autograd.grad(y, zeros, torch.ones_like(y))
    return factors, y.detach()


discrete(
    "torch.alpha-dropout-factors",
    _factors_and_shift,
    4,
    shape="two of that of the first operand",
    samples=lambda rng: [],  # as above
)


def _slopes(xp: Any, x: Any, lower: float, upper: float, state: Any) -> Any:
    """Return what a randomised ReLU multiplies by: a slope that is drawn where x is not positive, else 1.

    In half precision PyTorch multiplies by the slopes before they are rounded, and so differs by a rounding.
    """
    slopes = torch.empty_like(x, memory_format=torch.contiguous_format)
    with torch.no_grad(), drawing_from(state, is_first=True):
        torch.ops.aten.rrelu_with_noise(x, slopes, lower, upper, True)
    return slopes


discrete(
    "torch.rrelu-slopes",
    _slopes,
    4,
    shape="that of the first operand",
    samples=lambda rng: [],  # as above
)


def _dropped(input: Any, name: Any, p: Any, inplace: Any) -> Any:
    if inplace:
        raise refusal(_IN_PLACE)
    return input * prim("torch.dropout-factors", input, name, p, prim("torch.random-state"))


def dropout(input: Any, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Any:
    return _dropped(input, "dropout", p, inplace) if training and p != 0.0 else input


def dropout1d(input: Any, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Any:
    return _dropped(input, "dropout1d", p, inplace) if training and p != 0.0 else input


def dropout2d(input: Any, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Any:
    return _dropped(input, "dropout2d", p, inplace) if training and p != 0.0 else input


def dropout3d(input: Any, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Any:
    return _dropped(input, "dropout3d", p, inplace) if training and p != 0.0 else input


def _alpha_dropped(input: Any, name: Any, p: Any, inplace: Any) -> Any:
    if inplace:
        raise refusal(_IN_PLACE)
    state = prim("torch.random-state")
    factors, shift = prim("torch.alpha-dropout-factors", input, name, p, state)
    return input * factors if p == 1.0 else input * factors + shift


def alpha_dropout(input: Any, p: Any = 0.5, training: Any = False, inplace: Any = False) -> Any:
    return _alpha_dropped(input, "alpha_dropout", p, inplace) if training and p != 0.0 else input


def feature_alpha_dropout(input: Any, p: Any = 0.5, training: Any = False, inplace: Any = False) -> Any:
    return _alpha_dropped(input, "feature_alpha_dropout", p, inplace) if training and p != 0.0 else input


def rrelu(
    input: Any, lower: Any = 1.0 / 8, upper: Any = 1.0 / 3, training: Any = False, inplace: Any = False
) -> Any:
    if not training:
        return leaky_relu(input, (lower + upper) / 2.0, inplace)
    if inplace:
        raise refusal(_IN_PLACE)
    return input * prim("torch.rrelu-slopes", input, lower, upper, prim("torch.random-state"))


def gumbel_softmax(logits: Any, tau: Any = 1, hard: Any = False, eps: Any = 1e-10, dim: Any = -1) -> Any:
    empty = torch.zeros(logits.shape, dtype=logits.dtype, device=logits.device)
    noise = prim("torch.filled", empty, "exponential_", (), prim("torch.random-state"))
    soft = softmax((logits - np.log(noise)) / tau, dim)
    if not hard:
        return soft
    chosen = torch.zeros_like(soft).scatter(dim, np.argmax(soft, axis=dim, keepdims=True), 1.0)
    return chosen - soft.detach() + soft


def fractional_max_pool2d(
    input: Any,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: Any = False,
    _random_samples: Any = None,
) -> Any:
    sizes = _pooled_sizes(input, output_size, output_ratio, 2)
    places = _places(input, 2) if _random_samples is None else _random_samples
    found = torch._C._nn.fractional_max_pool2d(input, kernel_size, sizes, places)
    return found if return_indices else found[0]


def fractional_max_pool3d(
    input: Any,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: Any = False,
    _random_samples: Any = None,
) -> Any:
    sizes = _pooled_sizes(input, output_size, output_ratio, 3)
    places = _places(input, 3) if _random_samples is None else _random_samples
    found = torch._C._nn.fractional_max_pool3d(input, kernel_size, sizes, places)
    return found if return_indices else found[0]


def _pooled_sizes(input: Any, sizes: Any, ratios: Any, axes: Any) -> Any:
    if sizes is not None:
        return [sizes] * axes if isinstance(sizes, int) else list(sizes)
    if ratios is None:
        raise ValueError("fractional max pooling takes output_size or output_ratio")
    each = [ratios] * axes if isinstance(ratios, float) else list(ratios)
    return [int(n * ratio) for n, ratio in zip(input.shape[-axes:], each, strict=True)]


def _places(input: Any, axes: Any) -> Any:
    count = 1 if len(input.shape) == axes + 1 else input.shape[0]
    return torch.rand(count, input.shape[-axes - 1], axes, dtype=input.dtype, device=input.device)


NETWORKS = (
    "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout rrelu gumbel_softmax "
    "fractional_max_pool2d fractional_max_pool3d"
)
