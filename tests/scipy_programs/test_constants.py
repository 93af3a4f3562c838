"""Functions of NumPy and SciPy that have no rule: constants of constants, else refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import signal, special

import checkpoint
from checkpoint.errors import SourceError
from tests.arrays.agreement import ENGINES
from tests.scipy_programs.support import agrees

ORDER = 5
HEIGHTS = np.array([1.0, 3.0, 2.0, 5.0, 1.0])


def designed(p: Any) -> Any:
    n = 3
    nodes, weights = np.polynomial.legendre.leggauss(n)
    more, _ = np.polynomial.legendre.leggauss(ORDER)
    b, a = signal.butter(2, 0.3, btype="low")
    peaks, found = signal.find_peaks(HEIGHTS, height=0.5)
    window = signal.get_window(("kaiser", 4.0), len(HEIGHTS)) * np.kaiser(5, 2.0)
    total = np.sum(weights * np.exp(p[0] * nodes)) + np.sum(b) * p[1] + a[1] + np.sum(window * p[0])
    return total * peaks[0] + found["peak_heights"][0] * p[1] ** 2 + more[0] * p[0]


def test_constants_of_constants() -> None:
    agrees(designed, [0.8, 0.6], rtol=1e-5)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "f",
    [
        lambda x: signal.butter(2, x)[0][0],
        lambda x: signal.find_peaks_cwt(HEIGHTS * x, [1.0])[0] * x,
        lambda x: np.kaiser(5, beta=x)[1],
        lambda x: signal.get_window(("kaiser", x), 5)[1],
    ],
)
def test_what_may_lose_a_derivative_is_refused(f: Any, engine: str) -> None:
    with pytest.raises(SourceError, match="a function of a package outside of your code, cannot be"):
        checkpoint.grad(f, engine=engine)(0.3)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.random.shuffle(HEIGHTS),
        lambda x: np.set_printoptions(precision=3),
        lambda x: np.load("numbers.npy"),
        lambda x: np.random.rand() * x,
    ],
)
def test_what_is_not_only_computed_is_refused(f: Any) -> None:
    before = HEIGHTS.copy(), np.get_printoptions()
    with pytest.raises(SourceError):
        checkpoint.grad(f)(0.3)
    np.testing.assert_array_equal(HEIGHTS, before[0])
    assert np.get_printoptions() == before[1]


def test_functions_that_numpy_has_too_have_the_bits_of_scipy() -> None:
    def values(x: Any) -> Any:
        return special.expm1(x), special.log1p(x), special.exp2(x), special.cbrt(x)

    x = np.linspace(0.1, 4.0, 200)
    found, _ = checkpoint.vjp(values, x, (x, x, x, x))
    np.testing.assert_array_equal(found, values(x))


def test_logarithms_of_sums_of_exponentials_of_integers() -> None:
    n = np.array([3, 1, 2])
    found = checkpoint.value_and_grad(lambda x: special.logsumexp(n) * x)(2.0)
    assert found == pytest.approx((2.0 * special.logsumexp(n), special.logsumexp(n)), rel=1e-14)
