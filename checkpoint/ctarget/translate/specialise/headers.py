"""The heads of a unit that is being made: where paths meet.

In: blocks, and what is known at their heads. Out: heads, each of places of its own; paths that end there, or
leave the unit where it would become too large.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from checkpoint.ctarget.code import BlockPeer
from checkpoint.ctarget.translate.ops.places import Constant, Place, Source
from checkpoint.ctarget.translate.specialise import entries
from checkpoint.ctarget.translate.specialise.builder import Builder
from checkpoint.ctarget.translate.specialise.materialise import Materialiser
from checkpoint.ctarget.translate.specialise.observe import Shape
from checkpoint.ctarget.translate.specialise.values import Abstract, Call, Copier, Held, State, key, leaves
from checkpoint.ctarget.translate.units.graph import Exit, Header, Jump, Node

MAX_NODES = 150  # of a unit
MAX_HEADS = 24
MAX_KEYS = 8  # heads of one block with data that are not made; from then on they are made
MAX_MADE = 4  # and so many more, before the unit is left
MAX_JUMPS = 100
MAX_PATH_NODES = 120  # nodes


@dataclass(frozen=True, slots=True)
class Path:
    """How a node was come to from its head: steps and nodes before it, the calls on the way that have not
    returned (and the head, as if it had been called). fails: where ops leave the unit, at the head, while
    nothing has been done; then the machine makes the path's steps once more, and leaving needs no code.
    """

    steps: int = 0
    length: int = 0
    calls: tuple[Call, ...] = ()
    fails: Exit | None = None

    def on(self, steps: int) -> Path:
        """The path that goes on for a node."""
        return replace(self, steps=self.steps + steps, length=self.length + 1)

    def after(self, node: Node) -> Path:
        """The path behind a node, whose effects are all there."""
        return replace(self, fails=None) if node.effects else self


class Headers:
    """One unit on its way."""

    def __init__(self, peer: BlockPeer, shapes: dict[int, Shape]) -> None:
        self.builder = Builder(peer.block.label)
        self.unit = self.builder.unit
        self.headers: dict[Hashable, Header] = {}
        self.states: dict[int, State] = {}
        self.waiting: list[Header] = []
        self.nodes = 0
        self.add(peer, entries.observed(self.builder, peer, shapes))

    # Heads

    def add(self, peer: BlockPeer, state: State) -> Header:
        """A new head, of places that the state has for itself."""
        wanted = entries.entry(self.builder, peer, state)
        params = list(_places(state, peer))
        header = Header(len(self.unit.headers), peer, tuple(params), wanted)
        header.exit = self.exit(peer, state, 0)
        self.headers[key(peer, state)] = header
        self.states[header.number] = state
        self.unit.headers.append(header)
        self.waiting.append(header)
        return header

    def _of_its_own(self, state: State) -> State:
        """A state alike, with new places for all that is not known to be a constant."""

        def param(place: Place) -> Place:
            return self.builder.place(place.name.rpartition("_")[0], place.kind)

        def leaf(value: Abstract) -> Abstract:
            match value:
                case Place():
                    return param(value)
                case Held(place, tag, hint):
                    return Held(param(place), tag, hint)
                case Constant() if value.value is not None:
                    return self.builder.place("constant", value.kind)
            return value

        new = Copier(leaf, param).state(state)
        new.facts = {}
        return new

    def jump(self, node: Node, peer: BlockPeer, state: State, path: Path) -> None:
        """The node ends at the head of a block."""
        state.slots = {name: state.slots[name] for name in peer.block.params}
        header = self.headers.get(key(peer, state))
        if header is None and self._grows(peer, state):
            making = Materialiser(self.builder)
            making.everything(state)
            node.effects += making.effects
            header = self.headers.get(key(peer, state))
        full = len(self._known(peer)) >= MAX_KEYS + MAX_MADE or len(self.headers) >= MAX_HEADS
        if (header is None and full) or self.unit.jumps >= MAX_JUMPS:
            node.end = self.exit(peer, state, path.steps)
            return
        if header is None:
            header = self.add(peer, self._of_its_own(state))
        sources = tuple([_source(leaf) for leaf in leaves(state, peer)])
        node.end = Jump(self.unit.jumps, header, path.steps, sources)
        self.unit.jumps += 1

    def _known(self, peer: BlockPeer) -> list[Header]:
        """The heads that a block has so far."""
        return [header for header in self.unit.headers if header.block is peer]

    def _grows(self, peer: BlockPeer, state: State) -> bool:
        """Whether data are about to pile up at a block, or too many kinds of them: then they are made."""
        known = [self.states[header.number].virtual_counts() for header in self._known(peer)]
        now = state.virtual_counts()
        return len(known) >= MAX_KEYS or any(
            0 < counts.get(name, 0) < count for counts in known for name, count in now.items()
        )

    def exit(self, peer: BlockPeer, state: State, steps: int) -> Exit:
        """The end at the head of a block, as the machine needs it there."""
        state = state.copy()
        making = Materialiser(self.builder)
        making.frames(state)
        contents = [(peer.registers[name], making.source(state.slots[name])) for name in peer.block.params]
        return self.builder.exit(peer, steps, making.effects, contents)


def _source(leaf: Place | Constant | Held) -> Source:
    return leaf.place if isinstance(leaf, Held) else leaf


def _places(state: State, peer: BlockPeer) -> Iterator[Place]:
    for leaf in leaves(state, peer):
        source = _source(leaf)
        assert isinstance(source, Place), "a head of its own has places"
        yield source
