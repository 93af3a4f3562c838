"""The interface of an engine, which is all that the driver knows of it.

(Parameters that take an engine's own states and recordings back are typed Any.)

A state is a moment of a run, between two steps; states are immutable and may be kept and resumed any
number of times. A cotangent is that of a state; only its engine knows its form.

`level` 0 starts a procedure f at x, given u = (f . x). `level` k + 1, given u = (v . v-tangent), starts
the directional derivative of level k: with the value y at v its value is (y . y-tangent).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from dataclasses import field
from typing import Any, Protocol

from checkpoint.ad.numbers import Number
from checkpoint.ad.values import Capsule
from checkpoint.dataclass import dataclass
from checkpoint.driver.calls import Calls
from checkpoint.driver.effects import Effects
from checkpoint.driver.finals import Finals
from checkpoint.driver.observe import Observer, Points
from checkpoint.driver.outside import NOTHING, Outside
from checkpoint.driver.schedule import Schedule


class State(Protocol):
    """A moment of a run."""

    @property
    def steps(self) -> int:
        """Number of steps run since the start."""
        ...

    @property
    def tags(self) -> int:
        """The counter from which the run takes the tags of its next duals."""
        ...

    @property
    def finished(self) -> bool:
        """True once the run has its value."""
        ...

    @property
    def value(self) -> Any:
        """The value of a finished run."""
        ...


# A sweep: it may yield the end of its run, once, and then the cotangents of its start, one for each Again of
# its schedule; it returns the end and the (last) cotangent. It is sent whether the next reversal is the last
# one.
Halves = Generator[Any, bool | None, tuple[State, Any]]


class Recording(Protocol):
    """A taped segment of a run."""

    @property
    def end(self) -> State:
        """The state at its end, on the tape."""
        ...

    @property
    def bytes(self) -> int:
        """Bytes that its steps have recorded, without its first state, which no cut makes smaller."""
        ...

    def detached(self) -> State:
        """Return the end state off the tape."""
        ...


@dataclass
class Counts:
    """Counts of a sweep: steps run without and with a tape, and the most states kept at once."""

    advanced: int = 0
    taped: int = 0
    most_kept: int = 0


class Engine(Protocol):
    """One way to run programs. All engines agree to the last bit."""

    name: str
    resumes: frozenset[str]  # the names of the engines whose capsules it resumes, its own among them

    def prepare(self, thunk: Any, scopes: Any) -> None:
        """Compile a program (a lambda that captures nothing, and its scopes) for this engine, once."""
        ...

    def start(self, level: int, u: Any, tags: int) -> State:
        """Return the state before the first step; `u` must have entered (checkpoint.ad.graph.enter)."""
        ...

    def advance(self, state: Any, to: int | None, effects: Effects, calls: Calls | None = None) -> State:
        """Run on until `to` steps have run, or the end, or the next of these calls has just been made."""
        ...

    def capsule(self, state: Any) -> Capsule:
        """Return a state as a value of the language."""
        ...

    def tape(
        self,
        state: Any,
        to: int | None,
        effects: Effects,
        bytes: int | None = None,
        given: Collection[int] = frozenset(),
    ) -> Recording:
        """Run on as `advance` does, recording what reversal needs.

        given: the identities of what holds the elements of the caller's arrays, which no recording counts.
        bytes: stop early, but not before the first step, where the recording is found to be larger. An
        engine measures after the same steps each time it tapes from a state, at intervals of its own. So
        the bound is exceeded by at most what one interval records, and what fitted once fits again.
        """
        ...

    def seed(self, end: Any, cotangent: Any) -> Any:
        """Return the cotangent of a finished state, from that of its value."""
        ...

    def seed_capsule(self, end: Any, cotangents: list[float]) -> Any:
        """Return the cotangent of an unfinished state, from one number for each component of its numbers."""
        ...

    def reverse(self, recording: Any, cotangent: Any, keeps: bool = False) -> Any:
        """Return the cotangent of a recording's start from that of its end.

        keeps: the recording can be reversed again; otherwise this uses it up.
        """
        ...

    def cotangent_bytes(self, cotangent: Any) -> tuple[int, int]:
        """Return approximately the bytes of a cotangent, and those of the elements of its arrays besides.

        This takes O(1): it is called after each action.
        """
        ...

    def left_over(self, cotangent: Any, start: Any) -> int:
        """Return how many accumulators a cotangent has of what was made after a state to which it belongs.

        None, or those of constants and dead objects would grow with the length of a run.
        """
        ...

    def argument_cotangents(
        self, start: Any, cotangent: Any, found: Sequence[Number], within: Sequence[int] | None = None
    ) -> list[Any]:
        """Return, from a start state's cotangent, that of each component of each of these numbers of its `u`.

        within: the positions, in order, of the elements of the argument, a tuple, which hold just these
            numbers; None: that is not known.
        """
        ...

    def results(self, accumulators: list[Any], found: Sequence[Number]) -> list[Any]:
        """Return checkpoint.ad.accumulators.all_accumulated of what `argument_cotangents` returns."""
        ...


class WithCapsules(Engine, Protocol):
    """An engine that can leave a sweep at a state, and go on from there with another one."""

    def capsule_cotangents(self, state: Any, cotangent: Any) -> list[Any]:
        """Return from the cotangent of a state one number for each component of its capsule's numbers.

        From these `seed_capsule` makes the cotangent again. The cotangent stays as it is.
        """
        ...


@dataclass
class Wanted:
    """The parameters of a sweep beside its start and its schedule.

    seed: gives the cotangent of the end state, once it is known.
    last: the step at which the run is taken to end; None: when it has its value.
    outside: what of the bytes that the sweep holds is its caller's.
    finals: receives cotangents of arguments as soon as they are known to be final; None: nobody does.
    pauses: whether it yields the end state, off its tape, before it asks for the seed; and then, if it can be
        reversed again, the cotangent of the start.
    points: takes states out of it; of a sweep that does not pause.
    """

    engine: Engine
    effects: Effects
    seed: Callable[[Any], Any]
    last: int | None = None
    outside: Outside = NOTHING
    finals: Finals | None = None
    counts: Counts = field(default_factory=Counts)
    pauses: bool = False
    points: Points | None = None


class WithDriver(Engine, Protocol):
    """An engine with a driver of its own, to which the executor leaves all sweeps."""

    def ignore(self, start: Any, positions: Sequence[int]) -> None:
        """Say before a sweep what `restrict` will say of its cotangents: the run may need less."""
        ...

    def restrict(self, cotangent: Any, start: Any, positions: Sequence[int]) -> None:
        """Let the argument of `start`, a tuple, have accumulators in the elements at these positions alone.

        Nobody reads any others; the engine may have them nevertheless.
        """
        ...

    def closed(self, capsule: Capsule) -> tuple[Capsule, int] | None:
        """Return a closed capsule of the same state, and how many numbers it has; None if it must enter.

        `start` takes a closed capsule that has not entered, under `resume`; all its numbers are reals, and
        `argument_cotangents` returns those of so many.
        """
        ...

    def sealed(self, capsule: Capsule) -> Capsule | None:
        """Return a sealed capsule of the same state, a value of the run that goes on; None: it is none."""
        ...

    def small_gradient(self, lam: Any) -> SmallGradient | None:
        """Return what takes small gradients of a lambda's procedure, of the tuple of its arguments."""
        ...

    def lane_loop(self, closure: Any) -> LaneLoop | None:
        """Return what runs the loop over lanes that a closure is, which no run has entered yet."""
        ...

    def lane_gradient(self, started: Any, closure: Any) -> LaneGradient | None:
        """Return what takes gradients of the loop over lanes that a closure is, which no run has entered yet.

        started: the lambda of the procedure in which runs start that make ordinary gradients of it.
        """
        ...

    def sweep(
        self, wanted: Wanted, start: Any, schedule: Schedule, observers: tuple[Observer, ...] = ()
    ) -> Halves:
        """Do as checkpoint.driver.execute.Sweep.halves does."""
        ...


