"""Iterators and iterables of classes, in every place that iterates."""

# mypy: ignore-errors
# ruff: noqa: B007, B905
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

from tests.python.corpus import Example


class Count:
    def __init__(self, n, x):
        self.n = n
        self.x = x
        self.i = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.x * self.i


class Bag:
    def __init__(self, *xs):
        self.xs = list(xs)

    def __iter__(self):
        return iter(self.xs)

    def __len__(self):
        return len(self.xs)


class Endless:
    def __init__(self):
        self.k = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.k += 1
        return self.k


class Fails:
    def __iter__(self):
        return self

    def __next__(self):
        raise ValueError("broken")


def its(x):
    c = Count(3, x)
    b = Bag(x, 2.0, x * x)
    out = []
    for v in c:
        out.append(v)
    for v in c:
        out.append(-1)
    for i, v in enumerate(b):
        out.append(i * v)
    for v, w in zip(b, Count(5, x)):
        out.append(v * w)
    out.append([v * 2 for v in b])
    out.append(list(Count(2, x)))
    out.append(tuple(b))
    out.append(sum(b))
    out.append(max(Count(4, x)))
    for k in Endless():
        if k > 4:
            break
        for v in b:
            if v == 2.0:
                continue
            out.append(k * v)
    a, *_ = b.xs
    p, q, r = b
    out.append((a, p, q, r))
    out.append(2.0 in b)
    out.append(99.0 in Count(3, x))
    out.append(len(b))
    it = iter([x, 2.0])
    out.append(next(it))
    out.append(next(it))
    out.append(next(it, "end"))
    out.append(sorted(b))
    it = iter(Bag(1.0))
    out.append(next(it) * x)
    try:
        next(it)
    except StopIteration:
        out.append("stop")
    out.append([*b, *Count(2, 1.0)])
    out.append(",".join(str(v) for v in b))
    out.append(any(v > 100 for v in b))
    out.append(dict(enumerate(b))) if False else None
    for v in [1.0, x]:
        out.append(v)
    for k in {"a": 1}:
        out.append(k)
    for ch in "ab":
        out.append(ch)
    return out


def fails(x):
    try:
        for v in Fails():
            print(v)
    except ValueError as e:
        print(e)
    for v in x:
        pass


def not_iter(x):
    for v in x:
        pass


def next_of(x):
    return next(x)


EXAMPLES = [
    Example(its, (1.5,)),
    Example(fails, (1.5,), raises=TypeError),
    Example(not_iter, (1.5,), raises=TypeError),
    Example(next_of, (1.5,), raises=TypeError),
]
