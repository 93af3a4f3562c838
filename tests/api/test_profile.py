"""A profile reports what sweeps did: on all engines the counts of the model, of a fake sweep all of it."""

from __future__ import annotations

import json
import tracemalloc

import pytest

import checkpoint
from checkpoint.driver.binomial import Binomial
from checkpoint.driver.observe import observed
from checkpoint.driver.schedule import Action, Bisection, Plain, Report, Schedule
from checkpoint.errors import RunError
from checkpoint.watch.profile import Profile, seconds_text
from checkpoint.watch.sweep_record import Totals
from tests.api.fake_sweep import CAPSULE, COTANGENT, FORWARD, PER_STEP, REVERSING, TAPING, Even, FakeSweep
from tests.driver.model import Model
from tests.support.tracing import traced

LOOP = "(lambda (x) (let loop ((i 0) (y x)) (if (= i 40) y (loop (+ i 1) (sin (* x y))))))"
FAILS = "(lambda (x) (let loop ((i 0) (y x)) (if (= i 40) (car y) (loop (+ i 1) (sin (* x y))))))"
SCHEDULES = [
    Plain(),
    Bisection(1),
    Bisection(7),
    Bisection(100),
    Binomial(snapshots=3, base=5),
    Binomial(base=9),
]


def fake(schedule: Schedule, length: int, most: int | None = None, limit: int = 1000) -> Profile:
    profile = Profile(limit)
    FakeSweep(length).tell(profile, schedule, most)
    return profile


@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
def test_counts_are_those_of_the_model(schedule: Schedule, engine: str) -> None:
    f = checkpoint.read(LOOP, engine=engine)
    length = checkpoint.primops(f, 0.7, engine=engine)
    model = Model(length).follow(schedule)
    with checkpoint.profile() as p:
        checkpoint.vjp(f, 0.7, engine=engine, schedule=schedule)
    assert p.total.run == length
    assert p.total.forward + p.total.recomputed == model.counts.advanced
    assert p.total.taped + p.total.taped_again == model.counts.taped
    assert p.total.executed == model.counts.advanced + model.counts.taped
    assert p.total.most_kept == model.counts.most_kept
    assert p.total.actions == len(model.actions)
    assert p.sweeps[0].complete
    assert p.sweeps[0].finished


def test_memory_and_times_are_those_of_the_sweep(engine: str) -> None:
    f = checkpoint.read(LOOP, engine=engine)
    with checkpoint.profile() as p:
        checkpoint.vjp(f, 0.7, engine=engine, schedule=Bisection(10))
    total = p.total
    assert 0 < total.peak_tape_bytes < total.peak_bytes
    assert 0 < total.peak_capsule_bytes < total.peak_bytes
    assert 0 < total.peak_cotangent_bytes < total.peak_bytes
    assert total.peak_bytes <= total.peak_tape_bytes + total.peak_capsule_bytes + total.peak_cotangent_bytes
    parts = (total.forward_seconds, total.recomputed_seconds, total.taped_seconds, total.taped_again_seconds)
    assert all(part > 0 for part in parts)
    assert total.reversing_seconds > 0
    assert sum(parts) + total.reversing_seconds <= total.seconds * (1 + 1e-9)


def test_several_gradients_are_told_one_by_one_and_together(engine: str) -> None:
    f = checkpoint.read(LOOP, engine=engine)
    with checkpoint.profile() as p:
        for schedule in (Plain(), Bisection(10)):
            checkpoint.vjp(f, 0.7, engine=engine, schedule=schedule)
    plain, bisection = (sweep.totals for sweep in p.sweeps)
    assert p.total.sweeps == 2
    assert p.total.executed == plain.executed + bisection.executed
    assert p.total.most_kept == bisection.most_kept > plain.most_kept
    assert p.total.peak_tape_bytes == plain.peak_tape_bytes > bisection.peak_tape_bytes


def test_a_fake_sweep_is_told_exactly() -> None:
    # 0..10..20 run forward, 20..30 taped; then 10..20 and 0..10 are taped again.
    p = fake(Even(30, 10), 30)
    assert p.sweeps[0].totals == Totals(
        sweeps=1,
        actions=13,
        forward=20,
        recomputed=0,
        taped=10,
        taped_again=20,
        most_kept=2,
        peak_bytes=2 * CAPSULE + 10 * PER_STEP + COTANGENT,
        peak_tape_bytes=10 * PER_STEP,
        peak_capsule_bytes=2 * CAPSULE,
        peak_cotangent_bytes=COTANGENT,
        forward_seconds=20 * FORWARD,
        taped_seconds=10 * TAPING,
        taped_again_seconds=20 * TAPING,
        reversing_seconds=30 * REVERSING,
        seconds=20 * FORWARD + 30 * TAPING + 30 * REVERSING,
    )


def test_a_held_tape_counts_among_tapes() -> None:
    p = fake(Even(30, 10, hold=True), 30)
    assert p.total.peak_tape_bytes == 20 * PER_STEP
    assert (p.total.taped, p.total.taped_again) == (20, 10)


