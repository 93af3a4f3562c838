"""A segment of a run as a job: taped before its cotangent is known, reversed when that is there.

In: what all segments of the run share, the state where this one begins, the step where it ends, and the
cotangent there, or the task that has it. Out: the cotangent of the state, and who has found it. Nothing is
printed or read: the first pass has done that, and its log says what was read.
"""

from __future__ import annotations

from typing import Any

from checkpoint import engines
from checkpoint.ad.identity import identity_of
from checkpoint.ad.values import Capsule, Opaque
from checkpoint.dataclass import dataclass
from checkpoint.driver.budget import Budget
from checkpoint.driver.effects import EffectLog, Effects
from checkpoint.driver.engine import WithCapsules
from checkpoint.driver.observe import observed
from checkpoint.driver.schedule import Schedule
from checkpoint.durable import capsules
from checkpoint.durable.format import Opened
from checkpoint.durable.journal.lock import own_name
from checkpoint.durable.segments import begun_at, cotangent_of_capsule, seed_of_numbers, sweep_of
from checkpoint.errors import RunError
from checkpoint.prims.operators import Context
from checkpoint.prims.paused import PausedSweep
from checkpoint.workers.ahead import of_segment
from checkpoint.workers.outcomes import Later


class Cut:
    """A state of a run, as a capsule; its bytes are what travels to another process."""

    def __init__(self, capsule: Capsule | None, data: bytes = b"") -> None:
        self._capsule = capsule
        self._data = data

    def __reduce__(self) -> tuple[Any, ...]:
        return Cut, (None, self.data())

    def data(self) -> bytes:
        """Return the bytes of the capsule."""
        return self._data if self._capsule is None else b"".join(capsules.written(self._capsule))

    def read(self, programs: capsules.Programs) -> Capsule:
        """Return the capsule; programs: of its function, in this process."""
        if self._capsule is not None:
            return self._capsule
        return capsules.read(Opened(self._data, "a state of the run"), programs, anyway=True)


class Shared:
    """What all segments of a run share.

    engine: its name. schedule: by which each is reversed. fitting: of how many steps a tape will fit within
    that, if it is a budget; None: not known. log: of what the run has printed and read.
    function, known: see checkpoint.durable.segments.Divided.
    """

    def __init__(
        self,
        engine: str,
        schedule: Schedule,
        fitting: int | None,
        log: EffectLog,
        function: Any,
        known: tuple[Any, ...],
    ) -> None:
        self.engine = engine
        self.schedule = schedule
        self.fitting = fitting
        self.log = log
        self.function = function
        self.known = known
        self.programs = capsules.Programs(function, known)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.function is None:
            raise RunError(
                "segments of this run cannot be handed to other processes: they need a function by which it "
                "can be translated there; use checkpoint.workers.Threads"
            )
        return Shared, (self.engine, self.schedule, self.fitting, self.log, self.function, self.known)

    def schedule_of(self, steps: int) -> Schedule:
        """Return the schedule of a segment of so many steps."""
        schedule = self.schedule
        return of_segment(schedule, steps, self.fitting) if type(schedule) is Budget else schedule


@dataclass(frozen=True)
class Reversed:
    """The cotangent of the state where a segment begins. machine: that has found it, for messages."""

    cotangent: Opaque
    machine: str


def reversed_segment(shared: Shared, cut: Cut, high: int, cotangent: Opaque | Later) -> Reversed:
    """Return the cotangent of the state at a cut, from that of the state at the step `high`.

    cotangent: of that state, or the job of the segment that begins there.
    """
    engine: WithCapsules = engines.get(shared.engine)  # type: ignore[assignment]  # it has made the capsule
    capsule = cut.read(shared.programs)
    context = Context(engine, 0, Effects(shared.log))
    begun, identity = begun_at(context, capsule), identity_of(capsule)
    numbers: list[Any] = []
    with observed(()):
        schedule = shared.schedule_of(high - capsule.steps)
        sweep = sweep_of(context, begun, schedule, seed_of_numbers(engine, numbers), high, pauses=True)
        paused = PausedSweep(sweep, begun.state, schedule)
        try:
            known: Opaque = cotangent.value().cotangent if isinstance(cotangent, Later) else cotangent
            numbers += known.numbers
            found = cotangent_of_capsule(engine, begun, paused.reverse(is_last=True))
        finally:
            paused.close()
    return Reversed(Opaque(tuple(found), identity), own_name())
