"""Dates, fractions, decimals, paths and patterns: constants, with which Python computes."""

from __future__ import annotations

import json
import os
import re
import string
import textwrap
import typing
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path

from tests.python.corpus import Example

DAY = timedelta(days=1)
START = datetime(2020, 1, 1, tzinfo=UTC)
WORD = re.compile(r"(\w)\w+")


def accrued(x: float, when: datetime, until: date) -> float:
    """Interest from one day to another."""
    then = datetime(2021, 3, 4, 5, tzinfo=UTC) + 2 * DAY
    years = (then - START).total_seconds() / timedelta(days=365).total_seconds()
    print(then, f"{when:%Y-%m}", then.isoformat(), then > when, when.year, max(when, then).month)
    print(sorted([then, when, START])[0], then == when, then.replace(1999), (then - when).days)
    left = (until - date(2021, 1, 1)).days
    return float(x * 1.05**years + left * x)


def of_fractions(x: float, q: Fraction, d: Decimal) -> float:
    """Exact numbers, made into reals where they meet one."""
    half = Fraction(1, 2) + q
    print(half, half.numerator, q < half, d * 2, abs(-q), round(d), Decimal("1.25").quantize(d), -d, str(q))
    total = Fraction(0)
    for i in range(1, 5):
        total += Fraction(1, i)
    return x * float(total) + float(d) * x * x


def of_texts(x: float, folder: Path) -> tuple[object, ...]:
    """Paths, patterns and texts."""
    file = folder / "b.txt"
    found = WORD.match("hello")
    return (
        file.name,
        file.suffix,
        str(file.with_suffix(".c")),
        os.path.join("a", "b"),
        os.path.splitext("x.y"),
        found.group(1) if found is not None else "",
        re.sub("l+", "L", "hello"),
        WORD.findall("one two"),
        textwrap.fill("hello world", width=5),
        string.capwords("a b"),
        json.dumps({"a": [1, x]}),
        typing.cast("int", x) * 2.0,
    )


def rounded_half_up(x: float) -> float:
    """A Decimal of a real that is rounded, compared and printed."""
    exact = Decimal(x)
    whole = int((exact * 3 + 1).quantize(Decimal("1"), rounding=ROUND_HALF_UP))
    print(exact, round(exact), round(exact, 1), exact > 2, f"{exact:.3f}", max(exact, Decimal(1)))
    print(type(exact) is Decimal, isinstance(exact, Decimal), divmod(exact, 2), sum([exact, exact]), -exact)
    return x * whole


def of_no_date(x: float) -> float:
    """A month that is none."""
    return x * datetime(2020, 13, 1).month


def of_zero(x: float) -> float:
    """A fraction without a value."""
    return x * float(Fraction(1, 0))


EXAMPLES = [
    Example(accrued, (2.0, START + 3 * DAY, date(2021, 2, 3))),
    Example(of_fractions, (1.5, Fraction(2, 3), Decimal("1.5"))),
    Example(of_texts, (1.5, Path("a"))),
    Example(rounded_half_up, (2.3,)),
    Example(of_no_date, (1.5,), raises=ValueError),
    Example(of_zero, (1.5,), raises=ZeroDivisionError),
]
