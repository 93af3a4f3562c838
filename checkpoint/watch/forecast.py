"""Forecasts of how much of a run its schedule will run again while reversing it, once its end is known.

In: the schedule, the first pass over the run, the states and tapes that are held. Out: the work that is still
to be run again, not counting what is taped, by the step down to which the run has been reversed.

The unit of work is a second of the first pass: so steps may differ in cost. A segment is cut as its
schedule would cut it, down to leaves that are a small part of the run; what is run again within a leaf has a
closed form. So a forecast takes some milliseconds, and a table of bounded size, however long the run is. It
may be wrong where tapes are cut by their bytes, which are not known before; learnt rates correct
that (checkpoint.watch.estimate).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise
from math import log2

from checkpoint.dataclass import dataclass
from checkpoint.driver import memory
from checkpoint.driver.binomial import BASE, Binomial, first_part, recomputed, snapshots_for
from checkpoint.driver.budget import Budget
from checkpoint.driver.costs import Costs
from checkpoint.driver.division import divide
from checkpoint.driver.ledger import MARK_BYTES
from checkpoint.driver.schedule import Bisection, Report, Schedule

POINTS = 1024  # how many points of the first pass are stored
BINS = 256  # how many bins kept states are counted in
PARTS = 256  # a leaf is at most this fraction (1 / PARTS) of the run
MOST_LEAVES = 4096
SPANS, ALIKE = 16, 1.6  # parts of a first pass; how many times longer than usual one may take by chance
TAPING = 1.7  # how many times longer taped steps take, until that is learnt
TRUST = 0.005  # TAPING counts as if it had been measured on this share of the first pass


class FirstPass:
    """The times of the first pass over a run, by step; at most 2 POINTS are stored, evenly in time.

    run, taped: the seconds until a step, of steps that were run and of those that were taped.
    taping: how many times longer taped steps take.
    """

    def __init__(self, start: int) -> None:
        self.steps = [start]
        self.run = [0.0]
        self.taped = [0.0]
        self.taping = TAPING
        self.junction: int | None = None
        self._gap = 0.0  # seconds from one point to the next, at least

    @property
    def start(self) -> int:
        return self.steps[0]

    @property
    def end(self) -> int:
        """The step that the pass has reached."""
        return self.steps[-1]

    def add(self, step: int, seconds: float, is_taped: bool) -> None:
        """Record that the pass has reached a step, later by so many seconds."""
        if step <= self.end:
            return
        if self.junction is None and self.taped[-1] and not is_taped:
            self.junction = self.end
        run, taped = self.run[-1], self.taped[-1]
        if len(self.steps) > 2 and run + taped - self.run[-2] - self.taped[-2] < self._gap:
            self._pop()
        self.steps.append(step)
        self.run.append(run if is_taped else run + seconds)
        self.taped.append(taped + seconds if is_taped else taped)
        if len(self.steps) > 2 * POINTS:
            for points in (self.steps, self.run, self.taped):
                del points[1:-1:2]
            self._gap = (self.run[-1] + self.taped[-1]) / POINTS

    def go_back(self, step: int) -> float:
        """Forget all points after a step; return the seconds that the pass had spent there."""
        before = self.run[-1] + self.taped[-1]
        if self.junction is not None and self.junction >= step:
            self.junction = None
        while self.end > step:
            self._pop()
        return before - self.run[-1] - self.taped[-1]

    def _pop(self) -> None:
        for points in (self.steps, self.run, self.taped):
            points.pop()

    def settle(self) -> None:
        """End the pass: learn the extra cost of taping from the steps around the last taped one."""
        if self.junction is not None:
            self._learn_taping(self.junction)
        self._even_out()

    def _learn_taping(self, junction: int) -> None:
        near = min(junction - self.start, self.end - junction, max((self.end - self.start) // 50, 1))
        (_, before), (run, taped), (run_on, _) = map(self._at, (junction - near, junction, junction + near))
        trust = TRUST * (self.run[-1] + self.taped[-1])
        if trust:
            taping = (taped - before + TAPING * trust) / (run_on - run + trust)
            self.taping = min(max(taping, 1.0), 4.0)

    def _even_out(self) -> None:
        """Give all steps the same cost if they took about as long everywhere.

        The differences are then chance, or come from keeping states.
        """
        whole = self.work(self.start, self.end)
        steps = self.end - self.start
        bounds = [self.start + steps * i // SPANS for i in range(SPANS + 1)]
        spans = [SPANS * self.work(low, high) for low, high in pairwise(bounds)]
        if steps and max(spans) < ALIKE * whole and ALIKE * min(spans) > whole:
            self.steps = [self.start, self.end]
            self.run, self.taped = [0.0, whole], [0.0, 0.0]

    def work(self, low: int, high: int) -> float:
        """Return the seconds from step to step, as if nothing had been taped."""
        (run, taped), (run_on, taped_on) = self._at(low), self._at(high)
        return run_on - run + (taped_on - taped) / self.taping

    def _at(self, step: int) -> tuple[float, float]:
        i = min(max(bisect_left(self.steps, step), 1), len(self.steps) - 1)
        if i == 0:
            return 0.0, 0.0
        share = (step - self.steps[i - 1]) / (self.steps[i] - self.steps[i - 1])
        run, taped = self.run[i - 1], self.taped[i - 1]
        return run + share * (self.run[i] - run), taped + share * (self.taped[i] - taped)


class Kept:
    """The number of kept states, counted in bins of equally many steps."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.width = 1
        self.counts = [0] * BINS

    def count(self, step: int, by: int) -> None:
        """Add `by` to the number of states at a step."""
        while (i := (step - self.start) // self.width) >= BINS:
            pairs = zip(self.counts[::2], self.counts[1::2], strict=True)
            self.counts = [*map(sum, pairs), *[0] * (BINS // 2)]
            self.width *= 2
        self.counts[i] = max(self.counts[i] + by, 0)

    def regions(self, low: int, high: int) -> Iterator[tuple[int, int, int]]:
        """Yield the regions between two steps as (begin, end, states); each begins with a state."""
        first = (low - self.start) // self.width
        filled = [i for i in range(first, BINS) if self.counts[i]]
        begins = [max(self.start + i * self.width, low) for i in filled]
        for begin, end, i in zip(begins, [*begins[1:], high], filled, strict=False):
            if begin < end:
                yield begin, end, self.counts[i]


@dataclass(frozen=True, slots=True)
class Taped:
    """A tape: its steps and its bytes."""

    low: int
    high: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Halves:
    """The cuts of Bisection."""

    base: float
    snapshots: int = 1

    def part(self, length: int, snapshots: int) -> int:
        """Return the number of steps of a segment before its cut; 0 where it is a base case."""
        return length // 2 if length > self.base else 0

    def again(self, length: float, snapshots: int) -> float:
        """Return how many steps of a segment are run again."""
        return length / 2 * log2(max(length / self.base, 1.0))


@dataclass(frozen=True, slots=True)
class Best:
    """The cuts of binomial checkpointing."""

    base: int
    snapshots: int

    def part(self, length: int, snapshots: int) -> int:
        """Return the number of steps of a segment before its cut; 0 where it is a base case."""
        return first_part(length, snapshots, self.base)

    def again(self, length: float, snapshots: int) -> float:
        """Return how many steps of a segment are run again."""
        return recomputed(round(length), snapshots, self.base)


Cuts = Halves | Best


@dataclass(frozen=True, slots=True)
class Leaf:
    """A range of steps that is reversed as one: `before` is run again first, `within` meanwhile."""

    low: int
    high: int
    before: float
    within: float


class Forecast:
    """The work that a schedule runs again of a run."""

    def __init__(
        self,
        schedule: Schedule,
        first: FirstPass,
        kept: Kept,
        head: int,
        last: Taped | None,
        costs: Costs,
        report: Report,
    ) -> None:
        """Make the forecast.

        head: all steps before this one are taped, and the tapes held. last: the last tape of the first pass.
        costs: the costs of that pass, as a Budget sees them.
        """
        self.first = first
        self.small = first.work(first.start, first.end) / PARTS
        if isinstance(schedule, Budget):
            leaves = self._of_budget(schedule, kept, head, last, costs, report)
        elif isinstance(schedule, Bisection | Binomial) and head < first.end:
            leaves = list(self._leaves(first.start, first.end, _cuts(schedule, first, last)))
        else:  # an unknown schedule is assumed to run nothing again
            leaves = []
        self.leaves = sorted(leaves, key=lambda leaf: leaf.high)
        self.highs = [leaf.high for leaf in self.leaves]
        self.sums = [0.0]  # of all leaves before
        for leaf in self.leaves:
            self.sums.append(self.sums[-1] + leaf.before + leaf.within)

    @property
    def whole(self) -> float:
        """The work that is run again in all."""
        return self.sums[-1]

    def left(self, reversed_to: int) -> tuple[float, float]:
        """Return the work left where the run is reversed to a step, and how much of it comes first."""
        i = bisect_left(self.highs, reversed_to)
        if i == len(self.leaves):
            return self.whole, 0.0
        leaf = self.leaves[i]
        if reversed_to == leaf.high:
            return self.sums[i + 1], leaf.before
        share = max(reversed_to - leaf.low, 0) / (leaf.high - leaf.low)
        return self.sums[i] + share * leaf.within, 0.0

    def _leaves(self, low: int, high: int, cuts: Cuts) -> Iterator[Leaf]:
        """Yield the leaves of a segment, the last first."""
        segments = [(low, high, cuts.snapshots)]
        before, count = 0.0, 0
        while segments:
            low, high, snapshots = segments.pop()
            work = self.first.work(low, high)
            part = cuts.part(high - low, snapshots) if work > self.small and count < MOST_LEAVES else 0
            if part:
                segments += [(low, low + part, snapshots), (low + part, high, max(snapshots - 1, 1))]
                before += self.first.work(low, low + part)
            else:
                again = cuts.again(high - low, snapshots)
                yield Leaf(low, high, before, again * work / (high - low))
                before, count = 0.0, count + 1

    def _of_budget(
        self, schedule: Budget, kept: Kept, head: int, last: Taped | None, costs: Costs, report: Report
    ) -> list[Leaf]:
        """Return the leaves of a Budget, which divides segments as checkpoint.driver.backward does."""
        recorded = 0.0 if last is None else last.bytes / (costs.work(last.low, last.high) or 1.0)
        states, count = report.states, sum(kept.counts)
        marks = MARK_BYTES * count
        room = 0.75 * max(memory.resolve(schedule.memory) * 15 / 16 - report.held - marks, 1.0)
        state = states // max(count, 1) + MARK_BYTES
        leaves: list[Leaf] = []
        for low, high, count in kept.regions(head, self.first.end):
            length, work = (high - low) / count, self.first.work(low, high)
            per_step = max(recorded * costs.work(low, high) / (high - low), 1e-9)
            if length * per_step <= room:
                continue
            snapshots, base = divide(max(round(length), 1), per_step, state, max(room - state, per_step))
            cuts = Best(base, snapshots)
            if count == 1:
                leaves += self._leaves(low, high, cuts)
            else:
                again = cuts.again(length, snapshots) * work / length
                leaves.append(Leaf(low, high, 0.0, again))
        return leaves


def _cuts(schedule: Bisection | Binomial, first: FirstPass, last: Taped | None) -> Cuts:
    base = schedule.base or BASE
    length = first.end - first.start
    if isinstance(schedule, Binomial):
        snapshots = schedule.snapshots or snapshots_for(length, schedule.repetitions, base)
    if schedule.tape_bytes is not None and last is not None:
        base = min(base, max(last.high - last.low, 1))
    return Halves(base) if isinstance(schedule, Bisection) else Best(base, snapshots)
