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

library.load("torch")

from tensorlib.pytorch import namespace  # noqa: E402
from tensorlib.pytorch.lacking import LACKING  # noqa: E402

REFUSALS = (AttributeError, NotImplementedError, TypeError, ValueError, RuntimeError, IndexError)
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


def tensors(operand: Any) -> Any:
    """Return an operand with tensors in place of arrays."""
    if isinstance(operand, np.ndarray):
        return torch.from_numpy(operand.copy())
    if isinstance(operand, np.generic):
        return torch.tensor(operand.item(), dtype=DTYPES.get(operand.dtype))
    if isinstance(operand, np.dtype):
        return DTYPES.get(operand, operand)
    if isinstance(operand, list):
        return [tensors(part) for part in operand]
    return tuple(map(tensors, operand)) if type(operand) is tuple else operand


def arrays(operand: Any) -> Any:
    """Return a result with arrays in place of tensors."""
    if isinstance(operand, Scattered):
        return arrays(operand.dense())
    if isinstance(operand, torch.Tensor):
        return operand.resolve_conj().numpy()
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


def works(record: Tensor, sample: tuple[Any, ...]) -> bool | None:
    """Return whether a sample gives the same on tensors; None if PyTorch refuses it."""
    expected, given = record.value(np, *sample), tensors(sample)
    precision = 1e-5 if "float32" in str([getattr(operand, "dtype", "") for operand in sample]) else 1e-9
    try:
        found = record.value(namespace, *given)
        if not agree(arrays(found), arrays(expected), precision):
            return False
        if not _is_real(expected):
            return True
        g = np.random.default_rng(1).normal(size=np.shape(expected)).astype(expected.dtype)
        own = cotangents(record, namespace, tensors(g), found, given)
    except REFUSALS:
        return None
    return agree(own, cotangents(record, np, g, expected, sample), precision)


WITHOUT_A_LAW = frozenset(
    # What they return depends on the library: its dtypes, its memory, its random numbers, its choice among
    # several right answers.
    ("np.attribute", "np.linalg.qr", "np.linalg.eigh", "np.linalg.eig", "np.empty_like", "np.fft.irfft2",
     "np.linalg.eigvals", "tensorlib.place_of", "tensorlib.random.choice", "tensorlib.random.permutation")
)  # fmt: skip


@pytest.mark.parametrize("name", [name for name in of_arrays() if name not in LACKING | WITHOUT_A_LAW])
def test_a_record_gives_on_tensors_what_it_gives_on_arrays(name: str) -> None:
    record = records()[name]
    assert isinstance(record, Tensor)
    with np.errstate(all="ignore"):
        outcomes = [works(record, sample) for sample in _samples(record)]
    assert False not in outcomes
    assert True in outcomes


@pytest.mark.parametrize("name", sorted(LACKING))
def test_what_is_said_to_be_lacking_is_a_record(name: str) -> None:
    assert name in records()
