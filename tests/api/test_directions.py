"""Jacobians whose columns are found at once have the bits of one derivative for each column."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.optimize

import checkpoint
from checkpoint.ad.arrays import NotTogether
from checkpoint.api import directions
from checkpoint.api.directions import together as own
from checkpoint.prims.batched.directions import Together
from tests.support.corpus import engine_name, usable_engines

ENGINES = pytest.mark.parametrize("engine", usable_engines(), ids=engine_name)
RNG = np.random.default_rng(3)
POINTS, WEIGHTS = RNG.normal(size=(7, 3)), RNG.normal(size=(3, 3))
MANY = RNG.normal(size=(4, 3, 3))
X = RNG.normal(size=12)
MANY_ROWS, PLACES = RNG.normal(size=(33, 9, 12)), RNG.integers(0, 33, 5)


def turned(x: Any) -> Any:
    """Turn points about angles, which are reals."""
    points = POINTS
    for i in range(12):
        s, c = np.sin(x[i]), np.cos(x[i])
        a, b, z = points[:, 0], points[:, 1], points[:, 2]
        points = np.stack([c * a - s * b, s * a + c * b, z + 0.1 * x[i]], 1)
    return points


def branching(x: Any) -> Any:
    """Take branches and loops that depend on values."""
    y = x * 1.0
    k = 0
    while np.sum(y * y) > 1e-2 and k < 6:
        y = (
            np.where(y > 0.2, y * 0.5, -y / (1.5 + y * y))
            if k % 2
            else np.maximum(y, 0.1) * np.sqrt(np.abs(y))
        )
        k += 1
    return {"y": y, "sum": float(np.sum(y)), "pair": (y[2:5], y[0])}


def writing(x: Any) -> Any:
    """Write into arrays."""
    out = np.zeros((4, 3))
    for i in range(4):
        out[i] = x[3 * i : 3 * i + 3] * WEIGHTS[i % 3]
        out[i, 1] += x[i] ** 2
    out *= 2.0
    return out.T


def multiplied(x: Any) -> Any:
    """Multiply matrices, and add up."""
    m = np.reshape(x, (4, 3))
    for _ in range(4):
        m = np.tanh(m @ WEIGHTS + np.mean(m, axis=0)) - np.max(m, axis=1, keepdims=True)
    return m, np.linalg.norm(m), np.concatenate([m[0], m[:, 1]]), np.exp(m).sum()


def singular(x: Any) -> Any:
    """Pass points where a partial is infinite, and a tangent may be zero."""
    y = x * np.array([0.0, 1.0] * 6)
    return np.sqrt(y * y), np.abs(y) ** 0.5, np.sqrt(np.abs(x))[::2] + y[1::2]


def with_helpers(x: Any) -> Any:
    """Mix reals, arrays without axes, integers, lists and dictionaries."""
    found: dict[str, Any] = {"a": [x[0] * 2.0, x[1]], "n": np.arange(12)}
    total = np.array(0.5)
    for item in found["a"]:
        total = total + item * found["n"][3]
    return np.array([found["a"][0], 1, total]) * found["n"][:3], float(total) ** 3, x * found["n"]


def steady(x: Any) -> Any:
    """Take steps on arrays, so that most of a program's are."""
    for _ in range(8):
        x = x * 0.9 + 0.1
    return x


def rearranged(x: Any) -> Any:
    """Move elements, with rules for all directions and without."""
    y = np.reshape(steady(x), (3, 4))
    parts = [y[::-1, 1:3], y[..., None] * y[:, None, :], np.moveaxis(y, 0, 1), np.broadcast_to(y[0], (2, 4))]
    parts += [np.tile(y, 2), np.repeat(y, 2), np.roll(y, 1), np.flip(y), np.triu(y), np.pad(y, 1), y[y > 0.5]]
    parts += [np.vstack([y, y]), np.hstack([y, y * 2]), np.concatenate([y, np.ones((1, 4))]), np.sort(y)]
    parts += [np.array([y[0, 0], 2.0, y[1, 1]]), np.array([[y[0, 0], 1], [0, y[1, 1]]]), np.squeeze(y[:1])]
    return parts, np.split(y, 2, axis=1), y.T[1], np.diag(y @ y.T), y[np.argsort(y[:, 0])]


