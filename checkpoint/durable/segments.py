"""Segments of a run that are reversed apart from one another: from one of its states on, down from another.

In: a capsule, where a segment begins, and the cotangent of the state where it ends, a number for each
component. Out: the cotangent of the capsule, likewise. So a run can be reversed by several processes, one
after the other or at the same time: that this gives the same bits is the law of capsules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from checkpoint.ad.accumulators import accumulated, contribution_of
from checkpoint.ad.numbers import Number, components
from checkpoint.ad.values import Capsule
from checkpoint.dataclass import dataclass
from checkpoint.driver.engine import Engine, State
from checkpoint.driver.execute import Sweep
from checkpoint.driver.finals import Finals
from checkpoint.driver.observe import Points
from checkpoint.driver.outside import Wanted
from checkpoint.driver.schedule import Schedule
from checkpoint.durable.encode import ENGINES
from checkpoint.durable.programs import is_of_users
from checkpoint.errors import DurableError
from checkpoint.functions.interface import Call
from checkpoint.functions.procedures import Procedure
from checkpoint.functions.python_functions import PythonCapsule, PythonRest
from checkpoint.functions.run import RESUME, Run
from checkpoint.prims.operators import Context, Swept, outside_of, seed_of


@dataclass
class Begun:
    """A place from which a run continues.

    u, found: its procedure and argument, and the numbers in these. wanted: those among them by which it is
    differentiated.
    """

    state: State
    u: Any
    found: Sequence[Number]
    wanted: Wanted | None = None

    @property
    def sought(self) -> Sequence[Number]:
        """Return the numbers whose cotangents are returned."""
        return self.found if self.wanted is None else self.wanted.found


@dataclass(frozen=True)
class Divided:
    """Holds what the capsules of one call have in common.

    function, known: by which a process can read them, and the classes and functions of the arguments.
    leave: makes a capsule of the run the caller's own.
    """

    function: Any
    known: tuple[Any, ...]
    leave: Callable[[Capsule], Capsule]


def divided(call: Call, option: str, procedure: Procedure | None = None) -> Divided:
    """Return what the capsules of a call have in common; DurableError where it has none.

    option: what asks for them, for messages. procedure: that is called, if the call is one of a procedure.
    """
    engine = call.run.engine.name
    if engine not in ENGINES:
        raise DurableError(
            f"{option}= needs engine 'c' or 'hybrid': states of engine {engine} have no place in a file"
        )
    made_by = call.made_by() if isinstance(call, PythonRest) else None
    if made_by is None:
        return Divided(procedure, (), call.leave_capsule)

    def leave(capsule: Capsule) -> Capsule:
        return PythonCapsule(capsule.state, capsule.engine, capsule.open_tags, capsule.origin, made_by)

    known = (*filter(is_of_users, made_by.classes), *made_by.functions)
    return Divided(made_by.function, known, leave)


@dataclass
class Reversal:
    """A run that is to be reversed, in segments: what `swept` of checkpoint.prims.operators is given.

    start: of the run. cotangent_of: returns the cotangent of its value.
    """

    context: Context
    schedule: Schedule
    start: Begun
    cotangent_of: Callable[[Any], Any]

    def seed(self, begun: Begun) -> Callable[[State], Any]:
        """Return what makes the cotangent of the end of the run, if it has been run from this place."""
        return seed_of(self.context.engine, self.cotangent_of, begun.state, begun.wanted)

    def results(self, cotangent: Any) -> list[Any]:
        """Return the cotangents of what is sought in the argument, from that of the start, as new numbers."""
        start = self.start
        within = None if start.wanted is None else start.wanted.positions
        engine = self.context.engine
        accumulators = engine.argument_cotangents(start.state, cotangent, start.sought, within)
        return engine.results(accumulators, start.sought)


def by_segments(taken: Callable[[Reversal], tuple[Any, list[Any]]]) -> Swept:
    """Return what does as `swept` of checkpoint.prims.operators does, at level 0 and without `finals`.

    taken: returns the value of a run, and the cotangents of what is sought in its argument.
    """

    def swept(
        context: Context,
        level: int,
        schedule: Schedule,
        u: Any,
        found: Sequence[Number],
        cotangent_of: Callable[[Any], Any],
        finals: Finals | None = None,
        wanted: Wanted | None = None,
    ) -> tuple[Any, list[Any]]:
        start = Begun(context.engine.start(level, u, context.tags), u, found, wanted)
        return taken(Reversal(context, schedule, start, cotangent_of))

    return swept


def begun_at(context: Context, capsule: Capsule) -> Begun:
    """Return where the rest of a run begins."""
    # A caller's own capsule as the run's: C resumes it alone where nobody has read its parts.
    plain = Capsule(capsule.state, capsule.engine, capsule.open_tags, capsule.origin)
    rest = Run(RESUME, plain, context.engine)
    context.tags = max(context.tags, rest.tags)
    return Begun(context.engine.start(0, rest.u, rest.tags), rest.u, rest.found)


def sweep_of(
    context: Context,
    begun: Begun,
    schedule: Schedule,
    seed: Callable[[State], Any],
    last: int | None,
    *,
    pauses: bool = False,
    points: Points | None = None,
) -> Sweep:
    """Return the sweep of a segment; seed, last, pauses, points: as a Sweep has them."""
    outside = outside_of(context.engine, schedule, begun.state, begun.u, begun.found, None, begun.wanted)
    return Sweep(
        context.engine,
        context.effects,
        seed=seed,
        last=last,
        outside=outside,
        pauses=pauses,
        points=points,
    )


def seed_of_numbers(engine: Engine, numbers: Sequence[Any]) -> Callable[[State], Any]:
    """Return what makes the cotangent of the end of a segment; numbers: of its components."""
    return lambda end: engine.seed_capsule(end, [contribution_of(each) for each in numbers])


def cotangent_of_capsule(engine: Engine, begun: Begun, cotangent: Any) -> list[Any]:
    """Return the cotangent of the capsule at which a segment begins, a number for each component."""
    accumulators = engine.argument_cotangents(begun.state, cotangent, begun.found)
    likes = components(begun.found)
    return [accumulated(each, like) for each, like in zip(accumulators, likes, strict=True)]
