"""Curves through points: scipy.interpolate's interp1d, CubicSpline and PchipInterpolator.

In a program these make an object that is called, as in SciPy: its values are SciPy's, its derivatives are
by where it is called, by the points, and by the values there. The slopes of a spline solve a tridiagonal
system of equations; those of PchipInterpolator are its formula's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import interpolate

from checkpoint.errors import refusal
from checkpoint.prims.arrays import prim, solver, translated_as


@dataclass(frozen=True)
class Curve:
    """A piecewise cubic curve. x: the points. y: values there. slopes: the derivatives there, which depend
    on both.

    name, options: how SciPy makes the same.
    """

    name: str
    x: Any
    y: Any
    slopes: Any
    options: Any

    def __call__(self, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
        if extrapolate is not None:
            raise refusal("extrapolate in a call: pass it where the curve is made")
        at = np.asarray(x)
        arguments = (self.name, self.x, self.y, self.options, at, nu)
        value = prim("py.solver", "scipy.interpolate", (), arguments)

        def between(parts: Any) -> Any:
            points, y, slopes, place = parts
            return _cubic(points, y, slopes, place, nu)

        return prim("py.attached", value, between, (self.x, self.y, self.slopes, at))

    def derivative(self, nu: Any = 1) -> Any:
        """Return the derivative as a curve."""
        return Derived(self, nu)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        """Return the integral from a to b."""
        if extrapolate is not None:
            raise refusal("extrapolate in a call: pass it where the curve is made")
        arguments = (self.name, self.x, self.y, self.options, a, b)
        value = prim("py.solver", "scipy.interpolate, integral", (), arguments)

        def between(parts: Any) -> Any:
            x, y, slopes, low, high = parts
            return _area(x, y, slopes, high) - _area(x, y, slopes, low)

        return prim("py.attached", value, between, (self.x, self.y, self.slopes, a * 1.0, b * 1.0))


@dataclass(frozen=True)
class Derived:
    """The derivative of a curve."""

    curve: Any
    order: Any

    def __call__(self, x: Any) -> Any:
        return self.curve(x, self.order)


def _cubic(x: Any, y: Any, slopes: Any, at: Any, nu: Any) -> Any:
    """Return the curve, or a derivative, by Hermite's formula."""
    i = np.clip(np.searchsorted(x, prim("py.stop", at), side="right") - 1, 0, len(x) - 2)
    h = x[i + 1] - x[i]
    s = at - x[i]
    rise = (y[i + 1] - y[i]) / h
    square = (3.0 * rise - 2.0 * slopes[i] - slopes[i + 1]) / h
    cube = (slopes[i] + slopes[i + 1] - 2.0 * rise) / h**2
    if nu == 0:
        return y[i] + s * (slopes[i] + s * (square + s * cube))
    if nu == 1:
        return slopes[i] + s * (2.0 * square + s * (3.0 * cube))
    return 2.0 * square + 6.0 * s * cube if nu == 2 else 6.0 * cube + 0.0 * s


def _area(x: Any, y: Any, slopes: Any, at: Any) -> Any:
    """Return the integral of the curve from its first point."""
    h, n = np.diff(x), len(x)
    pieces = h * ((y[:-1] + y[1:]) / 2.0 + h * (slopes[:-1] - slopes[1:]) / 12.0)
    i = int(np.clip(np.searchsorted(x, prim("py.stop", at), side="right") - 1, 0, n - 2))
    s = at - x[i]
    rise = (y[i + 1] - y[i]) / h[i]
    square = (3.0 * rise - 2.0 * slopes[i] - slopes[i + 1]) / h[i]
    cube = (slopes[i] + slopes[i + 1] - 2.0 * rise) / h[i] ** 2
    within = s * (y[i] + s * (slopes[i] / 2.0 + s * (square / 3.0 + s * (cube / 4.0))))
    return np.sum(pieces[:i]) + within


@solver("scipy.interpolate, integral")
def _integral(name: str, x: Any, y: Any, options: dict[str, Any], a: float, b: float) -> Any:
    return getattr(interpolate, name)(x, y, **options).integrate(a, b)


@solver("scipy.interpolate")
def _of_scipy(name: str, x: Any, y: Any, options: dict[str, Any], at: Any, nu: int) -> Any:
    made = getattr(interpolate, name)(x, y, **options)
    return made(at) if name == "interp1d" else made(at, nu)


@solver("scipy.interpolate, slopes")
def _slopes_of_scipy(x: Any, y: Any, bc_type: str) -> Any:
    return interpolate.CubicSpline(x, y, bc_type=bc_type)(x, 1)


