"""The functions of itertools, over tuples, lists, strings, dictionaries and each other."""

from __future__ import annotations

import itertools
import operator
from itertools import chain, combinations, islice, takewhile

from tests.python.corpus import Example


def running_products(xs: list[float]) -> list[float]:
    """Sums and products so far, from the first item and from a start."""
    sums = list(itertools.accumulate(xs))
    products = list(itertools.accumulate(xs, operator.mul, initial=2.0))
    decays = list(itertools.accumulate(xs, lambda total, x: 0.5 * total + x))
    return sums + products + decays + list(itertools.accumulate([]))


def all_pairs(points: list[tuple[float, float]]) -> float:
    """The energy of charges: each pair once."""
    total = 0.0
    for (a, b), (c, d) in combinations(points, 2):
        total += 1.0 / ((a - c) ** 2 + (b - d) ** 2)
    return total


def selections(xs: list[float], r: int) -> tuple[float, ...]:
    """Sums over permutations, combinations with repetition, and products of ranges."""
    first = sum([a * b**2 for a, b in itertools.permutations(xs, 2)])
    second = sum([a - b * 0.5 for a, b in itertools.combinations_with_replacement(xs, 2)])
    third = sum([x * i - j for x, i, j in itertools.product(xs, range(2), (1.0, 3.0))])
    fourth = sum([x * y * z for x, y, z in itertools.product(xs, repeat=3)])
    fifth = sum([sum(each) for each in combinations(xs, r)])
    return first, second, third, fourth, fifth, len(list(itertools.permutations("abc")))


def joined(xs: list[float], d: dict[str, float]) -> list[float]:
    """Items one after another, some of them left out."""
    found = list(chain(xs, d.values(), [1.0]))
    found += chain.from_iterable([xs, xs[:1]])
    found += islice(found, 2)
    found += itertools.islice(xs, 1, None, 2)
    found += itertools.compress(xs, [1, 0, True])
    return found


def by_condition(xs: list[float], limit: float) -> tuple[list[float], ...]:
    """Items up to the first that fails, and from there on; those that fail."""
    return (
        list(takewhile(lambda x: x < limit, xs)),
        list(itertools.dropwhile(lambda x: x < limit, xs)),
        list(itertools.filterfalse(lambda x: x < limit, xs)),
        list(itertools.filterfalse(None, [0.0, *xs])),
    )


def grouped(xs: list[float]) -> dict[bool, float]:
    """The sum of squares of each run of one sign, the last one of each sign."""
    found = {}
    for positive, group in itertools.groupby(xs, key=lambda x: x > 0.0):
        found[positive] = sum([x * x for x in group])
    return found


def runs(text: str) -> list[tuple[str, int]]:
    """The letters of a text with the lengths of their runs."""
    return [(letter, len(list(group))) for letter, group in itertools.groupby(text)]


def together(xs: list[float], ys: tuple[float, ...]) -> float:
    """Sums over neighbours and over columns of different length."""
    total = 0.0
    for a, b in itertools.pairwise(xs):
        total += (b - a) ** 2
    for x, y in itertools.zip_longest(xs, ys, fillvalue=0.5):
        total += x * y
    first, second = itertools.tee(xs)
    total += sum([a * b for a, b in zip(first, second, strict=True)])
    total += sum(itertools.starmap(operator.mul, zip(xs, ys, strict=False)))
    return float(total + sum(itertools.repeat(total, 3)))


def endless(xs: list[float], limit: float) -> tuple[object, ...]:
    """Iterators without an end, in loops that have one."""
    total, steps = 0.0, 0
    for steps in itertools.count():
        total += xs[steps % len(xs)]
        if total > limit:
            break
    signs = sum([sign * x for sign, x in zip(itertools.cycle((1.0, -1.0)), xs, strict=False)])
    far = [i * x for i, x in zip(itertools.count(10, -2), itertools.repeat(limit, 3), strict=False)]
    near = list(zip(islice(itertools.count(), 1, 6, 2), itertools.repeat(total)))
    for i, x in enumerate(islice(itertools.cycle(xs), 2, 7)):
        total += i * x
    none = [x * total for x in itertools.cycle(xs[:0])]
    return total, steps, signs, far, near, none


def counted_by_reals(xs: list[float]) -> list[float]:
    """A bound of islice that is none."""
    found = []
    for i in islice(itertools.count(), xs[0]):  # type: ignore[call-overload]
        found.append(i * xs[1])
    return found


def too_many(xs: list[float]) -> list[tuple[float, ...]]:
    """A negative number of items."""
    return list(combinations(xs, -1))


def no_bound(xs: list[float]) -> list[float]:
    """A bound that is no number."""
    return list(islice(xs, "two"))  # type: ignore[call-overload]


def backwards(xs: list[float]) -> list[float]:
    """A negative bound, whose error is handled."""
    try:
        return list(islice(xs, -1))
    except ValueError as error:
        print(error)
        return list(xs)


def of_nothing(n: int) -> list[int]:
    """A number is no iterable."""
    return list(chain([1], n))  # type: ignore[arg-type]


XS = [0.5, -1.25, 2.0]

EXAMPLES = [
    Example(running_products, (XS,)),
    Example(all_pairs, ([(0.0, 1.0), (1.0, 3.0), (-1.0, 0.5)],)),
    Example(selections, (XS, 2)),
    Example(selections, (XS, 4)),
    Example(joined, (XS, {"a": 1.5, "b": -1.0})),
    Example(by_condition, ([1.0, 2.0, 4.0, 3.0], 3.5)),
    Example(grouped, ([1.0, 2.0, -3.0, -0.5, 4.0],)),
    Example(grouped, ([],), differentiable=False),
    Example(runs, ("aabbbca",), differentiable=False),
    Example(together, (XS, (1.0, 4.0))),
    Example(endless, (XS, 4.0)),
    Example(counted_by_reals, (XS,), raises=ValueError),
    Example(too_many, (XS,), raises=ValueError),
    Example(no_bound, (XS,), raises=ValueError),
    Example(backwards, (XS,)),
    Example(of_nothing, (3,), raises=TypeError),
]
