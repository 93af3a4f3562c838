"""`checkpoint demo`: the gradient of a simulation by plain reverse mode, by bisection and within a budget.

In: an engine. Out: a table on standard output; status 1 if the gradients differ, or a value from
Python's own.
Each way runs a few times for its time, and once more for its memory, since counting the memory takes time.
"""

from __future__ import annotations

import inspect
import time
import tracemalloc
from collections.abc import Sequence

import checkpoint
from checkpoint import config
from checkpoint.cli.demo_simulation import heat
from checkpoint.dataclass import dataclass
from checkpoint.driver.budget import Budget
from checkpoint.driver.engine import Engine
from checkpoint.driver.memory import written
from checkpoint.driver.schedule import Bisection, Plain, Schedule
from checkpoint.watch.profile import seconds_text

PARAMETERS = ("stiffness", "friction", "push")
POINT = (2.0, 0.3, 1.0)
SCHEDULES: dict[str, Schedule] = {
    "plain": Plain(),
    "bisection": Bisection(),
    "within 1 MiB": Budget("1MiB"),
}
WARM_UP = 1.0  # seconds
REPEATS, ENOUGH = 5, 0.5  # the least of so many times counts, or of those that so many seconds have room for


@dataclass(frozen=True, slots=True)
class Measurement:
    """One gradient: the steps of the run, the numbers, and what it took.

    bytes: the most memory that was in use at once, beyond what was in use before.
    """

    steps: int
    value: float
    gradient: tuple[float, ...]
    seconds: float
    bytes: int


def run(engine: Engine) -> int:
    """Measure all ways and print what they show; the exit status."""
    print(inspect.getsource(heat))
    # Where this package is installed, it is not the user's own code, which alone is converted unasked.
    with config.override(convert=("checkpoint",)):
        _warm_up(engine)
        ways = [measure(schedule, engine) for schedule in SCHEDULES.values()]
    at = ", ".join(f"{name} {number}" for name, number in zip(PARAMETERS, POINT, strict=True))
    print(f"A run of {ways[0].steps:,} steps, and its gradient at {at}, on engine {engine.name}:\n")
    print(_table(ways))
    print(_conclusion(ways))
    return 0 if _is_right(ways) else 1


def _warm_up(engine: Engine) -> None:
    """Run each schedule for a while: what an engine does at first is not measured."""
    began = time.perf_counter()
    while time.perf_counter() - began < WARM_UP:
        for schedule in SCHEDULES.values():
            checkpoint.vjp(heat, POINT, engine=engine.name, schedule=schedule)


def measure(schedule: Schedule, engine: Engine) -> Measurement:
    """Take the gradient, for its time and then for its memory."""
    steps = checkpoint.primops(heat, POINT, engine=engine.name)
    seconds = _least_time(schedule, engine)
    tracemalloc.start()
    y, xbar = checkpoint.vjp(heat, POINT, engine=engine.name, schedule=schedule)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return Measurement(steps, y, xbar, seconds, peak)


def _least_time(schedule: Schedule, engine: Engine) -> float:
    times: list[float] = []
    while len(times) < REPEATS and sum(times) < ENOUGH:
        start = time.perf_counter()
        checkpoint.vjp(heat, POINT, engine=engine.name, schedule=schedule)
        times.append(time.perf_counter() - start)
    return min(times)


def _is_right(ways: list[Measurement]) -> bool:
    """Return whether the gradients are equal, and the values Python's own, to the last bit."""
    value, gradient = heat(POINT), ways[0].gradient
    return all(each.gradient == gradient and each.value == value for each in ways)


def _table(ways: list[Measurement]) -> str:
    rows = [
        ("", *SCHEDULES),
        ("heat", *(repr(each.value) for each in ways)),
        *(
            (f"its derivative by {name}", *(repr(each.gradient[i]) for each in ways))
            for i, name in enumerate(PARAMETERS)
        ),
        ("time", *(seconds_text(each.seconds) for each in ways)),
        ("peak memory", *(written(each.bytes) for each in ways)),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(_line(row, widths) for row in rows)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
    return "  ".join([row[0].ljust(widths[0]), *cells]) + "\n"


def _conclusion(ways: list[Measurement]) -> str:
    if not _is_right(ways):
        return "The gradients DIFFER, or a value from Python's; they must not. Please report it."
    plain, bisection, bounded = ways
    return (
        "The gradients are equal to the last bit, and the value is Python's own. Beside plain reverse mode,\n"
        f"bisection took {_compared(bisection, plain)}, "
        f"the budget {_compared(bounded, plain)}.\n"
        "In a run twice as long plain reverse mode needs twice the memory, bisection one capsule more,\n"
        "and a budget of 1 MiB still suffices."
    )


def _compared(way: Measurement, plain: Measurement) -> str:
    return (
        f"1/{plain.bytes / way.bytes:.0f} of the memory and {way.seconds / plain.seconds:.1f} times the time"
    )
