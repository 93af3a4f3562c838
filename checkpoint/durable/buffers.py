"""The arrays of a capsule: their elements as they lie in memory, and how each array shows them.

In: arrays of NumPy, or tensors of PyTorch in the memory of the host. Out: the section BUFFERS, and back.
Views of one array share its elements in the file, too, and keep their strides: the order in which a sum is
formed depends on these. Of elements that no array shows only those between two that are shown are written.

    count of buffers, then for each       length in bytes
    count of arrays, then for each        library, buffer, dtype, offset, shape, strides in elements
    zeros to a multiple of ALIGN, then the buffers, each filled likewise

What always holds: an array lies within its buffer, and all buffers within the section, before any is made.
"""

from __future__ import annotations

import sys
from typing import Any

from checkpoint.durable.format import ALIGN, Opened
from checkpoint.durable.stream import IS_BIG, Reader, Writer
from checkpoint.errors import DurableError

NUMPY, SCALAR, TORCH = 0, 1, 2  # an array of NumPy, a number of NumPy's, a tensor
READ_ONLY = 128  # is added to these

# What an element may be, and its bytes. The position is the number in a file.
DTYPES = (
    ("bool", 1), ("int8", 1), ("int16", 2), ("int32", 4), ("int64", 8),
    ("uint8", 1), ("uint16", 2), ("uint32", 4), ("uint64", 8),
    ("float16", 2), ("float32", 4), ("float64", 8), ("complex64", 8), ("complex128", 16),
    ("bfloat16", 2),
)  # fmt: skip
_NUMBERS = {name: number for number, (name, _) in enumerate(DTYPES)}
_MOST_AXES = 64


def library(name: str) -> Any:
    """Return a library of arrays that is loaded; DurableError for one that is not."""
    found = sys.modules.get(name)
    if found is None:
        raise DurableError(f"the file holds arrays of {name}, which is not loaded: import {name} before")
    return found


class Buffers:
    """Arrays that are being written. lengths, parts: of the buffers; arrays: the records of the arrays."""

    def __init__(self) -> None:
        self._arrays: list[tuple[int, Any, str]] = []  # kind, array of NumPy with the elements, dtype
        self._storages: dict[int, Any] = {}  # of tensors, by their addresses, as arrays of bytes
        if IS_BIG:
            raise DurableError("capsules with arrays are written and read on little-endian machines alone")

    def add(self, data: Any) -> int:
        """Take up an array, and return its number."""
        is_tensor = type(data).__module__.partition(".")[0] == "torch"
        self._arrays.append(self._of_tensor(data) if is_tensor else _as_numpy(data))
        return len(self._arrays) - 1

    def _of_tensor(self, data: Any) -> tuple[int, Any, str]:
        torch, np = library("torch"), library("numpy")
        name = str(data.dtype).removeprefix("torch.")
        if data.device.type != "cpu" or data.layout is not torch.strided or name not in _NUMBERS:
            raise DurableError(
                f"a tensor of {data.dtype} on {data.device} has no place in a file: move it, x.cpu(), or "
                f"convert it, x.float()"
            )
        plain = data.detach().resolve_conj().resolve_neg()
        storage, size = plain.untyped_storage(), plain.element_size()
        if storage.data_ptr() not in self._storages:
            whole = torch.empty(0, dtype=torch.uint8).set_(storage).numpy()
            self._storages[storage.data_ptr()] = whole
        whole = self._storages[storage.data_ptr()]
        strides = [step * size for step in plain.stride()]
        dtype = np.dtype("int16" if name == "bfloat16" else name)
        start = plain.storage_offset() * size
        view = np.ndarray(tuple(plain.shape), dtype, whole if plain.numel() else None, start, strides)
        return TORCH, view, name

    def written(self) -> list[Any]:
        """Return the parts of the section."""
        import numpy as np  # noqa: PLC0415  (only files with arrays need it)

        spans: dict[int, list[int]] = {}  # by the identity of what holds the elements: first and end address
        roots: dict[int, Any] = {}
        for _, view, _ in self._arrays:
            root = _root(view)
            first, end = np.lib.array_utils.byte_bounds(view)
            known = spans.setdefault(id(root), [first, end])
            known[:] = [min(known[0], first), max(known[1], end)]
            roots[id(root)] = root
        numbers = {key: i for i, key in enumerate(spans)}
        head, parts = Writer(), list[Any]()
        head.u32(len(spans))
        for key, (first, end) in spans.items():
            head.i64(end - first)
            flat = roots[key].reshape(-1, order="A").view(np.uint8)
            start = first - flat.ctypes.data if flat.size else 0
            parts.append(memoryview(flat[start : start + end - first]))
            parts.append(bytes(-(end - first) % ALIGN))
        head.u32(len(self._arrays))
        for kind, view, dtype in self._arrays:
            key = id(_root(view))
            offset = np.lib.array_utils.byte_bounds(view)[0] - spans[key][0]
            self._record(head, kind, numbers[key], dtype, view, offset)
        return [head.data, bytes(-len(head.data) % ALIGN), *parts]

    @staticmethod
    def _record(head: Writer, kind: int, number: int, dtype: str, view: Any, offset: int) -> None:
        head.u8(kind | (0 if view.flags.writeable else READ_ONLY))
        head.u32(number)
        head.u8(_NUMBERS[dtype])
        below = sum(min(0, (n - 1) * step) for n, step in zip(view.shape, view.strides, strict=True) if n)
        head.i64(offset - below if view.size else 0)
        head.u8(view.ndim)
        for numbers in (view.shape, view.strides):
            head.column("q", numbers)


