"""A library of arrays as somebody else might write it: a type of array, and functions with NumPy's names."""

from __future__ import annotations

from typing import Any

import numpy as np


class Array(np.ndarray[Any, Any]):
    """An array of this library."""


def array(items: Any) -> Array:
    """Return an array of these items."""
    return np.array(items).view(Array)


def __getattr__(name: str) -> Any:
    return getattr(np, name)
