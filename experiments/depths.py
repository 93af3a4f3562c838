"""The command of an experiment over depth: times of methods in turn, then time and memory at each depth.

In: an Experiment and its options on the command line. Out: two tables; with --full a third, the deepest
networks in ROOM bytes, extrapolated, and experiments/results/NAME-c.json, in which rows replace those of the
same method, depth and options: so a long experiment may be run in parts.
"""

from __future__ import annotations

import importlib.util
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from experiments import common, deep
from experiments.deep import Row

METHODS = (*deep.METHODS, *deep.JAX_METHODS)
ROOM = 20 << 30
KEY = ("method", "depth", "memory", "cap", "each")  # what identifies a row


@dataclass(frozen=True)
class Size:
    """Says how much is measured.

    in_turn: depths at which all methods take turns. alone: methods by depth, which have a process each.
    memory: MiB that memory= allows.
    """

    in_turn: Sequence[int]
    alone: Mapping[int, Sequence[str]]
    memory: int


@dataclass(frozen=True)
class Experiment:
    """An experiment. net, timed: the modules of the networks alone, and in turn (experiments.deep).

    methods: those that take turns. room: what memory= allows in turn, of the depth and the memory alone.
    """

    name: str
    net: str
    timed: str
    methods: Sequence[str]
    room: Callable[[int, int], int]
    small: Size
    full: Size


def main(experiment: Experiment) -> None:
    """Run an experiment as the command line says."""
    chosen = _options(experiment)
    size = experiment.full if chosen.full else experiment.small
    memory = (chosen.memory or size.memory) * deep.MIB
    times, rows = [], []
    if chosen.depth is None and not chosen.only and not chosen.each:
        for depth in size.in_turn:
            room = experiment.room(depth, memory)
            times += deep.times(experiment.timed, depth, experiment.methods, room, chosen.repeats)
        print(common.table(deep.TIMES, deep.time_lines(times)), flush=True)
    cap = chosen.cap and chosen.cap * deep.MIB
    for depth, name in _cases(size, chosen):
        rows.append(deep.measured(experiment.net, name, depth, memory, cap, chosen.each))
        print("  ".join(deep.memory_line(rows[-1])), flush=True)
        if chosen.full:
            _keep(experiment.name, times, rows)
    print("\n" + common.table(deep.MEMORY, [deep.memory_line(row) for row in rows]))
    if chosen.full:
        found = [
            [name, f"{depth:,}", f"{each:,.0f}"] for name, depth, each in deepest(_kept(experiment.name))
        ]
        print("\n" + common.table(("method", f"blocks in {ROOM >> 30} GiB", "bytes per block"), found))


def _options(experiment: Experiment) -> Namespace:
    options = common.parser(f"gradients over depth: {experiment.name}")
    options.add_argument("--full", action="store_true", help="all depths; the results are kept")
    options.add_argument("--memory", type=common.natural, help="MiB that memory= allows")
    options.add_argument("--cap", type=common.natural, help="MiB that a process may take beyond its imports")
    options.add_argument("--depth", type=common.natural, action="append", help="only these; no times in turn")
    options.add_argument("--deepest", type=common.natural, help="leave out what is deeper than this")
    options.add_argument("--only", action="append", default=[], help="methods whose names contain this")
    options.add_argument("--each", action="store_true", help="weights are changed within the gradient")
    chosen = options.parse_args()
    for word in chosen.only:
        if not any(word in name for name in METHODS):
            options.error(f"no method's name contains {word!r}; there are: {'; '.join(METHODS)}")
    return chosen


def _cases(size: Size, chosen: Namespace) -> Iterator[tuple[int, str]]:
    """Yield the depths and methods that are measured in processes of their own."""
    depths = {depth: size.alone.get(depth, deep.METHODS) for depth in chosen.depth or size.alone}
    has_jax = importlib.util.find_spec("jax") is not None
    for depth, names in depths.items():
        for name in names if depth <= (chosen.deepest or depth) else ():
            wanted = not chosen.only or any(word in name for word in chosen.only)
            if wanted and (has_jax or name not in deep.JAX_METHODS):
                yield depth, name


def _keep(name: str, times: list[Row], rows: list[Row]) -> None:
    """Write rows, and times if there are any, into the results of an experiment."""
    found = {tuple(row[field] for field in KEY): row for row in (*_kept(name), *rows)}
    kept = sorted(found.values(), key=lambda row: row["depth"])
    common.save(name, "c", times=times or common.saved(name, "c").get("times", []), rows=kept)


def _kept(name: str) -> list[Row]:
    return list(common.saved(name, "c").get("rows", ()))


def deepest(rows: list[Row]) -> list[tuple[str, int, float]]:
    """Return methods with the depth that fits ROOM bytes, and the bytes of each block more: a straight line.

    The line goes through the two greatest depths of a method; bytes are weights, gradient and all the rest.
    """
    found = []
    for name in dict.fromkeys(row["method"] for row in rows):
        own = {
            row["depth"]: row["growth"] + 2 * row["weights"]
            for row in rows
            if row["method"] == name and not row["each"] and "error" not in row
        }
        if len(own) > 1:
            (less, below), (most, above) = sorted(own.items())[-2:]
            each = (above - below) / (most - less)
            found.append((name, most + int((ROOM - above) / each), each))
    return found
