"""How Python objects enter a program: as a graph, and arrays together.

As a graph: those that are reached twice once, cycles among them. In: what opens an object, and what has
entered. Out: what opens each object once whose value can change: it is made first, and filled when its parts
have values. A cycle without such an object is left for the walk to refuse.

Together: a list, tuple or dict of nothing but arrays of floats of one library is opened as a whole, so
that each array costs little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from checkpoint.ad.arrays import all_entered
from checkpoint.ad.containers import TUPLE, Dict, List, Mutable, Record
from checkpoint.ad.storage import FROZEN
from checkpoint.ad.walk import Branch


class Entered:
    """Objects and functions that have entered, kept alive, by their identities, with their values.

    is_tree: whether an object enters anew wherever it lies, and cycles are refused.
    """

    __slots__ = ("functions", "is_tree", "objects")

    def __init__(self, is_tree: bool = False) -> None:
        self.is_tree = is_tree
        self.objects: dict[int, tuple[Any, Any]] = {}
        self.functions: dict[int, tuple[Any, Any]] = {}

    @contextmanager
    def undone_at_error(self) -> Iterator[None]:
        """Forget what enters in this context if it raises: it may be incomplete."""
        before = [(known, len(known)) for known in (self.objects, self.functions)]
        try:
            yield
        except BaseException:
            for known, count in before:
                while len(known) > count:
                    known.popitem()
            raise

    def once(self, opened: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return what opens an object; one whose value can change once, its value being filled afterwards."""

        def opened_once(item: Any) -> Any:
            if id(item) in self.objects:
                return self.objects[id(item)][1]
            branch = opened(item)
            if type(branch) is not Branch or self.is_tree:
                return branch
            hollow = branch.build([None] * len(branch.parts))
            if not isinstance(hollow, Mutable):
                return branch
            self.objects[id(item)] = item, hollow

            def filled(parts: list[Any]) -> Any:
                hollow.fill(parts)
                return hollow

            return Branch(branch.parts, filled)

        return opened_once


SEQUENCES = frozenset((list, tuple, dict))
_KEYS = frozenset((int, str, bool, bytes, type(None)))


def together(opened: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that opens objects as `opened` does, containers of nothing but arrays as wholes."""

    def open_(item: Any) -> Any:
        value = value_of_arrays(item) if type(item) in SEQUENCES else None
        return opened(item) if value is None else value

    return open_


def value_of_arrays(nest: Any) -> Any:
    """Return a list, tuple or dict of arrays as a value, which belongs to nobody; None for all others."""
    if not nest:
        return None
    is_dict = type(nest) is dict
    if is_dict and not _KEYS.issuperset(map(type, nest)):
        return None
    items = all_entered(nest.values() if is_dict else nest, FROZEN)
    if items is None:
        return None
    if is_dict:
        return Dict(dict(zip(nest, items, strict=True)), owner=FROZEN)
    return List(items, owner=FROZEN) if type(nest) is list else Record(TUPLE, tuple(items))
