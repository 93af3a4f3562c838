"""The schedule that is used unless one is chosen: as few steps run again as fit in so many bytes.

In: how much memory the gradient may take. Out: actions, which keep to that whatever the steps of the run
record and however much its states hold, since each report says what is held. The length of the run need
not be known:

- its beginning is taped, so that a run that fits is run once; behind that states are kept, and thinned
  where they outgrow their room (checkpoint.driver.online);
- then it is reversed, segment by segment; one that does not fit in a tape is divided further, as binomial
  checkpointing does for the states that there is room for (checkpoint.driver.backward).

Sources: Griewank and Walther 2000 (binomial checkpointing); Wang, Moin and Iaccarino 2009, "Minimal
repetition dynamic checkpointing algorithm for unsteady adjoint calculation"; Stumm and Walther 2010, "New
algorithms for optimal online checkpointing"; Siskind and Pearlmutter 2018 (base cases, bisection).
"""

from __future__ import annotations

from typing import ClassVar

from checkpoint.dataclass import dataclass
from checkpoint.driver import memory
from checkpoint.driver.backward import Backward
from checkpoint.driver.lasting import Lasting
from checkpoint.driver.ledger import Ledger, too_small
from checkpoint.driver.online import FIRST_PIECE, PIECES, FirstPass
from checkpoint.driver.schedule import (
    Actions,
    ActionsInSeries,
    Keep,
    Report,
    Reverse,
    Tape,
    require,
    tape_again_and_again,
)
from checkpoint.driver.series import one_by_one
from checkpoint.driver.spill.setting import SpillOption, spill_of


@dataclass(frozen=True)
class Budget:
    """A schedule that keeps to a bound of memory and runs as few steps again as fit, for runs of any length.

    A sweep raises BudgetError where the memory is too small.

    Args:
        memory: bounds all that the gradient adds, beside the cotangents of arrays that it returns: in bytes
            (an int, or a text such as "512MiB"), or as a share of what is free to this process (a float up to
            1, or a text such as "25%"); {"host": one of these}, beside which an entry for a device may stand:
            kept states then leave it; None: a quarter of what is free, at most 4 GiB.
        length: the number of steps of the run, if that is known: then no state is kept in vain. A wrong one
            costs time, nothing else.
        spill: a folder on a disk, or Spill(folder, size), to which kept states may go that outgrow the
            memory. None: they do not.

    Raises:
        RunError: for a memory that means nothing, or a folder that is not there.

    Examples:
        >>> Budget("512MiB")
        Budget(memory='512MiB', length=None, spill=None)
    """

    memory: memory.Memory = None
    length: int | None = None
    spill: SpillOption = None
    weighs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        memory.check(self.memory)
        require(self, length="step")
        spill_of(self.spill)

    def actions(self) -> Actions:
        return one_by_one(self.in_series())

    def in_series(self) -> ActionsInSeries:
        """Return the actions of one sweep, many of them at once where small segments follow one another."""
        start = yield Keep()
        bytes = self.room(start)
        piece = yield self.first(bytes)
        if piece.finished and piece.held <= bytes:
            yield Reverse()
        else:
            yield from self.long(start, piece)

    def reversals(self) -> Actions:
        """Return the actions of a sweep with any number of reversals; they take no length for known."""
        return one_by_one(self._reversals())

    def _reversals(self) -> ActionsInSeries:
        start = yield Keep()
        bytes = self.room(start)
        piece = yield self.first(bytes)
        if piece.finished and piece.held <= bytes:
            yield from tape_again_and_again(start.step)
        ledger = Lasting(memory.resolve(self.memory), start, piece)
        first = FirstPass(ledger)
        yield from first.taped(start.step)
        yield from first.run()
        yield from ledger.reversals()

    def room(self, start: Report) -> int:
        """Return the bytes that may be held while a first tape is made, one of `PIECES` of them by it."""
        # A first tape is so small that the machine is not asked how much memory is free.
        bytes = PIECES * FIRST_PIECE if memory.is_share(self.memory) else memory.resolve(self.memory)
        needed = start.held + start.least
        if needed > bytes:
            bytes = memory.resolve(self.memory)
            if needed > bytes:
                raise too_small(2 * needed, bytes, start)
        return bytes

    def first(self, bytes: int) -> Tape:
        """Return the first tape where so many bytes may be held."""
        # A share is not known yet; what does not fit in it is found once it is.
        return Tape(None, min(bytes // PIECES, FIRST_PIECE), None if memory.is_share(self.memory) else bytes)

    def long(self, start: Report, piece: Report) -> ActionsInSeries:
        """Reverse a run whose first tape, `piece`, did not reach its end, or is larger than was foreseen."""
        ledger = Ledger(memory.resolve(self.memory), start, piece)
        first = FirstPass(ledger)
        if (yield from first.taped(start.step)):  # it fits, now that the share of what is free is known
            return
        if self.length is None:
            yield from first.run()
        elif not ledger.ended:
            ledger.high = max(start.step + self.length, piece.step + 1)
        yield from Backward(ledger).run()
