"""The function of the files in this folder; they are written by `python -m tests.durable.kept.weighted`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import checkpoint

SCALE = 0.5


def weighted(x: Any) -> Any:
    total = x["bias"] * SCALE
    for w in x["weights"]:
        total += (w * w).sum()
    return total + float(x["counts"][0]) + len(x["name"]) * 1.0


def argument() -> dict[str, Any]:
    """Return the argument of the capsule."""
    whole = np.arange(12.0).reshape(3, 4)
    return {
        "bias": 2.25,
        "weights": [whole, whole[:, 1], np.array([1.0, -2.0], np.float32), np.float64(3.0)],
        "counts": (7, -(1 << 70), None, True, b"bytes"),
        "name": "ä",
        "indices": np.array([1, 2, 3]),
    }


def main() -> None:
    folder = Path(__file__).parent
    z = checkpoint.interrupt(weighted, argument(), 0)
    z.save(folder / "weighted.1.capsule")
    checkpoint.vjp(checkpoint.resume, z)[1].save(folder / "weighted.1.cotangent")


if __name__ == "__main__":
    main()
