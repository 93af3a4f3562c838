"""Sorting, searching and selecting in lists of numbers and records."""

from __future__ import annotations

import heapq
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.python.corpus import Example


class Item(NamedTuple):
    """A thing with a price and a weight."""

    name: str
    price: float
    weight: float


def quicksort(values: list[float]) -> list[float]:
    """Quicksort by comprehensions."""
    if len(values) <= 1:
        return values
    pivot, *rest = values
    less = [x for x in rest if x < pivot]
    more = [x for x in rest if x >= pivot]
    return [*quicksort(less), pivot, *quicksort(more)]


def quicksort_in_place(values: Sequence[float]) -> list[float]:
    """Quicksort by exchanges in a copy."""
    items = list(values)

    def partition(low: int, high: int) -> int:
        pivot = items[high]
        store = low
        for i in range(low, high):
            if items[i] < pivot:
                items[i], items[store] = items[store], items[i]
                store += 1
        items[store], items[high] = items[high], items[store]
        return store

    def sort(low: int, high: int) -> None:
        if low < high:
            middle = partition(low, high)
            sort(low, middle - 1)
            sort(middle + 1, high)

    sort(0, len(items) - 1)
    return items


def mergesort(values: list[float]) -> list[float]:
    """Mergesort with an explicit merge."""
    if len(values) < 2:
        return values[:]
    half = len(values) // 2
    left, right = mergesort(values[:half]), mergesort(values[half:])
    merged = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    merged.extend(left[i:])
    merged.extend(right[j:])
    return merged


def insertion_sort(values: Sequence[float]) -> list[float]:
    """Insertion sort."""
    items = list(values)
    for i in range(1, len(items)):
        value = items[i]
        j = i
        while j > 0 and items[j - 1] > value:
            items[j] = items[j - 1]
            j -= 1
        items[j] = value
    return items


def bubble_sort(values: Sequence[float]) -> tuple[list[float], int]:
    """Bubble sort that stops early, and its number of exchanges."""
    items = [*values]
    swaps = 0
    for end in range(len(items) - 1, 0, -1):
        swapped = False
        for i in range(end):
            if items[i] > items[i + 1]:
                items[i], items[i + 1] = items[i + 1], items[i]
                swaps += 1
                swapped = True
        if not swapped:
            break
    return items, swaps


