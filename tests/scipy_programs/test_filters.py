"""Filters of scipy.ndimage and scipy.signal in programs: SciPy's values, derivatives by differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import ndimage, signal

import checkpoint
from checkpoint.errors import SourceError
from tests.scipy_programs.support import agrees

RNG = np.random.default_rng(5)
X = RNG.normal(size=8)
TABLE = RNG.normal(size=(4, 5))
B, A = np.array([0.3, 0.4, 0.1]), np.array([1.2, -0.5, 0.2])


def convolved(mode: str) -> Callable[[Any], Any]:
    return lambda x: ndimage.convolve(x, x[:3], mode=mode)


MODES = ("reflect", "constant", "nearest", "mirror", "wrap")

OF_VECTORS: dict[str, Callable[[Any], Any]] = {
    **{f"convolve {mode}": convolved(mode) for mode in MODES},
    "convolve, even": lambda x: ndimage.convolve(x, x[2:6]),
    "convolve, origin": lambda x: ndimage.convolve(x, x[2:6], origin=-1),
    "correlate": lambda x: ndimage.correlate(x, x[:3], mode="constant", cval=0.5),
    "correlate, even": lambda x: ndimage.correlate(x, x[2:6], origin=1),
    "convolve1d": lambda x: ndimage.convolve1d(x, x[2:6], origin=1),
    "correlate1d": lambda x: ndimage.correlate1d(x, [0.5, 1.0, 0.25], mode="wrap"),
    "gaussian_filter1d": lambda x: ndimage.gaussian_filter1d(x, x[0] ** 2 + 0.6),
    "gaussian_filter1d, order": lambda x: ndimage.gaussian_filter1d(x, 0.8, order=3, mode="nearest"),
    "uniform_filter1d": lambda x: ndimage.uniform_filter1d(x, 4, origin=1, mode="mirror"),
    "signal.convolve": lambda x: signal.convolve(x, x[:3]),
    "signal.convolve same": lambda x: signal.convolve(x, x[:4], mode="same"),
    "signal.convolve valid": lambda x: signal.convolve(x[:3], x, mode="valid"),
    "fftconvolve": lambda x: signal.fftconvolve(x, x[:3], mode="same"),
    "oaconvolve": lambda x: signal.oaconvolve(x, x[:3], mode="valid"),
    "signal.correlate": lambda x: signal.correlate(x, x[:3]),
    "signal.correlate same": lambda x: signal.correlate(x[:4], x[:5], mode="same", method="direct"),
    "lfilter": lambda x: signal.lfilter(B * x[0], A + x[1], x),
    "lfilter, moving": lambda x: signal.lfilter([0.5, 0.25, 0.25], 1.0, x),
    "lfilter, one pole": lambda x: signal.lfilter([0.2], [1.0, -0.8], x),
    "lfilter, start": lambda x: np.concatenate(signal.lfilter(B, A, x, zi=x[:2])),
    "savgol_filter": lambda x: signal.savgol_filter(x, 5, 2),
    "savgol_filter, slope": lambda x: signal.savgol_filter(x, 5, 2, deriv=1, delta=0.5, mode="mirror"),
    "detrend": signal.detrend,
    "detrend, constant": lambda x: signal.detrend(x, type="constant"),
}
OF_TABLES: dict[str, Callable[[Any], Any]] = {
    "convolve": lambda x: ndimage.convolve(x, x[:3, :2]),
    "correlate": lambda x: ndimage.correlate(x, x[:2, :3], origin=(0, -1), mode="nearest"),
    "convolve1d": lambda x: ndimage.convolve1d(x, x[0, :3], axis=0),
    "gaussian_filter": lambda x: ndimage.gaussian_filter(x, 0.7),
    "gaussian_filter, by axis": lambda x: ndimage.gaussian_filter(x, (0.7, 0.0), order=(1, 0), mode="wrap"),
    "uniform_filter": lambda x: ndimage.uniform_filter(x, size=(3, 2)),
    "signal.convolve": lambda x: signal.convolve(x, x[:2, :3], mode="same"),
    "convolve2d": lambda x: signal.convolve2d(x, x[:2, :2], mode="valid"),
    "lfilter": lambda x: signal.lfilter(B, A, x, axis=0),
    "savgol_filter": lambda x: signal.savgol_filter(x, 3, 1, axis=0),
    "detrend": lambda x: signal.detrend(x, axis=0),
}


@pytest.mark.parametrize("name", OF_VECTORS)
def test_vectors(name: str) -> None:
    f = OF_VECTORS[name]
    agrees(lambda x: _weighted(f(x)), X, second=name.startswith(("convolve", "lfilter")))


@pytest.mark.parametrize("name", OF_TABLES)
def test_tables(name: str) -> None:
    f = OF_TABLES[name]
    agrees(lambda x: _weighted(f(x.reshape(4, 5))), TABLE.ravel(), second=False)


def _weighted(found: Any) -> Any:
    return np.sum(found * np.cos(np.arange(found.size)).reshape(found.shape))


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (lambda x: ndimage.convolve(x, x[:3], output=np.zeros(8))[0], "into an output"),
        (lambda x: signal.convolve2d(x[None], x[None], boundary="wrap")[0, 0], "another boundary than zeros"),
        (lambda x: signal.fftconvolve(x, x, axes=0)[0], "along some axes only"),
    ],
)
def test_what_is_refused(f: Callable[[Any], Any], text: str) -> None:
    with pytest.raises(SourceError, match=text):
        checkpoint.grad(f)(X)
