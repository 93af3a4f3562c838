"""Profiles of gradients: steps, bytes and times of all sweeps within a `with`, as a table and a picture.

In: the driver's reports on sweeps (checkpoint.driver.observe). Out: a Profile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from checkpoint.driver.memory import written
from checkpoint.driver.observe import Observer, observed, observers
from checkpoint.driver.schedule import Action, Report, Schedule
from checkpoint.errors import RunError
from checkpoint.watch.sweep_record import SweepRecord, Totals

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = 100_000  # actions whose rows are stored: about 6 MB
NOTHING = "no gradient was taken by a sweep within the `with`"


class Profile:
    """The costs of the sweeps within `with checkpoint.profile() as p`; `print(p)` writes a table of them.

    sweeps: one SweepRecord each, in their order: `totals`, `schedule`, `finished`.
    total: the Totals of all of them.
    """

    def __init__(self, limit: int) -> None:
        self.sweeps: list[SweepRecord] = []
        self._limit = limit
        self._stored = 0
        self._current = _Recorder(self)

    # An observer

    def alone(self) -> Observer:
        """Return an observer of one sweep, which records it here."""
        return _Recorder(self)

    def began(self, schedule: Schedule, report: Report) -> None:
        self._current = _Recorder(self)
        self._current.began(schedule, report)

    def acted(self, action: Action, report: Report) -> None:
        self._current.acted(action, report)

    def running(self, step: int) -> None:
        """Do nothing: only whole actions are counted."""

    def ended(self, finished: bool) -> None:
        self._current.ended(finished)

    def _begun(self, schedule: Schedule, report: Report) -> SweepRecord:
        """Return the record of a new sweep."""
        self.sweeps.append(SweepRecord(schedule, report, max(0, self._limit - self._stored)))
        return self.sweeps[-1]

    # Results

    @property
    def total(self) -> Totals:
        """Totals of all sweeps: sums of counts and times, maxima of peaks."""
        total = Totals()
        for sweep in self.sweeps:
            total.add(sweep.totals)
        return total

    def summary(self) -> dict[str, Any]:
        """Return the numbers by name, as in Totals, with those of each sweep under "each"."""
        each = [
            {"schedule": repr(sweep.schedule), "finished": sweep.finished, **sweep.totals.summary()}
            for sweep in self.sweeps
        ]
        return {**self.total.summary(), "each": each}

    def __str__(self) -> str:
        if not self.sweeps:
            return NOTHING
        return f"{self._title()}\n\n{_table(self.total)}"

    __repr__ = __str__

    def _title(self) -> str:
        schedules = list(dict.fromkeys(repr(sweep.schedule) for sweep in self.sweeps))
        by = schedules[0] if len(schedules) == 1 else f"{len(schedules)} schedules"
        left = sum(not sweep.finished for sweep in self.sweeps)
        many = "1 sweep" if len(self.sweeps) == 1 else f"{len(self.sweeps):,} sweeps"
        return f"{many} over {self.total.run:,} steps, by {by}" + (
            f", {left:,} of them not to the end" if left else ""
        )

    def plot(
        self,
        path: str | Path | None = None,
        *,
        sweep: int = -1,
        over: str = "seconds",
        title: str | None = None,
    ) -> Any:
        """Draw a sweep, save the picture if a path is given, and return the matplotlib Figure.

        Above: the current step of the run over time, with the capsules that are kept, each from when it is
        kept until it is dropped, and the tapes that are held. Below: the memory held, against the budget if
        the schedule has one.
        path: its suffix says the format: .png, .svg, .pdf and what else matplotlib writes.
        sweep: which one, as an index into `sweeps`; the last unless given.
        over: what goes to the right: "seconds", or "steps", run and reversed so far: the same in each run.
        title: above it all; unless given, it says what ran.
        Raises RunError where matplotlib is not installed, and if there is no such sweep.
        Source: Griewank & Walther 2000; Siskind & Pearlmutter 2018, figure 1.
        """
        if not self.sweeps:
            raise RunError(f"there is nothing to draw: {NOTHING}")
        if not -len(self.sweeps) <= sweep < len(self.sweeps):
            raise RunError(f"there is no sweep {sweep}: there are {len(self.sweeps):,}")
        from checkpoint.watch import pictures  # noqa: PLC0415  (few profiles are drawn)

        return pictures.draw(self.sweeps[sweep], path, over, title)


class _Recorder:
    """An observer that records one sweep in a profile."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._record: SweepRecord | None = None

    def began(self, schedule: Schedule, report: Report) -> None:
        self._record = self._profile._begun(schedule, report)

    def acted(self, action: Action, report: Report) -> None:
        assert self._record is not None
        self._record.acted(action, report)

    def running(self, step: int) -> None:
        """Do nothing: only whole actions are counted."""

    def ended(self, finished: bool) -> None:
        record, self._record = self._record, None
        if record is not None:
            record.finished = finished
            self._profile._stored += len(record.actions)


