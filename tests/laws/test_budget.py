"""Checkpointed gradients equal plain ones: budgets that cut the runs of the corpora change no bit.

The programs of the three corpora are taken in an order that is always the same, until enough of their runs
are cut: most are short.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import Plain, Schedule
from tests.arrays import agreement as of_arrays
from tests.arrays import test_corpus as arrays
from tests.python import test_corpus as functions
from tests.support import laws
from tests.support.budgets import Watched, tightest
from tests.support.corpus import DIFFERENTIABLE, engine_name, usable_engines
from tests.support.same import difference
from tests.support.sampling import THOROUGH

Take = Callable[[Schedule], Any]

SAMPLE = 12 if THOROUGH else 6  # programs of each corpus, at least
CUT = SAMPLE // 3  # runs of them that are cut, at least


def texts_on(engine: Engine, name: str) -> Take:
    entry = next(entry for entry in DIFFERENTIABLE if entry.name == name)
    case = entry.case(engine)
    run = laws.run_of(entry, engine)
    return lambda schedule: laws.gradient(case, engine, entry.input, run, schedule)[1]


def functions_on(engine: Engine, name: str) -> Take:
    return lambda schedule: functions.gradient(functions.EXAMPLES[name], engine.name, schedule)[2]


def arrays_on(engine: Engine, name: str) -> Take:
    def take(schedule: Schedule) -> Any:
        with of_arrays.quietly():
            return of_arrays.call_on(arrays.EXAMPLES[name], engine.name).vjp(of_arrays.weights, schedule)[1]

    return take


CORPORA: dict[str, tuple[list[str], Callable[[Engine, str], Take]]] = {
    "texts": ([entry.name for entry in DIFFERENTIABLE], texts_on),
    "functions": (functions.DIFFERENTIABLE, functions_on),
    "arrays": (arrays.DIFFERENTIABLE, arrays_on),
}


def drawn(corpus: str) -> list[str]:
    names = CORPORA[corpus][0]
    return Random(corpus).sample(names, len(names))


@pytest.mark.parametrize("engine", usable_engines(), ids=engine_name)
@pytest.mark.parametrize("corpus", CORPORA)
def test_checkpointed_equals_plain(corpus: str, engine: Engine) -> None:
    """The budget is a third of the tape or less, or the least that suffices."""
    cut = 0
    for tried, name in enumerate(drawn(corpus)):
        if tried >= SAMPLE and cut > CUT:
            return
        take = CORPORA[corpus][1](engine, name)
        plain = Watched(Plain())
        expected = take(plain)
        for memory in (plain.most // 12, plain.most // 2):
            found, watched = tightest(take, max(memory, 4096))
            assert difference(found, expected) is None, f"{name}, {watched.schedule}"
            cut += watched.pieces > 1
    pytest.fail("too few runs are cut for this to say much")
