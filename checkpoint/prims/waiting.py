"""Runs that have their value and wait for its cotangent: what a pullback holds.

In: a run, as `swept` of checkpoint.prims.operators takes one. Out: its value, and later the cotangents that
`swept` returns, to the bit: as often as they are asked for where the run can be reversed again, else once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from checkpoint.ad.numbers import Number
from checkpoint.ad.tangent import zeros_of
from checkpoint.driver.execute import Sweep
from checkpoint.driver.schedule import Schedule
from checkpoint.prims.operators import Context, outside_of
from checkpoint.prims.paused import PausedSweep


class Waiting:
    """A run from an entered `u` of floats, which has its value and waits for the cotangent of that.

    value: y, with the run's own locations. found: the numbers in u.
    """

    __slots__ = ("_engine", "_seeds", "_start", "_sweep", "found", "value")

    def __init__(self, context: Context, schedule: Schedule, u: Any, found: Sequence[Number]) -> None:
        engine = context.engine
        self._engine = engine
        self._start = engine.start(0, u, context.tags)
        # The seed reads no attribute: a cycle would keep all this until the collector finds it.
        seeds: list[Callable[[Any], Any]] = [zeros_of]
        self._seeds = seeds
        sweep = Sweep(
            engine,
            context.effects,
            seed=lambda end: engine.seed(end, seeds[0](end.value)),
            outside=outside_of(engine, schedule, self._start, u, found),
            pauses=True,
        )
        self._sweep = PausedSweep(sweep, self._start, schedule)
        self.found = found
        self.value = self._sweep.end.value

    def cotangents(self, cotangent_of: Callable[[Any], Any], is_last: bool = False) -> list[Any]:
        """Return the cotangents of `found`, for the cotangent `cotangent_of(y)`, as `swept` does.

        is_last: whether what the run has kept may be used up by it; only `close` may follow.
        """
        self._seeds[0] = cotangent_of
        cotangent = self._sweep.reverse(is_last)
        self._seeds[0] = zeros_of
        accumulators = self._engine.argument_cotangents(self._start, cotangent, self.found)
        return self._engine.results(accumulators, self.found)

    @property
    def is_over(self) -> bool:
        """Return whether the run cannot be reversed again."""
        return self._sweep.is_over

    def close(self) -> None:
        """Release what the run has kept."""
        self._sweep.close()
