"""The laws of runs, for every program of the corpus on every engine."""

from __future__ import annotations

from random import Random

import pytest

from checkpoint.driver.engine import Engine
from checkpoint.errors import RunError
from checkpoint.functions import runs
from checkpoint.lang.printer import write_value
from tests.support import laws
from tests.support.corpus import (
    DIFFERENTIABLE,
    ENTRIES,
    FAILING,
    SUCCEEDING,
    Entry,
    engine_name,
    usable_engines,
)
from tests.support.same import difference
from tests.support.world import World

ENGINES = usable_engines()

pytestmark = [
    pytest.mark.parametrize("engine", ENGINES, ids=engine_name),
    pytest.mark.together("entry"),
]


def name_of(entry: Entry) -> str:
    return entry.name


every_success = pytest.mark.parametrize("entry", SUCCEEDING, ids=name_of)
every_failure = pytest.mark.parametrize("entry", FAILING, ids=name_of)
every_gradient = pytest.mark.parametrize("entry", DIFFERENTIABLE, ids=name_of)


def test_the_corpus_is_large(engine: Engine) -> None:
    lengths = [laws.run_of(entry, engine).steps for entry in SUCCEEDING]
    assert len(ENTRIES) >= 60
    assert sum(steps > 200 for steps in lengths) >= 25


@every_success
def test_value(entry: Entry, engine: Engine) -> None:
    run = laws.run_of(entry, engine)
    if "value" in entry.header:
        assert difference(run.value, entry.stated("value", engine)) is None


@every_success
def test_engines_agree(entry: Entry, engine: Engine) -> None:
    """Written values are equal exactly where all bits are, since each real reads back the same."""
    here = laws.run_of(entry, engine)
    there = laws.run_of(entry, ENGINES[0])
    assert write_value(here.value) == write_value(there.value)
    assert (here.steps, here.written, here.unread) == (there.steps, there.written, there.unread)


@every_success
def test_every_cut(entry: Entry, engine: Engine) -> None:
    case = entry.case(engine)
    run = laws.run_of(entry, engine)
    for cut in laws.share(laws.cuts(run.steps, Random(entry.name)), engine):
        laws.check_cut(case, engine, entry.input, run, cut)


@every_success
@pytest.mark.long
def test_many_cuts(entry: Entry, engine: Engine) -> None:
    case = entry.case(engine)
    run = laws.run_of(entry, engine)
    for cut in laws.cuts(run.steps, Random(entry.name), every=400, more=120):
        laws.check_cut(case, engine, entry.input, run, cut)


@every_success
@pytest.mark.engines_in_turn
def test_second_cuts_compose(entry: Entry, engine: Engine) -> None:
    case, random = entry.case(engine), Random(entry.name)
    run = laws.run_of(entry, engine)
    for first in laws.share(laws.cuts(run.steps, random, every=10, more=10), engine):
        laws.check_second_cut(case, engine, entry.input, run, first, random.randint(0, run.steps - first))


@every_success
@pytest.mark.engines_in_turn
def test_cuts_outside_the_run(entry: Entry, engine: Engine) -> None:
    case = entry.case(engine)
    laws.check_outside(case, engine, entry.input, laws.run_of(entry, engine))


@every_failure
def test_an_error_belongs_to_its_step(entry: Entry, engine: Engine) -> None:
    laws.check_failing(entry.case(engine), engine, entry.input, entry.header["error"])


@every_failure
def test_engines_agree_on_errors(entry: Entry, engine: Engine) -> None:
    texts = []
    for each in (engine, ENGINES[0]):
        case = entry.case(each)
        with pytest.raises(RunError) as caught, World(entry.input):
            runs.call_values(case.f, case.x, each)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
