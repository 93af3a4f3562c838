"""Runs that are cut and handed on, on the symbolic model: how many steps run, and what workers hold.

In: a run whose steps record as many bytes each, whose states have as many, and cost as much; workers, and the
memory of each. Out: a Plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest

from checkpoint.driver.budget import Budget
from checkpoint.driver.effects import Effects
from checkpoint.workers import cuts
from checkpoint.workers.ahead import of_segment
from checkpoint.workers.cuts import REAL_BYTES, Cuts, Where
from tests.driver.model import Model


@dataclass(frozen=True)
class Subject:
    """A run. length: in steps. tape: the bytes that a step records. state: those of a state."""

    length: int
    tape: int
    state: int

    def model(self, first: int, last: int) -> Model:
        """Return the model of a segment."""
        sizes = {"size": self.tape, "state": lambda step: self.state, "cotangent": lambda step: self.state}
        return Model(last - first, first, **sizes)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Plan:
    """What comes of a run.

    steps: run in all, with a tape and without. most: how often those of a segment were run, its mean rounded
    up. held: bytes that a worker holds at once, with its share of the states.
    """

    steps: int
    most: int
    held: int
    segments: int


@dataclass(frozen=True)
class _State:
    steps: int
    finished: bool
    tags: int = 0
    value: None = None


@dataclass(frozen=True)
class _Recording:
    bytes: int
    end: _State

    def detached(self) -> _State:
        return self.end


class _Engine:
    """An engine of a symbolic run. seconds: what a clock shows; a step takes a millisecond."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.seconds = 0.0
        self.advanced = 0

    def advance(self, state: _State, to: int, effects: Effects) -> _State:
        to = max(min(to, self.subject.length), state.steps)
        self.seconds += 0.001 * (to - state.steps)
        self.advanced += to - state.steps
        return _State(to, to == self.subject.length)

    def tape(self, state: _State, to: int, effects: Effects, bytes: int) -> _Recording:
        to = min(to, state.steps + max(bytes // self.subject.tape, 1))
        end = self.advance(state, to, effects)
        return _Recording((end.steps - state.steps) * self.subject.tape, end)

    def capsule(self, state: _State) -> Any:
        return tuple([float(i) for i in range(self.subject.state // REAL_BYTES)])


@contextmanager
def clock(engine: _Engine) -> Iterator[None]:
    """Have cuts read the clock of a symbolic run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts, "perf_counter", lambda: engine.seconds)
        yield


def planned(subject: Subject, memory: int, workers: int) -> Plan:
    """Return what becomes of a run on so many workers, each with so much memory."""
    engine: Any = _Engine(subject)
    made = Cuts(engine, lambda capsule, has_room: (capsule, Where.SHARED), memory, workers)
    with clock(engine):
        made.run(_State(0, False), Effects())
    edges = [0, *(piece.step for piece in made.pieces), subject.length]
    steps, most, held = engine.advanced, 1, 0
    for first, last in pairwise(edges):
        room = (made.rest if first else None) or memory
        schedule = of_segment(Budget(room), last - first, made.fitting) if first else Budget(room)
        model = subject.model(first, last).follow(schedule)
        ran = model.counts.advanced + model.counts.taped
        steps += ran
        most = max(most, 1 + -(-ran // (last - first)))
        held = max(held, model.most_held + memory - room)
    return Plan(steps, most, held, len(edges) - 1)


def alone(subject: Subject, memory: int) -> int:
    """Return how many steps of a run one budget runs, with a tape and without."""
    counts = subject.model(0, subject.length).follow(Budget(memory)).counts
    return counts.advanced + counts.taped
