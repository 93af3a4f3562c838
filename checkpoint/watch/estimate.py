"""Estimates of how much of a sweep is done and how long the rest will take, learnt while it runs.

In: a schedule, its actions and the reports on them, or samples of its progress, and the seconds since the
sweep began. Out: the share of the backward sweep that is done and the seconds that are left, once the end of
the run is known.

Three kinds of work are left then: steps to run again (checkpoint.watch.forecast), which take as long as they
did in the first pass; steps to tape, and steps to reverse. These two have a rate, seconds for what took a
second in the first pass: what is typical at first, then what is learnt as the run is reversed. What takes
longer than was forecast counts as a part of reversing; so does taping where only samples are reported.
"""

from __future__ import annotations

from checkpoint.driver.costs import Costs
from checkpoint.driver.observe import Sample
from checkpoint.driver.schedule import (
    Action,
    Advance,
    Drop,
    Hold,
    Keep,
    Release,
    Report,
    Restore,
    Reverse,
    Schedule,
    Tape,
)
from checkpoint.watch.forecast import TAPING, FirstPass, Forecast, Kept, Taped

RUN, TAPE, REVERSE = range(3)
REVERSING = 1.2  # times longer than running; engines and programs differ by a factor of up to 3
UNSURE = 0.01  # the share by which a forecast may be wrong
ALMOST = 0.9999  # the most that is done before the sweep is over
TRUST = 0.002  # when rates are learnt, the typical one counts as if measured on this share of the run


