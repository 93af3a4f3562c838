"""Steps on tangents along several directions, applied to NumPy's own arrays without handles in between.

In: a record and operands, numbers alone, of which some are Several or batches. Out: NumPy's array for all
directions, or None where the step is left to the rules (rules.py) or done direction by direction, which both
have the same bits. These are functions element by element, products of stacks of matrices, parts of arrays,
and sums, on arrays of float64: most of what a tangent takes.

Of arrays in one piece NumPy adds the elements along an axis, or along all, in an order that depends on the
lengths of the axes behind that and on its own, so not on how many directions are in front.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from checkpoint.ad.array_library import defaults
from checkpoint.ad.arrays import Array, Discrete, Several
from checkpoint.ad.containers import Record
from checkpoint.ad.library import record_named
from checkpoint.ad.operands import native
from checkpoint.ad.tensors import ALWAYS, Tensor
from checkpoint.ad.tracing.traces import evaluated, traced
from checkpoint.prims.batched.exact import is_rounded_alike
from checkpoint.prims.batched.products import product
from checkpoint.prims.batched.rules import elementwise, rule_of
from checkpoint.prims.batched.values import is_batch

PRODUCT = "np.matmul"


def at_once(record: Tensor, operands: Sequence[Any]) -> Any:
    """Return the result of a record for all directions as an array of NumPy's; None: the rules find it."""
    own = _OWN.get(record.name)
    if own is not None:
        return own(record, *operands)
    least = _least_rank(record.name)
    if least < 0:
        return None
    found, ranks = [], []
    for x in operands:
        data, leading = _data_of(x)
        if data is None:
            return None
        found.append(data)
        ranks.append((0 if type(data) is float else data.ndim) - leading)
    if min(ranks) < least:
        return None
    count = max(ranks)
    aligned = [
        data if type(x) is float or type(x) is Array or own == count else _with_axes(data, count - own)
        for x, data, own in zip(operands, found, ranks, strict=True)
    ]
    if record.name == PRODUCT and type(operands[0]) is Array:
        return traced(product, *aligned)
    return _applied(record, *aligned)


def _item(record: Tensor, x: Any, index: Any) -> Any:
    data, leading = _data_of(x)
    if not leading or data.ndim == 1:
        return None
    parts = index.items if type(index) is Record and index.layout.cls is tuple else (index,)
    if not (len(parts) == 1 and type(parts[0]) is Discrete) and not all(map(_is_simple, parts)):
        return None
    return _applied(record, data, (slice(None), *[native(ALWAYS, part) for part in parts]))


def _is_simple(part: Any) -> bool:
    """Return whether a part of an index is an int or a slice."""
    return type(part) is int or (type(part) is Record and part.layout.cls is slice)


def _sum(record: Tensor, x: Any, axis: Any = None, *others: Any) -> Any:
    data, leading = _data_of(x)
    if not leading or data.ndim == 1 or not data.size or not data.flags.c_contiguous:
        return None
    if axis is None:
        return None if any(others) else _applied(record, _reshaped(data, (len(data), -1)), 1)
    rank = data.ndim - 1
    if type(axis) is not int or not -rank <= axis < rank or not _FLAGS.issuperset(map(type, others)):
        return None
    return _applied(record, data, axis % rank + 1, *others)


_FLAGS = frozenset((bool, type(None)))
_OWN: dict[str, Callable[..., Any]] = {"np.getitem": _item, "np.sum": _sum, "np.mean": _sum}


@cache
def _least_rank(name: str) -> int:
    """Return how many axes an operand has at least in each direction; -1: the record is left to the rules."""
    if name == PRODUCT:
        return 2
    return 0 if is_rounded_alike(name) and rule_of(record_named(name)) is elementwise else -1


def _data_of(x: Any) -> tuple[Any, int]:
    """Return what a record's function takes for an operand, None if it is left to the rules; and how many
    axes over directions that has.
    """
    kind = type(x)
    if kind is float:
        return x, 0
    if kind is Several:
        data, leading = x.stack, 1
    elif kind is Array:
        data, leading = x.data, 0
    elif is_batch(x) and type(x.items[0]) is Array:
        data, leading = x.items[0].data, 1
    else:
        return None, 0
    is_plain = type(data) in _arrays() and data.dtype is _double()
    return (data, leading) if is_plain else (None, 0)


@cache
def _arrays() -> tuple[type, type]:
    """Return the types of NumPy's arrays, with axes or without."""
    return defaults[0].ndarray, defaults[0].float64


@cache
def _double() -> Any:
    return defaults[0].dtype(float)


def _with_axes(data: Any, missing: int) -> Any:
    """Return a stack with so many more axes of length 1 in front of those of each direction."""
    return _reshaped(data, (len(data), *(1,) * missing, *data.shape[1:]))


def _reshaped(data: Any, shape: tuple[int, ...]) -> Any:
    return traced(defaults[0].reshape, data, shape)


def _applied(record: Tensor, *operands: Any) -> Any:
    return evaluated(record, defaults[0], operands)
