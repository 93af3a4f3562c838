"""Iterators that make their items one by one: map, zip, itertools, generator expressions that are kept."""

# mypy: ignore-errors
# ruff: noqa: B007, B905, C402, C416, C417, PLC3002, PLW0108
# Written without annotations, as scripts are; what Python says of it is compared.

from __future__ import annotations

import collections
import functools
import heapq
import itertools
import math
import operator
import statistics
import types
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress

import numpy as np

from tests.python.corpus import Example


def powers(x):
    for k in range(3):
        yield x**k


def pair(x):
    yield x
    yield 2.0


def found(x):
    """The first item that fits."""
    xs = [1.0, x, 3.0]
    changed = []
    first = next(v for v in xs if v > 1.5)
    other = next((v for v in xs if v > 100), x * 7)
    noted = next((changed.append(v) or v for v in xs if v > 1.5), 0.0)
    try:
        next(v for v in xs if v > 100)
    except StopIteration:
        changed.append(-1.0)
    return first, other, noted, changed


def none_found(x):
    return next(v for v in [1.0, x] if v > 100)


def fibonacci():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


def slices(x):
    some = [x * k for k in itertools.islice(fibonacci(), 2, 10, 3)]
    return some, sum(itertools.takewhile(lambda v: v < 50, fibonacci()))


def windows(xs, n):
    it = iter(xs)
    window = collections.deque(itertools.islice(it, n), maxlen=n)
    if len(window) == n:
        yield tuple(window)
    for v in it:
        window.append(v)
        yield tuple(window)


def moving(x):
    return [sum(w) / 3 for w in windows([x, x * x, 2.0, 3.0, x + 1], 3)]


def groups(x):
    kept = (v for v in [x, 2 * x, 5.0])
    return [(k, list(vs)) for k, vs in itertools.groupby(kept, key=lambda v: v > 3)]


def stages(x):
    def scaled(values):
        for v in values:
            yield v * 2

    def chosen(values):
        return (v for v in values if v > 1)

    return sum(chosen(scaled(k * x for k in range(5))))


def euler(x, dt=0.1):
    t, y = 0.0, x
    while t < 1:
        yield t, y
        y += dt * (-y)
        t += dt


def trajectory(x):
    ts, ys = zip(*euler(x))
    return ts, ys, max(ys), min(y for _, y in euler(x))


def arrays(x):
    return float(np.array([v * x for v in powers(x)]).sum()), float(np.array(list(powers(x))) @ np.ones(3))


class Mesh:
    def __init__(self, n, h):
        self.n = n
        self.h = h

    def __iter__(self):
        for i in range(self.n):
            yield i * self.h

    @property
    def cells(self):
        return ((a, b) for a, b in zip(self, list(self)[1:]))

    def pairs(self):
        for i, a in enumerate(self):
            for b in list(self)[i + 1 :]:
                yield a, b


def meshes(x):
    m = Mesh(4, x)
    a, b, *_ = m
    widths = [right - left for left, right in m.cells]
    return sum(m), max(m), sorted(m, reverse=True), widths, sum(a * b for a, b in m.pairs()), x in m, a, b


def returned(x):
    def inner():
        got = yield x
        return got

    def outer():
        value = yield from inner()
        yield value
        return value * 2

    steps, items = outer(), []
    items.append(next(steps))
    items.append(steps.send(3.0 * x))
    try:
        next(steps)
    except StopIteration as stop:
        return items, stop.value


def closed(x):
    notes = []

    def noted():
        try:
            yield x
            yield 2 * x
        finally:
            notes.append("closed")

    items = noted()
    first = next(items)
    items.close()
    for v in noted():
        notes.append(v)
        break
    notes.append("end")
    return first, notes


def thrown(x):
    def caught():
        try:
            yield x
        except ValueError as error:
            yield str(error)
        yield 5.0

    def outer():
        yield from caught()

    items = outer()
    next(items)
    return items.throw(ValueError("boo")), next(items), items.throw(KeyError(x))


@contextmanager
def doubled(k):
    yield k * 2


class Door:
    def __init__(self, notes):
        self.notes = notes

    def close(self):
        self.notes.append("closed")


def managers(x):
    notes = []
    with ExitStack() as stack:
        first = stack.enter_context(doubled(x))
        stack.callback(lambda value: notes.append(value), first)
        all_of = [stack.enter_context(doubled(v)) for v in (x, 1.0)]
        stack.enter_context(closing(Door(notes)))
    manager = doubled(x) if x > 100 else nullcontext(x)
    with manager as value, suppress(ValueError):
        raise ValueError("x")
    return first, all_of, value, notes


def failing_stack(x):
    with ExitStack() as stack:
        stack.push(lambda kind, error, traceback: kind is KeyError)
        stack.callback(lambda text: print(text), "last")
        raise KeyError(x)
    return x


