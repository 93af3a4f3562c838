"""Draw the results of `experiments.published.run --full`.

    python -m experiments.published.draw

Out: deepest.png beside this file.
"""

from __future__ import annotations

from pathlib import Path

from experiments import common, depth_pictures

if __name__ == "__main__":
    if found := common.results("published", "c"):
        depth_pictures.deepest(found, Path(__file__).parent / "deepest.png")
