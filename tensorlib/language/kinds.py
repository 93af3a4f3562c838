"""The functions of tensors of a kind R-T, which says where a tensor is and what its elements are.

They are list->R-T-tensor, fill-R-T, randn-R-T, normal-R-T, R-T-tensor?, and the conversion R-T, for R in cpu,
gpu and T in float, double, half, bfloat16, byte, int.

Each is a function without a kind, and a transfer of its result. A tensor of PyTorch stays one; what begins
with a list, a shape or a key makes arrays of NumPy, or tensors of PyTorch of the kinds that NumPy lacks:
bfloat16, and those on a GPU where there is no CuPy.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from checkpoint.ad.array_library import ArrayLibrary, installed, libraries, library_of
from checkpoint.ad.library import load
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
    library, device, wanted = library_of(data), _DEVICES[place], _ELEMENTS[elements]
    if not hasattr(library.namespace, wanted) or not _reaches(library, device):
        pytorch = _pytorch()
        if pytorch is None or not _reaches(pytorch, device):
            raise TypeError(f"{name}: {_lacking(name, device, elements)}")
        return getattr(pytorch.namespace, wanted), device
    is_meant = device != "cpu" or library.device_of(data) is not None
    return getattr(library.namespace, wanted), device if is_meant else None


def _reaches(library: ArrayLibrary, device: str) -> bool:
    """Return whether arrays of a library, or of one with the same dtypes, may be on a device."""
    alike = [each for each in installed if each is library or (each.is_apart and not library.kinds)]
    return device == "cpu" or any(device in each.devices() for each in alike)


def _pytorch() -> ArrayLibrary | None:
    """Return the library of PyTorch's tensors, imported now; None where it is not installed."""
    if find_spec("torch") is None:
        return None
    load("torch")
    return next(each for each in installed if each.name == "PyTorch")


def _lacking(name: str, device: str, elements: str) -> str:
    """Return why there is no tensor of a kind."""
    if device != "cpu":
        return f"there is no GPU here for arrays of CuPy or PyTorch; use {name.replace('gpu', 'cpu')}"
    return f"NumPy has no {elements}, and PyTorch, which has, is not installed"


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

    def saves(xp: Any, wanted: tuple[int, ...], *operands: Any) -> tuple[Any, tuple[Any, ...]]:
        return value(xp, *operands), operands  # a key is NumPy's where the result may be PyTorch's

    def pull(xp: Any, wanted: tuple[int, ...], g: Any, y: Any, saved: Any, *operands: Any) -> list[Any]:
        whole = TO.value(xp, g, np.dtype(float))  # on the host, where all of these begin
        return [rule(np, whole, whole, *saved) for i in wanted if (rule := record.vjp(i)) is not None]

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
        name,
        value,
        saves=saves,
        pull=pull,
        jvps=along(composition, *active, count=count),
        needs=((),) * count,
        **fields,
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
