"""Runs that hold one large thing for a while, on the engines that live in Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from checkpoint.ad.graph import enter, highest_capsule_tag
from checkpoint.ad.values import Pair
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine, driver_of
from checkpoint.functions.python_functions import run_of
from tests.support.corpus import usable_engines, value_of

ENGINES = [engine for engine in usable_engines() if driver_of(engine) is None]

COUNT = 1000  # what the large thing has

PAIRS = """
(lambda (x)
  (let build ((i 0) (all '()))
    (if (< i COUNT)
        (build (+ i 1) (cons (* x i) all))
        (let idle ((j 0) (y x)) (if (= j 2000) (+ y (car all)) (idle (+ j 1) (sin y)))))))
""".replace("COUNT", str(COUNT))


def of_list(x: float) -> float:
    found = []
    for i in range(COUNT):
        found.append(x * i)
    for _ in range(1000):
        x = math.sin(x)
    return x + found[7]


def of_dictionary(x: float) -> float:
    found = {}
    for i in range(COUNT):
        found[i] = x * i
    for _ in range(1000):
        x = math.sin(x)
    return x + found[7]


def of_arrays(x: float) -> float:
    found = []
    for i in range(20):
        whole = np.zeros(1000) + x * i
        found.append((whole, whole[10:500], whole[::2]))
    for _ in range(1000):
        x = math.sin(x)
    return x + float(found[7][0][3] + found[7][1][3])


def of_integers(x: float) -> float:
    found = [i % 7 for i in range(COUNT)]
    for _ in range(1000):
        x = math.sin(x)
    return x + found[7]


RUNS: dict[str, Any] = {
    "pairs": PAIRS,
    **{f.__name__: f for f in (of_list, of_dictionary, of_arrays, of_integers)},
}


def large_run(name: str, engine: Engine) -> tuple[Any, int]:
    """Return the start of a run, and a step at which it holds its large thing and does something else."""
    what = RUNS[name]
    if isinstance(what, str):
        start = start_of_program(what, engine)
    else:
        start = started(engine, run_of(what, (0.3,), {}, engine.name).u)
    return start, engine.advance(start, None, Effects()).steps - 2000


def start_of_program(text: str, engine: Engine) -> Any:
    return started(engine, enter(Pair(value_of(text, engine), 0.3)))


def started(engine: Engine, u: Any) -> Any:
    return engine.start(0, u, highest_capsule_tag(u))
