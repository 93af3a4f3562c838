"""summed in programs and outside of them: nests, errors, and what it stands beside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import engines, grad, summed, value_and_grad, vmap

pytestmark = pytest.mark.engines_in_turn

ENGINES = pytest.mark.parametrize("engine", engines.usable())
XS = [np.array([0.5, 1.5]), np.array([2.0, -1.0]), np.array([0.25, 4.0])]


def of_nests(w: Any, xs: Any) -> Any:
    total = summed(lambda x: {"a": w * x, "b": (x.sum(), 1, None), "c": [1j * x[0]]}, over=xs)
    assert total["b"][1:] == (len(xs), None)
    return (total["a"] ** 2).sum() * total["b"][0] + total["c"][0].imag


@ENGINES
def test_nests_are_added_leaf_by_leaf(engine: str) -> None:
    w = np.array([1.0, 2.0])
    value, gradient = value_and_grad(of_nests, (0, 1), engine=engine)(w, XS)
    expected = value_and_grad(of_nests, (0, 1), engine="interp", schedule="plain")(w, XS)
    assert value == expected[0]
    assert (gradient[0] == expected[1][0]).all()
    a = w * XS[0] + w * XS[1] + w * XS[2]
    b = sum(x.sum() for x in XS)
    assert np.allclose(gradient[0], 2.0 * a * sum(XS) * b)


@ENGINES
@pytest.mark.parametrize(
    ("f", "text"),
    [
        (lambda x: (x, x) if x > 1.0 else x, "unsupported operand"),
        (lambda x: (x, x) if x < 1.0 else (x, x, x), r"summed adds a tuple of 2 and a tuple of 3"),
        (lambda x: {"a": x} if x < 1.0 else {"b": x}, r"a dict with the keys \['a'\] and a dict with"),
        (lambda x: (x, None) if x < 1.0 else (x, 1.0), "summed adds None and a float"),
    ],
)
def test_structures_that_differ(engine: str, f: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        grad(lambda w: summed(lambda x: f(w * x), over=[0.5, 3.0])[0], engine=engine)(1.0)
    with pytest.raises(TypeError, match=text):
        summed(f, over=[0.5, 3.0])


@ENGINES
def test_no_items(engine: str) -> None:
    with pytest.raises(ValueError, match="summed has no items: pass zero="):
        grad(lambda x: summed(lambda y: y * x, over=[]), engine=engine)(1.0)
    with pytest.raises(ValueError, match="summed has no items: pass zero="):
        summed(abs, over=[])
    assert grad(lambda x: x * summed(lambda y: y * x, over=[], zero=2.0), engine=engine)(1.0) == 2.0
    assert summed(abs, over=[], zero=2.0) == 2.0


@ENGINES
def test_errors_name_the_item_and_what_is_around_it(engine: str) -> None:
    def f(x: Any) -> Any:
        return summed(lambda y: 1.0 / (x - y), over=[0.0, 1.0, 2.0, 3.0, 4.0])

    with pytest.raises(ZeroDivisionError) as found:
        grad(f, engine=engine)(3.0)
    assert "in item 3 of summed" in found.value.__notes__
    with pytest.raises(ZeroDivisionError) as found:
        vmap(f, engine=engine)(np.array([0.5, 4.0]))
    assert found.value.__notes__[-2:] == ["in item 4 of summed", "in lane 1 of vmap"]


@ENGINES
def test_sums_within_sums_and_derivatives(engine: str) -> None:
    def table(w: Any) -> Any:
        return summed(lambda i: summed(lambda j: (w * i + j) ** 2, over=range(3)), over=[1.0, 2.0, 3.0])

    def newton(w: Any) -> Any:
        return grad(table)(w) / grad(grad(table))(w)

    want = sum(2 * i * (0.5 * i + j) for i in (1.0, 2.0, 3.0) for j in range(3))
    assert grad(table, engine=engine)(0.5) == pytest.approx(want)
    assert grad(newton, engine=engine)(0.5) == pytest.approx(1.0)
    assert checkpoint.jvp(table, 0.5, 1.0, engine=engine)[1] == pytest.approx(want)
    lanes = vmap(table, engine=engine)(np.array([0.5, 1.5]))
    assert lanes.tolist() == [table(0.5), table(1.5)]


@ENGINES
def test_an_item_may_not_change_what_it_shares(engine: str) -> None:
    def f(xs: list[float]) -> float:
        def one(i: int) -> float:
            xs[i] = 1.0
            return xs[0]

        return summed(one, over=range(2))

    with pytest.raises(checkpoint.RunError, match="cannot be changed"):
        checkpoint.vjp(f, [1.0, 2.0], engine=engine)
