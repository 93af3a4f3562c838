"""Find where the paths below the nodes of a strip's trees end.

In: nodes, and the plan of the loop over lanes. Out: whether a path stays in the loop, and the jump by which
all that stay arrive at one header. What always holds: lanes that take a path which leaves the loop end the
strip, so the lanes of a node are those of its paths that stay.
"""

from __future__ import annotations

from checkpoint.ctarget.translate.strips.plan import Plan
from checkpoint.ctarget.translate.units.graph import Fork, Jump, Next, Node
from checkpoint.ctarget.translate.units.paths import following


class Ends:
    """The ends of paths. arrived: the ids of jumps in whose stead a node has its lanes arrive."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.arrived: set[int] = set()

    def stays(self, node: Node) -> bool:
        """Return whether some path through a node stays in the loop."""
        if isinstance(node.end, Jump):
            return id(node.end) in self.plan.ways
        return any(map(self.stays, following(node))) and isinstance(node.end, Fork | Next)

    def sole(self, node: Node) -> Jump | None:
        """Return a jump from below a node if all others that stay in the loop lead where it does.

        The lanes of the node then arrive there at once, by its own mask, instead of once for each jump.
        """
        jumps = self._jumps(node)
        if not jumps or id(jumps[0]) in self.arrived or self.plan.closes(self.plan.ways[id(jumps[0])]):
            return None
        if any(jump.header is not jumps[0].header for jump in jumps):
            return None
        self.arrived.update(map(id, jumps))
        return jumps[0]

    def _jumps(self, node: Node) -> list[Jump]:
        """Return the jumps below a node that stay in the loop."""
        match node.end:
            case Jump():
                return [node.end] if id(node.end) in self.plan.ways else []
            case Fork() | Next():
                return [jump for each in following(node) for jump in self._jumps(each)]
        return []
