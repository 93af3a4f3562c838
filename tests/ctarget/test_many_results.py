"""Cotangents of very many arrays, which C makes, equal those that Python makes one by one."""

from __future__ import annotations

from typing import Any

import pytest

np = pytest.importorskip("numpy")

import checkpoint  # noqa: E402
from checkpoint.ad.accumulators import MANY  # noqa: E402
from checkpoint.ctarget import library  # noqa: E402

pytestmark = pytest.mark.skipif(library.reason() is not None, reason=str(library.reason()))

COUNT = MANY + 20


def weights() -> list[Any]:
    """Return arrays of several shapes, dtypes and orders, some of them views, one without axes."""
    rng = np.random.default_rng(5)
    found = [rng.normal(size=3) for _ in range(COUNT)]
    found[1] = rng.normal(size=(3, 4)).T
    found[2] = rng.normal(size=(2, 6))[:, ::2]
    found[3] = np.float32(rng.normal(size=(2, 2)))
    found[4] = rng.normal(size=3) + 1j
    found[5] = np.array(2.0)
    found[6] = np.zeros((0, 3))
    return found


def loss(arrays: Any, x: Any) -> Any:
    """Use some of the arrays, one of them twice."""
    return np.sum(arrays[0] * x) + np.sum(arrays[0] * arrays[7]) + np.sum(arrays[1]) * arrays[5]


def described(arrays: Any) -> list[Any]:
    return [(each.dtype, each.shape, each.flags.writeable, each.tobytes()) for each in arrays]


@pytest.mark.parametrize("kind", [list, tuple])
def test_they_equal_those_of_python(kind: Any) -> None:
    of_c, of_python = [
        checkpoint.grad(loss, engine=engine)(kind(weights()), np.ones(3)) for engine in ("c", "hybrid")
    ]
    assert type(of_c) is kind
    assert described(of_c) == described(of_python)
    assert len({id(each) for each in of_c}) == COUNT
    assert not any(each.any() for each in of_c[8:])


def test_each_is_the_callers_own() -> None:
    given = weights()
    found = checkpoint.grad(loss, engine="c")(given, np.ones(3))
    before = described(given)
    for each in found:
        each[...] = 9.0
    assert described(given) == before
    assert checkpoint.grad(loss, engine="c")(given, np.ones(3))[8].tolist() == [0.0, 0.0, 0.0]


def test_zeros_within_a_program_are_apart() -> None:
    """A program may write into one of the zeros; the others stay as they are."""

    def changed(x: Any) -> Any:
        found = checkpoint.grad(loss)([np.ones(3)] * 5 + [np.array(2.0)] + [x * 2.0] * COUNT, x)
        found[8][0] = 1.0
        return np.sum(found[0]) + found[8][0] + np.sum(found[9])

    x = np.ones(3)
    values = [checkpoint.value_and_grad(changed, engine=engine)(x) for engine in ("c", "hybrid")]
    assert values[0][0] == values[1][0]
    assert values[0][1].tobytes() == values[1][1].tobytes()
