"""Methods of Python's own types as values, and constants as the keys of dictionaries."""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from string import Template
from typing import Any

from tests.python.corpus import Example

NUMBER = re.compile(r"(\w+)=(\d+\.?\d*)")
GREETING = Template("hello $name")


class Side(enum.Enum):
    """Where an option is."""

    CALL = 1
    PUT = -1


def best(x: float) -> tuple[object, ...]:
    """Keys by their values."""
    scores: Any = {"a": x, "b": 2.0 * x, "c": 0.5}
    get = scores.get
    return (
        max(scores, key=scores.get),
        min(scores, key=scores.__getitem__),
        sorted(scores, key=scores.get, reverse=True),
        sum(map(scores.get, ["a", "b"])),
        get("z", 1.0) * get("a"),
        list(filter(scores.__contains__, "abz")),
        list(map(dict.copy, [scores])),
    )


def collected(x: float) -> tuple[object, ...]:
    """Lists changed by methods that are held."""
    found: list[float] = []
    add, take = found.append, found.pop
    for i in range(4):
        add(x * i)
    last = take()
    actions: dict[str, Callable[..., object]] = {"add": found.append, "extend": found.extend}
    actions["add"](7.0)
    actions["extend"]([x, x])
    found.sort(key=lambda y: -y)
    return found, last, take(0), found.count(x)


def texts(x: float) -> tuple[object, ...]:
    """Methods of strings as values."""
    join = ", ".join
    words = ["b", "A", "c"]
    return (
        list(map(str.upper, words)),
        sorted(words, key=str.lower),
        join(words),
        list(map("x{}".format, [1, 2])),
        list(map(str.strip, [" a ", "b "])),
        list(filter(str.isdigit, "a1b2")),
        [x * n for n in map(int.bit_length, [3, 9])],
        x * int.from_bytes((300).to_bytes(2, "big") + (7).to_bytes(length=1, byteorder="little"), "big"),
        list(map(float.is_integer, [1.0, 1.5])),
    )


def by_constants(x: float) -> tuple[object, ...]:
    """Fractions, decimals, dates, bytes and members of enumerations as keys."""
    taps: dict[Any, float] = {Fraction(1, 4): x, Fraction(1, 2): 2.0 * x, 3: 1.0}
    taps[Fraction(3)] = 5.0
    wholes: dict[Any, float] = {3: x, Fraction(-1): 2.0 * x}
    wholes[Fraction(3)] = 5.0 * x  # equal to the integer, also as a key
    prices = {Decimal("1.10"): x, Decimal("2.2"): x * x}
    days = {date(2020, 1, 1): x, date(2020, 1, 2): 3.0}
    sides = {Side.CALL: x, Side.PUT: 2.0}
    return (
        sum(float(k) * v for k, v in taps.items()),
        [k + 1 for k in taps],
        taps[Fraction(2, 4)],
        [wholes[3], wholes[-1], len(wholes)],
        prices[Decimal("1.1")],
        [day.isoformat() for day in days],
        days.get(date(2020, 1, 2)),
        {b"a": x}[b"a"],
        [side.name for side in sides],
        sum(side.value * v for side, v in sides.items()),
        {(Side.PUT, 1): x}[(Side.PUT, 1)],
        [side.name for side, _ in {(Side.PUT, 1): x}],
        Fraction(1, 3) in taps,
        {**taps, Fraction(1, 5): 0.0}.pop(Fraction(1, 5)),
        dict.fromkeys([Fraction(1, 2)], x),
        {}.fromkeys("ab", 1.0),
    )


def parsed(x: float) -> tuple[object, ...]:
    """What patterns and texts hold."""
    settings = json.loads('{"rate": 1.5, "steps": [1, 2], "name": null}')
    found = {m.group(1): float(m.group(2)) * x for m in NUMBER.finditer("a=1.5 b=2")}
    first = re.match(r"(?P<n>\d+)", "12ab")
    assert first is not None
    return (
        settings["rate"] * x,
        sum(settings["steps"]),
        settings.get("name"),
        found,
        int(first["n"]) * x,
        (first.start(), first.end(), first.groups(), first.groupdict(), first.span()),
        [m.group() for m in re.finditer(r"\d+", "1 22 333")],
        re.subn("a", "b", "aa"),
        NUMBER.pattern,
        GREETING.substitute(name="you"),
        Template("$a $c").safe_substitute(a=2),
    )


def calendar(x: float, day: datetime) -> tuple[object, ...]:
    """Attributes and methods of dates."""
    return (
        x * day.timetuple().tm_yday,
        day.isocalendar().week,
        datetime.strptime("2020-03-01", "%Y-%m-%d").month,
        [date.fromisoformat(text).day for text in ("2020-03-01", "2021-04-02")],
        list(map(date.fromisoformat, ["2020-03-01"])),
        hash(3) + hash((1, 2)) == hash(3) + hash((1, 2)),
    )


EXAMPLES = [
    Example(best, (1.5,)),
    Example(collected, (1.5,)),
    Example(texts, (1.5,)),
    Example(by_constants, (1.5,)),
    Example(parsed, (1.5,)),
    Example(calendar, (1.5, datetime(2020, 3, 1, 12))),
]
