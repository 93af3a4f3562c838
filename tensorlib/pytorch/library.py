"""PyTorch as a library of arrays.

A tensor enters a program without what PyTorch's own autograd has recorded about it: as `x.detach()`, which
shows the same elements. So nothing in a run is recorded by PyTorch, whatever mode the caller has set.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from types import SimpleNamespace
from typing import Any, NamedTuple

import torch

from checkpoint.ad.array_library import library_of, noticed
from checkpoint.ad.opaque import LibraryOperator
from checkpoint.errors import refusal
from checkpoint.prims.arrays import ArrayLibrary, install
from tensorlib.pytorch import (
    kernels,
    making,
    namespace,
    operators,
    piecewise_kernels,
    settings,
    window_kernels,
)
from tensorlib.pytorch.elementwise import BUILTINS

_FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
_COMPLEX = (torch.complex64, torch.complex128)
_SIGNED = (torch.int8, torch.int16, torch.int32, torch.int64)
_UNSIGNED = (torch.uint8, torch.uint16, torch.uint32, torch.uint64)
_KINDS = {"f": _FLOATS, "c": _COMPLEX, "i": _SIGNED, "u": _UNSIGNED, "b": (torch.bool,)}


_UNINITIALISED = (torch.nn.UninitializedParameter, torch.nn.UninitializedBuffer)
_AS_NUMPY = ("item", "tolist", "conj")  # methods with NumPy's meaning, of its records


class Form(NamedTuple):
    """A tensor beside its bytes. offset: of its first element in its storage, in bytes."""

    dtype: torch.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int


class TorchElements:
    """Elements of dense tensors in the host's memory."""

    def span(self, data: Any) -> tuple[Any, int, int, Any] | None:
        if type(data) is not torch.Tensor or data.device.type != "cpu" or data.layout is not torch.strided:
            return None
        if not data.numel() or data.is_conj() or data.is_neg() or data.requires_grad:
            return None
        size = data.element_size()
        first = data.storage_offset() * size
        steps = zip(data.shape, data.stride(), strict=True)
        end = first + (1 + sum((length - 1) * step for length, step in steps)) * size
        form = Form(data.dtype, tuple(data.shape), data.stride(), first)
        return data.untyped_storage(), first, end, form

    def raw(self, holder: Any) -> memoryview:
        return memoryview(_bytes(holder).numpy())

    def blank(self, forms: list[Any], length: int) -> Any:
        return torch.empty(length, dtype=torch.uint8).untyped_storage()

    def shown(self, holder: Any, shift: int, form: Form) -> Any:
        made = torch.empty(0, dtype=form.dtype)
        start = (form.offset - shift) // made.element_size()
        return made.set_(holder, start, form.shape, form.strides)


def _bytes(storage: Any) -> torch.Tensor:
    """Return the bytes of a storage, as a tensor that shares them."""
    return torch.empty(0, dtype=torch.uint8).set_(storage)


