"""Rows of reals: the items that lanes take of arrays, and their results joined, by C and by Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint.ctarget import library, origins
from checkpoint.ctarget.cotangent import Cotangent

pytestmark = pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))

XS = np.random.default_rng(3).normal(size=20)
WIDE = np.random.default_rng(4).normal(size=(20, 3))


def scaled(x: float) -> float:
    return x * x - 3.0 * x


def total(xs: Any) -> Any:
    return np.sum(checkpoint.vmap(scaled)(xs) ** 2)


def zeros_of_both_signs(xs: Any) -> Any:
    return np.sum(checkpoint.vmap(lambda x: x * -0.0)(xs))


def the_same_twice(xs: Any) -> Any:
    return np.sum(checkpoint.vmap(lambda x, y: x * y * y)(xs, xs))


def every_second(xs: Any) -> Any:
    return np.sum(checkpoint.vmap(scaled)(xs[::-2]))


def columns(xs: Any) -> Any:
    pair = checkpoint.vmap(lambda row, x: (np.sum(row) * x, x), in_axes=(1, 0))(xs, xs[0])
    return np.sum(pair[0]) * np.sum(pair[1] * pair[1])


def few(xs: Any) -> Any:
    return np.sum(checkpoint.vmap(scaled)(xs[:5]))


def narrow(xs: Any) -> Any:
    return np.sum(checkpoint.vmap(lambda x: x * x)(xs.astype(np.float32)))


def whole_numbers(xs: Any) -> Any:
    return np.sum(checkpoint.vmap(lambda x: 1 if x > 0.0 else 2)(xs)) * np.sum(xs)


def mixed_numbers(xs: Any) -> Any:
    return np.sum(checkpoint.vmap(lambda x: x if x > 0.0 else 2)(xs))


def tuples_of_tuples(xs: Any) -> Any:
    a, (b, c) = checkpoint.vmap(lambda x: (x, (x * x, 1.0)))(xs)
    return np.sum(a * b + c)


def tangents(xs: Any) -> Any:
    value, tangent = checkpoint.jvp(total, xs, np.cos(xs))
    return value + tangent


def nested(xs: Any) -> Any:
    return np.sum(checkpoint.vmap(lambda x: np.sum(checkpoint.vmap(lambda y: x * y * y)(xs)))(xs))


CASES: list[tuple[Callable[[Any], Any], Any]] = [
    (total, XS),
    (zeros_of_both_signs, XS),
    (the_same_twice, XS),
    (every_second, XS),
    (columns, WIDE),
    (few, XS),
    (narrow, XS),
    (whole_numbers, XS),
    (mixed_numbers, XS),
    (tuples_of_tuples, XS),
    (tangents, XS),
    (nested, XS),
]


@pytest.mark.parametrize(("f", "xs"), CASES, ids=lambda each: getattr(each, "__name__", ""))
def test_values_and_gradients_are_those_of_hybrid(f: Any, xs: Any) -> None:
    for schedule in ("plain", "bisection"):
        value, gradient = checkpoint.value_and_grad(f, engine="hybrid", schedule=schedule)(xs)
        found, found_gradient = checkpoint.value_and_grad(f, engine="c", schedule=schedule)(xs)
        assert np.asarray(value).tobytes() == np.asarray(found).tobytes()
        assert gradient.tobytes() == found_gradient.tobytes()
    assert len({checkpoint.primops(f, xs, engine=engine) for engine in ("hybrid", "c")}) == 1


def test_second_derivatives() -> None:
    def twice(xs: Any) -> Any:
        return np.sum(checkpoint.grad(total)(xs) ** 2)

    want = checkpoint.grad(twice, engine="hybrid")(XS)
    assert want.tobytes() == checkpoint.grad(twice, engine="c")(XS).tobytes()


def test_c_makes_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Items and results are no lists of Python on a tape, where there are many."""
    made: list[str] = []
    for cls in (origins.Items, origins.Joined):

        def noted(self: Any, slots: Any, cotangent: Any, reverse: Any = cls.reverse) -> None:
            made.append(type(self).__name__)
            reverse(self, slots, cotangent)

        monkeypatch.setattr(cls, "reverse", noted)
    checkpoint.grad(total, engine="c")(XS)
    assert made == ["Joined", "Items"]
    made.clear()
    checkpoint.grad(few, engine="c")(XS)
    assert not made


def test_cotangents_that_are_no_reals(monkeypatch: pytest.MonkeyPatch) -> None:
    """What C cannot take together is reversed as hybrid does."""
    want = checkpoint.grad(total, engine="hybrid")(XS)
    monkeypatch.setattr(Cotangent, "take_row", lambda self, birth, row: False)
    monkeypatch.setattr(origins, "_is_like", lambda array, like: False)
    assert want.tobytes() == checkpoint.grad(total, engine="c")(XS).tobytes()
