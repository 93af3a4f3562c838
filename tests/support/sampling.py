"""Samples of parameters: the rest is behind the mark `long`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

import pytest


def sample(values: Iterable[Any], every: int = 2) -> list[Any]:
    """Return parameters of a test, of which one in `every` is always run, the others by `-m long`.

    A tuple is the values of several parameters.
    """
    return [
        pytest.param(
            *(value if type(value) is tuple else (value,)), marks=pytest.mark.long if i % every else ()
        )
        for i, value in enumerate(values)
    ]


def side_by_side(key: str, *kinds: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return combinations of one element of each kind, in which each element of every kind appears.

    There are as many as the longest kind has elements. Which elements meet depends on the key alone, so
    that over many keys all combinations appear.
    """
    random = Random(key)
    turned = [(kind, random.randrange(len(kind))) for kind in kinds]
    return [
        tuple([kind[(i + first) % len(kind)] for kind, first in turned]) for i in range(max(map(len, kinds)))
    ]
