"""Define each row of the table that compares an engine with hand-written C, and what is required of it.

In: sizes, an engine. Out: what to do on the engine, and the same in C; nothing is timed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from checkpoint.driver.budget import Budget
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection, Schedule
from experiments.speed.by_hand import BASE, ByHand, room
from experiments.speed.subjects import POINT, Subject, X, subject

# The measurements of each program.
WHATS = {
    "lorenz": ("forward", "segment", "gradient", "bisection"),
    "deep": ("forward", "segment", "again"),
    "mapped": ("forward",),
    "rk4": ("forward", "gradient"),
    "nested": ("forward", "gradient"),
}
PROGRAMS = tuple(WHATS)
MEMORY = "64MB"
RELATIVE = 1e-9

Outcome = tuple[float, list[float]]  # value and gradient, which is empty without one


@dataclass(frozen=True)
class Limit:
    """The limit and the goal of a measurement, as a ratio to C or in nanoseconds."""

    limit: float
    goal: float
    unit: str = "x"


# Required of engine c: (program, what).
LIMITS = {
    ("lorenz", "forward"): Limit(1.5, 1.1),
    ("lorenz", "segment"): Limit(2.5, 1.1),
    ("lorenz", "gradient"): Limit(3.0, 1.2),
    ("lorenz", "bisection"): Limit(3.0, 1.0),
    ("deep", "again"): Limit(4.0, 2.5),
    ("mapped", "forward"): Limit(30.0, 15.0, "ns"),
    ("rk4", "gradient"): Limit(3.0, 1.3),
    ("nested", "gradient"): Limit(4.0, 1.5),
}


@dataclass(frozen=True)
class Sizes:
    """The number of iterations of each measurement; times: repetitions of a segment, which alone is short."""

    forward: int = 1_000_000
    segment: int = 10_000
    times: int = 100
    gradient: int = 10_000_000
    depth: int = 1_000_000
    mapped: int = 1_000_000
    rk4: int = 1_000_000
    nested: int = 2**20
    capsules: int = 1_000
    turns: int = 300


FULL = Sizes()
SMALL = Sizes(2_000, 1_000, 1, 4_000, 20_000, 500, 500, 2**7, 1_000, 100)


@dataclass(frozen=True)
class Measurement:
    """size: of the program; iterations: what its time is divided by."""

    program: str
    what: str
    size: int
    iterations: int
    action: Callable[[], Outcome]


def measurements(program: str, language: str, sizes: Sizes, engine: Engine) -> Iterator[Measurement]:
    """Yield the measurements of a program in one of the languages."""

    def entered(size: int) -> Subject:
        return subject(program, language, size, engine)

    def row(what: str, size: int, action: Callable[[], Outcome], iterations: int = 0) -> Measurement:
        return Measurement(program, what, size, iterations or size, action)

    def gradient(size: int, schedule: Schedule, what: str = "gradient", iterations: int = 0) -> Measurement:
        chosen = entered(size)
        return row(what, size, lambda: chosen.gradient(schedule), iterations)

    if program == "lorenz":
        yield row("forward", sizes.forward, _forward(entered(sizes.forward)))
        segment = entered(sizes.segment)
        yield row(
            "segment", sizes.segment, _repeated(segment.segment, sizes.times), sizes.segment * sizes.times
        )
        yield gradient(sizes.gradient, Budget(MEMORY))
        yield gradient(sizes.gradient, Bisection(base=BASE * steps_of_one(entered)), "bisection")
    elif program == "deep":
        chosen = entered(sizes.depth)
        yield row("forward", sizes.depth, _forward(chosen))
        yield row("segment", sizes.depth, chosen.segment)
        halves = Bisection(base=(chosen.forward().steps + 1) // 2)
        yield gradient(sizes.depth, halves, "again")
    elif program == "nested":
        count = ByHand().nested_steps(sizes.nested)
        yield row("forward", sizes.nested, _forward(entered(sizes.nested)), count)
        yield gradient(sizes.nested, Budget(MEMORY), iterations=count)
    else:
        size = sizes.mapped if program == "mapped" else sizes.rk4
        yield row("forward", size, _forward(entered(size)))
        if program == "rk4":
            yield gradient(size, Budget(MEMORY))


def _forward(chosen: Subject) -> Callable[[], Outcome]:
    return lambda: (chosen.forward().value, [])


def _repeated(action: Callable[[], Outcome], times: int) -> Callable[[], Outcome]:
    def all_times() -> Outcome:
        outcome = action()
        for _ in range(times - 1):
            outcome = action()
        return outcome

    return all_times


def steps_of_one(entered: Callable[[int], Subject]) -> int:
    """Return the steps of one iteration."""
    ten, twenty = (int(entered(size).forward().steps) for size in (10, 20))
    return (twenty - ten) // 10


def in_c(program: str, what: str, hand: ByHand, size: int, times: int = 1) -> Callable[[], Outcome]:
    """Return the same measurement in hand-written C, in which a segment is repeated `times` times."""
    if program == "lorenz" and what == "segment":
        points = room(3 * size)
        return lambda: hand.lorenz_stored(size, POINT, points, times)
    if program == "deep" and what != "forward":
        stored = room(size)
        if what == "segment":
            return lambda: hand.deep_gradient(size, X, stored)
        return lambda: (hand.deep(size, X), hand.deep_gradient(size, X, stored))[1]
    known: dict[tuple[str, str], Callable[[], Outcome]] = {
        ("lorenz", "forward"): lambda: hand.lorenz(size, POINT),
        ("lorenz", "gradient"): lambda: hand.lorenz_checkpoints(size, POINT),
        ("lorenz", "bisection"): lambda: hand.lorenz_bisection(size, POINT),
        ("deep", "forward"): lambda: hand.deep(size, X),
        ("mapped", "forward"): lambda: hand.mapped(size, POINT),
        ("rk4", "forward"): lambda: hand.rk4(size, POINT),
        ("rk4", "gradient"): lambda: hand.rk4_checkpoints(size, POINT),
        ("nested", "forward"): lambda: hand.nested(size, X),
        ("nested", "gradient"): lambda: hand.nested_checkpoints(size, X),
    }
    return known[program, what]


def sizes_in_c(program: str, what: str) -> tuple[int, int, int]:
    """Return size, times and iterations in C, always of full sizes: smaller ones are too short to time."""
    if program == "nested":
        return FULL.nested, 1, ByHand().nested_steps(FULL.nested)
    if what == "segment" and program == "lorenz":
        return FULL.segment, FULL.times, FULL.segment * FULL.times
    sizes = {"deep": FULL.depth, "mapped": FULL.mapped, "rk4": FULL.rk4}
    size = sizes.get(program) or (FULL.forward if what == "forward" else FULL.gradient)
    return size, 1, size


def is_right(found: Outcome, expected: Outcome) -> bool:
    """Return whether value and gradient are those of C, whose sums are in another order."""
    pairs: Any = zip([found[0], *found[1]], [expected[0], *expected[1]], strict=True)
    return all(abs(a - b) <= RELATIVE * max(abs(b), 1.0) for a, b in pairs)
