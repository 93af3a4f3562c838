"""The benchmarks of Siskind and Pearlmutter, for all nestings of the modes, on every engine and by peers.

What is measured: CPU seconds of backprop on XOR, particle, saddle, and the ascents of a probabilistic lambda
calculus and Prolog, in the small language and in Python, for forward mode (F), forward mode of vectors (Fv,
where a system has it), reverse mode (R) and checkpointed reverse mode (checkpoint-R). By default one
derivative of the outer function of particle and saddle and a few steps of the others, on engines c and hybrid
and by peers, checkpointed modes not nested; on c and by peers after a call that is not counted
(CHECKPOINT_JIT=wait: what is hot is translated in it). With --thorough all nestings, and interp, too. With
--full the whole programs as published besides, once each, translation included; interp's take an hour.
What is required: the published digits, or those of an analytic computation.

Reproduce:

    python -m experiments.stalingrad.run --thorough
    python -m experiments.stalingrad.run --full --system c
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from checkpoint import engines
from experiments import common
from experiments.stalingrad import peers
from experiments.stalingrad.published import RATIOS, SOURCE
from experiments.stalingrad.subjects import PROGRAMS, Subject

LANGUAGES = ("vlad", "python")
TOO_LONG = "more than"
LEAST = 0.05  # seconds
CALLS = 3  # counted, of engine c and of peers, for short programs


@dataclass(frozen=True)
class Options:
    """What is asked for. is_full: whole programs; is_thorough: all nestings; limit: CPU seconds of a peer."""

    systems: tuple[str, ...]
    programs: tuple[str, ...]
    languages: tuple[str, ...]
    is_full: bool
    is_thorough: bool
    limit: float


class TooLong(Exception):
    """A measurement was ended by its limit; the text says after how long."""


def measured(action: Callable[[], float], calls: int, is_warm: bool) -> tuple[float, float]:
    """Return an action's outcome, and the median seconds of calls; is_warm: after one not counted."""
    found = 0.0

    def once() -> None:
        nonlocal found
        found = action()

    if is_warm:
        once()
    seconds = statistics.median([_seconds(once) for _ in range(calls)])
    return found, seconds


def _seconds(action: Callable[[], None]) -> float:
    """Return the CPU time of one of as many calls as take LEAST seconds: the clock may be coarse."""
    start, count = time.process_time(), 0
    while True:
        action()
        count += 1
        passed = time.process_time() - start
        if passed >= LEAST:
            return passed / count


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TooLong in the code inside after so many CPU seconds, unless these are inf."""
    if seconds == math.inf:
        yield
        return

    def stop(*_: object) -> None:
        raise TooLong(f"{TOO_LONG} {seconds:g} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def row(subject: Subject, modes: tuple[str, ...], language: str, system: str, limit: float) -> dict[str, Any]:
    """Return one row of the table; `missing` is why there is no time. limit: CPU seconds of a peer."""
    name = {"program": subject.name, "modes": " over ".join(modes), "language": language, "system": system}
    try:
        action = subject.action(modes, language, system)
        is_peer = system in peers.NAMES
        is_warm = (system == "c" and not subject.is_full) or (is_peer and subject.jits)
        with limited(limit if is_peer else math.inf):
            found, seconds = measured(action, CALLS if is_warm and subject.jits else 1, is_warm)
    except (peers.Missing, TooLong) as missing:
        return {**name, "missing": str(missing)}
    except Exception as error:  # whatever a peer refuses with
        if system not in peers.NAMES:
            raise
        return {**name, "missing": f"{type(error).__name__}: {error}".splitlines()[0]}
    return {**name, "found": float(found), "right": subject.is_right(float(found)), "seconds": seconds}


def rows(options: Options) -> Iterator[dict[str, Any]]:
    """Yield the rows of the engines, then those of the peers."""
    wanted = [
        (name, modes)
        for name in options.programs
        for modes in PROGRAMS[name](options.is_full).nestings
        if options.is_thorough or not is_rare(modes)
    ]
    for name, modes in wanted:
        for system in options.systems:
            if system not in peers.NAMES and has(system, modes):
                for language in options.languages:
                    yield row(PROGRAMS[name](options.is_full), modes, language, system, math.inf)
    if "python" in options.languages:
        for system in options.systems:
            if system in peers.NAMES:
                yield from of_peer(system, [each for each in wanted if has(system, each[1])], options)


def of_peer(
    system: str, wanted: list[tuple[str, tuple[str, ...]]], options: Options
) -> Iterator[dict[str, Any]]:
    """Yield a peer's rows, from new processes: one ended in the middle of a gradient is of no more use."""
    command = [sys.executable, "-W", "ignore", "-m", "experiments.stalingrad.run", "--system", system]
    command += ["--limit", str(options.limit), *(["--full"] if options.is_full else [])]
    while wanted:
        done = subprocess.run(
            [*command, "--rows", json.dumps(wanted)],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            cwd=common.HERE.parent,
        )
        found = [json.loads(each) for each in done.stdout.splitlines()]
        yield from found
        wanted = wanted[len(found) :]


