"""The primitives of Python programs. Importing this package registers all records."""

from __future__ import annotations

from checkpoint.prims.python import (
    arithmetic,
    comparison,
    dictionaries,
    exceptions,
    foreign,
    gamma,
    integers,
    iteration,
    mathematics,
    native,
    objects,
    sequences,
    text,
    updates,
)

__all__ = [
    "arithmetic",
    "comparison",
    "dictionaries",
    "exceptions",
    "foreign",
    "gamma",
    "integers",
    "iteration",
    "mathematics",
    "native",
    "objects",
    "sequences",
    "text",
    "updates",
]
