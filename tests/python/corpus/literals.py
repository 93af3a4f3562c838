"""Bytes, `...`, patterns of every kind, and texts with values in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tests.python.corpus import Example

MAGIC = b"CKPT"


@dataclass(frozen=True)
class Circle:
    radius: float
    colour: str = "red"


class Box(NamedTuple):
    width: float
    height: float


def header(scale: float, data: bytes = b"CKPT\x02\x03") -> tuple[float, bytes, str]:
    """Bytes are constants: compared, cut, indexed, counted."""
    if data[:4] != MAGIC or b"KP" not in data:
        return 0.0, b"", ""
    total = scale * sum(data[4:]) + data[4]
    for byte in data:
        total += scale * (byte % 2)
    return total, data[::-1], data[:4].decode() + "-".join(str(b) for b in data[4:])


def checksum(data: bytes, weight: float) -> float:
    """A weighted sum of bytes."""
    total = 0.0
    for i, byte in enumerate(data):
        total = (total + weight * byte) / (i + 1)
    return total + len(data.split(b",")) + data.count(b"a") + data.index(b",")


def with_default(x: float, limit: Any = ..., *more: float) -> float:
    """`...` as the mark of an argument that is not given."""
    if limit is ...:
        limit = 1.0
    rest = [*more, ...]
    return min(x, limit) if rest[-1] is Ellipsis else x


def default_mark(x: float) -> tuple[float, float]:
    return with_default(x), with_default(x, 5.0, 1.0)


def area(shape: Any) -> Any:
    """The measure of anything, by its pattern."""
    match shape:
        case Circle(radius=r, colour="red" | "blue"):
            return 3.0 * r * r
        case Circle(r):
            return 2.0 * r
        case Box(w, h) if w > h:
            return w * h
        case {"kind": "line", "length": length, **rest}:
            return length + len(rest)
        case {"kind": kind}:
            return float(len(kind))
        case bool():
            return 10.0
        case float(value) | int(value):
            return value
        case [] | ():
            return 0.0
        case [first, *_, last]:
            return first * last
        case [only]:
            return area(only)
        case b"ab" | "ab" | None:
            return 0.25
        case {}:
            return 7.0
    return -1.0


def areas(x: float) -> list[Any]:
    shapes = [
        Circle(x), Circle(x, "green"), Box(x, 1.0), Box(x, 9.0), x, 3, True, [], (), [[x]], [x, 2.0, x],
        {"kind": "line", "length": x, "width": 1}, {"kind": "dot"}, {"length": x}, b"ab", "ab", None, "cd",
    ]  # fmt: skip
    return [area(shape) for shape in shapes]


def settings(config: dict[str, Any], x: float) -> tuple[float, dict[str, Any]]:
    """Patterns of nested dictionaries; the rest is a new dictionary."""
    match config:
        case {"model": {"rate": rate, "name": str() as name}, "steps": [first, *others], **rest}:
            rest["name"] = name
            return rate * x + first + sum(others), rest
        case {"model": _}:
            return x, {}
    return -x, {}


def filled(x: float, names: Sequence[str]) -> str:
    """Every way to put values into a text."""
    width, table = 9, {"a": x, "b": 2}
    return "|".join(
        [
            "%.3f and %5d|%-8s|%r|%%" % (x, 3, "ab", "c"),
            "%s" % x,
            "%(a).2f %(b)s" % table,
            "{:.3f} {!r:>10} {name:<6}".format(x, *names, name="q"),
            "{0[1]} {a} {b:{w}}".format(names, **table, w=4),
            "{0.radius:.1f} {0.colour}".format(Circle(x)),
            f"{x:{width}.{3}f} {x!r:>{width}} {'a':*^9} {x:+.2e} {1234567:_} {1234.5:,.1f}",
            f"{x=} {x=:.2f} {width = !r:>4}",
            f"{f'{x:.1f}':>6}{'yes' if x > 1 else 'no'}{[i * 2 for i in range(3)]}{table['a']:.1f}",
            f"{Circle(x)} {Box(x, 1.0)!r} {None} {(x,)} {table!s} {'é'!a}",
            format(x, ">8.3g") + format(255, "#06x") + str(x).zfill(8),
        ]
    )


def wrong_format(x: float) -> str:
    text: Any = "{:d}"
    return str(text.format(x))


def too_few_values(x: float) -> str:
    text: Any = "%s %s"
    return str(text % (x,))


def missing_name(x: float) -> str:
    text: Any = "{a} {b}"
    return str(text.format(a=x))


def squares_above(limit: float, items: Sequence[float]) -> tuple[list[float], float, bool]:
    """`:=` in comprehensions, which binds in the function around."""
    kept = [square for item in items if (square := item * item) > limit]
    running = [total := 0.0, *[total := total + item for item in items]]
    found = any((hit := item) > limit for item in items)
    return kept + running, square + hit, found and 0.0 < hit <= total != limit


EXAMPLES = [
    Example(header, (0.5,)),
    Example(checksum, (b"a,bc", 0.3)),
    Example(default_mark, (2.0,)),
    Example(areas, (1.5,)),
    Example(
        settings, ({"model": {"rate": 0.5, "name": "m"}, "steps": [1.0, 2.0, 3.0], "x": 1, "y": 2.0}, 1.5)
    ),
    Example(settings, ({"model": 3}, 1.5)),
    Example(settings, ({"other": 3}, 1.5)),
    Example(filled, (1.25, ["p", "q"]), differentiable=False),
    Example(wrong_format, (1.25,), raises=ValueError),
    Example(too_few_values, (1.25,), raises=TypeError),
    Example(missing_name, (1.25,), raises=KeyError),
    Example(squares_above, (1.0, [0.5, 1.5, -2.0])),
]
