"""Draw the results of `experiments.published.run --full`.

    python -m experiments.published.draw

Out: deepest.png beside this file.
"""

from __future__ import annotations

from pathlib import Path

from experiments import common, depth_pictures

if __name__ == "__main__":
    depth_pictures.deepest(common.saved("published", "c"), Path(__file__).parent / "deepest.png")