def exhausted(x):
    """Iterators in variables, used more than once."""
    scaled = map(lambda v: v * x, [1.0, 2.0, 3.0])
    first = next(scaled)
    pairs = zip([1, 2, 3], [x, x, x])
    numbered = enumerate([x, 2 * x])
    next(numbered)
    return first, list(scaled), list(pairs), list(pairs), list(numbered), next(reversed([1, x]))


def order(x):
    """Effects happen when an item is taken."""
    for v in map(lambda v: (print("f", v), v * x)[1], iter([1.0, 2.0])):
        print("b", v)
    kept = (print("g", v) or v for v in [1, 2, 3])
    for a, b in zip(kept, [10, 20]):
        print(a, b)
    return next(kept, x)


def tools(x):
    totals = list(itertools.accumulate(pair(x)))
    joined = sum(itertools.chain(pair(x), pair(2 * x)))
    a, b = itertools.tee(pair(x))
    cycled = list(itertools.islice(itertools.cycle(pair(x)), 5))
    filled = list(itertools.zip_longest(pair(x), powers(x), fillvalue=0.0))
    return totals, joined, list(zip(a, b)), cycled, filled, list(zip(itertools.count(1, 2), pair(x)))


def reductions(x):
    product = functools.reduce(operator.mul, pair(x))
    means = statistics.mean(pair(x)), math.fsum(pair(x)), math.prod(pair(x))
    return product, means, heapq.nlargest(1, pair(x)), list(map(pow, pair(x), itertools.repeat(2)))


def taken_apart(x):
    a, b = pair(x)
    c, *d = powers(x)
    xs = [1.0]
    xs += pair(x)
    xs.extend(pair(a))
    xs[0:1] = pair(b)
    return a, b, c, d, xs, (lambda *args: args)(*pair(x)), [*pair(x)], ",".join(str(v) for v in pair(x))


def too_many(x):
    a, b = itertools.count(int(x))
    return a + b


def tables(x):
    scaled = {k: v for k, v in ((i, i * x) for i in range(3))}
    again = dict((k, v * x) for k, v in scaled.items())
    return scaled, again, any(v > 1 for v in pair(x)), all(pair(x)), 2.0 in pair(x), 99 in pair(x)


def sieve():
    primes = []
    n = 2
    while True:
        if all(n % p for p in primes):
            primes.append(n)
            yield n
        n += 1


def first_primes(x):
    return sum(p * x for p in itertools.islice(sieve(), 6))


def newton(f, x0, tol=1e-10):
    x = x0
    while True:
        value, slope = f(x)
        step = value / slope
        x -= step
        yield x
        if abs(step) < tol:
            return


def last_of(x):
    *_, last = newton(lambda z: (z * z - x, 2 * z), 1.0)
    count = 0
    for count, z in enumerate(newton(lambda z: (z * z - x, 2 * z), 1.0), 1):
        last += z
    return last, count


def permutations(xs):
    if not xs:
        yield []
    for i in range(len(xs)):
        for rest in permutations(xs[:i] + xs[i + 1 :]):
            yield [xs[i], *rest]


def permuted(x):
    return sum(p[0] * p[1] - p[2] for p in permutations([x, 2.0, 3 * x]))


def walrus(x):
    items, total = pair(x), 0.0
    while (v := next(items, None)) is not None:
        total += v * v
    for _ in range(3):
        for _ in items:
            total += 100
    return total


def made_later(x):
    """Generator expressions read the variables of their function when they run."""
    k = 1.0
    kept = (v * k for v in [x, 2.0])
    k = 10.0
    made = [(lambda n: (v * x for v in range(n)))(n) for n in range(3)]
    return list(kept), [list(g) for g in made]


def kinds(x):
    items = pair(x)
    return isinstance(items, types.GeneratorType), isinstance(items, collections.abc.Iterator), next(items)


def stops(x):
    def broken():
        yield x
        yield next(iter([]))

    return list(broken())


def within_itself(x):
    def items():
        yield next(kept)

    kept = items()
    return next(kept)


def too_early(x):
    return pair(x).send(1.0)


def not_reversible(x):
    return list(reversed(pair(x)))


def no_length(x):
    return len(pair(x))


EXAMPLES = [
    *[Example(f, (1.7,)) for f in (found, slices, moving, groups, stages, trajectory, arrays, meshes)],
    *[Example(f, (1.7,)) for f in (returned, managers, exhausted, order, tools, reductions, last_of)],
    *[Example(f, (1.7,)) for f in (first_primes, permuted, walrus, made_later)],
    *[Example(f, (1.7,), differentiable=False) for f in (closed, failing_stack, taken_apart, tables, kinds)],
    Example(none_found, (1.7,), raises=StopIteration),
    Example(thrown, (1.7,), raises=KeyError),
    Example(too_many, (1.7,), raises=ValueError),
    Example(stops, (1.7,), raises=RuntimeError),
    Example(within_itself, (1.7,), raises=ValueError),
    Example(too_early, (1.7,), raises=TypeError),
    Example(not_reversible, (1.7,), raises=TypeError),
    Example(no_length, (1.7,), raises=TypeError),
]
