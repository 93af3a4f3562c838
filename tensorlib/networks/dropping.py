"""Dropout by an explicit key (tensorlib.random): the same key drops the same elements whenever it is run."""

from __future__ import annotations

from typing import Any

from checkpoint.prims.arrays import translated_as
from tensorlib import random
from tensorlib.layout.transfer import to


def dropout(input: Any, p: Any, key: Any, training: Any = True) -> Any:
    """Return input / (1 - p) with zeros in the place of elements, each with probability p.

    key: of tensorlib.random, to be used once. Without training return the input.
    """
    return _dropped(input, p, key, input.shape) if training else input


def dropout_planes(input: Any, p: Any, key: Any, training: Any = True) -> Any:
    """Return input (n, channels, ...) with whole channels of samples dropped, as `dropout` drops elements."""
    if not training:
        return input
    return _dropped(input, p, key, (*input.shape[:2], *[1] * (len(input.shape) - 2)))


def _dropped(input: Any, p: Any, key: Any, shape: Any) -> Any:
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout: the probability is between 0 and 1, not {p}")
    kept = to(random.standard_uniform(key, tuple(shape)) >= p, input.dtype)
    return input * kept if p == 1.0 else input * kept * (1.0 / (1.0 - p))


for _function in (dropout, dropout_planes):
    translated_as(_function, _function)