def of_matrices(x: Any) -> Any:
    """Apply functions that add up, and such as are not rounded correctly."""
    y = np.reshape(steady(x), (3, 4))
    square = y @ y.T
    parts = [np.linalg.inv(square), np.linalg.det(square), np.trace(square), np.linalg.solve(square, y)]
    parts += [y.std(), np.var(y, axis=1), np.median(y), np.cumsum(y), np.prod(y), np.outer(y, x), y.max()]
    parts += [np.hypot(y, 0.5), np.arctan2(y, y + 1), np.power(np.abs(y), y), np.logaddexp(y, y * 2), y % 0.3]
    return parts, np.tensordot(y, y, axes=([1], [1])), np.cross(y[:, :3], y[:, 1:]), np.round(y, 1)


def without_axes(x: Any) -> Any:
    """Use arrays of shape (), and reals made of them, in functions of Python."""
    a = np.sum(steady(x))
    real = float(a * 2.0)
    numbers = [math.sin(real), math.sqrt(abs(real)), abs(real) ** 2.5, max(real, 0.1)]
    return numbers, np.array(real).reshape(1), real * x, np.stack([a, a * 2])


def stacks(x: Any) -> Any:
    """Multiply stacks of matrices, of which some are alike for all directions."""
    y = np.reshape(steady(x), (2, 2, 3))
    squares = y @ np.swapaxes(y, 1, 2)
    found = [squares @ MANY[:2, :2, :2], MANY[:, :, :2] @ squares[0], MANY[:2] @ np.swapaxes(y, 1, 2)]
    return found, y[0] @ WEIGHTS, POINTS @ y[0].T, squares[:, None] @ MANY[None, :, :2, :2]


class Walker:
    """An object with a list of what it has been."""

    def __init__(self, at: Any) -> None:
        self.at = at
        self.past: list[Any] = []

    def go(self) -> None:
        """Remember a place, and move on."""
        self.past.append(self.at)
        self.at = self.at * 0.5 + self.past[0]


def with_objects(x: Any) -> Any:
    """Change objects, handle exceptions, and run a generator."""
    walker = Walker(steady(x))
    for _ in range(4):
        walker.go()
    try:
        if float(walker.at[0]) < 1e9:
            raise ValueError
        found = x
    except ValueError:
        found = walker.at * 3.0
    shared = [found, found]
    shared[0] = sum(steady(x) * i for i in range(3))
    return walker.past[2], {"a": found, "b": shared}


def not_finite(x: Any) -> Any:
    """Pass infinities and what is no number."""
    y = steady(x) * np.array([0.0, np.inf, np.nan] + [1.0] * 9)
    return np.sqrt(y), np.log(np.abs(y)), y / y, y**0.5, np.abs(y), np.maximum(y, 0), np.nan_to_num(y)


def sums(x: Any) -> Any:
    """Add and index what is in one piece, over so many elements that their order shows."""
    a = MANY_ROWS * np.sin(x) * x
    first = np.sum(a), np.sum(a, 0), np.mean(a, axis=1), np.mean(a), np.sum(a, axis=-1, keepdims=True)
    return first, a[3:7, -1], a[PLACES], a[2, :, 1:4], np.sum(a * a, 1)


def sums_of_views(x: Any) -> Any:
    """Add what is not in one piece."""
    a = MANY_ROWS * x * x
    return (
        np.sum(a.T),
        np.mean(a.T, axis=0),
        np.sum(a[:, 1:7]),
        np.sum(np.broadcast_to(x * 3.0, (300, 12)), 0),
    )


TOGETHER = [
    *(turned, branching, writing, multiplied, singular, with_helpers, rearranged, of_matrices, without_axes),
    *(with_objects, not_finite, stacks, sums, sums_of_views),
]


