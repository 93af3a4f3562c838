"""The combinators as plain loops over the same trees, and random operators to try both with."""

from __future__ import annotations

import linecache
import math
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

Op = Callable[[Any, Any], Any]


def tree(op: Op, items: list[Any]) -> Any:
    """Return the items combined: the left part has the greatest power of two below their number."""
    if len(items) == 1:
        return items[0]
    left = 1
    while 2 * left < len(items):
        left *= 2
    return op(tree(op, items[:left]), tree(op, items[left:]))


def prefix(op: Op, items: list[Any]) -> Any:
    """Return the items combined from the left, of parts of descending powers of two."""
    found: Any = None
    while items:
        size = 1
        while 2 * size <= len(items):
            size *= 2
        part = tree(op, items[:size])
        found = part if found is None else op(found, part)
        items = items[size:]
    return found


def by_index(op: Op, dest: list[Any], at: list[int], values: list[Any]) -> list[Any]:
    """Return the items of dest, each combined with the tree of its values."""
    found = list(dest)
    for i in range(len(dest)):
        mine = [value for value, k in zip(values, at, strict=True) if k % len(dest) == i]
        if mine:
            found[i] = op(dest[i], tree(op, mine))
    return found


# Random operators. An item is a real, a pair of reals, an array, or a dictionary of both.

KINDS = ("real", "pair", "array", "nest")


def items(kind: str, count: int, seed: int) -> Any:
    """Return so many items of a kind, as a nest of arrays."""
    rng = np.random.default_rng(seed)
    if kind == "pair":
        return rng.uniform(0.5, 1.5, count), rng.uniform(-1.0, 1.0, count)
    if kind == "array":
        return rng.uniform(-1.5, 1.5, (count, 3))
    if kind == "nest":
        return {"x": rng.uniform(-1.0, 1.0, count), "y": [rng.uniform(0.5, 1.5, (count, 2))]}
    return rng.uniform(-1.5, 1.5, count)


def apart(nest: Any) -> list[Any]:
    """Return the items of a nest of arrays, reals as floats."""
    if isinstance(nest, dict):
        parts = [apart(part) for part in nest.values()]
        return [dict(zip(nest, row, strict=True)) for row in zip(*parts, strict=True)]
    if isinstance(nest, list | tuple):
        return [type(nest)(row) for row in zip(*map(apart, nest), strict=True)]
    return nest.tolist() if nest.ndim == 1 else list(nest)


def flat(nest: Any) -> list[float]:
    """Return all numbers of a nest, or of a list of items."""
    if isinstance(nest, dict):
        return [x for part in nest.values() for x in flat(part)]
    if isinstance(nest, list | tuple):
        return [x for part in nest for x in flat(part)]
    return [float(x) for x in np.ravel(nest)]


def flat_items(nest: Any) -> list[float]:
    """Return the numbers of a nest item by item."""
    return [x for item in apart(nest) for x in flat(item)]


def operator(kind: str, seed: int) -> Op:
    """Return a random operator of items of a kind; the text of it is that of a file."""
    random = Random(f"{kind} {seed}")
    body = {
        "real": lambda: _real(random, ["a", "b"], 3),
        "pair": lambda: "({}, {})".format(
            *[_real(random, ["a[0]", "a[1]", "b[0]", "b[1]"], 2) for _ in "xy"]
        ),
        "array": lambda: _array(random, ["a", "b"], 3),
        "nest": lambda: "{{'x': {}, 'y': [{}]}}".format(
            _real(random, ["a['x']", "b['x']"], 2), _array(random, ["a['y'][0]", "b['y'][0]"], 2)
        ),
    }[kind]()
    name = f"operator_{kind}_{seed}.py"
    text = f"def op(a, b):\n    return {body}\n"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace: dict[str, Any] = {"math": math, "np": np}
    exec(compile(text, name, "exec"), namespace)
    found: Op = namespace["op"]
    return found


def _real(random: Random, leaves: list[str], depth: int) -> str:
    if depth == 0:
        return random.choice([*leaves, "0.75"])
    x, y = (_real(random, leaves, depth - 1) for _ in "xy")
    return random.choice(
        [
            *(f"({x} + {y})", f"({x} * {y})", f"({x} - 0.5 * {y})", f"({x} / (1.5 + {y} * {y}))"),
            *(f"({x} if {x} > {y} else 0.5 * {y})", f"max({x}, {y})", f"math.sqrt(abs({x}) + 0.25)"),
            *(f"math.tanh({x} + {y})", f"math.exp(-abs({x})) * {y}"),
        ]
    )


def _array(random: Random, leaves: list[str], depth: int) -> str:
    if depth == 0:
        return random.choice(leaves)
    x, y = (_array(random, leaves, depth - 1) for _ in "xy")
    return random.choice(
        [
            *(f"({x} + {y})", f"({x} * {y})", f"({x} - 0.5 * {y})", f"({x} / (1.5 + {y} * {y}))"),
            *(f"np.maximum({x}, {y})", f"np.where({x} > {y}, {x}, 0.5 * {y})"),
            *(f"np.tanh({x} + {y})", f"np.sum({x}) * {y}", f"np.concatenate([{x}[1:], {y}[:1]])"),
        ]
    )
