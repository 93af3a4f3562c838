"""Signals and estimates in time: Kalman, smoothing, hidden states, control loops."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

from tests.python.corpus import Example


class Estimate(NamedTuple):
    """A mean and a variance."""

    mean: float
    variance: float


@dataclass(frozen=True)
class Pid:
    """The gains of a controller."""

    p: float
    i: float = 0.0
    d: float = 0.0

    def output(self, error: float, total: float, change: float) -> float:
        return self.p * error + self.i * total + self.d * change


def kalman(measurements: Sequence[float], noise: float, drift: float = 0.01) -> list[float]:
    """A scalar Kalman filter."""
    estimate, variance = 0.0, 1.0
    track = []
    for z in measurements:
        variance += drift
        gain = variance / (variance + noise)
        estimate += gain * (z - estimate)
        variance *= 1 - gain
        track.append(estimate)
    return track


def fuse(a: Estimate, b: Estimate) -> Estimate:
    """Two estimates of one thing."""
    variance = 1 / (1 / a.variance + 1 / b.variance)
    return Estimate(variance * (a.mean / a.variance + b.mean / b.variance), variance)


def fuse_all(first: Estimate, *others: Estimate) -> Estimate:
    """Any number of estimates of one thing."""
    return reduce(fuse, others, first)


def kalman_motion(positions: Sequence[float], dt: float, q: float, r: float) -> tuple[float, float]:
    """Position and speed from positions, with a two by two covariance."""
    x, v = positions[0], 0.0
    pxx, pxv, pvv = 1.0, 0.0, 1.0
    for z in positions[1:]:
        x += v * dt
        pxx, pxv, pvv = pxx + dt * (2 * pxv + dt * pvv) + q, pxv + dt * pvv, pvv + q
        residual, s = z - x, pxx + r
        kx, kv = pxx / s, pxv / s
        x += kx * residual
        v += kv * residual
        pxx, pxv, pvv = (1 - kx) * pxx, (1 - kx) * pxv, pvv - kv * pxv
    return x, v


def ewma(values: Sequence[float], alpha: float) -> float:
    """An exponentially weighted mean."""
    return reduce(lambda mean, x: mean + alpha * (x - mean), values)


def holt_winters(values: Sequence[float], alpha: float, beta: float, ahead: int = 3) -> list[float]:
    """Forecasts from a level and a trend."""
    level, trend = values[0], values[1] - values[0]
    for value in values[2:]:
        last, level = level, alpha * value + (1 - alpha) * (level + trend)
        trend = beta * (level - last) + (1 - beta) * trend
    return [level + k * trend for k in range(1, ahead + 1)]


def forward(
    observed: Sequence[str], start: list[float], move: list[list[float]], emit: list[dict[str, float]]
) -> float:
    """The log likelihood of observations under a hidden Markov model, scaled at each step."""
    states = range(len(start))
    alpha = [start[s] * emit[s][observed[0]] for s in states]
    total = 0.0
    for symbol in observed[1:]:
        scale = sum(alpha)
        total += math.log(scale)
        alpha = [x / scale for x in alpha]
        alpha = [sum(alpha[r] * move[r][s] for r in states) * emit[s][symbol] for s in states]
    return total + math.log(sum(alpha))


def moving_average(values: list[float], width: int) -> list[float]:
    """Means of a sliding window."""
    return [sum(values[i : i + width]) / width for i in range(len(values) - width + 1)]


def median_filter(values: list[float], radius: int = 1) -> list[float]:
    """Medians of a sliding window, shorter at the ends."""
    result = []
    for i in range(len(values)):
        window = sorted(values[max(0, i - radius) : i + radius + 1])
        result.append(window[len(window) // 2])
    return result


def fir(signal: Sequence[float], taps: Sequence[float]) -> list[float]:
    """A finite impulse response filter over a window that moves."""
    window = [0.0] * len(taps)
    output = []
    for x in signal:
        window.insert(0, x)
        window.pop()
        output.append(sum(a * b for a, b in zip(window, taps, strict=True)))
    return output


def biquad(signal: Sequence[float], cutoff: float, q: float = 0.7) -> list[float]:
    """A second-order low pass."""
    w = 2 * math.pi * cutoff
    alpha = math.sin(w) / (2 * q)
    a0, a1, a2 = 1 + alpha, -2 * math.cos(w), 1 - alpha
    b1 = 1 - math.cos(w)
    b0 = b2 = b1 / 2
    x1 = x2 = y1 = y2 = 0.0
    output = []
    for x in signal:
        y = (b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2) / a0
        x2, x1, y2, y1 = x1, x, y1, y
        output.append(y)
    return output


def control(gains: Pid, target: float, steps: int = 30, dt: float = 0.1) -> float:
    """The squared error of a controlled first-order plant."""
    level = total = cost = 0.0
    last = target
    for _ in range(steps):
        error = target - level
        total += error * dt
        drive = gains.output(error, total, (error - last) / dt)
        last = error
        level += dt * (drive - 0.5 * level)
        cost += error**2 * dt
    return cost


def thermostat(start: float, low: float, high: float) -> tuple[float, int]:
    """A heater switched on and off, and how often."""
    temperature, heating, switches = start, False, 0
    for minute in range(60):
        outside = 5.0 + 2.0 * math.sin(minute / 10)
        temperature += 0.05 * (outside - temperature) + (1.0 if heating else 0.0)
        wanted = temperature < low or (heating and temperature < high)
        if wanted is not heating:
            switches += 1
        heating = wanted
    return temperature, switches


def alpha_beta(values: Sequence[float], alpha: float = 0.5, beta: float = 0.1) -> list[tuple[float, float]]:
    """The alpha-beta filter, with its history."""
    history = [(values[0], 0.0)]
    for value in values[1:]:
        x, v = history[-1]
        residual = value - (x + v)
        history.append((x + v + alpha * residual, v + beta * residual))
    return history


def autocorrelation(values: list[float], lag: int) -> float:
    """The correlation of a series with itself, shifted."""
    mean = sum(values) / len(values)
    centered = [x - mean for x in values]
    shifted = zip(centered[:-lag], centered[lag:], strict=True)
    return sum(a * b for a, b in shifted) / sum(x * x for x in centered)


def envelope(signal: Sequence[float], attack: float, release: float) -> list[float]:
    """A follower that rises fast and falls slowly."""
    level = 0.0
    levels = []
    for x in signal:
        rate = attack if abs(x) > level else release
        level += rate * (abs(x) - level)
        levels.append(level)
    return levels


def pipeline(signal: list[float], *stages: Callable[[list[float]], list[float]]) -> list[float]:
    """The signal through all stages."""
    for stage in stages:
        signal = stage(signal)
    return signal


def smooth_and_normalize(signal: list[float], gain: float) -> list[float]:
    """A chain of three filters, two of them on one line."""
    scale, shift = lambda xs: [gain * x for x in xs], lambda xs: [x - min(xs) for x in xs]
    return pipeline(signal, scale, shift, lambda xs: moving_average(xs, 3))


SIGNAL = [0.3, 1.0, -0.4, 2.2, 1.6, -0.9, 0.7, 3.1]
EMISSIONS = [{"x": 0.5, "y": 0.4, "z": 0.1}, {"x": 0.1, "y": 0.3, "z": 0.6}]

EXAMPLES = [
    Example(kalman, ([1.0, 1.1, 0.9], 0.1)),
    Example(fuse_all, (Estimate(1.0, 0.5), Estimate(1.4, 0.2), Estimate(0.7, 2.0))),
    Example(kalman_motion, ([0.0, 1.1, 1.9, 3.2, 4.0], 1.0, 0.01, 0.3)),
    Example(ewma, (SIGNAL, 0.3)),
    Example(ewma, ([], 0.3), raises=TypeError),
    Example(holt_winters, (SIGNAL, 0.5, 0.2)),
    Example(forward, ("xyzzy", [0.6, 0.4], [[0.7, 0.3], [0.4, 0.6]], EMISSIONS)),
    Example(moving_average, (SIGNAL, 3)),
    Example(median_filter, (SIGNAL,)),
    Example(fir, (SIGNAL, [0.5, 0.3, 0.2])),
    Example(biquad, (SIGNAL, 0.1)),
    Example(control, (Pid(2.0, i=0.8, d=0.05), 1.5)),
    Example(thermostat, (15.0, 18.0, 21.0)),
    Example(alpha_beta, (SIGNAL,)),
    Example(autocorrelation, (SIGNAL, 2)),
    Example(envelope, (SIGNAL, 0.8, 0.1)),
    Example(smooth_and_normalize, (SIGNAL, 1.7)),
]
