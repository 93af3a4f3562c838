"""Arrays that hold no numbers: of records, of texts. They are constants, read by fields and elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.arrays.corpus import Example, filled

PARTICLES = np.array([(1, 2.5, b"a"), (2, 3.5, b"b")], dtype=[("n", int), ("mass", float), ("kind", "S1")])
NAMES = np.array(["left", "right", "left"])


def fields(x: Any) -> Any:
    """Columns, one row, one field of a row, the number of rows."""
    total = np.sum(PARTICLES["mass"] * x[:2]) + PARTICLES[1]["mass"] * x[0]
    return total * len(PARTICLES) + PARTICLES["n"][0] + PARTICLES.shape[0]


def rows(x: Any) -> Any:
    """Row by row."""
    total = 0.0
    for particle in PARTICLES:
        if particle["n"] > 1:
            total = total + particle["mass"] * x[1]
    return total


def texts(x: Any) -> Any:
    """Chosen by texts, which are compared element by element."""
    return np.sum(x[NAMES == "left"]) * (x[1] if NAMES[1] == "right" else 1.0)


EXAMPLES = [
    Example(fields, (filled(3),)),
    Example(rows, (filled(3),)),
    Example(texts, (filled(3),)),
]
