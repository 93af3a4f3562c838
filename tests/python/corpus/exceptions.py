"""Errors as control flow: handlers, clean-up, retries, chains, and calls that end in an error."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.python.corpus import Example


class ModelError(Exception):
    """Something is wrong with a model."""


class DivergedError(ModelError):
    """The iteration does not settle."""


class OutOfRangeError(ModelError):
    """A value is outside its range."""


class BudgetError(Exception):
    pass


class FoundError(Exception):
    """A search has ended."""


@dataclass(frozen=True)
class Sensor:
    """A sensor that fails outside its range."""

    low: float
    high: float
    gain: float = 1.0

    def read(self, x: float) -> float:
        if not self.low <= x <= self.high:
            raise OutOfRangeError(f"{x:.2f} is not between {self.low:.1f} and {self.high:.1f}")
        return self.gain * x


def safe_divide(a: float, b: float, default: float = 0.0) -> float:
    """A quotient, or a default."""
    try:
        return a / b
    except ZeroDivisionError:
        return default


def guarded_mean(pairs: Sequence[tuple[float, float]]) -> float:
    """The mean of the quotients that exist."""
    total, count = 0.0, 0
    for a, b in pairs:
        try:
            quotient = a / b
        except ZeroDivisionError:
            continue
        else:
            total += quotient
        finally:
            count += 1
    return total / count


def classify(f: Callable[[float], float], x: float) -> str:
    """The name of what goes wrong."""
    try:
        f(x)
    except (ValueError, OverflowError) as e:
        return f"math: {e}"
    except ZeroDivisionError:
        return "division"
    except ArithmeticError:
        return "arithmetic"
    else:
        return "fine"
    finally:
        print("classified", x)


def error_codes(x: float) -> tuple[float, list[str]]:
    """A value beside the errors of several functions."""
    codes = [classify(f, -x) for f in (math.sqrt, math.log, lambda v: 1 / (v + x), math.sin)]
    return x * len([c for c in codes if c != "fine"]), codes


def retry(action: Callable[[float], float], step: float, attempts: int = 5) -> float:
    """The action with smaller and smaller steps."""
    for attempt in range(attempts):
        try:
            return action(step / 2**attempt)
        except DivergedError as e:
            print(f"attempt {attempt}: {e}")
    raise BudgetError(f"{attempts} attempts")


def descend(start: float, rate: float) -> float:
    """Gradient descent on x^4 that notices divergence."""
    x = start
    for _ in range(12):
        x -= rate * 4 * x**3
        if abs(x) > 100:
            raise DivergedError(f"x = {x:.3e}")
    return x


def careful_descent(start: float, rate: float) -> float:
    """Descent with a rate that is halved until it works."""
    return retry(lambda r: descend(start, r), rate)


def read_all(sensors: Sequence[Sensor], x: float) -> tuple[float, int]:
    """The mean of the sensors that work, and how many do not."""
    readings, failures = [], 0
    for sensor in sensors:
        try:
            readings.append(sensor.read(x))
        except OutOfRangeError:
            failures += 1
    if not readings:
        raise ModelError("no sensor works")
    return sum(readings) / len(readings), failures


def finally_accumulates(values: list[float], limit: float) -> list[float]:
    """What was done before an early return, kept by finally."""
    seen: list[float] = []

    def walk() -> float:
        total = 0.0
        for value in values:
            try:
                if value > limit:
                    return total
                total += value
            finally:
                seen.append(total * value)
        return -total

    result = walk()
    seen.append(result)
    return seen


def nested_handlers(x: float) -> float:
    """An error that passes one handler and meets the next."""
    trail = 1.0
    try:
        try:
            if x > 1.0:
                raise KeyError("large")
            trail *= math.acos(x)
        except ValueError:
            trail = -1.0
        finally:
            trail += 0.5 * x
    except KeyError as e:
        trail *= 10 * x + len(str(e))
    return trail


def chained(text: str, x: float) -> float:
    """An error raised from another."""
    try:
        factor = float(text)
    except ValueError as e:
        raise ModelError(f"not a number: {text}") from e
    return factor * x


def parse_or_zero(fields: Sequence[str], x: float) -> float:
    """The numbers among some words, weighted by x."""
    total = 0.0
    for i, word in enumerate(fields):
        try:
            total += chained(word, x) * (i + 1)
        except ModelError:
            total -= x
    return total


def reraise(values: list[float]) -> float:
    """A handler that looks and raises again."""
    position = 0
    try:
        for value in values:
            position += 1
            math.log(value)
    except ValueError:
        if position > 2:
            raise
        return -1.0
    return sum(map(math.log, values))


def loop_with_escape(grid: list[list[float]], wanted: float) -> tuple[int, int, float]:
    """A search in nested loops that is left by an exception."""
    at = (0, 0)
    try:
        for i, row in enumerate(grid):
            for j, value in enumerate(row):
                at = (i, j)
                if value > wanted:
                    raise FoundError
    except FoundError:
        i, j = at
        return i, j, grid[i][j] - wanted
    return -1, -1, 0.0


def backtrack(target: float, pieces: Sequence[float], chosen: tuple[float, ...] = ()) -> tuple[float, ...]:
    """Pieces whose sum fits a target, dead ends told by an exception."""
    rest = target - sum(chosen)
    if abs(rest) < 0.26:
        return chosen
    if rest < 0 or not pieces:
        raise BudgetError
    first, *others = pieces
    try:
        return backtrack(target, others, (*chosen, first))
    except BudgetError:
        return backtrack(target, others, chosen)


def validated_step(state: dict[str, float], dt: float) -> dict[str, float]:
    """A step whose input and output are asserted."""
    assert dt > 0, "time goes forward"
    assert sorted(state) == ["v", "x"], "wrong state"
    moved = {"x": state["x"] + dt * state["v"], "v": state["v"] - dt * math.sin(state["x"])}
    assert all(math.isfinite(value) for value in moved.values())
    return moved


def domain_error(x: float) -> float:
    return math.asin(x) + math.log(x)


def overflow(x: float) -> float:
    """Repeated exponentials."""
    for _ in range(5):
        x = math.exp(x)
    return x


def missing_key(table: dict[str, float], name: str) -> float:
    return table[name] * table["scale"]


def past_the_end(values: list[float]) -> float:
    return sum(values[i] * values[i + 1] for i in range(len(values)))


def wrong_type(things: Sequence[Any]) -> float:
    """The sum of things that need not be numbers."""
    total = 0.0
    for thing in things:
        total = total + thing
    return total


def wrong_call(x: float) -> float:
    """A function called with too many arguments."""
    functions: tuple[Callable[..., float], ...] = (math.sin, lambda a, b: a * b)
    return sum(f(x) for f in functions)


def audited_energy(speeds: list[float]) -> tuple[float, float, int]:
    """A nested function that changes variables, and may raise after it has."""
    log: list[float] = []
    seen = 0.0

    def energy(speed: float) -> float:
        nonlocal seen
        seen += speed
        log.append(speed)
        if speed < 0.0:
            raise ValueError("a negative speed")
        return 0.5 * speed * speed

    total = 0.0
    for speed in speeds:
        try:
            total += energy(speed)
        except ValueError:
            total += 0.1 * seen * len(log)
        finally:
            seen += 0.5
    return total, seen, len(log)


def depth_reached(x: float) -> tuple[float, str]:
    """A recursion that counts its calls and ends with an exception."""
    calls = 0

    def descend(depth: int) -> int:
        nonlocal calls
        calls += 1
        if depth == 0:
            raise KeyError("bottom")
        try:
            descend(depth - 1)
        except ZeroDivisionError:
            calls = 100
        return depth

    try:
        descend(3)
    except KeyError as error:
        return x * calls, str(error)
    return 0.0, ""


SENSORS = (Sensor(0.0, 5.0), Sensor(2.0, 9.0, gain=1.1), Sensor(-5.0, 1.0))

EXAMPLES = [
    Example(audited_energy, ([1.0, -2.0, 3.0],)),
    Example(depth_reached, (2.0,)),
    Example(safe_divide, (1.0, 3.0)),
    Example(safe_divide, (1.0, 0.0), differentiable=False),
    Example(guarded_mean, ([(1.0, 2.0), (3.0, 0.5), (2.0, 4.0)],)),
    Example(guarded_mean, ([(1.0, 2.0), (3.0, 0.0), (2.0, 4.0)],), differentiable=False),
    Example(error_codes, (1.5,)),
    Example(careful_descent, (2.0, 0.9)),
    Example(careful_descent, (20.0, 0.9), raises=BudgetError),
    Example(read_all, (SENSORS, 3.0)),
    Example(read_all, (SENSORS, 30.0), raises=ModelError),
    Example(finally_accumulates, ([1.0, 2.0, 5.0, 1.0], 4.0)),
    Example(nested_handlers, (0.4,)),
    Example(nested_handlers, (1.4,)),
    Example(nested_handlers, (-1.4,)),
    Example(parse_or_zero, (["1.5", "x", "2e1", ""], 0.7)),
    Example(chained, ("two", 1.0), raises=ModelError),
    Example(reraise, ([2.0, 3.0, 0.5],)),
    Example(reraise, ([2.0, 3.0, -0.5],), raises=ValueError),
    Example(loop_with_escape, ([[1.0, 2.0], [0.5, 4.5], [6.0, 7.0]], 3.0)),
    Example(backtrack, (7.0, (3.1, 2.2, 4.6, 1.4, 0.8))),
    Example(validated_step, ({"x": 0.5, "v": 1.0}, 0.1)),
    Example(validated_step, ({"x": 0.5, "v": 1.0}, -0.1), raises=AssertionError),
    Example(domain_error, (1.5,), raises=ValueError),
    Example(overflow, (1.5,), raises=OverflowError),
    Example(missing_key, ({"a": 1.0}, "a"), raises=KeyError),
    Example(past_the_end, ([1.0, 2.0, 3.0],), raises=IndexError),
    Example(wrong_type, ((1.0, "metres"),), raises=TypeError),
    Example(wrong_call, (1.0,), raises=TypeError),
]
