"""Functions and methods that write into the arrays that they are passed."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.arrays.corpus import Example, filled


def fill(out: Any, x: Any) -> None:
    out[:] = x * np.arange(float(len(out)))
    out[0] += x[1]


def fill_and_double(out: Any, x: Any) -> float:
    """Write through a function that is called, then in place."""
    fill(out, x)
    out *= 2.0
    return 7.0


def filled_by_a_function(x: Any) -> Any:
    out = np.zeros(len(x))
    fill(out, x)
    return np.sum(out**2)


def filled_through_two_functions(x: Any) -> Any:
    """The result of the call is used, too."""
    out = np.zeros(len(x))
    scale = 1.0 + fill_and_double(out, x) * x[0]
    return np.sum(out**2) * scale


def add_to(total: Any, term: Any) -> None:
    total += term


def in_place_for_arrays_only(x: Any) -> Any:
    """Augmented assignment changes the caller's array and list, not its number."""
    array, number, items = np.zeros(len(x)), x[0], [x[0]]
    for _ in range(2):
        add_to(array, x)
        add_to(number, 5.0)
        add_to(items, [x[1]])
    return np.sum(array**2) + number * sum(items)


def swap(a: Any, b: Any) -> Any:
    """Exchange two arrays' elements; returns one of them."""
    kept = a.copy()
    a[:] = b
    b[:] = kept
    return a


def two_arrays(x: Any) -> Any:
    a, b = x * 1.0, x**2
    c = swap(a, b=b)
    return np.sum(a * c) + 3.0 * np.sum(b)


def the_same_array_twice(x: Any) -> Any:
    a = x * 1.0
    only_one(a, a)
    return np.sum(a**2)


def only_one(a: Any, b: Any) -> None:
    b[0] = 2.0 * b[1]


def powers(a: Any, i: int, x: Any) -> None:
    """Write element by element, by recursion."""
    if i < len(a):
        a[i] = x[0] ** i + (a[i - 1] if i else 0.0)
        powers(a, i + 1, x)


def by_recursion(x: Any) -> Any:
    a = np.zeros(5)
    powers(a, 0, x)
    return np.sum(a * a)


def with_out(a: Any, b: Any, out: Any = None) -> Any:
    """Write where the caller says, if it does."""
    if out is None:
        out = np.zeros(len(a))
    return np.add(a, b, out=out)


def product(a: Any, b: Any, out: Any) -> Any:
    np.multiply(a, b, out=out)
    return out


def given_a_buffer(x: Any) -> Any:
    """A function of NumPy that writes to `out`, inside of one that is passed it."""
    buffer = np.empty(len(x))
    for _ in range(3):
        product(x, x + buffer[0] * 0.0 + 1.0, out=buffer)
        x = x + buffer * 0.1
    return np.sum(buffer) + np.sum(with_out(x, x))


class Grid:
    """Cells, and a buffer for their next values."""

    def __init__(self, cells: Any) -> None:
        self.cells = cells
        self.next = np.zeros(len(cells))

    def diffuse(self, into: Any, rate: float) -> None:
        for i in range(len(into)):
            left, right = self.cells[i - 1], self.cells[(i + 1) % len(into)]
            into[i] = self.cells[i] + rate * (left - 2.0 * self.cells[i] + right)

    def step(self, rate: float) -> None:
        self.diffuse(self.next, rate)
        self.cells, self.next = self.next, self.cells


class Frozen(Grid):
    """A grid that writes nothing."""

    def diffuse(self, into: Any, rate: float) -> None:
        self.rate = rate


def by_methods(x: Any) -> Any:
    """An attribute is written through a method; another class's method of the name writes nothing."""
    total = 0.0
    for grid in (Grid(x * 1.0), Frozen(x * 2.0)):
        for _ in range(2):
            grid.step(0.1)
        buffer = np.ones(len(x))
        grid.diffuse(buffer, rate=0.2)
        total = total + np.sum(grid.cells**3) + np.sum(buffer**2)
    return total


def in_containers(x: Any) -> Any:
    """The arrays lie in a list and a dictionary."""
    rows = [np.zeros(len(x)) for _ in range(3)]
    named = {"a": np.ones(len(x))}
    for i in range(3):
        fill(rows[i], x * (i + 1.0))
    fill(named["a"], rows[2])
    return sum(np.sum(row**2) for row in rows) + np.sum(named["a"] ** 2)


