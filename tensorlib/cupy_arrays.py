"""CuPy's arrays as values of programs: NumPy's records by CuPy's functions, which have NumPy's names.

This has been run with a stand-in of CuPy on the host only, never on a device (docs/limits.md).
"""

from __future__ import annotations

from typing import Any

import cupy  # type: ignore[import-not-found]  # only where there is CUDA
import numpy as np

from checkpoint.ad.array_library import HOST, library_of
from checkpoint.ad.record import records
from checkpoint.ad.tensors import Tensor
from checkpoint.prims.arrays import also_implements, install
from tensorlib.numpy_arrays import NumPyArrays


class CuPyArrays(NumPyArrays):
    """Arrays of CuPy: on a device of CUDA, with the attributes of NumPy's."""

    is_apart = True

    def device_of(self, data: Any) -> Any:
        return f"cuda:{data.device.id}"

    def devices(self) -> tuple[str, ...]:
        return ("cuda",)

    def on_host(self, data: Any) -> Any:
        return cupy.asnumpy(data)

    def parked(self, data: Any) -> Any:
        return cupy.asnumpy(data)

    def content(self, data: Any) -> bytes:
        return cupy.asnumpy(data).tobytes()  # type: ignore[no-any-return]

    def zeros_beside(self, data: Any, shape: Any, dtype: Any) -> Any:
        with data.device:
            return cupy.zeros(shape, dtype)

    def received(self, data: Any, dtype: Any, device: Any) -> Any:
        """Return an array as CuPy's on a device; on the host as NumPy's."""
        if str(device) == HOST:
            return np.asarray(library_of(data).on_host(data), dtype)
        if type(data) not in self.types:
            data = library_of(data).on_host(data)
        elif device is None:
            return data if dtype is None or dtype == data.dtype else data.astype(dtype)
        with _device(device):
            return cupy.asarray(data, dtype)

    def dtype_of(self, value: Any) -> Any:
        return None  # NumPy's dtypes are CuPy's, too

    def modes(self) -> tuple[str, ...]:
        return ()

    def read_only_copy(self, data: Any) -> Any:
        return None  # all arrays of CuPy may be written to


def _device(device: Any) -> Any:
    """Return the device of a name such as cuda:1; the current one for None and for cuda."""
    _, _, number = str(device or "").partition(":")
    return cupy.cuda.Device(int(number)) if number else cupy.cuda.Device()


def _counterpart(function: Any) -> Any:
    """Return CuPy's function for one of NumPy's; None where CuPy has none, or NumPy's own."""
    module = getattr(function, "__module__", None) or "numpy"
    thing: Any = cupy
    for part in module.split(".")[1:]:
        thing = thing if part.startswith("_") else getattr(thing, part, None)
    found = getattr(thing, getattr(function, "__name__", ""), None)
    return None if found is function else found


install(CuPyArrays("CuPy", cupy, (cupy.ndarray,)))
for _record in records().values():
    if isinstance(_record, Tensor):
        for _function in _record.implements:
            _found = _counterpart(_function)
            if callable(_found):
                also_implements(_record, _found)
