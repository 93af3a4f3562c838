"""map, reduce, scan, reduce_by_index, scatter, filter, partition: their own rules, nests, errors, checks."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import arrays, config, control, engines
from checkpoint.ad.record import NoReset
from checkpoint.functions.resumption import as_function
from tests.combinators import trees
from tests.support.sampling import sample

RNG = np.random.default_rng(0)


def product(a: Any, b: Any) -> Any:
    return a * b


def composed(f: Any, g: Any) -> Any:
    """Return the composition of two linear functions, f first."""
    return f[0] * g[0], f[1] * g[0] + g[1]


ADDITIONS = [operator.add, np.add, lambda a, b: a + b]


def values(f: Callable[..., Any], *args: Any) -> list[Any]:
    return [as_function(f).call(args, {}, engine).value() for engine in engines.usable()]


# Operators with rules of their own


@pytest.mark.parametrize(("count", "add"), sample(itertools.product([1, 2, 5, 14], ADDITIONS)))
def test_sums_have_the_tree_of_any_operator(add: Any, count: int) -> None:
    x = RNG.normal(size=(count, 2))
    rows = list(x)
    assert arrays.reduce(add, x).tobytes() == trees.tree(np.add, rows).tobytes()
    assert arrays.reduce(add, x[:, 0]) == trees.tree(operator.add, x[:, 0].tolist())
    want = [trees.prefix(np.add, rows[: i + 1]) for i in range(count)]
    assert arrays.scan(add, x).tobytes() == np.array(want).tobytes()
    assert arrays.scan(lambda a, b: b + a, x).tobytes() == np.array(want).tobytes()


def test_own_rules_take_fewer_steps_and_have_the_gradient_of_any_operator() -> None:
    x = RNG.normal(size=100)

    def own(x: Any) -> Any:
        return arrays.reduce(np.add, x) ** 2 + np.sum(arrays.scan(np.add, x) ** 3)

    def added(a: Any, b: Any) -> Any:
        return float(np.add(b, a))  # which has neither a rule of its own nor a formula

    def general(x: Any) -> Any:
        return arrays.reduce(added, x) ** 2 + np.sum(arrays.scan(added, x) ** 3)

    assert 5 * checkpoint.primops(own, x) < checkpoint.primops(general, x)
    assert np.allclose(checkpoint.grad(own)(x), checkpoint.grad(general)(x), rtol=1e-12)


@pytest.mark.parametrize("extreme", [np.maximum, np.minimum, max, min])
def test_at_ties_the_first_has_the_derivative(extreme: Any) -> None:
    x = np.array([2.0, 1.0, 3.0, 1.0, 3.0])
    want = np.zeros(5)
    want[2 if extreme in (np.maximum, max) else 1] = 1.0

    def reduced(x: Any) -> Any:
        return arrays.reduce(extreme, x)

    for engine in engines.usable():
        assert checkpoint.grad(reduced, engine=engine)(x).tolist() == want.tolist()


@pytest.mark.parametrize("magnitude", [abs, math.fabs, lambda x: math.copysign(x, 1.0)])
@pytest.mark.parametrize("engine", engines.usable())
def test_at_kinks_items_have_the_derivative_of_numbers(
    magnitude: Callable[[float], float], engine: str
) -> None:
    """The operator has no formula, by the call of len, so its steps are those of batches."""

    def f(x: Any) -> Any:
        return arrays.reduce(lambda a, b: (magnitude(a) + magnitude(b)) * len([a]), x)

    x = [0.0, 1.0, -2.0, 0.0]
    assert checkpoint.grad(f, engine=engine)(np.array(x)).tolist() == [1.0, 1.0, -1.0, 1.0]


@pytest.mark.parametrize("zeros", [(), (1,), (1, 3)])
def test_products_with_zeros(zeros: tuple[int, ...]) -> None:
    x = RNG.uniform(1.0, 2.0, 5)
    x[list(zeros)] = 0.0
    others = [np.prod(np.delete(x, i)) for i in range(5)]
    assert np.allclose(checkpoint.grad(lambda x: arrays.reduce(product, x))(x), others, rtol=1e-14)


# Nests of combinators


def test_linear_recurrences_are_scans() -> None:
    a, b = RNG.uniform(0.5, 1.5, 9), RNG.normal(size=9)

    def by_scan(a: Any, b: Any) -> Any:
        return np.sum(arrays.scan(composed, (a, b))[1] ** 2)

    def by_loop(a: Any, b: Any) -> Any:
        total, x = 0.0, 0.0
        for i in range(len(a)):
            x = a[i] * x + b[i]
            total = total + x * x
        return total

    got, want = (checkpoint.grad(f, (0, 1))(a, b) for f in (by_scan, by_loop))
    assert np.allclose(got, want, rtol=1e-12)


def test_combinators_within_each_other() -> None:
    x, at = RNG.uniform(0.5, 1.5, (3, 4)), np.array([0, 1, 1, 2])

    def of_a_row(row: Any) -> Any:
        bins = arrays.reduce_by_index(lambda a, b: a * b, np.ones(3), at, row)
        return arrays.reduce(lambda a, b: a * b + 0.5, arrays.scan(lambda a, b: a + 0.5 * b, bins))

    def nested(x: Any) -> Any:
        return np.sum(arrays.map(of_a_row, x) ** 2)

    def of_arrays(a: Any, b: Any) -> Any:
        return a + arrays.scan(lambda p, q: p * q, b)

    def with_scans_within(x: Any) -> Any:
        return np.sum(arrays.reduce(of_arrays, x) ** 2)

    with config.override(check=False):
        want = np.sum(np.array([of_a_row(row) for row in x]) ** 2)
        for f in (nested, with_scans_within):
            found = [checkpoint.value_and_grad(f, engine=engine)(x) for engine in engines.usable()]
            assert len({(float(y), by.tobytes()) for y, by in found}) == 1
            assert f is not nested or found[0][0] == want
            eps = 1e-6 * np.ones_like(x)
            assert np.isclose(np.sum(found[0][1]), (f(x + eps) - f(x - eps)) / 2e-6, rtol=1e-6)


def test_matrices() -> None:
    x = RNG.normal(size=(11, 2, 2))
    want = trees.tree(np.matmul, list(x))
    for found in values(lambda x: arrays.reduce(lambda a, b: a @ b, x), x):
        assert found.tobytes() == want.tobytes()


def test_operators_that_capture_what_is_differentiated() -> None:
    x = RNG.uniform(0.5, 1.5, 6)

    def loss(c: Any, x: Any) -> Any:
        return arrays.reduce(lambda a, b: a * b * c, x)

    def by_loop(c: Any, x: Any) -> Any:
        found = x[0]
        for i in range(1, len(x)):
            found = found * x[i] * c
        return found

    got, want = (checkpoint.grad(f, (0, 1))(1.5, x) for f in (loss, by_loop))
    assert np.isclose(got[0], want[0])
    assert np.allclose(got[1], want[1])
    assert np.isclose(checkpoint.grad(checkpoint.grad(loss))(1.5, x), 20.0 * math.prod(x) * 1.5**3)


# Items that move


def test_scatter() -> None:
    def scattered(dest: Any, new: Any) -> Any:
        return arrays.scatter((dest, dest * 2.0), np.array([2, 0, 2]), (new, new + 1.0))

    dest, new = np.zeros(4), np.array([1.0, 2.0, 3.0])
    for found in values(scattered, dest, new):
        assert [part.tolist() for part in found] == [[2.0, 0.0, 3.0, 0.0], [3.0, 0.0, 4.0, 0.0]]
    by = checkpoint.grad(lambda d, n: np.sum(scattered(d, n)[0] ** 2), (0, 1))(dest + 1.0, new)
    assert [part.tolist() for part in by] == [[0.0, 2.0, 0.0, 2.0], [0.0, 4.0, 6.0]]


def test_filter_and_partition() -> None:
    x, y = np.array([1.0, -2.0, 3.0, -4.0]), np.arange(8.0).reshape(4, 2)

    def parts(x: Any, y: Any) -> Any:
        return arrays.partition(lambda item: item[0] > 0.0, (x, y))

    for (a, b), (c, d) in values(parts, x, y):
        assert (a.tolist(), b.tolist()) == ([1.0, 3.0], [[0.0, 1.0], [4.0, 5.0]])
        assert (c.tolist(), d.tolist()) == ([-2.0, -4.0], [[2.0, 3.0], [6.0, 7.0]])
    assert arrays.filter(lambda x: x > 0.0, x).tolist() == [1.0, 3.0]
    assert arrays.filter(lambda x: x > 0.0, np.zeros((0, 2))).shape == (0, 2)
    slope = checkpoint.grad(lambda x: np.sum(arrays.filter(lambda x: x > 0.0, x) ** 2))(x)
    assert slope.tolist() == [2.0, 0.0, 6.0, 0.0]


@pytest.mark.parametrize("dtype", [np.int64, np.float32, bool])
def test_other_dtypes(dtype: Any) -> None:
    x = np.array([2, 0, 3, 1, 2]).astype(dtype)
    for whole, running in values(lambda x: (arrays.reduce(product, x), arrays.scan(np.maximum, x)), x):
        assert (whole.dtype, running.dtype) == (dtype, dtype)
        assert whole == dtype(0)
        assert running.tolist() == np.maximum.accumulate(x).tolist()


# Errors


def test_no_items() -> None:
    with pytest.raises(ValueError, match="reduce has no items: pass neutral="):
        arrays.reduce(product, np.zeros(0))
    assert arrays.reduce(product, np.zeros(0), 1.0) == 1.0
    assert arrays.scan(product, np.zeros(0)).shape == (0,)
    assert arrays.reduce_by_index(product, np.ones(2), np.zeros(0, int), np.zeros(0)).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("bins", [300, 70_000, 5_000_000])
@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64])
def test_values_of_an_index_keep_their_order(bins: int, dtype: Any) -> None:
    """Indices of any length of their own, and of as many digits as there are bins for."""
    last = min(bins, np.iinfo(dtype).max + 1)
    at = RNG.choice(np.array([0, 1, last // 2, last // 2 + 1, last - 1, -1 if dtype != np.uint16 else 2]), 40)
    f, g = RNG.uniform(0.5, 1.5, (2, 40))
    ones, zeros = np.ones(bins), np.zeros(bins)
    found = arrays.reduce_by_index(composed, (ones, zeros), at.astype(dtype), (f, g))
    for each in np.unique(at):
        want = (1.0, 0.0)
        for i in np.flatnonzero(at % bins == each % bins):
            want = composed(want, (f[i], g[i]))
        np.testing.assert_allclose([found[0][each], found[1][each]], want, rtol=1e-13)
    assert int(np.sum(found[0] != 1.0)) == len(np.unique(at % bins))


WRONG: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: arrays.reduce(product, 3.0),
        TypeError,
        "reduce takes arrays whose items lie along the first axis",
    ),
    (lambda: arrays.scan(product, (np.ones(2), np.ones(3))), ValueError, "one number of items, not 2, 3"),
    (lambda: arrays.map(product, np.ones(2), np.ones(3)), ValueError, "map takes arrays with one number of"),
    (lambda: arrays.map(abs, np.ones(0)), ValueError, "map has no items: what f returns cannot be known"),
    (
        lambda: arrays.scan(lambda a, b: np.concatenate([a, b]), np.ones((3, 2))),
        TypeError,
        "shapes and dtypes must be the same",
    ),
    (
        lambda: arrays.reduce(lambda a, b: 1.0 * a * b, np.arange(1, 4)),
        TypeError,
        "an array int64 .1,. are combined",
    ),
    (lambda: arrays.reduce(lambda a, b: (a, b), np.ones(2)), TypeError, "are not alike: an operator returns"),
    (lambda: arrays.reduce(lambda a, b: a > b, np.ones(2)), TypeError, "shapes and dtypes must be the same"),
    (
        lambda: arrays.reduce_by_index(product, np.ones(2), np.array([0, 2]), np.ones(2)),
        IndexError,
        "index 2 is out of bounds for 2 items",
    ),
    (
        lambda: arrays.reduce_by_index(product, np.ones(2), np.array([0.0, 1.0]), np.ones(2)),
        TypeError,
        "indices are an array of integers",
    ),
    (
        lambda: arrays.reduce_by_index(product, np.ones(2), np.array([0]), np.ones(2)),
        ValueError,
        "indices of shape",
    ),
    (
        lambda: arrays.filter(lambda x: x, np.ones(2)),
        TypeError,
        "filter takes a function that returns one boolean",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), WRONG)
def test_what_is_wrong_is_said(call: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("check", [False, True])
def test_what_an_operator_raises_is_raised(check: bool) -> None:
    with config.override(check=check), pytest.raises(ZeroDivisionError):
        arrays.reduce(lambda a, b: a / (b - b), np.array([1.0, 0.0, 2.0]))


def checked(both: Any) -> Any:
    """Return a sum over all that check their operator, which captures what is differentiated."""
    c, x = both

    def scaled(a: Any, b: Any) -> Any:
        return a * b * c

    bins = arrays.reduce_by_index(scaled, np.ones(2), np.array([0, 1, 0, 1]), x)
    return arrays.reduce(scaled, x) + np.sum(arrays.scan(scaled, x)) + np.sum(bins)


def test_the_check_changes_no_steps_births_and_gradients() -> None:
    both = 1.5, RNG.uniform(0.5, 1.5, 4)

    def counted(check: bool, engine: str) -> Any:
        with config.override(check=check):
            steps = checkpoint.primops(checked, both, engine=engine)
            state = checkpoint.interrupt(checked, both, steps - 1, engine=engine).state
            (c, x) = checkpoint.grad(checked, engine=engine)(both)
        return steps, getattr(state, "births", None), state.tags, c, x.tobytes()

    found = [[counted(check, engine) for engine in engines.usable()] for check in (False, True)]
    assert found[0] == found[1]
    assert len({steps for steps, *_ in found[0]}) == 1
    assert found[0][-1][1] is not None  # the engine that is last counts births


def test_what_fails_under_the_check_alone_is_no_error() -> None:
    def fails_at_a_sum(a: Any, b: Any) -> Any:
        return 1.0 / (a - 5.0) if b == 7.0 else a + b

    with config.override(check=True):  # (1 + 4) 7 divides by 0, which the tree (1 4) (7 2) never does
        assert arrays.reduce(fails_at_a_sum, np.array([1.0, 4.0, 7.0, 2.0])) == 5.0 + 9.0


@pytest.mark.parametrize("check", [False, True])
def test_operators_that_shift_are_refused_with_and_without_the_check(check: bool) -> None:
    def shifting(a: Any, b: Any) -> Any:
        return a * control.shift(lambda k: b)

    with config.override(check=check), pytest.raises(NoReset, match="this shift has no reset"):
        checkpoint.grad(lambda x: control.reset(lambda: arrays.reduce(shifting, x)))(np.ones(4))


def test_operators_that_are_not_associative_are_named() -> None:
    def halved(a: Any, b: Any) -> Any:
        return 0.5 * (a + b)

    x = np.array([1.0, 2.0, 4.0, 3.0])
    calls: list[Callable[[], Any]] = [
        lambda: arrays.reduce(halved, x),
        lambda: arrays.scan(halved, x),
        lambda: arrays.reduce_by_index(halved, np.zeros(1), np.zeros(4, int), x),
    ]
    for call in calls:
        with config.override(check=True), pytest.raises(ValueError, match="halved is not associative"):
            call()
        with config.override(check=False):
            call()
