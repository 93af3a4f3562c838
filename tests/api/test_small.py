"""Gradients by plans: what a plan takes, what it leaves to an ordinary call, and that it sees every change.

A gradient whose schedule is named is ordinary, and says what is right.
"""

from __future__ import annotations

import gc
import io
import math
from contextlib import redirect_stdout
from functools import partial
from threading import Thread
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import RunError, engines, grad, primitive, value_and_grad, vjp
from checkpoint.ctarget.translate import policy
from checkpoint.functions import small
from tests.python.agreement import outcome, same_outcomes, same_values
from tests.support.small import agrees, taken
from tests.support.translation import forced

pytestmark = pytest.mark.skipif("c" not in engines.usable(), reason="engine c is not available")


# Arguments


def test_arguments_of_all_lengths_share_a_plan() -> None:
    def norm(xs: Any) -> Any:
        return sum([x * x for x in xs])

    agrees(norm, [1.0, 2.0])
    function: Any = norm
    plan = small.plan_of(function, 1)
    for length in (1, 3, 500):
        assert agrees(norm, [0.5 + i for i in range(length)]) >= 2
    assert agrees(norm, (1.0, 2.0)) >= 1
    assert small.plan_of(function, 1) is plan


TREES: list[Any] = [
    {"a": 1.5, "b": [2.0, (3.0, None)]},
    {"b": [4.0, (True, "text")], "a": 0.5},
    {"a": 1.5, "b": [[2.0], ()]},
    {"a": -0.0, "b": [], "c": {}},
    {"a": math.nan, "b": (math.inf, 7)},
]
OTHERS: list[Any] = [
    {"a": np.float64(2.0), "b": []},
    {"a": 2**80, "b": [1.0]},
    {"a": np.array(2.0), "b": []},
    {"a": "text", "b": []},
    {"a": 2, "b": []},
    {1: 2.0, "a": 1.0, "b": []},
]


def total(tree: Any, scale: float = 1.0) -> Any:
    found = tree["a"] * tree["a"] * scale
    for each in tree["b"]:
        if isinstance(each, float):
            found += each * scale
    return found


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_trees_of_arguments(tree: Any) -> None:
    assert agrees(total, tree) >= 1
    assert agrees(total, tree, 2.0, argnums=1) >= 1
    assert agrees(total, tree, 2.0, argnums=(1, 0)) >= 2


@pytest.mark.parametrize("tree", OTHERS, ids=str)
def test_other_arguments(tree: Any) -> None:
    def by(tree: Any) -> Any:
        return total(tree) * 2.0

    agrees(by, TREES[0])
    agrees(by, tree)
    agrees(by, TREES[1])


def test_vjp_with_all_cotangents_of_a_real() -> None:
    def f(tree: Any) -> Any:
        return tree["a"] * tree["b"][0] + tree["b"][1]

    tree = {"a": 1.5, "b": [2.0, -0.0, 3]}
    vjp(f, tree)
    for ybar in (None, 1.0, -2.5, 0.0, -0.0, math.inf, math.nan, 5e-324):
        before = taken(f)
        assert same_values(vjp(f, tree, ybar), vjp(f, tree, ybar, schedule="budget"))
        assert taken(f) == before + 1
    before = taken(f)
    for other in (1, True, np.float64(2.0)):
        want = outcome(partial(vjp, f, tree, other, schedule="budget"))
        assert same_outcomes(want, outcome(partial(vjp, f, tree, other)))
    assert taken(f) == before


def test_one_object_in_two_places_has_two_gradients() -> None:
    def product(rows: Any) -> Any:
        return rows[0][0] * rows[1][0] * rows[1][0]

    row = [3.0]
    assert agrees(product, [row, row]) >= 2
    first, second = grad(product)([row, row])
    assert (first, second) == ([9.0], [18.0])
    assert first is not second


def test_keywords_and_positions() -> None:
    def f(x: float, y: float, *, z: float) -> float:
        return x * y * y * z

    for _ in range(3):
        assert grad(f, argnums=(1, 0))(2.0, 3.0, z=5.0) == (60.0, 45.0)
        assert value_and_grad(f, argnums=1)(2.0, 3.0, z=7.0) == (126.0, 84.0)
        assert grad(f, argnums=-1)(2.0, 3.0, z=5.0) == 60.0
        with pytest.raises(RunError, match="there is no argument 2"):
            grad(f, argnums=2)(2.0, 3.0, z=5.0)
        with pytest.raises(RunError, match="holds no real"):
            grad(f)(2, 3.0, z=5.0)
        with pytest.raises(TypeError, match="missing"):
            grad(f)(2.0, 3.0)  # type: ignore[call-arg]
    assert taken(f, 2, ("z",)) >= 2  # the others are refused, and make the plan wait


