"""Errors within combinators over arrays name the combinator and the items, on every engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import checkpoint
from checkpoint import arrays
from checkpoint.engines import usable

X = np.arange(11.0)


def at_three(x: Any) -> Any:
    if float(x) == 3.0:
        raise ValueError("three")
    return x * 2.0


def joined(a: Any, b: Any) -> Any:
    """Return the greater of two spans (first, last), and fail where what begins with item 6 is joined."""
    if float(b[0]) == 6.0:
        raise ValueError("six")
    return np.stack([a[0], b[1]])


def at_eight(a: Any, b: Any) -> Any:
    if float(b[0]) == 8.0:
        raise ValueError("eight")
    return np.stack([a[0], b[1]])


def at_ten(a: Any, b: Any) -> Any:
    if float(b[0]) == 10.0:
        raise ValueError("ten")
    return np.stack([a[0], b[1]])


def spans(x: Any) -> Any:
    return np.stack([x, x], 1)


def unlike(x: Any) -> Any:
    return (x,) if x > 2.0 else x


NAMED: dict[str, tuple[Callable[[Any], Any], list[str]]] = {
    "map": (lambda x: np.sum(arrays.map(at_three, x)), ["in item 3 of map"]),
    "filter": (lambda x: np.sum(arrays.filter(lambda v: at_three(v) > 1.0, x)), ["in item 3 of filter"]),
    "partition": (
        lambda x: np.sum(arrays.partition(lambda v: at_three(v) > 1.0, x)[0]),
        ["in item 3 of partition"],
    ),
    "reduce": (lambda x: np.sum(arrays.reduce(joined, spans(x))), ["in reduce between items 5 and 6"]),
    "the last pair": (
        lambda x: np.sum(arrays.reduce(at_eight, spans(x))),
        ["in reduce between items 7 and 8"],
    ),
    "an odd one": (lambda x: np.sum(arrays.reduce(at_ten, spans(x))), ["in reduce between items 9 and 10"]),
    "scan": (lambda x: np.sum(arrays.scan(joined, spans(x))), ["in scan between items 5 and 6"]),
    "scan, odd": (lambda x: np.sum(arrays.scan(at_ten, spans(x))), ["in scan between items 9 and 10"]),
    "reduce_by_index": (
        lambda x: np.sum(arrays.reduce_by_index(joined, spans(x[:2]), np.arange(11) % 2, spans(x))),
        ["in pair 1 of reduce_by_index"],
    ),
    "nested": (
        lambda x: np.sum(
            arrays.map(lambda row: arrays.reduce(joined, row), np.stack([spans(x + 20.0), spans(x)]))
        ),
        ["in reduce between items 5 and 6", "in item 1 of map"],
    ),
    "within vmap": (
        lambda x: np.sum(checkpoint.vmap(lambda row: arrays.map(at_three, row))(np.stack([x + 20.0, x]))),
        ["in item 3 of map", "in lane 1 of vmap"],
    ),
    "vmap within": (
        lambda x: np.sum(arrays.map(checkpoint.vmap(at_three), np.stack([x + 20.0, x]))),
        ["in lane 3 of vmap", "in item 1 of map"],
    ),
}


@pytest.mark.parametrize("engine", usable())
@pytest.mark.parametrize("name", NAMED)
def test_errors_name_the_combinator_and_its_items(name: str, engine: str) -> None:
    f, want = NAMED[name]
    with pytest.raises(ValueError, match=r"three|six|eight|ten") as caught:
        checkpoint.grad(f, engine=engine)(X)
    assert [note for note in caught.value.__notes__ if note.startswith("in ")] == want


@pytest.mark.parametrize("engine", usable())
def test_what_cannot_be_stacked_is_of_the_combinator(engine: str) -> None:
    with pytest.raises(TypeError, match=r"^item 3 of map returns a tuple of 1, which cannot be stacked"):
        checkpoint.grad(lambda x: np.sum(arrays.map(unlike, x)), engine=engine)(X)
