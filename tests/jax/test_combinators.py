"""checkpoint.arrays beside JAX's own: associative_scan, segments, cumulative sums; and derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import checkpoint
from checkpoint import arrays

RNG = np.random.default_rng(0)
AT = np.array([2, 0, 2, 3, 0, 2, 3])


@pytest.fixture(autouse=True)
def _doubles() -> Iterator[None]:
    """Have JAX compute in 64 bits, as NumPy does."""
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def composed(f: Any, g: Any) -> Any:
    return f[0] * g[0], f[1] * g[0] + g[1]


def log_sum(xp: Any) -> Callable[[Any, Any], Any]:
    return lambda a, b: xp.maximum(a, b) + xp.log(1.0 + xp.exp(-xp.abs(a - b)))


PAIRS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "recurrence": (
        lambda x: np.sum(arrays.scan(composed, (x, 2.0 * x))[1] ** 2),
        lambda x: jnp.sum(jax.lax.associative_scan(composed, (x, 2.0 * x))[1] ** 2),
    ),
    "sums": (lambda x: np.sum(arrays.scan(np.add, x) ** 3), lambda x: jnp.sum(jnp.cumsum(x) ** 3)),
    "products": (
        lambda x: np.sum(arrays.scan(lambda a, b: a * b, x) ** 2),
        lambda x: jnp.sum(jnp.cumprod(x) ** 2),
    ),
    "greatest": (
        lambda x: np.sum(arrays.scan(np.maximum, x) ** 2),
        lambda x: jnp.sum(jax.lax.cummax(x) ** 2),
    ),
    "logarithms of sums": (
        lambda x: np.sum(arrays.scan(log_sum(np), x) ** 2),
        lambda x: jnp.sum(jax.lax.cumlogsumexp(x) ** 2),
    ),
    "products of segments": (
        lambda x: np.sum(arrays.reduce_by_index(lambda a, b: a * b, np.ones(4), AT, x) ** 2),
        lambda x: jnp.sum(jnp.exp(2.0 * jax.ops.segment_sum(jnp.log(x), AT, 4))),
    ),
    "sums of segments": (
        lambda x: np.sum(arrays.reduce_by_index(np.add, np.zeros(4), AT, x) ** 2),
        lambda x: jnp.sum(jax.ops.segment_sum(x, AT, 4) ** 2),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_values_and_gradients_are_those_of_jax(name: str) -> None:
    own, other = PAIRS[name]
    x = RNG.uniform(0.5, 1.5, 7)
    y, by = checkpoint.value_and_grad(own)(x)
    want, want_by = jax.value_and_grad(other)(jnp.asarray(x))
    assert np.isclose(y, want, rtol=1e-12)
    assert np.allclose(by, want_by, rtol=1e-11, atol=0.0)
