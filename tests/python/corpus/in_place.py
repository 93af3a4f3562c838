"""Lists and dictionaries that change while a loop goes over them."""

from __future__ import annotations

from tests.python.corpus import Example


def doubled_in_place(xs: tuple[float, ...]) -> list[float]:
    """Each element is written while it is gone over."""
    values = list(xs)
    for i, value in enumerate(values):
        values[i] = 2.0 * value
    return values


def growing(x: float, limit: int) -> list[float]:
    """A list that grows while it is gone over."""
    queue = [x]
    for value in queue:
        if len(queue) < limit:
            queue.append(0.5 * value + 1.0)
    return queue


def from_both_ends(xs: tuple[float, ...]) -> list[float]:
    """The first element is written while both ends are read."""
    values = list(xs)
    for first, last in zip(values, reversed(values), strict=True):
        values[0] = values[0] + 0.1 * first * last
    return values


def rebound(x: float) -> list[float]:
    """The variable gets another list; the loop goes on over the first."""
    values = [1.0, x]
    for value in values:
        values = [*values, 2.0 * value]
    return values


def scaled_table(x: float) -> dict[str, float]:
    """Values of a dictionary written by its keys, and by its items."""
    table = {"a": x, "b": 2.0}
    for key in table:
        table[key] *= 3.0
    for key, value in table.items():
        table[key] = value + 1.0
    return table


def later_value(x: float) -> tuple[float, dict[str, float]]:
    """A value that is written before the loop comes to it."""
    table = {"a": x, "b": 2.0, "c": 1.0}
    total = 0.0
    for value in table.values():
        table["c"] = value + 10.0
        total += value
    return total, table


def emptied(x: float) -> tuple[float, int]:
    """A dictionary emptied by the list of its keys."""
    table = {"a": x, "b": 2.0 * x}
    total = 0.0
    for key in list(table):
        total += table.pop(key)
    return total, len(table)


def resized(x: float) -> float:
    """A dictionary that grows while it is gone over."""
    table = {"a": x}
    for _ in table:
        table["b"] = x
    return table["a"]


def caught_resizing(x: float) -> tuple[str, float]:
    """The same, handled."""
    table = {"a": x}
    try:
        for key, value in table.items():
            table[key + "!"] = 2.0 * value
    except RuntimeError as error:
        return str(error), sum(table.values())
    return "", x


EXAMPLES = [
    Example(doubled_in_place, ((1.0, -2.0, 3.0),)),
    Example(growing, (1.5, 6)),
    Example(from_both_ends, ((1.0, 2.0, 3.0),)),
    Example(rebound, (2.5,)),
    Example(scaled_table, (1.5,)),
    Example(later_value, (0.5,)),
    Example(emptied, (1.5,)),
    Example(resized, (1.0,), raises=RuntimeError),
    Example(caught_resizing, (1.0,)),
]
