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
NAMELESS = object()  # in the place of the key of a part whose path is that of the whole
ABSENT = -1


def path_of(base: Path, key: Any) -> Path:
    """Return the path of a part, from that of the whole and the part's key in it."""
    return base if key is NAMELESS else (*base, key)


class Leaf:
    """An array of an argument; there may be a million, so each holds little: about LEAF_BYTES of driver.c.

    base: the path of what holds it, which many share. key: its own part of the path. item: the user's object.
    handle: its value in the language. place: where its cotangent is; None if that is no place of its own.
    step: until this one nothing has read it; ABSENT: the run does not hold it.
    """

    __slots__ = ("base", "handle", "item", "key", "place", "step")

    def __init__(self, base: Path, key: Any, item: Any, handle: Any) -> None:
        self.base = base
        self.key = key
        self.item = item
        self.handle = handle
        self.place: Any = None
        self.step = ABSENT

    @property
    def path(self) -> Path:
        """The keys, indices and names of attributes that lead to it."""
        return path_of(self.base, self.key)


class Finals:
    """The reports of one sweep.

    each: receives a path and a cotangent. left: returns the user's cotangent, of the user's leaf and one.
    reported: the leaves that were reported. rest: the paths of those that are reported after the sweep.
    """

    def __init__(self, each: Report, left: Callable[[Any, Any], Any], leaves: Iterable[Leaf]) -> None:
        self.each = each
        self.left = left
        self.reported: list[Leaf] = []
        self.rest: list[Path] = []
        self._leaves = [leaf for leaf in leaves if type(leaf.handle) is Array]
        self._order: list[Leaf] | None = None

    def begin(self, places: Iterable[tuple[Any, Any]], untouched: Iterable[tuple[int, int]]) -> None:
        """Receive what is known of the arrays among the arguments once the run has ended.

        places: their handles, each with the location of its cotangent or None.
        untouched: the identities of handles, each with the step until which nothing has read it.
        """
        own, others = _held(self._leaves, places, untouched)
        _share_steps([*own, *others])
        order = [leaf for leaf in own if leaf.place is not None]
        order.reverse()  # of leaves that are final together the first one is reported first
        order.sort(key=lambda leaf: leaf.step)
        self._order, self._leaves = order, []

    @property
    def has_begun(self) -> bool:
        """Return whether it is known until when leaves are untouched."""
        return self._order is not None

    def reversed_to(self, step: int, cotangent: Any) -> bool:
        """Report what is final once the run has been reversed to a step; return whether anything was.

        cotangent: that of the state there, from which it takes what it reports.
        """
        order = self._order
        if not order or order[-1].step < step:
            return False
        while order and order[-1].step >= step:
            leaf = order.pop()
            self.report(leaf, accumulated(cotangent.take(*leaf.place), leaf.handle))
        return True

    def report(self, leaf: Leaf, cotangent: Any) -> None:
        """Report the cotangent of a leaf, a number of the language."""
        self.reported.append(leaf)
        self.each(leaf.path, self.left(leaf.item, cotangent))

    def report_after(self, path: Path, cotangent: Any) -> None:
        """Report the user's cotangent of a leaf once the sweep has ended."""
        self.rest.append(path)
        self.each(path, cotangent)

    def not_reported(self, accumulators: Sequence[Any], found: Sequence[Any]) -> list[Any]:
        """Return the cotangents of numbers, with None in the places of those that were reported."""
        done = {id(leaf.handle): leaf for leaf in self.reported}
        left: list[Any] = []
        for accumulator, number in zip(accumulators, found, strict=True):
            if id(number) in done:
                _check(done[id(number)], accumulator)
                left.append(None)
            else:
                left.extend(all_accumulated((accumulator,), (number,)))
        return left

    def note(self, error: BaseException) -> None:
        """Add to an error which leaves were reported before it."""
        paths = (*(leaf.path for leaf in self.reported), *self.rest)
        if not paths:
            return
        names = ", ".join(map(repr, paths[:NAMED]))
        rest = len(paths) - NAMED
        more = f" and {rest:,} more" if rest > 0 else ""
        error.add_note(f"each= had been called for {len(paths):,} leaves: {names}{more}")
        error.reported = paths  # type: ignore[attr-defined]  # for who has changed these leaves


def _held(
    leaves: list[Leaf], places: Iterable[tuple[Any, Any]], untouched: Iterable[tuple[int, int]]
) -> tuple[list[Leaf], list[Leaf]]:
    """Return the leaves that a run holds, with what is known of them, and its other arrays likewise."""
    own = {id(leaf.handle): leaf for leaf in leaves}
    others: dict[int, Leaf] = {}
    for handle, place in places:
        leaf = own.get(id(handle)) or others.setdefault(id(handle), Leaf((), NAMELESS, None, handle))
        leaf.place, leaf.step = leaf.place if place is None else place, 0
    shared: dict[int, int] = {}  # few steps are sampled
    for identity, step in untouched:
        found = own.get(identity) or others.get(identity)
        if found is not None and found.step != ABSENT:
            found.step = shared.setdefault(step, step)
    return [leaf for leaf in own.values() if leaf.step != ABSENT], list(others.values())


def _share_steps(leaves: Iterable[Leaf]) -> None:
    """Give the leaves that share storage the least of their steps."""
    steps: dict[int, int] = {}  # by the identity of what holds the elements
    for leaf in leaves:
        holder = id(holder_of(leaf.handle.data))
        steps[holder] = min(steps.get(holder, leaf.step), leaf.step)
    for leaf in leaves:
        leaf.step = steps[id(holder_of(leaf.handle.data))]


def _check(leaf: Leaf, accumulator: Any) -> None:
    """Raise InternalError if a cotangent has been added to after it was reported."""
    if type(accumulator) is not float or accumulator != 0.0:
        raise InternalError(f"the cotangent of {leaf.path} was reported before it was final")
