"""One run of a procedure, on values of the language.

In: an engine, a closure that the engine has prepared, its argument. Out: values of the language, counts of
steps, capsules. The argument enters as a copy, and all that is done with a Run shares one log of effects, so
that what a program prints is printed once. Where the run fails, its `errors` decide what the caller receives.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from checkpoint.ad.activity import Unwanted, without
from checkpoint.ad.array_library import remembered
from checkpoint.ad.containers import TUPLE, Record
from checkpoint.ad.graph import enter, highest_tag_among, holds_atoms, reach, reach_entered, renew
from checkpoint.ad.identity import identity_of
from checkpoint.ad.state import settled
from checkpoint.ad.tangent import lift, nothing_of, split, tangent_of, zeros_of
from checkpoint.ad.values import EMPTY, Capsule, Closure, Opaque, Pair
from checkpoint.collector import Paused
from checkpoint.driver.effects import Effects
from checkpoint.driver.engine import Engine, State, driver_of
from checkpoint.driver.finals import Finals
from checkpoint.driver.outside import Wanted
from checkpoint.driver.schedule import Schedule
from checkpoint.errors import RunError, Source, Span, UnfitKey, Unreached
from checkpoint.functions import trial
from checkpoint.functions.language_errors import Errors, LanguageErrors
from checkpoint.functions.trees import cotangent_of_items, entered_tree, numbers_at
from checkpoint.functions.unwanted import unwanted_in
from checkpoint.lang import core
from checkpoint.lang.origins import origin_of
from checkpoint.prims.completion import complete
from checkpoint.prims.operators import Context, Swept, reverse_sweep, swept
from checkpoint.prims.waiting import Waiting

PROGRAMS_AT_ONCE = 8  # that are made without a collection of garbage
_NOWHERE = Span(Source("<resume>", ""), 0, 0)
_REST = core.Prim(_NOWHERE, "resume", (core.Var(_NOWHERE, "z"),))
RESUME = Closure(core.Lambda(_NOWHERE, ("z",), _REST, name="resume", primitive="resume"), EMPTY)


_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def _until_all_is_reached(
    method: Callable[Concatenate[Run, _Given], _Result],
) -> Callable[Concatenate[Run, _Given], _Result]:
    """Return a method of Run that begins again where the run reaches what is not translated yet."""

    @wraps(method)
    def begun(run: Run, /, *args: _Given.args, **named: _Given.kwargs) -> _Result:
        restore = remembered()
        run.wanted = None
        try:
            while True:
                try:
                    with without(run.unwanted()):
                        return method(run, *args, **named)
                except (Unreached, UnfitKey) as error:
                    run.begin_again(error)
        finally:
            restore()  # what observers have set

    return begun


class Run:
    """A procedure and its argument, entered, on an engine.

    u: the pair (f . x); every path in its data is a location of its own. found: the numbers in it.
    tags: a tag above all those in u. effects: the log that all runs of this share.
    errors: a context in which what a run raises becomes what the caller receives.
    counts: how many of the numbers each argument has, if they are trees of data (trees.py) and f a closure.
    is_closed: whether it is a closed capsule that has not entered, and f is `resume`: `found` has a real for
        each of its numbers then, which is none of its locations.
    inputs: how many of the numbers are in f.
    renew: makes the run anew, with a program that has what was reached meanwhile; its argument tells whether
        the program's dictionaries take keys of any kind, as takes_any_key does of this run.
    trial: a trial of its program, which has just been made and lacks functions; None: of other programs.
    wanted: how many steps the present call of a method runs; None: all.
    entered: called with its argument when that has entered anew.
    by: the positions of the elements of its argument, a tuple, by which alone it is differentiated, where the
        others are constants throughout; None: that is not known.
    """

    __slots__ = (
        "by",
        "counts",
        "effects",
        "engine",
        "entered",
        "errors",
        "found",
        "inputs",
        "is_closed",
        "renew",
        "tags",
        "takes_any_key",
        "trial",
        "u",
        "wanted",
    )

    def __init__(
        self,
        f: Any,
        x: Any,
        engine: Engine,
        errors: Errors = LanguageErrors,
        renew: Callable[[bool], Run] | None = None,
        is_new: bool = False,
    ) -> None:
        is_closure = type(f) is Closure
        if is_closure and len(f.lam.params) != 1:
            raise RunError(_of_one_argument(f.lam), f.lam.span)
        self.engine = engine
        self.counts: list[int] | None = None
        self.is_closed = f is RESUME and self._take_closed(x)
        if not self.is_closed:
            self._enter(f, x, is_new)
        self.errors = errors(f.lam.body.span if is_closure and f is not RESUME else None)
        self.effects = Effects()
        self.renew = renew
        self.entered: Callable[[Any], None] | None = None
        self.takes_any_key = False
        self.by: Collection[int] | None = None
        self.wanted: int | None = None
        self.trial: trial.GrowingTrial | None = None

    def _take_closed(self, x: Any) -> bool:
        """Take a capsule that the engine resumes as it is; return whether it is one."""
        own = driver_of(self.engine) if type(x) is Capsule else None
        closed = None if own is None else own.closed(x)
        if closed is None:
            return False
        self.u, self.inputs, self.tags = Pair(RESUME, closed[0]), 0, 0
        self.found: list[Any] = [0.0] * closed[1]
        return True

    def _enter(self, f: Any, x: Any, is_new: bool = False) -> None:
        """Let the argument, and what the procedure holds, enter."""
        is_closure = type(f) is Closure
        tree = entered_tree(x, is_new) if is_closure else None
        if tree is not None:
            as_it_is = not f.env.values or (is_new and holds_atoms(f))
            inner, others = ([], []) if as_it_is else reach(f := enter(f, is_new))
            self.found, self.counts = [*inner, *tree.found], tree.counts
            self.inputs = len(inner)
            self.u = Pair(f, tree.x)
            self.tags = highest_tag_among(others)
        else:
            self.u = enter(Pair(f, x), is_new)
            inner, others = reach(self.u.car)
            found, more = reach_entered(self.u.cdr)
            self.found = [*inner, *found]
            self.inputs = len(inner)
            self.tags = highest_tag_among([*others, *more])

    def _open(self) -> None:
        """Let a closed capsule enter, for what needs its numbers."""
        if self.is_closed:
            self.is_closed = False
            self._enter(self.u.car, self.u.cdr)

    def _cotangent(self, found: list[Any]) -> Any:
        """Return the cotangent of the argument from those of its numbers."""
        x = self.u.cdr
        if self.is_closed:
            return Opaque(tuple(found), identity_of(x))
        if self.counts is not None:
            return cotangent_of_items(x, range(len(x.items)), found[self.inputs :])
        return tangent_of(self.u, found, self.found).cdr

    def begin_again(self, error: Unreached | UnfitKey) -> None:
        """Take a program that has the function that this run has reached, or dictionaries for its keys.

        It has what a trial of it reaches next, too.
        """
        if not self._can_begin_again(error):
            raise error
        met: Unreached | UnfitKey | None = error
        if self.trial is not None:
            met = self._tried() or error
        while met is not None and self._can_begin_again(met):
            with Paused():  # each program is large, and is garbage when the next one is there
                met = self._after(met, PROGRAMS_AT_ONCE)
        if self.entered is not None:
            self.entered(self.u.cdr)

    def _after(self, error: Unreached | UnfitKey, programs: int) -> Unreached | UnfitKey | None:
        """Take a program that has what was reached, and so on; return what is reached after so many."""
        met: Unreached | UnfitKey | None = error
        while programs and met is not None and self._can_begin_again(met):
            self._take_program(met)
            if self.engine.name == trial.ENGINE or trial.has_ended(met):
                return None
            met = self._tried()
            programs -= 1
        return met

    def _tried(self) -> Unreached | UnfitKey | None:
        """Return what a trial of the program reaches; it takes up by itself what it can."""
        growing, self.trial = self.trial, None
        reached = trial.reached if growing is None else growing.reached
        met = reached(self.u, self.tags, self.effects, self.wanted)
        self.effects = self.effects.again()
        return met

    def _can_begin_again(self, error: Unreached | UnfitKey) -> bool:
        return self.renew is not None and not (isinstance(error, UnfitKey) and self.takes_any_key)

    def _take_program(self, error: Unreached | UnfitKey) -> None:
        if isinstance(error, Unreached):
            error.function.note()
        else:
            self.takes_any_key = True
        assert self.renew is not None
        fresh = self.renew(self.takes_any_key)
        self.u, self.found, self.tags = fresh.u, fresh.found, fresh.tags
        self.counts, self.inputs, self.trial = fresh.counts, fresh.inputs, fresh.trial
        self.effects = self.effects.again()

    def unwanted(self) -> Unwanted | None:
        """Return the operands that no cotangent can reach that is wanted; None: it is not known."""
        return None if self.by is None else unwanted_in(self.u.car, self.u.cdr.items, self.by)

    @property
    def argument(self) -> Any:
        """The argument as it entered."""
        return self.u.cdr

    @_until_all_is_reached
    def ends(self, steps: int | None = None) -> tuple[State, State]:
        """Return the first state, and the one after a number of steps, or the last."""
        self.wanted = steps
        with self.errors:
            start = self.engine.start(0, self.u, self.tags)
            last = None if steps is None else start.steps + steps
            end = self.engine.advance(start, last, self.effects)
            if end.finished:
                self._complete(end.value)
            return start, end

    def _complete(self, value: Any) -> Any:
        return complete(value, self.engine, self.tags)

    def value(self) -> Any:
        """Return the value as the run has left it."""
        return self.ends()[1].value

    def steps(self) -> int:
        """Return the number of steps."""
        start, end = self.ends()
        return end.steps - start.steps

    def interrupt(self, steps: int) -> Capsule:
        """Return the capsule after a number of steps; RunError where the run has fewer."""
        if steps < 0:
            raise RunError(f"a number of steps must be 0 or more, not {steps}")
        origin = origin_of(self.u.car, self.u.cdr)
        start, end = self.ends(steps)
        done = end.steps - start.steps
        if done != steps:
            raise RunError(f"cannot interrupt after {steps} steps: the run has {done}", self.errors.span)
        capsule = self.engine.capsule(end)
        capsule.origin = origin
        return capsule

    @_until_all_is_reached
    def vjp(
        self,
        cotangent_of: Callable[[Any], Any],
        schedule: Schedule,
        finals: Finals | None = None,
        by: Swept = swept,
    ) -> tuple[Any, Any]:
        """Return the value y and the cotangent of the argument, for the cotangent `cotangent_of(y)`.

        finals: receives cotangents as soon as they are final; in their places is None.
        by: takes the gradient.
        """
        if finals is not None:
            self._open()

        def seed(y: Any) -> Any:
            return cotangent_of(self._complete(y))

        with self.errors:
            wanted = self._wanted()
            run = self.context(), 0, schedule, self.u
            if self.is_closed:
                value, found = by(*run, self.found, seed)
                return renew(value), self._cotangent(found)
            if wanted is None:
                outcome = reverse_sweep(*run, seed, self.found, finals, by)
                return outcome.car, outcome.cdr.cdr
            value, found = by(*run, self.found, seed, finals, wanted)
            return renew(value), cotangent_of_items(self.u.cdr, wanted.positions, found)

    def _wanted(self) -> Wanted | None:
        """Return the elements of the argument by which it is differentiated; None where that is no tuple."""
        x = self.u.cdr
        if type(x) is not Record or x.layout is not TUPLE:
            return None
        if self.by is None:
            return Wanted(range(len(x.items)), self.found[self.inputs :])
        positions = sorted(self.by)
        if self.counts is not None:
            return Wanted(positions, numbers_at(positions, self.found[self.inputs :], self.counts))
        return Wanted(positions, [number for i in positions for number in reach_entered(x.items[i])[0]])

    @_until_all_is_reached
    def waiting(self, schedule: Schedule) -> Waiting:
        """Return the run at its end, with what its reversal needs kept as `vjp` would."""
        with self.errors:
            waiting = Waiting(self.context(), schedule, self.u, self.found)
            self._complete(waiting.value)
            return waiting

    def cotangent(self, waiting: Waiting, cotangent_of: Callable[[Any], Any]) -> Any:
        """Return the cotangent of the argument, as `vjp` does."""
        with self.errors:
            return self._cotangent(waiting.cotangents(cotangent_of))

    @_until_all_is_reached
    def on_duals(self, lifted: Callable[[Any, int], Any]) -> tuple[Any, int]:
        """Return the value of a run on duals, and the number of its steps.

        lifted: returns the argument with its numbers made duals of a tag, which is `tags`.
        """
        self._open()
        with self.errors:
            dual = Pair(self.u.car, lifted(self.u.cdr, self.tags))
            end = self.engine.advance(self.engine.start(0, dual, self.tags + 1), None, self.effects)
            return settled(self._complete(end.value), end.steps), end.steps

    def jvp(self, tangent: Any) -> tuple[Any, Any]:
        """Return the value and its tangent, for a tangent of the argument."""
        return split(self.on_duals(lambda x, tag: lift(x, enter(tangent), tag))[0], self.tags)

    @_until_all_is_reached
    def value_at(self, replaced: Callable[[Any], Any]) -> Any:
        """Return the value at what `replaced` returns for the argument: the same structure, other numbers."""
        self._open()
        with self.errors:
            start = self.engine.start(0, Pair(self.u.car, replaced(self.u.cdr)), self.tags)
            end = self.engine.advance(start, None, self.effects)
            return settled(end.value, end.steps)

    @_until_all_is_reached
    def second(
        self, tangent: Any, cotangent_of: Callable[[Any], Any], schedule: Schedule
    ) -> tuple[Any, Any, Any]:
        """Return the value y, the argument's cotangent, and the derivative of that along a tangent.

        Reverse mode over the directional derivative (checkpoint.prims.operators), so that memory stays
        that of reverse mode.
        """
        self._open()
        with self.errors:
            of_closure = zeros_of(self.u.car)
            u = enter(Pair(self.u, Pair(of_closure, tangent)))
            if self.entered is not None:
                self.entered(u.car.cdr)
                self.entered(u.cdr.cdr)

            def both(y: Any) -> Any:
                cotangent = cotangent_of(y.car)
                return Pair(nothing_of(y.car), cotangent)

            outcome = reverse_sweep(self.context(), 1, schedule, u, both)
            return outcome.car.car, outcome.cdr.cdr.cdr, outcome.cdr.car.cdr

    def context(self) -> Context:
        """Return what the sweep of a gradient needs of this run."""
        return Context(self.engine, self.tags, self.effects)


def _of_one_argument(lam: core.Lambda) -> str:
    """Return the message for a procedure of another number of arguments, called from outside."""
    if not lam.params:
        return "the procedure takes 0 arguments, not 1: write it with a parameter, (lambda (x) ...)"
    names = " ".join("abcde"[: len(lam.params)]) + (" ..." if len(lam.params) > 5 else "")
    return (
        f"the procedure takes {len(lam.params)} arguments, not 1: "
        f"write it with a pattern, (lambda ((list {names})) ...), and give it a list"
    )


def checked_capsule(capsule: Capsule, engine: Engine) -> Capsule:
    """Return a capsule that the engine can resume, or raise RunError."""
    if capsule.engine not in engine.resumes:
        raise RunError(
            f"the capsule is one of engine {capsule.engine}: engine {engine.name} cannot resume it"
        )
    return capsule
