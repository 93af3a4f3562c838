"""Origins of steps on arrays, as C makes them in place of hybrid's, which they equal.

- Rows of reals (ctemplates/arrays/rows.h): the items of an array, and a list of reals joined to an array.
  In: the plan of the step, the array, and the birth and length of the tuple or list of reals.
- Elements that are set (ctemplates/array_steps/element_steps.h): a WrittenElement for one, a WrittenView for
  those that a view shows; C fills their slots.

C reverses the latter itself in the usual case. What is written here says the same, for all others: a
tape that is kept, a cotangent that is shared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from checkpoint.ad.accumulators import Accumulator
from checkpoint.ad.array_library import namespace
from checkpoint.ad.pullbacks import Like, Pullback
from checkpoint.ctarget.plans import StepPlan
from checkpoint.interp.hybrid.array_origins import Elements, Pulled, Written
from checkpoint.interp.hybrid.structured import RESULT


class _Row:
    """The origin of a row. functions: of the array's library; like: its form; reals: where its reals are."""

    __slots__ = ("functions", "like", "plan", "reals")

    def __init__(self, plan: StepPlan, array: Any, reals: Elements) -> None:
        self.plan = plan
        self.functions = namespace((array,))
        self.like = Like(array)
        self.reals = reals

    def _pulled(self, natives: list[Any], result: Any, position: int, places: Any, results: Any) -> Pulled:
        """Return the origin that hybrid makes of the step."""
        pullback = Pullback(self.plan.record, natives, result, (position,))
        return Pulled(pullback, places, results)

    def _zeros(self) -> list[float]:
        return [0.0] * self.reals.count


class Items(_Row):
    """The origin of the items of an array, which are a tuple of reals."""

    __slots__ = ()

    def reverse(self, slots: dict[str, Any], cotangent: Any) -> None:
        """Add what the items have received to the array's accumulator."""
        received, name = self.functions.zeros(self.reals.count), self.plan.names[0]
        if not cotangent.take_row(self.reals.birth, received):
            natives, reals = [self.like, 0], tuple(self._zeros())
            self._pulled(natives, reals, 0, [name], self.reals).reverse(slots, cotangent)
        elif received.any():
            assert name is not None
            slots[name] = slots.get(name, 0.0) + Accumulator(received, True)


class Joined(_Row):
    """The origin of an array that has been made of a list of reals."""

    __slots__ = ()

    def reverse(self, slots: dict[str, Any], cotangent: Any) -> None:
        """Add what the array has received to the accumulators of the list's items."""
        received = slots[RESULT]
        if type(received) is Accumulator and _is_like(received.array, self.like):
            cotangent.give_row(self.reals.birth, self.functions.ascontiguousarray(received.array))
            return
        natives = [self.like, self._zeros(), 0]
        self._pulled(natives, self.like, 1, self.reals, None).reverse(slots, cotangent)


def _is_like(array: Any, like: Like) -> bool:
    return type(array).__module__ == "numpy" and array.shape == like.shape and array.dtype == like.dtype


def items_origin(plan: StepPlan, array: Any, birth: int, count: int) -> Items:
    """Return the origin of the items of an array, which are the `count` elements of a tuple of a birth."""
    return Items(plan, array, Elements(birth, count))


def joined_origin(plan: StepPlan, array: Any, birth: int, count: int) -> Joined:
    """Return the origin of an array of the `count` elements of a list of a birth."""
    return Joined(plan, array, Elements(birth, count))


class WrittenElement(Written):
    """A change of one element; `old` is a float, or None where a copy was changed.

    is_real: whether a float was written, and not an array's element.
    """

    __slots__ = ("is_real",)
    data: Any
    index: Any
    old: float | None
    place: str | None
    is_real: bool

    def contributions(self, received: Accumulator) -> Iterator[Any]:
        """Yield the cotangent of what was written, if it is wanted."""
        if self.place is not None:
            element = received.array[self.index]
            yield float(element) if self.is_real else Accumulator(element)

    def swap(self) -> None:
        """Exchange the overwritten element for the one that has overwritten it, or back."""
        assert self.old is not None
        present = float(self.data[self.index])
        self.data[self.index] = self.old
        self.old = present


class WrittenView(Written):
    """A change of the elements that a view shows; `old` is None where a copy was changed.

    plan: of the step. natives: its operands, a Like in place of each array.
    """

    __slots__ = ("natives", "plan")
    data: Any
    index: Any
    old: Any
    place: str | None
    plan: StepPlan
    natives: tuple[Any, ...]

    def contributions(self, received: Accumulator) -> Iterable[Any]:
        """Return the cotangent of what was written, if it is wanted."""
        if self.place is None:
            return ()
        last = len(self.natives) - 1
        pullback = Pullback(self.plan.record, list(self.natives), None, (last,))
        return pullback.contributions([received])
