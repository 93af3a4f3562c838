"""Steps that are counted by few masks are those of the lanes' own paths (translate/strips/counting.py)."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, cast

import pytest

from checkpoint.ctarget.translate.ops.places import Place
from checkpoint.ctarget.translate.strips.counting import StepCounts
from checkpoint.ctarget.translate.units.graph import Exit, Fork, Header, Jump, Next, Node

LANES = 40


@dataclass
class Random:
    """Makes trees: those of a header jump to later ones of its group, or out of it."""

    rng: random.Random

    def group(self, others: list[Header]) -> list[Header]:
        headers = [self.header(number) for number in range(self.rng.randint(1, 4))]
        for number, header in enumerate(headers):
            header.root = self.node(headers[number + 1 :] + others, 0)
        return headers

    def header(self, number: int) -> Header:
        return Header(number, cast(Any, None), (), None)

    def node(self, targets: list[Header], depth: int) -> Node:
        kind = self.rng.choice(["fork", "next", "jump"] if depth < 5 else ["jump"])
        node = Node(cast(Any, None), 0, cast(Any, None))
        if kind == "fork":
            other = self.node(targets, depth + 1) if self.rng.random() < 0.8 else self.exit()
            sides = [self.node(targets, depth + 1), other]
            self.rng.shuffle(sides)
            node.end = Fork(Place("t", "boolean"), *sides)
        elif kind == "next":
            node.end = Next(self.node(targets, depth + 1))
        else:
            node.end = Jump(0, self.rng.choice(targets), self.rng.randint(0, 9), ())
        return node

    def exit(self) -> Node:
        """Return a node that leaves the loop, where no lane is when a strip ends well."""
        node = Node(cast(Any, None), 0, cast(Any, None))
        node.end = Exit(0, cast(Any, None), 0, (), ())
        return node


def stays(node: Node) -> bool:
    match node.end:
        case Fork(_, then, other):
            return stays(then) or stays(other)
        case Next(after):
            return stays(after)
    return isinstance(node.end, Jump)


class Turn:
    """The lanes of one turn of a group: the steps of their own paths, and those that factors count."""

    def __init__(self, counts: StepCounts, group: list[Header], rng: random.Random) -> None:
        self.counts = counts
        self.group = group
        self.rng = rng
        self.own = 0
        self.counted = LANES * counts.of_header[group[0].number]
        for _ in range(LANES):
            self.run(group[0].root)

    def run(self, node: Node) -> None:
        match node.end:
            case Fork(_, then, other):
                takes = not stays(other) or (stays(then) and self.rng.random() < 0.5)
                self.counted += self.counts.of_fork.get(id(node), 0) * takes
                self.run(then if takes else other)
            case Next(after):
                self.run(after)
            case Jump(header=header, steps=steps):
                self.own += steps
                if header in self.group[1:]:
                    self.run(header.root)


@pytest.mark.parametrize("seed", range(100))
def test_counts_are_the_steps_of_paths(seed: int) -> None:
    rng = random.Random(seed)
    made = Random(rng)
    group = made.group([made.header(100)])
    turn = Turn(StepCounts([group], stays), group, rng)
    assert turn.counted == turn.own


def test_sides_of_one_length_are_not_counted_apart() -> None:
    out = Random(random.Random(0)).header(1)
    sides = []
    for _ in range(2):
        node = Node(cast(Any, None), 0, cast(Any, None))
        node.end = Jump(0, out, 7, ())
        sides.append(node)
    root = Node(cast(Any, None), 0, cast(Any, None))
    root.end = Fork(Place("t", "boolean"), *sides)
    header = Header(0, cast(Any, None), (), None)
    header.root = root
    counts = StepCounts([[header]], stays)
    assert (counts.of_header, counts.of_fork) == ({0: 7}, {})
