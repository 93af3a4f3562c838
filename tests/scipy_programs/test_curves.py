"""Interpolation and distances of SciPy inside of programs: its values, derivatives by differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import fft, fftpack
from scipy.interpolate import CubicSpline, PchipInterpolator, interp1d
from scipy.spatial import distance

import checkpoint
from checkpoint.errors import SourceError
from tests.arrays.agreement import ENGINES
from tests.scipy_programs.support import agrees

X = np.array([0.0, 0.4, 1.0, 1.7, 2.5])
AT = np.array([0.3, 1.05, 2.2])


def spline(p: Any) -> Any:
    y = np.sin(X * p[0]) + p[1]
    natural = CubicSpline(X, y, bc_type="natural")
    total = np.sum(CubicSpline(X, y)(AT + 0.01 * p[1])) + natural(p[0]) + natural(3.0 * p[0])
    return total + natural(p[0], 1) + CubicSpline(X, y, bc_type="clamped").derivative()(p[1])


def monotone(p: Any) -> Any:
    y = np.array([0.0, 0.2, 1.0, 0.9, 2.0]) * p[0] + p[1] * X**2
    curve = PchipInterpolator(X, y)
    return np.sum(curve(AT)) + curve(p[0]) + np.sum(curve(X + 0.01)) + curve.derivative()(0.7 * p[1])


def lines(p: Any) -> Any:
    y = np.sin(X * p[0]) + p[1]
    around = interp1d(X, y, bounds_error=False, fill_value=(0.25, 2.0))
    total = interp1d(X, y)(AT * 0.9 + 0.1 * p[0]).sum() + around(np.array([-1.0, 0.2, 3.0])).sum()
    beyond = interp1d(X, y, fill_value="extrapolate")(np.array([-0.5, 3.0 * p[1], 4.0])).sum()
    return total + beyond + interp1d(X[::-1], y, kind="cubic")(p[0])


def integrals(p: Any) -> Any:
    y = np.sin(X * p[0]) + p[1]
    curve = CubicSpline(X, y, bc_type="natural")
    within = curve.integrate(0.1 * p[0], 2.2 * p[0]) + PchipInterpolator(X, y).integrate(2.0, 0.3)
    return within * curve.integrate(-0.2, 2.5 + p[1])


def moved_points(p: Any) -> Any:
    """Curves through points that move, too; of two and three points as well."""
    x, y = X * p[0] + p[1] * np.array([0.0, 0.2, 0.0, 0.0, 0.0]), np.cos(X)
    total = PchipInterpolator(x, y)(1.3) + interp1d(x, y)(1.1) + interp1d(x, y, kind="cubic")(1.4)
    total += interp1d(x, y, bounds_error=False, fill_value=(p[0], p[1]))(-1.0)
    for bc_type in ("not-a-knot", "natural", "clamped"):
        curve = CubicSpline(x, y * p[1], bc_type=bc_type)
        total += curve(1.2) + curve.integrate(0.2, 1.6)
        total += CubicSpline(x[:3], y[:3], bc_type=bc_type)(0.3) + CubicSpline(x[:2], y[:2], bc_type=bc_type)(
            0.2
        )
    return total


@pytest.mark.parametrize("f", [spline, monotone, lines, integrals, moved_points])
def test_curves(f: Any) -> None:
    agrees(f, [0.8, 0.6], rtol=1e-5)


A, B = np.random.default_rng(5).normal(size=(2, 3, 4))
METRICS = [
    "euclidean",
    "sqeuclidean",
    "cityblock",
    "chebyshev",
    "minkowski",
    "cosine",
    "correlation",
    "canberra",
    "braycurtis",
]


@pytest.mark.parametrize("metric", METRICS)
def test_distances(metric: str) -> None:
    measure = getattr(distance, metric)

    def f(p: Any) -> Any:
        a = A * p[0] + p[1] * A**2
        total = measure(a[0], B[1]) + np.sum(distance.cdist(a, B, metric) * np.arange(9.0).reshape(3, 3))
        return total + np.sum(distance.pdist(a, metric) * np.array([1.0, 2.0, 3.0]))

    agrees(f, [0.8, 0.6], rtol=1e-5, second=metric in ("euclidean", "cosine"), engines=ENGINES[-1:])


def test_options_of_distances() -> None:
    def f(p: Any) -> Any:
        a = A * p[0] + p[1]
        square = distance.squareform(distance.pdist(a, "minkowski", p=3))
        return distance.minkowski(a[0], B[0], 3) + np.sum(
            distance.squareform(square, checks=False) * square[0, 1]
        )

    agrees(f, [0.8, 0.6], rtol=1e-5)


def test_what_is_refused() -> None:
    with pytest.raises(SourceError, match="write them with arrays"):
        checkpoint.grad(lambda a: distance.cdist(a, B, "seuclidean")[0, 0])(A)
    with pytest.raises(SourceError, match="roots of the weights"):
        checkpoint.grad(lambda a: distance.euclidean(a[0], B[0], w=np.ones(4)))(A)
    with pytest.raises(SourceError, match="for each column"):
        checkpoint.grad(lambda a: CubicSpline(X[:3], a)(0.5)[0])(A)
    with pytest.raises(ValueError, match="above the interpolation range's maximum value"):
        checkpoint.grad(lambda x: interp1d(X, X)(x + 0.0))(3.0)


def test_transforms() -> None:
    def f(p: Any) -> Any:
        x = np.cos(np.arange(12.0) * p[0]) * p[1]
        spectrum = fft.fft(x)
        shifted = fft.fftshift(np.abs(spectrum)) * fft.fftfreq(12)
        return np.sum(np.abs(fft.rfft(x)) ** 2) + np.sum(shifted) + fft.irfft(fft.rfft(x)[:5] * 2.0)[1]

    agrees(f, [0.8, 0.6], rtol=1e-5)
    with pytest.raises(SourceError, match="one axis after the other"):
        checkpoint.grad(lambda x: fft.dctn(np.outer(x, x))[0, 0])(np.ones(4))


def cosines(p: Any) -> Any:
    """Of every type; cut, extended, along any axis; with the names of old."""
    x = np.outer(np.cos(np.arange(5.0) * p[0]), np.array([1.0, p[1], 0.3]))
    total = np.sum(fft.dct(x, axis=0, norm="ortho")[1] * p[0]) + fft.dct(x, n=5)[0, 4]
    for kind in (1, 2, 3, 4):
        total += fft.dct(x[:, 0], kind, n=4)[2] + fft.idst(x[:, 1], type=kind, norm="forward")[1]
        total += fft.idct(x[:, 0], kind, n=7)[3] + fft.dst(x[:, 1], kind)[0]
    old = fftpack.dct(x, type=2, axis=1, norm="ortho") + fftpack.idst(x, type=3)
    return total + np.sum(old[:, 1]) + fftpack.dst(x[0])[1] + fftpack.idct(x[0], norm="ortho")[2]


def test_cosine_and_sine_transforms() -> None:
    agrees(cosines, [0.8, 0.6], rtol=1e-5, second=False)
