"""The fingerprint of a machine: what decides the last bits of a run, and of which programs it has.

Two machines with equal fingerprints give a run the same bits. What cannot be asked for is measured: the bits
that functions of the C library, of NumPy and of its linear algebra give at fixed arguments, since these
choose by the processor.
"""

from __future__ import annotations

import math
import os
import platform
import sys
from array import array
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from checkpoint.errors import DurableError

Facts = dict[str, str]

_FUNCTIONS = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "erf", "erfc", "gamma", "lgamma"),
)
_POINTS = 1000
_LIBRARIES = ("numpy", "scipy", "torch")


def facts() -> Facts:
    """Return what is known of this process and machine, by names for messages."""
    found = {
        "checkpoint": _version("checkpoint"),
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "processor": f"{platform.machine()}, {sys.byteorder}-endian",
        "C library": " ".join(platform.libc_ver()) or platform.system(),
        "GLIBC_TUNABLES": os.environ.get("GLIBC_TUNABLES", ""),
        "bits of scalar functions": scalar_bits(),
    }
    for name in _LIBRARIES:
        if name in sys.modules:
            found[name] = _version(name)
    if "numpy" in sys.modules:
        found["bits of NumPy"] = array_bits()
    return found


def check(written: Facts, name: str, *, anyway: bool) -> None:
    """Raise DurableError where a file comes from a machine or process that differs from this one.

    What this process has not loaded is not compared.
    """
    found = differing(written)
    if found and not anyway:
        raise DurableError(
            f"{name} was written where a run may have other bits: {'; '.join(found)}. Pass anyway=True "
            f"to go on here all the same"
        )


def differing(there: Facts) -> list[str]:
    """Return what differs between this process and another one, of what both have loaded, for messages."""
    here = facts()
    return [
        f"{key} ({value or 'none'} there, {here[key] or 'none'} here)"
        for key, value in there.items()
        if key in here and here[key] != value
    ]


def _version(package: str) -> str:
    loaded = sys.modules.get(package)
    found = getattr(loaded, "__version__", None)
    return str(found) if found else _installed(package)


@cache
def _installed(package: str) -> str:
    """Return the version of a package that does not say it itself; finding it takes a millisecond."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def _arguments() -> list[float]:
    """Return fixed arguments: of both signs, from 1e-8 to 700, and some between -1 and 1."""
    found, state = [], 1
    for i in range(_POINTS):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        unit = state / (1 << 64)
        size = unit if i % 2 else 1e-8 * (7e10**unit)
        found.append(-size if state & (1 << 40) else size)
    return found


@cache
def scalar_bits() -> str:
    """Return a digest of the bits that the C library's functions give."""
    digest = blake2b(digest_size=8)
    arguments = _arguments()
    for name in _FUNCTIONS:
        function = getattr(math, name)
        digest.update(array("d", [_value(function, x) for x in arguments]).tobytes())
    digest.update(array("d", [_value(math.pow, abs(x), 1.7) for x in arguments]).tobytes())
    return digest.hexdigest()


def _value(function: Any, *args: float) -> float:
    try:
        value: float = function(*args)
    except (ValueError, OverflowError):
        return 0.0
    return value


@cache
def array_bits() -> str:
    """Return a digest of the bits that NumPy's functions, sums and products of matrices give."""
    import numpy as np  # noqa: PLC0415  (it is loaded)

    digest = blake2b(digest_size=8)
    x = np.array(_arguments())
    with np.errstate(all="ignore"):
        for name in ("sin", "cos", "tan", "exp", "log", "tanh", "sqrt", "arctan"):
            digest.update(np.nan_to_num(getattr(np, name)(np.abs(x))).tobytes())
    digest.update(x.sum().tobytes())
    for n in (3, 17, 30):
        matrix = x[: n * n].reshape(n, n)
        digest.update((matrix @ matrix.T).tobytes())
        digest.update((matrix @ x[:n]).tobytes())
    return digest.hexdigest()
