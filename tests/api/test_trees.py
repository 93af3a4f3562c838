"""Arguments that are trees of data enter, and their cotangents leave, as `enter` and `tangent_of` have it."""

from __future__ import annotations

from typing import Any

import numpy as np

from checkpoint import grad
from checkpoint.ad.arrays import Array
from checkpoint.ad.containers import TUPLE, Dict, List, Record
from checkpoint.ad.graph import enter, numbers
from checkpoint.ad.numbers import fresh
from checkpoint.ad.storage import FROZEN
from checkpoint.ad.tangent import tangent_of
from checkpoint.functions.pytrees import to_language
from checkpoint.functions.trees import cotangent_of_items, entered_tree, numbers_at

half = 0.5
ARGUMENTS: tuple[Any, ...] = (
    2.0,
    np.ones(3),
    7,
    None,
    "a",
    [half, half, 1.0],
    (np.ones(2), half),
    {"a": half, "b": np.ones(1)},
    [],
    [half, [half, (1.0, 3)], {"a": [half]}],
)


def argument() -> Any:
    return Record(TUPLE, tuple(to_language(x, "x", lambda _: NotImplemented) for x in ARGUMENTS))


def form(value: Any) -> Any:
    """Return a value with arrays and containers as Python's own."""
    if type(value) is Array:
        return value.data.tolist()
    if type(value) in (Record, List, Dict):
        owner = None if type(value) is Record else value.owner
        return type(value).__name__, owner, list(map(form, value.parts()))
    return value


def test_trees_enter_as_others_do() -> None:
    x = argument()
    expected = form(enter(x, True))
    tree = entered_tree(x, True)
    assert tree is not None
    entered, found, counts = tree
    assert [len(numbers(each)) for each in entered.items] == counts
    assert [id(each) for each in numbers_at([0, 9], found, counts)] == [
        id(each) for i in (0, 9) for each in numbers(entered.items[i])
    ]
    assert form(entered) == expected
    assert list(map(id, found)) == list(map(id, numbers(entered)))
    assert len(set(map(id, found))) == len(found) == 13
    assert all(each.owner is FROZEN for each in entered.items if type(each) in (List, Dict))
    assert not set(map(id, found)) & set(map(id, (half,)))
    cotangents = [fresh(number) for number in found]
    mine = cotangent_of_items(entered, range(len(entered.items)), cotangents)
    assert form(mine) == form(tangent_of(entered, cotangents, found))


def test_of_some_arguments_alone_the_others_have_none() -> None:
    tree = entered_tree(argument(), True)
    assert tree is not None
    entered = tree[0]
    made = cotangent_of_items(entered, [0, 9], [1.0, *[2.0] * 4])
    assert [form(each) for each in made.items[1:9]] == [None] * 8
    assert (made.items[0], numbers(made.items[9])) == (1.0, [2.0])


def test_other_arguments_are_left_to_the_general_way() -> None:
    def value(x: Any) -> Any:
        return to_language(x, "x", lambda _: NotImplemented)

    assert entered_tree(Record(TUPLE, (value([1.0, Holds()]),)), True) is None
    assert entered_tree(List([1.0]), True) is None
    x = argument()
    assert entered_tree(x, False) is None  # its containers may be somebody's


class Holds:
    def __init__(self) -> None:
        self.x = 1.0


def scaled(x: Any, w: Any, by: Any) -> Any:
    return np.sum(x * w[0] * w[1]) * by["c"] * SCALE + np.sum(SHIFT * x)


SCALE, SHIFT = 3.0, np.array([1.0, 2.0])


def test_functions_with_inputs_of_their_own() -> None:
    x, w, by = np.array([1.0, 2.0]), [np.ones(2), np.full(2, 0.5)], {"c": 2.0}
    for engine in ("c", "hybrid", "interp"):
        of_x, of_w, of_by = grad(scaled, (0, 1, 2), engine=engine)(x, w, by)
        assert of_x.tolist() == [4.0, 5.0]
        assert [each.tolist() for each in of_w] == [[3.0, 6.0], [6.0, 12.0]]
        assert of_by == {"c": 4.5}
