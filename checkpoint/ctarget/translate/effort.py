"""Limits the time that a process spends on translation, by how long its runs have taken so far.

In: the seconds of runs and of translation; the blocks at which samples found machines. Out: whether one more
block may be translated. So a program of very many blocks, none of which runs often, is hardly delayed, and
one that spends its time in few blocks has these translated at once.
"""

from __future__ import annotations

from collections import deque

# For hot blocks translation may take so many seconds in any case, and this share of the time of runs.
FREE, SHARE = 0.1, 0.5
# For other blocks: the share of the time of runs, and the seconds that one more unit will take, about.
SHARE_COLD, EXPECTED = 0.05, 0.1
EXPECTED_LARGE = 2.0  # seconds that one of the large units of loops over lanes is to be worth
# A block is hot if at least OFTEN of the LAST samples have found a machine there.
LAST, OFTEN = 32, 3


class Effort:
    """The time of a process. ran: seconds of its runs. spent: seconds of translation."""

    def __init__(self) -> None:
        self.ran = 0.0
        self.spent = 0.0

    def allows(self, is_hot: bool, expected: float = 0.0, foreseen: float = 0.0) -> bool:
        """Return whether one more translation may be begun, of a hot block or of any other.

        expected: the seconds that it will take, of a hot block. foreseen: how long runs will take without it.

        >>> effort = Effort()
        >>> effort.allows(is_hot=True), effort.allows(is_hot=False)
        (True, False)
        >>> effort.ran = 10.0
        >>> effort.allows(is_hot=False)
        True
        >>> effort.spent = 1.0
        >>> effort.allows(is_hot=True), effort.allows(is_hot=False)
        (True, False)
        """
        if is_hot:
            return self.spent + expected <= FREE + SHARE * (self.ran + foreseen)
        return self.spent + EXPECTED <= SHARE_COLD * self.ran


class RecentBlocks:
    """The blocks, by address, at which the last samples of an account have found machines."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: deque[int] = deque(maxlen=LAST)

    def add(self, block: int) -> bool:
        """Add one, and return whether that block is hot.

        >>> blocks = RecentBlocks()
        >>> [blocks.add(block) for block in (1, 2, 1, 1, 2)]
        [False, False, False, True, False]
        """
        self._last.append(block)
        return self._last.count(block) >= OFTEN


class Pace:
    """The recent speed of a run."""

    __slots__ = ("_rate",)

    def __init__(self) -> None:
        self._rate = 0.0  # steps a second

    def add(self, steps: int, seconds: float) -> None:
        """Add the time of some steps. The newest count as much as all before them."""
        self._rate = (self._rate + steps / max(seconds, 1e-9)) / 2

    def steps_in(self, seconds: float) -> int:
        """Return about how many steps it makes in so many seconds.

        >>> pace = Pace()
        >>> pace.add(2000, 1.0)
        >>> pace.add(1000, 1.0)
        >>> pace.steps_in(2.0)
        2000
        """
        return int(self._rate * seconds)


class Sampling:
    """Measures how long samples take. seconds: the lesser of the last two; 0.0 before there were two.

    One alone may have imported modules, or waited for the processor: the next one would come a thousand times
    later for that, and a short program would end before.
    """

    __slots__ = ("_last", "seconds")

    def __init__(self) -> None:
        self.seconds = self._last = 0.0

    def add(self, seconds: float) -> None:
        """Add how long a sample took.

        >>> sampling = Sampling()
        >>> for seconds in (0.5, 0.001, 0.02, 0.03):
        ...     sampling.add(seconds)
        ...     print(sampling.seconds)
        0.0
        0.001
        0.001
        0.02
        """
        self.seconds, self._last = min(self._last, seconds), seconds
