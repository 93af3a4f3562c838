"""`checkpoint demo`: the gradient of one run by plain and by checkpointed reverse mode, side by side.

In: an engine. Out: a table on standard output; status 1 if the two gradients differ.
Each way is measured in a process of its own, which runs this module: a process tells its highest memory
only, so the second way would hide behind the first.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from checkpoint import engines, runs
from checkpoint.ad.values import list_value
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Bisection, Plain, Schedule
from checkpoint.errors import InternalError
from checkpoint.lang.printer import write_value
from checkpoint.program import load_file

PROGRAM = Path(__file__).with_name("demo.vlad")
PARAMETERS = ("length", "friction")
POINT = (1.0, 0.02)
SCHEDULES: dict[str, Schedule] = {"plain": Plain(), "checkpointed": Bisection()}


@dataclass(frozen=True, slots=True)
class Measurement:
    """One gradient: the steps of the run, the numbers as the language writes them, and what it took.

    bytes: by how much the gradient raised the process's highest memory.
    """

    steps: int
    value: str
    gradient: str
    seconds: float
    bytes: int


def run(engine: Engine) -> int:
    """Measure both ways and print what they show; the exit status."""
    print(f"{PROGRAM.name}: {PROGRAM.read_text().splitlines()[0].lstrip('; ')}")
    plain, checkpointed = (_in_new_process(name, engine) for name in SCHEDULES)
    print(f"A run of {plain.steps:,} steps, and its gradient at length {POINT[0]}, friction {POINT[1]}:\n")
    print(_table(plain, checkpointed))
    print(_conclusion(plain, checkpointed))
    return 0 if _same(plain, checkpointed) else 1


def measure(schedule: Schedule, engine: Engine) -> Measurement:
    """Take the gradient in this process."""
    f, x = runs.run_program(load_file(PROGRAM), engine), list_value(POINT)
    # Counting the steps also makes ready what both ways need, so that neither is charged for it.
    steps = runs.primops_values(f, x, engine)
    before, start = _peak_bytes(), time.perf_counter()
    y, xbar = runs.vjp_values(f, x, 1.0, engine, schedule)
    seconds = time.perf_counter() - start
    return Measurement(steps, write_value(y), write_value(xbar), seconds, _peak_bytes() - before)


def _in_new_process(name: str, engine: Engine) -> Measurement:
    home = str(PROGRAM.parent.parent)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "checkpoint.demo", name, engine.name],
        env={**os.environ, "PYTHONPATH": home},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise InternalError(f"the demonstration's process failed ({done.returncode}): {done.stderr}")
    return Measurement(**json.loads(done.stdout))


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


def _same(plain: Measurement, checkpointed: Measurement) -> bool:
    """Equal texts are equal bits: every real is written so that it reads back the same."""
    return (plain.value, plain.gradient) == (checkpointed.value, checkpointed.gradient)


def _table(plain: Measurement, checkpointed: Measurement) -> str:
    both = (plain, checkpointed)
    rows = [
        ("", *SCHEDULES),
        ("angle at the end", *(each.value for each in both)),
        *(
            (f"its derivative by {name}", *parts)
            for name, *parts in zip(PARAMETERS, *(_parts(each.gradient) for each in both), strict=True)
        ),
        ("time", *(f"{each.seconds:.2f} s" for each in both)),
        ("peak memory", *(f"{each.bytes / 1e6:.1f} MB" for each in both)),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(
        f"{row[0]:{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}".rstrip() + "\n" for row in rows
    )


def _parts(written_list: str) -> list[str]:
    return written_list.strip("()").split()


def _conclusion(plain: Measurement, checkpointed: Measurement) -> str:
    if not _same(plain, checkpointed):
        return "The two gradients DIFFER; they must not. Please report it."
    memory = plain.bytes / max(1, checkpointed.bytes)
    slower = checkpointed.seconds / plain.seconds
    return (
        "The gradients are equal to the last bit. Checkpointing took "
        f"1/{memory:.0f} of the memory and {slower:.1f} times the time.\n"
        "In a run twice as long plain reverse mode needs twice the memory, checkpointing one capsule more."
    )


if __name__ == "__main__":
    print(json.dumps(asdict(measure(SCHEDULES[sys.argv[1]], engines.get(sys.argv[2])))))
