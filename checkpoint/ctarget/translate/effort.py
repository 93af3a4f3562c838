"""How much time a process gives to translation, by what its runs have taken so far.

In: the seconds of runs, and of what was done for translation; where machines stood when they were looked at.
Out: whether something more may be begun. So a program of very many blocks, none of which is run often, is
held up by little, and one whose time goes into few blocks has these translated at once.
"""

from __future__ import annotations

from collections import deque

# Where few blocks have much of the time: seconds that may be taken in any case, and of what runs have taken.
FREE, SHARE = 0.1, 0.5
# Elsewhere: of what runs have taken, and what one more unit will take, about.
SHARE_COLD, EXPECTED = 0.05, 0.1
# A block is hot if of so many looks, the last ones, so many have found a machine there.
LAST, OFTEN = 32, 3


class Effort:
    """Of a process. ran, spent: seconds."""

    def __init__(self) -> None:
        self.ran = 0.0
        self.spent = 0.0

    def allows(self, is_hot: bool) -> bool:
        """Whether more may be begun, of a block that has much of the time, or of any.

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
            return self.spent <= FREE + SHARE * self.ran
        return self.spent + EXPECTED <= SHARE_COLD * self.ran


class Places:
    """Where the last looks at the runs of an account have found machines: at which blocks, by address."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: deque[int] = deque(maxlen=LAST)

    def add(self, block: int) -> bool:
        """One more; whether that block is hot.

        >>> places = Places()
        >>> [places.add(block) for block in (1, 2, 1, 1, 2)]
        [False, False, False, True, False]
        """
        self._last.append(block)
        return self._last.count(block) >= OFTEN


class Pace:
    """How fast a run is of late."""

    __slots__ = ("_rate",)

    def __init__(self) -> None:
        self._rate = 0.0  # steps a second

    def add(self, steps: int, seconds: float) -> None:
        """So many steps have taken so long. The newest count as much as all before them."""
        self._rate = (self._rate + steps / max(seconds, 1e-9)) / 2

    def steps_in(self, seconds: float) -> int:
        """About how many steps it makes in so many seconds.

        >>> pace = Pace()
        >>> pace.add(2000, 1.0)
        >>> pace.add(1000, 1.0)
        >>> pace.steps_in(2.0)
        2000
        """
        return int(self._rate * seconds)
