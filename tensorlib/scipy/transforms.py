"""Fourier transforms of scipy.fft, by the rules of NumPy's; its cosine and sine transforms, along one axis.

Values are SciPy's. Samples and conventions are those of tensorlib.signals.fourier.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft, fftpack

from checkpoint.errors import refusal
from checkpoint.prims.arrays import also_implements, prim, solver, tensor, translated_as
from tensorlib.rules import record

NAMES = ("fft", "ifft", "rfft", "irfft", "fft2", "ifft2", "rfft2", "fftn", "ifftn", "rfftn", "irfftn")


def _register(name: str) -> None:
    like = record(f"np.fft.{name}")
    function = getattr(fft, name)

    def value(xp: Any, *operands: Any) -> Any:
        return function(*operands)

    value.__wrapped__ = like.value  # type: ignore[attr-defined]  # which has its parameters
    value.__module__ = __name__
    tensor(
        f"scipy.fft.{name}",
        value,
        vjps=like.vjps,
        jvps=like.jvps,
        linear=like.linear,
        needs=like.needs,
        implements=(function,),
        shape=like.shape,
        convention=like.convention,
        samples=lambda rng: [operands for operands in like.samples(rng) if _has_unique_axes(operands)],
    )


def _has_unique_axes(operands: tuple[Any, ...]) -> bool:
    """Return whether no axis is transformed twice, which SciPy refuses and NumPy does not."""
    axes = operands[2] if len(operands) > 2 and isinstance(operands[2], tuple | list) else ()
    return len({axis % operands[0].ndim for axis in axes}) == len(axes)


@solver("scipy.fft, of reals")
def _of_scipy(package: str, name: str, x: Any, options: dict[str, Any]) -> Any:
    return getattr(fft if package == "fft" else fftpack, name)(x, **options)


def _of_reals(package: Any, name: Any, x: Any, length: Any, axis: Any, options: Any) -> Any:
    """Return a cosine or sine transform along an axis; its derivative is that of a product with a matrix.

    length: to which x is cut, or extended by zeros; None: that which it has.
    """
    x = np.asarray(x)
    passed = {**options, "n": length, "axis": axis}
    value = prim("py.solver", "scipy.fft, of reals", (), (package, name, x, passed))

    def product(x: Any) -> Any:
        total = x.shape[axis] if length is None else length
        kept = min(x.shape[axis], total)
        unit = (package, name, np.eye(total), {**options, "axis": 0})
        matrix = prim("py.solver", "scipy.fft, of reals", (), unit)
        moved = np.moveaxis(x, axis, -1)[..., :kept] @ matrix[:, :kept].T
        return np.moveaxis(moved, -1, axis)

    return prim("py.attached", value, product, x * 1.0)


def _options(type: Any, norm: Any, orthogonalize: Any) -> Any:
    found = {"type": type, "norm": norm}
    if orthogonalize is not None:
        found["orthogonalize"] = orthogonalize
    return found


def dct(
    x: Any,
    type: Any = 2,
    n: Any = None,
    axis: Any = -1,
    norm: Any = None,
    overwrite_x: Any = False,
    workers: Any = None,
    *,
    plan: Any = None,
    orthogonalize: Any = None,
) -> Any:
    """See scipy.fft.dct."""
    return _of_reals("fft", "dct", x, n, axis, _options(type, norm, orthogonalize))


def idct(
    x: Any,
    type: Any = 2,
    n: Any = None,
    axis: Any = -1,
    norm: Any = None,
    overwrite_x: Any = False,
    workers: Any = None,
    *,
    plan: Any = None,
    orthogonalize: Any = None,
) -> Any:
    """See scipy.fft.idct."""
    return _of_reals("fft", "idct", x, n, axis, _options(type, norm, orthogonalize))


def dst(
    x: Any,
    type: Any = 2,
    n: Any = None,
    axis: Any = -1,
    norm: Any = None,
    overwrite_x: Any = False,
    workers: Any = None,
    *,
    plan: Any = None,
    orthogonalize: Any = None,
) -> Any:
    """See scipy.fft.dst."""
    return _of_reals("fft", "dst", x, n, axis, _options(type, norm, orthogonalize))


def idst(
    x: Any,
    type: Any = 2,
    n: Any = None,
    axis: Any = -1,
    norm: Any = None,
    overwrite_x: Any = False,
    workers: Any = None,
    *,
    plan: Any = None,
    orthogonalize: Any = None,
) -> Any:
    """See scipy.fft.idst."""
    return _of_reals("fft", "idst", x, n, axis, _options(type, norm, orthogonalize))


def old_dct(
    x: Any,
    type: Any = 2,
    n: Any = None,
    axis: Any = -1,
    norm: Any = None,
    overwrite_x: Any = False,
) -> Any:
    """See scipy.fftpack.dct."""
    return _of_reals("fftpack", "dct", x, n, axis, _options(type, norm, None))


def old_idct(
    x: Any,
    type: Any = 2,
    n: Any = None,
    axis: Any = -1,
    norm: Any = None,
    overwrite_x: Any = False,
) -> Any:
    """See scipy.fftpack.idct."""
    return _of_reals("fftpack", "idct", x, n, axis, _options(type, norm, None))


def old_dst(
    x: Any,
    type: Any = 2,
    n: Any = None,
    axis: Any = -1,
    norm: Any = None,
    overwrite_x: Any = False,
) -> Any:
    """See scipy.fftpack.dst."""
    return _of_reals("fftpack", "dst", x, n, axis, _options(type, norm, None))


def old_idst(
    x: Any,
    type: Any = 2,
    n: Any = None,
    axis: Any = -1,
    norm: Any = None,
    overwrite_x: Any = False,
) -> Any:
    """See scipy.fftpack.idst."""
    return _of_reals("fftpack", "idst", x, n, axis, _options(type, norm, None))


def of_several_axes(x: Any, *args: Any, **kwds: Any) -> Any:
    """Refuse the cosine and sine transforms along several axes, and say what to write instead."""
    raise refusal(
        "the cosine and sine transforms along several axes have no rule here: take one axis after the other, "
        "scipy.fft.dct(scipy.fft.dct(x, axis=0), axis=1)"
    )


for _name in NAMES:
    _register(_name)
for _name in ("fftfreq", "rfftfreq", "fftshift", "ifftshift"):
    also_implements(record(f"np.fft.{_name}"), getattr(fft, _name))
for _written in (dct, idct, dst, idst):
    translated_as(getattr(fft, _written.__name__), _written)
for _old in (old_dct, old_idct, old_dst, old_idst):
    translated_as(getattr(fftpack, _old.__name__.removeprefix("old_")), _old)
for _name in ("dctn", "idctn", "dstn", "idstn"):
    translated_as(getattr(fft, _name), of_several_axes)