class TorchArrays(ArrayLibrary):
    """Dense tensors of PyTorch."""

    holder_type = torch.UntypedStorage
    storage_functions = (
        torch.Tensor.untyped_storage,
        torch.UntypedStorage.nbytes,
        torch.Tensor._is_view,
    )
    builtins = BUILTINS
    kernels = SimpleNamespace(**vars(kernels) | vars(window_kernels) | vars(piecewise_kernels))
    facts = frozenset(("device", "is_cuda", "is_cpu", "is_mps", "is_sparse", "is_quantized", "is_meta"))
    plain = "x.as_subclass(torch.Tensor)"
    elements = TorchElements()
    written_in = "tensorlib.pytorch.functions"
    operator = "torch.operator"

    def operator_of(self, function: Any) -> LibraryOperator | None:
        return operators.operator_of(function)

    def method(self, name: str) -> Any:
        found = self.methods.get(name)
        if found is not None or name in self.instead or name in _AS_NUMPY:
            return found
        return operators.operator_of(getattr(torch.Tensor, name, None))

    def holder(self, data: Any) -> Any:
        """Return the storage of a tensor; PyTorch makes one object for it, which lives as long as it does."""
        return data.untyped_storage()

    def is_view(self, data: Any) -> bool:
        return bool(data._is_view())  # PyTorch has no public name for it

    def bytes_of(self, holder: Any) -> int:
        return int(holder.nbytes())

    def entered(self, data: Any) -> Any:
        """Return the tensor that stands for one in a program; TypeError for one that cannot be there."""
        if isinstance(data, _UNINITIALISED):
            raise refusal(
                "a parameter of a Lazy layer has no elements yet: run the module once on a sample, model(x), "
                "outside of the function"
            )
        if data.is_nested:
            raise refusal("a nested tensor cannot be differentiated: pass a list of tensors, x.unbind()")
        if data.layout is not torch.strided or data.is_quantized:
            kind = "a quantised tensor" if data.is_quantized else f"a tensor of layout {data.layout}"
            raise refusal(
                f"{kind} cannot be differentiated: pass a dense one, x.to_dense() or x.dequantize()"
            )
        found = data.detach()
        seen = noticed.get()
        if seen is not None:
            seen[id(found)] = data, found
        return found

    def all_entered(self, datas: Collection[Any]) -> Collection[Any]:
        if any(
            isinstance(x, _UNINITIALISED) or x.is_nested or x.layout is not torch.strided or x.is_quantized
            for x in datas
        ):
            return list(map(self.entered, datas))  # one of them raises
        found = [x.detach() for x in datas]
        seen = noticed.get()
        if seen is not None:
            seen.update(zip(map(id, found), zip(datas, found, strict=True), strict=True))
        return found

    def one_beside(self, data: Any) -> Any:
        return data.new_ones(())

    def device_of(self, data: Any) -> Any:
        return str(data.device)

    def zeros_beside(self, data: Any, shape: Any, dtype: Any) -> Any:
        return torch.zeros(shape, dtype=making.dtype_of(dtype), device=data.device)

    def on_host(self, data: Any) -> Any:
        if data.dtype is torch.bfloat16:  # NumPy has none: a float32 has each of its values
            data = data.float()
        return data.resolve_conj().resolve_neg().cpu().numpy().copy()

    def received(self, data: Any, dtype: Any, device: Any) -> Any:
        if not isinstance(data, torch.Tensor):
            return torch.tensor(library_of(data).on_host(data), dtype=dtype, device=device)
        return data.to(device=device, dtype=dtype)

    def devices(self) -> tuple[str, ...]:
        return ("cuda",) if torch.cuda.is_available() else ()

    def parked(self, data: Any) -> Any:
        return torch.empty_like(data, device="cpu", pin_memory=data.is_cuda).copy_(data)

    def dtype_of(self, value: Any) -> Any:
        return value if isinstance(value, torch.dtype) else None

    def content(self, data: Any) -> bytes:
        whole = data.resolve_conj().resolve_neg().contiguous().cpu().reshape(-1)
        return bytes(whole.view(torch.uint8).numpy().tobytes())

    def version(self, data: Any) -> Any:
        return None if data.is_inference() else data._version  # PyTorch has no public name for it

    def modes(self) -> tuple[str, ...]:
        return settings.unusual()

    def remembered(self) -> Callable[[], None]:
        return settings.remembered()

    def silently(self) -> AbstractContextManager[Any]:
        return _WithoutGrad()


class _WithoutGrad:
    """A context without grad mode, as torch.no_grad() is one, which checks more when it is made."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = torch.is_grad_enabled()
        torch._C._set_grad_enabled(False)

    def __exit__(self, *_: object) -> None:
        torch._C._set_grad_enabled(self._before)


_KIND_OF = {each: kind for kind, dtypes in _KINDS.items() for each in dtypes}

TORCH = TorchArrays(
    "PyTorch",
    namespace,
    (torch.Tensor, torch.nn.Parameter, *_UNINITIALISED),
    {each: _KIND_OF.get(each, "O") for each in vars(torch).values() if isinstance(each, torch.dtype)},
)
install(TORCH)
