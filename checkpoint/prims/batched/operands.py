"""The operands of a step on many lanes, for rules: ranks and shapes in each lane, axes, arrays."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from checkpoint.ad.arrays import ARRAYS
from checkpoint.ad.containers import CONTAINERS, TUPLE, List, Record
from checkpoint.ad.numbers import NUMBERS, real_part
from checkpoint.ad.tensors import Tensor
from checkpoint.prims.batched.values import applied, data_of, holds_batch, is_batch, width

Rule = Callable[[Tensor, Sequence[Any]], Any]


class Unfit(Exception):
    """Raised by a rule for operands that it does not take."""


def rank(x: Any) -> int:
    """Return how many axes a number or batch has in each lane."""
    if is_batch(x):
        return len(data_of(x).shape) - 1
    plain = real_part(x) if type(x) in NUMBERS else x
    if type(plain) in ARRAYS:
        return len(plain.data.shape)
    if type(plain) in (float, int, bool):
        return 0
    raise Unfit


def shape(x: Any) -> tuple[int, ...]:
    """Return the shape that a batch has in each lane."""
    return tuple(data_of(x).shape)[1:]


def is_shared_array(x: Any) -> bool:
    return type(real_part(x) if type(x) in NUMBERS else x) in ARRAYS


def is_container(x: Any) -> bool:
    return type(x) in CONTAINERS and not is_batch(x)


def tuple_of(items: Sequence[Any]) -> Record:
    return Record(TUPLE, tuple(items))


def reshaped(x: Any, new: Sequence[int]) -> Any:
    """Return the array of a batch with another shape in each lane."""
    return applied("np.reshape", x.items[0], tuple_of((width(x), *new)))


def aligned(x: Any, count: int) -> Any:
    """Return the array of an operand, of a batch with as many axes in each lane."""
    if not is_batch(x):
        return x
    missing = count - rank(x)
    return reshaped(x, ((1,) * missing + shape(x))) if missing else x.items[0]


def ints(value: Any) -> list[int]:
    """Return an int, or the ints of a tuple or list."""
    items = value.items if type(value) in (Record, List) else (value,)
    if not all(type(item) is int for item in items):
        raise Unfit
    return list(items)


def named(record: Tensor, operands: Sequence[Any]) -> dict[str, Any]:
    """Return operands by the names of the parameters, with the defaults of those that are left out."""
    bound = inspect.signature(record.value).bind(None, *operands)
    bound.apply_defaults()
    return dict(bound.arguments)


def only_first(operands: Sequence[Any]) -> None:
    """Raise Unfit unless the first operand alone is or holds a batch."""
    if not is_batch(operands[0]) or holds_batch(operands[1:]):
        raise Unfit
