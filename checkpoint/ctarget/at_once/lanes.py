"""Loops over lanes: calls of C that take items from arrays of doubles, and leave results in such an array.

In: a loop over lanes, as a closure; at each call the items of all lanes. Out: their results; or None, and
nothing has been done that anybody can see (ctemplates/at_once/lane_loop.h).

What always holds: C alone needs translated code, since the machine asks Python for its lock at each lane. So
a call is run under the watch where there is none, or a sample is due (unwatched.py); by the machine alone,
too, which ends before the first step of Python's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter, thread_time
from typing import Any

from checkpoint import config
from checkpoint.ad.array_library import defaults
from checkpoint.ad.containers import TUPLE, List, Record
from checkpoint.ad.values import Closure, Pair
from checkpoint.ctarget.at_once.small import numbered
from checkpoint.ctarget.at_once.unwatched import Tries, Unwatched
from checkpoint.ctarget.code import block_peer, return_point
from checkpoint.ctarget.library import runtime, use_threads
from checkpoint.ctarget.run import run_alone
from checkpoint.ctarget.states import State
from checkpoint.ctarget.translate import policy
from checkpoint.ctarget.translate.effort import Sampling
from checkpoint.interp.hybrid.machine import ENTRY, HALT
from checkpoint.prims import lanes

MICROSECONDS = 200_000  # of a block: what is lost at most where it takes longer
WATCHED = 1024  # lanes that are run under the watch if a sample of translated code is due
BETWEEN = 4  # times what that takes, and the patience of the watch: how long C is to run alone before


class LaneLoop(Unwatched):
    """One loop over lanes.

    start: returns the first state of a run, as the engine's does. closure: the loop; no run has entered it.
    at_once: how many calls C has taken alone. taken: how many were taken in all.
    """

    __slots__ = (
        *("_births", "_closure", "_costs", "_loop", "_run", "_seconds", "_start", "_watched_tries"),
        *("at_once", "taken"),
    )

    def __init__(self, start: Callable[[int, Any, int], State], closure: Closure) -> None:
        super().__init__(closure.lam)
        module = runtime()
        self._start = start
        self._closure = closure
        # The first birth that nothing in the closure has; None: a start has numbered what it holds.
        self._births: int | None = None
        self._loop = module.ffi.new("LaneLoop *")
        self._loop.entry = block_peer(ENTRY).pointer
        self._loop.halt = module.ffi.cast("ReturnPoint *", return_point(HALT))
        self._loop.microseconds = MICROSECONDS
        self._run = module.lib.ck_lane_loop
        self._watched_tries = Tries()
        self._seconds = 0.0  # of this thread that C has run alone since a call was watched, however long ago
        self._costs = Sampling()  # of the lanes that were run under the watch instead
        self.at_once = self.taken = 0

    def take(self, columns: Sequence[Any]) -> Any:
        """See checkpoint.driver.engine.LaneLoop."""
        count = len(columns[0])
        results = defaults[0].empty(count)
        took = self._in_code(columns, results, count) or self._watched(columns, results, count)
        self.taken += took
        return results if took else None

    def _in_code(self, columns: Sequence[Any], results: Any, count: int) -> bool:
        """Run all lanes by C alone, but for a few if a sample is due; return whether it was not refused."""
        if not self._account.units or not self._is_tried(self._tries):
            return False
        few = min(WATCHED, count) if self._watch_is_due() else 0
        if few and not self._watched_few(columns, results, few):
            return False
        took = self._at_once(columns, results, few, count)
        self._tries.note(took)
        self.at_once += took
        return took

    def _watch_is_due(self) -> bool:
        if config.translation() != "background":
            return False
        between = max(self._interval(), BETWEEN * self._account.patience * self._costs.seconds)
        if not (self._is_sampled() or policy.translator.pending) or self._seconds < between:
            return False
        self._seconds = 0.0
        return True

    def _watched_few(self, columns: Sequence[Any], results: Any, count: int) -> bool:
        """Run the first lanes under the watch, and note how long that takes: Python does much for each."""
        began = thread_time()
        took = self._watched(columns, results, count)
        self._costs.add(thread_time() - began)
        return took

    def _at_once(self, columns: Sequence[Any], results: Any, done: int, count: int) -> bool:
        """Run the lanes from one on by C alone; return whether it was not refused."""
        began, began_here = perf_counter(), thread_time()
        use_threads()
        self._loop.block = lanes.BLOCK
        ffi = runtime().ffi
        if self._births is None:
            self._births = numbered(self._closure)
        steps, given, births = ffi.new("int64_t *"), id(self._closure), self._births
        to = ffi.from_buffer("double[]", results)
        items = [ffi.from_buffer("double[]", column) for column in columns]
        while done < count:
            at = ffi.new("double *[]", [column + done for column in items])
            more = self._run(self._loop, given, births, at, len(items), count - done, to + done, steps)
            if more < 0:
                return False
            done += more
        seconds = perf_counter() - began
        self._ran(steps[0])
        self._seconds += thread_time() - began_here
        policy.translator.effort.ran += seconds
        return True

    def _watched(self, columns: Sequence[Any], results: Any, count: int) -> bool:
        """Run so many lanes under the watch, a block at a time; return whether none was refused."""
        if not self._is_tried(self._watched_tries):
            return False
        blocks = [range(first, min(first + lanes.BLOCK, count)) for first in range(0, count, lanes.BLOCK)]
        took = all(self._watched_block(columns, results, slice(each.start, each.stop)) for each in blocks)
        self._watched_tries.note(took)
        return took

    def _watched_block(self, columns: Sequence[Any], results: Any, block: slice) -> bool:
        items = Record(TUPLE, tuple([Record(TUPLE, tuple(column[block].tolist())) for column in columns]))
        argument = Record(TUPLE, (items, block.stop - block.start))
        start = self._start(0, Pair(self._closure, argument), 0)
        self._births = None
        end = run_alone(start)
        found: Any = None if end is None else end.value
        if type(found) is not List or not all(type(each) is float for each in found.items):
            return False
        results[block] = found.items
        return True
