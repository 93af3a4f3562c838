"""Records of arrays give on PyTorch's tensors what they give on NumPy's arrays: values, and cotangents.

The samples are the records' own. Those with a NumPy scalar are left out: a tensor has no such thing. What
PyTorch refuses of a record that has a rule (a slice with a negative step, operands of two dtypes) is its own
error; every record that is not named as lacking gives some of its samples.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from checkpoint.ad import library
from checkpoint.ad.accumulators import Scattered
from checkpoint.ad.record import records
from checkpoint.ad.tensors import Tensor
from checkpoint.errors import SourceError

library.load("torch")

from tensorlib.pytorch import namespace  # noqa: E402
from tensorlib.pytorch.refused import LACKING  # noqa: E402

REFUSALS = (AttributeError, NotImplementedError, TypeError, ValueError, RuntimeError, IndexError, SourceError)
SINGLE = {np.dtype(np.float64): np.dtype(np.float32), np.dtype(np.complex128): np.dtype(np.complex64)}
DTYPES = {np.dtype(np.float64): torch.float64, np.dtype(np.float32): torch.float32}


def of_arrays() -> list[str]:
    found = records()
    return sorted(name for name, each in found.items() if isinstance(each, Tensor) and _samples(each))


def _samples(record: Tensor) -> list[tuple[Any, ...]]:
    """Return the samples that have an array, and no scalar of NumPy's, and that NumPy takes."""
    if record.samples is None or record.name.startswith("ndarray."):
        return []
    found = record.samples(np.random.default_rng(0))
    return [sample for sample in found if _holds(sample, np.ndarray) and not _holds(sample, np.generic)]


def _holds(operand: Any, kind: type) -> bool:
    if isinstance(operand, list | tuple):
        return any(_holds(part, kind) for part in operand)
    return isinstance(operand, kind)


def tensors(operand: Any, device: str = "cpu") -> Any:
    """Return an operand with tensors on a device in place of arrays."""
    if isinstance(operand, np.ndarray):
        return torch.from_numpy(operand.copy()).to(device)
    if isinstance(operand, np.generic):
        return torch.tensor(operand.item(), dtype=DTYPES.get(operand.dtype), device=device)
    if isinstance(operand, np.dtype):
        return DTYPES.get(operand, operand)
    if isinstance(operand, list):
        return [tensors(part, device) for part in operand]
    return tuple([tensors(part, device) for part in operand]) if type(operand) is tuple else operand


def in_single(operand: Any) -> Any:
    """Return an operand with arrays of float32 and complex64 in place of larger ones."""
    if isinstance(operand, np.ndarray):
        return operand.astype(SINGLE.get(operand.dtype, operand.dtype))
    if isinstance(operand, np.dtype):
        return SINGLE.get(operand, operand)
    if isinstance(operand, list):
        return [in_single(part) for part in operand]
    return tuple(map(in_single, operand)) if type(operand) is tuple else operand


def arrays(operand: Any) -> Any:
    """Return a result with arrays in place of tensors."""
    if isinstance(operand, Scattered):
        return arrays(operand.dense())
    if isinstance(operand, torch.Tensor):
        return operand.cpu().resolve_conj().numpy()
    if isinstance(operand, list | tuple):
        return [arrays(part) for part in operand]
    return operand


def agree(found: Any, expected: Any, precision: float) -> bool:
    if isinstance(expected, list):
        return len(found) == len(expected) and all(
            agree(*pair, precision) for pair in zip(found, expected, strict=True)
        )
    if isinstance(expected, np.ndarray | np.generic | float):
        same = np.allclose(found, expected, precision, precision, equal_nan=True)
        return np.shape(found) == np.shape(expected) and bool(same)
    return bool(found == expected)


def cotangents(record: Tensor, xp: Any, g: Any, y: Any, operands: Any) -> list[Any]:
    """Return the cotangents of the operands that are arrays."""
    rules = [(record.vjp(i), operand) for i, operand in enumerate(operands)]
    floats = [(rule, i) for i, (rule, operand) in enumerate(rules) if rule is not None and _is_real(operand)]
    return [arrays(rule(xp, g, y, *operands)) for rule, _ in floats]


def _is_real(operand: Any) -> bool:
    return hasattr(operand, "dtype") and "float" in str(operand.dtype)


def works(record: Tensor, sample: tuple[Any, ...], device: str = "cpu") -> bool | None:
    """Return whether a sample gives the same on a device's tensors; None if PyTorch refuses it."""
    expected, given = record.value(np, *sample), tensors(sample, device)
    precision = 5e-5 if _is_single(sample) else 1e-9
    try:
        found = record.value(namespace, *given)
        if not agree(arrays(found), arrays(expected), precision):
            return False
        if not _is_real(expected):
            return True
        g = np.random.default_rng(1).normal(size=np.shape(expected)).astype(expected.dtype)
        own = cotangents(record, namespace, tensors(g, device), found, given)
    except REFUSALS:
        return None
    return agree(own, cotangents(record, np, g, expected, sample), precision)


def _is_single(operand: Any) -> bool:
    if isinstance(operand, list | tuple):
        return any(map(_is_single, operand))
    return str(getattr(operand, "dtype", "")) in ("float32", "complex64")


WITHOUT_A_LAW = frozenset(
    # What they return depends on the library: its dtypes, its memory, its random numbers, its choice among
    # several right answers.
    ("np.attribute", "np.linalg.qr", "np.linalg.eigh", "np.linalg.eig", "np.empty_like", "np.fft.irfft2",
     "np.linalg.eigvals", "tensorlib.place_of", "tensorlib.random.choice", "tensorlib.random.permutation")
)  # fmt: skip


LAWFUL = [name for name in of_arrays() if name not in LACKING | WITHOUT_A_LAW]


def outcomes(name: str, is_single: bool, device: str = "cpu") -> set[bool | None]:
    """Return what `works` returns for the samples of a record, in float32 if that is asked for."""
    record = records()[name]
    assert isinstance(record, Tensor)
    samples = _samples(record)
    with np.errstate(all="ignore"):
        return {works(record, in_single(each) if is_single else each, device) for each in samples}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", LAWFUL)
def test_a_record_gives_on_tensors_what_it_gives_on_arrays(name: str, dtype: str) -> None:
    found = outcomes(name, dtype == "float32")
    assert False not in found
    assert True in found


@pytest.mark.parametrize("name", sorted(LACKING))
def test_what_is_said_to_be_lacking_is_a_record(name: str) -> None:
    assert name in records()
