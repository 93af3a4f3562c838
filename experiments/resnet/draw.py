"""Draw the results of `experiments.resnet.run --full` and `experiments.resnet.train --full`.

    python -m experiments.resnet.draw

Out: depth.png and train.png beside this file, of the results that there are.
"""

from __future__ import annotations

from pathlib import Path

from experiments import common, depth_pictures

HERE = Path(__file__).parent

if __name__ == "__main__":
    if found := common.results("resnet", "c"):
        depth_pictures.over_depth(found, HERE / "depth.png")
    if found := common.results("resnet-train", "c"):
        depth_pictures.training(found, ("loss", "accuracy"), HERE / "train.png")