@pytest.fixture
def blocks(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list to which each run along several directions adds how many these were, or its failure."""
    found: list[Any] = []

    def together(call: Any, at: Any, chosen: Any) -> Any:
        try:
            columns = own(call, at, chosen)
        except NotTogether:
            found.append("not together")
            raise
        found.append(len(chosen))
        return columns

    monkeypatch.setattr(directions, "together", together)
    return found


def leaves(value: Any) -> list[Any]:
    """Return the arrays and reals in a nest."""
    if isinstance(value, dict):
        return [leaf for key in value for leaf in leaves(value[key])]
    if isinstance(value, list | tuple):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def check(f: Callable[..., Any], x: Any, engine: Any) -> None:
    """Compare each column of a Jacobian with a derivative along it, bit for bit."""
    matrix = leaves(checkpoint.jacfwd(f, engine=engine)(x))
    for k, unit in enumerate(np.eye(len(x))):
        column = leaves(checkpoint.jvp(f, x, unit, engine=engine)[1])
        assert len(column) == len(matrix)
        for block, part in zip(matrix, column, strict=True):
            assert np.ascontiguousarray(np.asarray(block)[..., k]).tobytes() == np.asarray(part).tobytes(), (
                f,
                k,
            )


@ENGINES
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of what is not finite
@pytest.mark.parametrize("f", TOGETHER)
def test_columns_at_once_have_the_bits_of_each(f: Any, engine: Any, blocks: list[Any]) -> None:
    """Programs with branches, loops, writes, and steps that have no rule for all directions."""
    check(f, X, engine.name)
    assert blocks == [11]


def test_blocks_of_directions(blocks: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Large arrays are found for fewer directions at once, unless they are few among many records."""
    monkeypatch.setattr("checkpoint.prims.batched.directions.LARGEST", 21 * 6)
    for elements in (0, 21 * 12):
        monkeypatch.setattr("checkpoint.prims.batched.directions.AS_A_RECORD", elements)
        check(turned, X, None)
    assert blocks == [6, 5, 11]


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which each run along one direction adds an element."""
    found: list[int] = []
    usual = directions._along_one

    def along_one(*how: Any) -> Any:
        found.append(1)
        return usual(*how)

    monkeypatch.setattr(directions, "_along_one", along_one)
    return found


def bits(value: Any) -> list[bytes]:
    return [np.asarray(leaf).tobytes() for leaf in leaves(value)]


@pytest.mark.parametrize("largest", [2**17, 21 * 6])
def test_a_further_call_needs_no_run_along_one_direction(
    largest: int, alone: list[int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """For arguments of the same form it takes all directions at once, or as many as fit."""
    monkeypatch.setattr("checkpoint.prims.batched.directions.LARGEST", largest)
    monkeypatch.setattr("checkpoint.prims.batched.directions.AS_A_RECORD", 0)

    def talking(x: Any, y: Any) -> Any:
        print("here")
        return turned(x * y)

    jacobian = checkpoint.jacfwd(talking)
    for x in (X, X[::-1].copy(), X):
        before = len(alone)
        found = bits(jacobian(x, 2.0))
        assert len(alone) - before == (x is X and not before)
        assert found == bits(checkpoint.jacfwd(talking)(x, 2.0))
    before = len(alone)
    jacobian(X, WEIGHTS[0, 0] * np.ones(12))  # of another form
    assert len(alone) > before
    assert capsys.readouterr().out == "here\n" * 7


def moody(x: Any) -> Any:
    """Need one direction at a time for some arguments, and fail for others."""
    if x[0] > 5.0:
        raise ValueError("too large")
    return inner_gradient(x) if x[0] < -5.0 else turned(x)


def test_a_further_call_that_needs_one_direction(alone: list[int]) -> None:
    jacobian, low, high = checkpoint.jacfwd(moody), X - 10.0, X + 10.0
    assert bits(jacobian(X)) == bits(checkpoint.jacfwd(moody)(X))
    with pytest.raises(ValueError, match="too large"):
        jacobian(high)
    assert bits(jacobian(low)) == bits(checkpoint.jacfwd(moody)(low))
    assert bits(jacobian(X)) == bits(checkpoint.jacfwd(moody)(X))


def roots(x: Any) -> Any:
    """Apply functions whose slopes may be infinite."""
    y = steady(x) * x + 0.5
    return np.sqrt(y * y), np.sqrt(y[0] * y[0]), np.log(y * y), (y * y) ** 1.5


@pytest.mark.parametrize("f", [stacks, roots, sums])
def test_products_roots_and_sums_are_found_at_once(f: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No product of matrices, sum or singular function is found for one direction after another."""
    found: list[str] = []
    usual = Together._by_direction

    def by_direction(self: Any, record: Any, *rest: Any) -> Any:
        found.append(record.name)
        return usual(self, record, *rest)

    monkeypatch.setattr(Together, "_by_direction", by_direction)
    check(f, X, None)
    assert found == []


@ENGINES
def test_other_arguments_are_constants(engine: Any) -> None:
    """They have no tangent, which would give infinity times zero; reverse mode has none, either."""
    args = np.array([np.inf, 1.0]), np.array([2.0, 3.0]), 4.0

    with np.errstate(invalid="ignore"):
        found = checkpoint.jacfwd(lambda x, y, z: x * y * z, engine=engine.name)(*args)
        assert np.array_equal(np.diag(found), [8.0, 12.0])
        assert checkpoint.jacfwd(lambda a, b: a * b, engine=engine.name)(math.inf, 2.0) == 2.0


def inner_gradient(x: Any) -> Any:
    return x * checkpoint.grad(lambda y: np.sum(y * y * y) + np.sum(y * x))(x)


cubed = checkpoint.primitive(lambda x: x**3, jvp=lambda tangents, y, x: 3.0 * x**2 * tangents[0])


def with_own_step(x: Any) -> Any:
    return cubed(steady(x))


def with_solver(x: Any) -> Any:
    y = steady(x)
    return y * scipy.optimize.brentq(lambda t: t**3 + t - float(y[0]), -5.0, 5.0)


def inner_jvp(x: Any) -> Any:
    return checkpoint.jvp(lambda y: y * y * x, x * 2.0, x)[1]


def handling(x: Any) -> Any:
    try:
        return inner_gradient(x)
    except Exception:  # must not see that directions are given up
        return x * 0.0


@ENGINES
@pytest.mark.parametrize("f", [inner_gradient, inner_jvp, handling, with_own_step, with_solver])
def test_derivatives_within(f: Any, engine: Any) -> None:
    """A derivative within the program may need one direction at a time."""
    check(f, X, engine.name)


@pytest.mark.parametrize("f", [handling, with_own_step, with_solver])
def test_what_needs_one_direction_gives_up(f: Any, blocks: list[Any]) -> None:
    """A gradient within, a step with a rule of its own, a solver; no handler of the program sees it."""
    check(f, X, None)
    assert blocks == ["not together"]


def test_other_arrays_go_one_by_one(blocks: list[Any]) -> None:
    """Arrays of float32 are not found together, nor are programs of many steps on reals."""
    check(lambda x: (x.astype(np.float32) * np.float32(0.1)).astype(np.float64) * x, X, None)

    def scalar(x: Any) -> Any:
        total, a = 0.0, float(x[3])
        for _ in range(2000):
            total = total * 0.5 + a
        return x * total

    check(scalar, X, None)
    assert blocks == []


def test_what_is_printed_is_printed_once(capsys: pytest.CaptureFixture[str], blocks: list[Any]) -> None:
    """The run along several directions shares the log of the first."""

    def talking(x: Any) -> Any:
        print("here")
        return turned(x)

    checkpoint.jacfwd(talking)(X)
    assert blocks == [11]
    assert capsys.readouterr().out == "here\n"
