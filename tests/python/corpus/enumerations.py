"""Enumerations whose members are numbers, strings or flags."""

# mypy: ignore-errors
# Written without annotations, and partly wrong on purpose: what Python says of it is compared.

from __future__ import annotations

import math
from datetime import timedelta
from enum import Enum, Flag, IntEnum, IntFlag
from fractions import Fraction

from tests.python.corpus import Example


class Kind(str, Enum):  # noqa: UP042
    A = "a"
    B = "b"


class Num(IntEnum):
    ZERO = 0
    ONE = 1
    TWO = 2


class Perm(Flag):
    R = 1
    W = 2
    X = 4


class Bits(IntFlag):
    P = 1
    Q = 2


class Scale(float, Enum):
    HALF = 0.5
    DOUBLE = 2.0


class Added(IntEnum):
    P = 1

    def __add__(self, other):
        return 100 + other


def arithmetic(x):
    found = Num.TWO * x + x**Num.TWO - Num.ONE + (Num.ONE + Num.TWO) - Num.TWO / x
    return found + Scale.HALF * x + x**Scale.DOUBLE + (x if Scale.HALF < 1 else 0.0) + -Num.TWO * x


def mathematics(x):
    found = math.sqrt(Num.TWO) * x + math.sin(Scale.DOUBLE) + math.atan2(Num.ONE, x) + pow(x, Num.TWO)
    return found + [x, 2 * x][Num.ONE] * (Num.TWO if x > 0 else 1) + sum(n * x for n in Num) + (Added.P + x)


def compared(x):
    ordered = Num.ONE < Num.TWO, Num.TWO == 2, 2 == Num.TWO, Num.TWO > 1.5, max(Num.ONE, 5), x < Num.TWO  # noqa: SIM300
    made = Num.ONE + 1, -Num.ONE, abs(Num.ONE), int(Num.TWO), float(Num.TWO), Num.TWO / 4, 7 // Num.TWO
    return ordered, made, Num(1) is Num.ONE, divmod(7, Num.TWO), round(Scale.HALF), Scale.HALF + Scale.DOUBLE


def truths(x):
    found = [bool(Num.ZERO), bool(Num.ONE), bool(Perm.R & Perm.W), not Num.ZERO, bool(Kind.A)]
    return found, x if Num.ZERO else 2 * x, bool(timedelta(0)), bool(Fraction(0)), bool(timedelta(1))


def flags(x):
    found = Perm.R | Perm.W, (Perm.R | Perm.W) & Perm.W, Perm.R in (Perm.R | Perm.W), Perm.R ^ Perm.W, ~Perm.R
    return found, (Perm.R | Perm.X).value, Bits.P | Bits.Q, Bits.P | 2, Bits.P + 1


def chosen(x):
    allowed = Perm.R | Perm.W
    allowed |= Perm.X
    return x * (2.0 if allowed & Perm.X else 3.0) + len([each for each in Perm if each in allowed])


def strings(x):
    found = (
        Kind.A == "a",
        Kind.A.value,
        Kind.A.upper(),
        Kind.A + "z",
        {"a": 1}[Kind.A],
        Kind["A"],
        Kind("b").name,
    )
    return (
        found,
        len(Kind.A),
        Kind.A < Kind.B,
        ",".join([Kind.A, Kind.B]),
        f"{Kind.A}",
        f"{Num.ONE}",
        repr(Num.TWO),
    )


def wrong_sum(x):
    return Num.ONE + "a"


def wrong_text(x):
    return Kind.A + 1


def wrong_flag(x):
    return Perm.R | 1


def wrong_order(x):
    return Perm.R < Perm.W


def wrong_name(x):
    return Kind["C"]


class Operation(Enum):
    ADD = "+"
    MULTIPLY = "*"

    def __call__(self, a, *rest, scale=1.0):
        for b in rest:
            a = a + b if self is Operation.ADD else a * b
        return a * scale


def called(x):
    """Members are called by name, through variables, and as values."""
    total = Operation.ADD(x, 2.0, scale=x) * Operation.MULTIPLY(x, x) + Operation("+")(x, x)
    for operation in Operation:
        total = operation(total, x)
    return total + sum(map(Operation.ADD, [x, x * x]))


EXAMPLES = [
    Example(called, (0.7,)),
    Example(arithmetic, (0.7,)),
    Example(mathematics, (0.7,)),
    Example(compared, (0.7,), differentiable=False),
    Example(truths, (0.7,), differentiable=False),
    Example(flags, (0.7,), differentiable=False),
    Example(chosen, (0.7,)),
    Example(strings, (0.7,), differentiable=False),
    Example(wrong_sum, (0.7,), raises=TypeError),
    Example(wrong_text, (0.7,), raises=TypeError),
    Example(wrong_flag, (0.7,), raises=TypeError),
    Example(wrong_order, (0.7,), raises=TypeError),
    Example(wrong_name, (0.7,), raises=KeyError),
]
