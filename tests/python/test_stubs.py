"""Large programs, whose functions are translated when runs reach them: here, all programs are large."""

from __future__ import annotations

import functools
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
    assert count > (3 if engine == "interp" else 1)
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
    if engine == "interp":
        assert len(begun) == len(links) - 1 > 3
    else:
        assert len(begun) == 1
        assert len(begun) < len(links) <= 3


def total(x: float, n: int) -> float:
    """Return a sum of what methods give, of which the later ones need facts that the first does not."""
    found = 0.0
    for k in range(n):
        found = found + (varied(x, k) if k < 2 else kept(x))
    return found


def varied(x: float, k: int) -> float:
    springs = {"stiff": Cubic(2.0), "soft": Spring(1.0)}
    return sum((spring.force(x) for spring in springs.values()), 0.0) * k


@functools.cache
def factor(k: int) -> float:
    return 2.0 * k


def kept(x: float) -> float:
    def added(*terms: float) -> float:
        return sum(terms)

    return added(x, factor(3), factor(3))


def test_facts_that_are_first_met_in_a_trial_belong_to_the_next_program(
    links: list[Any], engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    value, gradient = checkpoint.value_and_grad(total, engine=engine)(0.5, 4)
    assert gradient == pytest.approx(-2.0 * 3.0 * 0.25 - 1.0 + 2.0)
    assert capsys.readouterr().out == "cubic 0.5\n" * 2
    assert value == total(0.5, 4)
    reached = links[-1].facts.reached.keys
    assert {getattr(code, "co_name", "") for code, _ in reached} >= {"varied", "kept", "factor", "force"}


@pytest.mark.parametrize("f", [lambda x: motion(x, False), lambda x: motion(x, True), lambda x: total(x, 4)])
def test_a_trial_that_grows_reaches_what_runs_reach(
    f: Any, links: list[Any], engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found() -> Any:
        monkeypatch.setattr(closures, "_programs", program.Programs())
        steps, gradient = checkpoint.primops(f, 0.5, engine=engine), checkpoint.grad(f, engine=engine)(0.5)
        codes = [code for code, _ in links[-1].facts.reached.keys]
        return steps, gradient, set(codes), list(map(_kind, preorder(links[-1].thunk)))

    grown, count = found(), len(links)
    monkeypatch.setattr(closures.Surroundings, "trial", lambda *_: None)
    assert found() == grown
    assert len(links) - count > count or engine == "interp"


def _kind(expr: Any) -> tuple[str, Any]:
    return type(expr).__name__, getattr(expr, "op", None)


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
