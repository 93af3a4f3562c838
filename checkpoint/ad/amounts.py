"""What the location of an array has received: accumulators, which the sweep adds to.

An accumulator is the float 0.0 as long as nothing has been added to it. It then is an Amount: an array of
the location's shape, and whether the sweep has that array to itself. The first contribution is kept as it
is; where others follow they are added in place, into arrays that the sweep itself allocated. A contribution
to some elements alone is a Scattered, which costs what those elements cost once the accumulator is there.

The left operand of + is used up by it, and so is a contribution: each is added to one accumulator. What
makes contributions states whether they are `owned`.
"""

from __future__ import annotations

from typing import Any

from checkpoint.ad.arrays import NOTHING_YET, Array, Memory, backend_of, zeros_like


class Amount:
    """An accumulator of an array's shape."""

    __slots__ = ("array", "owned")

    def __init__(self, array: Any, owned: bool = False) -> None:
        self.array = array
        self.owned = owned

    def __add__(self, other: Any) -> Amount:
        kind = type(other)
        if kind is float:  # 0.0: nothing has been added there
            return self
        if kind is Scattered:
            self.own()
            other.add_to(self.array)
        elif self.owned:
            self.array += other.array
        else:
            self.array = self.array + other.array
            self.owned = self.array.shape != ()
        return self

    def __radd__(self, other: float) -> Amount:
        return self

    def own(self) -> None:
        """Make sure that the elements can be changed in place."""
        if not self.owned:
            self.array = backend_of(self.array).array(self.array)
            self.owned = True


class Scattered:
    """A contribution to the elements at an index of an array like `like`; zero elsewhere.

    repeats: whether the index may name an element more than once.
    """

    __slots__ = ("array", "index", "like", "repeats")

    def __init__(self, like: Any, index: Any, array: Any, repeats: bool) -> None:
        self.like = like
        self.index = index
        self.array = array
        self.repeats = repeats

    def __radd__(self, other: float) -> Amount:
        return Amount(self.dense(), True)

    def dense(self) -> Any:
        """The whole contribution."""
        whole = backend_of(self.array).zeros(self.like.shape, self.like.dtype)
        self.add_to(whole)
        return whole

    def add_to(self, whole: Any) -> None:
        """Add it in place."""
        if self.repeats:
            backend_of(whole).add.at(whole, self.index, self.array)
        else:
            whole[self.index] += self.array


def amount_of(number: Any) -> Any:
    """A number of the language as a contribution; nobody else may change its elements."""
    if type(number) is not Array:
        return number
    return 0.0 if number.memory.owner is NOTHING_YET else Amount(number.data)


def number_of(amount: Any, like: Any) -> Any:
    """What a location like `like` has received, as a new number of the language."""
    if type(like) is not Array:
        return amount * 1.0
    if type(amount) is float:
        return zeros_like(like, NOTHING_YET)
    amount.own()
    return Array(amount.array, Memory())
