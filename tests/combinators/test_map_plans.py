"""Calls of `checkpoint.arrays.map` by plans: what these take, and that they see every change.

The loop of Python's own over the items says what is right, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import arrays

RNG = np.random.default_rng(0)
TIMES = 2


def by_items(f: Callable[..., Any], *columns: Any) -> Any:
    return np.array([f(*row) for row in zip(*[column.tolist() for column in columns], strict=True)])


@pytest.fixture
def ordinary(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list to which each ordinary call adds its combinator."""
    run, found = arrays._run, list[Any]()

    def noted(combinator: Any, *args: Any) -> Any:
        found.append(combinator)
        return run(combinator, *args)

    monkeypatch.setattr(arrays, "_run", noted)
    return found


def learned(ordinary: list[Any], f: Callable[..., Any], *nests: Any) -> None:
    """Let calls of a function have a plan."""
    arrays.map(f, *nests)
    arrays.map(f, *nests)
    ordinary.clear()


def test_the_third_call_is_taken_by_a_plan(ordinary: list[Any]) -> None:
    def f(x: float, y: float) -> float:
        return x * TIMES - 1.0 / (1.0 + y * y) if x < y else y

    learned(ordinary, f, RNG.random(300), RNG.random(300))
    x, y = RNG.random(300), RNG.random(300)
    found, again = arrays.map(f, x, y), arrays.map(f, x, y)
    assert not ordinary
    assert found.tobytes() == by_items(f, x, y).tobytes()
    found[:] = 0.0  # is the caller's
    assert again.tobytes() == by_items(f, x, y).tobytes() == arrays.map(f, x, y).tobytes()
    assert not ordinary


def test_nests_come_back_in_their_structure(ordinary: list[Any]) -> None:
    def f(pair: Any) -> Any:
        return [pair["a"] * pair["b"], (pair["a"] + 1.0,)]

    def nest() -> Any:
        return {"a": RNG.random(5), "b": RNG.random(5)}

    learned(ordinary, f, nest())
    given = nest()
    product, (more,) = arrays.map(f, given)
    assert not ordinary
    assert (product.tolist(), more.tolist()) == (
        (given["a"] * given["b"]).tolist(),
        (given["a"] + 1.0).tolist(),
    )


def test_what_the_function_reads_is_compared(ordinary: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    factors = [3]

    def f(x: float) -> float:
        return factors[0] * x + TIMES

    x = RNG.random(7)
    changes: list[Callable[[], object]] = [
        lambda: None,
        lambda: monkeypatch.setitem(globals(), "TIMES", -3),
        lambda: factors.__setitem__(0, 5),
    ]
    for change in changes:
        change()
        for _ in range(4):
            assert arrays.map(f, x).tobytes() == by_items(f, x).tobytes()
        assert 1 <= len(ordinary) < 4
        ordinary.clear()


def test_functions_of_one_code_are_told_apart() -> None:
    def scaled(scale: float) -> Callable[[float], float]:
        return lambda x: x * scale

    x = RNG.random(7)
    for scale in (1.5, 2.5, 1.5, 1.5, 2.5, 2.5, 2.5):
        f = scaled(scale)
        assert arrays.map(f, x).tobytes() == by_items(f, x).tobytes()


def test_other_shapes_and_kinds_are_ordinary(ordinary: list[Any]) -> None:
    def f(x: Any) -> Any:
        return x * 2 + 1

    learned(ordinary, f, RNG.random(7))
    for x in (
        RNG.random(8),
        RNG.random(14)[::2],
        np.arange(7),
        RNG.random(7).astype(np.float32),
        RNG.random((7, 2)),
    ):
        found = arrays.map(f, x)
        assert found.dtype == (x * 2 + 1).dtype
        assert found.tolist() == (x * 2 + 1).tolist()
        assert ordinary.pop()
        assert not ordinary


def test_what_fails_raises_as_ever(ordinary: list[Any]) -> None:
    def f(x: float) -> float:
        return 1.0 / x

    learned(ordinary, f, np.array([1.0, 2.0]))
    with pytest.raises(ZeroDivisionError):
        arrays.map(f, np.array([1.0, 0.0]))
    assert arrays.map(f, np.array([2.0, 4.0])).tolist() == [0.5, 0.25]
    with pytest.raises(ValueError, match="items"):
        arrays.map(lambda x, y: x + y, np.ones(2), np.ones(3))


def test_what_prints_prints_each_time(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: float) -> float:
        print(x)
        return x

    for _ in range(4):
        arrays.map(f, np.array([1.0, 2.0]))
        assert capsys.readouterr().out == "1.0\n2.0\n"


def test_observed_and_bounded_calls_are_ordinary(
    ordinary: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def f(x: float) -> float:
        return x * x

    x = RNG.random(7)
    learned(ordinary, f, x)
    with checkpoint.profile():
        arrays.map(f, x)
    assert ordinary.pop()
    monkeypatch.setenv("CHECKPOINT_MEMORY", "1GiB")
    arrays.map(f, x)
    assert ordinary.pop()


def test_what_is_returned_shares_nothing_with_the_items(ordinary: list[Any]) -> None:
    def f(x: float) -> float:
        return x

    x = RNG.random(7)
    for _ in range(4):
        found = arrays.map(f, x)
        found[:] = 0.0
        assert x.all()
