"""What a schedule is going to do with the rest of a run: it is asked ahead, by reports that are imagined.

In: a coroutine of the schedule, which has been told all until the end of the run was known; what the first
pass took, and how large tapes and states were. Out: how much work of each kind is left.

The unit of work is a second of the first pass: so steps may cost what they will.

What always holds: a forecast asks for a bounded number of actions at a time, and is of bounded size besides
what it repeats of the sweep's own books: the steps at which states are kept, and tapes held.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from checkpoint.driver.schedule import (
    Action,
    Actions,
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

TAPING = 1.7  # how many times longer steps take that are taped, until it is known
TURNS = 64  # that are remembered, from running to taping and back
POINTS = 1024  # of a curve that are kept

Amounts = list[float]  # by kind of work


class Kind(IntEnum):
    """Kinds of work. Units of the first three are what the first pass took, else they are actions."""

    RUN = 0
    TAPE = 1
    REVERSE = 2
    OTHER = 3


@dataclass(slots=True)
class Work:
    """What an action did: some work on the steps from `low` to `high`."""

    kind: Kind
    low: int = 0
    high: int = 0


@dataclass(frozen=True, slots=True)
class Taped:
    """A tape: its steps and its bytes."""

    low: int
    high: int
    bytes: int


class Place:
    """Where a sweep stands.

    at: the step of the current state. last, aside: the tapes.
    """

    def __init__(self, step: int) -> None:
        self.at = step
        self.last: Taped | None = None
        self.aside: dict[int, Taped] = {}

    def copy(self) -> Place:
        """The same place, to go on from."""
        other = Place(self.at)
        other.aside, other.last = dict(self.aside), self.last
        return other

    def act(self, action: Action, report: Report) -> Work:
        """What an action did, of which this is the report."""
        work = Work(Kind.OTHER)
        match action:
            case Advance():
                work, self.last = Work(Kind.RUN, self.at, report.step), None
            case Tape():
                work = Work(Kind.TAPE, self.at, report.step)
                self.last = Taped(self.at, report.step, report.bytes)
            case Keep():
                self.last = None
            case Restore(step):
                self.at, self.last = step, None
            case Hold() if self.last is not None:
                self.aside[self.last.low], self.last = self.last, None
            case Release(step):
                self.aside.pop(step, None)
            case Reverse(step):
                work = self._reversed(step)
        if work.kind in (Kind.RUN, Kind.TAPE):
            self.at = report.step
        return work

    def _reversed(self, step: int | None) -> Work:
        if step is None:
            tape, self.last = self.last, None
        else:
            tape = self.aside.pop(step, None)
        return Work(Kind.OTHER) if tape is None else Work(Kind.REVERSE, tape.low, tape.high)


class Curve:
    """Quantities that grow from step to step, known at some steps; straight lines between them.

    every: of so many points one is kept; the last is always there.
    """

    def __init__(self, step: int, width: int) -> None:
        self.steps = [step]
        self.values: list[Amounts] = [[0.0] * width]
        self.every = 1
        self.passing = 0  # not 0: the last point gives way to the next

    def add(self, step: int, by: Sequence[float]) -> None:
        """The quantities have grown, from the last step that is known to this one."""
        value = [old + more for old, more in zip(self.values[-1], by, strict=True)]
        if self.passing:
            self.steps[-1], self.values[-1] = step, value
        else:
            self.steps.append(step)
            self.values.append(value)
        self.passing = (self.passing + 1) % self.every
        if len(self.steps) > 2 * POINTS and not self.passing:
            # An odd number of points: the first and the last stay.
            del self.steps[1::2], self.values[1::2]
            self.every *= 2

    def at(self, step: int) -> Amounts:
        """The quantities at a step of the curve."""
        steps, values = self.steps, self.values
        if len(steps) == 1:
            return values[0]
        i = min(bisect_right(steps, step), len(steps) - 1)
        share = (step - steps[i - 1]) / (steps[i] - steps[i - 1])
        return [a + share * (b - a) for a, b in zip(values[i - 1], values[i], strict=True)]


class FirstTimes:
    """What the first pass took, as if nothing had been taped.

    taping: how many times longer steps take that are taped.
    """

    def __init__(self, step: int) -> None:
        self.start = step
        self.curve = Curve(step, 2)
        self.taping = TAPING
        self.kind = Kind.OTHER
        self.turns: deque[int] = deque(maxlen=TURNS)

    @property
    def step(self) -> int:
        """How far the pass has come."""
        return self.curve.steps[-1]

    def add(self, step: int, seconds: float, kind: Kind) -> None:
        """The pass has come to a step, later by so many seconds."""
        if step <= self.step:
            return
        if kind != self.kind:
            self.turns.append(self.step)
            self.kind = kind
        self.curve.add(step, [0.0, seconds] if kind == Kind.TAPE else [seconds, 0.0])

    def settle(self) -> None:
        """The pass is over. What taping costs more shows where it began and ended: neighbours are alike."""
        turns = [*self.turns, self.step]
        near = max((self.step - self.start) // 100, 1)
        run, taped = 0.0, 0.0
        for before, turn, after in zip(turns, turns[1:], turns[2:], strict=False):
            steps = min(turn - before, after - turn, near)
            low, high = self.curve.at(turn - steps), self.curve.at(turn + steps)
            run += high[0] - low[0]
            taped += high[1] - low[1]
        trust = 0.01 * sum(self.curve.values[-1])
        if trust:
            self.taping = min(max((taped + TAPING * trust) / (run + trust), 1.2), 2.5)

    def between(self, low: int, high: int) -> float:
        """The work from step to step."""
        begin, end = self.curve.at(low), self.curve.at(high)
        return end[0] - begin[0] + (end[1] - begin[1]) / self.taping

    def amount(self, work: Work) -> float:
        """How much work it is, in the units of its kind."""
        return 1.0 if work.kind == Kind.OTHER else self.between(work.low, work.high)


class Rates:
    """Seconds for each unit of work, by kind: what is typical counts as if seen on `trust` units."""

    def __init__(self, typical: Sequence[float], trust: Sequence[float]) -> None:
        self.units = list(trust)
        self.seconds = [rate * much for rate, much in zip(typical, trust, strict=True)]

    def learn(self, kind: Kind, units: float, seconds: float) -> None:
        """So much work has been done in that time."""
        self.units[kind] += units
        self.seconds[kind] += seconds

    def of(self, kind: Kind) -> float:
        return self.seconds[kind] / self.units[kind]

    def time(self, amounts: Amounts) -> float:
        """Seconds for so much work."""
        return sum(much * self.of(kind) for kind, much in zip(Kind, amounts, strict=True))


@dataclass(slots=True)
class Sizes:
    """How large tapes and states have been, on average; of tapes the last ones count most."""

    tape_bytes: float = 0.0
    tape_steps: float = 0.0
    states: int = 0
    state_bytes: int = 0
    besides: int = 0  # bytes that are held besides tapes

    def see(self, action: Action, report: Report, place: Place) -> None:
        """An action was done, which has led here."""
        besides = report.held - report.tapes
        if isinstance(action, Tape) and place.last is not None:
            self.tape_steps = place.last.high - place.last.low + self.tape_steps / 2
            self.tape_bytes = report.bytes + self.tape_bytes / 2
        elif isinstance(action, Keep):
            self.states += 1
            self.state_bytes += max(besides - self.besides, 0)
        self.besides = besides

    def tape(self, steps: int) -> int:
        """The bytes of so many steps' tape."""
        return int(self.tape_bytes * steps / self.tape_steps) if self.tape_steps else 0

    def steps(self, bytes: int) -> int:
        """Where a tape stops that may not outgrow a bound: after how many steps."""
        return 1 + int(bytes * self.tape_steps / self.tape_bytes) if self.tape_bytes else 1 << 62

    @property
    def state(self) -> int:
        """The bytes of one more state."""
        return self.state_bytes // max(self.states, 1)


