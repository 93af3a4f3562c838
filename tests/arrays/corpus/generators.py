"""Generators of random numbers with a seed, made in the function: NumPy's bits, wherever a run is cut."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.arrays.corpus import Example, filled


def scattered(x: Any) -> Any:
    """Normally distributed numbers around x; their scale depends on x."""
    rng = np.random.default_rng(7)
    return rng.normal(x, 1.0 + x[0] ** 2) + rng.laplace(x[1], 2.0, size=(2, 1))


def in_a_loop(x: Any, steps: int) -> Any:
    """A generator whose state changes with each turn."""
    rng = np.random.default_rng(3)
    total = 0.0
    for _ in range(steps):
        total = total + np.sum(x * rng.standard_normal(len(x))) * rng.random() + rng.integers(0, 9)
    return total


def _noise(rng: Any, scale: Any) -> Any:
    return rng.normal(scale=scale) + rng.uniform(-scale, scale)


def shared(x: Any) -> Any:
    """A function that draws from the generator of its caller."""
    rng = np.random.default_rng(5)
    first = _noise(rng, x[0])
    again = rng
    return first + _noise(again, x[1]) * rng.exponential(2.5)


def chosen(x: Any) -> Any:
    """Rows in another order, some rows, with probabilities."""
    rng = np.random.default_rng(11)
    order = rng.permutation(len(x))
    some = rng.choice(x, size=3, replace=False)
    weighted = rng.choice(3, p=[0.2, 0.3, 0.5])
    return (
        x[order] * np.arange(len(x)) + np.sum(some) * (1 + weighted) + rng.binomial(5, 0.5) * rng.poisson(3.0)
    )


def legacy(x: Any) -> Any:
    """The generator of old."""
    rng = np.random.RandomState(42)
    values = rng.randn(len(x)) * x + rng.rand(len(x)) + rng.normal(x[0], 2.0) + rng.randint(5)
    return values + rng.uniform(x[1], 3.0, size=len(x)) * rng.gumbel(0.5, 2.0)


class Batches:
    """The samples of each epoch in another order, as a loader of mini-batches gives them."""

    def __init__(self, count: int) -> None:
        self.order, self.rng = np.arange(count), np.random.default_rng(3)

    def __iter__(self) -> Any:
        self.rng.shuffle(self.order)
        for i in range(0, len(self.order), 2):
            yield self.order[i : i + 2]


def shuffled(x: Any) -> Any:
    """Lists, arrays, rows of arrays and attributes, in place."""
    rng, legacy = np.random.default_rng(0), np.random.RandomState(3)
    items, scaled, rows, batches = [x[0], x[1], 5.0], 2.0 * x, np.outer(x, x), Batches(len(x))
    for each in (rng, legacy):
        each.shuffle(items)
        each.shuffle(scaled)
        each.shuffle(rows)
    total = 0.5
    for _ in range(2):
        for batch in batches:
            total -= 0.1 * np.mean(x[batch] * total)
    return items, scaled, rows, total, rng.normal()


KINDS = (int, np.random.Generator)


def from_a_sequence(x: Any) -> Any:
    """A generator of bits that two generators share; what they are instances of."""
    bits = np.random.PCG64(np.random.SeedSequence(5))
    rng, other = np.random.Generator(bits), np.random.default_rng(bits)
    sequence: Any = np.random.SeedSequence(7)
    values = rng.normal(x[0], 1.0, 3) + other.uniform(0.0, x[1], 3) + sequence.entropy
    is_one = isinstance(rng, np.random.Generator), isinstance(rng, KINDS), isinstance(rng, list)
    return values * x[0], is_one, type(np.random.RandomState(1)) is np.random.RandomState, type(bits).__name__


class Walk:
    """A walk whose constructor seeds the functions of np.random."""

    def __init__(self, seed: int) -> None:
        np.random.seed(seed)

    def step(self, scale: Any) -> Any:
        return np.random.normal(0.0, scale) + np.random.uniform(-scale, 1.0)


def seeded(x: Any) -> Any:
    """The functions of np.random after a seed, in a method, as values, and once more after the same seed."""
    walk = Walk(9)
    total = sum(walk.step(x[0]) for _ in range(3))
    np.random.seed(4)
    first = np.random.randn(len(x)) * x + np.random.rand(len(x)) + np.random.random() + np.random.randint(7)
    order = np.random.permutation(len(x))
    some = np.random.choice(x, size=2, replace=False) + np.random.choice(5)
    more = [each(x[1], 2.0) for each in (np.random.normal, np.random.laplace)]
    more += [
        np.random.gamma(float(x[1]), 2.0),
        np.random.beta(2.0, float(x[1])),
        np.random.lognormal(0.0, x[1]),
        np.random.exponential(x[1]),
    ]
    counts = np.random.poisson(3.0), np.random.binomial(9, 0.5), np.random.random_sample(2)
    rest = np.random.standard_normal(2), counts
    np.random.seed(4)
    return first[order] * total, some, more, rest, np.random.normal(x) - x


def reordered(x: Any, epochs: int) -> Any:
    """Batches in an order that is shuffled in place, of numbers and of a list."""
    np.random.seed(3)
    order, names, w = np.arange(len(x)), ["a", "b", "c"], x[0]
    for _ in range(epochs):
        np.random.shuffle(order)
        np.random.shuffle(names)
        for i in order:
            w = w + 0.1 * x[i] * w * (i + 1) * (names.index("a") + 1)
    return w * order, names


def empty_range(x: Any) -> Any:
    """An error of NumPy's."""
    rng = np.random.default_rng(1)
    return rng.integers(0, 0) * x


EXAMPLES = [
    Example(scattered, (filled(3),)),
    Example(in_a_loop, (filled(2), 3)),
    Example(shared, (filled(2) + 2.0,)),
    Example(chosen, (filled(4),)),
    Example(shuffled, (filled(3),)),
    Example(legacy, (filled(3),)),
    Example(seeded, (filled(4) + 1.0,)),
    Example(reordered, (filled(3), 2)),
    Example(from_a_sequence, (filled(2) + 2.0,)),
    Example(empty_range, (filled(2),), raises=ValueError),
]
