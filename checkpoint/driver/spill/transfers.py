"""Actions of a schedule that move kept states between memory and a disk, and what is known of the disk.

They are actions like those of checkpoint.driver.schedule, and change nothing but where states are: what a
schedule may do next is the same with and without them. Observers do not hear of them.
"""

from __future__ import annotations

from typing import NamedTuple

from checkpoint.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Spill:
    """Move the state that is kept at a step from memory to the disk, in the background. It stays kept."""

    step: int


@dataclass(frozen=True, slots=True)
class Fetch:
    """Begin to bring back a state that was spilled, in the background: Restore waits for that."""

    step: int


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait until what is on its way to the disk has arrived; the first time, have its rate measured."""


Transfer = Spill | Fetch | Wait


class Disk(NamedTuple):
    """The second level of a sweep, at a report.

    rate: the bytes per second that it takes and gives; 0 while that is not known.
    pending: bytes of states on their way to it, which memory holds until they have arrived.
    room: bytes that it still takes; 0 where there is none, or it has failed.
    cost: the seconds that the run has waited for the spilling of a state, on average.
    returned: steps of states that are in memory after all, since they could not be spilled.
    """

    rate: float = 0.0
    pending: int = 0
    room: int = 0
    cost: float = 0.0
    returned: tuple[int, ...] = ()


NO_DISK = Disk()
