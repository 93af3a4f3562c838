"""Functions that are passed on, stored and returned, and change variables of the functions around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.python.corpus import Example

Visit = Callable[[float], None]


def each(visit: Callable[[float], object], items: Sequence[float]) -> None:
    for item in items:
        visit(item)


def logged(xs: Sequence[float]) -> tuple[float, int, dict[str, float]]:
    """Callbacks that write into lists and dictionaries."""
    log: list[float] = []
    table: dict[str, float] = {}

    def note(x: float) -> None:
        log.append(x * x)
        table[f"{len(log)}"] = x

    each(note, xs)
    each(lambda x: log.append(-x), xs)
    each(lambda x: table.update(last=x), xs)
    return sum(log), len(log), table


def best_of(xs: Sequence[float], bonus: float) -> tuple[float, int]:
    """`nonlocal` in a function that is a value."""
    best, count = -1.0, 0

    def visit(x: float) -> None:
        nonlocal best, count
        count += 1
        best = max(best, x * bonus)

    visits: list[Visit] = [visit, visit]
    for function in visits:
        each(function, xs)
    best += bonus
    visit(100.0)
    return best, count


def make_counter(start: float) -> tuple[Callable[[float], float], Callable[[], float]]:
    """Two functions that share a variable, which outlives the call."""
    total = start

    def add(x: float) -> float:
        nonlocal total
        total = total * 0.5 + x
        return total

    def read() -> float:
        return total

    return add, read


def counters(x: float) -> tuple[float, ...]:
    """Each call makes variables of its own."""
    (add, read), (other, shown) = make_counter(x), make_counter(0.0)
    for i in range(4):
        add(x * i)
        other(-x)
    return read(), shown(), add(read() + shown()), read()


def counted(function: Callable[[float], float]) -> tuple[Callable[[float], float], Callable[[], int]]:
    calls = 0

    def wrapper(x: float) -> float:
        nonlocal calls
        calls += 1
        return function(x)

    return wrapper, lambda: calls


def evaluations(x: float) -> tuple[float, int]:
    """How often a solver calls a function."""
    slope, count = counted(lambda t: t * t - 2.0)
    low, high = 0.0, x
    for _ in range(5):
        middle = 0.5 * (low + high)
        if slope(middle) > 0.0:
            high = middle
        else:
            low = middle
    return slope(x), count()


def undone(x: float) -> tuple[float, list[str]]:
    """A stack of functions that undo changes, the last one first; exceptions on the way."""
    state, undo, notes = x, list[Callable[[], None]](), list[str]()

    def change(factor: float) -> None:
        nonlocal state
        before = state

        def back() -> None:
            nonlocal state
            notes.append(f"{state:.3f}")
            state = before + 0.1

        undo.append(back)
        state = state * factor
        if factor > 4.0:
            raise ValueError(factor)

    for factor in (2.0, 3.0, 5.0):
        try:
            change(factor)
        except ValueError as error:
            notes.append(str(error))
    peak = state
    while undo:
        undo.pop()()
    return peak + state, notes


def mapped(xs: Sequence[float]) -> tuple[list[float], float]:
    """Functions for `map`, `sorted` and `filter` that count."""
    running = 0.0

    def accumulate(x: float) -> float:
        nonlocal running
        running += x
        return running

    sums = list(map(accumulate, xs))
    ordered = sorted(xs, key=lambda x: accumulate(-x) * 0.0 + x)
    return sums + ordered, running


def shown_late(x: float) -> tuple[float, float]:
    """A function sees what is assigned after it was made."""
    rate = x

    def scaled(y: float) -> float:
        return rate * y

    functions = [scaled]
    before = functions[0](2.0)
    rate = rate + 1.0
    return before, functions[0](2.0)


EXAMPLES = [
    Example(logged, ([1.5, -2.0, 0.5],)),
    Example(best_of, ([1.5, 2.0, 0.5], 0.7)),
    Example(counters, (1.5,)),
    Example(evaluations, (2.5,)),
    Example(undone, (0.5,)),
    Example(mapped, ([1.5, -2.0, 0.5],)),
    Example(shown_late, (1.5,)),
]
