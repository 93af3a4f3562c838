"""Real and imaginary parts, conjugates, angles; and rules for complex operands.

The convention of cotangents is stated in tensorlib.signals.fourier: g of a complex z pairs with a tangent t
as Re(sum(g t)).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.array_library import as_dtype, zeros_beside
from checkpoint.ad.tensors import Tensor
from checkpoint.prims.arrays import tensor
from tensorlib.elementwise.pointwise import DIVIDE, MULTIPLY
from tensorlib.rules import is_complex, is_scalar, raw, record, unbroadcast


def absolute_vjp(xp: Any, g: Any, y: Any, z: Any) -> Any:
    """Return the cotangent of z where y is its absolute value: g conj(z) / |z|; zero where z is."""
    return unbroadcast(xp, g * xp.conj(z) / xp.where(y == 0, 1.0, y), z)


def absolute_jvp(tangent: Any, y: Any, z: Any) -> Any:
    """Return what the tangent of z contributes to that of its absolute value y."""
    size = record("np.where")(raw(y) == 0, 1.0, y)
    return REAL(MULTIPLY(DIVIDE(CONJ(z), size), tangent))


def _real_vjp(xp: Any, g: Any, y: Any, val: Any) -> Any:
    return float(g) if is_scalar(val) else as_dtype(g, val.dtype)


def _imag_vjp(xp: Any, g: Any, y: Any, val: Any) -> Any:
    if is_scalar(val):
        return 0.0
    return g * val.dtype.type(-1j) if is_complex(val) else zeros_beside(g, val.shape, val.dtype)


def _conj_vjp(xp: Any, g: Any, y: Any, x: Any) -> Any:
    return float(g) if is_scalar(x) else xp.conjugate(g)


def _angle_vjp(xp: Any, g: Any, y: Any, z: Any, deg: Any = False) -> Any:
    if is_scalar(z):
        return 0.0
    size = xp.real(z) ** 2 + xp.imag(z) ** 2
    slope = xp.conj(z * z.dtype.type(1j)) / size if is_complex(z) else zeros_beside(g, z.shape, z.dtype)
    return unbroadcast(xp, g * slope * (180 / np.pi if deg else 1.0), z)


def _angle_jvp(tangent: Any, y: Any, z: Any, deg: Any = False) -> Any:
    if not is_complex(z):
        return None
    return MULTIPLY(IMAG(DIVIDE(tangent, z)), 180 / np.pi if deg else 1.0)


def _samples(rng: Any) -> list[tuple[Any, ...]]:
    def drawn(*shape: int) -> Any:
        return rng.normal(size=shape) + 1j * rng.normal(size=shape)

    return [(drawn(3),), (drawn(2, 3).T,), (drawn()[()],), (drawn(0),), (rng.normal(size=3),), (2.5,)]


REAL = tensor(
    "np.real",
    lambda xp, val: xp.real(val),
    vjps=(_real_vjp,),
    linear=True,
    needs=((),),
    views=True,
    implements=(np.real,),
    shape="that of the array",
    samples=_samples,
)
IMAG = tensor(
    "np.imag",
    lambda xp, val: xp.imag(val),
    vjps=(_imag_vjp,),
    linear=True,
    needs=((),),
    views=True,
    implements=(np.imag,),
    shape="that of the array",
    samples=_samples,
)
CONJ = tensor(
    "np.conjugate",
    lambda xp, x: xp.conjugate(x),
    vjps=(_conj_vjp,),
    linear=True,
    needs=((),),
    implements=(np.conjugate,),
    methods=("conj", "conjugate"),
    shape="that of the array",
    samples=_samples,
)
ANGLE = tensor(
    "np.angle",
    lambda xp, z, deg=False: xp.angle(z, deg),
    vjps=(_angle_vjp, None),
    jvps=(_angle_jvp, None),
    needs=((0,), ()),
    implements=(np.angle,),
    shape="that of the array",
    convention="of a real array the derivative is zero, at zero too",
    samples=lambda rng: [*_samples(rng), (_samples(rng)[0][0], True)],
)


# Complex numbers of Python beside arrays

_NARROW = ("float16", "float32", "complex64")


def _of_parts(xp: Any, real: Any, imag: Any, like: Any = None) -> Any:
    """Return real + i imag without dimensions, as precise as an array of the dtype of `like` makes it."""
    narrow = str(getattr(like, "dtype", "")) in _NARROW
    return (xp.complex64 if narrow else xp.complex128)(complex(real, imag))


OF_PARTS: Tensor = tensor(
    "tensorlib.complex",
    _of_parts,
    vjps=(
        lambda xp, g, y, real, imag, like=None: float(g.real),
        lambda xp, g, y, real, imag, like=None: -float(g.imag),
        None,
    ),
    jvps=(
        lambda tangent, y, real, imag, like=None: OF_PARTS(tangent, 0.0, y),
        lambda tangent, y, real, imag, like=None: OF_PARTS(0.0, tangent, y),
        None,
    ),
    needs=((), (), ()),
    overloads=("py.complex-array",),
    shape="two reals give an array without dimensions",
    samples=lambda rng: [(1.5, -2.5), (0.5, 1.0, rng.normal(size=3).astype(np.float32))],
)
