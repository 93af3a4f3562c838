"""Deleting variables and items, exceptions with causes, and `with`."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType

from tests.python.corpus import Example


class SolverError(RuntimeError):
    """A solver gives up."""


class BracketError(SolverError, ValueError):
    """No change of sign."""


def without_extremes(samples: Sequence[float]) -> tuple[float, int]:
    """The mean of all samples but the smallest and the largest."""
    kept = sorted(samples)
    del kept[0], kept[-1]
    mean = sum(kept) / len(kept)
    count = len(kept)
    del kept
    return mean, count


def thinned(samples: Sequence[float]) -> list[float]:
    """Slices that go."""
    kept = [x * x for x in samples]
    del kept[1:-1:2]
    del kept[:1]
    return kept


def forgets(table: dict[str, float], factor: float) -> float:
    """Items of nested containers that go."""
    found = {"all": dict(table), "rest": {}}
    for name in list(found["all"]):
        if name.startswith("_"):
            del found["all"][name]
    del found["rest"]
    return factor * math.prod(found["all"].values())


def scratch(x: float) -> float:
    """Variables that go and come again."""
    total = 0.0
    for i in range(4):
        square = x * i
        total += square * square
        del square, i
    try:
        return total + square  # noqa: F821
    except UnboundLocalError:
        square = 2.0 * x
    return total + square


def shared(x: float) -> str:
    """A variable that a nested function takes away."""
    note = "kept"

    def forget() -> None:
        nonlocal note
        del note

    forget()
    try:
        return note
    except UnboundLocalError as error:
        return f"{error} {x:.2f}"


def missing_item(x: float) -> float:
    values = [x]
    del values[2]
    return x


def missing_variable(x: float) -> float:
    if x > 2.0:
        y = x
    del y
    return x


def deleted_argument(x: float) -> float:
    del x
    return x  # noqa: F821


def bracketed(low: float, high: float) -> float:
    """The root of a cubic by bisection, with errors that have causes."""

    def f(t: float) -> float:
        return t * t * t - t - 2.0

    if f(low) * f(high) > 0.0:
        raise BracketError("no change of sign", low, high)
    for _ in range(40):
        middle = 0.5 * (low + high)
        if f(low) * f(middle) <= 0.0:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


def solve(low: float, high: float) -> float:
    try:
        return bracketed(low, high)
    except ValueError as error:
        raise SolverError(f"no root near {low:.1f}") from error


def widening(low: float, scale: float) -> tuple[float, str]:
    """Search wider after each failure; the cause holds numbers that count."""
    notes: list[str] = []
    for width in (0.1, 0.2, 4.0):
        try:
            solve(low, low + width)
            return scale * low, "; ".join(notes)
        except SolverError as error:
            cause = error.__cause__
            assert isinstance(cause, BracketError), "the cause is kept"
            notes.append(f"{error}: {cause.args[0]}")
            scale += cause.args[2] - cause.args[1]
    return scale, "nothing"


def hidden_cause(x: float) -> str:
    """`from None`, and exceptions without a cause."""
    found = []
    for cause in (None, ValueError("low"), KeyError()):
        try:
            try:
                raise RuntimeError("high", x) from cause
            except RuntimeError:
                raise
        except Exception as error:
            found.append(f"{error.__cause__ is None} {error.__cause__!r}")
    try:
        math.sqrt(-x)
    except ValueError as error:
        found.append(f"{error.__cause__}")
    return ", ".join(found)


def wrong_cause(x: float) -> float:
    raise ValueError("a") from x  # type: ignore[misc]  # Python's own TypeError


def fails_with_a_cause(x: float) -> float:
    return solve(x, x + 0.1)


@dataclass(frozen=True)
class Tolerant:
    """A manager that prints, and swallows one class of exceptions."""

    name: str
    factor: float
    swallows: bool = False

    def __enter__(self) -> float:
        print(self.name, "in")
        return self.factor

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        print(self.name, "out", repr(error), kind is None, trace is None)
        return self.swallows and kind is not KeyError


def managed(x: float) -> float:
    """Managers one inside another; the variables of the statements outlive them."""
    with Tolerant("a", x) as a, Tolerant("b", a * x) as b:
        total = a * b
    with Tolerant("c", 2.0) as scale:
        return total * scale
    return -1.0


def left_early(x: float) -> float:
    """`break`, `continue` and `return` inside of `with`."""
    total = 0.0
    for i in range(5):
        with Tolerant(str(i), x) as k:
            if i == 1:
                continue
            total += k * i
            if i == 3:
                break
    with Tolerant("last", x):
        if total > 0.0:
            return total
    return -total


def swallowed(x: float) -> tuple[float, list[str]]:
    """Exceptions that a manager takes; what was done before them stays."""
    found: list[str] = []
    for error in (ValueError("v"), KeyError("k"), ZeroDivisionError("z")):
        try:
            with Tolerant("t", x, swallows=True):
                x = x * 1.5
                raise error
            found.append("on")
        except KeyError as caught:
            found.append(f"caught {caught}")
        finally:
            x += 1.0
    return x, found


def counted_in_a_function(x: float) -> float:
    """A variable that a nested function changes before it fails inside of `with`."""
    count = 0.0

    def fail() -> None:
        nonlocal count
        count += x
        raise ValueError(count)

    for _ in range(3):
        with contextlib.suppress(ValueError):
            fail()
    return count * x


def standard_managers(x: float) -> float:
    """Managers of the standard library."""
    with contextlib.suppress(ZeroDivisionError, KeyError):
        x = 2.0 * x
        x = x / 0.0
    with contextlib.nullcontext(3.0) as k, contextlib.suppress(ArithmeticError):
        x = math.exp(k * x) * 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = x * x
    return x + y


def no_manager(x: float) -> float:
    with x as y:  # type: ignore[attr-defined]  # Python's own TypeError
        return float(y)


def fails_inside(x: float) -> float:
    with Tolerant("f", x), Tolerant("g", x):
        return math.sqrt(-x)
    return -1.0


EXAMPLES = [
    Example(without_extremes, ([3.0, 1.5, -2.0, 0.5, 9.0],)),
    Example(thinned, ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0],)),
    Example(forgets, ({"a": 2.0, "_b": 3.0, "c": 1.5}, 0.5)),
    Example(scratch, (0.7,)),
    Example(shared, (0.5,), differentiable=False),
    Example(missing_item, (1.0,), raises=IndexError),
    Example(missing_variable, (1.0,), raises=UnboundLocalError),
    Example(deleted_argument, (1.0,), raises=UnboundLocalError),
    Example(widening, (0.5, 1.5)),
    Example(hidden_cause, (2.0,), differentiable=False),
    Example(wrong_cause, (1.0,), raises=TypeError),
    Example(fails_with_a_cause, (0.5,), raises=SolverError),
    Example(managed, (1.5,)),
    Example(left_early, (0.5,)),
    Example(swallowed, (0.5,)),
    Example(counted_in_a_function, (0.5,)),
    Example(standard_managers, (0.25,)),
    Example(no_manager, (0.5,), raises=TypeError),
    Example(fails_inside, (0.5,), raises=ValueError),
]
