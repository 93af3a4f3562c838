"""Base cases bounded in bytes: runs whose steps record very unevenly, by the symbolic model and for real."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from checkpoint.driver.binomial import Binomial
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine
from checkpoint.driver.schedule import BaseCase, Bisection, Plain, Report, Schedule
from checkpoint.functions import runs
from checkpoint.interp.engine import MEASURE_STEPS
from tests.driver.model import Model
from tests.driver.test_execution import start_of, sweep
from tests.driver.test_schedules import doublings, written
from tests.support.corpus import engine_name, usable_engines, value_of
from tests.support.same import difference
from tests.support.sampling import THOROUGH

Size = Callable[[int], int]
SHORT = range(1, 60, 1 if THOROUGH else 3)  # lengths of runs

SIZES: dict[str, Callable[[int], Size]] = {
    "even": lambda length: lambda step: 10,
    "spikes": lambda length: lambda step: 1000 if step % 29 == 0 else 1,
    "growing": lambda length: lambda step: 2 ** (step * 16 // max(length, 1)),
    "shrinking": lambda length: lambda step: 2 ** (16 - step * 16 // max(length, 1)),
    "two kinds": lambda length: lambda step: 500 if step // (length // 7 + 1) % 2 else 1,
    "random": lambda length: [int(2 ** Random(step).uniform(0, 14)) for step in range(length)].__getitem__,
}


def schedules(base: int, tape_bytes: int | None) -> list[Schedule]:
    return [
        Bisection(base, tape_bytes),
        *(Binomial(snapshots=d, base=base, tape_bytes=tape_bytes) for d in (1, 2, 5)),
        *(Binomial(repetitions=t, base=base, tape_bytes=tape_bytes) for t in (1, 3)),
        Binomial(base=base, tape_bytes=tape_bytes),
    ]


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("look_every", [1, 5])
def test_no_tape_exceeds_its_bound_by_more_than_one_look(sizes: str, look_every: int) -> None:
    random = Random(sizes)
    for _ in range(30 if THOROUGH else 10):
        length, base = random.randrange(1, 260), random.choice((1, 2, 3, 10, 40, 100, 1000))
        tape_bytes, size = random.choice((1, 10, 300, 5000, 10**6)), SIZES[sizes](length)
        slack = look_every * max(map(size, range(length)))
        for schedule in schedules(base, tape_bytes):
            model = Model(length, size=size, look_every=look_every).follow(schedule)
            assert model.largest <= tape_bytes + slack
            assert all(last - first <= base for first, last in model.reversed)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("base", [1, 2, 50, 1000])
@pytest.mark.parametrize("tape_bytes", [1, 300, 5000])
def test_bisection_stays_logarithmic(sizes: str, base: int, tape_bytes: int) -> None:
    for length in [*SHORT, 777, 3000]:
        model = Model(length, size=SIZES[sizes](length)).follow(Bisection(base, tape_bytes))
        levels = doublings(length, base) + 2 * doublings(min(base, length), 1)
        assert model.counts.most_kept <= 2 + levels
        assert model.counts.taped <= 2 * length + min(base, length)
        assert model.counts.advanced + model.counts.taped - length <= length * (1 + levels)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("snapshots", [1, 2, 3, 8])
def test_a_given_number_of_snapshots_is_never_exceeded(sizes: str, snapshots: int) -> None:
    for length in [*SHORT, 300, 777]:
        schedule = Binomial(snapshots=snapshots, base=100, tape_bytes=300)
        model = Model(length, size=SIZES[sizes](length)).follow(schedule)
        assert model.counts.most_kept <= snapshots


@pytest.mark.parametrize("base", [10, 1000])
def test_a_bound_that_nothing_reaches_changes_nothing(base: int) -> None:
    for bounded, free in zip(schedules(base, 10**9), schedules(base, None), strict=True):
        for length in (1, 9, 10, 11, 100, 555, 2000):
            one = Model(length, size=lambda step: 1000).follow(bounded)
            other = Model(length).follow(free)
            assert (one.counts, one.outgrown) == (other.counts, 0)
            assert [*map(written, one.actions)] == [*map(written, other.actions)]


def test_where_all_tapes_are_too_large_one_tells_the_size_of_the_others() -> None:
    """Steps ten times as large as the bound allows for cost one vain tape for each growth."""
    for schedule in schedules(1000, 1000):
        model = Model(20_000, size=lambda step: 10).follow(schedule)
        assert model.outgrown == 1
        assert model.counts.taped < 20_000 + 1000


def test_one_heavy_stretch_does_not_make_the_rest_slow() -> None:
    """A hundred steps that fill a tape each, among steps of which 10,000 fit, need few tapes."""
    for schedule in schedules(10_000, 10_000):
        model = Model(100_000, size=lambda step: 10_000 if step // 100 == 505 else 1).follow(schedule)
        assert model.outgrown <= 11
        # One repetition: a base case is cut in one pass, before its tapes can tell how much fits.
        assert len(model.reversed) <= 150 or schedule == Binomial(
            repetitions=1, base=10_000, tape_bytes=10_000
        )


# Steps 0 to 5 record one byte, 6 and 7 ten: with a bound of 10 bytes a tape from 4 is full at 7.
SEQUENCES: dict[str, tuple[Schedule, str]] = {
    "bisection: the piece that fitted is taped last; then three steps are as many as are known to fit": (
        Bisection(4, 10),
        (
            "keep tape:4 advance:end restore:0 advance:4 keep restore:4 tape:8 keep restore:7 tape:8 reverse "
            "drop:7 restore:4 tape:7 reverse drop:4 restore:0 advance:2 keep restore:2 tape:4 reverse drop:2 "
            "restore:0 tape:2 reverse"
        ),
    ),
    "the first tape is of the whole run": (
        Bisection(8, 10),
        (
            "keep tape:8 advance:end restore:0 advance:4 keep restore:4 tape:8 keep restore:7 tape:8 reverse "
            "drop:7 restore:4 tape:7 reverse drop:4 restore:0 advance:2 keep restore:2 tape:4 reverse drop:2 "
            "restore:0 tape:2 reverse"
        ),
    ),
    "binomial: no state is free, and the rest is taped from where the tape was full": (
        Binomial(snapshots=1, base=4, tape_bytes=10),
        (
            "keep tape:4 advance:end restore:0 advance:4 tape:8 tape:8 reverse restore:0 advance:4 tape:7 "
            "reverse restore:0 advance:1 tape:4 reverse restore:0 tape:1 reverse"
        ),
    ),
    "binomial: a free state goes where it is best": (
        Binomial(snapshots=2, base=4, tape_bytes=10),
        (
            "keep tape:4 advance:end restore:0 advance:4 tape:8 tape:8 reverse restore:0 advance:3 keep "
            "advance:4 tape:7 reverse restore:3 tape:4 reverse drop:3 restore:0 tape:3 reverse"
        ),
    ),
}


@pytest.mark.parametrize("name", SEQUENCES)
def test_exact_sequence(name: str) -> None:
    schedule, expected = SEQUENCES[name]
    model = Model(8, size=lambda step: 10 if step >= 6 else 1).follow(schedule)
    assert " ".join(map(written, model.actions)) == expected


def learnt(case: BaseCase, *reports: Report) -> list[int]:
    """Return the steps that a base case expects to fit after each report of a tape from step 100."""
    found = []
    for report in reports:
        tape = case.tape(100, 150)
        next(tape)
        with pytest.raises(StopIteration):
            tape.send(report)
        found.append(case.steps)
    return found


def test_how_much_fits_is_learnt_from_every_tape() -> None:
    full, light = Report(103, False, 1001), Report(150, False, 500)
    assert learnt(BaseCase(1000, 1000), full, Report(150, False, 501), light, full) == [3, 3, 100, 3]
    assert learnt(BaseCase(60, 1000), light, Report(150, True, 0), Report(120, True, 0)) == [60, 60, 60]
    assert learnt(BaseCase(50, None), Report(150, False, 10**9), Report(120, True, 0)) == [50, 50]


# A real program: of its two loops the second records far more for each step.

UNEVEN = """
(lambda (x)
  (let idle ((i 0))
    (if (< i 300)
        (idle (+ i (- (+ i 1) i)))
        (let busy ((j 0) (a x) (b 1) (c x) (d 2) (e x))
          (if (= j 60)
              (+ a (+ b (+ c (+ d e))))
              (busy (+ j 1) (sin (* a b)) (+ b (* c 0.1)) (cos (+ c d)) (* d 0.9) (- e (* a a))))))))