# What stays ordinary


def test_a_run_that_fails_fails_the_same() -> None:
    def inverse(x: float) -> float:
        return 1.0 / (x * x)

    for x in (2.0, 0.0, 2.0, 0.0, 0.0, 4.0):
        agrees(inverse, x)
    assert taken(inverse) >= 2


def test_results_that_are_no_reals_are_refused_by_name() -> None:
    def f(x: float) -> Any:
        return x if x > 0.0 else [x] if x < 0.0 else 1

    for x in (1.0, -1.0, 0.0, 1.0, -1.0, 0.0):
        agrees(f, x)
    with pytest.raises(RunError, match="needs a function that returns a real"):
        grad(f)(-1.0)


def test_output_and_callbacks_come_once() -> None:
    calls: list[float] = []

    @partial(primitive, vjp=lambda ybar, y, x: (3.0 * x * x * ybar,))
    def cubed(x: float) -> float:
        calls.append(x)
        return x**3

    def loud(x: float) -> float:
        y = x * x
        if y > 1.0:
            print("large", y)
        return y * cubed(x) if y > 2.0 else y

    for x in (0.5, 0.5, 0.5, 1.2, 2.0, 0.5, 1.2, 2.0):
        calls.clear()
        with redirect_stdout(io.StringIO()) as printed:
            value_and_grad(loud, schedule="plain")(x)
        text, count = printed.getvalue(), len(calls)
        with redirect_stdout(io.StringIO()) as printed:
            value_and_grad(loud)(x)
        assert (printed.getvalue(), len(calls)) == (text, 2 * count)
    assert taken(loud) >= 1


def test_a_user_function_may_take_small_gradients_itself() -> None:
    def inner(x: float) -> float:
        return x * x * x

    slope: Any = primitive(grad(inner), vjp=lambda ybar, y, x: (6.0 * x * ybar,))

    def outer(x: float) -> Any:
        return slope(x) * x

    for _ in range(4):
        assert value_and_grad(outer)(2.0) == (24.0, 36.0)
    assert taken(inner) >= 2


def test_observers_see_every_gradient() -> None:
    def f(xs: Any) -> Any:
        return sum([x * x for x in xs])

    xs = [1.0, 2.0, 3.0]
    assert agrees(f, xs) >= 2
    before = taken(f)
    with checkpoint.profile() as seen:
        grad(f)(xs)
        grad(f, schedule="budget")(xs)
    assert taken(f) == before
    first, second = [each.totals for each in seen.sweeps]
    assert (first.run, first.taped) == (second.run, second.taped)
    said: list[Any] = []
    grad(f, progress=said.append)(xs)
    assert said
    assert taken(f) == before


def test_bounds_of_memory_and_waiting_stay_ordinary(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: float) -> float:
        return x * x * 2.0

    assert agrees(f, 1.5) >= 2
    before = taken(f)
    with monkeypatch.context() as patch:
        patch.setenv("CHECKPOINT_MEMORY", "64MiB")
        assert grad(f)(1.5) == 6.0
    with monkeypatch.context() as patch:
        patch.setenv("CHECKPOINT_JIT", "wait")
        assert grad(f)(1.5) == 6.0
    assert grad(f, memory="1MiB")(1.5) == 6.0
    assert grad(f, engine="interp")(1.5) == 6.0
    assert taken(f) == before
    assert grad(f)(1.5) == 6.0
    assert taken(f) == before + 1


def test_runs_that_are_not_small_are_ordinary() -> None:
    def turns(x: float, n: int) -> float:
        for _ in range(n):
            x = x + 1e-3 * math.sin(x)
        return x

    for n in (10, 60_000, 10, 5_000, 60_000, 10):
        agrees(turns, 0.5, n)
    assert taken(turns, 2) >= 2