class SmallGradient(Protocol):
    """Gradients of small runs of one procedure, by the default schedule, that need nothing of Python's."""

    def take(
        self, closure: Any, arguments: tuple[Any, ...], by: tuple[int, ...], seed: float
    ) -> list[Any] | None:
        """Return the value and the cotangents of the arguments at some positions; None: it is not mine.

        All of these as the caller of a Python function has them. None is returned before any effect.
        closure: of the procedure; None where that captures nothing. seed: the cotangent of the value.
        """
        ...


class LaneLoop(Protocol):
    """A loop over lanes whose items and results are reals, and that needs nothing of Python's.

    It is a closure of the pair of the columns of items and of how many there are, that returns the list of
    the results (lang/python/library/lanes.py).
    """

    def take(self, columns: Sequence[Any]) -> Any:
        """Return the results for the items in some arrays of as many doubles, as such an array, a new one.

        None: it is not mine; this is returned before any effect.
        """
        ...


class LaneGradient(Protocol):
    """Gradients of a loop over lanes as in LaneLoop, by the items alone."""

    def tape(self, columns: Sequence[Any], wanted: Sequence[int]) -> LaneTape | None:
        """Return the results for the items in some arrays, and a tape; None: it is not mine, as in LaneLoop.

        wanted: the positions of the columns whose cotangents are wanted.
        """
        ...


class LaneTape(Protocol):
    """The tape of a run of a loop over lanes. results: of the lanes, an array of doubles, a new one."""

    results: Any

    def reverse(self, received: Any) -> list[Any] | None:
        """Return the cotangents of the wanted columns, new arrays, for those of the results; None: not mine.

        received: an array of doubles in one piece.
        """
        ...


def driver_of(engine: Engine) -> WithDriver | None:
    """Return the engine if it has a driver of its own, else None."""
    found: Any = engine if getattr(engine, "sweep", None) is not None else None
    return found  # type: ignore[no-any-return]


class Reporting(Protocol):
    """An engine whose arguments' cotangents can be let go within a sweep (checkpoint.driver.finals)."""

    def argument_places(self, start: Any) -> Iterable[tuple[Any, Any]]:
        """Return the arrays in a start, as handles, each with the location of its cotangent.

        That is what `received(...).take` takes; None: in no location of its own.
        """
        ...

    def received(self, recording: Any, cotangent: Any) -> Any:
        """Return what has a method `take`, which removes the cotangent of an array of the arguments.

        recording: the one whose reversal has just given the cotangent.
        """
        ...
