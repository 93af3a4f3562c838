"""Print the bytes of a program's cotangents, as they are reported and as tracemalloc finds them.

Run it by `python -m tests.driver.cotangent_memory NAME ENGINE`: tracemalloc counts what all threads allocate,
and what earlier tests left running, such as a translation in the background, is no part of a cotangent.
It prints three numbers: what is reported for the first cotangent, what is reported where most is held,
and what tracemalloc finds there.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine
from checkpoint.functions.python_functions import run_of
from tests.driver.large import ENGINES, started
from tests.support.tracing import traced


def of_list(x: float) -> float:
    found = []
    for i in range(1000):
        found.append(x * i)
    total = 0.0
    for each in found:
        total += each * each
    return total


def of_arrays(x: float) -> float:
    found = []
    for i in range(20):
        found.append(np.zeros(1000) + x * i)
    total = 0.0
    for each in found:
        total += float(np.sum(each * each))
    return total


RUNS: dict[str, Callable[[float], float]] = {"of_list": of_list, "of_arrays": of_arrays}


def measured(engine: Engine, start: Any) -> tuple[int, int, int]:
    """Return the three numbers that this program prints."""
    length = engine.advance(start, None, Effects()).steps
    states = [engine.advance(start, length * k // 8, Effects()) for k in range(8)]
    tapes = [engine.tape(state, length * (k + 1) // 8, Effects()) for k, state in enumerate(states)]
    with traced():
        before = tracemalloc.get_traced_memory()[0]
        cotangent = engine.seed(tapes[-1].end, 1.0)
        small = sum(engine.cotangent_bytes(cotangent))
        most, held = 0, 0
        while tapes:
            cotangent = engine.reverse(tapes.pop(), cotangent)
            gc.collect()
            now, found = tracemalloc.get_traced_memory()[0] - before, sum(engine.cotangent_bytes(cotangent))
            if now > held:
                most, held = found, now
    return small, most, held


def main(name: str, engine_name: str) -> None:
    """Measure one run twice, since what is compiled or imported at first is no part of a cotangent."""
    engine = next(engine for engine in ENGINES if engine.name == engine_name)
    start = started(engine, run_of(RUNS[name], (0.3,), {}, engine.name).u)
    measured(engine, start)
    print(*measured(engine, start))


if __name__ == "__main__":
    main(*sys.argv[1:])
