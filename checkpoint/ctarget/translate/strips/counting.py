"""Counts the steps of a chunk's lanes by few counts of masks: one for a turn, one for a fork that needs it.

In: the nodes of headers that are run in one turn. Out: factors: so many steps are counted for each lane of a
header's mask, and so many more for each lane that takes the first side of a fork.

What always holds: what is counted by the end of a turn is, summed over its lanes, the number of steps on the
path that each has taken. For if c lanes of n take the first side of a fork, a steps long, and the others the
second, of b steps, that is b n + (a - b) c.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from checkpoint.ctarget.translate.units.graph import Fork, Header, Jump, Next, Node


class StepCounts:
    """The factors of all headers.

    of_header: by the numbers of headers. of_fork: by the ids of nodes that fork, where it is not 0.
    """

    def __init__(self, groups: Sequence[Sequence[Header]], stays: Callable[[Node], bool]) -> None:
        self.of_header: dict[int, int] = {}
        self.of_fork: dict[int, int] = {}
        self._stays = stays
        for group in groups:
            within = {id(header) for header in group[1:]}
            for header in reversed(group):  # they jump to later ones alone
                self.of_header[header.number] = self._steps(header.root, within) or 0

    def _steps(self, node: Node, within: set[int]) -> int | None:
        """Return the factor of a node's mask; None: no lane is there, as the strip has ended."""
        if not self._stays(node):
            return None
        match node.end:
            case Jump(header=header, steps=steps):
                return steps + (self.of_header[header.number] if id(header) in within else 0)
            case Next(after):
                return self._steps(after, within)
            case Fork(_, then, other):
                yes, no = self._steps(then, within), self._steps(other, within)
                if yes is None or no is None:
                    return yes if no is None else no
                if yes != no:
                    self.of_fork[id(node)] = yes - no
                return no
        return None
