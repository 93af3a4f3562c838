"""Pictures of deep networks: time and memory over depth, curves of training, depths under a cap.

In: result files of experiments.depths, of trainings and of experiments.published. Out: pictures.
"""

from __future__ import annotations

from itertools import cycle
from pathlib import Path
from typing import Any

from experiments import deep
from experiments.extras import needed

with needed():
    from matplotlib import pyplot

STYLES = {"checkpoint": "o-", "PyTorch": "s--", "JAX": "^:"}
COLORS = (*[f"C{i}" for i in range(10)], "black")  # one for each method, and for each=
DPI = 110


def over_depth(found: dict[str, Any], path: Path) -> None:
    """Draw time per block and memory over depth."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    rows = [row for row in found["rows"] if "error" not in row]
    for name, color in zip(dict.fromkeys(map(_label, rows)), cycle(COLORS), strict=False):
        own = [row for row in rows if _label(row) == name]
        depths, style = [row["depth"] for row in own], STYLES[name.split(",")[0]]
        left.plot(depths, [row["ms"] for row in own], style, color=color, label=name)
        right.plot(depths, [row["growth"] / deep.MIB for row in own], style, color=color)
    right.axhline(max(row["memory"] for row in rows) / deep.MIB, color="grey", linestyle=":", label="memory=")
    left.set(xscale="log", xlabel="blocks", ylabel="CPU ms per block", ylim=(0.0, None))
    right.set(xscale="log", yscale="log", xlabel="blocks", ylabel="MiB beside weights and gradient")
    left.legend(fontsize=7)
    right.legend(fontsize=7)
    figure.savefig(path, dpi=DPI)
    pyplot.close(figure)


def _label(row: dict[str, Any]) -> str:
    return f"{row['method']}{', each=' if row['each'] else ''}"


def training(found: dict[str, Any], names: tuple[str, str], path: Path, is_shared: bool = False) -> None:
    """Draw two columns of a curve of training over the steps, each with a scale of its own unless shared."""
    figure, left = pyplot.subplots(figsize=(6, 3.6), layout="constrained")
    right = left if is_shared else left.twinx()
    for axes, name, color in zip((left, right), names, ("C0", "C1"), strict=True):
        rows = [row for row in found["curve"] if name in row]
        axes.plot([row["step"] for row in rows], [row[name] for row in rows], "o-", color=color, label=name)
        axes.set_ylim(0.0, None)
        if not is_shared:
            axes.set_ylabel(name, color=color)
    if is_shared:
        left.legend()
    left.set(xlabel="steps", title=f"{found['depth']:,} blocks")
    figure.savefig(path, dpi=DPI)
    pyplot.close(figure)


def deepest(found: dict[str, Any], path: Path) -> None:
    """Draw how deep the networks of all methods were under a cap."""
    methods = sorted(found["found"], key=(*deep.PEERS, *deep.JAX_METHODS, *deep.OURS).index)
    nets = list(dict.fromkeys(net for own in found["found"].values() for net in own))
    figure, axes = pyplot.subplots(figsize=(8, 0.6 + 0.55 * len(methods)), layout="constrained")
    for i, net in enumerate(nets):
        places = [k + 0.38 * (i - 0.5) for k in range(len(methods))]
        depths = [found["found"][name].get(net, {"depth": 0})["depth"] for name in methods]
        bars = axes.barh(places, depths, height=0.36, label=net)
        axes.bar_label(bars, [f"{depth:,}" if depth else "" for depth in depths], padding=3, fontsize=8)
    axes.set(xscale="log", xlabel=f"blocks within {found['cap'] / deep.MIB:,.0f} MiB")
    axes.set_yticks(range(len(methods)), methods, fontsize=8)
    axes.set_xlim(10, 4 * max(own["depth"] for method in found["found"].values() for own in method.values()))
    axes.invert_yaxis()
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=DPI)
    pyplot.close(figure)
