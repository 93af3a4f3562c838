"""Lists of reals, as chains of pairs, in the walks over values: order, sharing, and what they may end in."""

from __future__ import annotations

from typing import Any

import pytest

from checkpoint.ad.containers import List
from checkpoint.ad.graph import containers_in, enter, numbers, reach, replace
from checkpoint.ad.numbers import Dual
from checkpoint.ad.tangent import tangent_of
from checkpoint.ad.values import Closure, Environment, Pair
from checkpoint.interp.hybrid.cotangent import located

REALS = (float, Dual)


def chain(*items: Any) -> Any:
    """Return the pairs of all items but the last, in front of that."""
    *firsts, rest = items
    for item in reversed(firsts):
        rest = Pair(item, rest)
    return rest


SHARED, REAL = chain(4.0, 5.0, None), float("6")
CLOSURE, ITEMS = Closure(None, Environment((3.0,))), (3.5, 4.5)
LISTS = {
    "proper": chain(1.0, 2.0, 3.0, None),
    "improper": chain(1.0, 2.0, 3.0),
    "mixed": chain(1.0, True, 2.0, chain(3.0, None), Dual(1, 4.0, 5.0), 6.0, None),
    "one real twice": chain(REAL, REAL, chain(REAL, None), None),
    "shared rest": Pair(chain(1.0, SHARED), chain(2.0, 3.0, SHARED)),
    "shared closure": (chain(1.0, 2.0, CLOSURE), chain(4.0, CLOSURE)),
    "shared tuple": (chain(1.0, 2.0, ITEMS), chain(5.0, ITEMS)),
}
each_list = pytest.mark.parametrize("value", LISTS.values(), ids=list(LISTS))


def reached(value: Any, seen: set[int]) -> list[Any]:
    """Return what a value reaches, once each, parts from the first to the last."""
    if value is None or type(value) is bool or id(value) in seen:
        return []
    seen.add(id(value))
    parts = () if type(value) in REALS else value if type(value) is tuple else value.parts()
    return [value, *[found for part in parts for found in reached(part, seen)]]


def ids(values: list[Any]) -> list[int]:
    return list(map(id, values))


@each_list
def test_what_is_reached_is_in_the_order_of_its_parts(value: Any) -> None:
    found = reached(value, set())
    others = [each for each in found if type(each) not in REALS]
    assert ids(numbers(value)) == ids([each for each in found if type(each) in REALS])
    assert ids(reach(value)[1]) == ids(others)
    assert ids(containers_in(value)) == ids(others)


@each_list
def test_numbers_are_replaced_and_what_is_shared_stays_shared(value: Any) -> None:
    old = numbers(value)
    made = replace(value, old, [Dual(2, number, 0.5) for number in old])
    assert [number.primal for number in numbers(made)] == old
    kinds = [
        [type(each) for each in reached(each, set()) if type(each) not in REALS] for each in (value, made)
    ]
    assert kinds[0] == kinds[1]
    assert replace(value, old, old) is value


@each_list
def test_on_entering_each_path_leads_to_a_location_of_its_own(value: Any) -> None:
    entered = enter(value)
    assert not {id(each) for each in reached(entered, set())} & {id(each) for each in reached(value, set())}
    pairs = [each for each in reached(entered, set()) if type(each) is Pair]
    reals = [pair.car for pair in pairs if type(pair.car) in REALS]
    assert len(set(map(id, reals))) == len(reals)
    assert [type(pair.car) for pair in pairs].count(bool) == (value is LISTS["mixed"])


def test_one_list_that_two_end_in_has_one_tangent() -> None:
    tangent = tangent_of(LISTS["shared rest"], [0.5, 1.5, 2.5, 3.5, 4.5])
    assert tangent.car.cdr is tangent.cdr.cdr.cdr
    left, right = tangent_of((chain(1.0, 2.0, items := List([3.0])), chain(4.0, items)), [0.5] * 4)
    assert left.cdr.cdr is right.cdr


def test_locations_along_a_list_are_those_of_its_pairs() -> None:
    pairs = Pair(1.0, Pair(2.0, Pair(True, Pair(3.0, 4.0, 4), 3), 2), 1)
    expected = [((1, 0), 1.0), ((2, 0), 2.0), ((4, 0), 3.0), ((4, 1), 4.0)]
    assert [(key, number) for (key, _), number in located(pairs)] == expected
    assert [(key, number) for (key, _), number in located((pairs, pairs))] == expected