"""


class Watched:
    """An engine watched for its largest tape, used by the Python driver, which requests each tape."""

    sweep = None

    def __init__(self, engine: Engine) -> None:
        self.engine, self.largest = engine, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)

    def tape(self, *arguments: Any) -> Any:
        recording = self.engine.tape(*arguments)
        self.largest = max(self.largest, recording.bytes)
        return recording


def recorded(engine: Engine) -> list[int]:
    """Return the bytes of each interval between two samples of a run."""
    state, found = start_of(UNEVEN, 0.3, engine), []
    while not state.finished:
        recording = engine.tape(state, state.steps + MEASURE_STEPS, Effects())
        found.append(recording.bytes)
        state = recording.detached()
    return found


@pytest.mark.parametrize("engine", usable_engines(), ids=engine_name)
@pytest.mark.parametrize("share", [4, 20])
def test_a_real_run_stays_within_its_bound(share: int, engine: Engine) -> None:
    intervals = recorded(engine)
    assert max(intervals) > 2 * min(intervals), "the program should be uneven"
    tape_bytes = sum(intervals) // share
    f = value_of(UNEVEN, engine)
    y, xbar = runs.vjp_values(f, 0.3, None, engine, Plain())
    for schedule in schedules(10_000, tape_bytes):
        watched: Any = Watched(engine)
        _, end, _ = sweep(watched, schedule, start_of(UNEVEN, 0.3, engine))
        assert watched.largest <= tape_bytes + 2 * max(intervals), "an interval may meet two of these"
        again, other = runs.vjp_values(f, 0.3, None, engine, schedule)
        assert (difference(again, y), difference(other, xbar), end.value) == (None, None, y)


@pytest.mark.parametrize("engine", usable_engines(), ids=engine_name)
def test_a_tape_says_where_it_stopped(engine: Engine) -> None:
    start = start_of(UNEVEN, 0.3, engine)
    length = engine.advance(start, None, Effects()).steps
    whole = engine.tape(start, None, Effects())
    assert engine.tape(start, None, Effects(), whole.bytes).end.finished
    first = engine.tape(start, None, Effects(), 1)
    assert 0 < first.end.steps < length
    assert 1 < first.bytes < whole.bytes
    again = engine.tape(start, first.end.steps, Effects(), 1)
    assert (again.end.steps, again.bytes) == (first.end.steps, first.bytes), "what fitted once fits again"
    assert engine.advance(first.detached(), None, Effects()).value == whole.detached().value
    assert engine.tape(start, 0, Effects(), 1).end.steps == 0