class Estimate:
    """An estimate of one sweep, updated by each report.

    end: of the run, once it is known. reversed_to: the step down to which the run has been reversed; None
    before the end is known. turned: when that was.
    last, held: the tapes that exist; the last one counts as held if the end of the run is on it.
    recorded: the tape that was made last.
    spent: seconds of the backward sweep, by kind; settled: of that, until a tape was last reversed.
    """

    def __init__(self, schedule: Schedule, report: Report) -> None:
        self.schedule = schedule
        self.report = report
        self.first = FirstPass(report.step)
        self.kept = Kept(report.step)
        self.costs = Costs(report.step)
        self.last: Taped | None = None
        self.recorded: Taped | None = None
        self.held: dict[int, Taped] = {}
        self.is_sampled = False
        self.step = report.step
        self.reversed_to: int | None = None
        self.seconds = self.turned = 0.0
        self.spent = [0.0, 0.0, 0.0]
        self.settled = [0.0, 0.0, 0.0]
        self.share = 0.0

    # Reports

    def acted(self, action: Action, report: Report, seconds: float) -> None:
        """Record an action that was done."""
        took, self.seconds = seconds - self.seconds, seconds
        low, self.step = self.report.step, report.step
        if isinstance(action, Tape):
            self.last = self.recorded = Taped(low, report.step, report.bytes)
        elif isinstance(action, Advance | Keep | Restore):
            self._forget(self.last)
        if self.reversed_to is None:
            self._passed(action, report, took)
        elif isinstance(action, Advance):
            self.spent[RUN] += took
        elif isinstance(action, Tape):
            self.spent[TAPE] += took
        else:
            self.spent[REVERSE] += took
        if isinstance(action, Hold) and self.last is not None:
            self.held[self.last.low], self.last = self.last, None
            self.settled = list(self.spent)
        elif isinstance(action, Release):
            self._forget(self.held.get(action.step))
        elif isinstance(action, Reverse):
            self._reversed(action.step)
        self.report = report
        if self.reversed_to is None and report.finished:
            self._turn()

    def running(self, step: int, seconds: float) -> None:
        """Record that the run has reached a step in the midst of the next action."""
        took, self.seconds = seconds - self.seconds, seconds
        self.step = step
        if self.reversed_to is None:
            self.first.add(step, took, False)
        else:
            _, comes_first = self.forecast.left(self.reversed_to)
            is_run = self.spent[RUN] - self.settled[RUN] < comes_first
            self.spent[RUN if is_run else TAPE] += took

    def sampled(self, sample: Sample, seconds: float) -> None:
        """Record a sample of a sweep that reports samples instead of actions."""
        self.is_sampled = True
        if self.reversed_to is None:
            took, self.seconds = seconds - self.seconds, seconds
            to = sample.step if sample.end is None else sample.end
            self.first.add(to, took, False)
            self.step = to
            if sample.end is None:
                return
            self._turn()
        else:
            self.running(sample.step, seconds)
        if sample.reversed_to is not None:
            self._sampled_backward(sample.reversed_to)

    def _passed(self, action: Action, report: Report, took: float) -> None:
        """Record an action of the first pass."""
        if isinstance(action, Keep):
            self.kept.count(report.step, 1)
        elif isinstance(action, Drop):
            self.kept.count(action.step, -1)
        elif isinstance(action, Tape):  # the steps reported as run meanwhile were taped
            self.first.add(report.step, took + self.first.go_back(self.report.step), True)
            self.costs.sample(report.step)
        elif isinstance(action, Advance):
            before = self.report
            self.first.add(report.step, took, False)
            self.costs.sample(report.step, min(report.seconds - before.seconds, report.busy - before.busy))

    def _turn(self) -> None:
        """Record that the end of the run is known."""
        first = self.first
        first.settle()
        self.reversed_to, self.turned = first.end, self.seconds
        if self.last is not None:
            self.held[self.last.low] = self.last
        head = max((tape.high for tape in self.held.values()), default=first.start)
        self.forecast = Forecast(
            self.schedule, first, self.kept, head, self.recorded, self.costs, self.report
        )
        self.reversing = REVERSING + (TAPING if self.is_sampled else 0.0)
        self.whole = self._work_left()

    def _reversed(self, step: int | None) -> None:
        """Record that the last tape has been reversed, or the one that is held from a step."""
        tape = self.last if step is None else self.held.get(step)
        if tape is not None:
            self._forget(tape)
            self.reversed_to = tape.low
            self.settled = list(self.spent)

    def _forget(self, tape: Taped | None) -> None:
        """Record that a tape is gone."""
        if tape is not None:
            self.held.pop(tape.low, None)
        if tape is self.last:
            self.last = None

    def _sampled_backward(self, reversed_to: int) -> None:
        """Record the step down to which a sampled sweep is reversed; its times are known only in sum."""
        if self.reversed_to is None or reversed_to >= self.reversed_to:
            return
        self.spent = [0.0, 0.0, sum(self.spent)]
        self.settled = list(self.spent)
        self.reversed_to = reversed_to

    # Results

    def left(self) -> float | None:
        """Return the estimated seconds that are left; None before the end of the run is known."""
        if self.reversed_to is None:
            return None
        work_left = self._work_left()
        run, tape, _ = (now - before for now, before in zip(self.spent, self.settled, strict=True))
        _, comes_first = self.forecast.left(self.reversed_to)
        done = [max(whole - left, 0.0) for whole, left in zip(self.whole, work_left, strict=True)]
        took = self.settled[REVERSE] + min(self.settled[RUN] - done[RUN], done[REVERSE])
        typical = self.first.taping
        taping = min(self._rate(typical, self.settled[TAPE], done[TAPE]), 3 * typical)  # tapes may be in vain
        reversing = self._rate(self.reversing, took, done[REVERSE], UNSURE * done[RUN])
        left = work_left[RUN] - min(run, comes_first)
        return left + max(taping * work_left[TAPE] - tape, 0.0) + reversing * work_left[REVERSE]

    def _rate(self, typical: float, seconds: float, done: float, unsure: float = 0.0) -> float:
        """Return the seconds per unit of work, where `done` units, uncertain by `unsure`, took `seconds`."""
        trust = TRUST * self.whole[REVERSE] + unsure + 1e-9
        return max(seconds + typical * trust, 0.0) / (done + trust)

    def _work_left(self) -> tuple[float, float, float]:
        """Return the work that is left, by kind."""
        assert self.reversed_to is not None
        work = self.first.work(self.first.start, self.reversed_to)
        if self.is_sampled:
            tape = 0.0
        else:
            tapes = sum(self.first.work(each.low, each.high) for each in self.held.values())
            tape = max(work - tapes, 0.0)
        return self.forecast.left(self.reversed_to)[0], tape, work

    def done(self) -> float | None:
        """Return the share of the backward sweep that is done; it never falls."""
        left = self.left()
        if left is None:
            return None
        used = self.seconds - self.turned
        self.share = max(self.share, min(used / (used + left), ALMOST) if used + left > 0 else 0.0)
        return self.share
