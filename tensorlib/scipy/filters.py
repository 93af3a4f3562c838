"""Linear filters of scipy.ndimage: correlations and convolutions of arrays, Gaussian and uniform filters.

In a program these are translated. Values are SciPy's, derivatives those of sums over windows of the padded
array.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

from checkpoint.errors import refusal
from checkpoint.prims.arrays import prim, solver, translated_as

PADDED_AS: dict[str, Any] = {  # the names of NumPy's for what lies beyond the edges
    "reflect": "symmetric",
    "grid-mirror": "symmetric",
    "constant": "constant",
    "grid-constant": "constant",
    "nearest": "edge",
    "mirror": "reflect",
    "wrap": "wrap",
    "grid-wrap": "wrap",
}


@solver("scipy.ndimage")
def _of_scipy(name: str, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
    return getattr(ndimage, name)(*operands, **options)


def _padded(x: Any, widths: Any, mode: Any, cval: Any) -> Any:
    if PADDED_AS[mode] == "constant":
        return np.pad(x, widths, mode="constant", constant_values=cval)
    return np.pad(x, widths, mode=PADDED_AS[mode])


def _correlated(x: Any, weights: Any, mode: Any, cval: Any, origins: Any) -> Any:
    """Return the sums of the weighted elements of each window."""
    widths = []
    for size, origin in zip(weights.shape, origins):  # noqa: B905  # strict: SciPy has checked it
        before = size // 2 + origin
        widths.append((before, size - 1 - before))
    padded = _padded(x, widths, mode, cval)
    windows = np.lib.stride_tricks.sliding_window_view(padded, weights.shape)
    return np.sum(windows * weights, axis=tuple(range(-weights.ndim, 0)))


def _flipped(origins: Any, sizes: Any) -> Any:
    """Return the origins of the correlation that a convolution is, of which the weights are turned round."""
    return [-origin - (1 if size % 2 == 0 else 0) for origin, size in zip(origins, sizes)]  # noqa: B905


def _without(output: Any, axes: Any = None) -> None:
    if output is not None or axes is not None:
        raise refusal(
            "filters of scipy.ndimage into an output, or along some axes of several: use the array that they "
            "return, and convolve1d"
        )


def _over_all(name: Any, input: Any, weights: Any, mode: Any, cval: Any, origin: Any, turned: Any) -> Any:
    x, w = np.asarray(input), np.asarray(weights)
    value = prim(
        "py.solver", "scipy.ndimage", (), (name, (x, w), {"mode": mode, "cval": cval, "origin": origin})
    )
    origins = [origin] * w.ndim if np.ndim(origin) == 0 else list(origin)

    def filtered(both: Any) -> Any:
        if turned:
            return _correlated(both[0], np.flip(both[1]), mode, cval, _flipped(origins, w.shape))
        return _correlated(both[0], both[1], mode, cval, origins)

    return prim("py.attached", value, filtered, (x, w))


def _along(
    name: Any, input: Any, weights: Any, axis: Any, mode: Any, cval: Any, origin: Any, turned: Any
) -> Any:
    x, w = np.asarray(input), np.asarray(weights)
    options = {"axis": axis, "mode": mode, "cval": cval, "origin": origin}
    value = prim("py.solver", "scipy.ndimage", (), (name, (x, w), options))

    def filtered(both: Any) -> Any:
        weights, at = both[1], [origin]
        if turned:
            weights, at = np.flip(weights), _flipped(at, w.shape)
        return correlated_along(both[0], weights, axis, mode, cval, at[0])

    return prim("py.attached", value, filtered, (x, w))


def correlated_along(x: Any, weights: Any, axis: Any, mode: Any, cval: Any, origin: Any) -> Any:
    rows = np.moveaxis(x, axis, -1)
    own = np.reshape(weights, (1,) * (rows.ndim - 1) + weights.shape)
    found = _correlated(rows, own, mode, cval, [0] * (rows.ndim - 1) + [origin])
    return np.moveaxis(found, -1, axis)


def convolve(
    input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0,
    *, axes: Any = None,
) -> Any:  # fmt: skip
    """See scipy.ndimage.convolve."""
    _without(output, axes)
    return _over_all("convolve", input, weights, mode, cval, origin, True)


def correlate(
    input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0,
    *, axes: Any = None,
) -> Any:  # fmt: skip
    """See scipy.ndimage.correlate."""
    _without(output, axes)
    return _over_all("correlate", input, weights, mode, cval, origin, False)


def convolve1d(
    input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0,
) -> Any:  # fmt: skip
    """See scipy.ndimage.convolve1d."""
    _without(output)
    return _along("convolve1d", input, weights, axis, mode, cval, origin, True)


def correlate1d(
    input: Any, weights: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0,
) -> Any:  # fmt: skip
    """See scipy.ndimage.correlate1d."""
    _without(output)
    return _along("correlate1d", input, weights, axis, mode, cval, origin, False)


def uniform_filter1d(
    input: Any, size: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0,
) -> Any:  # fmt: skip
    """See scipy.ndimage.uniform_filter1d."""
    _without(output)
    x = np.asarray(input)
    options = {"axis": axis, "mode": mode, "cval": cval, "origin": origin}
    value = prim("py.solver", "scipy.ndimage", (), ("uniform_filter1d", (x, size), options))
    weights = np.ones(size) / size
    return prim("py.attached", value, lambda x: correlated_along(x, weights, axis, mode, cval, origin), x)


def uniform_filter(
    input: Any, size: Any = 3, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0,
    *, axes: Any = None,
) -> Any:  # fmt: skip
    """See scipy.ndimage.uniform_filter."""
    _without(output, axes)
    x = np.asarray(input)
    for axis in range(x.ndim):
        width, own, start = _of_axis(size, axis), _of_axis(mode, axis), _of_axis(origin, axis)
        if width > 1:
            x = uniform_filter1d(x, width, axis, None, own, cval, start)
    return x


def _of_axis(option: Any, axis: Any) -> Any:
    return option[axis] if isinstance(option, list | tuple) else option


def _bell(sigma: Any, order: Any, radius: Any) -> Any:
    """Return the weights of a Gaussian filter, or of one of its derivatives."""
    x = np.arange(-radius, radius + 1)
    bell = np.exp(-0.5 / (sigma * sigma) * x**2)
    bell = bell / np.sum(bell)
    factors = [np.ones(len(x))]
    for k in range(order):  # Hermite's recurrence, of the derivatives of exp(-x^2 / (2 sigma^2))
        following = -x / (sigma * sigma) * factors[-1]
        if k:
            following = following - k / (sigma * sigma) * factors[-2]
        factors.append(following)
    return factors[-1] * bell


def gaussian_filter1d(
    input: Any, sigma: Any, axis: Any = -1, order: Any = 0, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, truncate: Any = 4.0, *, radius: Any = None,
) -> Any:  # fmt: skip
    """See scipy.ndimage.gaussian_filter1d."""
    _without(output)
    x = np.asarray(input)
    width = int(truncate * float(sigma) + 0.5) if radius is None else radius
    options = {"axis": axis, "order": order, "mode": mode, "cval": cval, "radius": width}
    value = prim("py.solver", "scipy.ndimage", (), ("gaussian_filter1d", (x, sigma), options))

    def filtered(both: Any) -> Any:
        weights = np.flip(_bell(both[1], order, width))
        return correlated_along(both[0], weights, axis, mode, cval, 0)

    return prim("py.attached", value, filtered, (x, sigma))


def gaussian_filter(
    input: Any, sigma: Any, order: Any = 0, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    truncate: Any = 4.0, *, radius: Any = None, axes: Any = None,
) -> Any:  # fmt: skip
    """See scipy.ndimage.gaussian_filter."""
    _without(output, axes)
    x = np.asarray(input)
    for axis in range(x.ndim):
        width, degree, own = _of_axis(sigma, axis), _of_axis(order, axis), _of_axis(mode, axis)
        if width > 1e-15:
            near = _of_axis(radius, axis)
            x = gaussian_filter1d(x, width, axis, degree, None, own, cval, truncate, radius=near)
    return x


_TRANSLATIONS: dict[Any, Any] = {
    getattr(ndimage, each.__name__): each
    for each in (
        convolve,
        correlate,
        convolve1d,
        correlate1d,
        uniform_filter1d,
        uniform_filter,
        gaussian_filter1d,
        gaussian_filter,
    )
}
for _function, _written in _TRANSLATIONS.items():
    translated_as(_function, _written)
