"""Samples of parameters: the rest is behind the mark `long`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sample(values: Iterable[Any], every: int = 2) -> list[Any]:
    """Return parameters of a test, of which one in `every` is always run, the others by `-m long`."""
    return [
        value if i % every == 0 else pytest.param(value, marks=pytest.mark.long)
        for i, value in enumerate(values)
    ]
