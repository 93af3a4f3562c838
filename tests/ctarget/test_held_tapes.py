"""Several tapes of the driver in C agree with those of Python's driver in every bit, and none stays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

import checkpoint
from checkpoint import engines
from checkpoint.ctarget.library import reason
from checkpoint.driver.schedule import (
    Action,
    Actions,
    Advance,
    Drop,
    Hold,
    Keep,
    Plain,
    Release,
    Restore,
    Reverse,
    Schedule,
    Tape,
)
from checkpoint.errors import InternalError
from checkpoint.functions import runs
from tests.ctarget.failing import every_allocation_fails_once, only_hostile
from tests.ctarget.test_driver import PROGRAMS, REBUILT, ByPython, changing, swept, used_by
from tests.ctarget.test_engine import CUT, closure, started
from tests.driver.test_schedules import Fixed
from tests.support.same import difference

pytestmark = pytest.mark.skipif(reason() is not None, reason=str(reason()))


@dataclass(frozen=True)
class OnePass:
    """A schedule that tapes everything in pieces, holds all, and reverses them from the last one back."""

    piece: int
    keeps: bool = False

    def actions(self) -> Actions:
        reached = yield Keep()
        held = []
        while not reached.finished:
            held.append(reached.step)
            if self.keeps and len(held) > 1:
                yield Keep()
            yield Tape(reached.step + self.piece)
            reached = yield Hold()
        if not held:
            yield Tape(None)
            yield Reverse()
        for step in reversed(held):
            yield Reverse(step)
            if self.keeps and step != held[0]:
                yield Drop(step)


@dataclass(frozen=True)
class LastFirst:
    """A schedule that holds the second half, with the first half as last tape: the held one goes first."""

    def actions(self) -> Actions:
        start = (yield Keep()).step
        end = (yield Advance(None)).step
        middle = (start + end) // 2
        yield Restore(start)
        yield Advance(middle)
        yield Tape(None)
        yield Hold()
        yield Restore(start)
        yield Tape(middle)
        yield Reverse(middle)
        if middle > start:
            yield Reverse()


@dataclass(frozen=True)
class Wavering:
    """A schedule that holds and releases tapes, tapes again in the place of others, and drops tapes."""

    def actions(self) -> Actions:
        start = (yield Keep()).step
        yield Tape(start + 2)
        yield Hold()
        yield Tape(start + 5)
        yield Hold()
        yield Restore(start)
        yield Release(start)
        for to in (start + 3, start + 5):  # the first one is replaced
            yield Restore(start)
            yield Tape(to)
            yield Hold()
        yield Release(start + 2)
        yield Tape(start + 7)  # neither held nor reversed
        reached = yield Advance(None)
        yield Restore(start)
        yield Advance(start + 5)
        middle = (yield Keep()).step
        yield Tape(None)
        yield Hold()
        assert reached.finished
        yield Reverse(middle)
        if middle > start:
            yield Drop(middle)
            yield Reverse(start)


@dataclass
class Bounded:
    """A schedule that runs pieces until `more` bytes are held, then tapes and reverses each.

    cuts: where the pieces begin.
    """

    more: int
    cuts: list[int] = field(default_factory=list)

    def actions(self) -> Actions:
        reached = yield Keep()
        self.cuts = [reached.step]
        while True:
            reached = yield Advance(None, reached.held + self.more)
            if reached.finished:
                break
            self.cuts.append(reached.step)
            reached = yield Keep()
        high = None
        for low in reversed(self.cuts):
            yield Restore(low)
            yield Tape(high)
            yield Reverse()
            if low != self.cuts[0]:
                yield Drop(low)
            high = low


HOLDING: list[Callable[[], Schedule]] = [
    *(lambda piece=piece: OnePass(piece) for piece in (1, 7, 1000)),
    *(lambda piece=piece: OnePass(piece, keeps=True) for piece in (1, 7, 1000)),
    LastFirst,
    Wavering,
    *(lambda more=more: Bounded(more) for more in (-(1 << 40), 0, 2000)),
]


# The same numbers


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("make", HOLDING)
def test_held_tapes_are_those_of_the_python_driver(name: str, make: Callable[[], Schedule]) -> None:
    _, start = started(PROGRAMS[name])
    schedule = make()
    mine, other = (swept(engine, start, schedule) for engine in (engines.get("c"), ByPython()))
    if not isinstance(schedule, Bounded):  # the driver in Python runs on
        assert mine[:2] == other[:2]
    assert difference(mine[2:], other[2:]) is None


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_those_of_plain_reverse_mode(name: str) -> None:
    f, g = closure(PROGRAMS[name]), closure(PROGRAMS[name], "hybrid")
    expected = runs.vjp_values(g, 0.7, 1.0, engines.get("hybrid"), Plain())
    for make in HOLDING:
        assert runs.vjp_values(f, 0.7, 1.0, engines.get("c"), make()) == expected
        assert runs.vjp_values(g, 0.7, 1.0, engines.get("hybrid"), make()) == expected


@pytest.mark.parametrize("make", HOLDING)
def test_so_they_are_with_lists_and_arrays(make: Callable[[], Schedule]) -> None:
    assert checkpoint.vjp(changing, 0.7, engine="c", schedule=make()) == checkpoint.vjp(
        changing, 0.7, engine="hybrid", schedule=Plain()
    )


# Wrong orders


@pytest.mark.parametrize(
    ("actions", "told"),
    [
        ((Keep(), Hold()), "without a tape"),
        ((Keep(), Tape(None), Hold(), Hold()), "without a tape"),
        ((Keep(), Tape(None), Hold(), Reverse()), "without a tape"),
        ((Keep(), Tape(None), Reverse(0)), "a tape that is not held"),
        ((Keep(), Tape(None), Hold(), Reverse(3)), "a tape that is not held"),
        ((Keep(), Release(0)), "a tape that is not held"),
        ((Keep(), Tape(None), Hold(), Release(0), Reverse(0)), "a tape that is not held"),
        ((Keep(), Tape(10), Hold(), Tape(None), Hold(), Reverse(0)), "a tape that ends elsewhere"),
        ((Keep(), Tape(None), Hold(), Reverse(0), Restore(0), Tape(9), Reverse()), "ends elsewhere"),
        ((Keep(), Tape(None), Hold()), "never reversed the end of the run"),
        ((Keep(), Tape(None), Hold(), Reverse(0), Keep()), "went on without a current state"),
    ],
)
def test_wrong_orders_are_errors(actions: tuple[Action, ...], told: str) -> None:
    engine, start = started(CUT["loop"])
    used = used_by(engine, start)
    with pytest.raises(InternalError, match=told):
        swept(engine, start, Fixed(*actions))
    assert start.heap.bytes == used
    start.heap.check()


# Nothing stays behind


@pytest.mark.parametrize("make", HOLDING)
def test_nothing_stays_behind(make: Callable[[], Schedule]) -> None:
    for text in (CUT["deep"], REBUILT, PROGRAMS["nested"]):
        engine, start = started(text)
        swept(engine, start, make())
        used = start.heap.bytes
        swept(engine, start, make())
        assert start.heap.bytes == used
        start.heap.check()


@only_hostile
@pytest.mark.parametrize(
    ("name", "schedule"),
    [
        *(("loop", OnePass(3, keeps=True)), ("deep", Wavering()), ("reverse", LastFirst())),
        *(("loop", Bounded(0)), ("capsule", OnePass(4))),
    ],
    ids=str,
)
def test_memory_may_end_anywhere(name: str, schedule: Schedule) -> None:
    """Each allocation fails once: MemoryError, the heap in order, every Python object let go of."""
    every_allocation_fails_once(closure(CUT[name]), lambda engine, start: swept(engine, start, schedule)[2:])
