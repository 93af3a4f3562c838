"""Pullbacks return what vjp returns, to the bit, as often as they are called, until they are closed."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import config
from tests.support.corpus import usable_engines

ENGINES = [engine.name for engine in usable_engines()]
SCHEDULES = (None, "plain", "bisection", "binomial")


def logistic(x: Any, n: int) -> Any:
    xs = []
    for i in range(n):
        x = 3.7 * x * (1.0 - x)
        if i % 100 == 0:
            xs.append(x)
    return {"last": x, "all": xs}


def rows(w: Any, x: Any) -> Any:
    for _ in range(20):
        x = np.tanh(w @ x)
    return [np.sum(x), x]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_each_call_is_vjp_to_the_bit(engine: str, schedule: str | None) -> None:
    how: dict[str, Any] = {"engine": engine, "schedule": schedule}
    y, pullback = checkpoint.pullback(logistic, 0.3, 500, **how)
    for seed in (1.0, 0.25, 1.0):
        ybar = {"last": seed, "all": [0.5] * 5}
        assert (y, pullback(ybar)) == checkpoint.vjp(lambda x: logistic(x, 500), 0.3, ybar, **how)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("memory", ["100KiB", "4MiB"])
def test_arrays_within_a_budget(engine: str, memory: str) -> None:
    rng = np.random.default_rng(1)
    w, x = rng.normal(size=(30, 30)) / 6.0, rng.normal(size=30)
    (total, y), pullback = checkpoint.pullback(rows, w, x, argnums=(0, 1), engine=engine, memory=memory)
    with pullback:
        for seed in (1.0, 3.0):
            ybar = [seed, np.arange(30.0)]
            value, expected = checkpoint.vjp(
                lambda wx: rows(*wx), (w, x), ybar, engine=engine, schedule="plain"
            )
            assert total == value[0]
            assert np.array_equal(y, value[1])
            found = pullback(ybar)
            assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


def test_pullbacks_that_wait_at_the_same_time() -> None:
    waiting = [checkpoint.pullback(logistic, 0.1 * k, 300) for k in range(1, 9)]
    for k in (4, 8, 1, 2, 7, 3, 5, 6):
        y, pullback = waiting[k - 1]
        ybar = {"last": 1.0, "all": [0.0] * 3}
        assert (y, pullback(ybar)) == checkpoint.vjp(lambda x: logistic(x, 300), 0.1 * k, ybar)


def test_a_real_needs_no_cotangent_and_state_is_returned() -> None:
    def double(xs: Any) -> Any:
        xs[0] *= 2.0
        return xs[0]

    given = [3.0]
    (y, state), pullback = checkpoint.pullback(double, given, has_state=True)
    assert (y, state.args, given) == (6.0, ([6.0],), [3.0])
    assert pullback((1.0, None)) == [2.0]
    assert checkpoint.pullback(lambda x: x * x, 3.0)[1]() == 6.0


def test_what_is_printed_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    def told(x: Any) -> Any:
        print("told", x)
        return x * x

    _, pullback = checkpoint.pullback(told, 3.0)
    assert (pullback(), pullback()) == (6.0, 6.0)
    assert capsys.readouterr().out == "told 3.0\n"


def test_it_frees_what_it_holds_when_it_is_closed() -> None:
    x = np.ones(1000)
    held = weakref.ref(x)
    _, pullback = checkpoint.pullback(lambda x: np.sum(np.sin(x)), x)
    del x
    pullback.close()
    pullback.close()
    assert held() is None
    with pytest.raises(checkpoint.RunError, match=r"^this pullback is closed, and what it held is gone"):
        pullback()


@pytest.mark.parametrize("engine", [name for name in ENGINES if name != "interp"])  # its tapes are cycles
def test_it_frees_what_it_holds_when_it_is_forgotten(engine: str) -> None:
    x = np.ones(1000)
    held = weakref.ref(x)
    _, pullback = checkpoint.pullback(lambda x: np.sum(np.sin(x)), x, engine=engine)
    gc.disable()
    try:
        del x, pullback
        assert held() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("engine", ENGINES)
def test_its_value_may_be_changed(engine: str) -> None:
    y, pullback = checkpoint.pullback(np.exp, np.zeros(3), engine=engine)
    y += 100.0
    assert np.array_equal(pullback(np.ones(3)), np.ones(3))


def test_arguments_that_change_are_noticed_where_that_is_asked_for() -> None:
    x = np.zeros(3)
    with config.override(check=True):
        _, pullback = checkpoint.pullback(np.exp, x)
        x += 1.0
        with pytest.raises(checkpoint.RunError, match="changed in place after the function was run"):
            pullback(np.ones(3))


@pytest.mark.parametrize("engine", ENGINES)
def test_errors(engine: str) -> None:
    with pytest.raises(ZeroDivisionError):
        checkpoint.pullback(lambda x: x / 0.0, 1.0, engine=engine)
    with pytest.raises(checkpoint.RunError, match="argument 0 holds no real"):
        checkpoint.pullback(lambda x: x, 1, engine=engine)
    with pytest.raises(checkpoint.RunError, match="there is no argument 1"):
        checkpoint.pullback(lambda x: x, 1.0, argnums=1, engine=engine)
    _, pullback = checkpoint.pullback(lambda x: [x, x], 1.0, engine=engine)
    with pytest.raises(checkpoint.RunError, match="ybar"):
        pullback(1.0)
    assert pullback([1.0, 1.0]) == 2.0


@pytest.mark.parametrize("engine", ENGINES)
def test_observers_see_one_sweep(engine: str) -> None:
    with checkpoint.profile() as profile:
        _, pullback = checkpoint.pullback(logistic, 0.3, 100, engine=engine)
        pullback({"last": 1.0, "all": [0.0]})
    assert [sweep.finished for sweep in profile.sweeps] == [True]
    with checkpoint.profile() as profile:
        checkpoint.pullback(logistic, 0.3, 100, engine=engine)[1].close()
    assert [sweep.finished for sweep in profile.sweeps] == [False]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("schedule", ["plain", "bisection"])
def test_a_profile_tells_waiting_pullbacks_apart(engine: str, schedule: str) -> None:
    def counts(profile: Any) -> list[Any]:
        found = [sweep.totals.summary() for sweep in profile.sweeps]
        return [[each[name] for name in ("run", "forward", "recomputed", "taped")] for each in found]

    lengths, alone = (200, 500, 300), []
    for n in lengths:
        with checkpoint.profile() as profile:
            checkpoint.pullback(logistic, 0.3, n, engine=engine, schedule=schedule)[1](_seed(n))
        alone += counts(profile)
    with checkpoint.profile() as profile:
        waiting = [
            checkpoint.pullback(logistic, 0.3, n, engine=engine, schedule=schedule)[1] for n in lengths
        ]
        for i in (1, 2, 0):
            waiting[i](_seed(lengths[i]))
    assert counts(profile) == alone
    assert [sweep.finished for sweep in profile.sweeps] == [True] * 3


def _seed(n: int) -> Any:
    return {"last": 1.0, "all": [0.5] * (n // 100)}


def test_within_a_program_it_is_refused_by_name() -> None:
    def inner(x: Any) -> Any:
        return checkpoint.pullback(lambda z: z * z, x)[0]

    with pytest.raises(checkpoint.SourceError, match=r"cannot be differentiated: call checkpoint\.vjp there"):
        checkpoint.grad(inner)(2.0)
