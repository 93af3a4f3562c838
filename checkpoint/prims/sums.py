"""The steps of `summed` (checkpoint/lang/python/library/sums.py): parts of a tree of items, sums of nests.

    (py.summands f items)        (f items), copied: what one part of the tree shares, frozen
    (py.left-summands n)         how many of n items are in the left part: the greatest power of two below n
    (py.is-nest value)           whether a value has parts to be added; a number or an array has none
    (py.leaves value)            the leaves of a nest, in a list
    (py.leaves-like value other) the same of a nest that has the structure of another; TypeError if it has not
    (py.of-leaves value leaves)  a nest like a value, of these leaves

A leaf is a number or an array; what else there is in a nest (None, a text) is no leaf, and must be the same
in all. The sums are made between the leaves in the language, so what `+` means is said in one place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from checkpoint.ad.containers import TUPLE, Dict, List, Record
from checkpoint.ad.numbers import fresh, real_part
from checkpoint.ad.walk import Branch, fold
from checkpoint.prims.lane_values import builder, equal, in_words, is_array, is_complex, is_pytree, structure
from checkpoint.prims.lanes import apart
from checkpoint.prims.python.support import operator, rearrange

_SUMMED = frozenset((float, int))
_ADVICE = "return numbers, arrays, or tuples, lists, dicts and objects of these"


def _summands(_: Any, f: Any, items: Any) -> Any:
    return apart(Record(TUPLE, (f, items)))


def _left_summands(_: Any, count: Any) -> int:
    return 1 << (int(count - 1).bit_length() - 1)


def _is_nest(_: Any, value: Any) -> bool:
    return is_pytree(value)


def _leaves(_: Any, value: Any) -> List:
    return List(list(map(fresh, leaves_of(value, value))))  # a container may be there twice


def _leaves_like(_: Any, value: Any, other: Any) -> List:
    return List(list(map(fresh, leaves_of(value, other))))


_UNLIKE = "summed adds {} and {}: all items return the same structure"


def leaves_of(value: Any, like: Any, unlike: str = _UNLIKE) -> Iterator[Any]:
    """Yield the leaves of a nest, in the order of its parts; TypeError where it is not like another.

    unlike: the message, with places for both in words.
    """
    pending = [(value, like)]
    while pending:
        value, like = pending.pop()
        if _is_leaf(like) and _is_leaf(value):
            yield value
        elif is_pytree(like) and is_pytree(value) and structure(value) == structure(like):
            pending.extend(reversed(list(zip(_parts(value, like), like.parts(), strict=True))))
        elif _is_leaf(like) or is_pytree(like) or not equal(value, like):
            raise TypeError(unlike.format(in_words(like), in_words(value)))


def _parts(value: Any, like: Any) -> Any:
    """Return the parts of a nest in the order in which another of its structure has them."""
    if type(value) is Dict:
        return [value.items[key] for key in like.items]
    return value.parts()


def _is_leaf(value: Any) -> bool:
    return type(real_part(value)) in _SUMMED or is_array(value) or is_complex(value)


def _of_leaves(_: Any, value: Any, leaves: Any) -> Any:
    return of_leaves(value, leaves)


def of_leaves(value: Any, leaves: Any) -> Any:
    """Return a nest like a value, of these leaves."""
    found = iter(leaves.items)

    def part(item: Any) -> Any:
        if _is_leaf(item):
            return next(found)
        return Branch(item.parts(), builder(item)) if is_pytree(item) else item

    return fold(value, part)


operator("summands", 2, "f and the items of one part of a sum, copied", _summands, "that of the copies")
rearrange(
    *("left-summands", 1, "how many of so many items are in the left part of their sum", _left_summands, ()),
    discrete=True,
)
rearrange("is-nest", 1, "whether x has parts that a sum adds", _is_nest, discrete=True)
operator("leaves", 1, "the numbers and arrays of a nest, in a list", _leaves, "that of the leaves")
operator(
    "leaves-like", 2, "the leaves of a nest with the structure of another", _leaves_like, "that of the leaves"
)
operator("of-leaves", 2, "a nest like another, of these leaves", _of_leaves, "that of the leaves")
