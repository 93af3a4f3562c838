"""Dynamic programming: tables, memos in local dicts, and paths read back."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from tests.python.corpus import Example


def edit_distance(a: str, b: str, costs: dict[str, float]) -> float:
    """The cheapest way from one word to another."""
    table = [[0.0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        table[i][0] = i * costs["delete"]
    for j in range(1, len(b) + 1):
        table[0][j] = j * costs["insert"]
    for i, p in enumerate(a, 1):
        for j, q in enumerate(b, 1):
            table[i][j] = min(
                table[i - 1][j] + costs["delete"],
                table[i][j - 1] + costs["insert"],
                table[i - 1][j - 1] + (0.0 if p == q else costs["change"]),
            )
    return table[-1][-1]


def align(a: str, b: str, gap: float, mismatch: float) -> tuple[float, str, str]:
    """The best global alignment, its rows written out."""
    score: dict[tuple[int, int], float] = {(0, 0): 0.0}
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            options = []
            if i > 0 and j > 0:
                options.append(score[i - 1, j - 1] + (1.0 if a[i - 1] == b[j - 1] else mismatch))
            if i > 0:
                options.append(score[i - 1, j] + gap)
            if j > 0:
                options.append(score[i, j - 1] + gap)
            if options:
                score[i, j] = max(options)
    top, bottom = "", ""
    i, j = len(a), len(b)
    while i or j:
        if i and score[i, j] == score[i - 1, j] + gap:
            i -= 1
            top, bottom = a[i] + top, "-" + bottom
        elif j and score[i, j] == score[i, j - 1] + gap:
            j -= 1
            top, bottom = "-" + top, b[j] + bottom
        else:
            i, j = i - 1, j - 1
            top, bottom = a[i] + top, b[j] + bottom
    return score[len(a), len(b)], top, bottom


def knapsack(values: Sequence[float], weights: Sequence[int], capacity: int) -> float:
    """The best value that fits."""
    best = [0.0] * (capacity + 1)
    for value, weight in zip(values, weights, strict=True):
        for room in range(capacity, weight - 1, -1):
            best[room] = max(best[room], best[room - weight] + value)
    return best[capacity]


def knapsack_memo(values: Sequence[float], weights: Sequence[int], capacity: int) -> tuple[float, list[int]]:
    """The best value and the things taken, by recursion with a memo."""
    memo: dict[tuple[int, int], float] = {}

    def best(i: int, room: int) -> float:
        if i == len(values):
            return 0.0
        key = (i, room)
        if key not in memo:
            skip = best(i + 1, room)
            take = -math.inf
            if weights[i] <= room:
                take = values[i] + best(i + 1, room - weights[i])
            memo[key] = max(skip, take)
        return memo[key]

    total = best(0, capacity)
    taken = []
    room = capacity
    for i in range(len(values)):
        if best(i, room) != best(i + 1, room):
            taken.append(i)
            room -= weights[i]
    return total, taken


def viterbi(
    observed: Sequence[str],
    start: dict[str, float],
    move: dict[str, dict[str, float]],
    emit: dict[str, dict[str, float]],
) -> tuple[float, list[str]]:
    """The most likely hidden path."""
    paths = {state: (start[state] * emit[state][observed[0]], [state]) for state in start}
    for symbol in observed[1:]:
        longer = {}
        for state in start:
            before = max(start, key=lambda old: paths[old][0] * move[old][state])
            chance, path = paths[before]
            longer[state] = (chance * move[before][state] * emit[state][symbol], [*path, state])
        paths = longer
    return max(paths.values(), key=lambda pair: pair[0])


def matrix_chain(sizes: Sequence[float]) -> float:
    """The least number of multiplications for a product of matrices."""
    n = len(sizes) - 1
    cost = [[0.0] * n for _ in range(n)]
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            cost[i][j] = min(
                cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1] for k in range(i, j)
            )
    return cost[0][n - 1]


def optimal_stopping(offers: Sequence[float], discount: float) -> float:
    """The value of waiting for uniform offers, by backward induction."""
    value = 0.0
    for _ in range(8):
        value = discount * sum(max(offer, value) for offer in offers) / len(offers)
    return value


def longest_common(a: str, b: str) -> str:
    """A longest common subsequence."""
    rows = [""] * (len(b) + 1)
    for p in a:
        previous = rows[:]
        for j, q in enumerate(b):
            if p == q:
                rows[j + 1] = previous[j] + p
            else:
                rows[j + 1] = max(previous[j + 1], rows[j], key=len)
    return rows[-1]


def heaviest_increasing(values: Sequence[float]) -> float:
    """The largest sum of an increasing subsequence."""
    best: list[float] = []
    for i, value in enumerate(values):
        candidates = [best[j] for j in range(i) if values[j] < value]
        best.append(value + max(candidates, default=0.0))
    return max(best)


def coin_change(coins: Sequence[int], amount: int) -> int | None:
    """The least number of coins, or None."""
    least: list[int | None] = [0] + [None] * amount
    for value in range(1, amount + 1):
        for coin in coins:
            if coin > value:
                continue
            before = least[value - coin]
            if before is None:
                continue
            now = least[value]
            if now is None or before + 1 < now:
                least[value] = before + 1
    return least[amount]


def time_warp(a: Sequence[float], b: Sequence[float]) -> float:
    """The distance of two curves under dynamic time warping."""
    row = [0.0] + [math.inf] * len(b)
    for x in a:
        new = [math.inf]
        for j, y in enumerate(b):
            new.append((x - y) ** 2 + min(row[j], row[j + 1], new[j]))
        row = new
    return math.sqrt(row[-1])


def cheapest_path(grid: list[list[float]]) -> tuple[float, str]:
    """The cheapest way to the far corner, going right or down."""
    best: dict[tuple[int, int], tuple[float, str]] = {}
    for i, row in enumerate(grid):
        for j, cost in enumerate(row):
            ways = []
            if i:
                total, path = best[i - 1, j]
                ways.append((total + cost, path + "D"))
            if j:
                total, path = best[i, j - 1]
                ways.append((total + cost, path + "R"))
            best[i, j] = min(ways) if ways else (cost, "")
    return best[len(grid) - 1, len(grid[0]) - 1]


def rod_cutting(price: Callable[[int], float], length: int) -> float:
    """The best way to cut a rod, by recursion with a memo."""
    memo = {0: 0.0}

    def best(n: int) -> float:
        if n in memo:
            return memo[n]
        memo[n] = max(price(cut) + best(n - cut) for cut in range(1, n + 1))
        return memo[n]

    return best(length)


def cut_with_setup(setup: float, slope: float) -> float:
    """Cutting with a price that grows with the root of the length."""
    return rod_cutting(lambda n: slope * math.sqrt(n) - setup, 8)


def maximum_subarray(values: Sequence[float]) -> tuple[float, int, int]:
    """The largest sum of a run, and the run."""
    best, start, end = values[0], 0, 1
    running, since = 0.0, 0
    for i, value in enumerate(values):
        if running < 0:
            running, since = 0.0, i
        running += value
        if running > best:
            best, start, end = running, since, i + 1
    return best, start, end


def inventory(demand: Sequence[int], order_cost: float, hold_cost: float) -> float:
    """The cheapest plan of orders."""

    def plan(day: int, stock: int) -> float:
        if day == len(demand):
            return hold_cost * stock
        options = []
        for order in range(4):
            left = stock + order - demand[day]
            if 0 <= left <= 3:
                cost = order_cost * (order > 0) + hold_cost * left
                options.append(cost + plan(day + 1, left))
        return min(options)

    return plan(0, 0)


COSTS = {"insert": 1.0, "delete": 1.25, "change": 1.7}
START = {"rain": 0.6, "sun": 0.4}
MOVE = {"rain": {"rain": 0.7, "sun": 0.3}, "sun": {"rain": 0.4, "sun": 0.6}}
EMIT = {
    "rain": {"walk": 0.1, "shop": 0.4, "clean": 0.5},
    "sun": {"walk": 0.6, "shop": 0.3, "clean": 0.1},
}

EXAMPLES = [
    Example(edit_distance, ("kitten", "sitting", COSTS)),
    Example(edit_distance, ("kitten", "sitting", {"insert": 1.0}), raises=KeyError),
    Example(align, ("gattaca", "gcatgcu", -0.8, -1.1), differentiable=False),
    Example(knapsack, ([6.0, 10.5, 12.0, 7.25], [1, 2, 3, 2], 5)),
    Example(knapsack_memo, ([6.0, 10.5, 12.0, 7.25], [1, 2, 3, 2], 6)),
    Example(viterbi, (["walk", "shop", "clean", "walk"], START, MOVE, EMIT)),
    Example(matrix_chain, ([10.0, 30.0, 5.0, 60.0, 8.0],)),
    Example(optimal_stopping, ([1.0, 2.0, 3.5, 5.0], 0.9)),
    Example(longest_common, ("dynamic", "imagination"), differentiable=False),
    Example(heaviest_increasing, ([1.0, 101.5, 2.0, 3.0, 100.0, 4.0, 5.0],)),
    Example(coin_change, ((4, 9, 11), 30), differentiable=False),
    Example(time_warp, ([1.0, 2.0, 4.0, 3.0], [1.1, 2.2, 2.3, 4.4, 2.9])),
    Example(cheapest_path, ([[1.0, 3.0, 1.5], [1.2, 5.0, 1.1], [4.0, 2.0, 1.0]],)),
    Example(cut_with_setup, (0.3, 1.1)),
    Example(maximum_subarray, ([-2.0, 1.5, -3.0, 4.0, -1.0, 2.0, 1.0, -5.0, 4.0],)),
    Example(inventory, ([1, 2, 1, 3], 4.0, 0.7)),
]