class Ahead:
    """Another coroutine of a schedule, which is told what the first is told. action: what it does next."""

    def __init__(self, schedule: Schedule) -> None:
        self.actions: Actions = schedule.actions()
        self.action: Action | None = next(self.actions)

    def told(self, action: Action, report: Report) -> bool:
        """Whether it would have done the same."""
        if action != self.action:
            return False
        try:
            self.action = self.actions.send(report)
        except StopIteration:
            self.action = None
        return True


class Forecast:
    """What is left, as a schedule sees it ahead.

    ahead: has been told all until now, of which `report` is the last; it is used up.
    rates: goes on learning; here it tells imagined times. end: the step down to which the run is reversed.
    """

    def __init__(
        self,
        ahead: Ahead,
        place: Place,
        report: Report,
        sizes: Sizes,
        times: FirstTimes,
        rates: Rates,
        end: int,
    ) -> None:
        self.ahead = ahead
        self.place = place.copy()
        self.report = report
        self.sizes = replace(sizes)
        self.times = times
        self.rates = rates
        self.end = end
        self.whole: Amounts = [0.0] * len(Kind)
        # What has been done when so many steps, counted from `end`, have been reversed.
        self.curve = Curve(0, len(Kind))
        self.is_complete = False
        self.is_possible = True

    def ask(self, count: int) -> None:
        """Ask for some more actions."""
        for _ in range(count):
            if not self.is_possible:
                return
            if self.ahead.action is None:
                self.is_complete = True
                return
            self._one(self.ahead.action)

    def left(self, reversed_to: int, since: Amounts) -> Amounts:
        """What is left where the run has been reversed to a step, and so much other work been done since."""
        before = self.curve.at(self.end - reversed_to)
        return [max(w - b - s, 0.0) for w, b, s in zip(self.whole, before, since, strict=True)]

    def _one(self, action: Action) -> None:
        report = self._imagined(action)
        work = self.place.act(action, report)
        units = self.times.amount(work)
        self.whole[work.kind] += units
        took = units * self.rates.of(work.kind)
        self.report = report._replace(seconds=report.seconds + took, busy=report.busy + took)
        reversed_steps = self.end - work.low
        if work.kind == Kind.REVERSE and reversed_steps > self.curve.steps[-1]:
            done = self.curve.values[-1]
            self.curve.add(reversed_steps, [now - was for now, was in zip(self.whole, done, strict=True)])
        try:
            self.ahead.told(action, self.report)
        except Exception:  # a schedule may refuse what is only imagined: no forecast then
            self.is_possible = False

    def _imagined(self, action: Action) -> Report:
        """What would be reported of an action."""
        was, place = self.report, self.place
        last = 0 if place.last is None else place.last.bytes
        step, bytes, states, tapes = place.at, 0, was.held - was.tapes, was.tapes - last
        match action:
            case Keep():
                states += self.sizes.state
            case Drop():
                states -= self.sizes.state
            case Restore(at):
                step = at
            case Advance(to):
                step = self._clip(to)
            case Tape(to, bound):
                most = self._clip(None) if bound is None else step + self.sizes.steps(bound)
                step = min(self._clip(to), most)
                bytes = self.sizes.tape(step - place.at)
            case Release(at) | Reverse(int(at)) if at in place.aside:
                tapes -= place.aside[at].bytes
        if isinstance(action, Drop | Release):
            bytes = last  # these leave the last tape as it is
        if isinstance(action, Hold):
            tapes += last
        tapes = max(tapes + bytes, 0)
        held = max(states, 0) + tapes
        return Report(step, step == self.times.step, bytes, held, tapes, was.cotangent, was.seconds, was.busy)

    def _clip(self, to: int | None) -> int:
        return self.times.step if to is None else min(to, self.times.step)
