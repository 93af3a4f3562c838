"""How to spend room on a segment whose length is known: how many states to keep, and how long a tape.

In: the work of a segment (checkpoint.driver.costs), the bytes that a unit of it records, the bytes of a
state, the room there is, room besides that only states can use, and what each state takes of the room in any
case. Out: snapshots d (the state at its start is one, and takes no room) and a base case b, with

    b x bytes recorded + max((d - 1) x bytes of a state - room for states, 0) + (d - 1) x each <= room

for which binomial checkpointing runs the fewest steps again (checkpoint.driver.binomial: F(work, d) with
base b). A longer tape leaves room for fewer states; the optimum is between. Of all d up to 16 it is found
exactly, beyond among those that are an eighth apart, where F hardly changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from checkpoint.driver.binomial import recomputed


def divide(
    work: int, recorded: float, state: int, room: float, for_states: float = 0.0, each: int = 0
) -> tuple[int, int]:
    """Return (snapshots, base) for a segment, as the head of this file defines them; base is at least 1.

    >>> divide(1000, recorded=10.0, state=100, room=10_000.0)  # it fits in one tape
    (1, 1000)
    >>> divide(1000, recorded=10.0, state=100, room=1_000.0)
    (4, 70)
    """
    best, state = (0, 1, 1), max(state, 1)
    for snapshots in _candidates():
        left = room - max((snapshots - 1) * state - for_states, 0) - (snapshots - 1) * each
        base = int(left / recorded) if recorded else work
        if base < 1:
            break
        if base >= work:
            return snapshots, work
        found = (recomputed(work, snapshots, base), snapshots, base)
        best = min(best, found) if best[0] else found
    return best[1:]


def _candidates() -> Iterator[int]:
    snapshots = 1
    while True:
        yield snapshots
        snapshots += 1 if snapshots < 16 else snapshots // 8
