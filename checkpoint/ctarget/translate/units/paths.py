"""The paths of a unit: from each head by nodes to each end.

In: a unit. Out: its paths. What always holds: each end has one path. That of a Leave that nodes share, for
ops that cannot go on, is what lies before the first of them: the same for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from checkpoint.ctarget.code import BlockPeer
from checkpoint.ctarget.translate.ops.operation import Operation
from checkpoint.ctarget.translate.ops.places import Source
from checkpoint.ctarget.translate.units.graph import Fork, Go, Head, Leave, Node, On, Return, Unit


@dataclass(frozen=True, eq=False, slots=True)
class Path:
    """nodes: those that are run as a whole."""

    head: Head
    nodes: tuple[Node, ...]
    end: Go | Leave

    @property
    def operations(self) -> list[Operation]:
        """All that is done on it, in order."""
        done: list[Operation] = []
        for node in self.nodes:
            done += [*node.ops, *node.effects]
        return done + list(self.end.effects) if isinstance(self.end, Leave) else done

    @property
    def handed_on(self) -> list[Source]:
        """What its end passes to where it goes, in order."""
        if isinstance(self.end, Go):
            return list(self.end.sources)
        return [source for _, source in self.end.contents]

    @property
    def undone(self) -> bool:
        """Whether nothing has been done on it that the machine can tell."""
        return not self.end.steps and not any(node.effects for node in self.nodes) and not _effects(self.end)


def _effects(end: Go | Leave) -> bool:
    return isinstance(end, Leave) and bool(end.effects)


def following(node: Node) -> list[Node]:
    """The nodes that a node's end goes on to."""
    match node.end:
        case Fork(_, then, other):
            return [then, other]
        case On(after):
            return [after]
        case Return(cases):
            return [case for _, case in cases]
    return []


def reached(unit: Unit) -> list[Head]:
    """The heads that a run can come to."""
    found = [head for head in unit.heads if head.entry is not None]
    for head in found:  # it grows
        for path in _paths(head):
            if isinstance(path.end, Go) and path.end.head not in found:
                found.append(path.end.head)
    return sorted(found, key=lambda head: head.number)


def all_paths(unit: Unit) -> list[Path]:
    """Those of each head that can be reached, in the order of its tree."""
    return [path for head in reached(unit) for path in _paths(head)]


def _paths(head: Head) -> Iterator[Path]:
    yield Path(head, (), head.leave)
    seen = {id(head.leave)}
    waiting: list[tuple[Node, tuple[Node, ...]]] = [(head.root, ())]
    while waiting:
        node, before = waiting.pop()
        if id(node.leave) not in seen:
            seen.add(id(node.leave))
            yield Path(head, before, node.leave)
        behind = (*before, node)
        if isinstance(node.end, Go | Leave) and id(node.end) not in seen:
            seen.add(id(node.end))
            yield Path(head, behind, node.end)
        waiting += [(each, behind) for each in reversed(following(node))]


def tree(head: Head) -> Iterator[Node]:
    """All nodes of a head, each before those that follow it."""
    waiting = [head.root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(following(node))


def nodes(unit: Unit) -> Iterator[Node]:
    """All nodes of a unit, head by head."""
    for head in unit.heads:
        yield from tree(head)


def blocks(unit: Unit) -> set[BlockPeer]:
    """All that are run in its nodes."""
    return {node.block for node in nodes(unit)}
