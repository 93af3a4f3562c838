"""Functions of one lane that have batched forms, with arguments for some lanes."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np


def straight(x: Any, w: Any) -> Any:
    return np.tanh(x @ w) * 2.0 + 1.0


def branch(x: Any, w: Any) -> Any:
    y = np.tanh(x)
    if np.sum(y) > 0.0:
        z = y * 2.0
    else:
        z = y - w[0]
    return z * y


def loop(x: Any, w: Any) -> Any:
    turns = 0
    while np.sum(x * x) > 0.5:
        x = x * 0.6
        turns += 1
    return x * turns


def branch_in_loop(x: Any, w: Any) -> Any:
    y = np.tanh(x @ w)
    if np.sum(y) > 0.0:
        y = y * 2.0
    turns = 0
    while np.sum(y * y) > 1.0 and turns < 10:
        if y[0] > 0.0:
            y = y * 0.5
        else:
            y = y * 0.7
        turns = turns + 1
    return y[0] + np.sum(y)


def untaken(x: Any, w: Any) -> Any:
    total = np.sum(x)
    return np.sqrt(total) if total > 0.0 else total * w[0, 0]


def made_of_parts(x: Any, w: Any) -> Any:
    a = np.array([x[0], x[1] * 2.0, 3.0])
    b = np.stack([x, a])
    return np.concatenate([x, a])[1:5] * np.mean(b @ w) + b.T[0, 1] + b.reshape(3, 2).max()


def products(x: Any, w: Any) -> Any:
    return (w @ x) @ x + x @ w @ x + np.dot(x, x) + (w * x).max(axis=1) @ x + np.linalg.norm(x)


def softened(x: Any, w: Any) -> Any:
    shifted = np.exp(x - np.max(x))
    return np.cumsum(shifted / np.sum(shifted)) @ w


def lane_by_lane(x: Any, w: Any) -> Any:
    return np.outer(x, x) @ w[0] + np.sort(x)


def newton(a: Any, n: Any) -> Any:
    x = a if a > 1.0 else 1.0
    while abs(x * x - a) > 1e-9:
        x = 0.5 * (x + a / x)
    return x


def returns_early(a: Any, n: Any) -> Any:
    for i in range(n):
        if a > i:
            return a * i
        a = a + 0.3
    return -a


def recursive(a: Any, n: Any) -> Any:
    return a if a < 1.0 else recursive(a * 0.5, n) + 1.0


def with_lists(a: Any, n: Any) -> Any:
    made = [a * k for k in range(n)]
    total = 0.0
    for part in made:
        total += math.sin(part) * max(part, 2.0)
    return total / len(made)


def with_functions(a: Any, n: Any) -> Any:
    def scaled(y: Any) -> Any:
        return y * a

    if a > 0.5:
        a = a * 0.5
    return scaled(2.0) + sum([scaled(k) for k in range(n)])


def chosen(a: Any, n: Any) -> Any:
    return (a if a > 0.5 and a < 2.0 else -a) * (2.0 if not a > 1.0 else 3.0) + math.sqrt(a) ** 2


class Ball:
    def __init__(self, radius: Any) -> None:
        self.radius = radius

    def volume(self) -> Any:
        return 4.0 / 3.0 * math.pi * self.radius**3

    def grow(self) -> Any:
        self.radius = 1.5 * self.radius + 1.0
        return self.radius


def with_objects(a: Any, n: Any) -> Any:
    ball = Ball(a)
    ball.radius = ball.radius + 1.0
    found = {"volume": ball.volume(), "count": n}
    return found["volume"] / found["count"]


def counts_in_a_stored_function(a: Any, n: Any) -> Any:
    calls = 0

    def counted(x: Any) -> Any:
        nonlocal calls
        calls += 1
        return calls * x

    steps = {"counted": counted}
    total = 0.0
    for _ in range(n):
        total = 2.0 * total + steps["counted"](a)
    return total * calls


def changes_by_a_bound_method(a: Any, n: Any) -> Any:
    ball = Ball(a)
    grow = ball.grow
    return sum([grow() for _ in range(n)]) + ball.radius


def draws_in_a_loop(a: Any, n: Any) -> Any:
    rng, total = Random(n), 0.0
    for i in range(n):
        total += (rng.choice((-1.0, 1.0, 2.0)) + i) * a
    return total


OF_ARRAYS: list[Callable[..., Any]] = [
    *(straight, branch, loop, branch_in_loop, untaken, made_of_parts, products, softened, lane_by_lane)
]
OF_NUMBERS: list[Callable[..., Any]] = [
    *(newton, returns_early, recursive, with_lists, with_functions, chosen, with_objects),
    *(counts_in_a_stored_function, changes_by_a_bound_method, draws_in_a_loop),
]


def arguments(f: Callable[..., Any], width: int) -> tuple[Any, ...]:
    """Return arguments for so many lanes; the last is shared by all."""
    rng = np.random.default_rng(width)
    if f in OF_ARRAYS:
        return rng.normal(size=(width, 3)), rng.normal(size=(3, 3))
    return rng.uniform(0.1, 9.0, size=width), 4
