"""Graphs and grids: shortest paths, orders, flows, ranks, and worlds of cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from tests.python.corpus import Example

Graph = dict[str, dict[str, float]]
Grid = list[list[int]]

NEIGHBORS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


class Edge(NamedTuple):
    """A connection and its length."""

    start: int
    end: int
    length: float


class CycleError(Exception):
    """There is no order."""


def dijkstra(graph: Graph, source: str) -> dict[str, float]:
    """The distances of all nodes."""
    distance = {node: math.inf for node in graph if node != source}
    distance[source] = 0.0
    done: list[str] = []
    while len(done) < len(graph):
        node = min([n for n in graph if n not in done], key=lambda n: distance[n])
        done.append(node)
        for neighbor, length in graph[node].items():
            if (through := distance[node] + length) < distance[neighbor]:
                distance[neighbor] = through
    return distance


def shortest_path(graph: Graph, source: str, target: str) -> tuple[list[str], float]:
    """The path of a plain search in all directions."""
    best: tuple[list[str], float] = ([], math.inf)

    def explore(path: list[str], length: float) -> None:
        nonlocal best
        if length >= best[1]:
            return
        if path[-1] == target:
            best = (path, length)
            return
        for neighbor, step in graph[path[-1]].items():
            if neighbor not in path:
                explore([*path, neighbor], length + step)

    explore([source], 0.0)
    return best


def floyd_warshall(n: int, edges: Sequence[Edge]) -> list[list[float]]:
    """All distances; unreachable pairs count 99."""
    d = [[0.0 if i == j else 99.0 for j in range(n)] for i in range(n)]
    for start, end, length in edges:
        d[start][end] = min(d[start][end], length)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                d[i][j] = min(d[i][j], d[i][k] + d[k][j])
    return d


def bellman_ford(n: int, edges: Sequence[Edge]) -> list[float]:
    """Distances from the first node, where lengths may be negative."""
    distance = [0.0] + [99.0] * (n - 1)
    for _ in range(n - 1):
        changed = False
        for edge in edges:
            if distance[edge.start] + edge.length < distance[edge.end]:
                distance[edge.end] = distance[edge.start] + edge.length
                changed = True
        if not changed:
            break
    else:
        raise CycleError("a negative cycle")
    return distance


def topological_order(needs: dict[str, list[str]]) -> list[str]:
    """An order in which everything comes after what it needs."""
    order: list[str] = []
    state: dict[str, int] = {}

    def visit(task: str) -> None:
        match state.get(task, 0):
            case 1:
                raise CycleError(task)
            case 2:
                return
        state[task] = 1
        for need in needs.get(task, []):
            visit(need)
        state[task] = 2
        order.append(task)

    for task in sorted(needs):
        visit(task)
    return order


def critical_path(needs: dict[str, list[str]], hours: dict[str, float]) -> dict[str, float]:
    """When each task ends at the earliest."""
    finish: dict[str, float] = {}
    for task in topological_order(needs):
        ready = max([finish[need] for need in needs.get(task, [])], default=0.0)
        finish[task] = ready + hours[task]
    return finish


def page_rank(links: dict[str, list[str]], damping: float, rounds: int = 10) -> dict[str, float]:
    """The ranks of pages."""
    n = len(links)
    total = sum(map(len, links.values()))
    rank = {page: len(targets) / total for page, targets in links.items()}
    for _ in range(rounds):
        rank = {
            page: (1 - damping) / n
            + damping
            * sum(rank[source] / len(targets) for source, targets in links.items() if page in targets)
            for page in links
        }
    return rank


def spanning_tree(n: int, edges: Sequence[Edge]) -> tuple[float, list[tuple[int, int]]]:
    """Kruskal's algorithm, with a list of components."""
    component = list(range(n))
    total = 0.0
    chosen = []
    for start, end, length in sorted(edges, key=lambda edge: edge.length):
        old, new = component[start], component[end]
        if old == new:
            continue
        component = [new if c == old else c for c in component]
        total += length
        chosen.append((start, end))
    return total, chosen


def breadth_first(links: dict[str, list[str]], source: str) -> dict[str, int]:
    """The number of steps to each page."""
    steps = {source: 0}
    queue = [source]
    while queue:
        page = queue.pop(0)
        for target in links[page]:
            if target not in steps:
                steps[target] = steps[page] + 1
                queue.append(target)
    return steps


def influence(links: dict[str, list[str]], source: str, decay: float) -> float:
    """The influence of a page, weaker with each step."""
    return sum(decay**steps for steps in breadth_first(links, source).values())


def max_flow(n: int, pipes: Sequence[Edge]) -> float:
    """The flow from the first node to the last, by augmenting paths."""
    room = [[0.0] * n for _ in range(n)]
    for start, end, size in pipes:
        room[start][end] += size
    flow = 0.0
    while True:
        parent = [-1] * n
        parent[0] = 0
        queue = [0]
        while queue:
            node = queue.pop(0)
            for other in range(n):
                if parent[other] < 0 and room[node][other] > 1e-9:
                    parent[other] = node
                    queue.append(other)
        if parent[-1] < 0:
            return flow
        path = [n - 1]
        while path[-1] != 0:
            path.append(parent[path[-1]])
        push = min(room[path[i + 1]][path[i]] for i in range(len(path) - 1))
        for i in range(len(path) - 1):
            room[path[i + 1]][path[i]] -= push
            room[path[i]][path[i + 1]] += push
        flow += push


def tour_length(places: Sequence[tuple[float, float]]) -> float:
    """The tour that always goes to the nearest place."""
    left = list(places)
    here = left.pop(0)
    length = 0.0
    while left:
        nearest = min(range(len(left)), key=lambda i: math.dist(here, left[i]))
        there = left.pop(nearest)
        length += math.dist(here, there)
        here = there
    return length + math.dist(here, places[0])


