"""Random programs through all engines: that they agree to the bit (agree.py says in what).

Program i of a kind is drawn from the seed, the kind and i, so that any one can be looked at again:

    python -m experiments.random.run --programs 2000 --seed 1 --kinds vlad,python,arrays
    python -m experiments.random.run --programs 1 --first 1234 --seed 1 --kinds vlad

What the whole of a kind (from the first program on) gave is kept in results.json, unless --show is given:
then the texts of the programs are printed instead.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import sys
import time
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from checkpoint.ctarget.build import SOURCES
from checkpoint.ctarget.library import built_with
from experiments import common
from experiments.random.agree import ENDS, ENGINES, Disagreement, check
from experiments.random.kinds import KINDS

RESULTS = Path(__file__).parent / "results.json"
OFTEN = 1_000  # programs, after which is written how far it is


def main() -> int:
    """Run as the command line says; 1 if engines disagree."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--programs", type=int, default=1_000, help="of each kind (1000)")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--kinds", default=",".join(KINDS), help="with commas between (all)")
    options.add_argument("--first", type=int, default=0, help="the number of the first program (0)")
    options.add_argument("--show", action="store_true", help="print programs, keep no results")
    chosen = options.parse_args()
    disagree = False
    for kind in chosen.kinds.split(","):
        numbers = range(chosen.first, chosen.first + chosen.programs)
        disagree |= bool(run(kind, chosen.seed, numbers, show=chosen.show, keep=chosen.first == 0))
    return int(disagree)


def run(kind: str, seed: int, numbers: range, show: bool = False, keep: bool = False) -> list[dict[str, Any]]:
    """Check programs; those that engines disagree on."""
    ends: Counter[str] = Counter()
    found: list[dict[str, Any]] = []
    start = time.process_time()
    for i in numbers:
        random = Random(f"{seed} {kind} {i}")
        subject = KINDS[kind](random)
        if show:
            print(f"; {kind} {i}\n{subject.text}")
        try:
            ends[check(subject, random)] += 1
        except Disagreement as error:
            found.append({"number": i, "text": subject.text, "disagreement": str(error)})
            print(f"{kind} {i}: {error}\n{subject.text}\n", flush=True)
        if (i + 1 - numbers.start) % OFTEN == 0 or i == numbers[-1]:
            gc.collect()
            told = summary(seed, i + 1 - numbers.start, ends, found, time.process_time() - start)
            print(f"{kind}: {json.dumps(told)}", flush=True)
            if keep and not show:
                save(kind, told)
    return found


def summary(seed: int, done: int, ends: Counter[str], found: list[Any], seconds: float) -> dict[str, Any]:
    """What is kept of the programs of a kind."""
    return {
        "seed": seed,
        "programs": done,
        "ends": {end: ends[end] for end in ENDS},
        "disagreements": len(found),
        "disagreed": found,
        "seconds": round(seconds, 1),
    }


def save(kind: str, told: dict[str, Any]) -> None:
    """Put a kind's summary into results.json, with what it was made on."""
    kept = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    kept[kind] = {**told, "engines": list(ENGINES), "versions": versions()}
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def versions() -> dict[str, str]:
    """Of what the programs ran on; sources is a hash of the C sources."""
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
