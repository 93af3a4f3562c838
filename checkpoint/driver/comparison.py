"""Schedules that others publish or that frameworks have, to compare with.

Both cut a run into pieces from the left: a piece is run and the state after it kept, then the rest is treated
likewise. So the tree of checkpoints branches to the right alone; each step is run twice, once without a tape,
and memory grows with the number of pieces and the longest of them.

- Individual: a piece is what lies between two calls of a function: a state for each layer of a network, as
  torch.utils.checkpoint.checkpoint around each has it.
- RightBranching: pieces of equally many steps, by default the root of the run's length of them: what
  torch.utils.checkpoint.checkpoint_sequential does by layers.

Source: Siskind and Pearlmutter 2018, "Divide-and-conquer checkpointing for arbitrary programs with no user
annotation": its recursion, with the split point of a level chosen by formula, and only the right part divided
further.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import cached_property
from math import isqrt

from checkpoint.dataclass import dataclass
from checkpoint.driver.calls import Calls
from checkpoint.driver.schedule import (
    Action,
    Actions,
    Advance,
    Drop,
    Keep,
    Report,
    Restore,
    Reverse,
    Tape,
    require,
)


def _pieces(low: int, nexts: Callable[[int], Advance]) -> Generator[Action, Report, tuple[list[int], int]]:
    """Run to the end from a kept state; return the steps of all states that are kept, and the end."""
    kept = [low]
    while True:
        reached = yield nexts(kept[-1])
        if reached.finished:
            return kept, reached.step
        yield Keep()
        kept.append(reached.step)


def _reversed(kept: list[int], end: int) -> Actions:
    """Reverse the pieces between kept states, the last first; drop all states but the first."""
    for i in range(len(kept) - 1, -1, -1):
        yield Restore(kept[i])
        yield Tape(end)
        yield Reverse()
        if i:
            yield Drop(kept[i])
        end = kept[i]


@dataclass(frozen=True)
class Individual:
    """A state for each call of a function, where that begins: as a checkpoint around each layer of a network.

    Memory grows with the number of calls. A call within a call has a state as well. What a run does besides,
    before the first call and between calls, is run twice as well. A function that is never called leaves one
    piece, the whole run. Calls are found while the run is not translated to C: of a program that calculates
    with numbers, not arrays, that pass takes longer than with other schedules.

    Args:
        calls_of: the Python function, or method, each call of which begins a piece.

    Raises:
        TypeError: for anything else.

    Examples:
        >>> def layer(x):
        ...     return x * x
        >>> import checkpoint
        >>> f = checkpoint.grad(lambda x: layer(layer(x)), schedule=Individual(calls_of=layer))
        >>> f(3.0)
        108.0
    """

    calls_of: Callable[..., object]

    def __post_init__(self) -> None:
        _ = self._calls

    @cached_property
    def _calls(self) -> Calls:
        return Calls(self.calls_of)

    def actions(self) -> Actions:
        start = (yield Keep()).step
        kept, end = yield from _pieces(start, lambda low: Advance(None, calls=self._calls))
        yield from _reversed(kept, end)


@dataclass(frozen=True)
class RightBranching:
    """Pieces of equally many steps, each of which is run and, later, taped: one split for each level.

    A run of t steps in m pieces keeps m states and tapes ceil(t / m) steps at once; no step is run again more
    than once. If the length is not needed (`base`), nothing is run to count it.

    Args:
        pieces: how many; ceil(sqrt(t)) unless given.
        base: how many steps a piece has, instead.

    Examples:
        >>> RightBranching(pieces=8)
        RightBranching(pieces=8, base=None)
    """

    pieces: int | None = None
    base: int | None = None

    def __post_init__(self) -> None:
        require(self, pieces="piece", base="step")
        if self.pieces is not None and self.base is not None:
            raise ValueError("RightBranching: give pieces or base, not both")

    def actions(self) -> Actions:
        start = (yield Keep()).step
        if self.base is not None:
            size = self.base
        else:
            length = (yield Advance(None)).step - start
            size = max(-(-length // (self.pieces or isqrt(max(length - 1, 0)) + 1)), 1)
            yield Restore(start)
        kept, end = yield from _pieces(start, lambda low: Advance(low + size))
        yield from _reversed(kept, end)
