"""Large programs, whose functions are translated when runs reach them: here, all programs are large."""

from __future__ import annotations

from typing import Any

import pytest

import checkpoint
from checkpoint.errors import SourceError
from checkpoint.functions import closures, trial
from checkpoint.functions.run import Run
from checkpoint.lang.core import Prim
from checkpoint.lang.python.linking import methods, program
from checkpoint.lang.walk import preorder


class Spring:
    def __init__(self, k: float) -> None:
        self.k = k

    def force(self, x: float) -> float:
        return -self.k * x

    @property
    def stiffness(self) -> float:
        return 2.0 * self.k


class Cubic(Spring):
    def force(self, x: float) -> float:
        print("cubic", x)
        return super().force(x) * x * x


def doubled(x: float) -> float:
    return 2.0 * x


def motion(x: float, soft: bool) -> float:
    """Return a force by one of two methods; what is printed comes before another function is reached."""
    print("begin", x)
    spring = Spring(3.0) if soft else Cubic(3.0)
    force = spring.force(x)
    print("end", force)
    return doubled(force) + spring.stiffness * x


@pytest.fixture
def links(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Let all programs be large; return those that are translated, as they are."""
    found: list[Any] = []
    link = program.link

    def noted(*args: Any) -> Any:
        found.append(link(*args))
        return found[-1]

    monkeypatch.setattr(methods, "LIMIT", 0)
    monkeypatch.setattr(program, "link", noted)
    monkeypatch.setattr(closures, "_programs", program.Programs())
    return found


def test_what_is_reached_is_translated(
    links: list[Any], engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def call(x: float, soft: bool) -> float:
        return motion(x, soft)

    value = checkpoint.value_and_grad(call, engine=engine)
    assert value(0.5, True) == (2.0 * -1.5 + 3.0, 0.0)
    assert capsys.readouterr().out == "begin 0.5\nend -1.5\n"
    count = len(links)
    assert count > 3
    assert value(0.5, True)[1] == 0.0
    assert len(links) == count
    capsys.readouterr()
    assert value(0.5, False) == (2.0 * -3.0 * 0.125 + 3.0, -18.0 * 0.25 + 6.0)
    assert capsys.readouterr().out == "begin 0.5\ncubic 0.5\nend -0.375\n"
    assert len(links) == count + 1
    assert checkpoint.jvp(lambda x: call(x, False), 0.5, 1.0, engine=engine)[1] == -18.0 * 0.25 + 6.0


def test_a_run_that_begins_again_finds_what_it_reaches_next_by_a_trial(
    links: list[Any], engine: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begun, begin_again = [], Run.begin_again

    def noted(run: Run, error: Any) -> None:
        begun.append(error.function.key)
        begin_again(run, error)

    monkeypatch.setattr(Run, "begin_again", noted)
    assert checkpoint.grad(lambda x: motion(x, False), engine=engine)(0.5) == -18.0 * 0.25 + 6.0
    assert capsys.readouterr().out == "begin 0.5\ncubic 0.5\nend -0.375\n"
    assert len(links) > 4
    assert len(begun) == 1 if engine != "interp" else len(begun) == len(links) - 1


def test_a_trial_that_ends_too_soon_changes_nothing(
    links: list[Any], engine: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(trial, "STEPS", 30)
    monkeypatch.setattr(trial, "SLICE", 30)
    assert checkpoint.grad(lambda x: motion(x, False), engine=engine)(0.5) == -18.0 * 0.25 + 6.0
    assert capsys.readouterr().out == "begin 0.5\ncubic 0.5\nend -0.375\n"


def test_a_trial_prints_nothing_after_the_step_of_an_interruption(
    links: list[Any], engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def call(x: float) -> float:
        y = doubled(x)
        print("early", y)
        for _ in range(50):
            y = y + x
        print("late", y)
        return y

    checkpoint.interrupt(call, 1.5, 40, engine=engine)
    assert capsys.readouterr().out == "early 3.0\n"


def test_a_capsule_cannot_reach_more(links: list[Any], engine: str) -> None:
    def call(x: float) -> float:
        y = x * x
        return doubled(y) if y > 1.0 else y

    capsule = checkpoint.interrupt(call, 1.5, 1, engine=engine)
    with pytest.raises(SourceError, match=r"doubled is first reached here.*call the whole function once"):
        checkpoint.resume(capsule)
    assert checkpoint.grad(call, engine=engine)(1.5) == 6.0
    assert checkpoint.resume(checkpoint.interrupt(call, 1.5, 1, engine=engine)) == 4.5


def refused_far_inside(x: float) -> float:
    return deeper(x) if x > 0.0 else x


def deeper(x: float) -> float:
    return float(eval("x"))


def test_check_finds_what_is_refused_in_functions_that_are_not_translated_yet(links: list[Any]) -> None:
    found = checkpoint.check(refused_far_inside, 1.0)
    assert [each.what for each in found] == ["`eval`"]
    assert checkpoint.grad(refused_far_inside)(-1.0) == 1.0
    assert "py.stub" in {prim.op for prim in preorder(links[-1].thunk) if isinstance(prim, Prim)}
