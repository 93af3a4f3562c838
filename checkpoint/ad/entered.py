"""Python objects that enter a program as a graph: those that are reached twice once, cycles among them.

In: what opens an object, and what has entered. Out: what opens each object once whose value can change: it is
made first, and filled when its parts have values. A cycle without such an object is left for the walk to
refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from checkpoint.ad.containers import Mutable
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
