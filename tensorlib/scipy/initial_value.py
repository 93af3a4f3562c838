"""Initial value problems: scipy.integrate.solve_ivp with its explicit Runge-Kutta methods.

In a program solve_ivp is translated from this text, which takes the steps of SciPy's and computes their
values to the bit. So its derivatives are those of the steps, their sizes included, of every order, by
initial values, times and all that `fun` captures; the memory of a gradient is bounded like that of any
other loop.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import integrate
from scipy.integrate import DOP853, RK23, RK45

from checkpoint.errors import refusal
from checkpoint.prims.arrays import translated_as

EPS = float(np.finfo(float).eps)
ORDERS = {"RK23": 2, "RK45": 4, "DOP853": 7}  # of the estimates of the error
_SMALL_TABLES = {"RK23": RK23, "RK45": RK45}
STAGES = {name: (cls.C, cls.A, cls.B) for name, cls in {**_SMALL_TABLES, "DOP853": DOP853}.items()}
ERRORS = {name: (cls.E, cls.P) for name, cls in _SMALL_TABLES.items()}
LARGE = (DOP853.E3, DOP853.E5, DOP853.D, DOP853.A_EXTRA, DOP853.C_EXTRA)


@dataclass(frozen=True)
class OdeResult:
    """What scipy.integrate.solve_ivp returns."""

    t: Any
    y: Any
    sol: Any
    t_events: Any
    y_events: Any
    nfev: int
    njev: int
    nlu: int
    status: int
    message: str
    success: bool


@dataclass(frozen=True)
class OdeSolution:
    """The solution between the steps, as a function of time.

    pieces: of each step its start, its end, the value at its start, and the coefficients of a polynomial.
    """

    ts: Any
    pieces: Any
    is_large: bool

    def __call__(self, t: Any) -> Any:
        t = np.asarray(t)
        if t.ndim == 0:
            return between(self.pieces[self._number(t)], t, self.is_large)
        order = np.argsort(t)
        times, found, i = t[order], [], 0
        while i < len(t):  # several times in a piece together, as SciPy rounds them
            number, j = self._number(times[i]), i + 1
            while j < len(t) and self._number(times[j]) == number:
                j += 1
            found.append(between(self.pieces[number], times[i:j], self.is_large))
            i = j
        return np.hstack(found)[:, np.argsort(order)]

    def _number(self, t: Any) -> Any:
        """Return the number of the piece that holds a time; at the ends of steps the earlier one."""
        last = len(self.pieces) - 1
        if self.ts[-1] >= self.ts[0]:
            return min(max(int(np.searchsorted(self.ts, t, side="left")) - 1, 0), last)
        return last - min(max(int(np.searchsorted(self.ts[::-1], t, side="right")) - 1, 0), last)


def between(piece: Any, t: Any, is_large: Any) -> Any:
    """Return the solution at a time, or at several, within a step."""
    start, end, y_old, coefficients = piece
    h = end - start
    x = (t - start) / h
    if is_large:
        return _between_large(coefficients, y_old, x)
    order = coefficients.shape[1]
    if np.ndim(x) == 0:
        return h * np.dot(coefficients, np.cumprod(np.tile(x, order))) + y_old
    return h * np.dot(coefficients, np.cumprod(np.tile(x, (order, 1)), axis=0)) + y_old[:, None]


def _between_large(coefficients: Any, y_old: Any, x: Any) -> Any:
    if np.ndim(x) == 0:
        y = np.zeros_like(y_old)
    else:
        x = x[:, None]
        y = np.zeros((len(x), len(y_old)))
    for i in range(len(coefficients)):
        y = y + coefficients[len(coefficients) - 1 - i]
        y = y * x if i % 2 == 0 else y * (1 - x)
    return (y + y_old).T


def _norm(x: Any) -> Any:
    return np.linalg.norm(x) / x.size**0.5


def _first_step(
    f: Any, t: Any, y: Any, f0: Any, end: Any, way: Any, order: Any, rtol: Any, atol: Any, most: Any
) -> Any:
    """Return the size of the first step (Hairer, Norsett, Wanner, section II.4)."""
    length = abs(end - t)
    if length == 0.0:
        return 0.0
    scale = atol + np.abs(y) * rtol
    d0, d1 = _norm(y / scale), _norm(f0 / scale)
    h0 = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    h0 = min(h0, length)
    f1 = f(t + h0 * way, y + h0 * way * f0)
    d2 = _norm((f1 - f0) / scale) / h0
    if d1 <= 1e-15 and d2 <= 1e-15:
        h1 = max(1e-6, h0 * 1e-3)
    else:
        h1 = (0.01 / max(d1, d2)) ** (1 / (order + 1))
    return min(100 * h0, h1, length, most)


def _stages(f: Any, t: Any, y: Any, f0: Any, h: Any, method: Any) -> Any:
    """Return the slopes of a step, in rows, and the value and slope at its end."""
    c, a, b = STAGES[method]
    slopes = [f0]
    for s in range(1, len(b)):
        dy = np.dot(np.stack(slopes).T, a[s, :s]) * h
        slopes.append(f(t + c[s] * h, y + dy))
    y_new = y + h * np.dot(np.stack(slopes).T, b)
    f_new = f(t + h, y_new)
    slopes.append(f_new)
    return np.stack(slopes), y_new, f_new


def _error(slopes: Any, h: Any, scale: Any, method: Any) -> Any:
    if method != "DOP853":
        return _norm(np.dot(slopes.T, ERRORS[method][0]) * h / scale)
    third, fifth = np.dot(slopes.T, LARGE[0]) / scale, np.dot(slopes.T, LARGE[1]) / scale
    fifth_squared = np.linalg.norm(fifth) ** 2
    third_squared = np.linalg.norm(third) ** 2
    if fifth_squared == 0 and third_squared == 0:
        return 0.0
    return np.abs(h) * fifth_squared / np.sqrt((fifth_squared + 0.01 * third_squared) * len(scale))


def _piece(
    f: Any, t: Any, t_new: Any, y: Any, y_new: Any, f_new: Any, slopes: Any, h: Any, method: Any
) -> Any:
    """Return a step as a piece of the solution."""
    if method != "DOP853":
        return (t, t_new, y, slopes.T.dot(ERRORS[method][1]))
    rows = [slopes[i] for i in range(len(slopes))]
    for s in range(len(LARGE[4])):
        dy = np.dot(np.stack(rows).T, LARGE[3][s, : len(rows)]) * h
        rows.append(f(t + LARGE[4][s] * h, y + dy))
    delta, f_old = y_new - y, slopes[0]
    first = np.stack([delta, h * f_old - delta, 2 * delta - h * (f_new + f_old)])
    return (t, t_new, y, np.concatenate([first, h * np.dot(LARGE[2], np.stack(rows))]))


def _checked_times(t_eval: Any, t0: Any, tf: Any) -> Any:
    t_eval = np.asarray(t_eval)
    if t_eval.ndim != 1:
        raise ValueError("`t_eval` must be 1-dimensional.")
    if np.any(t_eval < min(t0, tf)) or np.any(t_eval > max(t0, tf)):
        raise ValueError("Values in `t_eval` are not within `t_span`.")
    d = np.diff(t_eval)
    if (tf > t0 and np.any(d <= 0)) or (tf < t0 and np.any(d >= 0)):
        raise ValueError("Values in `t_eval` are not properly sorted.")
    return t_eval


def _checked_tolerances(rtol: Any, atol: Any, size: Any) -> Any:
    rtol = np.maximum(rtol, 100 * EPS) if np.any(rtol < 100 * EPS) else rtol
    atol = np.asarray(atol)
    if atol.ndim > 0 and atol.shape != (size,):
        raise ValueError("`atol` has wrong shape.")
    if np.any(atol < 0):
        raise ValueError("`atol` must be positive.")
    return rtol, atol


def _checked_start(y0: Any, max_step: Any, first_step: Any, length: Any) -> Any:
    y = np.asarray(y0) * 1.0
    if y.ndim != 1:
        raise ValueError("`y0` must be 1-dimensional.")
    if not np.all(np.isfinite(y)):
        raise ValueError("All components of the initial state `y0` must be finite.")
    if max_step <= 0:
        raise ValueError("`max_step` must be positive.")
    if first_step is not None and first_step <= 0:
        raise ValueError("`first_step` must be positive.")
    if first_step is not None and first_step > length:
        raise ValueError("`first_step` exceeds bounds.")
    return y


def _supported(method: Any) -> Any:
    """Return the name of a method; an error that says what to write instead for what is not supported."""
    for name in ("RK23", "RK45", "DOP853"):
        if method == name:
            return name
    if method in ("Radau", "BDF", "LSODA"):
        raise refusal(
            f"solve_ivp(method={method!r}) is not differentiated: RK45 and DOP853 are, with max_step where "
            f"they need it; for stiff equations write implicit steps as a loop, with scipy.optimize.root"
        )
    if isinstance(method, str):
        raise ValueError("`method` must be one of the names RK23, RK45 and DOP853")
    raise refusal("solve_ivp(method=...) takes one of the names RK23, RK45 and DOP853: pass a name")


def solve_ivp(
    fun: Any,
    t_span: Any,
    y0: Any,
    method: Any = "RK45",
    t_eval: Any = None,
    dense_output: Any = False,
    events: Any = None,
    vectorized: Any = False,
    args: Any = None,
    rtol: Any = 1e-3,
    atol: Any = 1e-6,
    first_step: Any = None,
    max_step: Any = math.inf,
) -> Any:
    """See scipy.integrate.solve_ivp."""
    method = _supported(method)
    if events is not None:
        raise refusal(
            "solve_ivp(events=...) is not differentiated: solve with dense_output=True, and find the time by "
            "brentq(lambda t: event(t, found.sol(t)), t0, t1), which is"
        )
    t0, tf = float(t_span[0]), float(t_span[1])
    more = () if args is None else tuple(args)

    def f(t: Any, y: Any) -> Any:
        if vectorized:
            return np.asarray(fun(t, y[:, None], *more), dtype=float).ravel()
        return np.asarray(fun(t, y, *more), dtype=float)

    times: Any = None if t_eval is None else _checked_times(t_eval, t0, tf)
    y = _checked_start(y0, max_step, first_step, abs(tf - t0))
    rtol, atol = _checked_tolerances(rtol, atol, y.size)
    if t0 == tf:
        return _nothing_to_do(t0, y, times, dense_output)
    way = 1.0 if tf > t0 else -1.0
    t, slope = t0, f(t0, y)
    nfev, h_abs = 1, first_step
    if first_step is None:
        h_abs = _first_step(f, t, y, slope, tf, way, ORDERS[method], rtol, atol, max_step)
        nfev = 2
    ts, ys = ([t0], [y]) if times is None else ([], [])
    ends, pieces, shown, status = [t0], [], 0, 0
    while way * (t - tf) < 0:
        step = _step(f, t, y, slope, tf, way, h_abs, method, rtol, atol, max_step)
        nfev += step[6]
        if not step[7]:
            status = -1
            break
        t_new, h, h_abs, y_new, f_new, slopes = step[:6]
        wanted = _wanted(times, shown, t_new, way)
        if dense_output or wanted > shown:
            piece = _piece(f, t, t_new, y, y_new, f_new, slopes, h, method)
            nfev += 3 if method == "DOP853" else 0
            pieces.append(piece)
            ends.append(t_new)
            if wanted > shown:
                found = between(piece, times[shown:wanted], method == "DOP853")
                for i in range(wanted - shown):
                    ts.append(times[shown + i])
                    ys.append(found[:, i])
                shown = wanted
        if times is None:
            ts.append(t_new)
            ys.append(y_new)
        t, y, slope = t_new, y_new, f_new
    solution = OdeSolution(np.array(ends), pieces, method == "DOP853") if dense_output else None
    return _result(ts, ys, solution, nfev, status)


def _step(
    f: Any,
    t: Any,
    y: Any,
    slope: Any,
    tf: Any,
    way: Any,
    h_abs: Any,
    method: Any,
    rtol: Any,
    atol: Any,
    max_step: Any,
) -> Any:
    """Return a step whose error is small enough: its end and size, the next size, and what is found."""
    power, nfev, rejected = -1 / (ORDERS[method] + 1), 0, False
    min_step = 10 * abs(math.nextafter(float(t), way * math.inf) - t)
    h_abs = max_step if h_abs > max_step else min_step if h_abs < min_step else h_abs
    while h_abs >= min_step:
        t_new = t + h_abs * way
        if way * (t_new - tf) > 0:
            t_new = tf
        h = t_new - t
        h_abs = abs(h)
        slopes, y_new, f_new = _stages(f, t, y, slope, h, method)
        nfev += len(slopes) - 1
        scale = atol + np.maximum(np.abs(y), np.abs(y_new)) * rtol
        error = _error(slopes, h, scale, method)
        if error < 1:
            factor = 10 if error == 0 else min(10, 0.9 * error**power)
            h_abs = h_abs * (min(1, factor) if rejected else factor)
            return t_new, h, h_abs, y_new, f_new, slopes, nfev, True
        h_abs = h_abs * max(0.2, 0.9 * error**power)
        rejected = True
    return t, 0.0, h_abs, y, slope, slope, nfev, False


def _nothing_to_do(t: Any, y: Any, times: Any, dense_output: Any) -> Any:
    """Return the result where the time does not pass."""
    if times is not None:
        return _result([t for _ in times], [y for _ in times], None, 1, 0)
    solution = OdeSolution(np.array([t, t]), [(t, t + 1.0, y, np.zeros((y.size, 4)))], False)
    return _result([t, t], [y, y], solution if dense_output else None, 1, 0)


def _wanted(times: Any, shown: Any, t: Any, way: Any) -> Any:
    """Return how many of the times are reached, in the direction of the integration."""
    if times is None:
        return shown
    if way > 0:
        return int(np.searchsorted(times, t, side="right"))
    return len(times) - int(np.searchsorted(times[::-1], t, side="left"))


def _result(ts: Any, ys: Any, solution: Any, nfev: Any, status: Any) -> Any:
    message = "Required step size is less than spacing between numbers."
    if status == 0:
        message = "The solver successfully reached the end of the integration interval."
    t, y = (np.array(ts), np.vstack(ys).T) if ts else ([], [])
    return OdeResult(t, y, solution, None, None, nfev, 0, 0, status, message, status >= 0)


translated_as(integrate.solve_ivp, solve_ivp)
