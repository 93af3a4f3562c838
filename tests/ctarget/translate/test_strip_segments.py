"""Strips run in short segments of schedules, too: a lack of steps or room says nothing of the next one."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import Bisection
from checkpoint.ctarget.translate import policy
from checkpoint.driver.observe import observed
from checkpoint.driver.schedule import Report, Tape
from tests.ctarget.translate.shared_objects import needs_c, needs_compiler
from tests.support.strips import counted, translate_soon, until_in_strips

pytestmark = [needs_c, needs_compiler]

LANES = 4_096  # of 7,800 steps: a strip has up to 500,000
LARGE = 4 << 20  # bytes of a tape: of a smaller one the first chunks may be half empty

# Segments of the steps, and of the bytes of a tape, of about one strip. A budget's depend on time.
SCHEDULES = (Bisection(base=2**18), Bisection(base=2**30, tape_bytes=2**19))


def grows(x: float, n: float) -> float:
    while n > 0.0:
        x = x * 0.5 + 0.75 if x > 1.0 else x * 1.5 + 0.1
        n = n - 1.0
    return x


def total(xs: Any, ns: Any) -> Any:
    return np.sum(checkpoint.vmap(grows)(xs, ns))


@pytest.fixture
def strips(monkeypatch: pytest.MonkeyPatch) -> ctypes.c_long:
    """Count the strips of one thread: those that others run are not counted."""
    translate_soon(monkeypatch)
    monkeypatch.setenv("CHECKPOINT_THREADS", "1")
    return counted(monkeypatch)


def arguments() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return rng.random(LANES) * 2.0, rng.integers(300, 400, LANES).astype(float)


def in_strips(run: Callable[[], Any], strips: ctypes.c_long) -> tuple[Any, int]:
    """Return what a run gives once it is translated, and how many strips it takes then."""
    for _ in until_in_strips(strips):
        run()
    before = strips.value
    return run(), strips.value - before


def same(a: Any, b: Any) -> bool:
    """Return whether values and gradients have the same bits."""
    return a[0] == b[0] and np.array_equal(a[1], b[1])


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_short_segments_run_in_strips(schedule: Bisection, strips: ctypes.c_long) -> None:
    args = arguments()
    gradient = checkpoint.value_and_grad(total, engine="c")
    want, at_once = in_strips(lambda: gradient(*args), strips)
    before = strips.value
    assert same(checkpoint.value_and_grad(total, engine="c", schedule=schedule)(*args), want)
    # All lanes are run, most of them several times, and taped; some of each segment one by one. Strips have
    # more vectors the longer they follow one another.
    assert strips.value - before > 2 * at_once


def test_strips_pass_short_slices(strips: ctypes.c_long, monkeypatch: pytest.MonkeyPatch) -> None:
    args = arguments()
    gradient = checkpoint.value_and_grad(total, engine="c", schedule="plain")
    want, at_once = in_strips(lambda: gradient(*args), strips)
    monkeypatch.setattr(policy.translator, "longest", 2**15)  # steps: fewer than a strip has
    before = strips.value
    assert same(gradient(*args), want)
    assert strips.value - before > at_once // 2


class Tapes:
    """Observer of tapes. held, recorded: bytes of all large ones together."""

    def __init__(self) -> None:
        self.held = self.recorded = self.before = 0

    def began(self, schedule: Any, report: Report) -> None:
        self.before = report.tapes

    def acted(self, action: Any, report: Report) -> None:
        if isinstance(action, Tape) and report.bytes > LARGE:
            self.held += report.tapes - self.before
            self.recorded += report.bytes
        self.before = 0 if isinstance(action, Tape) else report.tapes

    def running(self, step: int) -> None:
        pass

    def ended(self, finished: bool) -> None:
        pass


@pytest.mark.parametrize("threads", ["1", "2"])
def test_tapes_hold_little_more_than_they_record(
    threads: str, strips: ctypes.c_long, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs of strips begin with much room, and those of threads in chunks of their own."""
    args = tuple([np.concatenate([each] * 16) for each in arguments()])
    gradient = checkpoint.value_and_grad(total, engine="c", memory="1GiB")
    in_strips(lambda: gradient(*args), strips)
    monkeypatch.setenv("CHECKPOINT_THREADS", threads)

    def excess() -> float:
        tapes = Tapes()
        with observed((tapes,)):
            gradient(*args)
        return tapes.held / tapes.recorded

    # Threads may end far apart on a busy machine: the best of some runs counts. It was 1.6 with rests unused.
    assert 1.0 < min(excess() for _ in range(5)) < 1.4
