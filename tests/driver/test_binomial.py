"""Binomial schedules by the symbolic model: the exact optimum, the three stopping rules, exact sequences.

The optimum is computed twice without a binomial coefficient: by recursion over where the first state is
kept, and, for short runs, by a search through everything that a schedule might do.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from functools import cache
from math import comb

import pytest

from checkpoint.driver.binomial import Binomial, recomputed
from checkpoint.driver.schedule import Keep
from tests.driver.model import Model
from tests.driver.test_schedules import written

BASES = (1, 2, 3, 7, 50)
LENGTHS = range(1, 201)
SAMPLED = (*range(1, 41), *range(41, 201, 9))
lengths_of_runs = pytest.mark.parametrize(
    "lengths", [SAMPLED, pytest.param(LENGTHS, marks=pytest.mark.long)], ids=["sampled", "all"]
)


@cache
def optimum(length: int, snapshots: int, base: int) -> tuple[int, int]:
    """Return the fewest steps run again, and with those the fewest states kept on the way.

    The state at the start is kept, and is one of `snapshots`.
    """
    if length <= base:
        return 0, 0
    found = []
    for cut in range(1, length):
        rest, kept = (0, 0) if length - cut <= base else optimum(length - cut, snapshots - 1, base)
        if length - cut <= base or snapshots > 1:
            first, more = optimum(cut, snapshots, base)
            found.append((cut + rest + first, kept + (length - cut > base) + more))
    return min(found)


def searched(length: int, snapshots: int, base: int) -> int:
    """Return the fewest steps run again, by Dijkstra's algorithm over (position, kept states, lower end)."""
    queue = [(0, 0, frozenset({0}), length)]
    done = set()
    while True:
        cost, here, kept, down_to = heapq.heappop(queue)
        if down_to == 0:
            return cost
        if (here, kept, down_to) in done:
            continue
        done.add((here, kept, down_to))
        follow = [(cost, step, kept, down_to) for step in kept]
        follow += [(cost, here, kept - {step}, down_to) for step in kept if step]
        if here < down_to:
            follow.append((cost + 1, here + 1, kept, down_to))
            if down_to - here <= base:
                follow.append((cost, 0, kept, here))  # whatever is restored next costs nothing
        if len(kept) < snapshots:
            follow.append((cost, here, kept | {here}, down_to))
        for entry in follow:
            heapq.heappush(queue, entry)


def again(model: Model, base: int) -> int:
    """Return the steps run again: neither the counting pass nor those taped to be reversed."""
    counted = max(model.length - base, 0)
    assert model.counts.taped == model.length + (base if counted else 0)
    return model.counts.advanced - counted


def repetitions(model: Model) -> int:
    """Return the largest number of times that any one step is run again."""
    changes = [0] * (model.length + 1)
    for first, last in model.advanced[1:]:  # the first pass counts
        changes[first] += 1
        changes[last] -= 1
    times = most = 0
    for change in changes:
        times += change
        most = max(most, times)
    return most


@pytest.mark.parametrize("base", [1, 2, 3])
def test_the_recursion_is_the_optimum(base: int) -> None:
    for length in range(1, 9):
        for snapshots in range(1, 5):
            assert optimum(length, snapshots, base)[0] == searched(length, snapshots, base)


@pytest.mark.parametrize("base", BASES)
def test_the_formula_is_the_optimum(base: int) -> None:
    for length in LENGTHS:
        for snapshots in range(1, 21):
            assert recomputed(length, snapshots, base) == optimum(length, snapshots, base)[0]


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("some", [range(1, 8), range(8, 15), range(15, 21)], ids=str)
@lengths_of_runs
def test_given_snapshots_the_fewest_steps_are_run_again(
    lengths: Sequence[int], some: range, base: int
) -> None:
    for snapshots in some:
        for length in lengths:
            model = Model(length).follow(Binomial(snapshots=snapshots, base=base))
            steps, kept = optimum(length, snapshots, base)
            assert again(model, base) == steps
            assert model.counts.most_kept <= snapshots
            assert model.actions.count(Keep()) == 1 + kept
            assert all(last - first <= base for first, last in model.reversed)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("times", range(1, 7))
@lengths_of_runs
def test_given_repetitions_the_fewest_snapshots_are_used(
    lengths: Sequence[int], times: int, base: int
) -> None:
    for length in lengths:
        model = Model(length).follow(Binomial(repetitions=times, base=base))
        fewest = next(d for d in range(1, 201) if base * comb(d + times, times) >= length)
        assert repetitions(model) <= times
        assert model.counts.most_kept <= fewest
        assert again(model, base) == optimum(length, fewest, base)[0]
        if fewest > 1:
            fewer = Model(length).follow(Binomial(snapshots=fewest - 1, base=base))
            assert repetitions(fewer) > times


@pytest.mark.parametrize("base", BASES)
@lengths_of_runs
def test_given_a_base_case_both_grow_logarithmically(lengths: Sequence[int], base: int) -> None:
    for length in lengths:
        model = Model(length).follow(Binomial(base=base))
        d = next(d for d in range(1, 201) if base * comb(2 * d, d) >= length)
        t = 0 if length <= base else next(t for t in range(201) if base * comb(d + t, t) >= length)
        assert t in {d, d - 1}
        assert repetitions(model) == t
        assert model.counts.most_kept <= d
        assert again(model, base) == optimum(length, d, base)[0]


