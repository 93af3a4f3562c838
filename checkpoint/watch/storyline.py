"""A recorded sweep as lines, spans and curves over time: the contents of its picture as numbers.

In: the actions of a sweep (checkpoint.watch.sweep_record). Out: a Storyline, which is independent of how it
is drawn.
"""

from __future__ import annotations

from dataclasses import field
from math import nan
from typing import Literal

from checkpoint.dataclass import dataclass
from checkpoint.watch.sweep_record import Actions, Kind

Over = Literal["seconds", "steps"]


# Through which steps the run goes, and when: points of time and step.
Path = list[tuple[float, int]]


@dataclass(frozen=True, slots=True)
class Span:
    """The lifetime of a capsule at step `low`, or of a tape from `low` to `high`."""

    begin: float
    end: float
    low: int
    high: int

    @property
    def length(self) -> float:
        return self.end - self.begin


@dataclass(slots=True)
class Memory:
    """The bytes held at each time, by part; the parts sum to all that is held."""

    times: list[float] = field(default_factory=list)
    cotangent: list[int] = field(default_factory=list)
    capsules: list[int] = field(default_factory=list)
    tapes: list[int] = field(default_factory=list)

    def add(self, time: float, held: int, tapes: int, cotangent: int) -> None:
        self.times.append(time)
        self.cotangent.append(cotangent)
        self.capsules.append(max(0, held - tapes - cotangent))
        self.tapes.append(tapes)

    def rows(self, chosen: list[int]) -> Memory:
        """Return the rows at some of the times."""
        return Memory(
            [self.times[i] for i in chosen],
            [self.cotangent[i] for i in chosen],
            [self.capsules[i] for i in chosen],
            [self.tapes[i] for i in chosen],
        )

    def held(self, i: int) -> int:
        return self.cotangent[i] + self.capsules[i] + self.tapes[i]

    def outline(self, size: float) -> list[float]:
        """Return all that is held, in units of `size` bytes, where tapes are or are about to be; else nan."""
        around = zip([0, *self.tapes], self.tapes, [*self.tapes[1:], 0], strict=False)
        return [self.held(i) / size if any(tapes) else nan for i, tapes in enumerate(around)]


@dataclass(slots=True)
class Storyline:
    """The paths and lifetimes of a recorded sweep over time.

    forward, taped: paths of the run forward, without and with a tape.
    reversed: paths of the reversal, from later steps to earlier ones.
        Consecutive actions of one kind that continue each other's steps make one path.
    capsules, tapes: the spans for which each was kept or held.
    memory: the bytes held. end: the last time.
    """

    forward: list[Path] = field(default_factory=list)
    taped: list[Path] = field(default_factory=list)
    reversed: list[Path] = field(default_factory=list)
    capsules: list[Span] = field(default_factory=list)
    tapes: list[Span] = field(default_factory=list)
    memory: Memory = field(default_factory=Memory)
    end: float = 0.0


def storyline(actions: Actions, over: Over) -> Storyline:
    """Return the storyline of actions, over seconds, or over the steps that were run and reversed so far.

    The span of a capsule or tape that is left after the last action ends there.
    """
    story, open_capsules, open_tapes = Storyline(), dict[int, float](), dict[int, tuple[float, int]]()
    paths = {Kind.ADVANCE: story.forward, Kind.TAPE: story.taped, Kind.REVERSE: story.reversed}
    now, last = 0.0, None
    for i, kind in enumerate(map(Kind, actions.kind)):
        low, high = actions.low[i], actions.high[i]
        before, now = now, _time(actions, i, now, over)
        if kind in paths:
            begin, end = (high, low) if kind is Kind.REVERSE else (low, high)
            _extend(paths[kind], kind is last, (before, begin), (now, end))
            last = kind
        if kind is Kind.KEEP:
            open_capsules.setdefault(low, now)
        elif kind is Kind.DROP:
            story.capsules.append(Span(open_capsules.pop(low), now, low, low))
        elif kind is Kind.HOLD:
            open_tapes[low] = (now, high)
        elif kind in {Kind.RELEASE, Kind.REVERSE} and low in open_tapes:
            since, end = open_tapes.pop(low)
            story.tapes.append(Span(since, now, low, end))
        _remember(story.memory, kind, actions, i, before, now)
    story.capsules += [Span(begin, now, step, step) for step, begin in open_capsules.items()]
    story.tapes += [Span(begin, now, step, end) for step, (begin, end) in open_tapes.items()]
    story.end = now
    return story


def _extend(paths: list[Path], may_extend: bool, begin: tuple[float, int], end: tuple[float, int]) -> None:
    """Add a move between two points, to the last path if that may be extended and ends at this step."""
    if may_extend and paths[-1][-1][1] == begin[1]:
        paths[-1].append(end)
    else:
        paths.append([begin, end])


def _remember(memory: Memory, kind: Kind, actions: Actions, i: int, before: float, now: float) -> None:
    """Add the bytes held after an action; the picture interpolates linearly between two times.

    That is right while a tape grows or is used up. But an Advance drops the last tape at its start, so it has
    another row there.
    """
    held, tapes, cotangent = actions.held[i], actions.tapes[i], actions.cotangent[i]
    if kind is Kind.ADVANCE:
        dropped = actions.tapes[i - 1] - tapes
        # The unused room of the tape is freed with it, though it may not have counted as the tape's.
        left = min(actions.held[i - 1] - dropped, held) if dropped else actions.held[i - 1]
        memory.add(before, left, tapes, actions.cotangent[i - 1])
    memory.add(now, held, tapes, cotangent)


def _time(actions: Actions, i: int, before: float, over: Over) -> float:
    if over == "seconds":
        return actions.seconds[i]
    moves = actions.kind[i] in {Kind.ADVANCE, Kind.TAPE, Kind.REVERSE}
    return before + (actions.high[i] - actions.low[i] if moves else 0)


def apart(spans: list[Span], low: int, high: int, rows: int) -> list[Span]:
    """Return the spans that can be distinguished where `low` to `high` have so many rows.

    Of spans that would overlap in one row the longest is returned.
    """
    taken: dict[int, list[Span]] = {}
    for span in sorted(spans, key=lambda span: -span.length):
        row = taken.setdefault(_row(span.low, low, high, rows), [])
        if all(span.end <= other.begin or other.end <= span.begin for other in row):
            row.append(span)
    return [span for row in taken.values() for span in row]


def _row(step: int, low: int, high: int, rows: int) -> int:
    return (step - low) * rows // max(high - low, 1)


def extremes(memory: Memory, columns: int) -> Memory:
    """Return the memory at the first, last, least and most of each of so many columns of time."""
    if len(memory.times) <= 4 * columns:
        return memory
    end = memory.times[-1] or 1.0
    columned: dict[int, list[int]] = {}
    for i, time in enumerate(memory.times):
        columned.setdefault(int(columns * time / end), []).append(i)
    chosen: set[int] = set()
    for rows in columned.values():
        chosen |= {rows[0], min(rows, key=memory.held), max(rows, key=memory.held), rows[-1]}
    return memory.rows(sorted(chosen))
