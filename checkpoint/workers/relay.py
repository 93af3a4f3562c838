"""The gradient of a long run by several workers: what `swept` of prims/operators.py returns, to the bit.

In: a run, and workers. Out: its value and cotangents. The run is made once here, and cut into segments.
Workers tape segments, the last ones first, each ahead of its cotangent; that of one segment is handed on to
the worker that has taped the one before. So at any time one of them reverses, and the others run and tape.
What always holds: a worker has one segment at a time, within a memory of its own; a segment whose worker dies
is run again by another one; nothing is printed twice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, cast

from checkpoint.ad.graph import settled
from checkpoint.ad.identity import identity_of
from checkpoint.ad.numbers import Number
from checkpoint.ad.values import Capsule, Opaque
from checkpoint.driver import memory
from checkpoint.driver.budget import Budget
from checkpoint.driver.engine import State, WithCapsules
from checkpoint.driver.finals import Finals
from checkpoint.driver.outside import Wanted
from checkpoint.driver.schedule import Schedule
from checkpoint.durable.segments import Begun, Divided, cotangents_of_argument, seed_of_numbers, sweep_of
from checkpoint.errors import RunError
from checkpoint.prims.operators import Context, seed_of
from checkpoint.workers.ahead import TapedAhead
from checkpoint.workers.cuts import Cuts, Piece
from checkpoint.workers.outcomes import one_of
from checkpoint.workers.protocol import WorkerLost, Workers
from checkpoint.workers.segment import Cut, Shared, reversed_segment

AHEAD = 1  # segments that are submitted beyond one for each worker


class Relay:
    """Takes the gradients of one call by workers. divided: what the capsules of the call have in common."""

    def __init__(self, workers: Workers, divided: Divided) -> None:
        self.workers = workers
        self.divided = divided

    def swept(
        self,
        context: Context,
        level: int,
        schedule: Schedule,
        u: Any,
        found: Sequence[Number],
        cotangent_of: Callable[[Any], Any],
        finals: Finals | None = None,
        wanted: Wanted | None = None,
    ) -> tuple[Any, list[Any]]:
        """Do as checkpoint.prims.operators.swept does, at level 0 and without `finals`."""
        start = Begun(context.engine.start(level, u, context.tags), u, found, wanted)
        return _Gradient(self, context, schedule, start, cotangent_of).taken()


class _Gradient:
    """A gradient on its way. start: of the run."""

    def __init__(
        self,
        owner: Relay,
        context: Context,
        schedule: Schedule,
        start: Begun,
        cotangent_of: Callable[[Any], Any],
    ) -> None:
        self.workers = owner.workers
        self.divided = owner.divided
        self.context = context
        self.engine = cast(WithCapsules, context.engine)
        self.schedule = schedule
        self.start = start
        self.cotangent_of = cotangent_of

    def taken(self) -> tuple[Any, list[Any]]:
        """Return the value and the cotangents."""
        cuts = Cuts(self.engine, self._put, self._room(), self.workers.size)
        end = cuts.run(self.start.state, self.context.effects)
        pieces, value = cuts.pieces, settled(end.value, end.steps)
        self.context.tags = max(self.context.tags, end.tags)
        seed = seed_of(self.engine, self.cotangent_of, self.start.state, self.start.wanted)
        last: int | None = None
        if pieces:
            numbers = self.engine.capsule_cotangents(end, seed(end))
            last = pieces[0].step
            seed = seed_of_numbers(self.engine, self._relayed(pieces, end, numbers))
        sweep = sweep_of(self.context, self.start, self.schedule, seed, last)
        cotangent = sweep.run(self.start.state, self.schedule)[1]
        return value, cotangents_of_argument(self.engine, self.start, cotangent)

    def _put(self, capsule: Capsule) -> Any:
        return self.workers.put(Cut(self.divided.leave(capsule)))

    def _room(self) -> int | None:
        """Return the bytes that each worker may hold, if they are bounded."""
        with one_of(self.workers.size):
            return memory.resolve(self.schedule.memory) if isinstance(self.schedule, Budget) else None

    def _relayed(self, pieces: list[Piece], end: State, numbers: list[Any]) -> Sequence[Any]:
        """Have all segments but the first one reversed; return the cotangent of the state at its end."""
        log, divided = self.context.effects.log, self.divided
        schedule = TapedAhead(self.schedule) if type(self.schedule) is Budget else self.schedule
        shared = self.workers.put(Shared(self.engine.name, schedule, log, divided.function, divided.known))
        cotangent: Any = Opaque(tuple(numbers), identity_of(self.engine.capsule(end)))
        high, tasks = end.steps, deque[Any]()
        try:
            while pieces or tasks:
                while pieces and len(tasks) < self.workers.size + AHEAD:
                    piece = pieces.pop()
                    task = self.workers.submit(reversed_segment, shared, piece.state, high, cotangent)
                    tasks.append(task)
                    high, cotangent = piece.step, task
                found = self._got(tasks.popleft(), high)
        finally:
            for task in tasks:
                self.workers.cancel(task)
        result: Sequence[Any] = found.numbers
        return result

    def _got(self, task: Any, step: int) -> Any:
        try:
            return self.workers.get(task)
        except WorkerLost as lost:
            raise RunError(f"a segment of the run before step {step}: {lost}") from None