@pytest.mark.parametrize("length", [10**6, 10**8, 123_456_789])
@pytest.mark.parametrize(
    "schedule", [Binomial(snapshots=20), Binomial(repetitions=3), Binomial(base=10_000)], ids=str
)
def test_long_runs(length: int, schedule: Binomial) -> None:
    model = Model(length).follow(schedule)
    assert again(model, 10_000) == recomputed(length, model.counts.most_kept, 10_000)


def test_thousands_of_kept_states_are_no_recursion() -> None:
    model = Model(10_000).follow(Binomial(repetitions=1, base=1))
    assert (model.counts.most_kept, again(model, 1)) == (9_999, 9_999)


@pytest.mark.parametrize("start", [1, 31, 10**9])
def test_a_rest_is_reversed_like_a_run_from_0(start: int) -> None:
    for schedule in (Binomial(snapshots=3, base=2), Binomial(repetitions=2, base=1), Binomial(base=3)):
        for length in range(60):
            here, there = (Model(length, s).follow(schedule) for s in (0, start))
            assert here.counts == there.counts
            assert [(a + start, b + start) for a, b in here.reversed] == there.reversed


# Exact sequences. Ten steps with three snapshots are the example of Griewank and Walther 2000.

ONE_SNAPSHOT = (
    "keep tape:1 advance:end restore:0 advance:3 tape:4 reverse restore:0 advance:2 tape:3 reverse "
    "restore:0 advance:1 tape:2 reverse restore:0 tape:1 reverse"
)
ONE_REPETITION = (
    "keep tape:1 advance:end restore:0 advance:1 keep advance:2 keep advance:3 tape:4 reverse "
    "restore:2 tape:3 reverse drop:2 restore:1 tape:2 reverse drop:1 restore:0 tape:1 reverse"
)
SIX_BY_TWO_AND_TWO = (
    "keep tape:1 advance:end restore:0 advance:3 keep advance:5 tape:6 reverse restore:3 advance:4 tape:5 "
    "reverse restore:3 tape:4 reverse drop:3 restore:0 advance:1 keep advance:2 tape:3 reverse "
    "restore:1 tape:2 reverse drop:1 restore:0 tape:1 reverse"
)
SEVEN_BY_THREE_AND_TWO = (
    "keep tape:1 advance:end restore:0 advance:2 keep advance:4 keep advance:6 tape:7 reverse "
    "restore:4 advance:5 tape:6 reverse restore:4 tape:5 reverse drop:4 restore:2 advance:3 tape:4 reverse "
    "restore:2 tape:3 reverse drop:2 restore:0 advance:1 tape:2 reverse restore:0 tape:1 reverse"
)
TEN_BY_THREE = (
    "keep tape:1 advance:end restore:0 advance:4 keep advance:7 keep advance:9 tape:10 reverse "
    "restore:7 advance:8 tape:9 reverse restore:7 tape:8 reverse drop:7 "
    "restore:4 advance:5 keep advance:6 tape:7 reverse restore:5 tape:6 reverse drop:5 "
    "restore:4 tape:5 reverse drop:4 restore:0 advance:1 keep advance:2 keep advance:3 tape:4 reverse "
    "restore:2 tape:3 reverse drop:2 restore:1 tape:2 reverse drop:1 restore:0 tape:1 reverse"
)
BASE_OF_TEN = (
    "keep tape:10 advance:end restore:0 advance:10 keep advance:15 tape:25 reverse "
    "restore:10 tape:15 reverse drop:10 restore:0 tape:10 reverse"
)
SEQUENCES = [
    (Binomial(snapshots=1, base=1), 4, ONE_SNAPSHOT),
    (Binomial(snapshots=3, base=1), 10, TEN_BY_THREE),
    (Binomial(snapshots=2, base=10), 25, BASE_OF_TEN),
    (Binomial(snapshots=2), 10_000, "keep tape:10000 reverse"),
    (Binomial(repetitions=1, base=1), 4, ONE_REPETITION),
    (Binomial(repetitions=2, base=1), 6, SIX_BY_TWO_AND_TWO),
    (Binomial(repetitions=3), 10_000, "keep tape:10000 reverse"),
    (Binomial(base=1), 6, SIX_BY_TWO_AND_TWO),
    (Binomial(base=1), 7, SEVEN_BY_THREE_AND_TWO),
    (Binomial(base=10), 25, BASE_OF_TEN),
    (Binomial(base=10), 0, "keep tape:10 reverse"),
]


@pytest.mark.parametrize(("schedule", "length", "expected"), SEQUENCES)
def test_exact_sequence(schedule: Binomial, length: int, expected: str) -> None:
    assert " ".join(map(written, Model(length).follow(schedule).actions)) == expected


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "Binomial: give snapshots, repetitions or base"),
        ({"tape_bytes": 10}, "Binomial: give snapshots, repetitions or base"),
        ({"snapshots": 3, "repetitions": 2}, "Binomial: give snapshots or repetitions, not both"),
        ({"snapshots": 0}, "Binomial(snapshots=0): snapshots must be at least 1 state"),
        ({"repetitions": -1}, "Binomial(repetitions=-1): repetitions must be at least 1 repetition"),
        ({"base": 0}, "Binomial(base=0): base must be at least 1 step"),
        ({"base": 1.5}, "Binomial(base=1.5): base must be at least 1 step"),
        ({"base": True}, "Binomial(base=True): base must be at least 1 step"),
        ({"base": 1, "tape_bytes": 0}, "Binomial(tape_bytes=0): tape_bytes must be at least 1 byte"),
    ],
)
def test_parameters_that_make_no_schedule(parameters: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=r"^Binomial") as caught:
        Binomial(**parameters)
    assert str(caught.value) == message
