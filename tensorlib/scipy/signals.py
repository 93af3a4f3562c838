"""Filters of scipy.signal: convolutions, recursive filters, polynomials fitted to windows, trends.

In a program these are translated. Values are SciPy's, derivatives those of the sums and recurrences
themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from checkpoint.errors import refusal
from checkpoint.prims.arrays import prim, solver, translated_as
from tensorlib.scipy.filters import correlated_along


@solver("scipy.signal")
def _of_scipy(name: str, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
    return getattr(signal, name)(*operands, **options)


def _window(found: Any, sizes: Any, others: Any, mode: Any) -> Any:
    """Return the part of a full convolution that a mode keeps."""
    if mode == "full":
        return found
    swapped = mode == "valid" and any(n < m for n, m in zip(sizes, others))  # noqa: B905
    for axis in range(found.ndim):
        n, m = (others[axis], sizes[axis]) if swapped else (sizes[axis], others[axis])
        count = n if mode == "same" else n - m + 1
        start = (found.shape[axis] - count) // 2 if mode == "same" else m - 1
        found = np.moveaxis(np.moveaxis(found, axis, 0)[start : start + count], 0, axis)
    return found


def _whole(a: Any, b: Any) -> Any:
    """Return the full convolution of two arrays of as many dimensions."""
    padded = np.pad(a, [(n - 1, n - 1) for n in b.shape])
    windows = np.lib.stride_tricks.sliding_window_view(padded, b.shape)
    return np.sum(windows * np.flip(b), axis=tuple(range(-b.ndim, 0)))


def _convolved(name: Any, in1: Any, in2: Any, mode: Any, options: Any, turned: Any) -> Any:
    a, b = np.asarray(in1), np.asarray(in2)
    value = prim("py.solver", "scipy.signal", (), (name, (a, b), {"mode": mode, **options}))

    def formula(both: Any) -> Any:
        other = np.flip(both[1]) if turned else both[1]
        return _window(_whole(both[0], other), a.shape, b.shape, mode)

    return prim("py.attached", value, formula, (a, b))


def convolve(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    """See scipy.signal.convolve."""
    return _convolved("convolve", in1, in2, mode, {"method": method}, False)


def fftconvolve(in1: Any, in2: Any, mode: Any = "full", axes: Any = None) -> Any:
    """See scipy.signal.fftconvolve."""
    if axes is not None:
        raise refusal("fftconvolve along some axes only: write it with np.fft")
    return _convolved("fftconvolve", in1, in2, mode, {}, False)


def oaconvolve(in1: Any, in2: Any, mode: Any = "full", axes: Any = None) -> Any:
    """See scipy.signal.oaconvolve."""
    if axes is not None:
        raise refusal("oaconvolve along some axes only: write it with np.fft")
    return _convolved("oaconvolve", in1, in2, mode, {}, False)


def convolve2d(in1: Any, in2: Any, mode: Any = "full", boundary: Any = "fill", fillvalue: Any = 0) -> Any:
    """See scipy.signal.convolve2d."""
    if boundary != "fill" or fillvalue != 0:
        raise refusal("convolve2d with another boundary than zeros: use scipy.ndimage.convolve")
    return _convolved("convolve2d", in1, in2, mode, {}, False)


def correlate(in1: Any, in2: Any, mode: Any = "full", method: Any = "auto") -> Any:
    """See scipy.signal.correlate; of reals."""
    return _convolved("correlate", in1, in2, mode, {"method": method}, True)


def _recursive(b: Any, a: Any, rows: Any, state: Any) -> Any:
    """Return the output of a recursive filter along the last axis, and its last state.

    The state has the delays along its first axis (the transposed direct form II).
    """
    b, a, count = b / a[0], a / a[0], len(state)
    found = []
    for k in range(rows.shape[-1]):
        x = rows[..., k]
        y = b[0] * x + state[0] if count else b[0] * x
        found.append(y)
        following = []
        for i in range(count):
            later = state[i + 1] if i + 1 < count else 0.0
            following.append(later + b[i + 1] * x - a[i + 1] * y)
        state = following
    return np.stack(found, axis=-1), state


def _of_length(c: Any, count: Any) -> Any:
    return np.concatenate([c, np.zeros(count - len(c))])


def lfilter(b: Any, a: Any, x: Any, axis: Any = -1, zi: Any = None) -> Any:
    """See scipy.signal.lfilter."""
    b, a, x = np.atleast_1d(b), np.atleast_1d(a), np.asarray(x)
    count = max(len(a), len(b))
    if zi is None:
        value = prim("py.solver", "scipy.signal", (), ("lfilter", (b, a, x), {"axis": axis}))

        def formula(of: Any) -> Any:
            rows = np.moveaxis(of[2], axis, -1)
            start = [np.zeros(rows.shape[:-1]) for _ in range(count - 1)]
            found = _recursive(_of_length(of[0], count), _of_length(of[1], count), rows, start)[0]
            return np.moveaxis(found, -1, axis)

        return prim("py.attached", value, formula, (b, a, x))
    start = np.asarray(zi)
    both = prim("py.solver", "scipy.signal", (), ("lfilter", (b, a, x), {"axis": axis, "zi": start}))

    def filtered(of: Any) -> Any:
        rows, states = np.moveaxis(of[2], axis, -1), np.moveaxis(of[3], axis, 0)
        given = [states[i] + np.zeros(rows.shape[:-1]) for i in range(count - 1)]
        found, last = _recursive(_of_length(of[0], count), _of_length(of[1], count), rows, given)
        return np.moveaxis(found, -1, axis), np.moveaxis(np.stack(last, axis=-1), -1, axis)

    output = prim("py.attached", both[0], lambda of: filtered(of)[0], (b, a, x, start))
    return output, prim("py.attached", both[1], lambda of: filtered(of)[1], (b, a, x, start))


def savgol_filter(
    x: Any, window_length: Any, polyorder: Any, deriv: Any = 0, delta: Any = 1.0, axis: Any = -1,
    mode: Any = "interp", cval: Any = 0.0,
) -> Any:  # fmt: skip
    """See scipy.signal.savgol_filter; delta is constant."""
    x = np.asarray(x)
    options = {"deriv": deriv, "delta": delta, "axis": axis, "mode": mode, "cval": cval}
    value = prim("py.solver", "scipy.signal", (), ("savgol_filter", (x, window_length, polyorder), options))
    fitted = prim(
        "py.solver", "scipy.signal", (), ("savgol_coeffs", (window_length, polyorder), {"deriv": deriv})
    )
    weights = np.flip(fitted) / delta**deriv
    if mode != "interp":
        origin = -1 if window_length % 2 == 0 else 0
        return prim("py.attached", value, lambda x: correlated_along(x, weights, axis, mode, cval, origin), x)
    size = x.shape[axis]
    matrix = prim(
        "py.solver", "scipy.signal", (),
        ("savgol_filter", (np.eye(size), window_length, polyorder), {**options, "axis": 0}),
    )  # fmt: skip

    def fit(x: Any) -> Any:
        return np.moveaxis(np.moveaxis(x, axis, -1) @ matrix.T, -1, axis)

    return prim("py.attached", value, fit, x)


def detrend(data: Any, axis: Any = -1, type: Any = "linear", bp: Any = 0, overwrite_data: Any = False) -> Any:
    """See scipy.signal.detrend."""
    x = np.asarray(data)
    options = {"axis": axis, "type": type, "bp": bp}
    value = prim("py.solver", "scipy.signal", (), ("detrend", (x,), options))
    size = x.shape[axis]
    matrix = prim("py.solver", "scipy.signal", (), ("detrend", (np.eye(size),), {**options, "axis": 0}))

    def without_trend(x: Any) -> Any:
        return np.moveaxis(np.moveaxis(x, axis, -1) @ matrix.T, -1, axis)

    return prim("py.attached", value, without_trend, x)


_TRANSLATIONS: dict[Any, Any] = {
    getattr(signal, each.__name__): each
    for each in (
        convolve,
        fftconvolve,
        oaconvolve,
        convolve2d,
        correlate,
        lfilter,
        savgol_filter,
        detrend,
    )
}
for _function, _written in _TRANSLATIONS.items():
    translated_as(_function, _written)
