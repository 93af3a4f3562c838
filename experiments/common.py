"""Helpers of the experiments: programs as closures, one reversal with its counts, tables, result files.

Times are CPU seconds of the process, so that other load on the machine disturbs them less.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from checkpoint import engines
from checkpoint.ad.graph import enter, numbers
from checkpoint.ad.tangent import tangent_of
from checkpoint.ad.values import Pair
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Counts, Engine
from checkpoint.driver.execute import Sweep
from checkpoint.driver.schedule import Schedule
from checkpoint.errors import Source
from checkpoint.functions.program import load
from checkpoint.functions.runs import run_program

HERE = Path(__file__).parent
RESULTS = HERE / "results"


def parser(description: str) -> argparse.ArgumentParser:
    """Return a parser that knows `--engine` (the fastest unless given) and `--repeats`."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--engine", default=engines.get().name, choices=list(engines.available()))
    options.add_argument("--repeats", type=natural, default=5, help="runs of which the median is taken (5)")
    return options


def keepable(options: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Add `--keep`, without which a run leaves the committed results as they are; return the parser."""
    options.add_argument("--keep", action="store_true", help="write the results, which the README shows")
    return options


def natural(text: str) -> int:
    """Return the whole number of at least 1 that an option says."""
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")


def positive(text: str) -> float:
    """Return the number above 0 that an option says."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if 0.0 < found < float("inf"):
        return found
    raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")


def value_of(text: str, engine: Engine, folder: Path = HERE) -> Any:
    """Return the value of a program's text, which may include files of `folder`."""
    return run_program(load(Source("<experiment>", text), folder), engine)


class Watched:
    """An engine that records the highest number of entries of a tape; 0 if its tapes have no entries."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.longest = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)

    def tape(self, *arguments: Any) -> Any:
        recording = self.engine.tape(*arguments)
        entries = getattr(getattr(recording, "tape", None), "entries", ())
        self.longest = max(self.longest, len(entries))
        return recording


@dataclass(frozen=True)
class Reversal:
    """The outcome of one reversal; `entries` is the length of its longest tape."""

    value: Any
    gradient: Any
    steps: int
    counts: Counts
    entries: int = field(default=0)


def reverse(f: Any, x: Any, engine: Engine, schedule: Schedule) -> Reversal:
    """Return the gradient of the real f x, as functions.runs.vjp_values takes it, and its costs."""
    u = enter(Pair(f, x))
    watched: Any = Watched(engine)
    start = engine.start(0, u, 0)
    sweep = Sweep(watched, Effects(), seed=lambda end: engine.seed(end, 1.0))
    end, cotangent = sweep.run(start, schedule)
    gradient = tangent_of(u, engine.argument_cotangents(start, cotangent, numbers(u))).cdr
    return Reversal(end.value, gradient, end.steps, sweep.counts, watched.longest)


def items(values: Any) -> list[Any]:
    """Return the items of a list of the language."""
    found = []
    while values is not None:
        found.append(values.car)
        values = values.cdr
    return found


def seconds(action: Callable[[], Any]) -> float:
    """Return the CPU time of one call."""
    start = time.process_time()
    action()
    return time.process_time() - start


def median_seconds(action: Callable[[], Any], repeats: int) -> tuple[float, float]:
    """Return the median CPU time of several calls, and their spread: (highest - lowest) / median."""
    times = [seconds(action) for _ in range(repeats)]
    median = statistics.median(times)
    return median, (max(times) - min(times)) / median


def fresh_peak() -> int:
    """Reset the peak to the memory that the process holds now, and return that (Linux only)."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return peak()


def peak() -> int:
    """Return the highest resident memory of the process in bytes; not that of a parent before the exec."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return 1024 * int(next(line.split()[1] for line in lines if line.startswith("VmHWM")))


def machine() -> dict[str, str]:
    """Return when and where a measurement was made."""
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "cpu": _cpu(),
        "python": platform.python_version(),
        "system": platform.platform(),
    }


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")


def save(name: str, engine: str, **content: Any) -> None:
    """Write results/NAME-ENGINE.json, and print its name."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}-{engine}.json"
    path.write_text(json.dumps({"engine": engine, **machine(), **content}, indent=1) + "\n", encoding="utf-8")
    print(f"\nwritten to {path}")


def saved(name: str, engine: str) -> dict[str, Any]:
    """Return the content of results/NAME-ENGINE.json; {} if there is none."""
    path = RESULTS / f"{name}-{engine}.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def results(name: str, engine: str) -> dict[str, Any]:
    """Return the content of results/NAME-ENGINE.json, for a picture; {} after a message if there is none."""
    found = saved(name, engine)
    if not found:
        print(f"no picture of {name}: there are no results in {RESULTS}; run it with --full first")
    return found


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table as text, with the first column aligned left and the others right."""
    lines = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines
    )
