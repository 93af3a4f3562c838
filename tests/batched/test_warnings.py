"""Where the lanes of `vmap(f, exact=False)` run one after another, a warning says why, at the place of f."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import engines
from checkpoint.prims.batched import apart
from tests.batched import test_fallbacks as fallbacks

X = np.array([2.0, 0.5, -1.0, 3.5])


def inner_gradient(x: Any) -> Any:
    return checkpoint.grad(lambda y: y * x)(x)


def raises(x: Any) -> Any:
    if x > 3.0:
        raise ValueError("large")
    return x


REASONS: list[tuple[Callable[..., Any], str]] = [
    (fallbacks.prints, "no batched form"),
    (inner_gradient, "gradient has no batched form"),
    (raises, "their batched form raises ValueError, large"),
    (fallbacks.divides, "a number that is not finite"),
    (fallbacks.of_different_functions, "lanes go on with different functions"),
]


def warned(f: Callable[..., Any], engine: str) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        with suppress(ValueError, ZeroDivisionError):
            checkpoint.vmap(f, exact=False, engine=engine)(np.append(X, 0.0))
    return found


@pytest.mark.engines_in_turn
@pytest.mark.parametrize("engine", engines.usable())
@pytest.mark.parametrize(("f", "reason"), REASONS, ids=lambda each: getattr(each, "__name__", ""))
def test_the_reason_is_named_once(f: Any, reason: str, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "_warned", set())
    (found,) = warned(f, engine)
    assert found.category is checkpoint.LanesWarning
    assert str(found.message).startswith(
        f"the lanes of vmap({f.__name__}, exact=False) run one after another"
    )
    assert reason in str(found.message)
    assert (Path(found.filename), found.lineno) == (Path(f.__code__.co_filename), f.__code__.co_firstlineno)
    assert not warned(f, engine)


@pytest.mark.parametrize("f", [raises, fallbacks.prints], ids=lambda f: f.__name__)
def test_without_exact_false_nothing_is_said(f: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checkpoint.vmap(f)(np.array([2.0, 0.5]))


def test_a_gradient_warns_once_and_has_the_loops_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    def total(xs: Any, exact: bool) -> Any:
        return np.sum(checkpoint.vmap(fallbacks.handles, exact=exact)(xs))

    want = checkpoint.grad(lambda xs: total(xs, True))(X)
    for engine in engines.usable():
        monkeypatch.setattr(apart, "_warned", set())
        with pytest.warns(checkpoint.LanesWarning) as found:
            got = checkpoint.grad(lambda xs: total(xs, False), engine=engine, schedule="bisection")(X)
        assert got.tobytes() == want.tobytes()
        assert len(found) == 1


def test_steps_are_alike_on_all_engines() -> None:
    mapped = checkpoint.vmap(inner_gradient, exact=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len({checkpoint.primops(mapped, X, engine=engine) for engine in engines.usable()}) == 1


def test_as_an_error_it_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "_warned", set())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(checkpoint.LanesWarning, match="gradient has no batched form"):
            checkpoint.vmap(inner_gradient, exact=False)(X)