@contextmanager
def profile(*, limit: int = LIMIT) -> Iterator[Profile]:
    """Record what gradients cost within a `with`; progress bars and other profiles continue.

    Gradients that a program takes within its own run are part of its steps.

    Args:
        limit: how many actions are stored at most, of all sweeps together, at 57 bytes each, for pictures.
            Beyond it counts, peaks and times continue; a picture shows what was stored.

    Examples:
        >>> import checkpoint
        >>> with profile() as p:
        ...     y, x = checkpoint.vjp(checkpoint.read("(lambda (x) (* x x))"), 3.0, schedule="plain")
        >>> p.total.run, p.total.taped, len(p.sweeps)
        (3, 3, 1)
    """
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise RunError(f"limit must be a number of actions, not {limit!r}")
    found = Profile(limit)
    with observed((*observers(), found)):
        yield found


def _table(totals: Totals) -> str:
    steps = [
        ("run forward", totals.forward, totals.forward_seconds),
        ("run forward again", totals.recomputed, totals.recomputed_seconds),
        ("taped", totals.taped, totals.taped_seconds),
        ("taped again", totals.taped_again, totals.taped_again_seconds),
        ("reversed", totals.run, totals.reversing_seconds),
        ("steps run in all", totals.executed, totals.seconds),
    ]
    run = max(totals.run, 1)
    counts = [(name, f"{n:,}", f"{n / run:.2f}", seconds_text(seconds)) for name, n, seconds in steps]
    memory = [
        ("memory held", written(totals.peak_bytes)),
        ("  tapes", written(totals.peak_tape_bytes)),
        ("  capsules", written(totals.peak_capsule_bytes)),
        ("  cotangent", written(totals.peak_cotangent_bytes)),
        *_results(totals),
        ("capsules kept at once", f"{totals.most_kept:,}"),
    ]
    head = ("", "steps", "times the run", "time")
    return f"{_aligned([head, *counts])}\n\n{_aligned([('', 'at most'), *memory])}"


def _results(totals: Totals) -> list[tuple[str, str]]:
    """Return the row of cotangents that were returned, if there were arrays among them."""
    bytes = totals.peak_result_bytes
    return [("cotangents returned", written(bytes))] if bytes else []


def seconds_text(seconds: float) -> str:
    """Return a time as text, in the unit that fits.

    >>> seconds_text(0.0042), seconds_text(75.5), seconds_text(4200.0)
    ('4.2 ms', '75.5 s', '1 h 10 min')
    """
    if seconds >= 3600:
        return f"{int(seconds // 3600):,} h {int(seconds % 3600 // 60)} min"
    return f"{1e3 * seconds:.1f} ms" if seconds < 0.1 else f"{seconds:.{2 if seconds < 10 else 1}f} s"


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of text with the first column aligned left and the others right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in rows
    )
