"""Draw the results of `experiments.gpt.run --full` and `experiments.gpt.train --full`.

    python -m experiments.gpt.draw

Out: depth.png and train.png beside this file, of the results that there are.
"""

from __future__ import annotations

from pathlib import Path

from experiments import common, depth_pictures

HERE = Path(__file__).parent

if __name__ == "__main__":
    if found := common.results("gpt", "c"):
        depth_pictures.over_depth(found, HERE / "depth.png")
    if found := common.results("gpt-train", "c"):
        names = ("perplexity", "perplexity in training")
        depth_pictures.training(found, names, HERE / "train.png", is_shared=True)
