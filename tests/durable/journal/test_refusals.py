"""What a journal refuses, by its texts, and what a gradient does where its journal cannot be written."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
from dataclasses import astuple, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import checkpoint
from checkpoint.durable import machine
from checkpoint.durable.journal import show
from checkpoint.durable.journal.contents import thinned
from checkpoint.durable.journal.folder import Buffer, Folder
from checkpoint.durable.journal.lock import NAME, this_process
from checkpoint.errors import DurableError, JournalWarning, RunError
from tests.durable.journal.disks import Fuse, Killed, often, on
from tests.support.corpus import usable_engines

RATE = 0.5
FASTEST = usable_engines()[-1].name


def interrupted(folder: Path, f: Any, *args: Any, **options: Any) -> None:
    """Begin the gradient of a call, and end it with its process."""
    with often(5), on(None, Fuse(30)), pytest.raises(Killed):
        checkpoint.grad(f, journal=folder, schedule="bisection", **options)(*args)


def said(folder: Path, call: Callable[[], Any]) -> str:
    with pytest.raises(DurableError) as caught:
        call()
    return str(caught.value).replace(str(folder), "DIR")


def loss(w: float, n: float) -> float:
    for _ in range(9):
        w = w * RATE + 1.0
    return w * n


def other_loss(w: float, n: float) -> float:
    for _ in range(9):
        w = w * RATE + 2.0
    return w * n


def test_another_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted(tmp_path, loss, 2.0, 3.0)
    told = (
        "DIR is the journal of another call: {} differs. A directory holds one call: go on with that one, or "
    )
    told += "give this one another directory"

    def differing(f: Any, *args: Any, **options: Any) -> str:
        return said(tmp_path, lambda: checkpoint.grad(f, journal=tmp_path, **options)(*args))

    assert differing(other_loss, 2.0, 3.0) == told.format("the function")
    assert differing(loss, 2.5, 3.0) == told.format("argument 0")
    assert differing(loss, 2.0, -3.0) == told.format("argument 1")
    assert differing(loss, 2.0, 3.0, argnums=1) == told.format("argnums")
    assert differing(loss, 2.0, 3.0, has_state=True) == told.format("the function")
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "RATE", 0.25)
        assert differing(loss, 2.0, 3.0) == told.format("what the function reads from its surroundings")
    with monkeypatch.context() as patch:
        facts = {**machine.facts(), "C library": "glibc 9"}
        here = machine.facts()["C library"]
        patch.setattr(machine, "facts", lambda: facts)
        assert differing(loss, 2.0, 3.0) == (
            f"DIR was begun where a run may have other bits: C library ({here} there, glibc 9 here). Go on "
            "there, or begin in another directory"
        )
    expected = checkpoint.grad(loss)(2.0, 3.0)
    assert checkpoint.grad(loss, journal=tmp_path, memory="1MiB", engine=FASTEST)(2.0, 3.0) == expected
    assert differing(loss, 2.5, 3.0) == told.format("argument 0")


def test_another_cotangent(tmp_path: Path) -> None:
    def pair(x: float) -> tuple[float, float]:
        return x * x, x + 1.0

    assert checkpoint.vjp(pair, 3.0, (1.0, 2.0), journal=tmp_path) == ((9.0, 4.0), 8.0)
    assert checkpoint.vjp(pair, 3.0, (1.0, 2.0), journal=tmp_path) == ((9.0, 4.0), 8.0)
    text = said(tmp_path, lambda: checkpoint.vjp(pair, 3.0, (1.0, 2.5), journal=tmp_path))
    assert text.startswith("DIR is the journal of another call: ybar differs.")


def test_options(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="journal is the path of a directory, not a bool"):
        checkpoint.grad(loss, journal=True)  # type: ignore[arg-type]
    with pytest.raises(RunError, match="each= and journal= cannot be combined: after a kill leaves would"):
        checkpoint.grad(loss, journal=tmp_path, each=print)
    with pytest.raises(
        DurableError, match="journal= needs engine 'c' or 'hybrid': states of engine interp have"
    ):
        checkpoint.grad(loss, journal=tmp_path, engine="interp")(2.0, 3.0)
    (tmp_path / "notes.txt").write_text("mine")
    text = said(tmp_path, lambda: checkpoint.grad(loss, journal=tmp_path)(2.0, 3.0))
    assert text == "DIR is no journal, and holds notes.txt: give the journal another directory"


def test_foreign_lock(tmp_path: Path) -> None:
    interrupted(tmp_path, loss, 2.0, 3.0)
    (tmp_path / NAME).write_text("elsewhere\nboot\n17\n4711")
    text = said(tmp_path, lambda: checkpoint.grad(loss, journal=tmp_path)(2.0, 3.0))
    assert text == (
        "DIR is locked by process 17 on elsewhere, of which this host cannot know whether it still runs. If "
        "it does not, run: checkpoint journal --unlock DIR"
    )
    assert show.report(tmp_path)[-1] == "locked by: process 17 on elsewhere"
    (tmp_path / NAME).write_text("\n".join(astuple(replace(this_process(), boot="an earlier one"))))
    assert show.report(tmp_path)[-1] == f"locked by: nobody; {this_process()} has ended"
    (tmp_path / NAME).write_text("elsewhere\nboot\n17\n4711")
    assert show.unlocked(tmp_path) == ["the lock of process 17 on elsewhere is gone"]
    assert show.unlocked(tmp_path) == ["it was not locked"]
    assert checkpoint.grad(loss, journal=tmp_path)(2.0, 3.0) == checkpoint.grad(loss)(2.0, 3.0)


def test_shown(tmp_path: Path) -> None:
    assert said(tmp_path, lambda: show.report(tmp_path)) == "DIR is no journal: no call has begun one there"
    assert said(tmp_path, lambda: show.report(tmp_path / "no")) == "there is no journal DIR/no"
    interrupted(tmp_path, loss, 2.0, 3.0)
    lines = show.report(tmp_path)
    assert lines[:2] == [f"function: {__name__}:loss", "phase: forward, a kill goes on from step 30"]
    assert lines[2] == "states: 6, after 5 to 30 steps"
    checkpoint.grad(loss, journal=tmp_path)(2.0, 3.0)
    assert show.report(tmp_path)[1] == "phase: finished, a run of 185 steps"


class Full(Folder):
    """A folder that takes no more after so many appends."""

    left = 0
    error = errno.ENOSPC

    def append(self, name: str, parts: Sequence[Buffer]) -> None:
        self.left -= 1
        if self.left < 0:
            raise OSError(self.error, os.strerror(self.error))
        super().append(name, parts)


@pytest.mark.parametrize("appends", range(9))
def test_full_disk(appends: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = checkpoint.value_and_grad(loss)(2.0, 3.0)
    monkeypatch.setattr(Full, "left", appends)
    with monkeypatch.context() as patch, often(10):
        patch.setattr("checkpoint.durable.journal.Folder", Full)
        with pytest.warns(JournalWarning) as caught:
            found = checkpoint.value_and_grad(loss, journal=tmp_path, schedule="bisection")(2.0, 3.0)
        assert found == expected
        (only,) = caught
        assert str(only.message) == (
            f"the journal {tmp_path}: No space left on device; nothing more is written, and a kill loses "
            "what follows"
        )
    assert checkpoint.value_and_grad(loss, journal=tmp_path)(2.0, 3.0) == expected


def test_states_that_have_no_place(tmp_path: Path) -> None:
    """States that cannot be written are left out; the result is what it is."""

    def f(x: float, things: list[Any]) -> float:
        for _ in range(6):
            x = x * 1.5
        return x if things[0] is not None else 0.0

    args = (1.0, [datetime(2026, 1, 1, tzinfo=UTC)])
    with often(4), pytest.warns(JournalWarning) as caught:
        found = checkpoint.grad(f, journal=tmp_path, schedule="bisection")(*args)
    assert found == checkpoint.grad(f)(*args)
    (only,) = caught
    assert str(only.message).startswith(
        f"the journal {tmp_path}: a capsule cannot be saved that holds a time with a"
    )
    assert show.report(tmp_path)[1].startswith("phase: finished")


def test_a_state_that_is_gone(tmp_path: Path) -> None:
    """What a damaged state would have spared runs again."""

    def f(x: float) -> float:
        xs = [x] * 5000
        for i in range(6):
            xs[i] = xs[i + 1] * 1.5
        return sum(xs)

    with often(4000), on(None, Fuse(60)), pytest.raises(Killed):
        checkpoint.grad(f, journal=tmp_path, schedule="bisection")(1.0)
    files = sorted(path for path in tmp_path.iterdir() if path.name.startswith("data-"))
    assert files
    for path in files[1:]:
        path.unlink()
    files[0].write_bytes(b"other")
    with pytest.warns(JournalWarning, match="a state cannot be read any more"):
        assert checkpoint.grad(f, journal=tmp_path)(1.0) == checkpoint.grad(f)(1.0)


def test_a_result_that_is_gone(tmp_path: Path) -> None:
    def f(xs: list[float]) -> float:
        return sum(xs) * xs[0]

    xs = [1.0] * 5000
    checkpoint.grad(f, journal=tmp_path)(xs)
    for path in tmp_path.iterdir():
        if path.name.startswith("data-"):
            path.unlink()
    text = said(tmp_path, lambda: checkpoint.grad(f, journal=tmp_path)(xs))
    assert text.startswith("DIR: how far the run has come cannot be read ([Errno 2]")
    assert text.endswith("put the file back, or begin in another directory")


@pytest.mark.parametrize("count", [64, 100, 1000, 2999])
def test_durable_states_stay_even(count: int) -> None:
    """However many come, no gap is much longer than if they were spread evenly."""
    steps: list[int] = []
    for step in range(count):
        steps.append(10 * step)
        dropped = thinned(steps, 64)
        steps = [each for each in steps if each not in dropped]
    assert len(steps) == 64
    assert (steps[0], steps[-1]) == (0, 10 * (count - 1))
    assert max(after - before for before, after in pairwise(steps)) <= 2 * 10 * -(-count // 63)


def test_what_is_taken_by_a_plan_has_a_journal_where_it_is_asked_for(tmp_path: Path) -> None:
    def square(x: float) -> float:
        return x * x

    for _ in range(3):
        assert checkpoint.vjp(square, 3.0) == (9.0, 6.0)
        assert checkpoint.value_and_grad(square)(3.0) == (9.0, 6.0)
    assert checkpoint.vjp(square, 3.0, journal=tmp_path / "one") == (9.0, 6.0)
    assert checkpoint.value_and_grad(square, journal=tmp_path / "other")(3.0) == (9.0, 6.0)
    for name in ("one", "other"):
        assert list((tmp_path / name).iterdir())
