"""The contents of a run's lists, dictionaries and objects at each of its states.

A run changes its containers in place, for every reference to them. So that its states stay what they were,
each holds a *version*. One version of a run is *shown*: its contents are those that the containers have.
Every other one knows the next version towards the shown one, and what to put into which containers to get
from there to itself. What always holds:

- `saving(now, container)` is called before a container is changed. The content that it had at the last state
  is then saved once, so a state costs what has changed since, and nothing for what has not.
- Who reads a state's data calls `show` first, which swaps contents along the path to the shown version.
- A version that no state holds any more is merged into the one before it.

The versions of one run are used by one thread at a time. Source of the method: H. G. Baker, "Shallow binding
makes functional arrays fast", ACM SIGPLAN Notices 26(8), 1991.
"""

from __future__ import annotations

from typing import Any
from weakref import ref

from checkpoint.ad.storage import Now

# By the identity of a container: the container, and its content at a version.
Changes = dict[int, tuple[Any, Any]]


# Estimates: an entry of Changes, with its tuple and the object of a list; an item of a list that is a float.
SAVED_BYTES, ITEM_BYTES = 300, 32


def saving(now: Now, container: Any) -> None:
    """Save a container's content before this machine changes it for the first time since its last state."""
    if container.owner is not now.owner:
        now.changes[id(container)] = (container, container.content())
        container.items = container.items.copy()
        container.owner = now.owner


class Version:
    """The contents at one state of a run, or at the moment at which the run now is."""

    __slots__ = ("_node",)

    def __init__(self) -> None:
        self._node: _Node | None = None  # made when a run continues from here: most states have no containers

    def __del__(self) -> None:
        if self._node is not None:
            self._node.release()

    def show(self) -> None:
        """Have the containers of the run hold what they held at this version."""
        if self._node is not None and self._node.next is not None:
            _reroot(self._node)

    @property
    def saved_bytes(self) -> int:
        """The bytes of what it has saved of containers that have changed since, estimated."""
        return 0 if self._node is None else self._node.saved_bytes()

    def continued(self) -> tuple[Version, Changes]:
        """Return the version of a machine that runs on from this one, and where it saves what it changes.

        The machine holds this version until it holds another one.
        """
        self.show()
        changes: Changes = {}
        later = Version()
        later._node = _Node()
        if self._node is None:
            self._node = _Node()
        self._node.precede(later._node, changes)
        return later, changes


class _Node:
    """A version in the tree of versions, whose root is the shown one.

    next: the version towards the root; None for the root, and for one that nobody can ask for any more.
    changes: what to put into which containers to get from `next` to this version.
    """

    __slots__ = ("__weakref__", "_before", "_measured", "changes", "is_held", "next")

    def __init__(self) -> None:
        self.next: _Node | None = None
        self.changes: Changes = {}
        self._before: list[ref[_Node]] = []  # the versions whose `next` this is, and some that were
        self.is_held = True
        self._measured = (0, 0)  # how many changes there were when they were last measured; their bytes

    def saved_bytes(self) -> int:
        if len(self.changes) != self._measured[0]:
            size = sum(SAVED_BYTES + ITEM_BYTES * len(c.items) for c, _ in self.changes.values())
            self._measured = (len(self.changes), size)
        return self._measured[1]

    def precede(self, node: _Node, changes: Changes) -> None:
        """Put this version before another one."""
        self.next, self.changes = node, changes
        node._before.append(ref(self))

    def before(self) -> list[_Node]:
        """Return the versions whose `next` this is."""
        found = [node for each in self._before if (node := each()) is not None and node.next is self]
        self._before = [ref(node) for node in found]
        return found

    def release(self) -> None:
        """Note that no state holds this version any more."""
        self.is_held = False
        self.simplify()

    def simplify(self) -> None:
        """Take a version that no state holds out of the tree, where one or none is before it."""
        node: _Node | None = self
        while node is not None:
            node = node._taken_out()

    def _taken_out(self) -> _Node | None:
        """Merge the version into the one before it; return the next one if this has left the tree."""
        if self.is_held or self.next is None:
            return None
        before = self.before()
        if len(before) > 1:
            return None
        following, saved = self.next, self.changes
        if before:
            (earlier,) = before
            for key, change in saved.items():
                earlier.changes.setdefault(key, change)
            earlier.precede(following, earlier.changes)
        self.next, self.changes = None, {}
        return following


def _reroot(node: _Node) -> None:
    """Make a version the shown one: from the shown one back, swap what lies between neighbours."""
    path = [node]
    while path[-1].next is not None:
        path.append(path[-1].next)
    shown = path.pop()
    for earlier in reversed(path):
        changes = earlier.changes
        swapped: Changes = {}
        for key, (container, content) in changes.items():
            swapped[key] = (container, container.content())
            container.restore(content)
        earlier.next, earlier.changes = None, {}
        shown.precede(earlier, swapped)
        shown.simplify()
        shown = earlier
