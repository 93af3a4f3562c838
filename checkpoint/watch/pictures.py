"""Pictures of recorded sweeps as the literature draws them; they need matplotlib (the extra `pictures`).

In: a SweepRecord. Out: a matplotlib Figure of two panels over the same time: the current step of the run,
with the capsules that are kept; and the memory that is held.

Colours are of Okabe & Ito's palette, which colour-blind readers can distinguish; capsules have the same
in both panels, and tapes similar ones. Of capsules that would overlap the longest is drawn.
"""

from __future__ import annotations

import importlib
import io
from functools import cache
from math import nan
from pathlib import Path
from typing import Any

from checkpoint.driver.memory import written
from checkpoint.errors import RunError
from checkpoint.watch.storyline import Path as StepPath
from checkpoint.watch.storyline import Span, Storyline, apart, extremes, storyline
from checkpoint.watch.sweep_record import SweepRecord

Units = tuple[tuple[str, float], ...]

INK, FAINT = "#333333", "#dddddd"
FORWARD, TAPED, REVERSED = "#222222", "#d55e00", "#0072b2"
CAPSULES, TAPES, COTANGENT = "#56b4e9", "#e69f00", "#cc79a7"
STEPS: Units = (("steps", 1.0), ("thousand steps", 1e3), ("million steps", 1e6), ("billion steps", 1e9))
SECONDS: Units = (("milliseconds", 1e-3), ("seconds", 1.0))
BYTES: Units = (("bytes", 1.0), ("KiB", 2.0**10), ("MiB", 2.0**20), ("GiB", 2.0**30), ("TiB", 2.0**40))
FAR = 4  # times the peak; a larger budget is named in the legend only
SIZE, DPI = (8.0, 5.6), 200  # inches, dots per inch
ROWS, COLUMNS = 110, 1400  # how many lines, and times, can be distinguished
MANY = 3000  # lines; pictures with more of them have the lines rasterised
WITHOUT_MATPLOTLIB = "pictures need matplotlib, which is not installed: pip install 'checkpoint-ad[pictures]'"


def draw(record: SweepRecord, path: str | Path | None, over: str, title: str | None) -> Any:
    """Return the Figure, saved if a path is given; see checkpoint.watch.profile.Profile.plot."""
    if over not in {"seconds", "steps"}:
        raise RunError(f"over is 'seconds' or 'steps', not {over!r}")
    known = formats()
    if path is not None and suffix(path) not in known:
        raise RunError(f"{path}: the suffix must be that of a format of pictures: {', '.join(known)}")
    matplotlib: Any = importlib.import_module("matplotlib")
    with matplotlib.rc_context({"font.size": 9, "text.color": INK, "axes.labelcolor": INK}):
        picture = _Picture(record, storyline(record.actions, "steps" if over == "steps" else "seconds"), over)
        picture.title(title)
        picture.run()
        picture.memory()
        if path is not None:
            picture.figure.savefig(path, dpi=DPI)
    return picture.figure


def formats() -> list[str]:
    """Return the formats of files that matplotlib writes; RunError if it is not installed."""
    try:
        bases: Any = importlib.import_module("matplotlib.backend_bases")
    except ImportError:
        raise RunError(WITHOUT_MATPLOTLIB) from None
    return sorted(bases.FigureCanvasBase.get_supported_filetypes())


def suffix(path: str | Path) -> str:
    """Return the format that a file's suffix names."""
    return Path(path).suffix.lstrip(".").lower()


@cache
def _figure_class() -> Any:
    """Return a class of Figures that notebooks show though pyplot has not made them."""
    figure: Any = importlib.import_module("matplotlib.figure")

    def png(self: Any) -> bytes:
        written = io.BytesIO()
        self.savefig(written, format="png")
        return written.getvalue()

    return type("Picture", (figure.Figure,), {"_repr_png_": png})


