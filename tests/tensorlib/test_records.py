"""Every record's derivatives and values, on its own samples."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import tensorlib.linear.scipy_linalg
import tensorlib.scipy.special_functions
import tensorlib.scipy.transforms
import tensorlib.scipy_special  # noqa: F401
from checkpoint.ad.library import parameters_of
from checkpoint.ad.record import records
from checkpoint.ad.tensors import Tensor
from tests.tensorlib.calls import arguments
from tests.tensorlib.check import check, check_constant, check_same

# Those of PyTorch, where that is loaded, are tried in tests/pytorch.
LIBRARIES = ("ndarray.", "torch.", "tensorlib.torch-")
RECORDS = [r for r in records().values() if isinstance(r, Tensor) and not r.name.startswith(LIBRARIES)]
EVERY_RECORD = pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)

# Functions whose elements are not determined, or whose operands are arranged otherwise.
UNLIKE = frozenset(
    (
        "np.empty",
        "np.empty_like",
        "np.finfo",
        "np.gradient",
        "np.iinfo",
        "np.logaddexp.reduce",
        "np.meshgrid",
        "np.pad",
    )
)


# Functions that give constants, which others use that have derivatives.
CONSTANTS = frozenset(("batch-statistics", "tensorlib.counted"))


def test_the_number_of_operands_is_that_of_the_value() -> None:
    """It is read off the code, where `inspect` takes 25 us for each."""
    for record in records().values():
        if isinstance(record, Tensor):
            parameters = inspect.signature(record.value).parameters.values()
            is_variadic = any(each.kind is each.VAR_POSITIONAL for each in parameters)
            assert parameters_of(record.value) == (len(parameters), is_variadic), record.name


@EVERY_RECORD
def test_derivatives(record: Tensor) -> None:
    for seed, operands in enumerate(record.samples(np.random.default_rng(0))):
        check(record, operands, seed)


@EVERY_RECORD
def test_operands_without_a_rule(record: Tensor) -> None:
    """Where an operand has no rule, the result does not move with it, or in jumps only."""
    for operands in record.samples(np.random.default_rng(4)):
        for position, operand in enumerate(operands):
            if record.vjp(position) is None and record.name not in CONSTANTS:
                check_constant(record, operands, position, operand)


@EVERY_RECORD
def test_strided_operands(record: Tensor) -> None:
    for operands in record.samples(np.random.default_rng(1)):
        check_same(record, operands, strided(operands))


def strided(operand: Any) -> Any:
    """Return an operand whose arrays are every second element of larger ones, last axis first in memory."""
    if type(operand) in (list, tuple):
        return type(operand)([strided(item) for item in operand])
    if not isinstance(operand, np.ndarray) or operand.ndim == 0:
        return operand
    larger = np.empty([2 * n for n in operand.shape], operand.dtype, order="F")
    view = larger[(slice(None, None, 2),) * operand.ndim]
    view[...] = operand
    return view


@pytest.mark.filterwarnings("ignore:numpy.fix is deprecated:DeprecationWarning")  # from NumPy 2.5 on
@EVERY_RECORD
def test_single_precision(record: Tensor) -> None:
    """Cotangents of arrays in single precision have their dtype, and are nearly those in double precision."""
    for seed, operands in enumerate(record.samples(np.random.default_rng(0))):
        check(record, single(operands), seed, tolerance=1e-2, order=1)


def single(operand: Any) -> Any:
    """Return an operand with its arrays in single precision."""
    if type(operand) in (list, tuple):
        return type(operand)([single(item) for item in operand])
    return operand.astype(np.float32) if getattr(operand, "dtype", None) == np.float64 else operand


@EVERY_RECORD
def test_values(record: Tensor) -> None:
    """The record gives the values of each function that it implements, of the same type and dtype."""
    for operands in record.samples(np.random.default_rng(2)):
        for function in record.implements:
            if record.name not in UNLIKE:
                same(record(*operands), called(function, record, operands))


def called(function: Any, record: Tensor, operands: tuple[Any, ...]) -> Any:
    """Return the function's result, or its first operand afterwards where the function changes that."""
    if record.changes:
        changed = operands[0].copy()
        function(changed, *operands[1:])
        return changed
    places, names = arguments(function, record, operands)
    return function(*places, **names)


def same(found: Any, expected: Any) -> None:
    """Assert that two results are of one structure, dtype and value."""
    if isinstance(expected, list | tuple):
        assert type(found) is type(expected)
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other)
        return
    assert getattr(found, "dtype", None) == getattr(expected, "dtype", None)
    if isinstance(expected, np.ndarray | np.generic) and expected.dtype.kind in "fc":
        rtol = 1e-6 if expected.dtype in (np.float32, np.complex64) else 1e-14
        np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=rtol)
    else:
        np.testing.assert_array_equal(found, expected)


CHANGES = [record for record in RECORDS if record.in_place is not None]


@pytest.mark.parametrize("record", CHANGES, ids=lambda record: record.name)
def test_changes_in_place(record: Tensor) -> None:
    """The in-place form writes the record's value; computing that value changes no operand."""
    assert record.in_place is not None
    for operands in record.samples(np.random.default_rng(3)):
        if not isinstance(operands[0], np.ndarray):
            continue
        before = operands[0].copy()
        expected = record(*operands)
        np.testing.assert_array_equal(operands[0], before)
        record.in_place(np, *operands)
        np.testing.assert_array_equal(operands[0], expected)
        assert operands[0].dtype == expected.dtype