def in_conditions(x: Any) -> Any:
    """The call stands within expressions that Python may leave out."""
    a, b = np.zeros(len(x)), np.zeros(len(x))
    first = fill_and_double(a, x) > 0.0 or fill_and_double(b, x) > 0.0
    second = [fill_and_double(b, x) for _ in range(2)] if first else []
    return np.sum(a**2) + np.sum(b**2) + sum(second)


def refresh(a: Any, x: Any) -> None:
    """Write into the array, then into a copy that the caller does not see."""
    a[0] = x[0]
    b = a * 1.0
    b[1] = 100.0


def and_not_into_copies(x: Any) -> Any:
    a = x * 2.0
    refresh(a, x)
    return np.sum(a**2)


def by_nested_functions(x: Any) -> Any:
    """Functions that see variables of the function around them, one of which changes."""
    scale = 2.0

    def fill_scaled(out: Any, y: Any) -> None:
        out[:] = y * scale
        shift(out)

    def shift(o: Any) -> None:
        o += 1.0

    buffer = np.zeros(len(x))
    rows = [np.zeros(len(x)) for _ in range(2)]
    for i in range(2):
        scale = scale + x[0]
        fill_scaled(buffer, x * i)
        fill_scaled(rows[i], y=x)
    return np.sum(buffer**2) + np.sum(rows[0] * rows[1])


def by_nested_recursion(x: Any) -> Any:
    def fill_from(out: Any, n: int) -> None:
        if n < len(out):
            out[n] = x[0] ** n
            fill_from(out, n + 1)

    a = np.zeros(4)
    fill_from(a, 0)
    return np.sum(a * a)


class First:
    """Objects whose method writes into what it is passed by position."""

    def put(self, out: Any, value: float) -> None:
        out[0] = value


class Nothing:
    """Objects whose method takes everything, and writes into nothing."""

    def put(self, *args: Any) -> Any:
        return args[1]


def among_others(x: Any) -> Any:
    """A call of a method of which another class takes the array among `*args`."""
    out = np.zeros(2)
    takers: list[Any] = [First(), Nothing(), First()]
    for each, value in zip(takers, x, strict=True):
        each.put(out, value)
        out[1] += out[0] * value
    return out


def _into(x: Any, out: Any = None, other: Any = None) -> Any:
    """A function that makes the array for its result where it is passed none."""
    allocated = out is None
    if allocated:
        out = np.empty_like(x)
    if other is None:
        other = np.zeros(1)
    np.add(x, 1.0, out=out)
    out.cumprod(axis=0, out=out)
    other[0] += out[0]
    return out if allocated else None


def written_unless_none(x: Any) -> Any:
    y, total, nothing = np.zeros(3), np.ones(2), None
    _into(x, out=y, other=total)
    made = _into(x * 2.0, nothing)
    return y * x, total, made, nothing


def _passed_on(a: Any) -> None:
    from tests.arrays.corpus.callees import _into as imported  # noqa: PLC0415

    imported(a * 2.0, a)


def written_by_an_import(x: Any) -> Any:
    """A function that the callee imports writes into what it is passed."""
    y = x * x
    _passed_on(y)
    return y


EXAMPLES = [
    Example(written_unless_none, (filled(3),)),
    Example(written_by_an_import, (filled(3),)),
    Example(among_others, (filled(3),)),
    Example(by_nested_functions, (filled(3),)),
    Example(by_nested_recursion, (filled(2),)),
    Example(filled_by_a_function, (filled(3),)),
    Example(filled_through_two_functions, (filled(3),)),
    Example(in_place_for_arrays_only, (filled(3),)),
    Example(two_arrays, (filled(3),)),
    Example(the_same_array_twice, (filled(3),)),
    Example(by_recursion, (filled(2),)),
    Example(given_a_buffer, (filled(3),)),
    Example(by_methods, (filled(4),)),
    Example(in_containers, (filled(3),)),
    Example(in_conditions, (filled(3),)),
    Example(and_not_into_copies, (filled(3),)),
]
