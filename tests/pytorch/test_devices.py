"""Devices other than the host: what rules make is where the tensors are.

PyTorch's meta device has shapes and dtypes and no elements, and its functions refuse tensors of two devices.
So it shows on any machine whether an array was made on the wrong device. What needs elements is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from checkpoint import engines, vjp
from checkpoint.ad.accumulators import Scattered
from checkpoint.ad.record import records
from checkpoint.ad.tensors import Tensor as ArrayRecord
from tensorlib.pytorch import namespace
from tensorlib.pytorch.refused import LACKING
from tests.pytorch.test_records import REFUSALS, WITHOUT_A_LAW, _is_real, _samples, of_arrays, tensors

# Samples that have only numbers and lists: their result has no other device than the default one.
OF_NUMBERS = frozenset(("np.atleast_1d", "np.atleast_2d", "np.broadcast_arrays", "tensorlib.stacked"))
# Samples in which lists or numbers are broadcast beside tensors; on a device pass tensors.
BESIDE_LISTS = frozenset(("addmm", "addmv", "addr", "baddbmm", "np.einsum", "np.linalg.cond", "np.outer"))
ELSEWHERE = "expected device|same device|cross-device"


def there(operand: Any) -> Any:
    """Return an operand with its tensors on the meta device."""
    if isinstance(operand, torch.Tensor):
        return operand.to("meta")
    if isinstance(operand, list):
        return [there(part) for part in operand]
    return tuple(map(there, operand)) if type(operand) is tuple else operand


def devices(result: Any) -> Iterator[str]:
    if isinstance(result, Scattered):
        result = result.dense()
    if isinstance(result, torch.Tensor):
        yield result.device.type
    elif isinstance(result, list | tuple):
        for part in result:
            yield from devices(part)


def attempt(record: ArrayRecord, sample: Any) -> set[str]:
    """Return the devices of the value and the cotangents of a sample on the meta device."""
    given = tensors(sample)
    found: set[str] = set()
    try:
        record.value(namespace, *given)
        operands = there(given)
        y = record.value(namespace, *operands)
        found.update(devices(y))
        for position, operand in enumerate(operands if _is_real(y) else ()):
            rule = record.vjp(position)
            if rule is not None and _is_real(operand):
                found.update(devices(rule(namespace, torch.ones_like(y), y, *operands)))
    except REFUSALS as error:
        if any(text in str(error) for text in ELSEWHERE.split("|")):
            found.add("cpu")
    return found


EXCEPT = LACKING | WITHOUT_A_LAW | OF_NUMBERS | BESIDE_LISTS
NAMES = [name for name in of_arrays() if name not in EXCEPT and not name.startswith("scipy.")]


@pytest.mark.parametrize("name", NAMES)
def test_values_and_cotangents_are_where_the_tensors_are(name: str) -> None:
    record = records()[name]
    assert isinstance(record, ArrayRecord)
    for sample in _samples(record):
        assert "cpu" not in attempt(record, sample)


def program(w: Tensor, x: Tensor) -> Tensor:
    for _ in range(3):
        x = torch.tanh(x @ w) + x[:, :1]
    values, _ = torch.max(x, dim=1)
    last = torch.cat([x, x]).mean() + x[0].sum() + torch.stack([x, x + 1.0])[0, 1, 2]
    return (x * x).sum() + values.sum() + last


@pytest.mark.parametrize("engine", engines.usable())
@pytest.mark.parametrize("schedule", ["plain", "bisection"])
def test_gradients_of_programs_are_where_the_tensors_are(engine: str, schedule: str) -> None:
    w, x, unused = [torch.ones(shape, device="meta") for shape in ((4, 4), (3, 4), (2,))]
    y, found = vjp(
        lambda packed: program(packed[0], packed[1]), (w, x, unused), None, engine=engine, schedule=schedule
    )
    assert y.device.type == "meta"
    assert [each.device.type for each in found] == ["meta"] * 3
    assert [each.shape for each in found] == [w.shape, x.shape, unused.shape]


def test_zeros_of_a_result_in_several_parts_are_where_the_others_are() -> None:
    record = records()["np.unpack"]
    assert isinstance(record, ArrayRecord)

    def first(x: Tensor) -> Tensor:
        a, _ = x
        return np.sum(a)

    _, found = vjp(first, torch.ones((2, 3), device="meta"), None)
    assert (found.device.type, found.shape) == ("meta", (2, 3))
