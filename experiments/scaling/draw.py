"""Draw the results of experiments/scaling/slopes.py: time per step, states and memory against run length.

In: results/scaling-slopes-ENGINE.json of each engine that has one. Out: scaling/slopes.png. Needs
matplotlib (the extra `experiments`).

Reproduce:

    python -m experiments.scaling.draw
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

from checkpoint import engines
from experiments import common

matplotlib.use("Agg")
from matplotlib import pyplot

COLOURS = {"interp": "#b3422f", "hybrid": "#1f5fa8"}
STYLES = {"bisection": ("s", "-"), "binomial": ("o", "--")}
INK, FAINT = "#333333", "#dddddd"
PANELS: dict[str, Callable[[dict[str, Any]], float]] = {
    "CPU time of the gradient (us / step)": lambda row: 1e6 * row["seconds"] / row["steps"],
    "states kept at once (the same on both engines)": lambda row: row["states"],
    "peak memory beyond the process (kB)": lambda row: row["bytes"] / 1e3,
}


def draw(contents: list[dict[str, Any]], path: Path) -> None:
    """Draw three panels; the run's length has a logarithmic axis, so that t log t and log t are lines."""
    pyplot.rcParams.update({"font.size": 9, "text.color": INK, "axes.labelcolor": INK})
    figure, panels = pyplot.subplots(1, 3, figsize=(10.2, 3.5), layout="constrained")
    for axes, (title, value) in zip(panels, PANELS.items(), strict=True):
        for content in contents:
            for schedule, (marker, dashes) in STYLES.items():
                rows = [row for row in content["rows"] if row["schedule"] == schedule]
                axes.plot(
                    [row["steps"] for row in rows],
                    [value(row) for row in rows],
                    color=COLOURS[content["engine"]],
                    marker=marker,
                    linestyle=dashes,
                    markersize=4,
                    linewidth=1.4,
                    label=f"{content['engine']}, {schedule}",
                )
        axes.set_xscale("log", base=2)
        axes.set_xlabel("steps of the run")
        axes.set_title(title, fontsize=9)
        axes.set_ylim(0, 1.1 * axes.get_ylim()[1])
        axes.grid(color=FAINT, linewidth=0.7)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(path, dpi=120)
    print(f"written to {path}")


def main() -> None:
    paths = [common.RESULTS / f"scaling-slopes-{name}.json" for name in engines.available()]
    contents = [json.loads(path.read_text(encoding="utf-8")) for path in paths if path.exists()]
    draw(contents, Path(__file__).with_name("slopes.png"))


if __name__ == "__main__":
    main()
