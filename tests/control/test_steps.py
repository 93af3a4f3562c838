"""Whatever runs a function within one step, or as items: a shift that looks further fails, and says where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import checkpoint
from checkpoint import arrays
from checkpoint.control import reset, shift
from checkpoint.driver.engine import Engine
from checkpoint.driver.raised import NO_RESET_HERE
from tests.support.corpus import engine_name, usable_engines

np = pytest.importorskip("numpy")
optimize, integrate = pytest.importorskip("scipy.optimize"), pytest.importorskip("scipy.integrate")

pytestmark = [
    pytest.mark.parametrize("engine", usable_engines(), ids=engine_name),
    pytest.mark.engines_in_turn,
]


def shifts(x: Any) -> Any:
    return x * shift(lambda k: k(x))


def shifting_sum(x: Any, y: Any) -> Any:
    return shifts(x) + y


def held(x: Any) -> Any:
    """Return a function that no program outside has: it has captured a function in a list."""
    functions = [shifts]
    return lambda y: functions[0](x * y)


STEPS: dict[str, Callable[[Any], Any]] = {
    "grad": lambda x: x * checkpoint.grad(shifts)(x),
    "value_and_grad": lambda x: checkpoint.value_and_grad(shifts)(x)[0],
    "vjp": lambda x: checkpoint.vjp(shifts, x)[0],
    "vjp, plain": lambda x: checkpoint.vjp(shifts, x, schedule="plain")[0],
    "hvp": lambda x: checkpoint.hvp(shifts, x, 1.0),
    "hessian": lambda x: x * checkpoint.hessian(shifts)(x),
    "primops": lambda x: x * checkpoint.primops(shifts, x),
    "primops of what is made inside": lambda x: x * checkpoint.primops(held(x), x),
    "interrupt": lambda x: checkpoint.resume(checkpoint.interrupt(shifts, x, 500)),
    "interrupt of what is made inside": lambda x: checkpoint.resume(checkpoint.interrupt(held(x), x, 500)),
    "vmap": lambda x: checkpoint.vmap(shifts)(np.ones(3) * x).sum(),
    "summed": lambda x: 2.0 * checkpoint.summed(shifts, over=[x, 2.0, 3.0]),
    "map": lambda x: arrays.map(shifts, np.ones(3) * x).sum(),
    "filter": lambda x: arrays.filter(lambda y: shifts(y) > 0.0, np.ones(3) * x).sum(),
    "partition": lambda x: arrays.partition(lambda y: shifts(y) > 0.0, np.ones(3) * x)[0].sum(),
    "reduce": lambda x: arrays.reduce(shifting_sum, np.ones(3) * x),
    "scan": lambda x: arrays.scan(shifting_sum, np.ones(3) * x).sum(),
    "reduce_by_index": lambda x: arrays.reduce_by_index(
        shifting_sum, np.zeros(2), np.array([0, 0, 1]), np.ones(3) * x
    ).sum(),
    "brentq": lambda x: x * optimize.brentq(lambda y: shifts(y) - x, 0.1, 3.0),
    "minimize_scalar": lambda x: x * optimize.minimize_scalar(shifts, bounds=(-1.0, 1.0), method="bounded").x,
    "quad": lambda x: integrate.quad(shifts, 0.0, x)[0],
}


@pytest.mark.parametrize("name", STEPS)
def test_a_shift_does_not_leave(name: str, engine: Engine) -> None:
    step = STEPS[name]
    with pytest.raises(Exception, match="this shift has no reset") as caught:
        checkpoint.primops(lambda x: reset(lambda: step(x)), 1.5, engine=engine.name)
    assert str(caught.value) == NO_RESET_HERE
    shift_at, *called_at = [note for note in caught.value.__notes__ if "test_steps.py" in note]
    assert "return x * shift(lambda k: k(x))" in shift_at
    assert any("return x * shift" not in place for place in called_at)


@pytest.mark.parametrize("name", ["brentq", "quad"])
def test_a_reset_inside_of_what_a_solver_calls(name: str, engine: Engine) -> None:
    expected = {"brentq": 2.0, "quad": 8.0 / 3.0}[name]
    found = {
        "brentq": lambda x: optimize.brentq(lambda y: reset(lambda: shifts(y)) - x * x, 0.1, 3.0),
        "quad": lambda x: integrate.quad(lambda y: reset(lambda: shifts(y)), 0.0, x)[0],
    }[name]
    value, slope = checkpoint.value_and_grad(found, engine=engine.name)(2.0)
    assert value == pytest.approx(expected, rel=1e-9)
    assert slope == pytest.approx({"brentq": 1.0, "quad": 4.0}[name], rel=1e-6)
