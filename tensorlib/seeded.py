"""The functions of np.random in programs that seed them, written in the language that is translated.

In: what np.random.seed and the functions that draw are passed. Out: the numbers that NumPy draws. Once a
program has called np.random.seed with a seed, the generator that these functions share is one of the run.
Before, its state is hidden, and what draws from it is refused. What a run leaves of it is lost, as of other
globals. Programs that seed nothing have none of these functions, so that they are refused where they stand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from checkpoint.errors import refusal
from checkpoint.prims.arrays import translated_beside
from tensorlib.generators import RandomState

SHARED: Any = None  # the generator, once it is seeded


class Shared(RandomState):
    """The generator; a program that knows this class seeds it, and so the class has a member."""

    is_shared = True


def seed(seed: Any = None) -> Any:
    """See np.random.seed; with a seed."""
    global SHARED  # noqa: PLW0603  # a cell of the run
    if seed is None:
        raise refusal("np.random.seed() without a seed is another state at each call: pass a seed")
    SHARED = Shared(seed)


def _shared() -> Any:
    """Return the generator; the run ends where nothing has seeded it."""
    if SHARED is None:
        raise refusal(
            "random numbers of a hidden state cannot be differentiated: call np.random.seed(0) before, or "
            "draw from a generator with a seed, rng = np.random.default_rng(0)"
        )
    return SHARED


def rand(*shape: Any) -> Any:
    """See np.random.rand."""
    return _shared().rand(*shape)


def randn(*shape: Any) -> Any:
    """See np.random.randn."""
    return _shared().randn(*shape)


def random(size: Any = None) -> Any:
    """See np.random.random and random_sample."""
    return _shared().random_sample(size)


def randint(low: Any, high: Any = None, size: Any = None) -> Any:
    """See np.random.randint."""
    return _shared().randint(low, high, size)


def choice(a: Any, size: Any = None, replace: Any = True, p: Any = None) -> Any:
    """See np.random.choice."""
    return _shared().choice(a, size, replace, p)


def permutation(x: Any) -> Any:
    """See np.random.permutation."""
    return _shared().permutation(x)


def shuffle(x: Any) -> Any:
    """See np.random.shuffle; it draws what `permutation` of as many draws."""
    order = _shared().permutation(len(x))
    x[:] = [x[i] for i in order] if isinstance(x, list) else x[order]


def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """See np.random.normal."""
    return _shared().normal(loc, scale, size)


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """See np.random.uniform."""
    return _shared().uniform(low, high, size)


def exponential(scale: Any = 1.0, size: Any = None) -> Any:
    """See np.random.exponential."""
    return _shared().exponential(scale, size)


def laplace(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """See np.random.laplace."""
    return _shared().laplace(loc, scale, size)


def standard_normal(size: Any = None) -> Any:
    """See np.random.standard_normal."""
    return _shared().standard_normal(size)


def poisson(lam: Any = 1.0, size: Any = None) -> Any:
    """See np.random.poisson."""
    return _shared().poisson(lam, size)


def binomial(n: Any, p: Any, size: Any = None) -> Any:
    """See np.random.binomial."""
    return _shared().binomial(n, p, size)


def gamma(shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
    """See np.random.gamma."""
    return _shared().gamma(shape, scale, size)


def beta(a: Any, b: Any, size: Any = None) -> Any:
    """See np.random.beta."""
    return _shared().beta(a, b, size)


def lognormal(mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    """See np.random.lognormal."""
    return _shared().lognormal(mean, sigma, size)


_DRAWING: tuple[Callable[..., Any], ...] = (
    *(rand, randn, random, randint, choice, permutation, shuffle, normal, uniform, exponential),
    *(laplace, standard_normal, poisson, binomial, gamma, beta, lognormal),
)

translated_beside(None, np.random.seed, seed)
translated_beside(Shared, np.random.random_sample, random)
for _each in _DRAWING:
    translated_beside(Shared, getattr(np.random, _each.__name__), _each, writes=_each is shuffle)
