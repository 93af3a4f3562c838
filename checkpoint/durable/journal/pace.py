"""How often a journal makes what was done durable: as often as costs at most SHARE of the time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import perf_counter

SECONDS = 0.5  # between two durable points, at least
SHARE = 0.03  # of the time, which durable points may take
RECENT = 4  # durable points of which the cheapest counts: others wait for a disk, or load a library


class Pace:
    """Measures what durable points cost, and says when the next one is due. clock: returns seconds."""

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._last = clock()
        self._costs: deque[float] = deque(maxlen=RECENT)

    @property
    def interval(self) -> float:
        """The seconds from one durable point to the next."""
        enough = len(self._costs) == RECENT
        return max(SECONDS, min(self._costs) / SHARE) if enough else SECONDS

    @property
    def unsaved(self) -> float:
        """The seconds since the last durable point, or since this process began."""
        return self._clock() - self._last

    def is_due(self) -> bool:
        """Return whether what was done since the last durable point is to be made durable."""
        return self.unsaved >= self.interval

    def made(self, began: float) -> None:
        """Note a durable point, on which work began at that reading of the clock."""
        self._last = self._clock()
        self._costs.append(self._last - began)

    def now(self) -> float:
        """Return the reading of the clock."""
        return self._clock()
