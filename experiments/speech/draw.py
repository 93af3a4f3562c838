"""Draw the results of `experiments.speech.run --keep`: `python -m experiments.speech.draw`.

Out: train.png beside this file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiments import common
from experiments.extras import needed

with needed():
    from matplotlib import pyplot

HERE = Path(__file__).parent


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw loss and label error over the epochs."""
    figure, axes = pyplot.subplots(figsize=(6, 3.2), layout="constrained")
    epochs = [row["epoch"] for row in rows]
    axes.plot(epochs, [100 * row["error"] for row in rows], "o-", label="letters wrong, other voices")
    axes.axhline(20.0, color="grey", linestyle=":", label="20%")
    axes.set(xlabel="epoch", ylabel="% of letters", ylim=(0.0, None))
    right = axes.twinx()
    right.plot(epochs, [row["loss"] for row in rows], "s--", color="tab:orange", label="loss (right)")
    right.set(ylabel="CTC loss per letter", ylim=(0.0, None))
    handles = [*axes.get_lines(), *right.get_lines()]
    axes.legend(handles, [str(handle.get_label()) for handle in handles], fontsize="small")
    figure.savefig(path, dpi=100)
    pyplot.close(figure)


if __name__ == "__main__":
    if found := common.results("speech", "c"):
        draw(found["rows"], HERE / "train.png")
