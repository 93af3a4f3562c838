"""Peaks of scipy.signal: SciPy's places and measures, derivatives of the measures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import signal

import checkpoint
from tests.arrays.agreement import ENGINES
from tests.scipy_programs.support import agrees

TIMES = np.linspace(0.0, 10.0, 60)
BASE = np.sin(TIMES * 2.0) * (1.0 + 0.1 * TIMES) + 0.3 * np.cos(5.3 * TIMES)
CONDITIONS: list[dict[str, Any]] = [
    {},
    {"height": 0.4},
    {"height": (0.1, 1.4), "distance": 3},
    {"threshold": 1e-3},
    {"prominence": 0.2},
    {"prominence": 0.1, "wlen": 21},
    {"width": 1.5},
    {"width": 1.0, "rel_height": 0.8},
]


def curve(p: Any) -> Any:
    return p[0] * BASE + p[1] * np.cos(TIMES)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_is_measured_at_peaks(condition: Any) -> None:
    def f(p: Any) -> Any:
        y = curve(p)
        peaks, found = signal.find_peaks(y, **condition)
        total = np.sum(y[peaks]) + len(peaks)
        for i, name in enumerate(sorted(found)):
            total = total + (i + 1.0) * np.sum(found[name] * (1.0 + 0.1 * peaks))
        return total

    agrees(f, [1.2, 0.3], rtol=1e-5)


def test_prominences_and_widths_of_given_peaks() -> None:
    def f(p: Any) -> Any:
        y = curve(p)
        peaks = signal.argrelmax(y)[0]
        low = signal.argrelmin(y)[0]
        prominences, left, _ = signal.peak_prominences(y, peaks)
        widths, heights, start, end = signal.peak_widths(y, peaks, rel_height=0.7)
        total = np.sum(prominences) + np.sum(y[low]) + np.sum(y[left])
        return total + np.sum(widths * heights) + np.sum(start * end)

    agrees(f, [1.2, 0.3], rtol=1e-5)


def test_plateaus() -> None:
    def f(p: Any) -> Any:
        y = p[0] * np.array([0.0, 2.0, 2.0, 1.0, 3.0, 0.0])
        peaks, found = signal.find_peaks(y, plateau_size=1)
        return np.sum(y[peaks] * found["plateau_sizes"]) + found["left_edges"][0] + p[1]

    agrees(f, [1.2, 0.3], rtol=1e-5)


@pytest.mark.parametrize("engine", ENGINES)
def test_errors_are_scipys(engine: str) -> None:
    def f(x: Any) -> Any:
        return signal.find_peaks(np.ones((2, 2)) * x)[0]

    with pytest.raises(ValueError, match="`x` must be a 1-D array"):
        checkpoint.primops(f, 1.0, engine=engine)
