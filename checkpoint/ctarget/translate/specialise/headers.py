"""The headers of a unit that is being made: where paths meet.

In: blocks, and the State at their start. Out: headers, each with places of its own; paths that jump to
them, or exit where the unit would become too large.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.translate.ops.places import Constant, Place, Source, View
from checkpoint.ctarget.translate.specialise import entries
from checkpoint.ctarget.translate.specialise.builder import Builder
from checkpoint.ctarget.translate.specialise.materialise import Materialiser
from checkpoint.ctarget.translate.specialise.observe import Shape
from checkpoint.ctarget.translate.specialise.path import PathSoFar
from checkpoint.ctarget.translate.specialise.values import (
    Abstract,
    Copier,
    Held,
    State,
    are_alike,
    is_whole,
    key,
    leaves,
)
from checkpoint.ctarget.translate.units.graph import Exit, Header, Jump, Node

MAX_KEYS = 8  # headers of one block with virtual objects; from then on these are made
MAX_MADE = 4  # so many more headers of the block, then paths exit


class Limits(NamedTuple):
    """The size from which paths of a unit exit: a compiler takes the longer, the more nodes there are.

    working: nodes that do more than copy numbers and take births, which cost a compiler nothing. alike:
    headers of one block with the same frames, for virtual objects; then these are made. path: nodes of one
    path, which ends with a header then. turns: whether paths follow loops of few turns. gathers: whether
    references are counted at the ends of sections only (units/sections.py).
    """

    nodes: int
    working: int
    headers: int
    jumps: int
    alike: int
    path: int = 120
    turns: bool = False
    gathers: bool = False


SMALL = Limits(nodes=150, working=150, headers=24, jumps=100, alike=8)
UNROLLED = Limits(nodes=3_000, working=900, headers=24, jumps=100, alike=8, path=3_000, gathers=True)
LARGE = Limits(nodes=1_200, working=1_200, headers=64, jumps=250, alike=1, gathers=True)


class Headers:
    """The headers of one unit.

    limits: of its size. is_cut: whether it reached one. states: the State at each, by its number. waiting:
    those without a tree. nodes, working: how many of these the unit has so far (Limits).
    """

    def __init__(
        self,
        peer: BlockPeer,
        shapes: dict[int, Shape],
        limits: Limits,
        unrolls: bool = False,
        knows: bool = False,
    ) -> None:
        self.limits = limits
        self.is_cut = False
        self.builder = Builder(peer.block.label, unrolls, knows)
        self.unit = self.builder.unit
        self.states: dict[int, State] = {}
        self.waiting: list[Header] = []
        self.nodes = self.working = 0
        self._by_key: dict[Hashable, Header] = {}
        self._add(peer, entries.observed(self.builder, peer, shapes))

    def jump(self, node: Node, peer: BlockPeer, state: State, path: PathSoFar, knows: bool = False) -> None:
        """End a node with a jump to the header of a block, or with an exit where the unit is full.

        knows: whether that is one for the integers that the state has for constants, as of a `key`.
        """
        state.slots = {name: state.slots[name] for name in peer.block.params}
        knows = knows and len(self._of_block(peer)) < MAX_KEYS
        header = self._by_key.get(key(peer, state, knows))
        if header is None and self._alike(peer, state):
            state.change(None, lambda held: Held(held.place, held.tag, held.hint))
            header = self._by_key.get(key(peer, state, knows))
        if header is None and self._grows(peer, state):
            materialiser = Materialiser(self.builder)
            self._make_unlike(materialiser, peer, state)
            if key(peer, state, knows) not in self._by_key:
                materialiser.make_objects(state)
            node.effects += materialiser.effects
            header = self._by_key.get(key(peer, state, knows))
        if header is None and len(self._of_block(peer)) >= MAX_KEYS:
            materialiser = Materialiser(self.builder)
            materialiser.make_all(state)
            node.effects += materialiser.effects
            header = self._by_key.get(key(peer, state))
        is_full = len(self._of_block(peer)) >= MAX_KEYS + MAX_MADE or len(self._by_key) >= self.limits.headers
        if (header is None and is_full) or self.unit.jumps >= self.limits.jumps:
            self.is_cut = True
            node.end = self.exit(peer, state, path.steps)
            return
        if header is None:
            header = self._add(peer, self._with_own_places(state, knows), knows)
        sources = tuple([_source(leaf) for leaf in leaves(state, peer, knows)])
        node.end = Jump(self.unit.jumps, header, path.steps, sources)
        self.unit.jumps += 1

    def has_room(self) -> bool:
        """Count a node, and return whether there is room for it."""
        self.nodes += 1
        self.is_cut |= self.nodes > self.limits.nodes or self.working > self.limits.working
        return not self.is_cut

    def _make_unlike(self, materialiser: Materialiser, peer: BlockPeer, state: State) -> None:
        """Make the objects that the first header of the block with the same frames does not have either."""
        known = self._alike(peer, state)
        if not known:
            return
        pairs = [(frame.saved, was.saved) for frame, was in zip(state.frames, known[0].frames, strict=True)]
        for slots, was in [*pairs, (state.slots, known[0].slots)]:
            for name in slots:
                if name not in was or not are_alike(slots[name], was[name]):
                    slots[name] = materialiser.held(slots[name])
        materialiser.settle(state)

    def exit(self, peer: BlockPeer, state: State, steps: int) -> Exit:
        """Return an exit at the start of a block, with the registers and frames that the machine needs."""
        state = state.copy()
        materialiser = Materialiser(self.builder)
        materialiser.push_frames(state)
        contents = [
            (peer.registers[name], materialiser.source(state.slots[name])) for name in peer.block.params
        ]
        return self.builder.exit(peer, steps, materialiser.effects, contents)

    def _add(self, peer: BlockPeer, state: State, knows: bool = False) -> Header:
        """Add a header, whose places are those of a state of its own."""
        entry = entries.entry(self.builder, peer, state)
        params = list(_places(state, peer, knows))
        tags = [each.tag if isinstance(each, Held) else None for each in leaves(state, peer, knows)]
        header = Header(len(self.unit.headers), peer, tuple(params), entry, tags=tuple(tags))
        header.exit = self.exit(peer, state, 0)
        self._by_key[key(peer, state, knows)] = header
        self.states[header.number] = state
        self.unit.headers.append(header)
        self.waiting.append(header)
        return header

    def _with_own_places(self, state: State, knows: bool) -> State:
        """Return a copy of a state, with new places for all numbers and all values that are held; what it
        knows of integers it keeps.
        """

        def param(place: Place) -> Place:
            new = self.builder.place(place.name.rpartition("_")[0], place.kind)
            if place in self.builder.ages:
                self.builder.ages[new] = self.builder.ages[place]
            return new

        def leaf(value: Abstract) -> Abstract:
            match value:
                case Place():
                    return param(value)
                case Held(place, tag, hint, constant):
                    return Held(param(place), tag, hint, constant)
                case View(handle, data, sizes, strides):
                    return View(
                        param(handle), param(data), tuple(map(param, sizes)), tuple(map(param, strides))
                    )
                case Constant() if value.value is not None and not (knows and is_whole(value)):
                    return self.builder.place("constant", value.kind)
            return value

        new = Copier(leaf, param).state(state)
        new.facts = {}
        return new

    def _of_block(self, peer: BlockPeer) -> list[Header]:
        """Return the headers that a block has so far."""
        return [header for header in self.unit.headers if header.block is peer]

    def _alike(self, peer: BlockPeer, state: State) -> list[State]:
        """Return the states of the headers of a block that have the frames of a state."""
        known = [self.states[header.number] for header in self._of_block(peer)]
        return [each for each in known if each.stack() == state.stack()]

    def _grows(self, peer: BlockPeer, state: State) -> bool:
        """Return whether virtual objects accumulate from one header of a block to the next, or these are too
        many. Only headers with the same frames count: others belong to other calls.
        """
        alike = [each.virtual_counts() for each in self._alike(peer, state)]
        now = state.virtual_counts()
        return len(alike) >= self.limits.alike or any(
            0 < counts.get(name, 0) < count for counts in alike for name, count in now.items()
        )


def _source(leaf: Place | Constant | Held) -> Source:
    return leaf.place if isinstance(leaf, Held) else leaf


def _places(state: State, peer: BlockPeer, knows: bool) -> Iterator[Place]:
    for leaf in leaves(state, peer, knows):
        source = _source(leaf)
        assert isinstance(source, Place), "the state of a header has places only"
        yield source
