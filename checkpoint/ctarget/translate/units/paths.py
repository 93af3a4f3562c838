"""The paths of a unit: from each head by nodes to each end.

In: a unit. Out: its paths. What always holds: each end has one path. That of a Leave that nodes share, for
ops that cannot go on, is what lies before the first of them: the same for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.translate.ops.operation import Operation
from checkpoint.ctarget.translate.ops.places import Source
from checkpoint.ctarget.translate.units.graph import Exit, Fork, Header, Jump, Next, Node, Return, Unit


@dataclass(frozen=True, eq=False, slots=True)
class Path:
    """nodes: those that are run as a whole."""

    header: Header
    nodes: tuple[Node, ...]
    end: Jump | Exit

    @property
    def operations(self) -> list[Operation]:
        """All that is done on it, in order."""
        done: list[Operation] = []
        for node in self.nodes:
            done += [*node.ops, *node.effects]
        return done + list(self.end.effects) if isinstance(self.end, Exit) else done

    @property
    def handed_on(self) -> list[Source]:
        """What its end passes to where it goes, in order."""
        if isinstance(self.end, Jump):
            return list(self.end.sources)
        return [source for _, source in self.end.contents]

    @property
    def undone(self) -> bool:
        """Whether nothing has been done on it that the machine can tell."""
        return not self.end.steps and not any(node.effects for node in self.nodes) and not _effects(self.end)


def _effects(end: Jump | Exit) -> bool:
    return isinstance(end, Exit) and bool(end.effects)


def following(node: Node) -> list[Node]:
    """The nodes that a node's end goes on to."""
    match node.end:
        case Fork(_, then, other):
            return [then, other]
        case Next(after):
            return [after]
        case Return(cases):
            return [case for _, case in cases]
    return []


def reached(unit: Unit) -> list[Header]:
    """The heads that a run can come to."""
    found = [header for header in unit.headers if header.entry is not None]
    for header in found:  # it grows
        for path in _paths(header):
            if isinstance(path.end, Jump) and path.end.header not in found:
                found.append(path.end.header)
    return sorted(found, key=lambda header: header.number)


def all_paths(unit: Unit) -> list[Path]:
    """Those of each head that can be reached, in the order of its tree."""
    return [path for header in reached(unit) for path in _paths(header)]


def _paths(header: Header) -> Iterator[Path]:
    yield Path(header, (), header.exit)
    seen = {id(header.exit)}
    waiting: list[tuple[Node, tuple[Node, ...]]] = [(header.root, ())]
    while waiting:
        node, before = waiting.pop()
        if id(node.exit) not in seen:
            seen.add(id(node.exit))
            yield Path(header, before, node.exit)
        behind = (*before, node)
        if isinstance(node.end, Jump | Exit) and id(node.end) not in seen:
            seen.add(id(node.end))
            yield Path(header, behind, node.end)
        waiting += [(each, behind) for each in reversed(following(node))]


def tree(header: Header) -> Iterator[Node]:
    """All nodes of a head, each before those that follow it."""
    waiting = [header.root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(following(node))


def nodes(unit: Unit) -> Iterator[Node]:
    """All nodes of a unit, head by head."""
    for header in unit.headers:
        yield from tree(header)


def blocks(unit: Unit) -> set[BlockPeer]:
    """All that are run in its nodes."""
    return {node.block for node in nodes(unit)}
