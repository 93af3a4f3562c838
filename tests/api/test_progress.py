from __future__ import annotations

import math
import os
import pty
import subprocess
import sys
import termios
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from checkpoint import (
    Binomial,
    Bisection,
    Budget,
    Plain,
    Progress,
    RunError,
    grad,
    hessian,
    hvp,
    jacrev,
    primops,
    profile,
    value_and_grad,
    vjp,
)
from checkpoint.driver.observe import Sample, observed
from checkpoint.driver.schedule import (
    Action,
    Actions,
    Advance,
    Drop,
    Hold,
    Keep,
    Release,
    Report,
    Restore,
    Reverse,
    Schedule,
    Tape,
)
from checkpoint.watch.estimate import Estimate
from checkpoint.watch.forecast import BINS, POINTS, FirstPass, Kept

ROOT = Path(__file__).resolve().parent.parent.parent


def power(x: float, n: int) -> float:
    y = 1.0
    for _ in range(n):
        y = y * x * 0.999 + 0.1 / (1.0 + y * y)
    return y


# Reports to a callback


@pytest.mark.parametrize("schedule", [None, Plain(), Bisection(100), Binomial(base=100), Budget("200KiB")])
def test_what_is_told(engine: str, schedule: Schedule | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checkpoint.watch.progress.PAUSE", 0.0)
    told: list[Progress] = []
    found = grad(power, engine=engine, schedule=schedule, progress=told.append)(0.9, 100)
    assert found == grad(power, engine=engine)(0.9, 100)
    phases = [each.phase for each in told]
    assert phases == sorted(phases, reverse=True)
    forward = [each for each in told if each.phase == "forward"]
    backward = [each for each in told if each.phase == "backward"]
    assert [each.done for each in forward] == [*[None] * (len(forward) - 1), 1.0]
    assert forward[-1].step == primops(lambda x: power(x, 100), 0.9, engine=engine) - 1
    assert (backward[-1].done, backward[-1].step, backward[-1].left) == (1.0, 0, 0.0)
    shares = [each.done for each in backward]
    assert None not in shares
    assert shares == sorted(shares, key=float)  # type: ignore[arg-type]
    assert all(a.step <= b.step for a, b in pairwise(forward))
    assert all(a.step >= b.step for a, b in pairwise(backward))
    assert all(a.seconds <= b.seconds for a, b in pairwise(told))


def test_every_function_takes_it() -> None:
    def told_of(derivative: Callable[[Callable[[Progress], None]], Any]) -> int:
        told: list[Progress] = []
        derivative(told.append)
        return sum(each.phase == "backward" and each.done == 1.0 for each in told)

    def square(x: list[float]) -> float:
        return x[0] * x[1]

    x = [2.0, 3.0]
    assert told_of(lambda p: vjp(square, x, progress=p)) == 1
    assert told_of(lambda p: value_and_grad(square, progress=p)(x)) == 1
    assert told_of(lambda p: hvp(square, x, [1.0, 0.0], progress=p)) == 1
    assert told_of(lambda p: jacrev(lambda y: [y[0], y[1], y[0]], progress=p)(x)) == 3
    assert told_of(lambda p: hessian(square, progress=p)(x)) == 2


@pytest.mark.parametrize("wrong", [1, None, "yes", Progress])
def test_wrong_wishes(wrong: Any) -> None:
    for call in (lambda: grad(power, progress=wrong), lambda: vjp(lambda x: x, 2.0, progress=wrong)):
        with pytest.raises(RunError, match="progress is True, False, or a function of a Progress, not"):
            call()


@pytest.mark.parametrize("phase", ["forward", "backward"])
@pytest.mark.parametrize("raised", [ValueError("enough"), KeyboardInterrupt()])
def test_what_a_callback_raises_ends_the_run(engine: str, phase: str, raised: BaseException) -> None:
    def stop(progress: Progress) -> None:
        if progress.phase == phase:
            raise raised

    with pytest.raises(type(raised)) as caught:
        grad(power, engine=engine, schedule=Bisection(100), progress=stop)(0.9, 100)
    assert caught.value is raised
    assert grad(power, engine=engine)(0.9, 3) == grad(power)(0.9, 3)


# Estimates, by a clock that is imagined


class Symbolic:
    """A sweep over a run of steps that tape 100 bytes each, by an imagined clock, reported to an Estimate.

    cost: a step's seconds. times: by how much longer it takes forward, taped, reversed.
    found: since the end was known, when which time was said to be left.
    """

    def __init__(self, cost: Callable[[int], float], length: int, times: tuple[float, float, float]) -> None:
        self.cost, self.length, self.times = cost, length, times
        self.at, self.now = 0, 0.0
        self.kept: set[int] = set()
        self.last: tuple[int, int] | None = None
        self.held: dict[int, tuple[int, int]] = {}
        self.found: list[tuple[float, float | None]] = []

    def follow(self, schedule: Schedule) -> list[tuple[float, float, float | None]]:
        """Return the used share of the backward sweep's time, the time left, and the estimate of it."""
        self.estimate = Estimate(schedule, self.report())
        actions = schedule.actions()
        action = next(actions)
        while True:
            self.perform(action)
            self.now += 1e-6
            told = self.report()
            self.tell(action, told)
            self.note()
            try:
                action = actions.send(told)
            except StopIteration:
                break
        began, end = self.found[0][0], self.now
        return [((at - began) / (end - began), end - at, left) for at, left in self.found]

    def tell(self, action: Action, told: Report) -> None:
        self.estimate.acted(action, told, self.now)

    def tell_step(self) -> None:
        self.estimate.running(self.at, self.now)

    def report(self) -> Report:
        bytes = 0 if self.last is None else 100 * (self.last[1] - self.last[0])
        tapes = bytes + sum(100 * (high - low) for low, high in self.held.values())
        held = tapes + 1000 * (len(self.kept) + 1)
        return Report(self.at, self.at == self.length, bytes, held, tapes, seconds=self.now)

    def note(self) -> None:
        if self.estimate.reversed_to is not None:
            self.found.append((self.now, self.estimate.left()))

    def move(self, to: int | None, rate: float) -> None:
        told = self.now
        while self.at < (self.length if to is None else min(to, self.length)):
            self.now += rate * self.cost(self.at)
            self.at += 1
            if self.now > told + 0.1:
                told = self.now
                self.tell_step()
                self.note()

    def perform(self, action: Action) -> None:
        last, low = self.last, self.at
        if not isinstance(action, Drop | Release):
            self.last = None
        match action:
            case Keep():
                self.kept.add(low)
            case Restore(step):
                self.at = step
            case Drop(step):
                self.kept.remove(step)
            case Advance(to):
                self.move(to, self.times[0])
            case Tape(to, bound):
                fits = self.length if bound is None else low + 1 + bound // 100
                self.move(fits if to is None else min(to, fits), self.times[1])
                self.last = (low, self.at)
            case Hold():
                assert last is not None
                self.held[last[0]] = last
            case Release(step):
                del self.held[step]
            case Reverse(step):
                tape = last if step is None else self.held.pop(step)
                assert tape is not None
                self.now += self.times[2] * sum(map(self.cost, range(*tape)))


COSTS: dict[str, Callable[[int], float]] = {
    "even": lambda step: 1e-3,
    "rising": lambda step: 1e-7 * step,
    "late": lambda step: 1e-2 if step > 8_000 else 1e-4,
    "early": lambda step: 1e-2 if step < 2_000 else 1e-4,
    "wave": lambda step: 1e-3 * (1.1 + math.sin(step / 500)),
}


class Held:
    """A schedule that holds the tapes of the last half of 10,000 steps, and tapes the first half again."""

    def actions(self) -> Actions:
        yield Keep()
        for low in range(0, 5_000, 500):
            yield Advance(low + 500)
            yield Keep()
        for low in range(5_000, 10_000, 500):
            yield Tape(low + 500)
            yield Hold()
        for low in range(9_500, 4_500, -500):
            yield Reverse(low)
        for low in range(4_500, -500, -500):
            yield Drop(low + 500)
            yield Restore(low)
            yield Tape(low + 500)
            yield Reverse()


@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize(
    "schedule", [Bisection(50), Bisection(50, tape_bytes=2_000), Binomial(base=50), Held(), Budget(200_000)]
)
def test_estimates_after_a_tenth(schedule: Schedule, cost: str) -> None:
    found = Symbolic(COSTS[cost], 10_000, (1.0, 1.8, 1.2)).follow(schedule)
    whole = found[0][1]
    for used, left, estimated in found:
        if used > 0.1:
            assert estimated is not None
            assert abs(estimated - left) <= 0.2 * left + 0.02 * whole, (used, left, estimated)


class Sampled(Symbolic):
    """A sweep that reports samples: after some actions, inside long ones, and when the end is known."""

    every = 20
    count = 0
    end: int | None = None
    reversed_to: int | None = None

    def tell(self, action: Action, told: Report) -> None:
        self.count += 1
        if isinstance(action, Tape):
            self.low = told.step - told.bytes // 100
        elif isinstance(action, Reverse):
            self.reversed_to = self.low
        was_known, self.end = self.end is not None, told.step if told.finished else self.end
        if self.count % self.every == 0 or (told.finished and not was_known):
            self.tell_step()

    def tell_step(self) -> None:
        self.estimate.sampled(Sample(self.at, self.end, self.reversed_to), self.now)


@pytest.mark.parametrize("cost", COSTS)
def test_estimates_from_samples(cost: str) -> None:
    found = Sampled(COSTS[cost], 10_000, (1.0, 1.8, 1.2)).follow(Bisection(50))
    whole = found[0][1]
    for used, left, estimated in found:
        if used > 0.1:
            assert estimated is not None
            assert abs(estimated - left) <= 0.2 * left + 0.02 * whole, (used, left, estimated)


def test_tables_are_bounded() -> None:
    """Tables stay bounded, and times and kept states right, however long the first pass is."""
    first, kept = FirstPass(7), Kept(7)
    for step in range(7, 100_007, 4):
        first.add(step + 4, 0.001 if step < 50_000 else 0.003, False)
        kept.count(step, 1)
        if step % 8 == 7:
            kept.count(step, -1)
    assert len(first.steps) == len(first.run) == len(first.taped) <= 2 * POINTS + 1
    first.settle()
    assert first.work(7, 50_007) == pytest.approx(12.5, rel=1e-3)
    assert first.work(7, 100_007) == pytest.approx(50.0, rel=1e-3)
    assert len(kept.counts) == BINS
    assert sum(kept.counts) == 12_500
    regions = list(kept.regions(7, first.end))
    assert (regions[0][0], regions[-1][1]) == (7, first.end)
    assert sum(states for _, _, states in regions) == 12_500
    assert all(a[1] == b[0] for a, b in pairwise(regions))


class Steps:
    """An observer that records the positions of sweeps inside their actions."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def began(self, schedule: Schedule, report: Report) -> None: ...

    def acted(self, action: Action, report: Report) -> None: ...

    def running(self, step: int) -> None:
        self.seen.append(step)

    def ended(self, finished: bool) -> None: ...


@pytest.mark.parametrize("name", ["interp", "hybrid"])
def test_long_actions_are_told_of(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines in Python report, too; reports change neither results nor counts."""
    monkeypatch.setattr("checkpoint.driver.execute.FIRST_PACE", 16)
    schedule = Bisection(100)
    with profile() as alone:
        expected = grad(power, engine=name, schedule=schedule)(0.9, 100)
    monkeypatch.setattr("checkpoint.driver.execute.REPORT_SECONDS", 0.0)
    steps = Steps()
    with observed((steps,)), profile() as together:
        found = grad(power, engine=name, schedule=schedule)(0.9, 100)
    assert found == expected
    assert len(steps.seen) > 20
    for what in ("forward", "recomputed", "taped", "taped_again", "most_kept"):
        assert getattr(together.total, what) == getattr(alone.total, what)


# Bars


SCRIPT = """
from checkpoint import grad
def power(x, n):
    y = 1.0
    for _ in range(n):
        y *= x
    return y
print(grad(power, progress=True)(1.0, 1000))
"""


def test_bars_in_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    primary, secondary = pty.openpty()
    termios.tcsetwinsize(secondary, (24, 80))
    command = [sys.executable, str(tmp_path / "script.py")]
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=secondary, timeout=120, check=True, text=True
    )
    os.close(secondary)
    shown = os.read(primary, 100_000).decode()
    os.close(primary)
    assert done.stdout == "1000.0\n"
    assert "forward: " in shown
    assert "step/s" in shown
    assert "backward: 100%" in shown


def test_bars_of_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "square.py").write_text("def square(x):\n    return x * x\n")
    command = [sys.executable, "-m", "checkpoint", "grad", f"{tmp_path}/square.py:square", "--x", "3.0"]
    quiet = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True, cwd=ROOT)
    shown = subprocess.run(
        [*command, "--progress"], capture_output=True, text=True, timeout=120, check=True, cwd=ROOT
    )
    assert (quiet.stdout, quiet.stderr) == ("9.0\n6.0\n", "")
    assert shown.stdout == quiet.stdout
    assert "backward: 100%" in shown.stderr


@pytest.mark.filterwarnings("ignore")
def test_bars_in_a_notebook() -> None:
    nbformat: Any = pytest.importorskip("nbformat", reason="nbformat is not installed")
    nbclient: Any = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    pytest.importorskip("ipywidgets", reason="ipywidgets is not installed")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(SCRIPT)])
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(ROOT)}}).execute()
    outputs = notebook.cells[0].outputs
    assert [each.text for each in outputs if each.output_type == "stream"] == ["1000.0\n"]
    bars = [each.data for each in outputs if each.output_type == "display_data"]
    assert len(bars) == 2
    assert all("application/vnd.jupyter.widget-view+json" in bar for bar in bars)
