"""Draw the results of `experiments.resnet.run --full`: time per block and memory over depth.

python -m experiments.resnet.draw [OUT.png]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from matplotlib import pyplot

from experiments import common, deep

STYLES = {"checkpoint": "o-", "PyTorch": "s--", "JAX": "^:"}


def draw(found: dict[str, Any], path: Path) -> None:
    """Draw a result file into a picture."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    rows = [row for row in found["rows"] if "error" not in row]
    for name in dict.fromkeys(row["method"] for row in rows):
        own = [row for row in rows if row["method"] == name]
        depths, style = [row["depth"] for row in own], STYLES[name.split(",")[0]]
        (line,) = left.plot(depths, [row["ms"] for row in own], style, label=name)
        right.plot(depths, [row["growth"] / deep.MIB for row in own], style, color=line.get_color())
    right.axhline(found["memory"] / deep.MIB, color="grey", linestyle=":", label="memory=")
    left.set(xscale="log", xlabel="blocks", ylabel="ms per block", ylim=(0.0, None))
    right.set(xscale="log", yscale="log", xlabel="blocks", ylabel="MiB beside weights and gradient")
    left.legend(fontsize=7)
    right.legend(fontsize=7)
    figure.savefig(path, dpi=110)


def main() -> None:
    found = json.loads((common.RESULTS / "resnet-c.json").read_text(encoding="utf-8"))
    draw(found, Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent / "depth.png")


if __name__ == "__main__":
    main()
