"""Calls of C that nothing watches: which of them are left to the watch of ordinary runs, and which not tried.

In: how calls went. Out: whether the next one is to be made.

What always holds: a call that is due to be sampled for translation is left to the watch of ordinary runs
(checkpoint.ctarget.translate.watch), but no sooner after the last such call than two samples are apart. A
sample is due by steps, and the runs whose pace says how many make an interval are slower than these calls.
"""

from __future__ import annotations

from typing import Any

from checkpoint.ctarget.translate import policy

MAX_SKIPPED = 255  # calls that are not tried after one that was refused


class Tries:
    """Says whether what was refused before is to be tried again: more and more rarely while it is.

    What was refused for lack of translated code is tried at once when there is more.
    """

    __slots__ = ("_skipped", "_to_skip", "_units")

    def __init__(self) -> None:
        self._to_skip = self._skipped = self._units = 0

    def next(self, units: int) -> bool:
        """Return whether a call is to be tried; it counts as one that is not, else.

        units: how many there are of its procedure.
        """
        if units != self._units:
            self._to_skip = self._skipped = 0
            self._units = units
        if not self._to_skip:
            return True
        self._to_skip -= 1
        return False

    def note(self, succeeded: bool) -> None:
        """Note how a call that was tried went."""
        self._skipped = 0 if succeeded else min(2 * self._skipped + 1, MAX_SKIPPED)
        self._to_skip = self._skipped


class Unwatched:
    """The calls of one procedure. lam: its lambda."""

    __slots__ = ("_account", "_longest", "_tries")

    def __init__(self, lam: Any) -> None:
        self._account = policy.account_of(lam)
        self._longest = 0  # steps
        self._tries = Tries()

    def _is_tried(self, tries: Tries) -> bool:
        """Return whether the next call of a kind is to be tried."""
        return tries.next(len(self._account.units))

    def _ran(self, steps: int) -> None:
        """Note that a call succeeded, with so many steps."""
        self._tries.note(True)
        self._longest = max(self._longest, steps)
        self._account.steps += steps

    def _is_sampled(self) -> bool:
        """Return whether a sample is due within one of the calls, by their steps."""
        return self._account.steps >= self._account.due and self._longest >= policy.PROBE_STEPS

    def _interval(self) -> float:
        """Return the seconds between two calls that are left to the watch."""
        return policy.translator.sample_interval * self._account.patience
