"""Accumulators of arrays' cotangents, which the reverse sweep adds contributions to.

The accumulator of a location starts as the float 0.0. The first contribution to an array's location makes it
an Accumulator: an array of the location's shape, and whether the sweep owns that array. This contribution is
stored as it is, without a copy; later ones are added in place, into an array that the sweep allocated. A
contribution to some elements only is a Scattered: adding it to an existing accumulator costs what those
elements cost.

A loop that reads an element of a large array in each turn has an accumulator for that array in each turn,
which is then added to that of the turns behind. So an accumulator that has received single elements alone is
*sparse*: it has these, and costs what they cost, as long as they are few. It becomes an array where somebody
reads its `array`; zeros that it does not have are added to nothing.

`+` consumes its left operand and the contribution, so each contribution is added to one accumulator only.
Whoever makes a contribution states whether its array is `owned`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import add
from typing import Any

from checkpoint.ad.array_library import is_default, libraries, namespace_of, zeros_beside
from checkpoint.ad.arrays import SYMBOLIC_ZERO, Array, Memory, zeros_like
from checkpoint.ad.tracing.traces import PARTS, traced, tracing
from checkpoint.collector import Paused
from checkpoint.scalars.kernels import kernel_of

MANY = 1000  # arrays, from which on the garbage collector waits while handles are made
LARGE = 16  # elements, from which on accumulators may be sparse
FEWER = 4  # they have at most one element of so many
ELEMENT_BYTES = 150  # of an element that a sparse accumulator has


class Accumulator:
    """The cotangent of an array's location so far; a dense contribution has the same form.

    array: the sum, a library's array of the location's shape.
    owned: whether nobody else holds the elements of `array`, so that they can be changed in place.
    form: the shape and dtype of `array`, a Like, where engine c knows them; else None, or not set.
    elements: of a sparse accumulator what each element has received, by its index (an integer, or a tuple of
        them, none negative); else None, or not set. There is no `array` then; `like` has its shape and dtype.
    """

    __slots__ = ("array", "elements", "form", "like", "owned")
    elements: dict[Any, float] | None
    like: Any

    def __init__(self, array: Any, owned: bool = False) -> None:
        self.array = array
        self.owned = owned
        self.elements = None

    @staticmethod
    def sparse(like: Any, index: Any, received: float) -> Accumulator:
        """Return an accumulator of an array like this one, of which one element has received something."""
        made = Accumulator.__new__(Accumulator)
        made.owned = True
        made.like = like
        made.elements = {index: 0.0 + received}
        return made

    def __getattr__(self, name: str) -> Any:
        """Return what is not set: the array of a sparse accumulator, which is one no more."""
        if name == "elements":
            return None
        if name != "array" or self.elements is None:
            raise AttributeError(name)
        return self._spread()

    def _spread(self) -> Any:
        """Return the array of a sparse accumulator, which is one no more."""
        self.array = zeros_beside(None, self.like.shape, self.like.dtype)
        self.add_elements(self.array)
        self.elements = None
        return self.array

    @property
    def nbytes(self) -> int:
        """The bytes of the elements."""
        if self.elements is not None:
            return ELEMENT_BYTES * len(self.elements)
        found: int = self.array.nbytes
        return found

    def __add__(self, other: Any) -> Accumulator:
        """Add a contribution, or the 0.0 of an accumulator that has received none; return self."""
        kind = type(other)
        if kind is float:  # 0.0
            return self
        if tracing.get() is not None:
            return self._traced_sum(other)
        if self.elements is not None:
            return self._sparse_sum(other)
        if kind is Scattered:
            self.own()
            other.add_to(self.array)
        elif other.elements is not None:
            self.own()
            other.add_elements(self.array)
        elif self.owned:
            self.array += other.array
        else:
            self.array, self.form = self.array + other.array, None
            self.owned = self.array.shape != ()
        return self

    def __radd__(self, other: float) -> Accumulator:
        return self

    def _traced_sum(self, other: Any) -> Accumulator:
        """Add a contribution while a trace learns, which knows of no change: the sum is another array."""
        if type(other) is Scattered:
            return Accumulator(traced(_with_scattered, self.array, other, is_formed=True))
        return Accumulator(traced(add, self.array, other.array, is_formed=True))

    def _sparse_sum(self, other: Any) -> Accumulator:
        """Add a contribution to a sparse accumulator."""
        if type(other) is Scattered:
            index = other.element()
            if index is None:
                other.add_to(self.array)
            else:
                self._receive(index, float(other.array))
            return self
        if other.elements is None:
            other.own()
            self.add_elements(other.array)
            result: Accumulator = other
            return result
        for index, received in other.elements.items():
            self._receive(index, received)
        return self

    def _receive(self, index: Any, received: float) -> None:
        if self.elements is None:
            self.array[index] += received
            return
        self.elements[index] = self.elements.get(index, 0.0) + received
        if FEWER * len(self.elements) > prod(self.like.shape):
            self._spread()

    def add_elements(self, whole: Any) -> None:
        """Add what the elements of a sparse accumulator have received to an array of the whole shape."""
        assert self.elements is not None
        for index, received in self.elements.items():
            whole[index] += received

    def own(self) -> None:
        """Copy the elements unless they can be changed in place."""
        if not self.owned:
            self.array = traced(namespace_of(self.array).array, self.array, is_formed=True)
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
        index = self.element() if tracing.get() is None else None
        if index is None:
            return Accumulator(traced(Scattered.dense, self, is_formed=True), True)
        return Accumulator.sparse(self.like, index, float(self.array))

    def element(self) -> Any:
        """Return the index of the only element, of a large array of doubles; None if there are others."""
        parts = self.index if type(self.index) is tuple else (self.index,)
        shape = self.like.shape
        if len(parts) != len(shape) or not _INTEGERS.issuperset(map(type, parts)):
            return None
        if prod(shape) < LARGE or not is_default(self.array) or self.array.dtype != "float64":
            return None
        places = tuple([i + n if i < 0 else i for i, n in zip(parts, shape, strict=True)])
        return places if len(places) > 1 else places[0]

    def dense(self) -> Any:
        """Return the contribution as a new array of the whole shape."""
        whole = zeros_beside(self.array, self.like.shape, self.like.dtype)
        self.add_to(whole)
        return whole

    def add_to(self, whole: Any) -> None:
        """Add the contribution to an array of the whole shape, in place."""
        if self.repeats:
            add_repeatedly(whole, self.index, self.array)
        else:
            add_once(whole, self.index, self.array)


def _with_scattered(array: Any, added: Scattered) -> Any:
    """Return the sum of an array and a contribution to some of its elements, another array."""
    found = namespace_of(array).array(array)
    added.add_to(found)
    return found


PARTS.add(Scattered)
_INTEGERS = frozenset((int,))


# Additions to some elements

_ALL = slice(None)
_OF_VIEWS = frozenset((int, slice, type(None), type(...)))
MANY_ROWS, FEW_COLUMNS = 64, 4


def add_repeatedly(whole: Any, index: Any, added: Any) -> None:
    """Add to elements at an index, which may name an element more than once."""
    *before, last = index if type(index) is tuple else (index,)
    loop = kernel_of("add_at") if all(type(part) is slice and part == _ALL for part in before) else None
    if loop is None or not loop(whole, last, added, len(before)):
        namespace_of(whole).add.at(whole, index, added)


def add_once(whole: Any, index: Any, added: Any) -> None:
    """Add to elements at an index, which names each of them once."""
    parts = index if type(index) is tuple else (index,)
    if is_default(whole) and _OF_VIEWS.issuperset(map(type, parts)):
        view = whole[index]
        if view.base is not None:
            _add_to_view(view, added)
            return
    whole[index] += added


def _add_to_view(view: Any, added: Any) -> None:
    """Add to an array, one column at a time where there are many rows of a few elements.

    NumPy's loops over such rows spend most of their time between rows.
    """
    if view.ndim == 2 and len(view) >= MANY_ROWS:
        loop = kernel_of("iadd")
        if loop is not None and loop(view, added):
            return
        if 1 < view.shape[1] <= FEW_COLUMNS:
            for column in range(view.shape[1]):
                view[:, column] += added[:, column]
            return
    view += added


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
