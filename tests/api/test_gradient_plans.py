"""Gradients by plans: they have the bits of sweeps, and a plan sees every change that it has to.

A gradient whose schedule is named is a sweep, and says what is right.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.ad.tracing import fusing
from checkpoint.api.direction_plans import RunPlan
from checkpoint.api.gradient_plans import MAX_BYTES, MAX_STEPS
from checkpoint.ctarget import library
from checkpoint.interp.engine import Interp
from checkpoint.scalars.kernels import kernel_of
from tests.arrays.corpus import examples
from tests.support.sampling import sample

RNG = np.random.default_rng(7)
X, M = RNG.normal(size=12), RNG.normal(size=(12, 12))


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list to which each use of a plan adds whether the plan did not fail."""
    found: list[bool] = []
    usual = RunPlan.outputs

    def outputs(self: RunPlan, inputs: Any) -> Any:
        made = usual(self, inputs)
        found.append(made is not None)
        return made

    monkeypatch.setattr(RunPlan, "outputs", outputs)
    return found


def bits(value: Any) -> Any:
    """Return the bits of a nest of arrays and reals, with their types."""
    if isinstance(value, list | tuple):
        return [bits(item) for item in value]
    if isinstance(value, dict):
        return {key: bits(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return type(value), value.dtype, value.shape, value.tobytes()
    return value.hex() if isinstance(value, float) else repr(value)


class Pair:
    """A gradient that may have plans, and one by a sweep."""

    def __init__(self, f: Callable[..., Any], argnums: Any = 0) -> None:
        self.planned = checkpoint.value_and_grad(f, argnums)
        self.swept = checkpoint.value_and_grad(f, argnums, schedule="plain")

    def agree(self, *args: Any) -> Any:
        """Compare them, bit for bit; return the first."""
        found = self.planned(*args)
        assert bits(found) == bits(self.swept(*args))
        return found


def network(weights: Any, x: Any, y: Any) -> Any:
    """Return the loss of a network, with broadcasting, indices, joining, and several sums."""
    hidden = x
    for w, b in weights:
        hidden = np.tanh(hidden @ w + b)
    scores = np.concatenate([hidden[:, :2] * 2.0, hidden[:, 2:][:, [0, 1, 0]]], axis=1)
    scores = scores - np.max(scores, axis=1, keepdims=True)
    logs = scores - np.log(np.sum(np.exp(scores), axis=1))[:, None]
    return -np.mean(logs[np.arange(len(y)), y]) + 0.5 * np.sum(weights[0][0] ** 2)


def sums_of_products(x: Any, y: Any) -> Any:
    """Return sums along the last axis that one loop makes, and some of products that others read, too."""
    read_twice = x * y
    squares = np.sum(x**2, 1) + np.sum(np.square(x), -1, keepdims=True)[:, 0]
    return np.sum(np.sin(squares) + np.sum(x * y, axis=1) - np.sum(read_twice, 1) + np.max(read_twice, 1))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_sums_of_products_are_one_call(taken: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    called, usual = [], kernel_of("sum_of_products")
    if usual is None:
        pytest.skip("engine c is not loaded")

    def counted(*args: Any) -> Any:
        called.append(args)
        return usual(*args)

    monkeypatch.setattr(fusing, "kernel_of", lambda name: counted)
    pair, x = Pair(sums_of_products, (0, 1)), RNG.normal(size=(60, 9))
    for k in range(2):
        pair.agree(x * k, x + 1.0)
    called.clear()
    pair.agree(x, x + 1.0)
    assert taken == [True]
    assert len(called) == 3
    pair.agree(x * np.where(x > 2.0, 1e200, 1.0), x)  # which overflows
    pair.agree(np.where(x > 2.0, np.nan, x), x)


def weights() -> list[tuple[Any, Any]]:
    sizes = (3, 6, 5)
    return [(RNG.normal(size=(m, n)), RNG.normal(size=n)) for m, n in itertools.pairwise(sizes)]


def test_a_network_has_a_plan(taken: list[bool]) -> None:
    pair, x, y = Pair(network), RNG.normal(size=(7, 3)), RNG.integers(0, 5, 7)
    for _ in range(5):
        pair.agree(weights(), x * RNG.normal(), y)
    assert taken == [True] * 3


def perturbed(x: Any, k: int) -> Any:
    """Return an argument with other elements in its arrays of doubles."""
    if isinstance(x, np.ndarray) and x.dtype == float:
        return x + 0.01 * k * np.cos(np.arange(x.size)).reshape(x.shape)
    if type(x) in (list, tuple):
        return type(x)([perturbed(item, k) for item in x])
    return x


EXAMPLES = {
    name: example
    for name, example in examples().items()
    if example.differentiable and example.raises is None and 0 < len(example.args) < 4
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", sample(sorted(EXAMPLES), 4))
def test_calls_have_the_bits_of_sweeps(name: str) -> None:
    """Whether there is a plan or not, and whatever sweep fails."""
    f: Any = EXAMPLES[name].function
    args = EXAMPLES[name].args

    def one(a: Any) -> Any:
        return np.sum(np.sin(f(a)))

    def two(a: Any, b: Any) -> Any:
        return np.sum(np.sin(f(a, b)))

    def three(a: Any, b: Any, c: Any) -> Any:
        return np.sum(np.sin(f(a, b, c)))

    def outcome(gradient: Callable[..., Any], given: Any) -> Any:
        try:
            return bits(gradient(*given))
        except Exception as error:
            return type(error), str(error)

    pair = Pair((one, two, three)[len(args) - 1])
    for k in (0, 0, 1, 2, 0):
        given = [perturbed(x, k) for x in args]
        assert outcome(pair.planned, given) == outcome(pair.swept, given)


# What is not the same in another call


def test_branches_shapes_and_integers_are_guarded(taken: list[bool]) -> None:
    def f(x: Any, y: Any) -> Any:
        chosen = x[y > 0.0]
        total = np.sum(chosen * chosen)
        if total > 1.0:
            total = total * np.sum(x)
        return total / len(chosen) + x[int(np.argmax(y))]

    pair = Pair(f)
    for scale in (1.0, 1.0, 3.0, 0.01, 0.01, 1.0, 2.0):
        for y in (X, -X, X[::-1].copy()):
            pair.agree(X * scale, y)
    assert True in taken
    assert False in taken


FACTOR, TABLE = 2.0, np.ones(12)


def reading(x: Any) -> Any:
    return np.sum(np.sin(x) * TABLE) * FACTOR


def test_globals_are_read_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = Pair(reading)

    def calls() -> None:
        for _ in range(3):
            pair.agree(X)

    calls()
    monkeypatch.setitem(globals(), "FACTOR", 3.0)
    calls()
    TABLE[3] = 5.0
    calls()
    monkeypatch.setitem(globals(), "TABLE", np.arange(12.0))
    calls()
    monkeypatch.setattr(np, "sin", np.cos)
    calls()


def test_other_arguments() -> None:
    def f(x: Any, m: Any, k: Any) -> Any:
        return np.sum((m @ x) ** 2) * k

    pair = Pair(f, (1, 0))
    for m in (M, M.T, M[:3], M.astype(np.float32), M, np.asfortranarray(M)):
        for k in (1.0, 2, True, 2.0):
            for _ in range(2):
                pair.agree(X, m, k)


def test_one_array_as_two_arguments() -> None:
    pair = Pair(lambda x, y: np.sum(x * x * y), (0, 1))
    for y in (X, X, X, 2.0 * X, 3.0 * X, X):
        pair.agree(X, y)


def test_callers_may_change_what_they_get_and_gave(taken: list[bool]) -> None:
    def f(x: Any, y: Any) -> Any:
        return np.sum(x) + np.sum(y * 2.0)

    pair, x = Pair(f, (0, 1)), X.copy()
    for k in range(5):
        x[k] = 7.0
        for part in pair.agree(x, X)[1]:
            part[...] = -1.0
    assert taken == [True] * 3


# What has no plan, or none yet


def test_the_cotangent_of_a_real_has_no_plan(taken: list[bool]) -> None:
    pair = Pair(lambda x, k: np.sum(np.sin(x * k)), (0, 1))
    for k in (1.0, 1.0, 1.0, 2.0, 2.0):
        pair.agree(X, k)
    assert taken == []


def test_what_is_printed_or_called(capsys: pytest.CaptureFixture[str], taken: list[bool]) -> None:
    """No step of it is made for the sake of a plan."""
    calls = []

    @checkpoint.primitive
    def doubled(x: Any) -> Any:
        calls.append(1)
        return x * 2.0

    def printing(x: Any) -> Any:
        print("here")
        return np.sum(x * x)

    def calling(x: Any) -> Any:
        return np.sum(x * x) * checkpoint.stop_gradient(doubled(1.0))

    for f in (printing, calling):
        gradient = checkpoint.value_and_grad(f)
        for _ in range(4):
            gradient(X)
    assert capsys.readouterr().out == "here\n" * 4
    assert len(calls) == 4
    assert taken == []


def test_long_runs_and_large_arrays_have_none(taken: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    def long(x: Any) -> Any:
        for _ in range(MAX_STEPS):
            x = x * 0.999
        return np.sum(x)

    runs: list[int] = []
    usual = Interp.advance

    def advance(*how: Any) -> Any:
        runs.append(1)
        return usual(*how)

    monkeypatch.setattr(Interp, "advance", advance)
    for f, x in ((long, X), (lambda x: np.sum(np.sin(x)), np.ones(MAX_BYTES // 16))):
        pair = Pair(f)
        for _ in range(2):
            pair.agree(x)
        tried = len(runs)
        for _ in range(3):
            pair.agree(x)
        assert len(runs) == tried  # once is enough
    assert taken == []


def test_an_error_and_a_warning_of_a_later_call() -> None:
    def f(x: Any, k: Any) -> Any:
        return np.sum(np.log(x)[k])

    def outcome(gradient: Callable[..., Any], *args: Any) -> Any:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            try:
                made = bits(gradient(*args))
            except IndexError as error:
                made = str(error)
        return made, [str(each.message) for each in found]

    pair, x = Pair(f), np.abs(X) + 0.1
    for given, k in ((x, 1), (x, 2), (x, 3), (0.0 * x, 1), (x, 12), (-x, 2), (x, 5)):
        places = np.array([k, 0])
        assert outcome(pair.planned, given, places) == outcome(pair.swept, given, places)


def test_a_plan_that_fails_is_left(taken: list[bool]) -> None:
    """Of an array whose slope is not finite there is always a sweep."""
    pair, x = Pair(lambda x: np.sum(np.sqrt(x))), np.abs(X)
    for _ in range(4):
        pair.agree(x)
    x[0] = 0.0
    with np.errstate(divide="ignore"):
        for _ in range(60):
            pair.agree(x)
    assert taken.count(False) < 60


# Combinators


def test_map_by_a_formula_has_a_plan(taken: list[bool]) -> None:
    def op(a: Any, both: Any) -> Any:
        b, c = both
        return [a * b if a > c else math.exp(c), 1.0 / (2.0 + b * b)]

    def f(x: Any, y: Any) -> Any:
        found = checkpoint.arrays.map(op, x, y)
        return np.sum(found[0] ** 2) + np.sum(found[1] * x)

    pair = Pair(f, (0, 1))
    for k in range(5):
        pair.agree(perturbed(X, k), (X[::-1], X * k))
    assert taken == [True] * 3
    strided = np.repeat(X, 2)[::2]
    for _ in range(3):
        pair.agree(X[:5], (X[:5], X[:5]))
        pair.agree(strided, (strided, X))
        pair.agree(X.astype(np.float32), (X, X))
    assert taken[3:].count(True) >= 4


@pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))
def test_a_plan_uses_as_many_threads_as_the_settings_say(
    taken: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    f = checkpoint.grad(lambda x: np.sum(checkpoint.arrays.map(lambda v: v * v + math.sin(v), x)))
    monkeypatch.setenv("CHECKPOINT_THREADS", "1")
    expected = [f(X).tobytes() for _ in range(3)]
    assert taken == [True]
    monkeypatch.setenv("CHECKPOINT_THREADS", "2")
    assert f(X).tobytes() == expected[0]
    assert taken == [True, True]
    assert library.runtime().lib.ck_threads() == 2


def test_what_a_formula_refuses_is_raised(taken: list[bool]) -> None:
    pair = Pair(lambda x: np.sum(checkpoint.arrays.map(lambda v: 1.0 / v, x)))
    for _ in range(3):
        pair.agree(X)
    for gradient in (pair.planned, pair.swept):
        with pytest.raises(ZeroDivisionError):
            gradient(np.where(X > 0.0, X, 0.0))
    pair.agree(X)
    assert taken == [True, False, True]


def test_what_a_function_has_captured_is_read_again(taken: list[bool]) -> None:
    def scaled(x: Any, scale: Any, power: int) -> Any:
        return np.sum(checkpoint.arrays.map(lambda v: scale * v**power, x))

    pair = Pair(scaled, (0, 1))
    for k in range(6):
        pair.agree(perturbed(X, k), 0.5 + k // 2, 2 + k % 3)
    fixed = Pair(scaled)
    for k in range(6):
        fixed.agree(perturbed(X, k), 0.5 + k // 3, 2)
    assert False not in taken
