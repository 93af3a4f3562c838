"""`checkpoint demo`: the gradient of a simulation by plain and by checkpointed reverse mode, side by side.

In: an engine. Out: a table on standard output; status 1 if the two gradients differ, or the
value from Python's own.
Each way runs once for its time, and once more for its memory, since counting the memory takes time.
"""

from __future__ import annotations

import inspect
import time
import tracemalloc
from dataclasses import dataclass

import checkpoint
from checkpoint import config
from checkpoint.demo_simulation import heat
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection, Plain, Schedule

PARAMETERS = ("stiffness", "friction", "push")
POINT = (2.0, 0.3, 1.0)
SCHEDULES: dict[str, Schedule] = {"plain": Plain(), "checkpointed": Bisection()}


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
    """Measure both ways and print what they show; the exit status."""
    print(inspect.getsource(heat))
    plain, checkpointed = (measure(schedule, engine) for schedule in SCHEDULES.values())
    at = ", ".join(f"{name} {number}" for name, number in zip(PARAMETERS, POINT, strict=True))
    print(f"A run of {plain.steps:,} steps, and its gradient at {at}, on engine {engine.name}:\n")
    print(_table(plain, checkpointed))
    print(_conclusion(plain, checkpointed))
    return 0 if _is_right(plain, checkpointed) else 1


def measure(schedule: Schedule, engine: Engine) -> Measurement:
    """Take the gradient, for its time and then for its memory."""
    # Where this package is installed, it is not the user's own code, which alone is converted unasked.
    with config.override(convert=("checkpoint",)):
        # Counting the steps also makes ready what both ways need, so that neither is charged for it.
        steps = checkpoint.primops(heat, POINT, engine=engine.name)
        start = time.perf_counter()
        y, xbar = checkpoint.vjp(heat, POINT, engine=engine.name, schedule=schedule)
        seconds = time.perf_counter() - start
        tracemalloc.start()
        checkpoint.vjp(heat, POINT, engine=engine.name, schedule=schedule)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return Measurement(steps, y, xbar, seconds, peak)


def _is_right(plain: Measurement, checkpointed: Measurement) -> bool:
    """Whether the gradients are equal, and the values Python's own, to the last bit."""
    return plain.gradient == checkpointed.gradient and plain.value == checkpointed.value == heat(POINT)


def _table(plain: Measurement, checkpointed: Measurement) -> str:
    both = (plain, checkpointed)
    rows = [
        ("", *SCHEDULES),
        ("heat", *(repr(each.value) for each in both)),
        *(
            (f"its derivative by {name}", *(repr(each.gradient[i]) for each in both))
            for i, name in enumerate(PARAMETERS)
        ),
        ("time", *(f"{each.seconds:.2f} s" for each in both)),
        ("peak memory", *(f"{each.bytes / 1e6:.2f} MB" for each in both)),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(
        f"{row[0]:{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}".rstrip() + "\n" for row in rows
    )


def _conclusion(plain: Measurement, checkpointed: Measurement) -> str:
    if not _is_right(plain, checkpointed):
        return "The two gradients DIFFER, or the value from Python's; they must not. Please report it."
    memory = plain.bytes / checkpointed.bytes
    slower = checkpointed.seconds / plain.seconds
    return (
        "The gradients are equal to the last bit, and the value is Python's own. Checkpointing took "
        f"1/{memory:.0f} of the memory\nand {slower:.1f} times the time. "
        "In a run twice as long plain reverse mode needs twice the memory, checkpointing\none capsule more."
    )
