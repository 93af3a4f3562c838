"""The functions of itertools that end, as functions that return lists.

Which of the items go together depends on their number alone: Python's own function tells it by positions.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.intrinsics import prim


def accumulate_(iterable: Any, func: Any = None, *, initial: Any = None) -> Any:
    """See itertools.accumulate."""
    items = prim("py.sequence", iterable)
    start = 0
    total = initial
    if initial is None:
        if len(items) == 0:
            return []
        start = 1
        total = items[0]
    found = [total]
    for i in range(start, len(items)):
        total = total + items[i] if func is None else func(total, items[i])
        found.append(total)
    return found


def chain_(*iterables: Any) -> Any:
    """See itertools.chain."""
    return [item for each in iterables for item in each]


def from_iterable_(iterable: Any, /) -> Any:
    """See itertools.chain.from_iterable."""
    return [item for each in iterable for item in each]


def compress_(data: Any, selectors: Any) -> Any:
    """See itertools.compress."""
    return [item for item, chosen in zip(data, selectors) if chosen]  # noqa: B905 - as the original does


def combinations_(iterable: Any, r: Any) -> Any:
    """See itertools.combinations."""
    pool = prim("py.tuple-of", iterable)
    chosen = prim("py.standard", "itertools.combinations", len(pool), r)
    return [tuple([pool[i] for i in each]) for each in chosen]


def combinations_with_replacement_(iterable: Any, r: Any) -> Any:
    """See itertools.combinations_with_replacement."""
    pool = prim("py.tuple-of", iterable)
    chosen = prim("py.standard", "itertools.combinations_with_replacement", len(pool), r)
    return [tuple([pool[i] for i in each]) for each in chosen]


def permutations_(iterable: Any, r: Any = None) -> Any:
    """See itertools.permutations."""
    pool = prim("py.tuple-of", iterable)
    chosen = prim("py.standard", "itertools.permutations", len(pool), r)
    return [tuple([pool[i] for i in each]) for each in chosen]


def product_(*iterables: Any, repeat: Any = 1) -> Any:
    """See itertools.product."""
    pools = [prim("py.tuple-of", each) for each in iterables]
    chosen = prim("py.standard", "itertools.product", [len(pool) for pool in pools], repeat)
    count = len(pools)
    return [tuple([pools[i % count][at] for i, at in enumerate(each)]) for each in chosen]


def islice_(iterable: Any, /, *bounds: Any) -> Any:
    """See itertools.islice."""
    items = prim("py.sequence", iterable)
    return [items[i] for i in prim("py.standard", "itertools.islice", len(items), bounds)]


def pairwise_(iterable: Any, /) -> Any:
    """See itertools.pairwise."""
    items = prim("py.sequence", iterable)
    return [(items[i], items[i + 1]) for i in range(len(items) - 1)]


def batched_(iterable: Any, n: Any) -> Any:
    """See itertools.batched."""
    if n < 1:
        raise ValueError("n must be at least one")
    items = prim("py.tuple-of", iterable)
    return [items[i : i + n] for i in range(0, len(items), n)]


def strictly_batched_(iterable: Any, n: Any, *, strict: Any = False) -> Any:
    """See itertools.batched of Python 3.13; an incomplete batch is found before the first is used."""
    found = batched_(iterable, n)
    if strict and found and len(found[-1]) < n:
        raise ValueError("batched(): incomplete batch")
    return found


def repeat_(object: Any, times: Any) -> Any:
    """See itertools.repeat."""
    return [object for _ in range(times)]


def starmap_(function: Any, iterable: Any, /) -> Any:
    """See itertools.starmap."""
    return [function(*parts) for parts in iterable]


def takewhile_(predicate: Any, iterable: Any, /) -> Any:
    """See itertools.takewhile."""
    found = []
    for item in iterable:
        if not predicate(item):
            break
        found.append(item)
    return found


def dropwhile_(predicate: Any, iterable: Any, /) -> Any:
    """See itertools.dropwhile."""
    found = []
    dropping = True
    for item in iterable:
        if dropping and predicate(item):
            continue
        dropping = False
        found.append(item)
    return found


def filterfalse_(predicate: Any, iterable: Any, /) -> Any:
    """See itertools.filterfalse."""
    if predicate is None:
        return [item for item in iterable if not item]
    return [item for item in iterable if not predicate(item)]


def zip_longest_(*iterables: Any, fillvalue: Any = None) -> Any:
    """See itertools.zip_longest."""
    columns = [prim("py.sequence", each) for each in iterables]
    longest = max([len(column) for column in columns], default=0)
    return [
        tuple([column[i] if i < len(column) else fillvalue for column in columns]) for i in range(longest)
    ]


def groupby_(iterable: Any, key: Any = None) -> Any:
    """See itertools.groupby; the groups are lists."""
    found: list[Any] = []
    group: list[Any] = []
    last = None
    for item in iterable:
        this = item if key is None else key(item)
        same = last == this
        if len(group) > 0 and not same:
            found.append((last, group))
            group = []
        if len(group) == 0:
            last = this
        group = [*group, item]
    if len(group) > 0:
        found.append((last, group))
    return found


def tee_(iterable: Any, n: Any = 2, /) -> Any:
    """See itertools.tee."""
    items = prim("py.tuple-of", iterable)
    return tuple([items for _ in range(n)])


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    itertools.accumulate: accumulate_,
    itertools.chain: chain_,
    itertools.chain.from_iterable: from_iterable_,
    itertools.combinations: combinations_,
    itertools.combinations_with_replacement: combinations_with_replacement_,
    itertools.compress: compress_,
    itertools.dropwhile: dropwhile_,
    itertools.filterfalse: filterfalse_,
    itertools.groupby: groupby_,
    itertools.islice: islice_,
    itertools.pairwise: pairwise_,
    itertools.permutations: permutations_,
    itertools.product: product_,
    itertools.repeat: repeat_,
    itertools.starmap: starmap_,
    itertools.takewhile: takewhile_,
    itertools.tee: tee_,
    itertools.zip_longest: zip_longest_,
}
if sys.version_info >= (3, 12):
    FUNCTIONS[itertools.batched] = strictly_batched_ if sys.version_info >= (3, 13) else batched_
