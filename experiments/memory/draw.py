"""Draw the curve of experiments/memory/paper.py: memory against the length of the run.

In: results/memory-paper-ENGINE.json. Out: memory/paper-ENGINE.png. Needs matplotlib (the extra
`experiments`).

Reproduce:

    python -m experiments.memory.draw --engine interp
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib

from experiments import common

matplotlib.use("Agg")
from matplotlib import pyplot

STYLES = {
    "plain": ("#b3422f", "o", "plain reverse mode (*j)"),
    "bisection": ("#1f5fa8", "s", "divide and conquer (checkpoint-*j)"),
}
INK, FAINT = "#333333", "#dddddd"


def draw(content: dict[str, Any], path: Path) -> None:
    """Draw one picture: both modes, logarithmic axes."""
    pyplot.rcParams.update({"font.size": 10, "text.color": INK, "axes.labelcolor": INK})
    figure, axes = pyplot.subplots(figsize=(6.6, 3.9), layout="constrained")
    for mode, (colour, marker, label) in STYLES.items():
        rows = [row for row in content["rows"] if row["mode"] == mode]
        steps = [row["steps"] for row in rows]
        megabytes = [row["bytes"] / 1e6 for row in rows]
        axes.plot(steps, megabytes, color=colour, marker=marker, markersize=4.5, linewidth=1.6)
        _annotate(axes, label, (steps[-3], megabytes[-3]), colour, (-10, 6))
        _annotate(axes, f"{megabytes[-1]:,.3g} MB", (steps[-1], megabytes[-1]), colour, (6, 8))
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="steps of the run",
        ylabel="memory of the gradient (MB)",
        title=f"Live storage while the run doubles: the paper's benchmark, engine {content['engine']}",
    )
    axes.title.set_fontsize(10.5)
    axes.set_ylim(0.1, 1.6 * axes.get_ylim()[1])
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.grid(color=FAINT, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=120)
    print(f"written to {path}")


def _annotate(axes: Any, text: str, point: tuple[float, float], colour: str, offset: tuple[int, int]) -> None:
    axes.annotate(
        text, point, xytext=offset, textcoords="offset points", ha="right", va="bottom", color=colour
    )


def main() -> None:
    options = common.parser("draw the curve of experiments.memory.paper").parse_args()
    content = json.loads((common.RESULTS / f"memory-paper-{options.engine}.json").read_text(encoding="utf-8"))
    draw(content, Path(__file__).with_name(f"paper-{options.engine}.png"))


if __name__ == "__main__":
    main()
