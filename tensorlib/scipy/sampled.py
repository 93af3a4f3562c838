"""Integrals of functions given by values: scipy.integrate's trapezoid, cumulative_trapezoid and simpson.

In a program these are translated from this text, which computes SciPy's values to the bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate

from checkpoint.errors import refusal
from checkpoint.prims.arrays import translated_as


def _last(x: Any, axis: Any, like: Any) -> Any:
    """Return positions with the axis of integration last: a vector, or what has the shape of the values."""
    x = np.asarray(x)
    if x.ndim == 1:
        return x
    if x.ndim != like.ndim:
        raise ValueError("If given, shape of x must be 1-D or the same as y.")
    return np.moveaxis(x, axis, -1)


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    """See scipy.integrate.trapezoid."""
    y = np.asarray(y)
    rows = np.moveaxis(y, axis, -1)
    widths = dx if x is None else np.diff(_last(x, axis, y), axis=-1)
    return np.sum(widths * (rows[..., 1:] + rows[..., :-1]) / 2.0, axis=-1)


def cumulative_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1, initial: Any = None) -> Any:
    """See scipy.integrate.cumulative_trapezoid."""
    y = np.asarray(y)
    if y.shape[axis] == 0:
        raise ValueError("At least one point is required along `axis`.")
    rows = np.moveaxis(y, axis, -1)
    widths = dx if x is None else np.diff(_last(x, axis, y), axis=-1)
    if x is not None and widths.shape[-1] != y.shape[axis] - 1:
        raise ValueError("If given, length of x along axis must be the same as y.")
    found = np.cumsum(widths * (rows[..., 1:] + rows[..., :-1]) / 2.0, axis=-1)
    if initial is not None:
        if initial != 0:
            raise ValueError("`initial` must be `None` or `0`.")
        found = np.concatenate([np.zeros((*found.shape[:-1], 1)), found], axis=-1)
    return np.moveaxis(found, -1, axis)


def _quotient(a: Any, b: Any) -> Any:
    """Return a / b, 0 where b is 0."""
    return np.where(b != 0, a / np.where(b != 0, b, 1.0), 0.0)


def _parabolas(rows: Any, x: Any, dx: Any) -> Any:
    """Return the integral by Simpson's rule of an odd number of values along the last axis."""
    y0, y1, y2 = rows[..., 0:-2:2], rows[..., 1:-1:2], rows[..., 2::2]
    if x is None:
        return np.sum(y0 + 4.0 * y1 + y2, axis=-1) * (dx / 3.0)
    h = np.diff(x, axis=-1)
    h0, h1 = h[..., 0::2] * 1.0, h[..., 1::2] * 1.0
    total, product = h0 + h1, h0 * h1
    ratio = _quotient(h0, h1)
    inner = y0 * (2.0 - _quotient(1.0, ratio)) + y1 * (total * _quotient(total, product)) + y2 * (2.0 - ratio)
    return np.sum(total / 6.0 * inner, axis=-1)


def simpson(y: Any, x: Any = None, *, dx: Any = 1.0, axis: Any = -1) -> Any:
    """See scipy.integrate.simpson."""
    y = np.asarray(y)
    rows = np.moveaxis(y, axis, -1)
    count = rows.shape[-1]
    if x is not None:
        x = _last(x, axis, y)
        if x.shape[-1] != count:
            raise ValueError("If given, length of x along axis must be the same as y.")
    if count % 2 == 1:
        return _parabolas(rows, x, dx)
    last_two = (dx, dx)
    if count == 2:
        width = dx if x is None else x[..., -1] - x[..., -2]
        return 0.0 + (0.0 + 0.5 * width * (rows[..., -1] + rows[..., -2]))
    if x is not None:
        last_two = (x[..., -2] - x[..., -3], x[..., -1] - x[..., -2])
    found = _parabolas(rows[..., :-1], None if x is None else x[..., :-1], dx)
    h0, h1 = np.asarray(last_two[0]) * 1.0, np.asarray(last_two[1]) * 1.0
    alpha = _quotient(2 * h1**2 + 3 * h0 * h1, 6 * (h1 + h0))
    beta = _quotient(h1**2 + 3.0 * h0 * h1, 6 * h0)
    eta = _quotient(1 * h1**3, 6 * h0 * (h0 + h1))
    return found + (alpha * rows[..., -1] + beta * rows[..., -2] - eta * rows[..., -3])


def odeint(func: Any, y0: Any, t: Any, *args: Any, **options: Any) -> Any:
    """Refuse scipy.integrate.odeint, and say what to write instead."""
    raise refusal(
        "scipy.integrate.odeint is not differentiated: use solve_ivp(lambda t, y: func(y, t), (t[0], t[-1]), "
        "y0, t_eval=t, rtol=1e-8, atol=1e-8).y.T, which is"
    )


_TRANSLATIONS: dict[Any, Any] = {
    integrate.trapezoid: trapezoid,
    integrate.cumulative_trapezoid: cumulative_trapezoid,
    integrate.simpson: simpson,
    integrate.odeint: odeint,
}
for _function, _written in _TRANSLATIONS.items():
    translated_as(_function, _written)
