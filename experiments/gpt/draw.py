"""Draw the results of `experiments.gpt.run --full` and `experiments.gpt.train --full`.

    python -m experiments.gpt.draw

Out: depth.png and train.png beside this file.
"""

from __future__ import annotations

from pathlib import Path

from experiments import common, depth_pictures

HERE = Path(__file__).parent

if __name__ == "__main__":
    depth_pictures.over_depth(common.saved("gpt", "c"), HERE / "depth.png")
    names = ("perplexity", "perplexity in training")
    depth_pictures.training(common.saved("gpt-train", "c"), names, HERE / "train.png")
