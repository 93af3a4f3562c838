"""`checkpoint demo`: the gradient of a simulation by plain and by checkpointed reverse mode, side by side.

In: an engine. Out: a table on standard output; status 1 if the two gradients differ, or the
value from Python's own.
Each way is measured in a process of its own, which runs this module: a process tells its highest memory
only, so the second way would hide behind the first.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import checkpoint
from checkpoint import config, engines
from checkpoint.demo_simulation import heat
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection, Plain, Schedule
from checkpoint.errors import InternalError

PARAMETERS = ("stiffness", "friction", "push")
POINT = (2.0, 0.3, 1.0)
SCHEDULES: dict[str, Schedule] = {"plain": Plain(), "checkpointed": Bisection()}


@dataclass(frozen=True, slots=True)
class Measurement:
    """One gradient: the steps of the run, the numbers, and what it took.

    bytes: by how much the gradient raised the process's highest memory.
    """

    steps: int
    value: float
    gradient: tuple[float, ...]
    seconds: float
    bytes: int


def run(engine: Engine) -> int:
    """Measure both ways and print what they show; the exit status."""
    print(inspect.getsource(heat))
    plain, checkpointed = (_in_new_process(name, engine) for name in SCHEDULES)
    at = ", ".join(f"{name} {number}" for name, number in zip(PARAMETERS, POINT, strict=True))
    print(f"A run of {plain.steps:,} steps, and its gradient at {at}, on engine {engine.name}:\n")
    print(_table(plain, checkpointed))
    print(_conclusion(plain, checkpointed))
    return 0 if _is_right(plain, checkpointed) else 1


def measure(schedule: Schedule, engine: Engine) -> Measurement:
    """Take the gradient in this process."""
    # Where this package is installed, it is not the user's own code, which alone is converted unasked.
    with config.override(convert=("checkpoint",)):
        # Counting the steps also makes ready what both ways need, so that neither is charged for it.
        steps = checkpoint.primops(heat, POINT, engine=engine.name)
        before, start = _peak_bytes(), time.perf_counter()
        y, xbar = checkpoint.vjp(heat, POINT, engine=engine.name, schedule=schedule)
        seconds = time.perf_counter() - start
    return Measurement(steps, y, xbar, seconds, _peak_bytes() - before)


def _in_new_process(name: str, engine: Engine) -> Measurement:
    home = str(Path(__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "checkpoint.demo", name, engine.name],
        env={**os.environ, "PYTHONPATH": home},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise InternalError(f"the demonstration's process failed ({done.returncode}): {done.stderr}")
    found = json.loads(done.stdout)
    return Measurement(**{**found, "gradient": tuple(found["gradient"])})


def _peak_bytes() -> int:
    """The most memory that this process has had so far."""
    status = Path("/proc/self/status")
    if status.exists():
        # Linux's ru_maxrss would count the parent process too, as it was before this one's program began.
        kilobytes = re.search(r"VmHWM:\s*(\d+) kB", status.read_text())
        if kilobytes:
            return int(kilobytes[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


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
        ("peak memory", *(f"{each.bytes / 1e6:.1f} MB" for each in both)),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(
        f"{row[0]:{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}".rstrip() + "\n" for row in rows
    )


def _conclusion(plain: Measurement, checkpointed: Measurement) -> str:
    if not _is_right(plain, checkpointed):
        return "The two gradients DIFFER, or the value from Python's; they must not. Please report it."
    memory = plain.bytes / max(1, checkpointed.bytes)
    slower = checkpointed.seconds / plain.seconds
    return (
        "The gradients are equal to the last bit, and the value is Python's own. Checkpointing took "
        f"1/{memory:.0f} of the memory\nand {slower:.1f} times the time. "
        "In a run twice as long plain reverse mode needs twice the memory, checkpointing\none capsule more."
    )


if __name__ == "__main__":
    print(json.dumps(asdict(measure(SCHEDULES[sys.argv[1]], engines.get(sys.argv[2])))))
