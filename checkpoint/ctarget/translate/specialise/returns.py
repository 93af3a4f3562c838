"""Returns of a unit to frames of the machine's stack: which frames these may be, and what they have saved.

In: nodes that return where the unit knows no frame; frames that the unit pushes. Out: for each of these nodes
a case for each kind of frame, which jumps to the header of the frame's block.

What always holds: a frame that a unit has pushed has a point of its block and of the kinds of what it saves
(kinds_saved), so where these are the same nothing in it is tested again. What others save is tested, as of
those that the machine has pushed, which have a point of their block alone.
"""

from __future__ import annotations

from typing import Any

from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.translate.ops.check_ops import Enclosed, Expect
from checkpoint.ctarget.translate.ops.frame_ops import Peek, Pop
from checkpoint.ctarget.translate.ops.operation import Effect
from checkpoint.ctarget.translate.ops.places import Constant, DualParts, Place, View
from checkpoint.ctarget.translate.specialise.headers import Headers
from checkpoint.ctarget.translate.specialise.materialise import kinds_saved
from checkpoint.ctarget.translate.specialise.path import PathSoFar
from checkpoint.ctarget.translate.specialise.steps import Steps
from checkpoint.ctarget.translate.specialise.values import Abstract, Closure, Held, State, Virtual, tag_of
from checkpoint.ctarget.translate.units.graph import Node, Return
from checkpoint.dataclass import dataclass


@dataclass(frozen=True, eq=False, slots=True)
class OpenReturn:
    """A node that returns to whatever frame of the machine's stack is on top.

    effects: those of the node; they wait until the frame is known. path: after the node. value: the
    returned one. state: the rest of the abstract state.
    """

    node: Node
    effects: tuple[Effect, ...]
    path: PathSoFar
    value: Abstract
    state: State


class Returns:
    """The open returns of a unit, and the frames that it pushes: by the blocks to which these return and the
    kinds of what they save, that.
    """

    def __init__(self, headers: Headers) -> None:
        self.headers = headers
        self.builder = headers.builder
        self._open: list[OpenReturn] = []
        self._pushed: dict[tuple[BlockPeer, Any], tuple[Abstract, ...]] = {}

    def open(self, steps: Steps, path: PathSoFar, value: Abstract) -> None:
        """End a node with a return to the frame on top of the machine's stack. path: after the node."""
        node = steps.node
        node.end = Return(())
        self._open.append(OpenReturn(node, tuple(node.effects), path, value, steps.state))
        node.effects.clear()

    def note_pushed(self, state: State) -> None:
        """Note that the frames of a state are pushed."""
        for frame in state.frames:
            saved = tuple(frame.saved.values())
            self._pushed.setdefault((frame.block, kinds_saved(saved)), saved)

    def close(self) -> None:
        """Exit where nothing is known to which a node may return."""
        for each in self._open:
            assert isinstance(each.node.end, Return)
            if not each.node.end.cases:
                each.node.ops.clear()
                each.node.end = each.node.exit

    def add_cases(self) -> bool:
        """Add cases to open returns for frames that were pushed meanwhile; return whether there were any."""
        found = False
        for each in self._open:
            assert isinstance(each.node.end, Return)
            for (peer, kinds), saved in list(self._pushed.items()):
                known = {point for points, _ in each.node.end.cases for point in points}
                both = dict.fromkeys([self.builder.point(peer, kinds), self.builder.point(peer)])
                points = tuple([point for point in both if point not in known])
                if next(iter(both)) in points:
                    case = self._case(each, peer, points, saved)
                    each.node.end = Return((*each.node.end.cases, (points, case)))
                    found = True
        return found

    def _case(
        self, open: OpenReturn, peer: BlockPeer, points: tuple[int, ...], saved: tuple[Abstract, ...]
    ) -> Node:
        """Return the node that returns to a frame of the machine's stack, whose block is `peer`.

        The effects of the open return come after the node has checked the frame: else the unit exits before.
        """
        state = open.state.copy()
        case = Node(open.node.block, open.node.steps, open.node.exit)
        first, *names = peer.block.params
        places: list[Place | DualParts | View] = []
        slots: dict[str, Abstract] = {}
        tags: dict[Place, Place] = {}
        place: Place | DualParts | View
        for name, was in zip(names, saved, strict=True):
            if isinstance(was, Virtual) and was.tag == "DUAL":
                age = self.builder.ages[was.birth]
                slots[name], place = self.builder.dual(name, tags.get(was.birth), age)
                tags[was.birth] = place.tag
            elif isinstance(was, View):
                slots[name] = place = self.builder.view(name, len(was.sizes))
            else:
                place = self.builder.place(name, was.kind if isinstance(was, Place | Constant) else "value")
            places.append(place)
        checks: list[Expect] = []
        for name, place, was in zip(names, places, saved, strict=True):
            if isinstance(place, Place):
                slots[name] = self._checked(case, checks, place, was)
        if kinds_saved(saved) is None:
            case.ops[:0] = [Peek(points, tuple(places)), *checks]
        else:
            case.ops[:0] = [Peek(points, tuple(places), tuple(checks))]
        case.effects += [*open.effects, Pop(tuple(places))]
        slots[first] = Steps(self.builder, open.node.block, state, case).copied(first, open.value)
        self.headers.jump(case, peer, State(slots, []), open.path)
        return case

    def _checked(self, case: Node, checks: list[Expect], place: Place, was: Abstract) -> Abstract:
        """Return a value saved by a frame, of the kind that the unit expects; add the check that it is."""
        if place.kind != "value":
            return place
        tag = tag_of(was)
        if not isinstance(was, Closure):
            checks.append(Expect(place, tag))
            hint = was.hint if isinstance(was, Held) else None
            return Constant(None) if tag == "NOTHING" else Held(place, tag, hint)
        checks.append(Expect(place, tag, self.builder.reference(was.procedure)))
        if was.environment is None:
            return Closure(was.procedure, None)
        environment = self.builder.place(f"{place.name}_environment", "value")
        case.ops.append(Enclosed(environment, place))
        return Closure(was.procedure, Held(environment, "ENVIRONMENT"))
