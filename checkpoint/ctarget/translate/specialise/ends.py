"""The ends of blocks, on what is known of their values: how the nodes of a unit are connected.

In: Headers, of which some wait. Out: their trees of nodes. region.py says where paths end.
"""

from __future__ import annotations

from dataclasses import replace

from checkpoint.cps import blocks as b
from checkpoint.cps.ownership import Edge
from checkpoint.ctarget.peers import BlockPeer, ProcedurePeer
from checkpoint.ctarget.translate.nested.numbers import TooComplex
from checkpoint.ctarget.translate.ops.frame_ops import SetCall
from checkpoint.ctarget.translate.ops.object_ops import Birth
from checkpoint.ctarget.translate.ops.places import Constant, Place
from checkpoint.ctarget.translate.ops.scalar_ops import Copy
from checkpoint.ctarget.translate.specialise import block_steps, inner, lifted, turns
from checkpoint.ctarget.translate.specialise.headers import Headers
from checkpoint.ctarget.translate.specialise.materialise import Materialiser
from checkpoint.ctarget.translate.specialise.path import PathSoFar, joins
from checkpoint.ctarget.translate.specialise.returns import Returns
from checkpoint.ctarget.translate.specialise.steps import Steps, Untranslatable
from checkpoint.ctarget.translate.specialise.values import (
    Abstract,
    Call,
    Closure,
    Frame,
    Held,
    State,
    Virtual,
)
from checkpoint.ctarget.translate.units.graph import Exit, Fork, Next, Node

MAX_FRAMES = 24  # virtual ones


