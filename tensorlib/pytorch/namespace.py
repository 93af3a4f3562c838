"""PyTorch's functions by NumPy's names and with NumPy's parameters: what records call as `xp`.

In: tensors, with Python's numbers beside them. Out: tensors. What this package's parts do not have is
PyTorch's own. Python's numbers take the dtype of the tensor that they stand beside, as in PyTorch and NumPy.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from checkpoint.errors import SourceError
from tensorlib.pytorch import axes, elementwise, making, shapes

pi = math.pi


class NoCounterpart(SourceError, AttributeError):
    """Says that a function is missing, also to who asks all modules for a name, as pickle does."""


def __getattr__(name: str) -> Any:
    """Return a function by its name, which is looked up once."""
    for part in (making, elementwise, axes, shapes, torch):
        found = getattr(part, name, None)
        if found is not None:
            globals()[name] = found
            return found
    raise NoCounterpart(f"np.{name} has no counterpart for PyTorch's tensors here")
