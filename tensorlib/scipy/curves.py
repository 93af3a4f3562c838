"""Curves through points: scipy.interpolate's interp1d, CubicSpline and PchipInterpolator.

In a program these make an object that is called, as in SciPy: its values are SciPy's, its derivatives are
by where it is called and by the values at the points. The coefficients of a spline depend on the values
linearly; those of PchipInterpolator are its formula's. The points themselves are constants.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import interpolate

from checkpoint.prims.arrays import prim, solver, translated_as


@dataclass(frozen=True)
class Curve:
    """A piecewise cubic curve. x: the points. y: values there. slopes: the derivatives there, which depend
    on y.

    name, options: how SciPy makes the same.
    """

    name: str
    x: Any
    y: Any
    slopes: Any
    options: Any

    def __call__(self, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
        if extrapolate is not None:
            raise NotImplementedError("extrapolate in a call: pass it where the curve is made")
        at = np.asarray(x)
        arguments = (self.name, self.x, self.y, self.options, at, nu)
        value = prim("py.solver", "scipy.interpolate", (), arguments)

        def between(parts: Any) -> Any:
            return _cubic(self.x, parts[0], parts[1], parts[2], nu)

        return prim("py.attached", value, between, (self.y, self.slopes, at))

    def derivative(self, nu: Any = 1) -> Any:
        """Return the derivative as a curve."""
        return Derived(self, nu)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        """Return the integral from a to b."""
        if extrapolate is not None:
            raise NotImplementedError("extrapolate in a call: pass it where the curve is made")
        arguments = (self.name, self.x, self.y, self.options, a, b)
        value = prim("py.solver", "scipy.interpolate, integral", (), arguments)

        def between(parts: Any) -> Any:
            y, slopes, low, high = parts
            return _area(self.x, y, slopes, high) - _area(self.x, y, slopes, low)

        return prim("py.attached", value, between, (self.y, self.slopes, a * 1.0, b * 1.0))


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


@solver("scipy.interpolate, slopes by values")
def _slopes_by_values(x: Any, bc_type: Any) -> Any:
    """Return the matrix by which a cubic spline's slopes at its points depend on the values."""
    return interpolate.CubicSpline(x, np.eye(len(x)), bc_type=bc_type)(x, 1)


def cubic_spline(x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> Any:
    """See scipy.interpolate.CubicSpline; of one curve, with bc_type not-a-knot, natural or clamped."""
    x, y = prim("py.stop", np.asarray(x) * 1.0), np.asarray(y) * 1.0
    if y.ndim != 1 or bc_type not in ("not-a-knot", "natural", "clamped") or extrapolate == "periodic":
        raise NotImplementedError(
            "CubicSpline of several curves, or of other boundaries than not-a-knot, natural and clamped: "
            "make a spline for each column"
        )
    slopes = prim("py.solver", "scipy.interpolate, slopes by values", (), (x, bc_type)) @ y
    return Curve("CubicSpline", x, y, slopes, {"bc_type": bc_type, "extrapolate": extrapolate})


def pchip(x: Any, y: Any, axis: Any = 0, extrapolate: Any = None) -> Any:
    """See scipy.interpolate.PchipInterpolator; of one curve."""
    x, y = prim("py.stop", np.asarray(x) * 1.0), np.asarray(y) * 1.0
    if y.ndim != 1 or len(y) < 3:
        raise NotImplementedError(
            "PchipInterpolator of several curves or of two points: make one for each column"
        )
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
            return _line(self.x, parts[0], parts[1], self.fill)

        return prim("py.attached", value, between, (self.y, at))


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
    x, y = prim("py.stop", np.asarray(x) * 1.0), np.asarray(y) * 1.0
    if y.ndim != 1 or kind not in ("linear", "cubic", 1, 3):
        raise NotImplementedError("interp1d of several curves, or of a kind that is neither linear nor cubic")
    if not assume_sorted:
        order = np.argsort(x)
        x, y = x[order], y[order]
    options = {"kind": kind, "bounds_error": bounds_error, "fill_value": fill_value}
    if kind in ("cubic", 3):
        if isinstance(fill_value, str) or bounds_error is False:
            raise NotImplementedError("interp1d(kind='cubic') beyond its points: use CubicSpline")
        slopes = prim("py.solver", "scipy.interpolate, slopes by values", (), (x, "not-a-knot")) @ y
        return Curve("interp1d", x, y, slopes, options)
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
