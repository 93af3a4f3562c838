"""What the standard library has from Python 3.12 on, and numbers that are members of its enumerations."""

# mypy: ignore-errors
# Written without annotations, as people write them; what Python says of it is compared.

from __future__ import annotations

import calendar
import copy
import itertools
import math
import random
import sys
import types
from dataclasses import dataclass
from http import HTTPStatus
from typing import NamedTuple

from tests.python.corpus import Example


@dataclass
class Point:
    a: float
    b: float = 2.0

    def __post_init__(self):
        self.a = self.a * 2


class Pair(NamedTuple):
    a: float
    b: float


class Own:
    def __init__(self, value):
        self.value = value

    def __replace__(self, /, **changes):
        return Own(changes.get("value", 1.0) * self.value)


def members(x):
    """Members are ints in Python 3.11, too, or constants of a module."""
    return x * HTTPStatus.OK + x**calendar.TUESDAY, calendar.MONDAY + 1, HTTPStatus(404) > 300, -HTTPStatus.OK


def batches(x):
    total, items = 0.0, [x * i for i in range(1, 8)]
    for batch in itertools.batched(items, 3):
        total += math.prod(batch) * len(batch)
    return total, list(itertools.batched("abcde", 2)), list(itertools.batched([], 2))


def lazy_batches(x):
    def items():
        for i in range(7):
            print(i)
            yield x * i

    kept = itertools.batched(items(), 3)
    first = next(kept)
    return [sum(batch) for batch in kept], first


def no_batches(x):
    return list(itertools.batched([x], 0))


def strict_batches(x):
    total = 0.0
    for batch in itertools.batched([x, 2 * x, 3 * x, x], 2, strict=True):
        total += batch[0] * batch[1]
    return total


def incomplete_batches(x):
    return list(itertools.batched([x, x, x], 2, strict=True))


def replaced(x):
    space = types.SimpleNamespace(a=x, b=2.0)
    point, pair = copy.replace(Point(x), b=x), copy.replace(Pair(x, 3.0), b=x * x)
    return point.a * point.b, pair, copy.replace(Own(x), value=x).value, copy.replace(space, b=x).b * space.b


def not_replaced(x):
    return copy.replace([x], a=1)


def fused(x):
    return math.fma(x, x, 2.0 * x)


def binomial(x):
    rng = random.Random(3)
    return [x * rng.binomialvariate(n, p) for n, p in ((10, 0.3), (1, 0.5), (200, 0.4), (50, 0.9))]


EXAMPLES = [Example(members, (0.7,))]
if sys.version_info >= (3, 12):
    EXAMPLES += [
        Example(batches, (0.7,), differentiable=False),
        Example(lazy_batches, (0.7,)),
        Example(no_batches, (0.7,), raises=ValueError),
        Example(binomial, (0.7,)),
    ]
if sys.version_info >= (3, 13):
    EXAMPLES += [
        Example(strict_batches, (0.7,)),
        Example(incomplete_batches, (0.7,), raises=ValueError),
        Example(replaced, (0.7,)),
        Example(not_replaced, (0.7,), raises=TypeError),
        Example(fused, (0.7,)),
    ]
