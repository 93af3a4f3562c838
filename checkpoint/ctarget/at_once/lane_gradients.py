"""Gradients of loops over lanes: blocks of lanes that C tapes, and reverses when their cotangents are known.

In: a loop over lanes, as a closure; at each call the items of all lanes, later the cotangents of their
results. Out: the results, later the cotangents of the items; or None, and nothing has been done that anybody
can see (ctemplates/at_once/lane_tape.h).

What always holds: a lane's cotangents depend on that lane alone, so how lanes are divided into blocks, and
which thread has which, decides no bit. Tapes are held up to MOST_HELD bytes; blocks beyond that are run again
when they are reversed. A block whose tape outgrows MOST_TAPED, of all threads together, is halved.
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

MOST_TAPED = 1 << 26  # bytes of the tapes of blocks that are being made
MOST_HELD = 1 << 27  # bytes of all tapes at once
LEAST_BLOCK = 64  # lanes: a block is not halved below
FEW = 1024  # lanes: of more the loop must run in strips, else ordinary runs are watched for better code
# Of the blocks of several threads: how many each has, for lanes differ; lanes and steps that are worth one.
BLOCKS_OF_THREAD, LEAST_SHARED, LEAST_STEPS = 4, 256, 100_000


class LaneGradient:
    """The gradients of one loop over lanes.

    started: the lambda of the procedure in which ordinary runs of the loop start. closure: the loop; no run
    has entered it.
    block: lanes of a block, at most. alone: whether tapes of few lanes are so large that they are made one
    after another.
    """

    __slots__ = ("_account", "_births", "_closure", "_loop", "_steps", "alone", "block")

    def __init__(self, started: Any, closure: Closure) -> None:
        module = runtime()
        self._account = policy.account_of(started)
        self._closure = closure
        self._births = numbered(closure)
        self._loop = module.ffi.new("LaneLoop *")
        self._loop.entry = block_peer(ENTRY).pointer
        self._loop.halt = module.ffi.cast("ReturnPoint *", return_point(HALT))
        self._loop.microseconds = MICROSECONDS
        self._steps = 0.0  # of a lane, in the last call
        self.block = lanes.BLOCK
        self.alone = False

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
        self._steps = tape.steps / len(columns[0])
        policy.translator.effort.ran += perf_counter() - began
        return tape

    def halved(self, count: int) -> bool:
        """Have fewer lanes in a block than so many, which were too many; return whether that may be."""
        if count >= 2 * LEAST_BLOCK:
            self.block = min(self.block, count // 2)
            return True
        is_new, self.alone = runtime().lib.ck_threads() > 1 and not self.alone, True
        return is_new

    def divided(self, first: int, whole: int) -> tuple[Any, int]:
        """Return blocks, for C, of the lanes from one on, of so many in all; and how many blocks."""
        module, size = runtime(), self.block
        threads = module.lib.ck_threads()
        if threads > 1 and self._steps:
            least = max(LEAST_SHARED, int(LEAST_STEPS / self._steps))
            size = min(size, max(least, -(-whole // (BLOCKS_OF_THREAD * threads))))
        parts = [{"first": k, "count": min(size, whole - k)} for k in range(first, whole, size)]
        ffi, forget, count = module.ffi, module.lib.ck_lane_forget, len(parts)
        blocks = ffi.new("LaneBlock[]", parts)  # which live as long as the function has them
        return ffi.gc(ffi.cast("LaneBlock *", blocks), lambda _: forget(blocks, count)), count

    def given(self, columns: Sequence[Any], wanted: Sequence[int], results: Any) -> tuple[Any, Any]:
        """Return all lanes, for C, and what is to be kept as long as these."""
        ffi, given = runtime().ffi, runtime().ffi.new("LaneColumns *")
        kept = [ffi.from_buffer("double[]", each) for each in (results, *columns)]
        rows = ffi.new("double *[]", kept[1:])
        given.closure, given.births = id(self._closure), self._births
        given.columns, given.column_count = rows, len(columns)
        given.wanted, given.results = sum([1 << i for i in wanted]), kept[0]
        return given, (rows, kept)

    def taped(self, given: Any, blocks: Any, count: int) -> tuple[int, Any]:
        """Tape blocks; return how many were, the first ones, and a LaneRefusal."""
        module, done = runtime(), 0
        given.most = MOST_TAPED if self.alone else MOST_TAPED // module.lib.ck_threads()
        refusal = module.ffi.new("LaneRefusal *")
        while done < count:
            few = 1 if self.alone else count - done
            done += module.lib.ck_lane_tape(self._loop, given, blocks + done, few, refusal)
            if refusal.lacks != module.ffi.NULL:
                make_code(peer_at(refusal.lacks), refusal.form)
            elif refusal.is_refused:
                break
        return done, refusal


class Piece:
    """Some blocks that follow each other: all their tapes are held, or none is.

    blocks: for C. bytes: of their tapes.
    """

    __slots__ = ("blocks", "bytes", "count", "is_held")

    def __init__(self, blocks: Any, is_held: bool) -> None:
        self.blocks = blocks
        self.is_held = is_held
        self.count = self.bytes = 0

    def takes(self, bytes: int, is_held: bool) -> bool:
        """Return whether the block that follows, with so many bytes, may be one of these."""
        return self.is_held == is_held and (is_held or self.bytes + bytes <= MOST_HELD)


class LaneTape:
    """The tapes of one call.

    results: of all lanes. steps: of the run. strips: whether some ran in strips.
    pieces: in the order of lanes.
    """

    def __init__(self, gradient: LaneGradient, columns: Sequence[Any], wanted: Sequence[int]) -> None:
        self._gradient = gradient
        self._wanted = wanted
        self.steps = 0
        self.strips = False
        self.results = defaults[0].empty(len(columns[0]))
        columns = [column if column.flags.carray else column.copy() for column in columns]
        self._given, self._kept = gradient.given(columns, wanted, self.results)
        self._blocks: list[Any] = []
        self.pieces: list[Piece] = []

    def run(self) -> bool:
        """Run all lanes; return whether none was refused."""
        first, whole = 0, len(self.results)
        self._given.room = MOST_HELD if self._wanted else 0
        while first < whole:
            blocks, count = self._gradient.divided(first, whole)
            done, refusal = self._gradient.taped(self._given, blocks, count)
            self._note(blocks, done)
            first = blocks[done].first if done < count else whole
            if refusal.is_refused and not (refusal.is_large and self._gradient.halved(blocks[done].count)):
                return False
        return True

    def _note(self, blocks: Any, count: int) -> None:
        self._blocks.append(blocks)  # which has the tapes
        piece = None
        for k in range(count):
            block = blocks[k]
            is_held = bool(block.tape)
            if piece is None or not piece.takes(block.bytes, is_held):
                piece = Piece(blocks + k, is_held)
                self.pieces.append(piece)
            piece.count += 1
            piece.bytes += block.bytes
            self.steps += block.steps
            self.strips = self.strips or block.strips

    def reverse(self, received: Any) -> list[Any] | None:
        """See checkpoint.driver.engine.LaneTape."""
        module, xp, began = runtime(), defaults[0], perf_counter()
        found = [xp.empty(len(self.results)) for _ in self._wanted]
        to, *own = [module.ffi.from_buffer("double[]", each) for each in (received, *found)]
        rows = module.ffi.new("double *[]", own)
        for piece in sorted(self.pieces, key=lambda piece: not piece.is_held):
            if not (piece.is_held or self._taped_again(piece)):
                return None
            done = 0
            while done < piece.count:
                more = module.lib.ck_lane_reverse(piece.blocks + done, piece.count - done, to, rows)
                if more < 0:
                    return None
                done += more
        policy.translator.effort.ran += perf_counter() - began
        return found

    def _taped_again(self, piece: Piece) -> bool:
        """Tape blocks whose tapes are not held; return whether none was refused."""
        self._given.room = 2**63
        return self._gradient.taped(self._given, piece.blocks, piece.count)[0] == piece.count
