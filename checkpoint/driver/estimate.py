"""How much of a sweep is done, and how long the rest will take; learnt while it runs.

In: a schedule, its actions and the reports on them, and the seconds since the sweep began. Out: the share of
the backward sweep that is done and the seconds that are left, once the end of the run is known.

Work of each kind (running, taping, reversing, and actions that run nothing) has its own rate, seconds for
each unit, learnt as it is done. How much is left of each, the schedule itself knows: a second coroutine of
it is told all that the first is told, and asked ahead when the end is known (checkpoint.driver.forecast).
A schedule whose coroutines do not agree has no forecast; then it is taken that what is not taped yet is run,
taped and reversed once.
"""

from __future__ import annotations

from checkpoint.driver.forecast import (
    TAPING,
    Ahead,
    Amounts,
    FirstTimes,
    Forecast,
    Kind,
    Place,
    Rates,
    Sizes,
    Work,
)
from checkpoint.driver.schedule import Action, Report, Schedule, Tape

# When forecasts are made, by the share that is done: more is known of tapes each time. One needs a coroutine
# of the schedule, so these are few.
FORECASTS = (0.0, 0.04, 0.3)
AHEAD = 2_000  # actions that are asked for at a time: some milliseconds
# Seconds for each unit. Engines and programs differ: by up to 1.5 times in taping, 3 times in reversing.
TYPICAL = (1.0, TAPING, 1.2, 2e-5)
# What is typical counts as much as this share of the run, or this number of actions, when rates are learnt.
TRUST, TRUST_ACTIONS = 0.002, 20.0


class Estimate:
    """What is known of a sweep.

    turned: when the end of the run became known. reversed_to: the step down to which the run has been
    reversed; None before that. since: work done since the last tape was reversed.
    """

    def __init__(self, schedule: Schedule, report: Report, seconds: float) -> None:
        self.place = Place(report.step)
        # All but the last will be asked ahead; that goes on knowing what comes next.
        self.aheads = [Ahead(schedule) for _ in range(len(FORECASTS) + 1)]
        self.times = FirstTimes(report.step)
        self.sizes = Sizes()
        self.rates = Rates(TYPICAL, (1.0,) * len(Kind))
        self.forecast: Forecast | None = None
        self.coming: Forecast | None = None
        self.step = report.step
        self.reversed_to: int | None = None
        self.seconds = self.turned = seconds
        self.since: Amounts = [0.0] * len(Kind)
        self.share = 0.0
        self.trust = 0.0

    def running(self, step: int, seconds: float) -> None:
        """In the midst of what comes next the run has come to a step."""
        is_tape = bool(self.aheads) and isinstance(self.aheads[-1].action, Tape)
        self._moved(Work(Kind.TAPE if is_tape else Kind.RUN, self.step, step), seconds)
        self._ask()

    def acted(self, action: Action, report: Report, seconds: float) -> None:
        """An action was done."""
        work = self.place.act(action, report)
        self.sizes.see(action, report, self.place)
        if work.kind in (Kind.RUN, Kind.TAPE):
            work.low = min(self.step, work.high)  # what it did after it was last heard of
        self._moved(work, seconds)
        self.step = self.place.at
        self.aheads = [ahead for ahead in self.aheads if ahead.told(action, report)]
        if self.reversed_to is None and report.finished:
            self._turn(report)
        elif self.reversed_to is not None and work.kind == Kind.REVERSE:
            self.reversed_to = work.low
            self.since = [0.0] * len(Kind)
            self._look_ahead(report, self.reversed_to)
        self._ask()

    def _moved(self, work: Work, seconds: float) -> None:
        took, self.seconds = seconds - self.seconds, seconds
        if self.reversed_to is not None:
            units = self.times.amount(work)
            self.rates.learn(work.kind, units, took)
            self.since[work.kind] += units
        elif work.kind in (Kind.RUN, Kind.TAPE):
            self.times.add(work.high, took, work.kind)
        if work.kind in (Kind.RUN, Kind.TAPE):
            self.step = work.high

    def _turn(self, report: Report) -> None:
        """The end of the run is known."""
        times = self.times
        times.settle()
        self.reversed_to, self.turned = times.step, self.seconds
        self.trust = trust = TRUST * times.between(times.start, times.step) or 1e-9
        typical = (TYPICAL[0], times.taping, *TYPICAL[2:])
        self.rates = Rates(typical, (trust, trust, trust, TRUST_ACTIONS))
        self._look_ahead(report, self.reversed_to)

    def _ask(self) -> None:
        """Go on with the forecast that is being made; the one before it holds until then."""
        coming = self.coming
        if coming is None:
            return
        coming.ask(AHEAD)
        if coming.is_complete or not coming.is_possible:
            self.forecast = coming if coming.is_complete else self.forecast
            self.coming = None

    def _look_ahead(self, report: Report, reversed_to: int) -> None:
        """Begin with the next forecast, if it is time."""
        due = FORECASTS[-len(self.aheads) + 1] if len(self.aheads) > 1 else None
        if due is None or self.coming is not None or self._share() < due:
            return
        if self.rates.units[Kind.TAPE] > 10 * self.trust:
            self.times.taping = self.rates.of(Kind.TAPE)
        ahead = self.aheads.pop(0)
        self.coming = Forecast(ahead, self.place, report, self.sizes, self.times, self.rates, reversed_to)

    def asked(self, seconds: float) -> None:
        """What was asked ahead has taken until now, which says nothing of the rates."""
        if self.coming is not None:
            self.seconds = seconds

    def left(self) -> float | None:
        """Seconds that are left, as far as is known."""
        if self.reversed_to is None:
            return None
        if self.forecast is None and self.coming is not None:
            return None
        if self.forecast is None:
            return self.rates.time(self._simply_left(self.reversed_to))
        return self.rates.time(self.forecast.left(self.reversed_to, self.since))

    def _simply_left(self, reversed_to: int) -> Amounts:
        times, place = self.times, self.place
        whole = times.between(times.start, reversed_to)
        tapes = [*place.aside.values(), *([] if place.last is None else [place.last])]
        again = max(whole - sum(times.between(tape.low, tape.high) for tape in tapes), 0.0)
        run, tape = (max(again - self.since[kind], 0.0) for kind in (Kind.RUN, Kind.TAPE))
        return [run, tape, whole, 0.0]

    def done(self) -> float | None:
        """The share of the backward sweep that is done; it never falls."""
        if self.reversed_to is None:
            return None
        if self.left() is not None:
            self.share = max(self.share, self._share())
        return self.share

    def _share(self) -> float:
        left, used = self.left(), self.seconds - self.turned
        return 0.0 if left is None or used + left <= 0 else used / (used + left)
