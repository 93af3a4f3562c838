"""Chooses what to record, in the fewest bytes, so that an adjoint can compute again whatever else it reads.

In: the places that an adjoint reads, what each place is computed from, and its size. Out: places. They are a
minimum cut of the graph of the computation, found by augmenting paths (Ford and Fulkerson, "Maximal flow
through a network", Canadian Journal of Mathematics 8, 1956), where each place lets as much through as it is
large. Of several such cuts it is the one nearest to what is read, so that the least is computed again.

What always holds: everything read is recorded, free, or computed of places that are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from checkpoint.ctarget.translate.ops.places import Place

Reads = Callable[[Place], Sequence[Place] | None]
Size = Callable[[Place], int]
_Node = tuple[Place, bool]  # of a place the end at what reads it (False), and that at what it reads (True)


def fewest(read: Iterable[Place], computed_from: Reads, size: Size) -> list[Place]:
    """Return the places to record.

    computed_from: what a place is computed of again, without what is free; None: it can only be recorded.
    """
    flow = _Flow(list(dict.fromkeys(read)), computed_from, size)
    while flow.augment():
        pass
    return flow.cut()


class _Flow:
    """A flow from what is read to what can only be recorded.

    through: how much goes through a place. between: how much goes from a place to one that it is computed
    from, by the latter and the former.
    """

    def __init__(self, read: list[Place], computed_from: Reads, size: Size) -> None:
        self.read = read
        self.computed_from = computed_from
        self.size = size
        self.through: dict[Place, int] = {}
        self.between: dict[Place, dict[Place, int]] = {}
        self._came_from: dict[_Node, _Node | None] = {}

    def augment(self) -> bool:
        """Send more on one way; return whether there was one."""
        node = self._search()
        if node is None:
            return False
        way = []
        while (before := self._came_from[node]) is not None:
            way.append((before, node))
            node = before
        more = min(self._left(*step) for step in way)
        for step in way:
            self._send(*step, more)
        return True

    def cut(self) -> list[Place]:
        """Return the places of the minimum cut, once nothing can be added."""
        self._search()
        return [place for place, out in self._came_from if not out and (place, True) not in self._came_from]

    def _search(self) -> _Node | None:
        """Fill _came_from; return where a place that can only be recorded is reached, if there is a way."""
        self._came_from = dict.fromkeys([(place, False) for place in self.read])
        waiting = list(self._came_from)
        while waiting:
            node = waiting.pop()
            place, out = node
            if out and self.computed_from(place) is None:
                return node
            for after in self._after(place, out):
                if after not in self._came_from and self._left(node, after) > 0:
                    self._came_from[after] = node
                    waiting.append(after)
        return None

    def _after(self, place: Place, out: bool) -> list[_Node]:
        """Return where something may go from a node, or be given back to."""
        others = self.computed_from(place) or () if out else self.between.get(place, ())
        return [(place, not out), *[(each, not out) for each in others]]

    def _left(self, node: _Node, after: _Node) -> int:
        """Return how much more may go from a node to the next; between places that is as much as wanted."""
        (place, out), (other, _) = node, after
        if place is other:
            through = self.through.get(place, 0)
            return through if out else self.size(place) - through
        return 2**31 if out else self.between[place].get(other, 0)

    def _send(self, node: _Node, after: _Node, more: int) -> None:
        """Send so much from a node to the next, or give it back."""
        (place, out), (other, _) = node, after
        if place is other:
            self.through[place] = self.through.get(place, 0) + (-more if out else more)
        elif out:
            own = self.between.setdefault(other, {})
            own[place] = own.get(place, 0) + more
        else:
            self.between[place][other] -= more
