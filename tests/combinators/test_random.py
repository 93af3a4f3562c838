"""Combinators with random operators beside loops over the same trees: bits, steps, gradients, all engines.

Each operator meets every number of items and every engine, but not each number on each engine: which engine
has which number goes round with the operators.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import arrays, config, engines
from checkpoint.functions.resumption import as_function
from tests.combinators import trees
from tests.support.sampling import sample

CASES = [(kind, seed) for kind in trees.KINDS for seed in range(3)]
COUNTS = (1, 3, 6, 13)


@pytest.fixture(autouse=True)
def unchecked() -> Iterator[None]:
    """Let operators be what they are: random ones are not associative."""
    with config.override(check=False):
        yield


def everything(op: Any, items: Any, dest: Any, at: Any) -> Any:
    return (
        arrays.reduce(op, items),
        arrays.scan(op, items),
        arrays.reduce_by_index(op, dest, at, items),
    )


def indices(count: int) -> Any:
    return np.random.default_rng(count).integers(-4, 4, count)


@pytest.mark.parametrize(("kind", "seed"), sample(CASES))
def test_values_have_the_bits_of_loops(kind: str, seed: int) -> None:
    op = trees.operator(kind, seed)
    dest, usable = trees.items(kind, 4, 99), engines.usable()
    for i, count in enumerate(COUNTS):
        engine = usable[(CASES.index((kind, seed)) + i) % len(usable)]
        items, at = trees.items(kind, count, seed), indices(count)
        rows = trees.apart(items)
        want = [
            trees.flat(trees.tree(op, rows)),
            trees.flat([trees.prefix(op, rows[: i + 1]) for i in range(count)]),
            trees.flat(trees.by_index(op, trees.apart(dest), at.tolist(), rows)),
        ]
        whole, running, bins = as_function(everything).call((op, items, dest, at), {}, engine).value()
        got = [trees.flat(whole), trees.flat_items(running), trees.flat_items(bins)]
        assert [np.array(x).tobytes() for x in got] == [np.array(x).tobytes() for x in want]


def total(nest: Any) -> Any:
    """Return the sum of the squares of a nest's numbers."""
    if isinstance(nest, dict):
        return sum([total(part) for part in nest.values()])
    if isinstance(nest, list | tuple):
        return sum([total(part) for part in nest])
    return np.sum(nest**2)


@pytest.mark.parametrize(("kind", "seed"), CASES[::4] + CASES[10:11])
def test_gradients(kind: str, seed: int) -> None:
    op, count = trees.operator(kind, seed), 5
    both, at = (trees.items(kind, count, seed), trees.items(kind, 4, 99)), indices(count)

    def loss(both: Any) -> Any:
        return total(everything(op, both[0], both[1], at))

    def found(**how: Any) -> Any:
        return checkpoint.grad(loss, **how)(both)

    hows: list[dict[str, Any]] = [{"engine": engine} for engine in engines.usable()]
    hows += [{"schedule": "bisection"} if seed == 1 else {"memory": 1_000_000}]
    results = [trees.flat(found(**how)) for how in hows]
    assert len({np.array(each).tobytes() for each in results}) == 1
    assert len({checkpoint.primops(loss, both, engine=engine) for engine in engines.usable()}) == 1
    direction = np.random.default_rng(seed).normal(size=len(results[0]))
    _, slope = checkpoint.jvp(loss, both, like(both, iter(direction)))
    assert np.isclose(np.dot(results[0], direction), slope, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("seed", range(2))
def test_gradients_are_those_of_loops(seed: int) -> None:
    op, count = trees.operator("real", seed), 7
    items, dest, at = trees.items("real", count, seed), trees.items("real", 4, 99), indices(count)
    places = at.tolist()

    def loss(items: Any, dest: Any) -> Any:
        return total(everything(op, items, dest, at))

    def by_loops(items: Any, dest: Any) -> Any:
        whole = trees.tree(op, items) ** 2
        for i in range(count):
            whole = whole + trees.prefix(op, items[: i + 1]) ** 2
        for each in trees.by_index(op, dest, places, items):
            whole = whole + each**2
        return whole

    got = trees.flat(checkpoint.grad(loss, (0, 1))(items, dest))
    want = trees.flat(checkpoint.grad(by_loops, (0, 1))(items.tolist(), dest.tolist()))
    assert np.allclose(got, want, rtol=1e-10, atol=1e-10)


def like(nest: Any, numbers: Iterator[float]) -> Any:
    """Return a nest with other numbers."""
    if isinstance(nest, dict):
        return {key: like(part, numbers) for key, part in nest.items()}
    if isinstance(nest, list | tuple):
        return type(nest)([like(part, numbers) for part in nest])
    return np.array([next(numbers) for _ in range(nest.size)]).reshape(nest.shape)