def _root(view: Any) -> Any:
    """Return the array that holds the elements of one; itself where they are not in one piece."""
    root = view
    while type(root.base) is type(view):
        root = root.base
    whole = root.flags.c_contiguous or root.flags.f_contiguous
    return root if whole and root.dtype.kind != "O" else view


def _as_numpy(data: Any) -> tuple[int, Any, str]:
    """Return the kind of an array, an array of NumPy with its elements, and the name of its dtype."""
    import numpy as np  # noqa: PLC0415  (only files with arrays need it)

    is_array = type(data) is np.ndarray
    if not (is_array or isinstance(data, np.generic)):
        raise DurableError(
            f"an array of {type(data).__module__}.{type(data).__qualname__} has no place in a file: save "
            f"capsules of runs with arrays of NumPy, or tensors on the CPU"
        )
    view = data if is_array else np.asarray(data)
    name = view.dtype.name
    if name not in _NUMBERS or not view.dtype.isnative:
        raise DurableError(f"an array of {view.dtype} has no place in a file: convert it, x.astype(float)")
    if is_array and not _root_is_whole(view):
        view = np.array(view, order="K")
    return NUMPY if is_array else SCALAR, view, name


def _root_is_whole(view: Any) -> bool:
    root = _root(view)
    return bool(root.flags.c_contiguous or root.flags.f_contiguous)


class Arrays:
    """The arrays of a file, made when each is asked for.

    In: the section BUFFERS. What is asked for twice is made twice: handles are shared, arrays are not.
    """

    def __init__(self, file: Opened) -> None:
        self._reader = reader = Reader(file, "BUFFERS")
        lengths = [reader.i64() for _ in range(reader.count(8))]
        self._records = [self._record(reader, lengths) for _ in range(reader.count(14))]
        at = reader.at + -reader.at % ALIGN
        self._spans = []
        for length in lengths:
            if length < 0 or at + length > len(reader.data):
                raise reader.damaged()
            self._spans.append((at, length))
            at += length + -length % ALIGN
        self._buffers: dict[int, Any] = {}

    @staticmethod
    def _record(reader: Reader, lengths: list[int]) -> tuple[Any, ...]:
        kind, number, dtype = reader.u8(), reader.below(len(lengths)), reader.u8()
        offset, axes = reader.i64(), reader.u8()
        if kind & ~READ_ONLY > TORCH or dtype >= len(DTYPES) or axes > _MOST_AXES:
            raise reader.damaged()
        shape, strides = reader.column("q", axes), reader.column("q", axes)
        name, size = DTYPES[dtype]
        low = high = offset
        for n, step in zip(shape, strides, strict=True):
            if n < 0:
                raise reader.damaged()
            low, high = low + min(0, (n - 1) * step), high + max(0, (n - 1) * step)
        if 0 not in shape and not 0 <= low <= high <= lengths[number] - size:
            raise reader.damaged()
        plain = kind & ~READ_ONLY
        if (plain == SCALAR and axes) or (name == "bfloat16" and plain != TORCH):
            raise reader.damaged()
        return kind, number, name, offset, tuple(shape), tuple(strides)

    def __len__(self) -> int:
        return len(self._records)

    def kind(self, number: int) -> str:
        """Return NumPy's letter for the kind of an array's elements."""
        name: str = self._records[number][2]
        return {"bool": "b", "bfloat16": "f"}.get(name, name[0])

    def array(self, number: int) -> Any:
        """Return an array."""
        kind, buffer, name, offset, shape, strides = self._records[number]
        np = library("numpy")
        dtype = np.dtype("int16" if name == "bfloat16" else name)
        try:
            if 0 in shape:
                found = np.empty(shape, dtype)
            else:
                found = np.ndarray(shape, dtype, self._buffer(buffer), offset, strides)
        except ValueError:  # more axes or elements than there can be
            raise self._reader.damaged() from None
        if kind & ~READ_ONLY == TORCH:
            return _tensor(found, name)
        found.flags.writeable = not kind & READ_ONLY
        return found[()] if kind & ~READ_ONLY == SCALAR else found

    def _buffer(self, number: int) -> Any:
        if number not in self._buffers:
            np = library("numpy")
            at, length = self._spans[number]
            self._buffers[number] = np.frombuffer(self._reader.data, np.uint8, length, at).copy()
        return self._buffers[number]


def _tensor(found: Any, name: str) -> Any:
    torch = library("torch")
    tensor = torch.from_numpy(found)
    return tensor.view(torch.bfloat16) if name == "bfloat16" else tensor
