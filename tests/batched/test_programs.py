"""`vmap(f, exact=False)` beside the loop over lanes: the same within rounding, and bits over engines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import engines
from tests.batched.programs import OF_ARRAYS, OF_NUMBERS, arguments
from tests.support.sampling import in_turn, sample

pytestmark = pytest.mark.engines_in_turn

ALL = [*OF_ARRAYS, *OF_NUMBERS]
WIDTHS = (1, 3, 64)


def over_lanes(f: Callable[..., Any], exact: Any) -> Callable[..., Any]:
    return checkpoint.vmap(f, (0, None), exact=exact)


def gradient(f: Callable[..., Any], exact: bool, args: tuple[Any, ...], **how: Any) -> Any:
    def loss(x: Any, shared: Any) -> Any:
        return np.sum(checkpoint.vmap(f, (0, None), exact=exact)(x, shared) ** 2)

    by = (0, 1) if f in OF_ARRAYS else (0,)
    return checkpoint.grad(loss, by, **how)(*args)


def bits(found: Any) -> list[bytes]:
    return [np.asarray(part).tobytes() for part in found]


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_values_are_those_of_the_loop(f: Callable[..., Any]) -> None:
    for width in WIDTHS:
        args = arguments(f, width)
        want = over_lanes(f, True)(*args)
        for engine in in_turn(engines.usable()):
            got = checkpoint.vmap(f, (0, None), exact=False, engine=engine)(*args)
            assert (got.shape, got.dtype) == (want.shape, want.dtype)
            assert np.allclose(got, want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_it_is_not_a_loop(f: Callable[..., Any]) -> None:
    x, shared = arguments(f, 64)

    def together(x: Any) -> Any:
        return over_lanes(f, False)(x, shared)

    def one_by_one(x: Any) -> Any:
        return over_lanes(f, True)(x, shared)

    steps = checkpoint.primops(together, x)
    assert steps < checkpoint.primops(one_by_one, x)
    assert all(
        checkpoint.primops(together, x, engine=engine) == steps for engine in in_turn(engines.usable())
    )


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_gradients_are_those_of_the_loop(f: Callable[..., Any]) -> None:
    for width in in_turn(WIDTHS):
        args = arguments(f, width)
        got, want = gradient(f, False, args), gradient(f, True, args)
        for part, other in zip(got, want, strict=True):
            assert np.allclose(part, other, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("f", sample(ALL), ids=lambda f: f.__name__)
def test_gradients_have_the_same_bits(f: Callable[..., Any]) -> None:
    args = arguments(f, 5)
    hows: list[dict[str, Any]] = [{"engine": engine} for engine in engines.usable()]
    hows += [{"schedule": "bisection"}, {"memory": 200_000}]
    assert len({tuple(bits(gradient(f, False, args, **how))) for how in hows}) == 1


@pytest.mark.parametrize("f", [OF_ARRAYS[3], OF_NUMBERS[0]], ids=lambda f: f.__name__)
def test_derivatives_of_higher_order(f: Callable[..., Any]) -> None:
    x, shared = arguments(f, 4)

    def loss(exact: bool) -> Callable[..., Any]:
        return lambda x: np.sum(checkpoint.vmap(f, (0, None), exact=exact)(x, shared) ** 2)

    tangent = np.ones_like(x)
    for operator in (checkpoint.hvp, checkpoint.jvp):
        got, want = (operator(loss(exact), x, tangent) for exact in (False, True))
        for part, other in zip(np.atleast_1d(got), np.atleast_1d(want), strict=True):
            assert np.allclose(part, other, rtol=1e-8)


def test_what_is_not_taken_is_not_evaluated() -> None:
    def root(x: Any) -> Any:
        return np.sqrt(np.sum(x)) if np.sum(x) > 0.0 else 0.0 * np.sum(x)

    x = np.array([[1.0, 3.0], [-1.0, 0.0], [0.0, 0.0]])
    with np.errstate(all="raise"):
        value = checkpoint.vmap(root, exact=False)(x)
        x_bar = checkpoint.grad(lambda x: np.sum(checkpoint.vmap(root, exact=False)(x)))(x)
    assert value.tolist() == [2.0, 0.0, 0.0]
    assert x_bar.tolist() == [[0.25, 0.25], [0.0, 0.0], [0.0, 0.0]]


def test_axes() -> None:
    def scaled(x: Any, y: Any) -> Any:
        return (x * y, {"sum": np.sum(x)}, 3)

    x, y = np.arange(6.0).reshape(2, 3), np.array([1.0, 2.0, 3.0])
    got, want = (
        checkpoint.vmap(scaled, (1, 0), (1, {"sum": 0}, None), exact=exact)(x, y) for exact in (False, True)
    )
    assert (got[0] == want[0]).all()
    assert (got[1]["sum"] == want[1]["sum"]).all()
    assert got[2] == want[2] == 3


@pytest.mark.filterwarnings("ignore::checkpoint.LanesWarning")  # vmap within has no batched form
def test_nested() -> None:
    def row(x: Any, ys: Any) -> Any:
        return checkpoint.vmap(lambda y: x * y if y > x else x - y, exact=False)(ys)

    x, y = np.linspace(-1.0, 1.0, 4), np.linspace(-2.0, 2.0, 5)
    got = checkpoint.vmap(row, (0, None), exact=False)(x, y)
    assert (got == np.where(y > x[:, None], x[:, None] * y, x[:, None] - y)).all()


@pytest.mark.parametrize("f", [OF_ARRAYS[3], OF_NUMBERS[2]], ids=lambda f: f.__name__)
@pytest.mark.parametrize("engine", engines.usable())
def test_resuming_changes_nothing(f: Callable[..., Any], engine: str) -> None:
    x, shared = arguments(f, 3)

    def together(x: Any) -> Any:
        return checkpoint.vmap(f, (0, None), exact=False)(x, shared)

    want = together(x)
    steps = checkpoint.primops(together, x, engine=engine)
    for at in range(0, steps + 1, max(1, steps // 17)):
        capsule = checkpoint.interrupt(together, x, at, engine=engine)
        assert np.array_equal(checkpoint.resume(capsule), want)
