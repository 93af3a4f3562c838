"""The classes of collections: queues, dictionaries with defaults and in order, counters."""

from __future__ import annotations

import collections
from collections import Counter, OrderedDict, defaultdict, deque

from tests.python.corpus import Example


def moving_averages(xs: list[float], width: int) -> list[float]:
    """Averages over a window that is a queue with a limit."""
    window: deque[float] = deque(maxlen=width)
    found = []
    for x in xs:
        window.append(x)
        found.append(sum(window) / len(window))
    return found


def breadth_first(graph: dict[str, dict[str, float]], start: str) -> dict[str, float]:
    """The product of the weights along the shortest paths, by a queue."""
    far = {start: 1.0}
    queue = collections.deque([start])
    while queue:
        node = queue.popleft()
        for other, weight in graph[node].items():
            if other not in far:
                far[other] = far[node] * weight
                queue.append(other)
    return far


def queue_methods(xs: list[float]) -> tuple[object, ...]:
    """What a queue can do at both ends and between."""
    queue = deque(xs)
    queue.rotate(2)
    queue.appendleft(xs[0] * xs[1])
    queue.extendleft([1.0, 2.0])
    last, first = queue.pop(), queue.popleft()
    queue[0] *= 3.0
    del queue[1]
    queue.insert(1, 7.0)
    queue.remove(7.0)
    other = queue.copy()
    other.reverse()
    print(queue, len(other), other == queue, 7.0 in other, isinstance(queue, deque))
    for _ in range(40):
        other.append(first)
        last += other.popleft()
    return queue, other, first, last, queue[-1], other.count(first), deque([1, 2], maxlen=5)


def with_defaults(xs: list[float], names: list[str]) -> tuple[object, ...]:
    """Groups, sums and counts by dictionaries with defaults."""
    groups: defaultdict[str, list[float]] = defaultdict(list)
    sums: defaultdict[str, float] = defaultdict(float)
    counts: defaultdict[str, int] = defaultdict(int)
    scaled: defaultdict[str, float] = defaultdict(lambda: 2.0 * xs[0])
    for name, x in zip(names, xs, strict=True):
        groups[name].append(x)
        sums[name] += x * x
        counts[name] += 1
        scaled[name] *= x
    print(counts, dict(groups), len(sums), "a" in counts, isinstance(sums, dict))
    means = {name: sum(group) / counts[name] for name, group in groups.items()}
    best = max(sums, key=lambda name: sums[name])
    return means, groups, sums, best, sorted(counts), sum(scaled.values()), groups.get("z"), groups.pop("a")


def in_order(x: float) -> tuple[object, ...]:
    """A dictionary that remembers its order, as a cache of the last used."""
    kept = OrderedDict([("a", x), ("b", 2.0 * x)])
    kept["c"] = x * x
    kept.move_to_end("a")
    kept.move_to_end("c", last=False)
    first = kept.popitem(last=False)
    kept.setdefault("d", 4.0)
    kept.update({"b": 5.0 * x})
    return kept, first, list(kept), list(kept.items()), kept == OrderedDict(a=x)


def counted(text: str, x: float) -> tuple[object, ...]:
    """Letters, and weights that are reals."""
    letters = Counter(text)
    letters.update("lo")
    letters["z"] -= 2
    weights: Counter[str] = Counter({"a": x, "b": 2.0})
    weights["a"] += x * x  # type: ignore[assignment]
    print(letters, letters["q"], letters.total(), isinstance(letters, dict))
    both = Counter("ab") + Counter("bc")
    less = Counter("abb") - Counter("b")
    return letters.most_common(2), weights, both, less, sorted(letters.elements()), letters


def of_arguments(queue: deque[float], table: defaultdict[str, float]) -> float:
    """Containers that come from outside."""
    return queue[0] * table["a"] + sum(queue) * len(table) + sum([v * v for v in table.values()])


def of_an_empty_queue(x: float) -> float:
    """Nothing is in the queue."""
    queue = deque([x])
    queue.pop()
    try:
        queue.popleft()
    except IndexError as error:
        print(error)
    return queue[0]


def of_a_missing_key(x: float) -> float:
    """A dictionary without a factory."""
    d: defaultdict[str, float] = defaultdict(None, a=x)
    return d["a"] + d["b"]


XS = [0.5, -1.25, 2.0, 3.0]
GRAPH = {"a": {"b": 0.5, "c": 2.0}, "b": {"d": 3.0}, "c": {"d": 5.0}, "d": {"a": 1.5}}


def changed_while_iterated(x: float) -> tuple[object, ...]:
    """End as Python does where what is iterated is changed, and not where it is assigned anew."""
    ended: list[str] = []
    total, queue, numbers = 0.0, deque([x, 2.0]), {1, 2}
    counts, ordered = Counter("ab"), OrderedDict(a=x, b=2.0)
    try:
        for item in queue:
            total += item
            queue.append(queue.popleft())
    except RuntimeError as error:
        ended.append(str(error))
    try:
        for number in numbers:
            total += number * x
            numbers.add(number + 10)
    except RuntimeError as error:
        ended.append(str(error))
    try:
        for letter in counts:
            total += counts[letter] * x
            counts["c"] += 1
    except RuntimeError as error:
        ended.append(str(error))
    try:
        for letter in ordered:
            total += ordered[letter]
            ordered["c"] = x
    except RuntimeError as error:
        ended.append(str(error))
    try:
        for item in reversed(queue):
            total += item
            queue.append(item)
    except RuntimeError as error:
        ended.append(str(error))
    for number in numbers:
        numbers = numbers | {number + 100}
    for letter in ordered:
        ordered[letter] += total
    for item in queue:
        queue[1] = total * item
    return ended, total, sorted(numbers), ordered, queue


EXAMPLES = [
    Example(moving_averages, (XS, 3)),
    Example(breadth_first, (GRAPH, "a")),
    Example(queue_methods, (XS,)),
    Example(with_defaults, (XS, ["a", "b", "a", "c"])),
    Example(in_order, (1.5,)),
    Example(counted, ("hello", 1.5)),
    Example(of_an_empty_queue, (1.5,), raises=IndexError),
    Example(of_a_missing_key, (1.5,), raises=KeyError),
    Example(changed_while_iterated, (0.3,)),
]
