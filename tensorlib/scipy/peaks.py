"""Peaks of scipy.signal: where they are is constant, what is measured at them has derivatives.

In a program these are translated. SciPy finds the places; heights, thresholds, prominences and widths are
computed from the elements there as SciPy does. Conditions (`height=...`) are constants, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from checkpoint.prims.arrays import prim, solver, translated_as


@solver("scipy.signal.peaks")
def _of_scipy(name: str, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
    return getattr(signal, name)(*operands, **options)


def _found(name: Any, operands: Any, options: Any) -> Any:
    """Return what SciPy finds, without derivatives."""
    return prim("py.solver", "scipy.signal.peaks", (), (name, operands, options))


def _prominences(x: Any, peaks: Any, left: Any, right: Any) -> Any:
    return x[peaks] - np.maximum(x[left], x[right])


def _crossings(x: Any, heights: Any, places: Any, step: Any) -> Any:
    """Return the offsets from the samples below the heights to where straight lines cross the heights."""
    below = x[places]
    inside = prim("py.stop", below) < prim("py.stop", heights)
    rise = np.where(inside, x[np.where(inside, places + step, places)] - below, 1.0)
    return np.where(inside, (heights - below) / rise, 0.0)


def _crossed(ips: Any, x: Any, heights: Any, step: Any) -> Any:
    """Return the places where a peak has some height, with derivatives by samples and heights."""
    places = (np.floor(ips) if step > 0 else np.ceil(ips)).astype(int)
    return prim(
        "py.attached", ips, lambda both: step * _crossings(both[0], both[1], places, step), (x, heights)
    )


def _measured(x: Any, peaks: Any, found: Any, rel_height: Any) -> Any:
    """Return what was measured at the peaks, with derivatives; found: the same without."""
    measured = dict(found)
    if "peak_heights" in found:
        measured["peak_heights"] = x[peaks]
    if "left_thresholds" in found:
        measured["left_thresholds"] = x[peaks] - x[peaks - 1]
        measured["right_thresholds"] = x[peaks] - x[peaks + 1]
    if "prominences" in found:
        prominences = _prominences(x, peaks, found["left_bases"], found["right_bases"])
        measured["prominences"] = prominences
        if "widths" in found:
            heights = x[peaks] - prominences * rel_height
            measured["width_heights"] = heights
            left = _crossed(found["left_ips"], x, heights, 1)
            right = _crossed(found["right_ips"], x, heights, -1)
            measured["widths"], measured["left_ips"], measured["right_ips"] = right - left, left, right
    return measured


def find_peaks(
    x: Any,
    height: Any = None,
    threshold: Any = None,
    distance: Any = None,
    prominence: Any = None,
    width: Any = None,
    wlen: Any = None,
    rel_height: Any = 0.5,
    plateau_size: Any = None,
) -> Any:
    """See scipy.signal.find_peaks."""
    x = np.asarray(x)
    options = {
        "height": height,
        "threshold": threshold,
        "distance": distance,
        "prominence": prominence,
        "width": width,
        "wlen": wlen,
        "rel_height": rel_height,
        "plateau_size": plateau_size,
    }
    peaks, found = _found("find_peaks", (x,), options)
    return peaks, _measured(x, peaks, found, rel_height)


def peak_prominences(x: Any, peaks: Any, wlen: Any = None) -> Any:
    """See scipy.signal.peak_prominences."""
    x = np.asarray(x)
    _, left, right = _found("peak_prominences", (x, peaks), {"wlen": wlen})
    return _prominences(x, np.asarray(peaks), left, right), left, right


def peak_widths(
    x: Any, peaks: Any, rel_height: Any = 0.5, prominence_data: Any = None, wlen: Any = None
) -> Any:
    """See scipy.signal.peak_widths."""
    x = np.asarray(x)
    places = np.asarray(peaks)
    data = peak_prominences(x, peaks, wlen) if prominence_data is None else prominence_data
    options = {"rel_height": rel_height, "prominence_data": data}
    _, _, left, right = _found("peak_widths", (x, peaks), options)
    heights = x[places] - data[0] * rel_height
    left, right = _crossed(left, x, heights, 1), _crossed(right, x, heights, -1)
    return right - left, heights, left, right


def argrelmax(data: Any, axis: Any = 0, order: Any = 1, mode: Any = "clip") -> Any:
    """See scipy.signal.argrelmax."""
    return _found("argrelmax", (np.asarray(data),), {"axis": axis, "order": order, "mode": mode})


def argrelmin(data: Any, axis: Any = 0, order: Any = 1, mode: Any = "clip") -> Any:
    """See scipy.signal.argrelmin."""
    return _found("argrelmin", (np.asarray(data),), {"axis": axis, "order": order, "mode": mode})


for _written in (find_peaks, peak_prominences, peak_widths, argrelmax, argrelmin):
    translated_as(getattr(signal, _written.__name__), _written)
