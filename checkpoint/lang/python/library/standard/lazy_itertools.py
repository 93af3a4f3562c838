"""The functions of itertools as Python has them, for programs with generators: items are made one by one."""

from __future__ import annotations

import heapq
import itertools
import sys
from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.generators import delegated
from checkpoint.lang.python.library.intrinsics import prim
from checkpoint.lang.python.library.iterators import iter_, list_iterator
from checkpoint.lang.python.library.standard import iteration, ordering
from checkpoint.lang.python.library.standard.lazy import iterable, starmap_, zip_


def filterfalse_(predicate: Any, items: Any, /) -> Any:
    """See itertools.filterfalse."""
    return rejected(predicate, iterable(items))


def rejected(predicate: Any, items: Any) -> Any:
    """Yield the items that a function does not choose."""
    for item in items:
        if not (item if predicate is None else predicate(item)):
            yield item


def zip_longest_(*iterables: Any, fillvalue: Any = None) -> Any:
    """See itertools.zip_longest."""
    return filled([iter_(each) for each in iterables], fillvalue)


def filled(iterators: Any, value: Any) -> Any:
    """Yield tuples of one item of each iterator until all have ended."""
    alive = [True for _ in iterators]
    left = len(iterators)
    while left > 0:
        items: Any = []
        for i in range(len(iterators)):
            item = value
            if alive[i]:
                outcome = delegated(iterators[i], None, None)
                if outcome[0]:
                    alive[i] = False
                    left -= 1
                    if left == 0:
                        return
                else:
                    item = outcome[1]
            items.append(item)
        yield tuple(items)


def count_(start: Any = 0, step: Any = 1) -> Any:
    """See itertools.count."""
    return counting(start, step)


def counting(start: Any, step: Any) -> Any:
    """Yield numbers without an end."""
    at = start
    while True:
        yield at
        at = at + step


def cycle_(items: Any, /) -> Any:
    """See itertools.cycle."""
    return cycled(iterable(items))


def cycled(items: Any) -> Any:
    """Yield items again and again."""
    kept = []
    for item in items:
        yield item
        kept.append(item)
    while len(kept) > 0:
        for item in kept:
            yield item


def repeat_(object: Any, times: Any = None) -> Any:
    """See itertools.repeat."""
    return repeated(object, times if times is None else prim("py.index", times))


def repeated(object: Any, times: Any) -> Any:
    """Yield one object again and again."""
    left = times
    while left is None or left > 0:
        yield object
        if left is not None:
            left -= 1


def islice_(items: Any, /, *bounds: Any) -> Any:
    """See itertools.islice."""
    start, stop, step = prim("py.standard", "itertools.islice-bounds", bounds)
    return sliced(iter_(items), start, stop, step)


def sliced(iterator: Any, start: Any, stop: Any, step: Any) -> Any:
    """Yield the items of a slice."""
    taken = 0
    wanted = start
    while True:
        while taken < wanted:
            if delegated(iterator, None, None)[0]:
                return
            taken += 1
        if taken >= stop:
            return
        outcome = delegated(iterator, None, None)
        if outcome[0]:
            return
        taken += 1
        wanted = min(wanted + step, stop)
        yield outcome[1]


def accumulate_(items: Any, func: Any = None, *, initial: Any = None) -> Any:
    """See itertools.accumulate."""
    return accumulated(iter_(items), func, initial)


def accumulated(iterator: Any, func: Any, initial: Any) -> Any:
    """Yield running totals."""
    total = initial
    if total is None:
        outcome = delegated(iterator, None, None)
        if outcome[0]:
            return
        total = outcome[1]
    yield total
    for item in iterator:
        total = total + item if func is None else func(total, item)
        yield total


def chain_(*iterables: Any) -> Any:
    """See itertools.chain."""
    return chained(iterables)


def from_iterable_(iterables: Any, /) -> Any:
    """See itertools.chain.from_iterable."""
    return chained(iterable(iterables))


def chained(iterables: Any) -> Any:
    """Yield the items of some iterables."""
    for each in iterables:
        for item in each:  # noqa: UP028  # `yield from` would take an iterator of each
            yield item


def compress_(data: Any, selectors: Any) -> Any:
    """See itertools.compress."""
    return compressed(iter_(data), iter_(selectors))


def compressed(data: Any, selectors: Any) -> Any:
    """Yield the items that are chosen."""
    for item, chosen in zip_(data, selectors):
        if chosen:
            yield item


