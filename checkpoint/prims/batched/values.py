"""Values of many lanes, and what groups of lanes are made of.

A value of a batched program is alike for all lanes, or it is a *batch*, or a container of these. A batch is a
record of one array, whose first axis is that of the lanes of the group that runs:

    Numbers   of each lane a number of Python's       Arrays   of each lane an array, or one without axes
    Mixed     of some lanes a float, of others an integer, all of them held as floats

What always holds: a batch is only part of containers of the group that runs, which are copies; so all batches
in a block have one width.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from checkpoint.ad.array_library import dtype_kind
from checkpoint.ad.arrays import ARRAYS, Array, Discrete, Memory
from checkpoint.ad.containers import CONTAINERS, MUTABLE_CONTAINERS, TUPLE, Dict, Layout, List, Record
from checkpoint.ad.graph import ATOMS
from checkpoint.ad.library import record_named
from checkpoint.ad.numbers import NUMBERS, Dual, fresh, real_part
from checkpoint.ad.storage import CONSTANT
from checkpoint.ad.tensors import ALWAYS, apply
from checkpoint.ad.values import Closure, Environment, Pair
from checkpoint.ad.walk import Branch, fold
from checkpoint.prims.batched.program import NoForm
from checkpoint.prims.lane_values import builder, structure
from checkpoint.prims.lanes import apart


class Numbers:
    """The class of records that hold a number of Python's for each lane."""


class Mixed:
    """The class of records that hold a float for each lane, where some lanes have an integer."""


class Arrays:
    """The class of records that hold an array for each lane."""


NUMBERS_OF_LANES = Layout(Numbers, ("array",))
MIXED_OF_LANES = Layout(Mixed, ("array",))
ARRAYS_OF_LANES = Layout(Arrays, ("array",))
_OF_PYTHON = frozenset((Numbers, Mixed))
_BATCHES = frozenset((Numbers, Mixed, Arrays))
_OPENED = frozenset((*CONTAINERS, Pair, Closure, Environment))


def is_batch(value: Any) -> bool:
    """Return whether a value is a batch itself."""
    return type(value) is Record and value.layout.cls in _BATCHES


def is_numbers(value: Any) -> bool:
    """Return whether a value is a batch of numbers of Python's."""
    return type(value) is Record and value.layout.cls in _OF_PYTHON


def is_mixed(value: Any) -> bool:
    """Return whether a value is a batch of floats and integers."""
    return type(value) is Record and value.layout.cls is Mixed


def batch(array: Any, of_numbers: bool) -> Record:
    """Return a batch of an array."""
    return Record(NUMBERS_OF_LANES if of_numbers else ARRAYS_OF_LANES, (array,))


def mixed(array: Any) -> Record:
    """Return a batch of floats that stand for floats and integers."""
    return Record(MIXED_OF_LANES, (array,))


def holds_batch(values: Iterable[Any]) -> bool:
    """Return whether one of the values is a batch, or holds one."""
    waiting, seen = [*values], set()
    while waiting:
        value = waiting.pop()
        kind = type(value)
        if kind not in _OPENED or (kind in MUTABLE_CONTAINERS and id(value) in seen):
            continue
        if is_batch(value):
            return True
        seen.add(id(value))
        waiting.extend([part for part in value.parts() if type(part) in _OPENED])
    return False


def data_of(value: Any) -> Any:
    """Return the library's array of a batch, or of an array."""
    return real_part(value.items[0] if is_batch(value) else value).data


def width(value: Any) -> int:
    """Return the number of lanes of a batch."""
    return int(data_of(value).shape[0])


def applied(name: str, *operands: Any) -> Any:
    """Return the result of a function of arrays."""
    return apply(ALWAYS, record_named(name), operands)


def places(data: Any) -> Discrete:
    """Return indices of lanes as a value."""
    return Discrete(data, Memory(CONSTANT))


def true_at(mask: Any) -> Any:
    """Return the indices at which an array of booleans with one axis is true."""
    found = mask.nonzero()
    return found[0] if isinstance(found, tuple) else found[:, 0]


# Some of the lanes


def _opened(value: Any, at: Discrete) -> Any:
    if is_batch(value):
        return Record(value.layout, (applied("tensorlib.lanes_taken", value.items[0], at),))
    if type(value) not in _OPENED:
        return value
    return Branch(value.parts(), builder(value), value if type(value) in MUTABLE_CONTAINERS else None)


def taken(value: Any, at: Discrete) -> Any:
    """Return a frozen copy of a value, with the lanes at some places."""
    return apart(fold(value, lambda item: _opened(item, at)))