class _Picture:
    """A Figure that is being drawn."""

    def __init__(self, record: SweepRecord, story: Storyline, over: str) -> None:
        self.record = record
        self.story = story
        self.over = over
        self.collections: Any = importlib.import_module("matplotlib.collections")
        self.figure = _figure_class()(figsize=SIZE, layout="constrained")
        self.above, self.below = self.figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        for axes in (self.above, self.below):
            axes.spines[["top", "right"]].set_visible(False)
            axes.grid(color=FAINT, linewidth=0.5)
            axes.set_axisbelow(True)

    def title(self, title: str | None) -> None:
        """Write the title; None: the length of the run, the schedule and the steps run."""
        totals = self.record.totals
        if title is None:
            by = type(self.record.schedule).__name__
            each = totals.executed / max(totals.run, 1)
            title = (
                f"Gradient of a run of {totals.run:,} steps by {by}: "
                f"{totals.executed:,} steps run, {each:.2f} for each"
            )
            if not self.record.complete:
                title += f" (its first {len(self.record.actions) - 1:,} actions)"
        self.figure.suptitle(title, x=0.01, ha="left", fontsize=10)

    def run(self) -> None:
        """Draw the panel of the program point."""
        axes, story = self.above, self.story
        start = self.record.start
        end = start + self.record.totals.run
        unit, size = scaled(end, STEPS)
        capsules = apart(story.capsules, start, end, ROWS)
        self._paths(story.forward, FORWARD, 1.1, "run forward")
        self._paths(story.taped, TAPED, 2.2, "run and taped")
        self._paths(story.reversed, REVERSED, 1.6, "reversed")
        self._capsules(capsules, len(story.capsules))
        self._held(story.tapes)
        margin = 0.02 * max(end - start, 1)
        axes.set_ylim(start - margin, end + margin)
        axes.set_ylabel(f"program point ({unit})")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value / size:,g}")
        _legend(axes)

    def _paths(self, paths: list[StepPath], colour: str, width: float, label: str) -> None:
        if paths:
            height = max(self.record.totals.run, 1)
            widths = [width * _share(abs(path[-1][1] - path[0][1]) / height) for path in paths]
            drawn = self.collections.LineCollection(
                paths, colors=colour, linewidths=widths, label=label, zorder=3
            )
            drawn.set(rasterized=len(paths) > MANY, capstyle="round")
            self.above.add_collection(drawn)

    def _capsules(self, spans: list[Span], all: int) -> None:
        if spans:
            paths = [((each.begin, each.low), (each.end, each.low)) for each in spans]
            label = "capsules"
            if len(spans) < all:
                label += f", {len(spans):,} of {all:,} drawn"
            drawn = self.collections.LineCollection(paths, colors=CAPSULES, label=label, zorder=2)
            drawn.set_linewidth(0.6 if len(spans) > ROWS // 2 else 0.9)
            self.above.add_collection(drawn)

    def _held(self, tapes: list[Span]) -> None:
        if tapes:
            corners = [
                [(each.begin, each.low), (each.end, each.low), (each.end, each.high), (each.begin, each.high)]
                for each in tapes
            ]
            drawn = self.collections.PolyCollection(corners, facecolors=TAPES, label="tapes held")
            drawn.set(alpha=0.4, linewidth=0, zorder=1.5)
            self.above.add_collection(drawn)

    def memory(self) -> None:
        """Draw the panel of the memory."""
        axes, found = self.below, extremes(self.story.memory, COLUMNS)
        peak = max(map(found.held, range(len(found.times))))
        budget = self.record.budget
        # A budget far above the peak would make the other curves too low to be seen.
        line = budget if budget is not None and budget <= FAR * peak else None
        top = max(peak, line or 0, 1)
        unit, size = scaled(top, BYTES)
        parts = {"cotangent": found.cotangent, "capsules": found.capsules, "tapes": found.tapes}
        axes.stackplot(
            found.times,
            *([bytes / size for bytes in part] for part in parts.values()),
            labels=list(parts),
            colors=(COTANGENT, CAPSULES, TAPES),
            linewidth=0,
        )
        # A peak may be too narrow to be drawn as an area.
        axes.plot(found.times, found.outline(size), color=TAPES, linewidth=0.6)
        if budget is not None:
            label = f"budget of {written(budget)}" + (", far above" if line is None else "")
            height = nan if line is None else line / size
            axes.axhline(height, color=INK, linestyle="--", linewidth=1.1, label=label)
        axes.set_ylim(0, 1.06 * top / size)
        axes.set_ylabel(f"memory held ({unit})")
        self._time_axis()
        _legend(axes)

    def _time_axis(self) -> None:
        axes, seconds = self.below, self.over == "seconds"
        unit, size = scaled(self.story.end, SECONDS if seconds else STEPS)
        axes.set_xlim(0, 1.005 * (self.story.end or 1.0))
        axes.set_xlabel(f"time ({unit})" if seconds else f"run and reversed so far ({unit})")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value / size:,g}")


def scaled(most: float, units: Units) -> tuple[str, float]:
    """Return the unit in which numbers up to `most` are read best: the largest up to it, else the first.

    >>> scaled(999.0, STEPS), scaled(2e6, STEPS)
    (('steps', 1.0), ('million steps', 1000000.0))
    """
    return next((unit for unit in reversed(units) if most >= unit[1]), units[0])


def _share(height: float) -> float:
    """Return the share of its full width with which a path is drawn: short ones are close together."""
    return max(0.45, min(1.0, height / 0.008))


def _legend(axes: Any) -> None:
    """Draw the legend above the data, in one row, with lines wide enough to distinguish their colours."""
    legend = axes.legend(
        loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=6, frameon=False, borderpad=0.2, borderaxespad=0.1,
        handlelength=1.8, columnspacing=1.3,
    )  # fmt: skip
    for handle in legend.get_lines():
        handle.set_linewidth(1.2 if handle.get_linestyle() == "--" else 2.0)