def cubic_spline(x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> Any:
    """See scipy.interpolate.CubicSpline; of one curve, with bc_type not-a-knot, natural or clamped."""
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if y.ndim != 1 or bc_type not in ("not-a-knot", "natural", "clamped") or extrapolate == "periodic":
        raise refusal(
            "CubicSpline of several curves, or of other boundaries than not-a-knot, natural and clamped: "
            "make a spline for each column"
        )
    options = {"bc_type": bc_type, "extrapolate": extrapolate}
    return Curve("CubicSpline", x, y, _spline_slopes(x, y, bc_type), options)


def _spline_slopes(x: Any, y: Any, bc_type: Any) -> Any:
    """Return a cubic spline's slopes at its points: SciPy's, with derivatives of the system they solve."""

    def solved(parts: Any) -> Any:
        return _solved_slopes(parts[0], parts[1], bc_type)

    value = prim("py.solver", "scipy.interpolate, slopes", (), (x, y, bc_type))
    return prim("py.attached", value, solved, (x, y))


def _solved_slopes(x: Any, y: Any, bc_type: Any) -> Any:
    """Return the slopes with which the second derivatives from the left and from the right agree."""
    h = np.diff(x)
    rise = np.diff(y) / h
    if len(x) == 2:
        return np.zeros(2) if bc_type == "clamped" else np.stack([rise[0], rise[0]])
    first, right, start = _boundary(h, rise, bc_type)
    last, left, end = _boundary(h[::-1], rise[::-1], bc_type)
    inner = 3.0 * (h[1:] * rise[:-1] + h[:-1] * rise[1:])
    main = np.concatenate([first, 2.0 * (h[:-1] + h[1:]), last])
    matrix = np.diag(main) + np.diag(np.concatenate([right, h[:-1]]), 1)
    matrix = matrix + np.diag(np.concatenate([h[1:], left]), -1)
    return np.linalg.solve(matrix, np.concatenate([start, inner, end]))


def _boundary(h: Any, rise: Any, bc_type: Any) -> Any:
    """Return the equation of the first slope: its factor, the next one's, the right side."""
    if bc_type == "clamped":
        return np.ones(1), np.zeros(1), np.zeros(1)
    if bc_type == "natural":
        return np.full(1, 2.0), np.ones(1), 3.0 * rise[:1]
    if len(h) == 2:  # a parabola
        return np.ones(1), np.ones(1), 2.0 * rise[:1]
    both = h[:1] + h[1:2]
    right = ((h[:1] + 2.0 * both) * h[1:2] * rise[:1] + h[:1] ** 2 * rise[1:2]) / both
    return h[1:2], both, right


def pchip(x: Any, y: Any, axis: Any = 0, extrapolate: Any = None) -> Any:
    """See scipy.interpolate.PchipInterpolator; of one curve."""
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if y.ndim != 1 or len(y) < 3:
        raise refusal("PchipInterpolator of several curves or of two points: make one for each column")
    h = np.diff(x)
    rise = np.diff(y) / h
    w1, w2 = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    turns = (np.sign(rise[1:]) != np.sign(rise[:-1])) | (rise[1:] == 0.0) | (rise[:-1] == 0.0)
    before, after = np.where(turns, 1.0, rise[:-1]), np.where(turns, 1.0, rise[1:])
    inner = np.where(turns, 0.0, (w1 + w2) / (w1 / before + w2 / after))
    first = _end(h[0], h[1], rise[0], rise[1])
    last = _end(h[-1], h[-2], rise[-1], rise[-2])
    slopes = np.concatenate([np.stack([first]), inner, np.stack([last])])
    return Curve("PchipInterpolator", x, y, slopes, {"extrapolate": extrapolate})


def _end(h0: Any, h1: Any, rise0: Any, rise1: Any) -> Any:
    """Return the slope at an end, from the two intervals next to it."""
    slope = ((2.0 * h0 + h1) * rise0 - h0 * rise1) / (h0 + h1)
    if np.sign(slope) != np.sign(rise0):
        return 0.0 * rise0
    if np.sign(rise0) != np.sign(rise1) and np.abs(slope) > 3.0 * np.abs(rise0):
        return 3.0 * rise0
    return slope


@dataclass(frozen=True)
class Lines:
    """Straight lines between points. options: how SciPy makes the same. fill: the values beyond, or None."""

    x: Any
    y: Any
    options: Any
    fill: Any

    def __call__(self, x: Any) -> Any:
        at = np.asarray(x)
        value = prim("py.solver", "scipy.interpolate", (), ("interp1d", self.x, self.y, self.options, at, 0))

        def between(parts: Any) -> Any:
            points, y, place, fill = parts
            return _line(points, y, place, fill)

        return prim("py.attached", value, between, (self.x, self.y, at, self.fill))


def _line(x: Any, y: Any, at: Any, fill: Any) -> Any:
    i = np.clip(np.searchsorted(x, prim("py.stop", at)), 1, len(x) - 1)
    slope = (y[i] - y[i - 1]) / (x[i] - x[i - 1])
    found = slope * (at - x[i - 1]) + y[i - 1]
    return found if fill is None else np.where(at < x[0], fill[0], np.where(at > x[-1], fill[1], found))


def interp1d(
    x: Any,
    y: Any,
    kind: Any = "linear",
    axis: Any = -1,
    copy: Any = True,
    bounds_error: Any = None,
    fill_value: Any = np.nan,
    assume_sorted: Any = False,
) -> Any:
    """See scipy.interpolate.interp1d; of one curve, of kind linear or cubic."""
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if y.ndim != 1 or kind not in ("linear", "cubic", 1, 3):
        raise refusal("interp1d of several curves, or of a kind that is neither linear nor cubic")
    if not assume_sorted:
        order = np.argsort(x)
        x, y = x[order], y[order]
    options = {"kind": kind, "bounds_error": bounds_error, "fill_value": fill_value}
    if kind in ("cubic", 3):
        if isinstance(fill_value, str) or bounds_error is False:
            raise refusal("interp1d(kind='cubic') beyond its points: use CubicSpline")
        return Curve("interp1d", x, y, _spline_slopes(x, y, "not-a-knot"), options)
    if isinstance(fill_value, str):
        return Lines(x, y, options, None)
    return Lines(x, y, options, fill_value if isinstance(fill_value, tuple) else (fill_value, fill_value))


_TRANSLATIONS: dict[Any, Any] = {
    interpolate.interp1d: interp1d,
    interpolate.CubicSpline: cubic_spline,
    interpolate.PchipInterpolator: pchip,
}
for _function, _written in _TRANSLATIONS.items():
    translated_as(_function, _written)
