"""Cotangents of arrays among the arguments that are reported during a sweep, as soon as they are final.

In: the leaves of the arguments that somebody wants reported (`each=`); until when a run has not read them;
how far the sweep has reversed it. Out: each leaf's cotangent, once, which is then the receiver's.

A cotangent is final when the run has been reversed to a step before which nothing has read its leaf. Leaves
that share storage are final together: their receiver may change it. Until when leaves are untouched is
sampled in the first pass: by ctemplates/driver/leaves.h on an engine with a driver of its own, on others by
checkpoint.driver.first_reads. So engines report the same leaves with the same bits, in orders of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from checkpoint.ad.accumulators import accumulated, all_accumulated
from checkpoint.ad.array_library import holder_of
from checkpoint.ad.arrays import Array
from checkpoint.errors import InternalError

Path = tuple[Any, ...]
Report = Callable[[Path, Any], object]
NAMED = 20  # paths that the note of an error has


class Leaf:
    """An array of an argument: its path, its handle, and the function from its cotangent to the user's."""

    __slots__ = ("handle", "left", "path")

    def __init__(self, path: Path, handle: Any, left: Callable[[Any], Any]) -> None:
        self.path = path
        self.handle = handle
        self.left = left


class Finals:
    """The reports of one sweep.

    each: receives a path and a cotangent. leaves: by the identity of a handle.
    reported: the paths of those that were reported. done: the identities of their handles.
    """

    def __init__(self, each: Report, leaves: Sequence[Leaf]) -> None:
        self.each = each
        self.leaves = {id(leaf.handle): leaf for leaf in leaves if type(leaf.handle) is Array}
        self.reported: list[Path] = []
        self.done: set[int] = set()
        self._order: list[tuple[int, Leaf]] | None = None
        self._keys: dict[int, Any] = {}

    def begin(self, keys: dict[int, Any], handles: Iterable[Any], untouched: dict[int, int]) -> None:
        """Receive what is known of the arrays among the arguments once the run has ended.

        keys: by the identity of a handle, the location of its cotangent. handles: all of them.
        untouched: by the identity of a handle, the step until which nothing has read it.
        """
        steps: dict[int, int] = {}  # by the identity of what holds the elements
        holders: dict[int, int] = {}
        for handle in handles:
            holder = holders[id(handle)] = id(holder_of(handle.data))
            step = untouched.get(id(handle), 0)
            steps[holder] = min(steps.get(holder, step), step)
        self._keys = keys
        known = [(key, leaf) for key, leaf in self.leaves.items() if key in keys and key in holders]
        order = [(steps[holders[key]], leaf) for key, leaf in known]
        order.reverse()  # of leaves that are final together the first one is reported first
        self._order = sorted(order, key=lambda pair: pair[0])

    @property
    def has_begun(self) -> bool:
        """Return whether it is known until when leaves are untouched."""
        return self._order is not None

    def reversed_to(self, step: int, cotangent: Any) -> bool:
        """Report what is final once the run has been reversed to a step; return whether anything was.

        cotangent: that of the state there, from which it takes what it reports.
        """
        order = self._order
        if not order or order[-1][0] < step:
            return False
        while order and order[-1][0] >= step:
            leaf = order.pop()[1]
            accumulator = cotangent.take(*self._keys[id(leaf.handle)])
            self.report(leaf, accumulated(accumulator, leaf.handle))
        return True

    def report(self, leaf: Leaf, cotangent: Any) -> None:
        """Report the cotangent of a leaf, a number of the language."""
        self.done.add(id(leaf.handle))
        self.reported.append(leaf.path)
        self.each(leaf.path, leaf.left(cotangent))

    def not_reported(self, accumulators: Sequence[Any], found: Sequence[Any]) -> list[Any]:
        """Return the cotangents of numbers, with None in the places of those that were reported."""
        left: list[Any] = []
        for accumulator, number in zip(accumulators, found, strict=True):
            if id(number) in self.done:
                self.check(number, accumulator)
                left.append(None)
            else:
                left.extend(all_accumulated((accumulator,), (number,)))
        return left

    def check(self, handle: Any, accumulator: Any) -> None:
        """Raise InternalError if a cotangent has been added to after it was reported."""
        if type(accumulator) is not float or accumulator != 0.0:
            path = self.leaves[id(handle)].path
            raise InternalError(f"the cotangent of {path} was reported before it was final")

    def note(self, error: BaseException) -> None:
        """Add to an error which leaves were reported before it."""
        if not self.reported:
            return
        names = ", ".join(map(repr, self.reported[:NAMED]))
        rest = len(self.reported) - NAMED
        more = f" and {rest:,} more" if rest > 0 else ""
        error.add_note(f"each= had been called for {len(self.reported):,} leaves: {names}{more}")
        error.reported = tuple(self.reported)  # type: ignore[attr-defined]  # for who has changed these leaves
