"""Fourier transforms of scipy.fft, by the rules of NumPy's; cosine and sine transforms are refused.

Values are SciPy's. Samples and conventions are those of tensorlib.signals.fourier.
"""

from __future__ import annotations

import inspect
from typing import Any

from scipy import fft

from checkpoint.prims.arrays import also_implements, tensor, translated_as
from tensorlib.rules import record

NAMES = ("fft", "ifft", "rfft", "irfft", "fft2", "ifft2", "rfft2", "fftn", "ifftn", "rfftn", "irfftn")


def _register(name: str) -> None:
    like = record(f"np.fft.{name}")
    function = getattr(fft, name)

    def value(xp: Any, *operands: Any) -> Any:
        return function(*operands)

    value.__signature__ = inspect.signature(like.value)  # type: ignore[attr-defined]
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


def dct(x: Any, *args: Any, **kwds: Any) -> Any:
    """Refuse the cosine and sine transforms, and say what to write instead."""
    raise NotImplementedError(
        "the cosine and sine transforms of scipy.fft are not differentiated: multiply with the matrix, "
        "scipy.fft.dct(np.eye(n), axis=0) @ x, made outside of the function"
    )


for _name in NAMES:
    _register(_name)
for _name in ("fftfreq", "rfftfreq", "fftshift", "ifftshift"):
    also_implements(record(f"np.fft.{_name}"), getattr(fft, _name))
for _name in ("dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn"):
    translated_as(getattr(fft, _name), dct)