class Ends:
    """The trees of all headers, as made so far.

    waiting: nodes whose blocks are still to be translated. returns: those to frames of the machine's stack.
    """

    def __init__(self, headers: Headers) -> None:
        self.headers = headers
        self.builder = headers.builder
        self.returns = Returns(headers)
        self.waiting: list[tuple[Node, State, PathSoFar]] = []
        self._joined: dict[ProcedurePeer, frozenset[str]] = {}

    def _joins(self, procedure: ProcedurePeer) -> frozenset[str]:
        """Return `joins`, which is kept while the unit is made: it may not outlive the procedure."""
        if procedure not in self._joined:
            self._joined[procedure] = joins(procedure)
        return self._joined[procedure]

    def make_all(self) -> None:
        """Make the trees of all headers, and of those that turn up meanwhile."""
        while self.headers.waiting or self.returns.add_cases():
            while self.headers.waiting:
                header = self.headers.waiting.pop()
                state = self.headers.states[header.number]
                for frame in state.frames:
                    frame.parted = False
                call = Call(header.block, state.size(self.builder.unrolls), len(state.frames))
                header.root = self._node(header.block, state, PathSoFar(calls=(call,), exit=header.exit))
            self._translate_waiting()
        self.returns.close()

    def _node(self, peer: BlockPeer, state: State, path: PathSoFar) -> Node:
        """Return the node of a block. It waits: paths may be longer than Python's stack is deep."""
        state.slots = {name: state.slots[name] for name in peer.block.params}
        node = Node(peer, path.steps, path.exit or self.headers.exit(peer, state, path.steps))
        self.waiting.append((node, state, path))
        return node

    def _translate_waiting(self) -> None:
        while self.waiting:
            self._translate(*self.waiting.pop())

    def _translate(self, node: Node, state: State, path: PathSoFar) -> None:
        if not self.headers.has_room():
            node.end = self._exit(node, state, path)
            return
        own = path.calls[0].entry.procedure is node.block.procedure
        steps = Steps(self.builder, node.block, state.copy(), node, path.inner is not None, own)
        try:
            if inner.is_inner(node.block):
                inner.begin(self, steps, self._exit(node, state, path), path)
            else:
                block_steps.run(steps)
                self.headers.working += any(not isinstance(op, Birth | Copy) for op in node.ops)
                turns.end_node(self, steps, path)
        except (Untranslatable, TooComplex):
            node.ops.clear()
            node.effects.clear()
            node.end = self._exit(node, state, path)

    def _exit(self, node: Node, state: State, path: PathSoFar) -> Exit:
        """Return the exit at the start of the node's own block, or of the step that it is within."""
        if path.inner is not None:
            return path.inner.exit
        if path.exit is None or path.length == 0:
            return node.exit
        return self.headers.exit(node.block, state, path.steps)

    def end(self, steps: Steps, path: PathSoFar) -> None:
        """End a node, whose block's steps are translated."""
        match steps.peer.block.end:
            case b.Jump() | b.Enter() as end:
                self.jump(steps, end, path)
            case b.Branch() as end:
                self._branch(steps, end, path)
            case b.Call() as end:
                self._call(steps, end, path)
            case b.Return() as end:
                self._return(steps, end, path)
            case b.Control(op="j*") as end if path.inner is None:
                call, state = lifted.call(self, steps, end, path)
                self._enter(steps.node, call, state, path.extended(steps.peer.block.cost))
            case _:
                raise Untranslatable

    def follow(self, node: Node, peer: BlockPeer, state: State, path: PathSoFar) -> None:
        """Continue a node with the node of a block."""
        if path.length >= self.headers.limits.path:
            if path.inner is not None:
                raise Untranslatable
            self.headers.jump(node, peer, state, path)
        else:
            behind = path.after(node, self.headers.limits.gathers)
            node.end = Next(self._node(peer, state, behind))

    def _meet(self, node: Node, peer: BlockPeer, state: State, path: PathSoFar, joins: bool) -> None:
        """Continue a node with a block where paths meet. joins: it is none where a loop begins its next turn.

        In a turn that the path has followed it is known which one that is, and there it stays known.
        """
        if path.inner is not None:
            self.follow(node, peer, state, replace(path, inner=path.inner.visiting(peer)))
        elif self._turns(peer, state, path):
            self.follow(node, peer, state, path.turning(peer))
        else:
            self.headers.jump(node, peer, state, path, knows=joins and bool(path.turns))

    def _may_join(self, peer: BlockPeer, path: PathSoFar) -> bool:
        """Return whether a path may meet others at a block to which it jumps or branches.

        Where all branches of the procedure were decided so far, it comes there alone.
        """
        return path.parted and peer.block.label in self._joins(peer.procedure)

    def _turns(self, peer: BlockPeer, state: State, path: PathSoFar) -> bool:
        """Return whether a path follows a loop or recursion into the turn that begins with a block."""
        if turns.is_behind(path, peer):
            return True
        may_turn = self.headers.limits.turns and path.turns.count(peer) <= turns.MAX_TURNS
        may_turn = may_turn and not any(turns.is_of_lanes(frame.block) for frame in state.frames)
        return may_turn and turns.are_few(self.builder, peer, state)

    # Jumps and branches

    def jump(self, steps: Steps, end: b.Jump | b.Enter, path: PathSoFar) -> None:
        target = steps.peer.target(end.label)
        params = target.block.params
        arguments = steps.take(list(end.args), steps.owned.end)
        slots = {name: steps.copied(name, value) for name, value in zip(params, arguments, strict=False)}
        slots |= {name: steps.state.slots[name] for name in params[len(arguments) :]}
        state = State(slots, steps.state.frames, steps.state.facts)
        path = path.extended(steps.peer.block.cost)
        meets = self._may_join(target, path) and not turns.asks(target, state, path)
        if isinstance(end, b.Enter) or meets:
            self._meet(steps.node, target, state, path, meets)
        else:
            self.follow(steps.node, target, state, path)

    def _branch(self, steps: Steps, end: b.Branch, path: PathSoFar) -> None:
        test, (then, other) = steps.operand(end.test), steps.owned.edges
        path = path.extended(steps.peer.block.cost)
        if isinstance(test, Constant) and type(test.value) is bool:
            self._edge(steps, steps.node, then if test.value else other, steps.state, path)
            return
        if not isinstance(test, Place) or test.kind != "boolean":
            raise Untranslatable
        path, nodes = replace(path.after(steps.node, self.headers.limits.gathers), parted=True), []
        for edge, holds in ((then, True), (other, False)):
            between = Node(steps.peer, path.steps, steps.node.exit)
            self._edge(steps, between, edge, steps.state.assuming(test, holds), path)
            nodes.append(between)
        steps.node.end = Fork(test, *nodes)

    def _edge(self, steps: Steps, node: Node, edge: Edge, state: State, path: PathSoFar) -> None:
        """Continue a node with a target of a branch; values that only the other target needs are dropped."""
        target = steps.peer.target(edge.label)
        dropping = Steps(self.builder, steps.peer, state, node)
        for name in edge.dropped:
            dropping.release(state.slots[name])
        if self._may_join(target, path):
            self._meet(node, target, state, path, joins=True)
        else:
            self.follow(node, target, state, path)

    # Calls

    def _call(self, steps: Steps, end: b.Call, path: PathSoFar) -> None:
        called = steps.operand(end.fn)
        if not isinstance(called, Closure):
            raise Untranslatable
        procedure, code = called.procedure, called.procedure.code
        if code is None or code.arity != len(end.args):
            raise Untranslatable
        _, *arguments = steps.take([end.fn, *end.args], steps.owned.end)
        entry = procedure.blocks[code.entry.block.label]
        slots = self.captures(steps, called, entry)
        names = entry.block.params[len(slots) :]
        slots |= {n: steps.copied(n, value) for n, value in zip(names, arguments, strict=True)}
        frames = self._frames(steps, end, procedure, entry, path)
        state = State(slots, frames, steps.state.facts)
        size = state.size(self.builder.unrolls)
        if end.ret is not None:
            frames[-1].size = size
        steps.release(called)
        path = path.extended(steps.peer.block.cost)
        self._enter(steps.node, Call(entry, size, len(frames)), state, path)

    def captures(self, steps: Steps, called: Closure, entry: BlockPeer) -> dict[str, Abstract]:
        """Return what a call passes beside the arguments: captures, and the environment itself."""
        code = called.procedure.code
        assert code is not None
        names = entry.block.params[: len(code.procedure.captures)]
        slots: dict[str, Abstract] = {}
        for i, name in enumerate(names):
            match called.environment:
                case Virtual(cells=cells):
                    slots[name] = steps.copied(name, cells[i])
                case Held() as environment:
                    slots[name] = steps.load(name, environment, i, entry)
                case _:
                    raise Untranslatable
            steps.keep(slots[name])
        if code.passes_env:
            own = Constant(None) if called.environment is None else called.environment
            slots[entry.block.params[len(names)]] = own
            steps.keep(own)
        return slots

    def _frames(
        self, steps: Steps, end: b.Call, procedure: ProcedurePeer, entry: BlockPeer, path: PathSoFar
    ) -> list[Frame]:
        """Return the virtual frames under a call."""
        frames, shown = steps.state.frames, procedure.code is not None and procedure.code.shown
        if end.ret is not None:
            target = steps.peer.target(end.ret)
            saved = {name: steps.state.slots[name] for name in target.block.params[1:]}
            call = steps.peer if shown else None
            return [*frames, Frame(target, saved, call, entry, 0, path.calls, path.parted)]
        if frames and path.parted:
            frames[-1].parted = True
        if shown and end.span is not None:
            if not frames:
                steps.node.effects.append(SetCall(self.builder.reference(steps.peer)))
            elif frames[-1].call is None:
                frames[-1].call = steps.peer
        return frames

    def _enter(self, node: Node, call: Call, state: State, path: PathSoFar) -> None:
        """Continue a node with the entry of a procedure.

        The entry is a header if the procedure is active already, with no more known then than now; but not in
        an unrolled unit where each branch since then was decided. If it is also to return to itself, the
        frames are pushed.
        """
        if path.inner is not None:
            inner.enter(self, node, call, state, path)
            return
        again = [other for other in path.calls if other.entry is call.entry and other.size <= call.size]
        below = state.frames[:-1] if state.frames and state.frames[-1].entered is call.entry else state.frames
        recurs = any(frame.entered is call.entry and frame.size <= call.size for frame in below)
        recurs = recurs or any(other.depth < call.depth for other in again)
        if again and self.headers.limits.turns and _is_decided(state, path, again[-1]):
            recurs, again = False, []
        elif (recurs or again) and len(state.frames) <= MAX_FRAMES and self._turns(call.entry, state, path):
            recurs, again, path = False, [], path.turning(call.entry)
        if recurs or len(state.frames) > MAX_FRAMES:
            self._push(node, state)
        if recurs or again:
            self.headers.jump(node, call.entry, state, path)
        else:
            self.follow(node, call.entry, state, replace(path, calls=(*path.calls, call), parted=False))

    def _push(self, node: Node, state: State) -> None:
        self.headers.is_cut |= self.builder.knows  # numbers do not decide all: no need to go on
        self.returns.note_pushed(state)
        materialiser = Materialiser(self.builder)
        materialiser.push_frames(state)
        node.effects += materialiser.effects

    # Returns

    def _return(self, steps: Steps, end: b.Return, path: PathSoFar) -> None:
        value = steps.take([end.operand], steps.owned.end)[0]
        path = path.extended(steps.peer.block.cost)
        frames = steps.state.frames
        if path.inner is not None and len(frames) == path.inner.depth:
            inner.leave(self, steps, value, path)
            return
        if not frames:
            self.returns.open(steps, path, value)
            return
        if path.ended and len(frames) <= path.calls[0].depth:
            raise Untranslatable  # what is behind a loop is not part of it: loops are faster in small units
        *below, frame = frames
        first = frame.block.block.params[0]
        slots = {first: steps.copied(first, value), **frame.saved}
        state = State(slots, below, steps.state.facts)
        parted = path.parted or frame.parted
        self.follow(steps.node, frame.block, state, replace(path, calls=frame.calls, parted=parted))


def _is_decided(state: State, path: PathSoFar, since: Call) -> bool:
    """Return whether every branch since a call that is active, or was before a tail call, was decided."""
    return not (path.parted or any(frame.parted for frame in state.frames[since.depth :]))
