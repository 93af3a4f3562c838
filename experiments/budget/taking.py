"""One gradient by a schedule, or one run without, in a process of its own: the source of the tables here.

In: a program of programs.py, its size, an engine, a schedule as a list: its name in KINDS and its
parameters; an empty list for the run without a gradient. Out: a Row: counts, CPU seconds, and bytes, which
are taken from outside: the highest resident memory of the process beyond what it held just before, after
a small gradient (Linux only).
"""

from __future__ import annotations

import ctypes
import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from checkpoint import engines
from checkpoint.driver.budget import Budget
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Counts
from checkpoint.driver.schedule import Actions, Bisection, Plain, Report, Schedule
from checkpoint.errors import BudgetError
from experiments import common
from experiments.budget.fixed import Known, Spaced
from experiments.budget.programs import PROGRAMS
from experiments.speed.subjects import Subject

MIB = 1 << 20
KINDS: dict[str, Callable[..., Schedule]] = {
    "Budget": Budget,
    "Plain": Plain,
    "Bisection": Bisection,
    "Spaced": Spaced,
    "Known": Known,
}
LONGEST = 150.0  # seconds that one measurement may take

# advanced, taped (steps), kept; seconds; bytes, heap (the most that engine c's own heap held);
# digits (of value and gradient); of gradients also what Told says. Or: error, and needed if a budget is
# refused.
Row = dict[str, Any]


@dataclass
class Told:
    """A schedule, and the most bytes that its sweep reported as held, after any of its actions.

    tapes, cotangent: parts of `held` when it was highest; done: how many actions there were.
    """

    schedule: Schedule
    weighs: bool = True
    held: int = 0
    tapes: int = 0
    cotangent: int = 0
    done: int = 0

    def actions(self) -> Actions:
        """Yield the actions of the schedule, and note the report of each."""
        actions = self.schedule.actions()
        action = next(actions)
        while True:
            report = yield action
            self._note(report)
            try:
                action = actions.send(report)
            except StopIteration:
                return

    def _note(self, report: Report) -> None:
        self.done += 1
        if report.held > self.held:
            self.held, self.tapes, self.cotangent = report.held, report.tapes, report.cotangent


def schedule_of(spec: list[Any]) -> Schedule:
    """Return the schedule of a name of KINDS with its parameters."""
    kind, *parameters = spec
    return KINDS[kind](*parameters)


def taken(subject: Subject, spec: list[Any]) -> Row:
    """Take the gradient by a schedule, or run without one."""
    start, counts = subject.start(), Counts()
    told = Told(schedule_of(spec)) if spec else None
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # else what was freed hides what is taken
    before = common.fresh_peak()
    began = time.process_time()
    if told is None:
        end = subject.engine.advance(start, None, Effects())
        result, counts.advanced = end.value, end.steps
    else:
        result = subject.gradient(told, start, counts)
    seconds = time.process_time() - began
    row = {"seconds": seconds, "bytes": common.peak() - before, "digits": repr(result)}
    row |= {"advanced": counts.advanced, "taped": counts.taped, "kept": counts.most_kept}
    if told is not None:
        row |= {"held": told.held, "tapes": told.tapes, "cotangent": told.cotangent, "actions": told.done}
    heap = getattr(start, "heap", None)
    return {**row, "heap": 0 if heap is None else int(heap.peak)}


def measure(program: str, size: int, spec: list[Any], engine_name: str) -> Row:
    """Return one measurement in this process."""
    engine, chosen = engines.get(engine_name), PROGRAMS[program]
    small = chosen.make(chosen.small, engine)
    small.gradient(Bisection(base=50))
    small.gradient(Budget("64MiB"))
    try:
        return taken(chosen.make(size, engine), spec)
    except BudgetError as error:
        return {"error": str(error), "needed": error.needed}


def measured(program: str, size: int, spec: list[Any], engine: str, longest: float = LONGEST) -> Row:
    """Return one measurement in a fresh process; if that dies, the row has its error."""
    case = json.dumps([program, size, spec, engine])
    command = [sys.executable, "-m", "experiments.budget.taking", case]
    root = common.HERE.parent
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root, timeout=longest)
    except subprocess.TimeoutExpired:
        return {"error": f"more than {longest:g} seconds"}
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["nothing"]
        return {"error": f"the process ended with {done.returncode}: {said[-1]}"}
    result: Row = json.loads(done.stdout)
    return result


def show(first: str, cells: list[str]) -> None:
    """Print a line of a table at once, in columns of fixed width."""
    print("  ".join([first.ljust(22), *(cell.rjust(9) for cell in cells)]), flush=True)


if __name__ == "__main__":
    print(json.dumps(measure(*json.loads(sys.argv[1]))))
