"""`memory=` of the public functions: the budget that it stands for, its refusals, and their time."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest

import checkpoint
from checkpoint import Bisection, Budget, RunError, grad, hessian, hvp, jacrev, value_and_grad, vjp
from checkpoint.api.schedules import SCHEDULES, named_schedule
from checkpoint.driver import memory
from checkpoint.driver.observe import observed
from checkpoint.driver.schedule import Action, Report, Schedule

pytestmark = pytest.mark.engines_in_turn


def decay(x: float) -> float:
    """Some thousand steps."""
    for _ in range(300):
        x = x - 0.001 * x * x
    return x


# The public functions that take a schedule, at one point.
CALLS: dict[str, Callable[..., Any]] = {
    "vjp": lambda **options: vjp(decay, 2.0, **options),
    "vjp of a procedure": lambda **options: vjp(
        checkpoint.read("(lambda (x) (* x (sin x)))", engine=options["engine"]), 2.0, **options
    ),
    "grad": lambda **options: grad(decay, **options)(2.0),
    "value_and_grad": lambda **options: value_and_grad(decay, **options)(2.0),
    "hvp": lambda **options: hvp(decay, 2.0, 1.0, **options),
    "jacrev": lambda **options: jacrev(decay, **options)(2.0),
    "hessian": lambda **options: hessian(decay, **options)(2.0),
}
MAKERS: dict[str, Callable[..., Any]] = {
    "grad": grad,
    "value_and_grad": value_and_grad,
    "jacrev": jacrev,
    "hessian": hessian,
}


class Spy:
    """An observer that notes the schedules of sweeps."""

    def __init__(self) -> None:
        self.schedules: list[Schedule] = []

    def began(self, schedule: Schedule, report: Report) -> None:
        self.schedules.append(schedule)

    def acted(self, action: Action, report: Report) -> None:
        """Note nothing."""

    def running(self, step: int) -> None:
        """Note nothing."""

    def ended(self, finished: bool) -> None:
        """Note nothing."""


def schedules_of(call: Callable[[], Any]) -> list[Schedule]:
    spy = Spy()
    with observed((spy,)):
        call()
    return spy.schedules


@pytest.mark.parametrize("name", CALLS)
def test_memory_is_short_for_a_budget(name: str, engine: str) -> None:
    call = CALLS[name]
    assert schedules_of(lambda: call(engine=engine, memory="1MiB")) == [Budget("1MiB")]
    assert schedules_of(lambda: call(engine=engine)) == [Budget()]
    assert schedules_of(lambda: call(engine=engine, schedule="budget")) == [Budget()]
    assert schedules_of(lambda: call(engine=engine, schedule=Bisection(7))) == [Bisection(7)]


@pytest.mark.parametrize("name", CALLS)
def test_memory_changes_no_bit(name: str, engine: str) -> None:
    call = CALLS[name]
    expected = call(engine=engine, schedule="plain")
    for given in (None, 2**20, "1%", {"host": 0.01}):
        assert call(engine=engine, memory=given) == expected


@pytest.mark.parametrize("name", CALLS)
def test_both_are_refused(name: str, engine: str) -> None:
    with pytest.raises(RunError) as caught:
        CALLS[name](engine=engine, memory="1MiB", schedule="plain")
    assert caught.value.message == (
        "give memory or a schedule, not both: memory=m is short for schedule=Budget(m)"
    )


@pytest.mark.parametrize("name", CALLS)
def test_what_is_no_memory_is_refused(name: str, engine: str) -> None:
    with pytest.raises(RunError, match=r"^memory is 'lots': write a size, such as '512MiB', or a share"):
        CALLS[name](engine=engine, memory="lots")
    with pytest.raises(
        RunError, match=r"^memory has an entry for 'cuda', but no imported library has arrays"
    ):
        CALLS[name](engine=engine, memory={"host": "1GiB", "cuda": "1GiB"})


@pytest.mark.parametrize("name", MAKERS)
def test_a_derivative_refuses_it_when_it_is_made(name: str) -> None:
    with pytest.raises(RunError, match="not both"):
        MAKERS[name](decay, memory=1, schedule="budget")
    with pytest.raises(RunError, match="at least 1 byte, not 0"):
        MAKERS[name](decay, memory=0)


@pytest.mark.parametrize("name", MAKERS)
def test_derivatives_with_a_memory_pickle(name: str) -> None:
    made = MAKERS[name](decay, memory="64MiB")
    again = pickle.loads(pickle.dumps(made))
    assert again.schedule == Budget("64MiB")
    assert again(2.0) == made(2.0)


def test_short_runs_do_not_look_at_the_machine(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise AssertionError("the machine was looked at")

    monkeypatch.setattr(memory, "lately_free", refuse)
    assert grad(lambda x: x * x, engine=engine)(3.0) == 6.0


def test_what_the_names_mean() -> None:
    assert named_schedule(None) == SCHEDULES["budget"] == Budget()
    assert named_schedule(None, 4096) == Budget(4096)
    assert next(iter(SCHEDULES)) == "budget"


def with_a_derivative_inside(x: float) -> Any:
    return grad(decay, memory="1MiB")(x) * vjp(decay, x, memory="1MiB")[0]


def test_memory_inside_of_programs(engine: str) -> None:
    """An inner gradient is taken by bisection, whatever is requested; all of it is part of one step."""
    y, slope = value_and_grad(with_a_derivative_inside, engine=engine)(2.0)
    value, inner = value_and_grad(decay, engine=engine)(2.0)
    bend = hessian(decay, engine=engine)(2.0)
    assert y == value * inner
    assert slope == pytest.approx(bend * value + inner * inner, rel=1e-12)


def test_a_budget_that_is_too_small_says_so(engine: str) -> None:
    with pytest.raises(checkpoint.BudgetError) as caught:
        grad(decay, engine=engine, memory=1)(2.0)
    assert caught.value.needed > 1
    assert isinstance(pickle.loads(pickle.dumps(caught.value)), checkpoint.BudgetError)
    assert pickle.loads(pickle.dumps(caught.value)).needed == caught.value.needed
