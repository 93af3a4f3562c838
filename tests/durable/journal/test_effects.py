"""What a run with a journal prints and reads, across the ends of its processes; and what it reports."""

from __future__ import annotations

import io
import math
import sys
import time
from contextlib import redirect_stdout, suppress
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

import checkpoint
from checkpoint.driver.effects import EffectLog
from checkpoint.durable.journal import happened, show
from checkpoint.durable.journal.run import DurableRun
from checkpoint.errors import DurableError
from checkpoint.prims.python.outside import ObservedFailure
from tests.durable.journal.disks import Fuse, Killed, Pieces, often, on
from tests.durable.journal.test_law import ENGINES

INPUT = "".join(f"{0.5 + i}\n" for i in range(8))


TALKS = checkpoint.read("""
(define (turn x n)
  (if (= n 0) x (turn (* x (write-real (read-real))) (- n 1))))
(lambda (x) (turn x 8))
""")


def run(journal: Path | None, engine: str, given: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, str]:
    """Return the value and gradient of TALKS, and what it prints."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(given))
    out = io.StringIO()
    with redirect_stdout(out):
        found = checkpoint.vjp(TALKS, 1.5, engine=engine, journal=journal, schedule=Pieces(steps=5))
    return found, out.getvalue()


@pytest.mark.parametrize("engine", ENGINES)
def test_printed_and_read(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All is printed, in order, and what was durable is not repeated; the input is read from its start."""
    expected, all_printed = run(None, engine, INPUT, monkeypatch)
    random, printed = Random(3), []
    for _ in range(100):
        out = io.StringIO()
        monkeypatch.setattr(sys, "stdin", io.StringIO(INPUT))
        with often(5), on(None, Fuse(random.randint(15, 60))), redirect_stdout(out):
            try:
                take = partial(checkpoint.vjp, TALKS, 1.5, engine=engine, journal=tmp_path)
                assert take(schedule=Pieces(steps=5)) == expected
                break
            except Killed:
                continue
            finally:
                printed.append(out.getvalue().splitlines())
    else:
        raise AssertionError("it never ended")
    assert len(printed) > 2
    turns = all_printed.splitlines()
    assert list(dict.fromkeys(chain(*printed))) == turns
    for one, other in pairwise(filter(None, printed)):
        assert turns.index(other[0]) > turns.index(one[0])
    assert run(tmp_path, engine, "", monkeypatch) == (expected, "")


def test_other_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with often(5), on(None, Fuse(60)), pytest.raises(Killed):
        run(tmp_path, ENGINES[-1], INPUT, monkeypatch)
    with pytest.raises(DurableError) as caught:
        run(tmp_path, ENGINES[-1], INPUT.replace("0.5", "0.75"), monkeypatch)
    assert str(caught.value) == (
        f"{tmp_path}: the run had read '0.5' from standard input, where now '0.75' is: give it the same "
        "input, from its start"
    )
    expected, _ = run(None, ENGINES[-1], INPUT, monkeypatch)
    assert run(tmp_path, ENGINES[-1], INPUT, monkeypatch)[0] == expected


def test_time_is_that_of_the_first_process(tmp_path: Path) -> None:
    """What else a program asks for outside is answered as it was, though it is another one now."""

    def f(x: float) -> float:
        began = time.time()
        for _ in range(10):
            x = x * 1.5
        return x * began

    with often(5), on(None, Fuse(60)), pytest.raises(Killed):
        checkpoint.value_and_grad(f, journal=tmp_path, schedule=Pieces(steps=5))(1.0)
    before = time.time()
    value, gradient = checkpoint.value_and_grad(f, journal=tmp_path)(1.0)
    assert math.isclose(value, gradient)
    assert 0.0 < value / 1.5**10 < before
    assert checkpoint.value_and_grad(f, journal=tmp_path)(1.0) == (value, gradient)


def test_what_was_read_behind_the_last_state_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that goes on from a cotangent runs steps again whose state was never due to be durable."""

    def f(x: float) -> float:
        began = time.time()
        for _ in range(10):
            x = x * began
        return x

    monkeypatch.setattr(DurableRun, "keep", lambda self, capsule: None)
    for operations in range(10, 60, 5):
        folder = tmp_path / str(operations)
        with often(5), on(None, Fuse(operations)), suppress(Killed):
            checkpoint.value_and_grad(f, journal=folder, schedule=Pieces(steps=5))(1.0)
        if show.report(folder)[1].startswith("phase: backward"):
            break
    else:
        raise AssertionError("it was never killed on its way back")
    value, gradient = checkpoint.value_and_grad(f, journal=folder)(1.0)
    assert math.isclose(value, gradient, rel_tol=1e-14)


def test_values_of_effects(tmp_path: Path) -> None:
    """A log of effects that was written and restored knows the same."""
    log, written = EffectLog(), happened.Happened()
    values = [None, True, False, 1 << 80, -0.0, "ä\ud800", b"b", (1, [2.0]), {"k": (None,)}, KeyError("a", 1)]
    assert written.news(log) is None
    records = []
    for step, value in enumerate([*values, ObservedFailure(ValueError("no"))]):
        log.furthest = (step,)
        log.replies[(step, 1)] = value
        log.outcomes.append(value)
        records.append(written.news(log) or b"")
    again = EffectLog()
    happened.restore(again, records, "here")
    assert repr(list(again.replies.values())[:-1]) == repr(values)
    assert repr(list(again.replies.values())[-1].error) == "ValueError('no')"
    assert (again.furthest, len(again.outcomes)) == (log.furthest, len(log.outcomes))
    assert list(again.replies) == list(log.replies)
    log.replies[99,] = object()
    log.outcomes.append(None)
    with pytest.raises(DurableError, match="the run has read an object, which has no place in a file"):
        written.news(log)


def test_progress(tmp_path: Path) -> None:
    seen: list[checkpoint.Progress] = []

    def f(x: float) -> float:
        for _ in range(600):
            x = x * 1.0001
        return x

    with often(50), pytest.MonkeyPatch.context() as patch:
        patch.setattr("checkpoint.watch.progress.PAUSE", 0.0)
        checkpoint.grad(f, journal=tmp_path, schedule=Pieces(steps=1000), progress=seen.append)(1.0)
    phases = [progress.phase for progress in seen]
    assert phases == sorted(phases, reverse=True)
    assert {"forward", "backward"} == set(phases)
    assert all(progress.unsaved is not None and progress.unsaved >= 0.0 for progress in seen)
    forward = [progress.step for progress in seen if progress.phase == "forward"]
    backward = [progress.step for progress in seen if progress.phase == "backward"]
    assert forward == sorted(forward)
    assert backward == sorted(backward, reverse=True)
    assert (seen[-1].step, seen[-1].done, seen[-1].left, seen[-1].unsaved) == (0, 1.0, 0.0, 0.0)
    checkpoint.grad(f, progress=seen.append)(1.0)
    assert seen[-1].unsaved is None
