"""Progress of long gradients: bars for people, a callback for programs.

In: what a user gives as `progress`. Out, while sweeps run within `reported`: two bars for each, one for the
forward pass and one for the backward sweep; or calls of a function with a Progress.

What always holds: the end of each phase is reported, in order, and between at most ten times a second; `done`
never falls within a phase. What the callback raises ends the run. Sweeps within a run are part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

from checkpoint.dataclass import dataclass
from checkpoint.driver import memory
from checkpoint.driver.observe import REPORT_SECONDS, Sample, observed, observers
from checkpoint.driver.schedule import Action, Report, Schedule
from checkpoint.errors import RunError

if TYPE_CHECKING:
    from checkpoint.watch.estimate import Estimate

PAUSE = REPORT_SECONDS  # from one Progress to the next
Phase = Literal["forward", "backward"]


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a gradient.

    Attributes:
        phase: "forward" until the end of the run is known, then "backward".
        step: number of steps run so far; backward, the step down to which the run has been reversed.
        done: the share of the phase that is done; None while that is not known, as until the end of a run is.
        seconds: time since the sweep began.
        left: estimated seconds until it ends; None while unknown.
        unsaved: with a journal the seconds of work that a kill would lose now; None without one.
    """

    phase: Phase
    step: int
    done: float | None
    seconds: float
    left: float | None
    unsaved: float | None = None


Callback = Callable[[Progress], object]
ProgressOption = bool | Callback


class Watch:
    """An observer of sweeps (checkpoint.driver.observe) that reports their progress.

    report: receives each Progress. clock: returns the time in seconds.
    """

    def __init__(self, report: Callback, clock: Callable[[], float] = perf_counter) -> None:
        self.report = report
        self.clock = clock
        self.reported_at = clock()

    def began(self, schedule: Schedule, report: Report) -> None:
        from checkpoint.watch.estimate import Estimate  # noqa: PLC0415  (few gradients are watched)

        self.start = self.reported_at = self.clock()
        self.estimate: Estimate = Estimate(schedule, report)
        self.is_backward = False

    def acted(self, action: Action, report: Report) -> None:
        now = self.clock()
        self.estimate.acted(action, report, now - self.start)
        self._report_news(now)

    def running(self, step: int) -> None:
        now = self.clock()
        self.estimate.running(step, now - self.start)
        self._report_news(now)

    def sampled(self, sample: Sample) -> None:
        now = self.clock()
        self.estimate.sampled(sample, now - self.start)
        self._report_news(now)

    def ended(self, finished: bool) -> None:
        if finished:
            first = self.estimate.first.start
            self._report(Progress("backward", first, 1.0, self.clock() - self.start, 0.0))

    def report_whole(self, progress: Progress, now: bool) -> None:
        """Report the progress of several sweeps that are one gradient; now: however recent the last is."""
        if now or self.clock() - self.reported_at >= PAUSE:
            self._report(progress)

    def _report_news(self, now: float) -> None:
        estimate = self.estimate
        has_turned = not self.is_backward and estimate.reversed_to is not None
        if has_turned:
            self.is_backward = True
            end = estimate.first.end
            self._report(Progress("forward", end, 1.0, estimate.seconds, estimate.left()))
        elif now - self.reported_at < PAUSE:
            return
        elif estimate.reversed_to is None:
            self._report(Progress("forward", estimate.step, None, estimate.seconds, None))
        else:
            left, done = estimate.left(), estimate.done()
            self._report(Progress("backward", estimate.reversed_to, done, estimate.seconds, left))

    def _report(self, progress: Progress) -> None:
        self.reported_at = self.clock()
        # What the callback differentiates is not part of the sweep that it is called in.
        with observed(()):
            self.report(progress)


class Bars:
    """A callback that draws two bars for each sweep; those of a call's first sweep remain on the screen."""

    def __init__(self) -> None:
        self.bar: Any = None
        self.phase: Phase | None = None
        self.sweeps = 0

    def open(self, phase: Phase) -> None:
        """Begin a bar, and end the one before it."""
        self.close()
        if phase == "forward":
            self.sweeps += 1
            options: dict[str, Any] = {"total": None, "unit": "step", "unit_scale": True}
        else:
            options = {"total": 1.0, "bar_format": "{l_bar}{bar}| [{elapsed}{postfix}]"}
        self.bar = _bar()(desc=phase, leave=self.sweeps == 1, **options)
        self.phase = phase

    def close(self) -> None:
        """End the bar, which remains as it is, or is removed."""
        if self.bar is not None:
            self.bar.close()
        self.bar = self.phase = None

    def __call__(self, progress: Progress) -> None:
        """Draw the progress."""
        if progress.phase != self.phase:
            self.open(progress.phase)
        bar, is_over = self.bar, progress.done == 1.0
        if progress.phase == "forward":
            bar.n = progress.step
        else:
            bar.n = progress.done or 0.0
            left = None if progress.left is None else bar.format_interval(progress.left)
            bar.set_postfix_str("" if left is None or is_over else f"{left} left", refresh=False)
        bar.refresh()
        if is_over:
            self.close()
            if progress.phase == "forward":
                self.open("backward")


@cache
def _bar() -> Any:
    """Return tqdm's class of bars for where this runs, a terminal or a notebook; without its thread."""
    from tqdm.auto import tqdm  # noqa: PLC0415  loaded by those who want bars

    return type("Bar", (tqdm,), {"monitor_interval": 0})


def check(progress: Any) -> None:
    """Raise RunError if `progress` is neither a bool nor a function."""
    if not isinstance(progress, bool) and (isinstance(progress, type) or not callable(progress)):
        raise RunError(f"progress is True, False, or a function of a Progress, not {progress!r}")


@contextmanager
def reported(progress: ProgressOption) -> Iterator[None]:
    """Report the progress of sweeps within a `with`, as the option says; RunError if it says nothing."""
    check(progress)
    if progress is False:
        yield
        return
    bars = Bars() if progress is True else None
    watch = Watch(bars or progress)  # type: ignore[arg-type]  # a function, as it is no bool
    try:
        with memory.resolved_once(), observed((*observers(), watch)):
            yield
    finally:
        if bars is not None:
            bars.close()
