"""Gradients of loops over lanes: blocks of lanes that C tapes, and reverses when their cotangents are known.

In: a loop over lanes, as a closure; at each call the items of all lanes, later the cotangents of their
results. Out: the results, later the cotangents of the items; or None, and nothing has been done that anybody
can see (ctemplates/at_once/lane_tape.h).

What always holds: a lane's cotangents depend on that lane alone, so how lanes are divided into blocks, and
which thread has which, decides no bit. Tapes are held up to MOST_HELD bytes; blocks beyond that are run again
when they are reversed. A block whose tape outgrows MOST_TAPED is halved.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

from checkpoint.ad.array_library import defaults
from checkpoint.ad.values import Closure
from checkpoint.ctarget.at_once.lanes import MICROSECONDS
from checkpoint.ctarget.at_once.small import numbered
from checkpoint.ctarget.code import block_peer, make_code, peer_at, return_point
from checkpoint.ctarget.library import runtime, use_threads
from checkpoint.ctarget.translate import policy
from checkpoint.interp.hybrid.machine import ENTRY, HALT
from checkpoint.prims import lanes

MOST_TAPED = 1 << 26  # bytes of the tape of one block
MOST_HELD = 1 << 27  # bytes of all tapes at once
LEAST_BLOCK = 64  # lanes: a block is not halved below
FEW = 1024  # lanes: of more the loop must run in strips, else ordinary runs are watched for better code


class LaneGradient:
    """The gradients of one loop over lanes.

    started: the lambda of the procedure in which ordinary runs of the loop start. closure: the loop; no run
    has entered it.
    block: lanes of a block.
    """

    __slots__ = ("_account", "_births", "_closure", "_loop", "block")

    def __init__(self, started: Any, closure: Closure) -> None:
        module = runtime()
        self._account = policy.account_of(started)
        self._closure = closure
        self._births = numbered(closure)
        self._loop = module.ffi.new("LaneLoop *")
        self._loop.entry = block_peer(ENTRY).pointer
        self._loop.halt = module.ffi.cast("ReturnPoint *", return_point(HALT))
        self._loop.microseconds = MICROSECONDS
        self.block = lanes.BLOCK

    def tape(self, columns: Sequence[Any], wanted: Sequence[int]) -> LaneTape | None:
        """See checkpoint.driver.engine.LaneGradient."""
        if not self._account.units:
            return None
        use_threads()
        began = perf_counter()
        tape = LaneTape(self, columns, wanted)
        if not tape.run() or not (tape.strips or len(columns[0]) < FEW):
            return None
        self._account.steps += tape.steps
        policy.translator.effort.ran += perf_counter() - began
        return tape

    def taped(self, columns: Sequence[Any], wanted: Sequence[int], results: Any) -> tuple[Any, Any]:
        """Store the results of a block; return its tape in C, None if it is refused, and a LaneReport."""
        module = runtime()
        ffi = module.ffi
        report, rows = ffi.new("LaneReport *"), [ffi.from_buffer("double[]", column) for column in columns]
        while True:
            found = module.lib.ck_lane_tape(
                *(self._loop, id(self._closure), self._births, ffi.new("double *[]", rows), len(rows)),
                *(sum([1 << i for i in wanted]), len(results), ffi.from_buffer("double[]", results)),
                *(MOST_TAPED, report),
            )
            if found != ffi.NULL:
                return ffi.gc(found, module.lib.ck_lane_forget), report
            if report.lacks == ffi.NULL:
                return None, report
            make_code(peer_at(report.lacks), report.form)


class LaneTape:
    """The tapes of one call, a block after the other.

    results: of all lanes. steps: of the run. strips: whether some ran in strips.
    blocks: which lanes each has. tapes: in C; None: not held.
    """

    def __init__(self, gradient: LaneGradient, columns: Sequence[Any], wanted: Sequence[int]) -> None:
        self._gradient = gradient
        self._columns = [column if column.flags.carray else column.copy() for column in columns]
        self._wanted = wanted
        self._held = self.steps = 0
        self.strips = False
        self.results = defaults[0].empty(len(columns[0]))
        self.blocks: list[slice] = []
        self.tapes: list[Any] = []

    def run(self) -> bool:
        """Run all lanes; return whether none was refused."""
        first, count = 0, len(self.results)
        while first < count:
            block = slice(first, min(first + self._gradient.block, count))
            tape, report = self._taped(block)
            if tape is not None:
                self._hold(block, tape, report)
                first = block.stop
            elif not report.is_large or self._gradient.block < 2 * LEAST_BLOCK:
                return False
            else:
                self._gradient.block //= 2
        return True

    def _taped(self, block: slice) -> tuple[Any, Any]:
        own = [column[block] for column in self._columns]
        return self._gradient.taped(own, self._wanted, self.results[block])

    def _hold(self, block: slice, tape: Any, report: Any) -> None:
        holds = bool(self._wanted) and self._held + report.bytes <= MOST_HELD
        self._held += report.bytes if holds else 0
        self.steps += report.steps
        self.strips = self.strips or report.strips
        self.blocks.append(block)
        self.tapes.append(tape if holds else None)

    def reverse(self, received: Any) -> list[Any] | None:
        """See checkpoint.driver.engine.LaneTape."""
        module, xp, began = runtime(), defaults[0], perf_counter()
        found = [xp.empty(len(self.results)) for _ in self._wanted]
        rows = [module.ffi.from_buffer("double[]", each) for each in (received, *found)]
        for k in reversed(range(len(self.blocks))):
            tape, self.tapes[k] = self.tapes[k] or self._taped(self.blocks[k])[0], None
            given, *own = [row + self.blocks[k].start for row in rows]
            if tape is None or not module.lib.ck_lane_reverse(tape, given, module.ffi.new("double *[]", own)):
                return None
        policy.translator.effort.ran += perf_counter() - began
        return found
