"""`print` of as many values as an iterable has."""

# mypy: ignore-errors
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

import sys

from tests.python.corpus import Example


class Named:
    def __init__(self, x):
        self.x = x

    def __str__(self):
        return f"<{self.x}>"


def starred(x):
    values = [x, 2.0 * x]
    shares = {"a": x, "b": 1}
    print(*values)
    print("first", *values, Named(x), sep="-", end="!\n")
    print(*(y * y for y in values), *shares.keys(), shares.keys())
    print(*[], sep=", ")
    print(*shares, *"xyz", *range(3), sep=None, file=sys.stdout)
    print(*shares.items(), sep="\n")
    return values[0] * values[1]


def separated_by_a_number(x):
    print(*[x], sep=3)


def no_iterable(x):
    print("x", *x)


EXAMPLES = [
    Example(starred, (1.5,)),
    Example(separated_by_a_number, (1.5,), raises=TypeError),
    Example(no_iterable, (1.5,), raises=TypeError),
]