def heap_sort(values: Sequence[float]) -> list[float]:
    """A binary heap in a list: push everything, then pop everything."""
    heap: list[float] = []
    for value in values:
        heap.append(value)
        child = len(heap) - 1
        while child and heap[child] < heap[(child - 1) // 2]:
            parent = (child - 1) // 2
            heap[child], heap[parent] = heap[parent], heap[child]
            child = parent
    result = []
    while heap:
        result.append(heap[0])
        last = heap.pop()
        if not heap:
            break
        heap[0] = last
        parent = 0
        while (child := 2 * parent + 1) < len(heap):
            if child + 1 < len(heap) and heap[child + 1] < heap[child]:
                child += 1
            if heap[parent] <= heap[child]:
                break
            heap[parent], heap[child] = heap[child], heap[parent]
            parent = child
    return result


def selection_sort(values: Sequence[float], before: Callable[[float, float], bool]) -> list[float]:
    """Selection sort by any comparison."""
    rest = list(values)
    result = []
    while rest:
        best = 0
        for i in range(1, len(rest)):
            if before(rest[i], rest[best]):
                best = i
        result.append(rest.pop(best))
    return result


def descending(values: Sequence[float]) -> list[float]:
    """The largest first."""
    return selection_sort(values, operator.gt)


def median(values: Sequence[float]) -> float:
    """The middle of the sorted values."""
    ordered = sorted(values)
    half, odd = divmod(len(ordered), 2)
    return ordered[half] if odd else (ordered[half - 1] + ordered[half]) / 2


def quickselect(values: list[float], k: int) -> float:
    """The k-th smallest value."""
    pivot = values[len(values) // 2]
    less = [x for x in values if x < pivot]
    if k < len(less):
        return quickselect(less, k)
    equal = values.count(pivot)
    if k < len(less) + equal:
        return pivot
    return quickselect([x for x in values if x > pivot], k - len(less) - equal)


def binary_search(values: Sequence[float], target: float) -> int:
    """Where a value would be inserted."""
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < target:
            low = middle + 1
        else:
            high = middle
    return low


def interpolate(xs: Sequence[float], ys: Sequence[float], x: float) -> float:
    """Linear interpolation in a sorted table."""
    if not xs[0] <= x <= xs[-1]:
        raise ValueError(f"{x} is outside the table")
    i = max(1, binary_search(xs, x))
    share = (x - xs[i - 1]) / (xs[i] - xs[i - 1])
    return ys[i - 1] + share * (ys[i] - ys[i - 1])


def merge_intervals(intervals: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Overlapping intervals joined."""
    merged: list[tuple[float, float]] = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def ranks(values: Sequence[float]) -> list[int]:
    """The rank of each value, from 1."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    result = [0] * len(values)
    for rank, i in enumerate(order, 1):
        result[i] = rank
    return result


def best_value(items: Sequence[Item], count: int) -> float:
    """The price of the items that give most for their weight."""
    ordered = sorted(items, key=lambda item: item.price / item.weight, reverse=True)
    return sum(item.price for item in ordered[:count])


def cheapest_by_name(items: Sequence[Item]) -> list[tuple[str, float]]:
    """The smallest price of each name, sorted by name."""
    prices: dict[str, float] = {}
    for name, price, _ in items:
        prices[name] = min(price, prices.get(name, price))
    pairs = list(prices.items())
    pairs.sort(key=operator.itemgetter(0))
    return pairs


def two_sum(values: list[float], target: float) -> tuple[float, float] | None:
    """The pair whose sum is closest to the target, by two pointers."""
    items = sorted(values)
    low, high = 0, len(items) - 1
    best = None
    while low < high:
        pair = (items[low], items[high])
        if best is None or abs(sum(pair) - target) < abs(sum(best) - target):
            best = pair
        if sum(pair) < target:
            low += 1
        else:
            high -= 1
    return best


def trimmed_mean(values: list[float], share: float = 0.2) -> float:
    """The mean without the extremes."""
    items = sorted(values)
    cut = int(share * len(items))
    kept = items[cut:-cut] if cut else items
    return sum(kept) / len(kept)


def counting_sort(numbers: Sequence[int]) -> list[int]:
    """Small integers sorted by counting."""
    counts = [0] * (max(numbers) + 1)
    for number in numbers:
        counts[number] += 1
    return [value for value, count in enumerate(counts) for _ in range(count)]


@dataclass(order=True)
class Event:
    """Hold what happens at a time; the text does not count."""

    time: float
    rank: int = 0
    text: str = field(default="", compare=False)


@dataclass
class Delayed(Event):
    """An event of another class, with the order of its base, which objects of two classes do not have."""

    delay: float = 0.0


def events(x: float) -> tuple[object, ...]:
    """A queue of objects that `dataclass` orders: by fields, in order, also where times are equal."""
    queue = [Event(x * 3.0, 1, "a"), Event(x, 2, "b"), Event(x * 3.0, 0, "c"), Event(x, 2, "d")]
    heapq.heapify(queue)
    heapq.heappush(queue, Event(x * 2.0, 0, "e"))
    taken = [heapq.heappop(queue) for _ in range(5)]
    late, later = Delayed(x, 1, "f", 2.0), Delayed(x, 1, "g", 1.0)
    same = late <= later, late >= later, late < later, late > later, sorted([taken[2], taken[0]])[0].text
    return sum(i * each.time for i, each in enumerate(taken)), [(e.rank, e.text) for e in taken], same


def events_of_two_classes(x: float) -> bool:
    """An order that Python refuses."""
    return Event(x) < Delayed(x)


VALUES = [3.5, -1.2, 8.0, 0.25, 5.5, 2.0, -4.75, 6.1]
ITEMS = (
    Item("lamp", 20.0, 4.0),
    Item("book", 12.5, 1.0),
    Item("lamp", 18.0, 3.0),
    Item("vase", 9.0, 2.5),
    Item("book", 14.0, 1.5),
)

EXAMPLES = [
    Example(events, (1.5,)),
    Example(events_of_two_classes, (1.5,), raises=TypeError),
    Example(quicksort, (VALUES,)),
    Example(quicksort_in_place, (VALUES,)),
    Example(mergesort, (VALUES,)),
    Example(insertion_sort, (tuple(VALUES),)),
    Example(bubble_sort, (VALUES,)),
    Example(heap_sort, (VALUES,)),
    Example(descending, (VALUES,)),
    Example(median, (VALUES,)),
    Example(median, (VALUES[:5],)),
    Example(median, ([],), raises=IndexError),
    Example(quickselect, (VALUES, 5)),
    Example(binary_search, (sorted(VALUES), 2.5), differentiable=False),
    Example(interpolate, ([0.0, 1.0, 2.5, 4.0], [1.0, 3.0, 2.0, 5.0], 1.7)),
    Example(interpolate, ([0.0, 1.0], [1.0, 3.0], 1.5), raises=ValueError),
    Example(merge_intervals, ([(1.0, 3.0), (8.0, 9.5), (2.5, 6.0), (15.0, 18.0), (9.0, 10.0)],)),
    Example(ranks, (VALUES,), differentiable=False),
    Example(best_value, (ITEMS, 3)),
    Example(cheapest_by_name, (ITEMS,)),
    Example(two_sum, (VALUES, 7.3)),
    Example(trimmed_mean, (VALUES,)),
    Example(counting_sort, ([4, 2, 2, 8, 3, 3, 1],), differentiable=False),
]
