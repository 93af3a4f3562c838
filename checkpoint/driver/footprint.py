"""What kept states hold, in bytes: the account of engines that live in Python.

In: states that are kept, and dropped again. Out: `bytes`, what dropping all of them would free.
"""

from __future__ import annotations

from typing import Any


class Footprint:
    """An account of states of the run from `start`, whose own data is not counted: the caller has it."""

    __slots__ = ("bytes",)

    def __init__(self, start: Any) -> None:
        self.bytes = 0

    def keep(self, state: Any) -> None:
        """A state is kept."""

    def drop(self, state: Any) -> None:
        """It is kept no more."""
