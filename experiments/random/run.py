"""Run random programs through all engines: they agree to the bit (agree.py says in what).

Program i of a kind is drawn from the seed, the kind and i, so that any one can be looked at again:

    python -m experiments.random.run --programs 2000 --seed 1 --kinds vlad,python,arrays --processes 2
    python -m experiments.random.run --programs 1 --first 1234 --seed 1 --kinds vlad --show
    python -m experiments.random.run --programs 2000 --seed 1 --kinds vlad --translate
    python -m experiments.random.run --programs 2000 --seed 1 --orders

What each kind gave is kept in results.json, unless --show is given: then the programs are printed instead.
--translate: on c what runs is translated to C as soon as it can be (tests/support/translation.py).
--orders: likewise, and each program is asked for several things in an order that is drawn (orders.py).
Of kind objects each program is checked in ways that are drawn (drawn.py): how often each was, and in how many
programs each construct was reached, is kept too.
Status 1: engines disagree on a program, which is printed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from checkpoint.ctarget.build import SOURCES
from checkpoint.ctarget.library import built_with
from experiments import common
from experiments.random import constructs, drawn, orders
from experiments.random.agree import ENDS, ENGINES, Disagreement, check
from experiments.random.kinds import KINDS, OfObjects, Subject
from tests.support.translation import forced

RESULTS = Path(__file__).parent / "results.json"
CHUNK = 100  # programs of a process: compiled programs are kept
SECONDS = 60  # of a program, and
MEMORY = 4 * 2**30  # of a process: what needs more is a disagreement
SLICES = (13, 60, 400, 5_000)  # where translation is forced: units are left after at most these steps
FIRST_SLICES = (3, 11, 50, 300)  # and this is the first slice of each run, before it is sampled


@dataclass(frozen=True)
class Chunk:
    """Some programs of a kind."""

    kind: str
    seed: int
    numbers: range
    show: bool = False
    translate: bool = False
    orders: bool = False
    limited: bool = False  # in memory and in the time of each program; in a process of its own


@dataclass
class Outcome:
    """Counts of how runs ended, disagreements of engines and departures from Python, and CPU seconds."""

    programs: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    disagreed: list[dict[str, Any]] = field(default_factory=list)
    ways: Counter[str] = field(default_factory=Counter)
    constructs: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def add(self, other: Outcome) -> None:
        """Add the outcome of other programs to this one."""
        self.programs += other.programs
        self.ends += other.ends
        self.disagreed += other.disagreed
        self.ways += other.ways
        self.constructs += other.constructs
        self.seconds += other.seconds

    def summary(self) -> dict[str, Any]:
        """Return a summary for the results and for printing."""
        return {
            "programs": self.programs,
            "disagreements": len(self.disagreed),
            "ends": {end: self.ends[end] for end in ENDS},
            "disagreed": self.disagreed,
            **({"ways": dict(sorted(self.ways.items()))} if self.ways else {}),
            **({"constructs": dict(self.constructs.most_common())} if self.constructs else {}),
            "CPU seconds": round(self.seconds, 1),
        }


def main() -> int:
    """Run as the command line says; 1 if engines disagree."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--programs", type=int, default=1_000, help="of each kind (1000)")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--kinds", default=",".join(KINDS), help="with commas between (all)")
    options.add_argument("--first", type=int, default=0, help="the number of the first program (0)")
    options.add_argument("--processes", type=int, default=1)
    options.add_argument("--show", action="store_true", help="print the programs, keep no results")
    options.add_argument("--translate", action="store_true", help="force translation to C on engine c")
    options.add_argument("--orders", action="store_true", help="several runs of a program, in random order")
    chosen = options.parse_args()
    disagree = False
    for kind in chosen.kinds.split(","):
        numbers = range(chosen.first, chosen.first + chosen.programs)
        chunk = Chunk(kind, chosen.seed, numbers, chosen.show, chosen.translate, chosen.orders)
        outcome = run(chunk, chosen.processes)
        disagree |= bool(outcome.disagreed)
    return int(disagree)


def run(chunk: Chunk, processes: int = 1) -> Outcome:
    """Check programs, and keep what they gave as it comes."""
    total, numbers, kind = Outcome(), chunk.numbers, chunk.kind
    chunks = [
        replace(chunk, numbers=numbers[i : i + CHUNK], limited=True) for i in range(0, len(numbers), CHUNK)
    ]
    how = " in random order" if chunk.orders else " translated" if chunk.translate else ""
    name = f"{kind} {chunk.seed} {numbers.start}{how}"
    with multiprocessing.Pool(processes, maxtasksperchild=1) as pool:
        for outcome in pool.imap_unordered(checked, chunks):
            total.add(outcome)
            for each in outcome.disagreed:
                print(f"{kind} {each['number']}: {each['disagreement']}\n{each['text']}\n", flush=True)
            if not chunk.show:
                save(name, {"kind": kind, "seed": chunk.seed, **total.summary()})
    print(f"{kind}: {json.dumps({**total.summary(), 'disagreed': None, 'constructs': None})}", flush=True)
    return total


def checked(chunk: Chunk) -> Outcome:
    """Run the programs of a chunk and return their outcome."""
    outcome, start = Outcome(), time.process_time()
    if chunk.limited:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
        signal.signal(signal.SIGPROF, _too_slow)
    for i in chunk.numbers:
        random = Random(f"{chunk.seed} {chunk.kind} {i}")
        subject = KINDS[chunk.kind](random)
        if chunk.show:
            print(f"# {chunk.kind} {i}\n{subject.text}")
        outcome.programs += 1
        if chunk.limited:
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            if chunk.orders:
                with forced(random.choice(SLICES), random.choice(FIRST_SLICES)):
                    end = "value" if orders.check(subject, random) else "long"
            else:
                with forced(random.choice(SLICES)) if chunk.translate else nullcontext():
                    end = _end(subject, random, outcome)
        except Disagreement as error:
            outcome.disagreed.append({"number": i, "text": subject.text, "disagreement": str(error)})
            continue
        except Exception:
            said = traceback.format_exc(-3)
            outcome.disagreed.append({"number": i, "text": subject.text, "disagreement": said})
            continue
        outcome.ends[end] += 1
        if end == "unlike Python":
            print(f"{chunk.kind} {i}: not what Python does\n{subject.text}\n", flush=True)
    outcome.seconds = time.process_time() - start
    return outcome


def _too_slow(*_: Any) -> None:
    raise TimeoutError(f"a program took more than {SECONDS} s")


def _end(subject: Subject, random: Random, outcome: Outcome) -> str:
    """Return how a program ends, once it has been checked."""
    if not isinstance(subject, OfObjects):
        return check(subject, random)
    outcome.constructs.update(constructs.reached(subject.function, subject.args))
    return drawn.check(subject, random, outcome.ways)


def save(name: str, told: dict[str, Any]) -> None:
    """Put what some programs gave into results.json, with what they ran on."""
    kept = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    kept[name] = {**told, "engines": list(ENGINES), **versions()}
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def versions() -> dict[str, str]:
    """Return the versions of what programs ran on; sources is a hash of the C sources."""
    sources = b"".join(path.read_bytes() for path in sorted(SOURCES.iterdir()) if path.is_file())
    return {
        "checkpoint": version("checkpoint-ad"),
        "numpy": np.__version__,
        "runtime": built_with(),
        "sources": hashlib.sha256(sources).hexdigest()[:16],
        **common.machine(),
    }


if __name__ == "__main__":
    sys.exit(main())
