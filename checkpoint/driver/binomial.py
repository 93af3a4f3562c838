"""Binomial checkpointing (treeverse): the fewest steps run again for the states that may be kept.

A run of n steps is reversed in base cases of at most b steps. Given:
- d *snapshots*: states kept at once. The state at the start is one of them, kept throughout. The state
  from which a base case is taped is not kept for that, and a state that has just been reached is none.
- t *repetitions*: how often a step is run again without a tape. Not counted: the one pass that finds n,
  and the taped execution of each step, which no schedule avoids.

The fewest steps run again is, for n > b (and 0 for n <= b),

    F(n, d) = t n - b C(d+t, t-1),    t the smallest with b C(d+t, t) >= n.

Lower bound: with d snapshots at most C(d-1+j, j) base cases are repeated exactly j times (Griewank and
Walther 2000), that is at most b C(d+j, j) steps j times or less. Steps run again are, summed over j, the
steps that are repeated more than j times: at least the sum over j < t of n - b C(d+j, j), which is F.

Reached: a segment of n > b steps is cut after k of them. The state there is kept, unless the n - k
steps behind it are a base case; these are reversed with d - 1 snapshots, then the first k with d.
F(n, d) = k + F(n-k, d-1) + F(k, d) holds by Pascal's rule wherever the parts keep to the straight pieces
of F for t and for t - 1 repetitions; both ends of a piece belong to it:

    b C(d+t-2, d-1) <= n-k <= b C(d+t-1, d-1)    and    b C(d+t-2, d) <= k <= b C(d+t-1, d).

With d = 1 that leaves k = n - b. Off by one: C(d+t-2, d) = 0 for t = 1, and k must be at least 1; any k
up to b is optimal then (so long as b steps are left), and a whole base case makes the fewest.
Within these limits k is as close as can be to n - b (C(d+t-2, d-1) + C(d+t-3, d-2)), as in `revolve`: of
all optimal cuts that makes the fewest states to keep over the whole sweep.

The three stopping rules of Siskind and Pearlmutter, when n has been found by one counting pass:
- fixed space: d is given; t grows with the run, as the d-th root of n;
- fixed time: t is given; d is the smallest with b C(d+t, t) >= n, and grows as the t-th root of n;
- logarithmic in both: b is given; d is the smallest with b C(2d, d) >= n. Then t = d or t = d - 1,
  since b C(2d-2, d) < b C(2d-2, d-1) < n by the choice of d: where n can be had with either one more
  snapshot or one more repetition, it is the snapshot.

Tapes that outgrow a bound in bytes (checkpoint.driver.schedule): a base case is then cut as a run is,
for base cases of as many steps as have just fitted, but not before the step that the tape has reached;
the run resumes there, off the tape. Where d is given it stays the bound on states: those that are
free are used, and without a free one (d = 1) the steps on the way are run again instead. Where d is not
given, the base case has its own snapshots by the rule, besides those around it.

Sources: Griewank 1992, "Achieving logarithmic growth of temporal and spatial complexity in reverse
automatic differentiation" (treeverse); Griewank and Walther 2000, "Algorithm 799: revolve" (the
optimum and the cut); Siskind and Pearlmutter 2018, "Divide-and-conquer checkpointing for arbitrary
programs with no user annotation" (the stopping rules).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Generator
from math import comb

from checkpoint.dataclass import dataclass
from checkpoint.driver.schedule import (
    Action,
    Actions,
    Advance,
    BaseCase,
    Drop,
    Keep,
    Report,
    Restore,
    Reverse,
    require,
)

BASE = 10_000  # a base case of so many steps outweighs what it costs to follow a schedule


def recomputed(length: int, snapshots: int, base: int = 1) -> int:
    """Return F(length, snapshots), the fewest steps run again.

    >>> recomputed(10, snapshots=3)  # C(5, 3): two repetitions, 3 C(3, 3) steps once less
    15
    """
    if length <= base:
        return 0
    times = repetitions_for(length, snapshots, base)
    return times * length - base * comb(snapshots + times, times - 1)


def repetitions_for(length: int, snapshots: int, base: int) -> int:
    """Return the smallest t with base C(d+t, t) >= length, for length > base."""
    return _smallest(lambda times: base * comb(snapshots + times, times) >= length)


def snapshots_for(length: int, repetitions: int | None, base: int) -> int:
    """Return the smallest d with base C(d+t, t) >= length; None: for t = d."""
    return _smallest(lambda d: base * comb(d + (repetitions or d), d) >= length)


def _smallest(enough: Callable[[int], bool]) -> int:
    """Return the smallest number from 1 that is enough, where every larger one is too."""
    above = 1
    while not enough(above):
        above *= 2
    return 1 + bisect_left(range(1, above), True, key=enough)


def first_part(length: int, snapshots: int, base: int = 1) -> int:
    """Return the number of steps of a segment before its best cut; 0 where it is a base case.

    >>> first_part(10, snapshots=3)
    4
    """
    d = snapshots
    if length <= base:
        return 0
    if d == 1:
        return length - base
    t = repetitions_for(length, d, base)
    fewest = max(base * comb(d + t - 2, d), min(base, length - base))
    most = base * comb(d + t - 1, d)
    wanted = length - base * (comb(d + t - 2, d - 1) + comb(d + t - 3, d - 2))
    return min(max(wanted, fewest), most)


@dataclass(slots=True)
class _Segment:
    """Steps yet to be reversed, from `low`, where a state is kept, to `high`.

    snapshots: how many states it may keep, the one at `low` included.
    base: for base cases of how many steps these suffice by the rule.
    """

    low: int
    high: int
    snapshots: int
    base: int

    @property
    def length(self) -> int:
        return self.high - self.low

    def cut(self, base: int) -> int:
        """Return the step from which the last part is reversed next; `low` if that is all of it."""
        return self.low + first_part(self.length, self.snapshots, base)


@dataclass(frozen=True, kw_only=True)
class Binomial:
    """Treeverse: optimal for a fixed number of kept states, of repetitions, or growing slowly in both.

    Args:
        snapshots: Binomial(snapshots=d) keeps at most d states at once, whatever the run's length.
        repetitions: Binomial(repetitions=t) runs no step again more than t times, besides counting and
            taping it.
        base: with Binomial(base=b), both grow with the logarithm of the run's length over b. Beside one of
            the others it is the size of the base case: 10,000 steps unless given.
        tape_bytes: bounds base cases in bytes, too; what it cuts may add to the above, but not to
            `snapshots`.

    Examples:
        >>> Binomial(snapshots=20)
        Binomial(snapshots=20, repetitions=None, base=None, tape_bytes=None)
    """

    snapshots: int | None = None
    repetitions: int | None = None
    base: int | None = None
    tape_bytes: int | None = None

    def __post_init__(self) -> None:
        require(self, snapshots="state", repetitions="repetition", base="step", tape_bytes="byte")
        if self.snapshots is not None and self.repetitions is not None:
            raise ValueError("Binomial: give snapshots or repetitions, not both")
        if self.snapshots is None and self.repetitions is None and self.base is None:
            raise ValueError("Binomial: give snapshots, repetitions or base")

    def actions(self) -> Actions:
        case = BaseCase(self.base or BASE, self.tape_bytes)
        start = (yield Keep()).step
        reached = yield from case.tape(start)
        if reached.finished:
            yield Reverse()
            return
        end = (yield Advance(None)).step
        snapshots = self.snapshots or snapshots_for(end - start, self.repetitions, case.most)
        yield from self._all([_Segment(start, end, snapshots, case.most)], case)

    def _all(self, pending: list[_Segment], case: BaseCase) -> Actions:
        """Reverse segments, the last first; each begins where the one before it ends."""
        while pending:
            segment = pending[-1]
            if segment.length:
                yield Restore(segment.low)
                while (part := (yield from self._last_part(segment, case))) is not None:
                    pending.append(part)
                    segment = part
            else:
                pending.pop()
                if pending:
                    yield Drop(segment.low)

    def _last_part(self, segment: _Segment, case: BaseCase) -> Generator[Action, Report, _Segment | None]:
        """Return the last part of a segment, cut off from it; None where that is a base case, now reversed.

        The segment's first state is the current one; afterwards the first state of the returned part is kept
        and current.
        """
        here, cut = segment.low, self._cut(segment, case)
        while True:
            if cut > here:
                yield Advance(cut)
            if segment.high - cut > case.steps:
                yield Keep()
                part = _Segment(cut, segment.high, max(segment.snapshots - 1, 1), segment.base)
                segment.high = cut
                return part
            here = (yield from case.tape(cut, segment.high)).step
            if here == segment.high:
                yield Reverse()
                segment.high = cut
                return None
            cut = max(self._cut(segment, case), here)

    def _cut(self, segment: _Segment, case: BaseCase) -> int:
        """Return the start of a segment's last part, by base cases of `case.most` or, within one, fewer."""
        if segment.length > case.most:
            none_free = self.snapshots is not None and segment.snapshots == 1
            return segment.cut(case.steps if none_free else case.most)
        if self.snapshots is None and case.steps < segment.base:
            least = snapshots_for(segment.length, self.repetitions, case.steps)
            segment.snapshots = max(segment.snapshots, least)
            segment.base = case.steps
        return segment.cut(case.steps)
