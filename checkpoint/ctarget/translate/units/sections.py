"""Moves the counting of references to the ends of sections of paths, in large units.

In: a unit whose trees are complete. Out: the same unit; a *section* is the part of a path between two nodes
with other effects than Keep and Drop, or its end. What its nodes keep and drop, the last one does, and what
is both kept and dropped is not touched at all. So nothing is done before a section ends, and ops that cannot
continue exit where it began: the machine makes its steps once more, and these exits need no code. In a unit
of long paths that is most of its text, since each exit would write the record of its whole path. Small ones,
whose ops may often find values of other kinds, rather lose no steps.

What always holds: a section keeps before all else, and drops after all else, so that every object lives as
long as its section. Between two sections, on the edge of a branch, nodes count as they did. Nothing that a
unit does depends on how many references there are.
"""

from __future__ import annotations

from collections import Counter

from checkpoint.ctarget.translate.ops.object_ops import Drop, Keep
from checkpoint.ctarget.translate.ops.operation import Effect
from checkpoint.ctarget.translate.ops.places import Place
from checkpoint.ctarget.translate.units.graph import Exit, Header, Next, Node
from checkpoint.ctarget.translate.units.paths import following
from checkpoint.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class _Section:
    """The section of a node. exit: to its start; None: the next node begins one. counts: Keeps and Drops
    that wait for its end.
    """

    exit: Exit | None
    counts: tuple[Effect, ...] = ()


def gather(header: Header) -> None:
    """Move the Keeps and Drops of all nodes of a header to the ends of sections."""
    waiting = [(header.root, _Section(header.exit))]
    while waiting:
        node, section = waiting.pop()
        after = _gathered(node, section)
        waiting += [(each, _begun(node, each, after)) for each in following(node)]


def _begun(node: Node, after: Node, section: _Section) -> _Section:
    """Return the section of a node's successor: only one that runs a block from its start can begin one."""
    return _Section(after.exit) if section.exit is None and isinstance(node.end, Next) else section


def _gathered(node: Node, section: _Section) -> _Section:
    """Change the effects and the exit of a node; return the section behind it."""
    if section.exit is not None:
        if node.end is section.exit:  # the machine makes the section's steps, and counts
            node.effects = []
            return _Section(None)
        node.exit = section.exit
    counts = (*section.counts, *[effect for effect in node.effects if isinstance(effect, Keep | Drop)])
    is_plain = all(isinstance(effect, Keep | Drop) for effect in node.effects)
    if is_plain and following(node):
        if section.exit is None:  # an edge of a branch behind the end of a section, which can begin none
            return section
        node.effects = []
        return _Section(section.exit, counts)
    own, waiting = ([], counts) if is_plain else (node.effects, section.counts)
    keeps, drops = settled(waiting)
    node.effects = [*keeps, *own, *drops]
    return _Section(None)


def settled(effects: tuple[Effect, ...]) -> tuple[list[Effect], list[Effect]]:
    """Return the Keeps and the Drops that are left where one of each cancels the other."""
    balance: Counter[Place] = Counter()
    for effect in effects:
        assert isinstance(effect, Keep | Drop)
        balance[effect.place] += 1 if isinstance(effect, Keep) else -1
    keeps: list[Effect] = [Keep(place) for place, count in balance.items() for _ in range(count)]
    drops: list[Effect] = [Drop(place) for place, count in balance.items() for _ in range(-count)]
    return keeps, drops
