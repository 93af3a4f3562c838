"""Sweeps by the C engine's own driver (ctemplates/driver/driver.h), and the parts that Python performs.

In: a state, a schedule. Out: the end of the run and the cotangent of the state, as from the Python executor
    (checkpoint.driver.execute). Bisection, and plain reverse mode as one base case of it, run in C, unless
    there are observers of each action; any other schedule is asked here, action by action.

A sweep that pauses, at the end of its run or between two reversals, counts no arrays meanwhile, and the
collector runs.

During a sweep Python assembles code that C lacks, makes the cotangent of the end once that is known, checks
for an interruption between two slices, performs steps of hybrid's forward and backward, and calls
observers.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from time import perf_counter, process_time
from typing import Any, cast

from checkpoint.ad.arrays import Array
from checkpoint.ad.library import silently
from checkpoint.collector import Paused
from checkpoint.ctarget.arguments import begin_finals
from checkpoint.ctarget.code import make_code
from checkpoint.ctarget.cotangent import Cotangent
from checkpoint.ctarget.directives import (
    Directive,
    bisected,
    directive_of,
    first_report_of,
    is_own,
    known_bound,
    logged,
    report_of,
    short_report_of,
    write,
)
from checkpoint.ctarget.library import runtime
from checkpoint.ctarget.reporting import Pacing, Reporter, SamplingReporter
from checkpoint.ctarget.run import block_at, left_in_c
from checkpoint.ctarget.spilling import ShelvedOfC, on_disk
from checkpoint.ctarget.states import Held, State
from checkpoint.ctarget.sweep_helper import Opened, SweepHelper, add_counts, wrong_directive
from checkpoint.ctarget.translate.watch import Watch, watch
from checkpoint.driver.budget import Budget
from checkpoint.driver.engine import Halves, Wanted
from checkpoint.driver.execute import NEVER_REVERSED, reversals_of
from checkpoint.driver.finals import Finals
from checkpoint.driver.observe import Observer
from checkpoint.driver.outside import NOTHING, Outside
from checkpoint.driver.schedule import (
    Action,
    Actions,
    ActionsInSeries,
    Advance,
    Again,
    Keep,
    Release,
    Reverse,
    Schedule,
    Series,
    Stride,
    Tape,
    Unwind,
    in_series,
    weighs,
)
from checkpoint.driver.spill.transfers import Transfer
from checkpoint.errors import RUN_ENDING, InternalError
from checkpoint.interp.hybrid.code import NEVER
from checkpoint.interp.hybrid.cotangent import redo

RUNS = (Advance, Tape, Stride, Unwind)  # the actions that make steps
Opening = Generator[State, bool | None, ActionsInSeries | None]


def follow(
    wanted: Wanted,
    start: State,
    schedule: Schedule,
    observers: tuple[Observer, ...] = (),
    log: list[Action] | None = None,
) -> Halves:
    """Reverse the run from `start`; return its end and the cotangent of `start`.

    log: receives the actions of C's own schedule. As in checkpoint.ctarget.run, an exception keeps this
        frame: what C holds is released here.
    """
    module = runtime()
    finals, reversals = wanted.finals, reversals_of(schedule, wanted.pauses, observers)
    own = finals is None and reversals is None and wanted.points is None and is_own(schedule, observers)
    watched = watch(start, taped=True)
    held, helper = _created(wanted, start, bisected(schedule) if own else (0, NEVER))
    kind = SamplingReporter if own else Reporter
    work = _Progress(wanted, held, helper, kind(held, observers) if observers else None, watched)
    try:
        if own:
            if log is not None:
                module.lib.ck_sweep_begin_log(held)
            yield from work.run_own_schedule(schedule, wanted.outside.least)
        else:
            if observers or weighs(schedule):
                _weigh_arrays(held, wanted.outside, known_bound(schedule))
            if finals is not None:
                module.lib.ck_sweep_watch_leaves(held)
            work.disk = on_disk(schedule, start.heap, held)
            yield from work.follow(schedule, wanted.outside.least, finals, reversals)
        return work.result()
    except (KeyboardInterrupt, MemoryError) as stop:
        helper.interrupted(stop, held)
        raise
    except RUN_ENDING as error:
        left_in_c(error, held)
        raise
    finally:
        module.lib.ck_sweep_leave_arrays(held)
        add_counts(held, wanted.counts)
        if log is not None:
            log += logged(held)
        work.stop()
        module.ffi.release(held)


def _created(wanted: Wanted, start: State, bisection: tuple[int, int]) -> tuple[Held, SweepHelper]:
    """Return a sweep of C's, and what does its Python steps; bisection: see `bisected`."""
    lib, (base, bytes) = runtime().lib, bisection
    # With `finals` a tape counts what it reads of the caller's: about as much does its reversal take.
    uncounted = wanted.outside.given if wanted.finals is None else NOTHING.given
    counts_bytes = base != lib.TO_THE_END or start.heap.limit is not None
    helper = SweepHelper(wanted.engine, start, wanted.effects, uncounted, counts_bytes)
    last = NEVER if wanted.last is None else wanted.last
    held = start.heap.got(lib.ck_sweep_create(start.held, last, base, bytes, id(helper)))
    helper.at_work = lib.ck_sweep_at_work(held)
    return held, helper


