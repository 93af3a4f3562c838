"""What is recorded for an adjoint is the least from which all that it reads can be computed."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import pytest

from checkpoint.ctarget.translate.ops.places import Place
from checkpoint.ctarget.translate.units.fewest import fewest

Graph = Mapping[Place, Sequence[Place] | None]  # what a place is computed of; None: it can only be recorded


def places(names: str) -> list[Place]:
    return [Place(name, "real") for name in names.split()]


def suffices(recorded: Iterable[Place], read: Iterable[Place], graph: Graph) -> bool:
    """Return whether everything read is recorded, or computed of what is."""
    known, waiting = set(recorded), list(read)
    while waiting:
        place = waiting.pop()
        if place in known:
            continue
        known.add(place)
        below = graph[place]
        if below is None:
            return False
        waiting += below
    return True


def least(read: Sequence[Place], graph: Graph, sizes: Mapping[Place, int]) -> int:
    """Return the size of the smallest choice, by trying all."""
    choices = [each for count in range(len(graph) + 1) for each in combinations(graph, count)]
    return min(sum(sizes[place] for place in each) for each in choices if suffices(each, read, graph))


def drawn(rng: random.Random) -> tuple[list[Place], Graph, dict[Place, int]]:
    all_places = places("a b c d e f g h")
    graph: dict[Place, Sequence[Place] | None] = {}
    for i, place in enumerate(all_places):
        below = rng.sample(all_places[:i], rng.randint(0, min(i, 3)))
        graph[place] = None if rng.random() < 0.3 else below
    sizes = {place: rng.choice((1, 8)) for place in all_places}
    return rng.sample(all_places, rng.randint(0, 4)), graph, sizes


@pytest.mark.parametrize("seed", range(200))
def test_as_small_as_any_choice(seed: int) -> None:
    read, graph, sizes = drawn(random.Random(seed))
    found = fewest(read, graph.__getitem__, sizes.__getitem__)
    assert suffices(found, read, graph)
    assert sum(sizes[place] for place in found) == least(read, graph, sizes)


def test_nearest_to_what_is_read() -> None:
    """Of two choices of one size that which computes less again is taken."""
    a, b, c = places("a b c")
    graph: Graph = {a: None, b: [a], c: [b]}
    assert fewest([c], graph.__getitem__, lambda _: 8) == [c]
    assert fewest([b, c], graph.__getitem__, lambda _: 8) == [b]


def test_what_is_computed_of_nothing_is_not_recorded() -> None:
    a, b = places("a b")
    graph: Graph = {a: [], b: [a]}
    assert fewest([a, b], graph.__getitem__, lambda _: 8) == []