def takewhile_(predicate: Any, items: Any, /) -> Any:
    """See itertools.takewhile."""
    return taken_while(predicate, iterable(items))


def taken_while(predicate: Any, items: Any) -> Any:
    """Yield the items before the first that does not fit."""
    for item in items:
        if not predicate(item):
            return
        yield item


def dropwhile_(predicate: Any, items: Any, /) -> Any:
    """See itertools.dropwhile."""
    return dropped_while(predicate, iterable(items))


def dropped_while(predicate: Any, items: Any) -> Any:
    """Yield the first item that does not fit, and all others after it."""
    dropping = True
    for item in items:
        if dropping and predicate(item):
            continue
        dropping = False
        yield item


def pairwise_(items: Any, /) -> Any:
    """See itertools.pairwise."""
    return paired(iter_(items))


def paired(iterator: Any) -> Any:
    """Yield each item with the next one."""
    outcome = delegated(iterator, None, None)
    if not outcome[0]:
        before = outcome[1]
        for item in iterator:
            yield (before, item)
            before = item


def batched_(items: Any, n: Any) -> Any:
    """See itertools.batched."""
    return strictly_batched_(items, n)


def strictly_batched_(items: Any, n: Any, *, strict: Any = False) -> Any:
    """See itertools.batched of Python 3.13."""
    if n < 1:
        raise ValueError("n must be at least one")
    return in_batches(iter_(items), n, strict)


def in_batches(iterator: Any, n: Any, strict: Any) -> Any:
    """Yield tuples of n items, and of what is left at the end."""
    batch: list[Any] = []
    for item in iterator:
        batch.append(item)
        if len(batch) == n:
            yield tuple(batch)
            batch = []
    if batch:
        if strict:
            raise ValueError("batched(): incomplete batch")
        yield tuple(batch)


def groupby_(items: Any, key: Any = None) -> Any:
    """See itertools.groupby."""
    return grouped(iter_(items), key)


def grouped(iterator: Any, key: Any) -> Any:
    """Yield pairs of a key and the generator of its items."""
    outcome = delegated(iterator, None, None)
    if outcome[0]:
        return
    item = outcome[1]
    this = item if key is None else key(item)
    ended = False

    def group(wanted: Any) -> Any:
        nonlocal item, this, ended
        yield item
        for each in iterator:
            item = each
            this = item if key is None else key(item)
            if this != wanted:
                return
            yield item
        ended = True

    while not ended:
        wanted = this
        items = group(wanted)
        yield (wanted, items)
        if this == wanted:
            for _ in items:
                pass


def tee_(items: Any, n: Any = 2, /) -> Any:
    """See itertools.tee; all items are kept."""
    iterator = iter_(items)
    kept: list[Any] = []
    return tuple([teed(iterator, kept) for _ in range(n)])


def teed(iterator: Any, kept: Any) -> Any:
    """Yield the items that are kept, and those after them, which are kept, too."""
    at = 0
    while True:
        if at == len(kept):
            outcome = delegated(iterator, None, None)
            if outcome[0]:
                return
            kept.append(outcome[1])
        yield kept[at]
        at += 1


def combinations_(items: Any, r: Any) -> Any:
    """See itertools.combinations."""
    return list_iterator(iteration.combinations_(items, r))


def combinations_with_replacement_(items: Any, r: Any) -> Any:
    """See itertools.combinations_with_replacement."""
    return list_iterator(iteration.combinations_with_replacement_(items, r))


def permutations_(items: Any, r: Any = None) -> Any:
    """See itertools.permutations."""
    return list_iterator(iteration.permutations_(items, r))


def product_(*iterables: Any, repeat: Any = 1) -> Any:
    """See itertools.product."""
    return list_iterator(iteration.product_(*iterables, repeat=repeat))


def merge_(*iterables: Any, key: Any = None, reverse: Any = False) -> Any:
    """See heapq.merge; all items are taken at once."""
    return list_iterator(ordering.merge_(*iterables, key=key, reverse=reverse))


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    heapq.merge: merge_,
    itertools.accumulate: accumulate_,
    itertools.chain: chain_,
    itertools.chain.from_iterable: from_iterable_,
    itertools.combinations: combinations_,
    itertools.combinations_with_replacement: combinations_with_replacement_,
    itertools.compress: compress_,
    itertools.count: count_,
    itertools.cycle: cycle_,
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
