"""Draw the results of `experiments.resnet.run --full` and `experiments.resnet.train --full`.

    python -m experiments.resnet.draw

Out: depth.png and train.png beside this file.
"""

from __future__ import annotations

from pathlib import Path

from experiments import common, depth_pictures

HERE = Path(__file__).parent

if __name__ == "__main__":
    depth_pictures.over_depth(common.saved("resnet", "c"), HERE / "depth.png")
    depth_pictures.training(common.saved("resnet-train", "c"), ("loss", "accuracy"), HERE / "train.png")