def print_rows(system: str, wanted: list[tuple[str, list[str]]], given: argparse.Namespace) -> None:
    """Print a peer's rows as JSON, up to the first that is ended by the limit."""
    for name, modes in wanted:
        found = row(PROGRAMS[name](given.full), tuple(modes), "python", system, given.limit)
        print(json.dumps(found), flush=True)
        if found.get("missing", "").startswith(TOO_LONG):
            return


def has(system: str, modes: tuple[str, ...]) -> bool:
    """Return whether a system has the modes of a nesting: only peers have Fv, only engines checkpoint-R."""
    return ("checkpoint-R" if system in peers.NAMES else "Fv") not in modes


def is_rare(modes: tuple[str, ...]) -> bool:
    """Return whether a nesting is measured by --thorough alone."""
    return len(modes) > 1 and "checkpoint-R" in modes


def line(found: dict[str, Any]) -> str:
    what = f"{found['program']:8} {found['modes']:29} {found['language']:6} {found['system']:8}"
    if "missing" in found:
        return f"{what} skipped: {found['missing']}"
    return f"{what} {found['seconds']:10.4f} s  {'right' if found['right'] else 'WRONG'}  {found['found']!r}"


def ratios(found: list[dict[str, Any]], options: Options) -> str:
    """Return the table of times relative to engine c's, in the same language."""
    seconds = {
        (r["program"], r["modes"], r["language"], r["system"]): r["seconds"] for r in found if "seconds" in r
    }
    columns = [
        (language, system)
        for language in LANGUAGES
        for system in options.systems
        if language == "python" or system not in peers.NAMES
    ]
    lines = []
    for program, modes in dict.fromkeys((r["program"], r["modes"]) for r in found):
        cells = []
        for language, system in columns:
            taken = seconds.get((program, modes, language, system))
            unit = seconds.get((program, modes, language, "c"))
            if taken is None:
                cells.append("")
            elif system == "c" or unit is None:
                cells.append(f"{1e3 * taken:.1f} ms")
            else:
                cells.append(f"{taken / unit:.2f}")
        lines.append([f"{program} {modes}", *cells])
    return common.table(["c = 1", *[f"{language} {system}" for language, system in columns]], lines)


def main() -> None:
    systems = (*reversed(engines.available()), *peers.NAMES)  # engine c first
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--system", choices=systems, action="append", help="engines and peers; all unless given"
    )
    parser.add_argument("--program", choices=list(PROGRAMS), action="append", help="all unless given")
    parser.add_argument("--language", choices=LANGUAGES, action="append", help="both unless given")
    parser.add_argument("--full", action="store_true", help="the whole programs, once each")
    parser.add_argument("--limit", type=common.positive, default=2.0, help="CPU seconds of a peer's row (2)")
    parser.add_argument("--thorough", action="store_true", help="all nestings, and engine interp")
    parser.add_argument(
        "--rows", type=json.loads, help="programs and modes of a peer, in this process; prints JSON"
    )
    given = parser.parse_args()
    if given.rows:
        print_rows(given.system[0], given.rows, given)
        return
    os.environ.setdefault("CHECKPOINT_JIT", "wait")
    options = Options(
        tuple(given.system or (each for each in systems if given.full or given.thorough or each != "interp")),
        tuple(given.program or PROGRAMS),
        tuple(given.language or LANGUAGES),
        given.full,
        given.full or given.thorough,
        given.limit,
    )
    found = []
    for each in rows(options):
        found.append(each)
        print(line(each), flush=True)
    print("\n" + ratios(found, options))
    print(f"\nPublished, Stalingrad = 1 ({SOURCE}):")
    for program, columns in RATIOS.items():
        print(f"{program}: " + ", ".join(f"{system} {ratio}" for system, ratio in columns.items()))
    if not (given.program or given.language or given.system):
        common.save("stalingrad-full" if given.full else "stalingrad", "all", rows=found, published=RATIOS)


if __name__ == "__main__":
    main()
