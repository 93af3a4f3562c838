"""Progress of long gradients: bars for people, a callback for programs.

In: what a user gives as `progress`. Out, while sweeps run within `shown`: two bars for each, one for the
forward pass and one for the backward sweep; or calls of a function with a Progress.

What always holds: of each phase, in order, the end is told, and between at most ten times a second; `done`
never falls within a phase. What the callback raises ends the run. Sweeps within a run are part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import Any, Literal

from checkpoint.driver import memory
from checkpoint.driver.estimate import Estimate
from checkpoint.driver.observe import REPORT_SECONDS, Sample, observed, observers
from checkpoint.driver.schedule import Action, Report, Schedule
from checkpoint.errors import RunError

PAUSE = REPORT_SECONDS  # from one Progress to the next
Phase = Literal["forward", "backward"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a gradient has come.

    phase: "forward" until the end of the run is known, then "backward".
    step: how many steps have been run; backward, the step down to which the run has been reversed.
    done: the share of the phase that is done; None while that is not known, as until the end of a run is.
    seconds: since the sweep began. left: until it ends, about; None while that is not known.
    """

    phase: Phase
    step: int
    done: float | None
    seconds: float
    left: float | None


Callback = Callable[[Progress], object]
Shown = bool | Callback


class Watch:
    """Observes sweeps (checkpoint.driver.observe) and tells how far they are. clock: in seconds."""

    def __init__(self, tell: Callback, clock: Callable[[], float] = perf_counter) -> None:
        self.tell = tell
        self.clock = clock

    def began(self, schedule: Schedule, report: Report) -> None:
        self.start = self.told = self.clock()
        self.estimate = Estimate(schedule, report)
        self.is_backward = False

    def acted(self, action: Action, report: Report) -> None:
        now = self.clock()
        self.estimate.acted(action, report, now - self.start)
        self._tell_what_is_new(now)

    def running(self, step: int) -> None:
        now = self.clock()
        self.estimate.running(step, now - self.start)
        self._tell_what_is_new(now)

    def sampled(self, sample: Sample) -> None:
        now = self.clock()
        self.estimate.sampled(sample, now - self.start)
        self._tell_what_is_new(now)

    def ended(self, finished: bool) -> None:
        if finished:
            first = self.estimate.first.start
            self._tell(Progress("backward", first, 1.0, self.clock() - self.start, 0.0))

    def _tell_what_is_new(self, now: float) -> None:
        estimate = self.estimate
        has_turned = not self.is_backward and estimate.reversed_to is not None
        if has_turned:
            self.is_backward = True
            end = estimate.first.end
            self._tell(Progress("forward", end, 1.0, estimate.seconds, estimate.left()))
        elif now - self.told < PAUSE:
            return
        elif estimate.reversed_to is None:
            self._tell(Progress("forward", estimate.step, None, estimate.seconds, None))
        else:
            left, done = estimate.left(), estimate.done()
            self._tell(Progress("backward", estimate.reversed_to, done, estimate.seconds, left))

    def _tell(self, progress: Progress) -> None:
        self.told = self.clock()
        # What the callback differentiates is not part of the sweep that it is called in.
        with observed(()):
            self.tell(progress)


class Bars:
    """A callback that draws two bars for each sweep. Of a call's sweeps only those of the first stay."""

    def __init__(self) -> None:
        self.bar: Any = None
        self.phase: Phase | None = None
        self.sweeps = 0

    def open(self, phase: Phase) -> None:
        """Begin a bar; the one before it is over."""
        self.close()
        if phase == "forward":
            self.sweeps += 1
            look: dict[str, Any] = {"total": None, "unit": "step", "unit_scale": True}
        else:
            look = {"total": 1.0, "bar_format": "{l_bar}{bar}| [{elapsed}{postfix}]"}
        self.bar = _bar()(desc=phase, leave=self.sweeps == 1, **look)
        self.phase = phase

    def close(self) -> None:
        """The bar stays as it is, or vanishes."""
        if self.bar is not None:
            self.bar.close()
        self.bar = self.phase = None

    def __call__(self, progress: Progress) -> None:
        """Show how far it is."""
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
    """The bars of tqdm that fit where this runs, a terminal or a notebook; without its thread."""
    from tqdm.auto import tqdm  # noqa: PLC0415  loaded by those who want bars

    return type("Bar", (tqdm,), {"monitor_interval": 0})


def check(progress: Any) -> None:
    """RunError if `progress` is neither a bool nor a function."""
    if not isinstance(progress, bool) and (isinstance(progress, type) or not callable(progress)):
        raise RunError(f"progress is True, False, or a function of a Progress, not {progress!r}")


@contextmanager
def shown(progress: Shown) -> Iterator[None]:
    """Within, sweeps show how far they are, as a user wants it. RunError if that is no such wish."""
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
