"""Rules for functions of arrays that know axes: each is moved behind the axis of the lanes.

A rule takes a record and operands, of which one at least is or holds a batch, and returns a batch; it raises
Unfit for operands that it does not take.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from checkpoint.ad.array_library import dtype_kind
from checkpoint.ad.containers import CONTAINERS, TUPLE, Layout, List, Record
from checkpoint.ad.numbers import real_part
from checkpoint.ad.tensors import Tensor
from checkpoint.prims.batched.operands import (
    Unfit,
    aligned,
    ints,
    named,
    only_first,
    rank,
    reshaped,
    shape,
    tuple_of,
)
from checkpoint.prims.batched.values import (
    applied,
    batch,
    data_of,
    floats,
    holds_batch,
    is_batch,
    places,
    width,
)


def reduction(record: Tensor, operands: Sequence[Any]) -> Any:
    """Reduce axes of each lane."""
    only_first(operands)
    x, given = operands[0], named(record, operands)
    first = next(name for name in given if name != "xp")
    if rank(x) == 0:
        raise Unfit
    axis = given["axis"]
    if axis is None:
        if given.get("keepdims"):
            raise Unfit
        given[first], given["axis"] = reshaped(x, (prod(shape(x)),)), 1
    else:
        given[first] = x.items[0]
        axes = [own_axis(i, rank(x)) for i in ints(axis)]
        given["axis"] = axes[0] if type(axis) is int else tuple_of(axes)
    return batch(by_name(record, given), False)


def by_name(record: Tensor, given: dict[str, Any]) -> Any:
    """Apply a record to operands by the names of its parameters."""
    return applied(record.name, *[value for name, value in given.items() if name != "xp"])


def own_axis(axis: int, count: int) -> int:
    """Return an axis of each lane as one of the array of all lanes."""
    if not -count <= axis < count:
        raise Unfit
    return axis % count + 1


def along_axis(record: Tensor, operands: Sequence[Any]) -> Any:
    """Apply a function along one axis of each lane."""
    only_first(operands)
    x, given = operands[0], named(record, operands)
    first = next(name for name in given if name != "xp")
    if type(given["axis"]) is not int:
        raise Unfit
    given[first], given["axis"] = x.items[0], own_axis(given["axis"], rank(x))
    return batch(by_name(record, given), False)


def product(record: Tensor, operands: Sequence[Any]) -> Any:
    """Multiply matrices and vectors."""
    a, b = operands
    ranks = rank(a), rank(b)
    if record.name.endswith("dot") and (0 in ranks or ranks[1] > 2):
        raise Unfit
    if min(ranks) >= 2 and max(ranks) > 2 and not record.name.endswith("dot"):
        return batch(applied("np.matmul", aligned(a, max(ranks)), aligned(b, max(ranks))), False)
    if is_batch(a) and not is_batch(b) and ranks[1] <= 2:
        return batch(applied("np.matmul", a.items[0], b), False)
    if is_batch(b) and not is_batch(a):
        return _shared_times(a, b, ranks)
    if not is_batch(a) or 0 in ranks:
        raise Unfit
    left = reshaped(a, (1, *shape(a))) if ranks[0] == 1 else aligned(a, max(ranks))
    right = reshaped(b, (*shape(b), 1)) if ranks[1] == 1 else aligned(b, max(ranks))
    found = batch(applied("np.matmul", left, right), False)
    kept = list(shape(found))
    if ranks[1] == 1:
        kept.pop()
    if ranks[0] == 1:
        kept.pop(-1 if ranks[1] == 1 else -2)
    return batch(reshaped(found, kept), False) if 1 in ranks else found


def _shared_times(a: Any, b: Any, ranks: tuple[int, int]) -> Any:
    """Return the products of a shared array and a batch."""
    if ranks[0] == 0 or ranks[0] > 2:
        raise Unfit
    if ranks[1] == 1:
        turned = applied("np.transpose", a, None) if ranks[0] == 2 else a
        return batch(applied("np.matmul", b.items[0], turned), False)
    return batch(applied("np.matmul", a, b.items[0]), False)


def leading(record: Tensor, operands: Sequence[Any]) -> Any:
    """Apply a function whose first operand may have any further axes in front."""
    only_first(operands)
    own = record.shape[: record.shape.index(")")].count(",")  # axes beside "..."
    if rank(operands[0]) < own:
        raise Unfit
    return batch(applied(record.name, operands[0].items[0], *operands[1:]), False)


def normalised(record: Tensor, operands: Sequence[Any]) -> Any:
    """Normalise over the last axes of each lane."""
    only_first(operands)
    if rank(operands[0]) < len(ints(operands[1])):
        raise Unfit
    return batch(applied(record.name, operands[0].items[0], *operands[1:]), False)


def reshape(record: Tensor, operands: Sequence[Any]) -> Any:
    """Give each lane another shape."""
    only_first(operands)
    new = operands[1:] if len(operands) > 2 or type(operands[1]) is int else operands[1].items
    return batch(reshaped(operands[0], ints(tuple_of(new))), False)


def flat(record: Tensor, operands: Sequence[Any]) -> Any:
    """Give each lane one axis."""
    only_first(operands)
    return batch(reshaped(operands[0], (prod(shape(operands[0])),)), False)


def transpose(record: Tensor, operands: Sequence[Any]) -> Any:
    """Permute the axes of each lane."""
    only_first(operands)
    x = operands[0]
    rest = operands[1:]
    if not rest or rest[0] is None:
        axes = list(range(rank(x), 0, -1))
    else:
        given = ints(tuple_of(rest)) if type(rest[0]) is int else ints(rest[0])
        axes = [own_axis(i, rank(x)) for i in given]
    return batch(applied("np.transpose", x.items[0], tuple_of((0, *axes))), False)


def axes_exchanged(record: Tensor, operands: Sequence[Any]) -> Any:
    """Apply a function of axes that are ints."""
    only_first(operands)
    x = operands[0]
    axes = [own_axis(i, rank(x)) for i in ints(tuple_of(operands[1:]))]
    return batch(applied(record.name, x.items[0], *axes), False)


def with_axis(record: Tensor, operands: Sequence[Any]) -> Any:
    """Add an axis of length 1 to each lane."""
    only_first(operands)
    x, axis = operands
    if type(axis) is not int:
        raise Unfit
    return batch(applied(record.name, x.items[0], own_axis(axis, rank(x) + 1)), False)


def without_axis(record: Tensor, operands: Sequence[Any]) -> Any:
    """Leave axes of length 1 out of each lane."""
    only_first(operands)
    x = operands[0]
    axis = operands[1] if len(operands) > 1 else None
    gone = range(rank(x)) if axis is None else [own_axis(i, rank(x)) - 1 for i in ints(axis)]
    if axis is not None and any(shape(x)[i] != 1 for i in gone):
        raise Unfit
    return batch(reshaped(x, [n for i, n in enumerate(shape(x)) if n != 1 or i not in gone]), False)


def joined(record: Tensor, operands: Sequence[Any]) -> Any:
    """Stack or concatenate what is in a list or tuple."""
    parts, axis = operands[0], operands[1] if len(operands) > 1 else 0
    if type(parts) not in (List, Record) or is_batch(parts) or type(axis) is not int:
        raise Unfit
    count = max(map(rank, parts.items))
    if any(rank(x) != count for x in parts.items):
        raise Unfit
    own = own_axis(axis, count + (record.name == "np.stack"))
    arrays = all_spread(parts.items)
    return batch(applied(record.name, tuple_of(arrays), own), False)


def all_spread(items: Sequence[Any]) -> list[Any]:
    """Return the arrays of batches, and of what is alike for all lanes, as many."""
    some = next(x for x in items if is_batch(x))
    lanes = places(data_of(some))
    return [
        x.items[0] if is_batch(x) else applied("tensorlib.lanes_alike", lanes, x, width(some)) for x in items
    ]


def array_of(record: Tensor, operands: Sequence[Any]) -> Any:
    """Make an array of nested lists of numbers."""
    if len(operands) > 1 and any(x is not None for x in operands[1:2]):
        raise Unfit
    return batch(_nested(operands[0]), False)


def _nested(x: Any) -> Any:
    if is_batch(x):
        return x.items[0]
    if type(x) not in (List, Record) or (type(x) is Record and x.layout is not TUPLE):
        raise Unfit
    parts = [batch(_nested(part), False) if holds_batch((part,)) else part for part in x.items]
    if any(type(part) in CONTAINERS and not is_batch(part) for part in parts):
        raise Unfit
    arrays = all_spread(parts)
    if len({real_part(array).data.dtype for array in arrays}) > 1:
        raise Unfit
    return applied("np.stack", tuple_of(arrays), 1)


_ALL = Record(Layout(slice, ("start", "stop", "step")), (None, None, None))


def item(record: Tensor, operands: Sequence[Any]) -> Any:
    """Take an item, a slice, or several."""
    x, index = operands
    only_first(operands)
    parts = index.items if type(index) is Record and index.layout.cls is tuple else (index,)
    simple = all(type(part) is int or part is None or _is_slice(part) or _is_dots(part) for part in parts)
    if not simple and len(parts) > 1:
        raise Unfit
    if rank(x) == 0:
        raise Unfit
    return batch(applied("np.getitem", x.items[0], tuple_of((_all_lanes(), *parts))), False)


def _is_slice(part: Any) -> bool:
    return type(part) is Record and part.layout.cls is slice


def _is_dots(part: Any) -> bool:
    return getattr(part, "value", None) is ...


def _all_lanes() -> Record:
    return _ALL.with_parts(_ALL.items)


def part_of(record: Tensor, operands: Sequence[Any]) -> Any:
    """Take a slice by its bounds."""
    only_first(operands)
    bounds = (*operands[1:], None, None, None)[:3]
    return item(record, (operands[0], Record(_ALL.layout, bounds)))


def as_number(record: Tensor, operands: Sequence[Any]) -> Any:
    """Make floats of numbers, or of arrays of one element."""
    only_first(operands)
    x = operands[0]
    if prod(shape(x)) != 1:
        raise Unfit
    found = reshaped(x, ()) if rank(x) else x.items[0]
    data = real_part(found).data
    letter = dtype_kind(data.dtype)
    if letter == "f" and data.dtype.itemsize != _DOUBLE:
        raise Unfit
    return batch(found if letter == "f" else floats(found), True)


_DOUBLE = 8  # bytes of a float64


def truth(record: Tensor, operands: Sequence[Any]) -> Any:
    """Ask for the truth of the one element of each lane."""
    only_first(operands)
    x = operands[0]
    if prod(shape(x)) != 1:
        raise Unfit
    found = reshaped(x, ()) if rank(x) else x.items[0]
    test = applied("np.not_equal", found, 0)
    return batch(applied("np.logical_not", test) if record.name == "np.not" else test, True)


def attribute(record: Tensor, operands: Sequence[Any]) -> Any:
    """Transpose each lane, for `x.T`."""
    if operands[1] == "T":
        return transpose(record, operands[:1])
    raise Unfit