def _weigh_arrays(held: Held, outside: Outside, bound: int) -> None:
    """Count the arrays of a sweep within this bound of bytes, but for what is its caller's."""
    runtime().lib.ck_sweep_weigh_arrays(held, outside.results, id(outside.given), bound, outside.entered)


class _Progress(Opened):
    """A sweep in progress.

    reporter: calls the observers, if there are any.
    watched: the watch that samples for translation, if it is on.
    """

    __slots__ = (
        "_followed",
        "_given",
        "_is_last",
        "_keeps",
        "_lib",
        "_null",
        "_pacing",
        "_report",
        "_reporter",
        "cotangent",
        "disk",
        "end",
        "held",
        "helper",
        "pauses",
        "points",
        "seed",
    )

    def __init__(
        self,
        wanted: Wanted,
        held: Held,
        helper: SweepHelper,
        reporter: Reporter | None,
        watched: Watch | None,
    ) -> None:
        module = runtime()
        self._lib = module.lib
        self._null = module.ffi.NULL
        self._given = self._null  # the cotangent, for C
        self._keeps = self._is_last = False  # the tape that is being reversed; the reversal
        self._reporter = reporter
        self._pacing = Pacing(held, reporter, watched)
        self._followed = module.lib.SWEEP_FOLLOWED
        self._report = module.lib.ck_sweep_report(held)
        self.held = held
        self.helper = helper
        self.seed = wanted.seed
        self.pauses = wanted.pauses
        self.disk: ShelvedOfC | None = None
        self.points = wanted.points
        self.end: State | None = None
        self.cotangent: Cotangent | None = None

    def run_own_schedule(self, schedule: Schedule, least: int) -> Generator[State, bool | None, None]:
        """Run until the sweep's own schedule ends."""
        if self._reporter is not None:
            self._reporter.began(schedule, report_of(self._report, perf_counter(), process_time(), least))
        self._pacing.bound()
        outcome = self._lib.ck_sweep_run(self.held, self._null, self._null, False)
        yield from self._continue(outcome)
        self._pacing.ran()
        if self._reporter is not None:
            self._reporter.over()

    def follow(
        self, schedule: Schedule, least: int, finals: Finals | None = None, reversals: Actions | None = None
    ) -> Generator[Any, bool | None, None]:
        """Perform the actions of a schedule, which receives a report after each.

        reversals: those of its actions that reverse the run any number of times, if there are such.
        """
        clocks = perf_counter(), process_time()
        if self._reporter is not None:
            self._reporter.began(schedule, report_of(self._report, *clocks, least))
        self._pacing.bound()
        actions: ActionsInSeries | None
        if reversals is not None:
            actions = reversals
        elif type(schedule) is Budget and self._reporter is None and finals is None and self.points is None:
            actions = yield from self._open_budget(schedule, clocks, least)
        else:
            is_alone = self._reporter is None and finals is None
            actions = in_series(schedule) if is_alone else schedule.actions()
        if actions is not None:
            full = self._reporter is not None or weighs(schedule)
            yield from self._follow(actions, (*clocks, least) if full else None, finals)

    def _open_budget(self, schedule: Budget, clocks: tuple[float, float], least: int) -> Opening:
        """Perform the actions with which a budget begins; return the others, or None if there are none.

        Most runs have no others. Asking the schedule for these takes as long as they do.
        """
        found = self._report
        yield from self._perform(directive_of(Keep()))
        start = first_report_of(found, least)
        bytes = schedule.room(start)
        yield from self._perform(directive_of(schedule.first(bytes)))
        fits = found.finished and found.held <= bytes
        rest = None if fits else schedule.long(start, report_of(found, *clocks, least))
        self._pacing.ran()
        if fits:
            yield from self._perform(directive_of(Reverse()))
        return rest

    def _follow(
        self, actions: ActionsInSeries, weighing: tuple[float, float, int] | None, finals: Finals | None
    ) -> Generator[Any, bool | None, None]:
        """Perform actions until there are no more; weighing: what full reports are made of, if they are."""
        found, reporter = self._report, self._reporter
        directive = runtime().ffi.new("Directive *")
        action = next(actions)
        while True:
            for each in (action,) if self.disk is None else self.disk.for_c(action):
                yield from self._act(each, directive)
            if type(action) is Again:
                yield from self._hand_out()
            if finals is not None and type(action) is Reverse:
                self._report_finals(finals)
            if self.disk is not None:
                self.disk.settle()
            report = short_report_of(found) if weighing is None else report_of(found, *weighing)
            if self.disk is not None:
                report = self.disk.completed(report)
            if type(action) in RUNS:
                self._pacing.ran()
            if reporter is not None and not isinstance(action, Transfer):
                reporter.acted(cast(Action, action), report)
            try:
                action = actions.send(report)
            except StopIteration:
                return

    def _act(self, action: Action | Series, directive: Directive) -> Generator[Any, bool | None, None]:
        """Perform an action, by a directive that is written anew."""
        write(action, directive, self._lib)
        if self._is_last:  # a reversal uses its tape up, and what is released may have been
            directive.keeps = type(action) is Release
        self._keeps = directive.keeps and type(action) is Reverse
        self._watch_changes()
        if self.points is not None:
            self.points.before(action, self)
        yield from self._perform(directive)
        if self.points is not None:
            self.points.after(action, self)
        if self._keeps and self.cotangent is not None:
            redo(self.cotangent)

    def _perform(self, directive: Directive) -> Iterable[State]:
        """Follow a directive; return what is left of that to do."""
        outcome = self._lib.ck_sweep_run(self.held, self._given, directive, False)
        return () if outcome == self._followed else self._continue(outcome)

    def _hand_out(self) -> Generator[Cotangent, bool | None, None]:
        """Yield the cotangent of the start, and forget it."""
        found = self.result()[1]
        self._let_go()
        self._lib.ck_sweep_suspend_arrays(self.held)
        self._is_last = bool((yield found))
        self._lib.ck_sweep_resume_arrays(self.held)

    def _report_finals(self, finals: Finals) -> None:
        """Report the cotangents that are final now."""
        lib, held = self._lib, self.held
        if not finals.has_begun:
            begin_finals(finals, self.helper.start, held)
        if finals.reversed_to(lib.ck_sweep_counts(held).reversed_to, self.cotangent):
            lib.ck_sweep_weigh(held)

    def _continue(self, outcome: int) -> Generator[State, bool | None, None]:
        """Call C, from the outcome of the last call on, until the directive has been followed."""
        lib, quiet = self._lib, False
        while outcome not in (lib.SWEEP_FOLLOWED, lib.SWEEP_ENDS):
            was_quiet, quiet = quiet, outcome == lib.SWEEP_WANTS_QUIET
            if outcome == lib.SWEEP_SLICED:
                self._pacing.sliced(was_quiet)
            elif outcome == lib.SWEEP_WANTS_SEED:
                end = self.end or self._ended()
                if self.pauses and self.end is None:
                    lib.ck_sweep_suspend_arrays(self.held)
                    self._is_last = bool((yield end))
                    lib.ck_sweep_resume_arrays(self.held)
                self._begin_reversal(end)
                quiet = end.finished and type(end.value) is Array  # the reversal calls Python
            elif not quiet:
                self._help(outcome)
            outcome = self._call(quiet)

    def _call(self, quiet: bool) -> int:
        outcome: int
        if quiet:
            with silently(), Paused():
                outcome = self._lib.ck_sweep_run(self.held, self._given, self._null, True)
        else:
            outcome = self._lib.ck_sweep_run(self.held, self._given, self._null, False)
        return outcome

    def _help(self, outcome: int) -> None:
        lib, held = runtime().lib, self.held
        if outcome == lib.SWEEP_WANTS_CODE:
            make_code(block_at(held), lib.ck_machine_position(held).wanted)
        elif outcome == lib.SWEEP_FAILED:
            raise self._error()
        elif outcome == lib.SWEEP_NO_MEMORY:
            raise self.helper.heap.full()
        else:
            raise InternalError(wrong_directive(outcome))

    def _ended(self) -> State:
        """Return the end of the run."""
        heap = self.helper.heap
        self.helper.collect(True)
        end = State(heap, heap.got(runtime().lib.ck_sweep_end(self.held)))
        end.settles = end.finished
        return end

    def _begin_reversal(self, end: State) -> None:
        cotangent = self.seed(end)
        self.end, self.cotangent, self._given = end, cotangent, cotangent.held
        cotangent.helper.cotangent = cotangent
        self._watch_changes()

    def _watch_changes(self) -> None:
        """Have the changes of arrays noted that the reversal of a tape undoes, if the tape is kept."""
        if self.cotangent is not None:
            self.cotangent.undone = [] if self._keeps else None

    def _error(self) -> BaseException:
        error = self.helper.error
        if error is None and self.cotangent is not None:
            error = self.cotangent.helper.error
        assert error is not None
        return error

    def result(self) -> tuple[State, Cotangent]:
        """Return the end of the run and the cotangent of its start."""
        if self.end is None or self.cotangent is None:
            raise InternalError(NEVER_REVERSED)
        return self.end, self.cotangent

    def stop(self) -> None:
        """Drop references to exceptions, and the cotangent's references to itself."""
        self.helper.error = None
        if self.disk is not None:
            self.disk.close()
        self._let_go()
        self.end = None

    def _let_go(self) -> None:
        """Drop the cotangent, and its references to itself; let the garbage collector run."""
        self.helper.collect(True)
        if self.cotangent is not None:
            self.cotangent.helper.cotangent = self.cotangent.helper.error = None
        self.cotangent, self._given = None, self._null
