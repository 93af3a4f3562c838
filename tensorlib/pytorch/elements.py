"""The elements of PyTorch's tensors in the host's memory as bytes: see checkpoint.ad.elements."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from checkpoint.ad.elements import Span


class Form(NamedTuple):
    """A tensor beside its bytes. offset: of its first element in its storage, in bytes."""

    dtype: torch.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int


class TorchElements:
    """Elements of dense tensors in the host's memory."""

    def span(self, data: Any) -> Span | None:
        if type(data) is not torch.Tensor or data.device.type != "cpu" or data.layout is not torch.strided:
            return None
        if not data.numel() or data.is_conj() or data.is_neg() or data.requires_grad:
            return None
        size = data.element_size()
        first = data.storage_offset() * size
        steps = zip(data.shape, data.stride(), strict=True)
        end = first + (1 + sum((length - 1) * step for length, step in steps)) * size
        return Span(
            data.untyped_storage(), first, end, Form(data.dtype, tuple(data.shape), data.stride(), first)
        )

    def raw(self, holder: Any) -> memoryview:
        return memoryview(_bytes(holder).numpy())

    def blank(self, spans: list[Span], length: int) -> Any:
        return torch.empty(length, dtype=torch.uint8).untyped_storage()

    def shown(self, holder: Any, shift: int, form: Form) -> Any:
        made = torch.empty(0, dtype=form.dtype)
        start = (form.offset - shift) // made.element_size()
        return made.set_(holder, start, form.shape, form.strides)


def _bytes(storage: Any) -> torch.Tensor:
    """Return the bytes of a storage, as a tensor that shares them."""
    return torch.empty(0, dtype=torch.uint8).set_(storage)
