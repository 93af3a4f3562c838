"""Accumulators of arrays' cotangents, which the reverse sweep adds contributions to.

The accumulator of a location starts as the float 0.0. The first contribution to an array's location makes it
an Accumulator: an array of the location's shape, and whether the sweep owns that array. This contribution is
stored as it is, without a copy; later ones are added in place, into an array that the sweep allocated. A
contribution to some elements only is a Scattered: adding it to an existing accumulator costs what those
elements cost.

`+` consumes its left operand and the contribution, so each contribution is added to one accumulator only.
Whoever makes a contribution states whether its array is `owned`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from checkpoint.ad.array_library import is_default, libraries, namespace_of, zeros_beside
from checkpoint.ad.arrays import SYMBOLIC_ZERO, Array, Memory, zeros_like
from checkpoint.collector import Paused

MANY = 1000  # arrays, from which on the garbage collector waits while handles are made


class Accumulator:
    """The cotangent of an array's location so far; a dense contribution has the same form.

    array: the sum, a library's array of the location's shape.
    owned: whether nobody else holds the elements of `array`, so that they can be changed in place.
    form: the shape and dtype of `array`, a Like, where engine c knows them; else None, or not set.
    """

    __slots__ = ("array", "form", "owned")

    def __init__(self, array: Any, owned: bool = False) -> None:
        self.array = array
        self.owned = owned

    def __add__(self, other: Any) -> Accumulator:
        """Add a contribution, or the 0.0 of an accumulator that has received none; return self."""
        kind = type(other)
        if kind is float:  # 0.0
            return self
        if kind is Scattered:
            self.own()
            other.add_to(self.array)
        elif self.owned:
            self.array += other.array
        else:
            self.array, self.form = self.array + other.array, None
            self.owned = self.array.shape != ()
        return self

    def __radd__(self, other: float) -> Accumulator:
        return self

    def own(self) -> None:
        """Copy the elements unless they can be changed in place."""
        if not self.owned:
            self.array = namespace_of(self.array).array(self.array)
            self.owned = True


class Scattered:
    """A contribution to some elements of a location's array, zero elsewhere.

    like: what has the shape and dtype of the location's array.
    index: the index of the elements, as the library takes it.
    array: what is added there.
    repeats: whether the index may name an element more than once.
    """

    __slots__ = ("array", "index", "like", "repeats")

    def __init__(self, like: Any, index: Any, array: Any, repeats: bool) -> None:
        self.like = like
        self.index = index
        self.array = array
        self.repeats = repeats

    def __radd__(self, other: float) -> Accumulator:
        return Accumulator(self.dense(), True)

    def dense(self) -> Any:
        """Return the contribution as a new array of the whole shape."""
        whole = zeros_beside(self.array, self.like.shape, self.like.dtype)
        self.add_to(whole)
        return whole

    def add_to(self, whole: Any) -> None:
        """Add the contribution to an array of the whole shape, in place."""
        if self.repeats:
            namespace_of(whole).add.at(whole, self.index, self.array)
        elif not _added_by_columns(whole, self.index, self.array):
            whole[self.index] += self.array


def _added_by_columns(whole: Any, index: Any, array: Any) -> bool:
    """Add to a few columns of many rows, one column at a time, and return True; False if there are others.

    NumPy's loops over rows of a few elements spend most of their time between rows.
    """
    parts = index if type(index) is tuple else (index,)
    if not is_default(whole) or not _OF_VIEWS.issuperset(map(type, parts)):
        return False
    view = whole[index]
    if view.ndim != 2 or len(view) < MANY_ROWS or not 1 < view.shape[1] <= FEW_COLUMNS:
        return False
    for column in range(view.shape[1]):
        view[:, column] += array[:, column]
    return True


_OF_VIEWS = frozenset((int, slice, type(None), type(...)))
MANY_ROWS, FEW_COLUMNS = 64, 4


def contribution_of(cotangent: Any) -> Any:
    """Return a cotangent, a number of the language, as a contribution to an accumulator.

    The contribution shares the elements of an array, so it does not own them.
    """
    if type(cotangent) is not Array:
        return cotangent
    return 0.0 if cotangent.memory.owner is SYMBOLIC_ZERO else Accumulator(cotangent.data)


def all_accumulated(accumulators: Sequence[Any], likes: Sequence[Any]) -> list[Any]:
    """Return `accumulated` of each accumulator; a constant array itself, for it nobody reads a cotangent."""
    if len(likes) < MANY:
        return _all_accumulated(accumulators, likes)
    with Paused():
        return _all_accumulated(accumulators, likes)


def _all_accumulated(accumulators: Sequence[Any], likes: Sequence[Any]) -> list[Any]:
    made: list[Any] = []
    kind: type | None = None
    for accumulator, like in zip(accumulators, likes, strict=True):
        if type(like) is not Array:
            made.append(accumulated(accumulator, like))
        elif type(accumulator) is not float:
            if not accumulator.owned:
                accumulator.own()
            made.append(Array(accumulator.array, Memory()))
        elif like.memory.constant:
            made.append(like)
        else:  # as `accumulated` does, without its calls
            data = like.data
            if type(data) is not kind:
                kind = type(data)
                zeros = libraries[kind].zeros_beside
            made.append(Array(zeros(data, data.shape, data.dtype), Memory(SYMBOLIC_ZERO)))
    return made


def accumulated(accumulator: Any, like: Any) -> Any:
    """Return the cotangent in an accumulator as a new number of the language.

    like: the number at the accumulator's location; for an array that has received nothing zeros are returned.
    """
    if type(like) is not Array:
        return accumulator * 1.0
    if type(accumulator) is float:
        return zeros_like(like, SYMBOLIC_ZERO)
    if not accumulator.owned:
        accumulator.own()
    return Array(accumulator.array, Memory())