def life(grid: Grid, generations: int) -> Grid:
    """Conway's game on a torus."""
    height, width = len(grid), len(grid[0])

    def alive(i: int, j: int) -> int:
        around = sum(grid[(i + di) % height][(j + dj) % width] for di, dj in NEIGHBORS)
        return int(around == 3 or (around == 2 and grid[i][j] == 1))

    for _ in range(generations):
        grid = [[alive(i, j) for j in range(width)] for i in range(height)]
    return grid


def picture(grid: Grid) -> str:
    """The cells as text."""
    return "\n".join(["".join(["#" if cell else "." for cell in row]) for row in grid])


def glider(generations: int) -> str:
    """A glider after some generations."""
    return picture(life([[0, 1, 0, 0], [0, 0, 1, 0], [1, 1, 1, 0], [0, 0, 0, 0]], generations))


def rule_automaton(rule: int, cells: str, rounds: int) -> list[str]:
    """An elementary automaton, its rule as a number."""
    rows = [cells]
    for _ in range(rounds):
        row = rows[-1]
        n = len(row)
        codes = [int(row[i - 1] + row[i] + row[(i + 1) % n], 2) for i in range(n)]
        rows.append("".join([str(rule >> code & 1) for code in codes]))
    return rows


def sandpile_heat(heat: list[list[float]], rate: float, rounds: int = 4) -> float:
    """Heat that spreads over the cells, and its largest value."""
    height, width = len(heat), len(heat[0])
    for _ in range(rounds):
        spread = [[(1 - rate) * cell for cell in row] for row in heat]
        for i in range(height):
            for j in range(width):
                for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                    p, q = i + di, j + dj
                    if 0 <= p < height and 0 <= q < width:
                        spread[p][q] += rate / 4 * heat[i][j]
        heat = spread
    return max(map(max, heat))


def flood_fill(rows: Sequence[str], i: int, j: int) -> int:
    """The size of a region of equal letters."""
    letter = rows[i][j]
    seen: list[tuple[int, int]] = []

    def fill(p: int, q: int) -> None:
        inside = 0 <= p < len(rows) and 0 <= q < len(rows[0])
        if not inside or (p, q) in seen or rows[p][q] != letter:
            return
        seen.append((p, q))
        for dp, dq in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            fill(p + dp, q + dq)

    fill(i, j)
    return len(seen)


def markov_chain(transitions: dict[tuple[str, str], float], start: str, steps: int) -> dict[str, float]:
    """The probabilities of states after some steps."""
    chances = {start: 1.0}
    for _ in range(steps):
        new: dict[str, float] = {}
        for (source, target), p in transitions.items():
            if source in chances:
                new[target] = new.get(target, 0.0) + p * chances[source]
        chances = new
    return chances


ROADS: Graph = {
    "a": {"b": 4.0, "c": 1.5},
    "b": {"d": 1.0},
    "c": {"b": 2.0, "d": 5.25, "e": 7.0},
    "d": {"e": 0.75, "a": 3.0},
    "e": {},
}
EDGES = (
    Edge(0, 1, 2.5),
    Edge(1, 2, 1.25),
    Edge(0, 2, 4.5),
    Edge(2, 3, 0.5),
    Edge(3, 0, 1.0),
    Edge(1, 3, 3.0),
)
NEEDS = {"roof": ["walls"], "walls": ["base"], "paint": ["walls", "roof"], "base": [], "door": ["walls"]}
HOURS = {"roof": 5.0, "walls": 8.5, "paint": 3.0, "base": 10.0, "door": 1.5}
LINKS = {"home": ["about", "shop"], "about": ["home"], "shop": ["home", "about", "cart"], "cart": ["shop"]}
WEATHER = {("sun", "sun"): 0.8, ("sun", "rain"): 0.2, ("rain", "sun"): 0.45, ("rain", "rain"): 0.55}
PIPES = [Edge(0, 1, 3.0), Edge(0, 2, 2.5), Edge(1, 2, 1.2), Edge(1, 3, 2.0), Edge(2, 3, 4.0)]

EXAMPLES = [
    Example(dijkstra, (ROADS, "a")),
    Example(dijkstra, ({"a": {"b": 1.0}}, "a"), raises=KeyError),
    Example(shortest_path, (ROADS, "a", "e")),
    Example(floyd_warshall, (4, EDGES)),
    Example(bellman_ford, (4, (*EDGES, Edge(0, 3, -0.5)))),
    Example(bellman_ford, (2, (Edge(0, 1, -1.0), Edge(1, 0, 0.5))), raises=CycleError),
    Example(topological_order, (NEEDS,), differentiable=False),
    Example(topological_order, ({"a": ["b"], "b": ["a"]},), raises=CycleError),
    Example(critical_path, (NEEDS, HOURS)),
    Example(page_rank, (LINKS, 0.85)),
    Example(spanning_tree, (4, EDGES)),
    Example(influence, (LINKS, "cart", 0.6)),
    Example(max_flow, (4, PIPES)),
    Example(tour_length, ([(0.0, 0.0), (3.0, 1.0), (1.0, 1.5), (2.0, 4.0), (0.5, 3.0)],)),
    Example(glider, (3,), differentiable=False),
    Example(rule_automaton, (110, "0000000001", 6), differentiable=False),
    Example(sandpile_heat, ([[0.0, 1.0, 0.0], [2.0, 9.0, 1.0], [0.0, 0.5, 3.0]], 0.3)),
    Example(flood_fill, (("aab", "aba", "bbb"), 2, 1), differentiable=False),
    Example(markov_chain, (WEATHER, "sun", 5)),
]