def test_what_runs_again_in_part_is_shared_out_by_steps() -> None:
    # Bisection tapes the first 4 of 8 steps, runs on to 8, and again to 4.
    p = fake(Bisection(4), 8)
    assert (p.total.forward, p.total.recomputed, p.total.taped, p.total.taped_again) == (4, 4, 4, 8)
    assert (p.total.forward_seconds, p.total.recomputed_seconds) == (4 * FORWARD, 4 * FORWARD)
    assert (p.total.taped_seconds, p.total.taped_again_seconds) == (4 * TAPING, 8 * TAPING)


def test_an_exception_leaves_what_was_done(engine: str) -> None:
    f = checkpoint.read(FAILS, engine=engine)
    with pytest.raises(RunError), checkpoint.profile() as p:
        checkpoint.vjp(f, 0.7, engine=engine, schedule=Bisection(10))
    assert [sweep.finished for sweep in p.sweeps] == [False]
    assert p.total.taped == 10
    assert "1 of them not to the end" in str(p)
    with checkpoint.profile() as q:
        checkpoint.vjp(checkpoint.read(LOOP, engine=engine), 0.7, engine=engine, schedule=Plain())
    assert len(p.sweeps) == len(q.sweeps) == 1


def test_a_sweep_without_a_beginning_is_none() -> None:
    p = Profile(10)
    p.ended(False)
    assert not p.sweeps
    assert str(p) == "no gradient was taken by a sweep within the `with`"


class Bar:
    """Another observer."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def began(self, schedule: Schedule, report: Report) -> None:
        self.told.append("began")

    def acted(self, action: Action, report: Report) -> None:
        self.told.append(type(action).__name__)

    def running(self, step: int) -> None: ...

    def ended(self, finished: bool) -> None:
        self.told.append(f"ended {finished}")


def test_who_watched_before_goes_on(engine: str) -> None:
    f = checkpoint.read(LOOP, engine=engine)
    bar = Bar()
    with observed((bar,)), checkpoint.profile() as outer, checkpoint.profile() as inner:
        checkpoint.vjp(f, 0.7, engine=engine, schedule=Plain())
    assert bar.told == ["began", "Keep", "Tape", "Reverse", "ended True"]
    assert outer.total.run == inner.total.run == checkpoint.primops(f, 0.7, engine=engine)


def test_what_runs_within_steps_is_part_of_them(engine: str) -> None:
    nested = "(lambda (x) (cdr (*j (lambda (y) (* y y y)) x 1)))"
    with checkpoint.profile() as p:
        checkpoint.vjp(checkpoint.read(nested, engine=engine), 2.0, engine=engine)
    assert len(p.sweeps) == 1


def test_beyond_the_limit_totals_go_on() -> None:
    all_of_it, part = fake(Even(300, 10), 300), fake(Even(300, 10), 300, limit=5)
    assert part.total == all_of_it.total
    assert (len(part.sweeps[0].actions), part.sweeps[0].complete) == (6, False)
    FakeSweep(30).tell(part, Even(30, 10))
    assert len(part.sweeps[1].actions) == 1
    assert part.total.actions == all_of_it.total.actions + 13


@pytest.mark.parametrize("limit", [-1, 1.5, True])
def test_a_limit_is_a_number(limit: int) -> None:
    with (
        pytest.raises(RunError, match="limit must be a number of actions, not "),
        checkpoint.profile(limit=limit),
    ):
        pass


def test_many_actions_take_little_memory() -> None:
    schedule = Even(40_000, 5)
    with traced():
        p = fake(schedule, 40_000, most=20_000, limit=20_000)
        held, _ = tracemalloc.get_traced_memory()
    assert p.total.actions == 20_000
    assert held < 2e6


def test_the_table() -> None:
    p = fake(Even(30, 10), 30)
    assert str(p) == repr(p)
    assert str(p).splitlines() == [
        "1 sweep over 30 steps, by Even(length=30, stretch=10, hold=False, memory=None)",
        "",
        "                   steps  times the run     time",
        "run forward           20           0.67   20.0 s",
        "run forward again      0           0.00   0.0 ms",
        "taped                 10           0.33   20.0 s",
        "taped again           20           0.67   40.0 s",
        "reversed              30           1.00   90.0 s",
        "steps run in all      50           1.67  170.0 s",
        "",
        "                       at most",
        "memory held              330 B",
        "  tapes                   80 B",
        "  capsules               200 B",
        "  cotangent               50 B",
        "capsules kept at once        2",
    ]


def test_the_summary_is_plain_data() -> None:
    p = fake(Even(30, 10), 30)
    FakeSweep(8).tell(p, Bisection(4))
    summary = json.loads(json.dumps(p.summary()))
    assert (summary["run"], summary["executed"], summary["sweeps"]) == (38, 50 + 20, 2)
    assert [each["run"] for each in summary["each"]] == [30, 8]
    assert summary["each"][1]["schedule"] == "Bisection(base=4, tape_bytes=None)"
    assert "2 sweeps over 38 steps, by 2 schedules" in str(p)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0.0 ms"), (0.099, "99.0 ms"), (0.5, "0.50 s"), (59.96, "60.0 s"), (7384.0, "2 h 3 min")],
)
def test_times_are_readable(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text