# Lanes of several groups


def merged(values: Sequence[Any], at: Sequence[Discrete], count: int) -> Any:
    """Return the values that groups of lanes have, as one frozen value of `count` lanes.

    at: of each group the places of its lanes. NoForm: the values do not fit.
    """
    return apart(fold(tuple(values), lambda item: _merged(item, at, count)))


def _merged(values: tuple[Any, ...], at: Sequence[Discrete], count: int) -> Any:
    first = values[0]
    if any(map(is_batch, values)) or any(type(value) in _NUMERIC for value in values):
        return _one_leaf(values, at, count)
    if type(first) is Closure:
        if any(type(value) is not Closure or value.lam is not first.lam for value in values):
            raise NoForm("lanes go on with different functions")
        return Branch([tuple([value.env for value in values])], builder(first))
    if type(first) in _OPENED:
        if any(type(value) is not type(first) or structure(value) != structure(first) for value in values):
            raise NoForm("lanes go on with containers of different structure")
        item = first if type(first) in MUTABLE_CONTAINERS else None
        return Branch(_columns(values), builder(first), item)
    if any(type(value) is not type(first) or not _is_same(value, first) for value in values):
        raise NoForm("lanes go on with different values that are no numbers")
    return first


_NUMERIC = frozenset((*NUMBERS, Discrete, int, bool))


def _columns(values: Sequence[Any]) -> list[tuple[Any, ...]]:
    first = values[0]
    if type(first) is Dict:
        if any(list(value.items) != list(first.items) for value in values):
            raise NoForm("lanes go on with dictionaries of keys in different order")
        return [tuple([value.items[key] for value in values]) for key in first.items]
    return list(zip(*[value.parts() for value in values], strict=True))


def _is_same(x: Any, y: Any) -> bool:
    return x is y or (type(x) in ATOMS and bool(x == y)) or getattr(x, "value", x) is getattr(y, "value", y)


def _one_leaf(values: tuple[Any, ...], at: Sequence[Discrete], count: int) -> Any:
    first = values[0]
    if all(type(value) is type(first) and _alike(value, first) for value in values):
        return fresh(first)
    kinds = {_kind(value) for value in values}
    if None in kinds or len(kinds) > 1:
        raise NoForm("lanes go on with numbers and with what is none")
    is_any_mixed = any(map(is_mixed, values))
    parts = [
        value.items[0] if is_batch(value) else spread(value, place)
        for value, place in zip(values, at, strict=True)
    ]
    letters = {dtype_kind(data_of(part).dtype) for part in parts}
    if letters == {"f", "i"} and kinds == {Numbers}:
        parts = [floats(part) for part in parts]
        is_any_mixed = True
    if len({(data_of(part).dtype, tuple(data_of(part).shape[1:])) for part in parts}) > 1:
        raise NoForm("lanes go on with arrays of different shapes or dtypes")
    whole = applied("tensorlib.lanes_merged", List(parts), List(list(at)), count)
    return mixed(whole) if is_any_mixed else batch(whole, kinds == {Numbers})


def _kind(value: Any) -> Any:
    """Return which batch a value is or would be part of; None: of none."""
    if is_batch(value):
        return Numbers if is_numbers(value) else Arrays
    plain = real_part(value) if type(value) in NUMBERS else value
    if type(plain) in ARRAYS:
        return Arrays
    return Numbers if type(plain) in (float, int, bool) else None


def _alike(x: Any, y: Any) -> bool:
    """Return whether two numbers are one number for sure, with the same derivatives."""
    if type(x) is Dual:
        return x.tag == y.tag and _alike(x.primal, y.primal) and _alike(x.tangent, y.tangent)
    x, y = real_part(x), real_part(y)
    if type(x) in (int, bool):
        return bool(x == y)
    if type(x) is Array or type(x) is Discrete:
        return x.data is y.data and x.memory.constant == y.memory.constant
    return False


def spread(value: Any, at: Discrete) -> Any:
    """Return what is alike for some lanes as an array over them."""
    return applied("tensorlib.lanes_alike", at, value, int(at.data.shape[0]))


def floats(array: Any) -> Any:
    """Return an array of integers, with one axis, as one of float64."""
    zeros = applied("tensorlib.lanes_alike", array, 0.0, int(data_of(array).shape[0]))
    return applied("np.add", array, zeros)


def tuple_of(*items: Any) -> Record:
    """Return a tuple."""
    return Record(TUPLE, items)
