"""One run and its journal: what is durable of the run, and what of it is made durable.

In: a journal, and the run that is to be reversed. Out: places from which the run goes on in this process, and
records of the states and cotangents that it reaches. What always holds: a state is the capsule of the run
that the caller's process would have, whichever process has reached it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.ad.arrays import SYMBOLIC_ZERO, Array, zeros_like
from checkpoint.ad.identity import identity_of
from checkpoint.ad.numbers import Number
from checkpoint.ad.values import Capsule, Opaque
from checkpoint.driver.engine import State
from checkpoint.durable.journal.journal import Journal
from checkpoint.durable.journal.reports import Reports
from checkpoint.durable.segments import Begun, Reversal, begun_at
from checkpoint.lang.origins import origin_of


class DurableRun:
    """A run with a journal.

    leave: makes a capsule of the run the caller's own. reports: say how far the run is.
    end: the last state of the run as a capsule, once this process has reached it.
    """

    def __init__(self, journal: Journal, leave: Callable[[Capsule], Capsule], reversal: Reversal) -> None:
        self.journal = journal
        self.reversal = reversal
        self.reports = Reports(journal.pace)
        self.end: Capsule | None = None
        self._leave = leave
        self._origin = origin_of(reversal.start.u.car, reversal.start.u.cdr)
        self._log = reversal.context.effects.log
        self._newest = max(journal.states(), default=-1)  # if it cannot be read yet, it will be

    @property
    def is_due(self) -> bool:
        """Return whether what was done since the last durable point is to be made durable."""
        return self.journal.pace.is_due()

    def begun(self, step: int) -> Begun | None:
        """Return the place of a durable state; None where it cannot be read."""
        capsule = self.journal.state(step)
        return None if capsule is None else begun_at(self.reversal.context, capsule)

    def last_begun(self, below: int | None) -> Begun:
        """Return the last durable place below a step that can be read, or the start of the run."""
        for step in reversed(self.journal.states(below)):
            begun = self.begun(step)
            if begun is not None:
                return begun
        return self.reversal.start

    def capsule(self, state: State) -> Capsule:
        """Return a state as a capsule of the caller's."""
        return self.own(self.reversal.context.engine.capsule(state))

    def own(self, capsule: Capsule) -> Capsule:
        """Return a capsule of the run as one of the caller's."""
        capsule.origin = self._origin
        return self._leave(capsule)

    def keep(self, capsule: Capsule) -> None:
        """Make a state of the first pass durable."""
        if capsule.steps > self._newest:
            self._newest = capsule.steps
            self.journal.keep(capsule, self._log)

    def reversed_to(self, step: int, cotangent: Opaque) -> None:
        """Make it durable that the run has been reversed to a step, with the cotangent of the state there."""
        self.journal.reverse(step, cotangent, self.end, self._log)

    def finished(self, cotangent: Any) -> list[Any]:
        """Return what the call returns, from the cotangent of the start, and make it durable."""
        start = self.reversal.start
        results = self.reversal.results(cotangent)
        pairs = zip(results, start.sought, strict=True)
        numbers = tuple([_without_constant(result, like) for result, like in pairs])
        self.journal.finish(Opaque(numbers, identity_of(self.capsule(start.state))), self.end, self._log)
        self.reports.ended()
        return results


def _without_constant(number: Any, like: Number) -> Any:
    """Return a cotangent, or zeros in the place of a constant array, whose cotangent nobody reads."""
    if type(like) is Array and like.memory.constant:
        return zeros_like(like, SYMBOLIC_ZERO)
    return number
