"""builtins.sum, whose last bits differ between versions of Python: of floats, integers, objects, mixtures."""

# mypy: ignore-errors
# Written without annotations, as people write them; what Python says of it is compared.

from __future__ import annotations

import itertools
import math
import sys
from fractions import Fraction

from tests.python.corpus import Example

ITEMS = [0.1, -2.7e3, 3.3e-5, 0.2, 1e3 / 3.0, -0.3, 7.1, 2.0 / 3.0, -1e3 / 3.0, 0.7]


class Amount:
    def __init__(self, x):
        self.x = x

    def __radd__(self, other):
        return other + self.x


class Length(float):
    pass


def of_floats(items):
    return (
        sum(items),
        sum(items, 0.5),
        sum(tuple(items), 3),
        sum(map(abs, items)),
        sum(items[:0]),
    )


def of_generators(items):
    def yielded():
        yield from items

    positive = sum(x if x > 0 else 0 for x in items)
    nested = sum(sum(x * i for i in range(3)) for x in items)
    products = sum((a * b for a, b in itertools.pairwise(items)), items[0])
    return positive, nested, products, sum(x > 0 for x in items), sum(yielded(), 0.1)


def of_mixtures(x):
    large = 2**64
    counted = sum([1, 2, True]), sum(range(10)), sum([large, -large])
    mixed = sum([x, 1, 0.2, 3]), sum([1, 2.5, True, x])
    exceeding = sum([large, 0.1, 0.2, x]), sum([0.1, large, x, -large])
    zeros = sum([-0.0]), sum([-0.0], -0.0), sum([], 0.0)
    infinite = sum([math.inf, x]), sum([1e308, 1e308, -1e308]), sum([1e16, x, -1e16])
    others = sum([(x,), (2,)], ()), sum([0.1, 0.2, x, 1 + 2j, 0.1])
    return counted, mixed, exceeding, zeros, infinite, others


def of_objects(x):
    amounts = sum([Amount(0.1), Amount(0.2), Amount(x)]), sum([Amount(x), 0.1, 0.2, 0.3])
    return amounts, sum([Length(0.1), 0.2, x]), sum([0.1, 0.2, Length(x), 0.4])


def in_a_loop(items):
    total = 0.0
    for k in range(40):
        total += 0.1 * sum(x * k for x in items) + sum(items) + sum(1 for x in items if x > 0.0)
    return total


def of_products(items):
    plain = math.sumprod(items, items[::-1]), math.sumprod([2, 3], [True, 5]), math.sumprod((), [])
    others = math.sumprod([2, items[0], 0.1], [0.5, 3, Fraction(1, 3)])
    return plain, others, math.sumprod((0.1 * x for x in items), map(abs, items))


def of_pairs(items):
    return math.sumprod(items, items[1:])


def of_texts(items):
    return sum(items, "")


EXAMPLES = [
    Example(of_floats, (ITEMS,)),
    Example(of_generators, (ITEMS,)),
    Example(of_mixtures, (0.3,), differentiable=False),
    Example(of_objects, (0.3,)),
    Example(in_a_loop, (ITEMS,)),
    Example(of_texts, (["a"],), raises=TypeError),
]
if sys.version_info >= (3, 12):
    EXAMPLES += [Example(of_products, (ITEMS,)), Example(of_pairs, (ITEMS,), raises=ValueError)]
