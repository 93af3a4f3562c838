"""The functions of tensors of a kind R-T, which says where a tensor is and what its elements are.

They are list->R-T-tensor, fill-R-T, randn-R-T, normal-R-T, R-T-tensor?, and the conversion R-T, for R in cpu,
gpu and T in float, double, half, bfloat16, byte, int.

Each is a function without a kind, and a transfer of its result. A tensor of PyTorch stays one; what begins
with a list, a shape or a key makes arrays of NumPy, which has no bfloat16.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint.ad.array_library import installed, libraries, library_of
from checkpoint.ad.tensors import Tensor
from checkpoint.prims.arrays import tensor
from tensorlib.language.arranged import arranged, state_operands
from tensorlib.language.functions import FILL, LIST_TO_TENSOR, NORMAL, RANDN
from tensorlib.language.operands import Rule, taking_tensors
from tensorlib.layout.moving import call
from tensorlib.layout.transfer import TO
from tensorlib.networks.composed import along
from tensorlib.rules import discrete, raw

_ELEMENTS = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "byte": "uint8",
    "int": "int32",
}
_EXACT = ("byte", "int")
_DEVICES = {"cpu": "cpu", "gpu": "cuda"}


def _target(name: str, data: Any, place: str, elements: str) -> tuple[Any, Any]:
    """Return the dtype and the device of a kind, for an array of a library; TypeError if there is none."""
    library = library_of(data)
    dtype = getattr(library.namespace, _ELEMENTS[elements], None)
    if dtype is None:
        raise TypeError(f"{name}: {library.name} has no {elements}; tensors of PyTorch have: pass these")
    device = _DEVICES[place]
    if device != "cpu" and not any(device in each.devices() for each in installed):
        raise TypeError(
            f"{name}: there is no GPU here for arrays of CuPy or PyTorch; use {name.replace('gpu', 'cpu')}"
        )
    return dtype, device if device != "cpu" or library.device_of(data) is not None else None


def _conversion(name: str, place: str, elements: str) -> Tensor:
    """Register the conversion to a kind, of tensors and reals."""

    def arrange(t: Any) -> tuple[Any, Any, Any]:
        data = np.asarray(t) if type(t) is float else raw(t)
        if type(data) not in libraries:  # shape and dtype, in the reversal: where to is of no matter
            return t, None, None
        return t, *_target(name, data, place, elements)

    fields: dict[str, Any] = {"shape": "that of the tensor", "samples": _samples(place, elements, _tensors)}
    if elements in _EXACT:
        return discrete(name, taking_tensors(lambda xp, t: TO.value(xp, *arrange(t))), **fields)
    return arranged(name, TO, arrange, (0,), result=lambda y: y, **fields)


def _tensors(rng: Any) -> list[tuple[Any, ...]]:
    return [(rng.normal(size=(2, 3)),), (rng.normal(size=3).astype("f4"),), (0.5,)]


def _samples(place: str, elements: str, samples: Rule) -> Rule:
    """Return where tests can try a kind: NumPy has it on the host; differences of halves say too little."""
    return samples if place == "cpu" and elements not in ("half", "bfloat16") else lambda rng: []


def _of_kind(name: str, record: Tensor, place: str, elements: str) -> Tensor:
    """Register a function that makes a tensor, with its result converted."""

    def value(xp: Any, *operands: Any) -> Any:
        if record in (RANDN, NORMAL) and elements in _EXACT:
            raise TypeError(f"{name}: normal numbers are no integers; convert them, ({place}-{elements} t)")
        found = record.value(xp, *operands)
        return TO.value(xp, found, *_target(name, found, place, elements))

    def pull(xp: Any, wanted: tuple[int, ...], g: Any, y: Any, saved: Any, *operands: Any) -> list[Any]:
        whole = TO.value(xp, g, np.dtype(float))  # on the host, where all of these begin
        return [rule(np, whole, whole, *operands) for i in wanted if (rule := record.vjp(i)) is not None]

    def composition(*operands: Any) -> Any:
        inner = call(record.name, *operands)
        return call("tensorlib.to", inner, *_target(name, raw(inner), place, elements))

    count = record.arity
    state_operands(value, count, _of_kind)
    active = [i for i in range(count) if record.vjp(i) is not None]
    samples = (lambda rng: []) if record in (RANDN, NORMAL) and elements in _EXACT else record.samples
    fields: dict[str, Any] = {"shape": record.shape, "samples": _samples(place, elements, samples)}
    if elements in _EXACT or not active:
        return discrete(name, value, count, **fields)
    return tensor(
        name, value, pull=pull, jvps=along(composition, *active, count=count), needs=record.needs, **fields
    )


def _test(name: str, place: str, elements: str) -> Tensor:
    """Register the question whether a value is a tensor of a kind."""

    def value(xp: Any, x: Any) -> bool:
        if type(x) not in libraries:
            return False
        library = library_of(x)
        dtype = getattr(library.namespace, _ELEMENTS[elements], None)
        is_there = str(library.device_of(x) or "cpu").startswith(_DEVICES[place])
        return is_there and dtype is not None and x.dtype == dtype

    return discrete(name, value, shape="a boolean", samples=_tensors)


for _place in _DEVICES:
    for _elements in _ELEMENTS:
        _kind = f"{_place}-{_elements}"
        _conversion(_kind, _place, _elements)
        _test(f"{_kind}-tensor?", _place, _elements)
        _of_kind(f"list->{_kind}-tensor", LIST_TO_TENSOR, _place, _elements)
        for _name, _record in (("fill", FILL), ("randn", RANDN), ("normal", NORMAL)):
            _of_kind(f"{_name}-{_kind}", _record, _place, _elements)
