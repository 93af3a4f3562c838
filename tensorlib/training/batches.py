"""Mini-batches of data: pytrees of arrays whose first axes are the samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from checkpoint.prims.arrays import translated_as
from tensorlib import random
from tensorlib.training.nests import leaves, mapped


def rows(data: Any, index: Any) -> Any:
    """Return the samples at an index, of every array of a pytree."""
    return mapped(lambda x: x[index], data)


def batches(data: Any, size: int, key: Any = None, drop_last: bool = False) -> Iterator[Any]:
    """Yield pytrees of `size` samples each, in a random order by a key, or in their own without one.

    key: of tensorlib.random; fold_in(key, epoch) gives each epoch its own order. The last batch has what is
    left, unless that is less than `size` and drop_last is true.
    """
    counts = [len(x) for x in leaves(data)]
    if not counts or min(counts) != max(counts):
        raise ValueError(f"batches: the arrays have {counts} samples, not all as many")
    if size < 1:
        raise ValueError(f"batches: a batch has at least 1 sample, not {size}")
    count = counts[0]
    order = np.arange(count) if key is None else random.permutation(key, count)
    for start in range(0, count, size):
        if start + size <= count or not drop_last:
            yield rows(data, order[start : start + size].tolist())  # a list: an index of every library


for _function in (rows, batches):
    translated_as(_function, _function)
