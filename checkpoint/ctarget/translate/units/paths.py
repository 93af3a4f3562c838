"""The paths of a unit: from each header through nodes to each end.

In: a unit. Out: its paths. What always holds: each end has one path. The path of an exit that several nodes
share, for ops that cannot continue, is what comes before the first of them: it is the same for all.
"""

from __future__ import annotations

from collections.abc import Iterator

from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.translate.ops.object_ops import Keep
from checkpoint.ctarget.translate.ops.operation import Operation
from checkpoint.ctarget.translate.ops.places import Source
from checkpoint.ctarget.translate.units.graph import Exit, Fork, Header, Jump, Next, Node, Return, Unit
from checkpoint.dataclass import dataclass


@dataclass(frozen=True, eq=False, slots=True)
class Path:
    """A path of a unit. nodes: those that are run completely."""

    header: Header
    nodes: tuple[Node, ...]
    end: Jump | Exit

    @property
    def operations(self) -> list[Operation]:
        """Return all operations on it, in order."""
        done: list[Operation] = []
        for node in self.nodes:
            done += [*node.ops, *node.effects]
        return done + list(self.end.effects) if isinstance(self.end, Exit) else done

    @property
    def passed_on(self) -> list[Source]:
        """Return what its end passes to a header or to registers, in order."""
        if isinstance(self.end, Jump):
            return list(self.end.sources)
        return [source for _, source in self.end.contents]

    @property
    def is_undone(self) -> bool:
        """Return whether nothing has been done on it that the machine could notice: references are as before
        once its end has kept what an entry has dropped (Header.merged).
        """
        has_effects = any(node.effects for node in self.nodes)
        effects = self.end.effects if isinstance(self.end, Exit) else ()
        return not (self.end.steps or has_effects or any(not isinstance(each, Keep) for each in effects))


def following(node: Node) -> list[Node]:
    """Return the nodes that a node's end continues with."""
    match node.end:
        case Fork(_, then, other):
            return [then, other]
        case Next(after):
            return [after]
        case Return(cases):
            return [case for _, case in cases]
    return []


def reached(unit: Unit) -> list[Header]:
    """Return the headers that a run can reach, in order."""
    found = [header for header in unit.headers if header.entry is not None]
    for header in found:  # it grows
        for path in _paths(header):
            if isinstance(path.end, Jump) and path.end.header not in found:
                found.append(path.end.header)
    return sorted(found, key=lambda header: header.number)


def all_paths(unit: Unit) -> list[Path]:
    """Return the paths of each header that can be reached, in the order of its tree."""
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
    """Yield all nodes of a header, each before those that follow it."""
    waiting = [header.root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(following(node))


def nodes(unit: Unit) -> Iterator[Node]:
    """Yield all nodes of a unit, header by header."""
    for header in unit.headers:
        yield from tree(header)


def blocks(unit: Unit) -> set[BlockPeer]:
    """Return all blocks that its nodes run."""
    return {node.block for node in nodes(unit)}


def hot_nodes(header: Header) -> list[Node]:
    """Return the nodes of a header through which a path leads to a header, each before those behind it."""
    order = list(tree(header))
    lasting = {id(node) for node in order if isinstance(node.end, Jump)}
    for node in reversed(order):
        if any(id(each) in lasting for each in following(node)):
            lasting.add(id(node))
    return [node for node in order if id(node) in lasting]