def test_a_heap_that_is_full_leaves_the_run_to_an_ordinary_call() -> None:
    def total(xs: Any, name: str) -> Any:
        found = [x * x for x in xs]
        return sum(found) if name else xs[0]

    xs = [0.5 * i for i in range(100)]
    assert agrees(total, xs, "name") >= 2
    plan: Any = small.plan_of(total, 2)  # type: ignore[arg-type]
    refused = []
    for held in (1, 300, 1000, 2000, 5000, 10_000, 20_000, 40_000, 10**6):
        plan.gradient._call.held = held
        plan.gradient._tries._to_skip = 0
        refused.append(agrees(total, xs, "name", times=1) == 0)
    assert refused == sorted(refused, reverse=True)
    assert refused[0]
    assert not refused[-1]


def test_roundings_warn_as_ever() -> None:
    def stepped(x: float) -> float:
        return float(round(x * 3.2))

    with pytest.warns(checkpoint.RoundingWarning) as warned:
        grad(stepped)(1.5)
    assert warned[0].filename == __file__
    assert agrees(stepped, 1.5) == 0

    def part(x: float, xs: Any) -> Any:
        return x * int(x) + 2.0 * int(xs["all"][0][-1])

    assert agrees(part, 2.5, {"all": [(1.0, -2.0)]}) >= 2  # x has a gradient, xs none
    with pytest.warns(checkpoint.RoundingWarning):
        grad(part, 1)(2.5, {"all": [(1.0, -2.0)]})


def test_threads_share_plans() -> None:
    def f(x: float, rows: Any) -> Any:
        total = x * x
        for row in rows:
            total += row["w"] * x
        return total

    agrees(f, 1.0, [{"w": 1.0}], argnums=(0, 1))
    wrong: list[Any] = []

    def work(number: int) -> None:
        rows = [{"w": float(i + number)} for i in range(number + 1)]
        want = value_and_grad(f, argnums=(0, 1), schedule="budget")(2.0, rows)
        for _ in range(200):
            got = value_and_grad(f, argnums=(0, 1))(2.0, rows)
            if not same_values(want, got):
                wrong.append(got)

    threads = [Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert taken(f, 2) >= 100


def test_translated_code_runs_in_small_gradients() -> None:
    def horner(x: float, c: Any) -> Any:
        total = 0.0
        for each in c:
            total = total * x + each
        return total

    c = [1.0 + 0.01 * i for i in range(400)]
    agrees(horner, 0.9, c, argnums=(0, 1))
    with forced():
        want = value_and_grad(horner, argnums=(0, 1))(0.9, c)
    before = taken(horner, 2)
    for _ in range(10):
        assert same_values(value_and_grad(horner, argnums=(0, 1))(0.9, c), want)
    assert taken(horner, 2) - before >= 7


def test_the_watch_of_translation_has_one_call_of_an_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    def squares(xs: list[float]) -> Any:
        return sum([x * x for x in xs])

    monkeypatch.delenv("CHECKPOINT_JIT", raising=False)
    monkeypatch.setattr(policy.translator, "sample_interval", 3600.0)
    xs = [0.5 + 0.001 * i for i in range(400)]
    for _ in range(2):
        grad(squares)(xs)
    plan = small.plan_of(squares, 1)  # type: ignore[arg-type]
    assert plan is not None
    before = plan.taken
    for _ in range(20):
        policy.account_of(plan.linked.entry).due = 0  # a sample is due by steps
        grad(squares)(xs)
    assert plan.taken - before == 19


def test_plans_go_with_the_code() -> None:
    def made() -> Any:
        namespace: dict[str, Any] = {}
        text = "def f(x):\n    return x * x\n"
        name = "<made for a plan>"
        checkpoint_cache = __import__("linecache").cache
        checkpoint_cache[name] = (len(text), None, text.splitlines(True), name)
        exec(compile(text, name, "exec"), namespace)
        return namespace["f"]

    f = made()
    assert agrees(f, 1.5) >= 2
    number = id(f.__code__)
    assert any(key[0] == number for key in small._plans._kept)
    del f
    gc.collect()
    assert not any(key[0] == number for key in small._plans._kept)


def test_what_is_loaded_and_opened_later_is_seen() -> None:
    def f(x: float) -> float:
        return x * x

    assert agrees(f, 1.5) >= 2
    changes = taken(f)
    checkpoint.grad(lambda x: x * 3.0)(1.0)  # a program more: the plan is made anew
    assert grad(f)(1.5) == 3.0
    assert grad(f)(1.5) == 3.0
    assert 0 < taken(f) <= changes
