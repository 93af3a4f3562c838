"""Small gradients: one call of C that copies arguments, runs, tapes, reverses, and makes the results.

In: the procedure of a program that takes the tuple of its arguments; at each call that tuple, as the caller
has it. Out: the value and the cotangents, as the caller receives them; or None, and nothing has been done
that anybody can see (ctemplates/at_once/small_gradient.h).

What always holds: what is returned, and how many steps are run, is what the default schedule gives. A call
stands aside where a run is about to be sampled for translation, and sometimes where there are units, so that
the watch of ordinary sweeps does its work (unwatched.py).
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

from checkpoint import config
from checkpoint.ad.graph import containers_in
from checkpoint.ad.values import Closure
from checkpoint.ctarget.at_once.unwatched import Unwatched
from checkpoint.ctarget.code import block_peer, return_point
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.peers import procedure_peer
from checkpoint.ctarget.translate import policy
from checkpoint.driver.online import FIRST_PIECE, PIECES
from checkpoint.interp.hybrid.machine import ENTRY, HALT

MAX_STEPS = 50_000  # of a run, about 1 ms: what is lost at most where it turns out to be no small one
FIRST_BIRTH = 2  # in what a run starts with: 1 is that of the pair of procedure and argument
UNWATCHED = 64  # where there are units, or some are being compiled, one of so many calls is left to the watch


class SmallGradient(Unwatched):
    """The gradients of the runs of one procedure, by one call of C each. lam: of the procedure."""

    __slots__ = ("_call", "_next_watch", "_peer", "_take", "_unwatched")

    def __init__(self, lam: Any) -> None:
        super().__init__(lam)
        module = runtime()
        self._peer = procedure_peer(lam)  # which keeps the code
        self._call = module.ffi.new("SmallGradient *")
        self._call.entry = block_peer(ENTRY).pointer
        self._call.halt = module.ffi.cast("ReturnPoint *", return_point(HALT))
        self._call.procedure = module.ffi.cast("Procedure *", self._peer.address)
        self._call.tape = FIRST_PIECE
        self._call.held = PIECES * FIRST_PIECE // 2  # what is entered, and is not in the heap, takes less
        self._call.steps = MAX_STEPS
        self._take = module.lib.ck_small_gradient
        self._unwatched = 0
        self._next_watch = 0.0  # by perf_counter

    def take(
        self, closure: Closure | None, arguments: tuple[Any, ...], by: tuple[int, ...], seed: float
    ) -> list[Any] | None:
        """See checkpoint.driver.engine.SmallGradient."""
        if self._stands_aside():
            return None
        found: list[Any] = []
        given, births = (0, FIRST_BIRTH) if closure is None else (id(closure), numbered(closure))
        steps = self._take(self._call, given, births, id(arguments), id(by), seed, id(found))
        if steps < 0:
            self._tries.note(False)
            return None
        self._ran(steps)
        return found

    def _stands_aside(self) -> bool:
        if not self._is_tried(self._tries):
            return True
        mode = config.translation()
        if mode == "wait" or config.memory() is not None:
            return True
        return mode != "off" and self._watch_is_due()

    def _watch_is_due(self) -> bool:
        """Return whether the watch of an ordinary sweep is to see this call."""
        if self._account.units or policy.translator.pending:
            self._unwatched += 1
        if not self._is_sampled() and self._unwatched < UNWATCHED:
            return False
        now = perf_counter()
        if now < self._next_watch:
            return False
        self._next_watch = now + self._interval()
        self._unwatched = 0
        return True


def numbered(closure: Closure) -> int:
    """Give births to what a closure holds, as a start does; return the next one."""
    births = FIRST_BIRTH
    for part in containers_in(closure):
        if hasattr(part, "birth"):
            part.birth = births
            births += 1
    return births
