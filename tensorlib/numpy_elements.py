"""The elements of NumPy's arrays as bytes: see checkpoint.driver.spill.elements."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from checkpoint.ad.array_library import holder_of


class Form(NamedTuple):
    """An array beside its bytes. offset: of its first element in its holder. order: of one that is its own
    holder, the letter of its layout; of a view ''.
    """

    dtype: Any
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    order: str
    writeable: bool


class NumPyElements:
    """Elements of arrays that lie in one piece, or are views of such."""

    def span(self, data: Any) -> tuple[Any, int, int, Any] | None:
        holder = holder_of(data)
        if type(holder) is not np.ndarray or not (_order(holder) and data.size) or data.dtype.hasobject:
            return None
        start = holder.ctypes.data
        first, end = np.lib.array_utils.byte_bounds(data)
        order = _order(holder) if holder is data else ""
        form = Form(
            data.dtype, data.shape, data.strides, data.ctypes.data - start, order, data.flags.writeable
        )
        return holder, first - start, end - start, form

    def raw(self, holder: Any) -> memoryview:
        return memoryview(_flat(holder))

    def blank(self, forms: list[Any], length: int) -> Any:
        whole = next((form for form in forms if form.order), None)
        return (
            np.empty(length, np.uint8) if whole is None else np.empty(whole.shape, whole.dtype, whole.order)
        )

    def shown(self, holder: Any, shift: int, form: Form) -> Any:
        of_holder = holder.dtype, holder.shape, _order(holder)
        if form.order and of_holder == (form.dtype, form.shape, form.order):
            found = holder
        else:
            found = np.ndarray(form.shape, form.dtype, _flat(holder), form.offset - shift, form.strides)
        found.flags.writeable = form.writeable
        return found


def _order(holder: Any) -> str:
    """Return the letter of an array's layout; '' if it has gaps."""
    flags = holder.flags
    return "C" if flags.c_contiguous else "F" if flags.f_contiguous else ""


def _flat(holder: Any) -> Any:
    """Return the bytes of an array that has no gaps, as an array that shares them."""
    return holder.reshape(-1, order="A").view(np.uint8)
