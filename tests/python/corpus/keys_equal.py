"""Keys and elements that are equal in Python though their classes differ: reals, fractions, NumPy's."""

# mypy: ignore-errors
# Written without annotations: what Python says of it is compared.

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from fractions import Fraction

import numpy as np

from tests.python.corpus import Example


class Size(IntEnum):
    ONE = 1


class Name(StrEnum):
    A = "a"


class Part(float, Enum):
    HALF = 0.5


class Pair(tuple, Enum):
    AB = (1, "b")


class Code(bytes, Enum):
    A = b"a"


class Point(tuple):
    pass


@dataclass(frozen=True)
class Named:
    value: float
    name: str = field(default="a", compare=False)
    count: int = field(default=0, hash=False)


HALF = Fraction(1, 2)
ONES = (1, 1.0, True, np.int64(1), 1 + 0j)
OF_REALS = {0.5: 2.0, (0.25, "q"): 3.0, 2.0: 5.0}
OF_FRACTIONS = {HALF: 3.0, Decimal("0.25"): 5.0, Fraction(1, 3): 7.0}
OF_SCALARS = {np.float64(0.5): 5.0, np.int64(3): 7.0, np.float32(0.1): 11.0, np.bool_(True): 13.0}
OF_COMPLEX = {0.5 + 0j: 2.0, 1j: 3.0}
OF_MEMBERS = {Size.ONE: 2.0, Name.A: 3.0, Part.HALF: 5.0}
OF_PAIRS = {Pair.AB: 2.0, Point((3, 4)): 3.0}
OF_INTEGERS = {1: 2.0, "a": 3.0, (1, 2): 5.0}


def from_outside(x):
    reals = OF_REALS[HALF] + OF_REALS[0.5 + 0j] + OF_REALS[(Fraction(1, 4), "q")] + OF_REALS[Decimal(2)]
    fractions = OF_FRACTIONS[0.5] + OF_FRACTIONS[np.float32(0.25)] + OF_FRACTIONS.get(1 / 3, 1.0)
    scalars = OF_SCALARS[0.5] + OF_SCALARS[3.0] + OF_SCALARS.get(0.1, 1.0) + OF_SCALARS[1]
    members = OF_MEMBERS[True] + OF_MEMBERS["a"] + OF_MEMBERS[HALF]
    return x * reals, x * fractions, x * scalars, x * members, x * (OF_COMPLEX[0.5] + OF_COMPLEX[1j])


def of_integers(x):
    """A table of constants is asked for reals, and for tuples of these."""
    found = (
        OF_INTEGERS[1.0] + OF_INTEGERS[1 + 0j] + OF_INTEGERS[(1.0, Fraction(2))] + OF_INTEGERS[x - x + 1.0]
    )
    return x * found, x in OF_INTEGERS, 1.0 in OF_INTEGERS, OF_INTEGERS.get(x, x), OF_INTEGERS.get(0.5, x)


def one_key(x):
    made = {HALF: x, 0.5: 2 * x, Decimal("0.5"): 3 * x, np.float32(0.5): 5 * x}
    made[0.5 + 0j] = 7 * x
    made[Part.HALF] = 11 * x
    made |= {np.float64(0.5): 13 * x}
    whole = dict.fromkeys([1.0, True, Fraction(1), np.int64(1), Size.ONE], x)
    zero = {0.0: x}
    zero[-0.0] = 2 * x
    return made[0.5], len(made), whole[1], len(whole), made.pop(HALF), len(made), zero[0], len(zero)


def elements(x):
    all_halves = {0.5, HALF, Decimal("0.5"), np.float64(0.5), complex(0.5, 0), Part.HALF}
    whole, far = set(ONES), {10**400, Fraction(10**400), float("inf"), Decimal("Infinity")}
    imaginary = {2j, complex(0, 2), np.complex128(2j), np.complex128(2j + 1)}
    all_halves.discard(Decimal("0.5"))
    shared = {0.5, 1} & {HALF, Size.ONE}
    counts = [len(all_halves), len(whole), len(far), len(imaginary), len(shared)]
    return x * sum(counts), {0.5} == {HALF}, HALF in {0.5}, 0.5 in {HALF}, counts


def counted(x):
    counts, sums = Counter([0.5, HALF, Decimal("0.5"), 1, True, 1.0, "a", Name.A]), defaultdict(float)
    for key in (0.5, HALF, np.float64(0.5)):
        sums[key] += x
    return x * counts[0.5], x * counts[1], x * counts["a"], len(counts), sums[HALF], len(sums)


def members(x):
    """Members of enumerations read and change what their values name."""
    made = {"a": x, (1, "b"): 2 * x, b"a": 3 * x, 1: 5 * x}
    for key in (Name.A, Pair.AB, Code.A, Size.ONE):
        made[key] *= x
    made[(Name.A, Size.ONE)] = made[Name.A] + made[Pair.AB]
    found = made["a", 1] * made[1, "b"] + made[b"a"] * made[1] + made.pop(Name.A)
    return found, [type(key) is str for key in made], Name.A in made


def of_members(x):
    """Values read and change what members of enumerations name."""
    made = {Name.A: x, Pair.AB: 2 * x, Code.A: 3 * x, Size.ONE: 5 * x, (Name.A, 7): 7 * x}
    for key in ("a", (1, "b"), b"a", 1):
        made[key] *= x
    found = made[Name.A] * made[1, "b"] + made[Code.A] * made[1] + made["a", 7]
    return found, [type(key) is str for key in made], "a" in made, next(iter(made)) is Name.A


def pairs(x):
    made = {Point((1, 2)): x, (3, 4): 2 * x}
    made[1, 2] *= x
    made[Point((3, 4))] *= x
    return made[Point((1, 2))] * made[3, 4], x * OF_PAIRS[1, "b"] * OF_PAIRS[3, 4] * OF_PAIRS[Pair.AB]


def partly_compared(x):
    """Fields that take no part in `==` and `hash` take none in sets and dictionaries."""
    made = {Named(1.0): x, Named(2.0, "b"): x * x}
    made[Named(1.0, "c")] *= 3.0
    distinct = {Named(1.0, "a"), Named(1.0, "b"), Named(2.0), Named(2.0, count=3)}
    return made[Named(1.0)] * made[Named(2.0, "d")], len(made), len(distinct), made.get(Named(3.0), x)


def by_elements(x):
    weights = {0.5: x, 1: 2 * x, Fraction(2): 3 * x}
    return sum(weights[e] for e in np.array([0.5, 1.0, 2.0]))


EXAMPLES = [
    Example(from_outside, (0.7,)),
    Example(of_integers, (0.7,)),
    Example(one_key, (0.7,)),
    Example(elements, (0.7,)),
    Example(counted, (0.7,)),
    Example(members, (0.7,)),
    Example(of_members, (0.7,)),
    Example(pairs, (0.7,)),
    Example(partly_compared, (0.7,)),
    Example(by_elements, (0.7,)),
]
