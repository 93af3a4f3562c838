"""How much time a process gives to translation: a small share of what its runs have taken so far.

In: the seconds of runs, and of what was done for translation. Out: whether something more may be begun. So a
program of very many blocks, none of which is run often, is held up by little, and one whose time goes into
few blocks has these translated at once.
"""

from __future__ import annotations

FREE = 0.1  # seconds that may be taken in any case
SHARE = 0.05


class Effort:
    """Of a process. ran, spent: seconds."""

    def __init__(self) -> None:
        self.ran = 0.0
        self.spent = 0.0

    @property
    def allows(self) -> bool:
        """Whether more may be begun.

        >>> effort = Effort()
        >>> effort.allows
        True
        >>> effort.spent = 1.0
        >>> effort.allows
        False
        """
        return self.spent <= FREE + SHARE * self.ran
