"""How long a run takes that is handed on to workers, and what they hold, by a model of its events.

In: what the segments cost, and how many workers there are. Out: the time of the gradient, and the bytes that
are held at once. The rules are those of checkpoint/workers/handed.py: the first pass is made here; segments
are submitted from the last one on, a few more than there are workers; a worker tapes its segment, waits for
the cotangent, and reverses; the first segment is taped and reversed here.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from checkpoint.workers.handed import AHEAD


@dataclass(frozen=True)
class Segment:
    """Costs of a segment: seconds to run, to tape, to reverse it; bytes of its state, and of its tape."""

    run: float
    tape: float
    reverse: float
    state: int = 0
    taped: int = 0


@dataclass(frozen=True)
class Foreseen:
    """seconds: of the whole gradient. first: of its first pass. states, tapes: most bytes held by them."""

    seconds: float
    first: float
    states: int
    tapes: int


def foreseen(segments: Sequence[Segment], workers: int, hand_over: float = 0.0) -> Foreseen:
    """Return what a gradient costs.

    segments: in the order of the run. hand_over: seconds from the end of a segment's reversal until the
    worker that waits has its cotangent.
    """
    first = sum(each.run for each in segments)
    free = [first] * workers  # when each worker has nothing to do
    ends: list[float] = []  # of the segments from the last one on
    spans: list[tuple[float, float, int]] = []  # from when to when a tape is held, and its bytes
    cotangent = first
    for i, each in enumerate(reversed(segments[1:])):
        submitted = ends[i - workers - AHEAD] if i >= workers + AHEAD else first
        began = max(heapq.heappop(free), submitted)
        cotangent = max(began + each.tape, cotangent + hand_over) + each.reverse
        ends.append(cotangent)
        spans.append((began, cotangent, each.taped))
        heapq.heappush(free, cotangent)
    seconds = cotangent + hand_over + segments[0].tape + segments[0].reverse
    return Foreseen(seconds, first, sum(each.state for each in segments[1:]), _most_held(spans))


def _most_held(spans: Sequence[tuple[float, float, int]]) -> int:
    """Return the most bytes that are held at once."""
    changes = [(low, bytes) for low, _, bytes in spans] + [(high, -bytes) for _, high, bytes in spans]
    held = most = 0
    for _, bytes in sorted(changes):
        held += bytes
        most = max(most, held)
    return most


def limit(segments: Sequence[Segment], workers: int) -> float:
    """Return the seconds below which no schedule of this kind can be: what `foreseen` comes close to."""
    first, tape, reverse = (
        sum(getattr(each, name) for each in segments) for name in ("run", "tape", "reverse")
    )
    return float(first + max(reverse, (tape + reverse) / workers))
