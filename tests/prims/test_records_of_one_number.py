"""Records of one number, as batches of lanes are, are found, replaced and settled as a walk would do it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from checkpoint.ad.arrays import Array, Memory
from checkpoint.ad.containers import TUPLE, Record
from checkpoint.ad.graph import numbers, reach, replace
from checkpoint.ad.library import load_imported
from checkpoint.ad.numbers import Dual, Tape
from checkpoint.ad.state import settled
from checkpoint.interp.hybrid.cotangent import locations
from checkpoint.prims.batched.values import batch

BIRTH = 7

load_imported()


def array(owner: object = None, stale: int | None = None, *, transient: bool = False) -> Array:
    memory = Memory(owner)
    memory.stale = memory.stale if stale is None else stale
    memory.transient = transient
    return Array(np.arange(3.0), memory)


NUMBERS: dict[str, Callable[[], Any]] = {
    "float": lambda: 2.5,
    "array": array,
    "changed": lambda: array(stale=3),
    "transient": lambda: array(transient=True),
    "dual": lambda: Dual(1, array(), array()),
    "dual of floats": lambda: Dual(1, 2.5, 0.5),
    "node": lambda: Tape().leaf(array()),
}


def both(number: Any) -> tuple[Record, Record]:
    """Return a record of the number alone, and one that also has an atom, for which there is a walk."""
    return Record(TUPLE, (number,), BIRTH), Record(TUPLE, (number, None), BIRTH)


def described(number: Any) -> Any:
    """Return what can be compared of a number that was made anew."""
    if type(number) is Dual:
        return number.tag, described(number.primal), described(number.tangent)
    if not hasattr(number, "memory"):
        return getattr(number, "value", number) if type(number) is float else described(number.value)
    shown = None if number.data is None else number.data.tolist()
    memory = number.memory
    return type(number), shown, memory.owner, memory.stale, memory.constant, memory.transient


@pytest.mark.parametrize("name", NUMBERS)
def test_they_settle_as_by_a_walk(name: str) -> None:
    number = NUMBERS[name]()
    alone, walked = both(number)
    found, expected = settled(alone, 5), settled(walked, 5)
    assert (found is alone) == (expected is walked)
    assert (found.layout, found.birth, len(found.items)) == (alone.layout, BIRTH, 1)
    assert (found.items[0] is number) == (expected.items[0] is number)
    assert described(found.items[0]) == described(expected.items[0])


@pytest.mark.parametrize("name", NUMBERS)
def test_their_numbers_are_found_and_replaced(name: str) -> None:
    number = NUMBERS[name]()
    alone, walked = both(number)
    assert [id(x) for x in numbers(alone)] == [id(x) for x in numbers(walked)] == [id(number)]
    assert reach(alone)[1] == [alone]
    assert locations(alone) == locations(walked)
    other = array()
    for births, birth in ((False, 0), (True, BIRTH)):
        made = replace(alone, [number], [other], births)
        assert (made.items, made.birth) == ((other,), birth)
    assert replace(alone, [number], [number]) is alone


def test_a_batch_keeps_its_kind() -> None:
    settled_batch = settled(batch(array(), True), 5)
    assert settled_batch.layout == batch(array(), True).layout
    assert np.array_equal(settled_batch.items[0].data, np.arange(3.0))
