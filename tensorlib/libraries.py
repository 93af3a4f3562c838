"""Which modules register the functions of a library, for a program that meets one of its objects first.

In: the name of a library. Out: its records are registered (checkpoint.ad.library). Importing this package
registers NumPy's; SciPy's are registered when a program first names one of them.
"""

from __future__ import annotations


def register(library: str) -> None:
    """Register the functions of a library beyond those that importing this package registers."""
    if library == "scipy":
        from tensorlib import scipy_special  # noqa: F401, PLC0415  # imports SciPy
        from tensorlib.linear import scipy_linalg  # noqa: F401, PLC0415
        from tensorlib.scipy import special_functions  # noqa: F401, PLC0415
    elif library == "scipy.linalg":
        from tensorlib.scipy import matrices, structured  # noqa: F401, PLC0415
    elif library == "scipy.stats":
        from tensorlib.scipy import statistics  # noqa: F401, PLC0415
    elif library in ("scipy.fft", "scipy.fftpack"):
        from tensorlib.scipy import transforms  # noqa: F401, PLC0415
    elif library == "scipy.sparse":
        from tensorlib.scipy import sparse_matrices  # noqa: F401, PLC0415
    elif library == "scipy.spatial":
        from tensorlib.scipy import distances, rotations  # noqa: F401, PLC0415
    elif library == "scipy.ndimage":
        from tensorlib.scipy import filters  # noqa: F401, PLC0415
    elif library == "scipy.signal":
        from tensorlib.scipy import peaks, signals  # noqa: F401, PLC0415
    elif library == "scipy.interpolate":
        from tensorlib.scipy import curves  # noqa: F401, PLC0415
    elif library == "scipy.integrate":
        from tensorlib.scipy import initial_value, quadrature, sampled  # noqa: F401, PLC0415
    elif library == "scipy.optimize":
        from tensorlib.scipy import minima, roots  # noqa: F401, PLC0415
    elif library == "cupy":
        from tensorlib import cupy_arrays  # noqa: F401, PLC0415
    elif library == "onnx":
        from tensorlib import onnx  # noqa: F401, PLC0415
    elif library == "torch":
        from tensorlib.pytorch import names  # noqa: F401, PLC0415
