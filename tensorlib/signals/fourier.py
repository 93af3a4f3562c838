"""Fourier transforms, and the convention of cotangents of complex arrays.

**The convention.** The cotangent g of a complex array z pairs with a tangent t as Re(sum(g t)): g is the
derivative by the real part minus i times that by the imaginary part. It is the convention of JAX and of HIPS
autograd; that of PyTorch is its conjugate. What follows:
- For a holomorphic f the cotangent of z is g f'(z), nothing conjugated: the rules of reals serve.
- The transpose of a linear map is the transposed matrix, not the adjoint: the rule of fft is fft.
- Of a real operand of a complex result the cotangent is the real part of what the rule gives.
- The result of a gradient by a complex array is to be conjugated before it is a direction of ascent.

Complex arrays live between transforms. What is right for them: + - * / negative, abs, real, imag, conj,
angle, exp and other holomorphic functions, the products, solve, inv, det, matrix_power, and what only moves
elements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from checkpoint.ad.array_library import zeros_beside
from checkpoint.prims.arrays import tensor
from tensorlib.elementwise.pointwise import DIVIDE, MULTIPLY, NEGATIVE
from tensorlib.rules import shape_of, unbroadcast

_SWAPPED = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}

# The transforms along one axis, and their transposes: cotangent(xp, g, size, n, axis, norm), of an operand of
# so many elements along the axis. n is always given.


def _resized(xp: Any, g: Any, size: int, axis: int) -> Any:
    """Return the first elements along an axis, or with zeros behind them."""
    have = g.shape[axis]
    if have > size:
        return xp.moveaxis(xp.moveaxis(g, axis, -1)[..., :size], -1, axis)
    if have == size:
        return g
    widths = [(0, size - have if i == axis % g.ndim else 0) for i in range(g.ndim)]
    return xp.pad(g, widths)


def _weighted(xp: Any, g: Any, n: int, axis: int, inner: float) -> Any:
    """Return the terms of half a spectrum, those that stand for two multiplied by `inner`."""
    count = g.shape[axis]
    weights = zeros_beside(g, count, xp.real(g).dtype)
    weights[...] = inner
    weights[0] = 1.0
    if n % 2 == 0:
        weights[-1] = 1.0
    return g * weights.reshape([count if i == axis % g.ndim else 1 for i in range(g.ndim)])


def _fft_back(xp: Any, g: Any, size: int, n: int, axis: int, norm: Any) -> Any:
    return _resized(xp, xp.fft.fft(g, n, axis, norm), size, axis)


def _ifft_back(xp: Any, g: Any, size: int, n: int, axis: int, norm: Any) -> Any:
    return _resized(xp, xp.fft.ifft(g, n, axis, norm), size, axis)


def _rfft_back(xp: Any, g: Any, size: int, n: int, axis: int, norm: Any) -> Any:
    half = _weighted(xp, xp.conj(g), n, axis, 0.5)
    return _resized(xp, xp.fft.irfft(half, n, axis, _SWAPPED[norm]), size, axis)


def _irfft_back(xp: Any, g: Any, size: int, n: int, axis: int, norm: Any) -> Any:
    whole = xp.conj(xp.fft.rfft(g, n, axis, _SWAPPED[norm]))
    return _resized(xp, _weighted(xp, whole, n, axis, 2.0), size, axis)


Back = Callable[..., Any]
_BACK: dict[str, Back] = {"fft": _fft_back, "ifft": _ifft_back, "rfft": _rfft_back, "irfft": _irfft_back}


def _default(kind: str, size: int) -> int:
    """Return the length of a transform of so many elements."""
    return 2 * (size - 1) if kind == "irfft" else size


def _along_axis(kind: str) -> dict[str, Any]:
    """Return the value and the rule of a transform along one axis."""

    def value(xp: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        return getattr(xp.fft, kind)(a, n, axis, norm)

    def vjp(xp: Any, g: Any, y: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        size = shape_of(a)[axis]
        return unbroadcast(
            xp, _BACK[kind](xp, g, size, _default(kind, size) if n is None else n, axis, norm), a
        )

    return {"value": value, "vjps": (vjp, None, None, None)}


# The transforms along several axes: a sequence of transforms along one


def _steps(kind: str, shape: tuple[int, ...], s: Any, axes: Any) -> list[tuple[str, int, int, int]]:
    """Return for each transform, in order: itself, its axis, the number of elements, its length."""
    if axes is None:
        axes = list(range(len(shape))) if s is None else list(range(-len(s), 0))
    lengths = [-1] * len(axes) if s is None else list(s)
    plain = "ifft" if kind.startswith("i") else "fft"
    order = [(plain, i) for i in reversed(range(len(axes)))]
    if "r" in kind and axes:
        last = ("irfft" if kind == "irfftn" else "rfft", len(axes) - 1)
        order = [*order[1:], last] if kind == "irfftn" else [last, *order[1:]]
    sizes, found = list(shape), []
    for one, i in order:
        axis, size = axes[i], sizes[axes[i]]
        length = lengths[i]
        if length == -1:
            length = _default(one, shape[axis]) if s is None else shape[axis]
        found.append((one, axis, size, length))
        sizes[axis] = length // 2 + 1 if one == "rfft" else length
    return found


def _along_axes(name: str, kind: str, default: Any) -> dict[str, Any]:
    """Return the value and the rule of a transform along several axes."""

    def value(xp: Any, a: Any, s: Any = None, axes: Any = default, norm: Any = None) -> Any:
        return getattr(xp.fft, name)(a, s, axes, norm)

    def vjp(xp: Any, g: Any, y: Any, a: Any, s: Any = None, axes: Any = default, norm: Any = None) -> Any:
        for one, axis, size, length in reversed(_steps(kind, shape_of(a), s, axes)):
            g = _BACK[one](xp, g, size, length, axis, norm)
        return unbroadcast(xp, g, a)

    return {"value": value, "vjps": (vjp, None, None, None)}


# Samples


def _drawn(rng: Any, real: bool, *shape: int) -> Any:
    return rng.normal(size=shape) if real else rng.normal(size=shape) + 1j * rng.normal(size=shape)


def _axis_samples(kind: str) -> Any:
    def samples(rng: Any) -> list[tuple[Any, ...]]:
        real = kind == "rfft"
        x, y = _drawn(rng, real, 5), _drawn(rng, real, 4, 3)
        found = [
            (x,),
            (y,),
            (y, None, 0),
            (y.T, None, -1),
            (x[::2],),
            (x, 4),
            (x, 3),
            (x, 8),
            (y, 6, 0),
            (x, 1),
        ]
        found += [(x, None, -1, norm) for norm in ("ortho", "forward", "backward")]
        found += [(y, 7, 0, "ortho"), (y, 6, 0, "forward"), (y[:, :0].T, 3, 1)]
        return found if real else [*found, (rng.normal(size=(2, 4)),), (rng.normal(size=4), 6)]

    return samples


def _axes_samples(name: str, kind: str) -> Any:
    def samples(rng: Any) -> list[tuple[Any, ...]]:
        real = kind == "rfftn"
        x, y = _drawn(rng, real, 3, 4), _drawn(rng, real, 2, 3, 4)
        found = [
            (x,),
            (x.T,),
            (y,),
            (y, (4, 3), (0, 2)),
            (y, (2, 5), (1, -1), "ortho"),
            (y, None, (2, 0), "forward"),
        ]
        found += [(y, (3, -1), (0, 1))]
        if name.endswith("n"):
            found += [(y, None, (1,)), (y, None, None, "ortho"), (x, None, None)]
        if kind in ("fftn", "ifftn"):
            found += [(x, None, (0, 0)), (rng.normal(size=(2, 3)),)]
        return found

    return samples


def _shift_samples(rng: Any) -> list[tuple[Any, ...]]:
    x, y = rng.normal(size=(3, 4)), _drawn(rng, False, 5)
    return [(x,), (x, 0), (x, (0, 1)), (x.T, -1), (y,), (x[:, :0],)]


def _shift(name: str, other: str) -> Any:
    return tensor(
        f"np.fft.{name}",
        lambda xp, x, axes=None: getattr(xp.fft, name)(x, axes),
        vjps=(lambda xp, g, y, x, axes=None: unbroadcast(xp, getattr(xp.fft, other)(g, axes), x), None),
        linear=True,
        needs=((), ()),
        implements=(getattr(np.fft, name),),
        shape="that of the array",
        samples=_shift_samples,
    )


def _frequencies(name: str) -> Any:
    return tensor(
        f"np.fft.{name}",
        lambda xp, n, d=1.0: getattr(xp.fft, name)(n, d),
        vjps=(None, lambda xp, g, y, n, d=1.0: unbroadcast(xp, -xp.sum(g * y) / d, d)),
        jvps=(None, lambda t, y, n, d=1.0: NEGATIVE(DIVIDE(MULTIPLY(y, t), d))),
        implements=(getattr(np.fft, name),),
        shape="(n,), or half of that for rfftfreq",
        samples=lambda rng: [(4, 0.5), (5, 2.0), (1, 1.5), (6,)],
    )


_COMMON: dict[str, Any] = {"linear": True, "needs": ((), (), (), ())}
_SHAPE = "that of the operand, of n elements along the axis; rfft: n // 2 + 1; irfft: n, by default 2 (m - 1)"

FFT, IFFT, RFFT, IRFFT = (
    tensor(
        f"np.fft.{_kind}",
        **_along_axis(_kind),
        **_COMMON,
        implements=(getattr(np.fft, _kind),),
        shape=_SHAPE,
        samples=_axis_samples(_kind),
    )
    for _kind in ("fft", "ifft", "rfft", "irfft")
)
FFTN, IFFTN, RFFTN, IRFFTN, FFT2, IFFT2, RFFT2, IRFFT2 = (
    tensor(
        f"np.fft.{_name}",
        **_along_axes(_name, _name.replace("2", "n"), (-2, -1) if _name.endswith("2") else None),
        **_COMMON,
        implements=(getattr(np.fft, _name),),
        shape="by s, or that of the operand, as along one axis",
        samples=_axes_samples(_name, _name.replace("2", "n")),
    )
    for _name in ("fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2")
)
FFTSHIFT = _shift("fftshift", "ifftshift")
IFFTSHIFT = _shift("ifftshift", "fftshift")
FFTFREQ = _frequencies("fftfreq")
RFFTFREQ = _frequencies("rfftfreq")
