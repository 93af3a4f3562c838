"""The ends of blocks, done in what is known of their values: how the nodes of a unit hang together.

In: a Specialiser with heads that wait. Out: their trees of nodes. See specialise.py for where paths end.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from checkpoint.cps import blocks as b
from checkpoint.cps.ownership import Edge
from checkpoint.ctarget.code import BlockPeer, ProcedurePeer
from checkpoint.ctarget.translate.ops.check_ops import Enclosed, Expect
from checkpoint.ctarget.translate.ops.frame_ops import Peek, Pop, SetCall
from checkpoint.ctarget.translate.ops.operation import Effect
from checkpoint.ctarget.translate.ops.places import Constant, Place
from checkpoint.ctarget.translate.specialise import (  # noqa: F401 (for what steps they add)
    dual_steps,
    entries,
    list_steps,
    predicates,
    python_steps,
)
from checkpoint.ctarget.translate.specialise.headers import MAX_NODES, MAX_PATH_NODES, Headers, Path
from checkpoint.ctarget.translate.specialise.materialise import Materialiser
from checkpoint.ctarget.translate.specialise.steps import Steps, Untranslatable, tag_of
from checkpoint.ctarget.translate.specialise.values import (
    Abstract,
    Call,
    Closure,
    Frame,
    Held,
    State,
    Virtual,
)
from checkpoint.ctarget.translate.units.graph import Exit, Fork, Next, Node, Return

MAX_FRAMES = 24  # frames that are kept back


class Ends:
    """waiting: nodes that are to be run. returns: the ends that go on to whatever frame there is, each with
    its node, the effects that wait until the frame is known, path, value and state. pushed: what frames have
    saved that the unit pushes, by the blocks that they return to.
    """

    def __init__(self, maker: Headers) -> None:
        self.maker = maker
        self.builder = maker.builder
        self.returns: list[tuple[Node, tuple[Effect, ...], Path, Abstract, State]] = []
        self.pushed: dict[BlockPeer, tuple[Abstract, ...]] = {}
        self.waiting: list[tuple[Node, State, Path]] = []

    def all(self) -> None:
        """The trees of all heads, and of those that turn up meanwhile."""
        while self.maker.waiting or self._more_cases():
            while self.maker.waiting:
                header = self.maker.waiting.pop()
                state = self.maker.states[header.number]
                path = Path(calls=(Call(header.block, state.size(), len(state.frames)),), fails=header.exit)
                header.root = self._node(header.block, state, path)
            self._run_all()
        for node, *_ in self.returns:
            assert isinstance(node.end, Return)
            if not node.end.cases:  # it returns to nothing that is known
                node.ops.clear()
                node.end = node.exit

    def _node(self, peer: BlockPeer, state: State, path: Path) -> Node:
        """The node of a block, which waits to be run: paths may be longer than Python's stack is deep."""
        state.slots = {name: state.slots[name] for name in peer.block.params}
        node = Node(peer, path.steps, path.fails or self.maker.exit(peer, state, path.steps))
        self.waiting.append((node, state, path))
        return node

    def _run_all(self) -> None:
        while self.waiting:
            self._run(*self.waiting.pop())

    def _run(self, node: Node, state: State, path: Path) -> None:
        self.maker.nodes += 1
        if self.maker.nodes > MAX_NODES:
            node.end = self._leave(node, state, path)
            return
        steps = Steps(self.builder, node.block, state.copy(), node)
        try:
            steps.run()
            self._end(steps, path)
        except Untranslatable:
            node.ops.clear()
            node.effects.clear()
            node.end = self._leave(node, state, path)

    def _leave(self, node: Node, state: State, path: Path) -> Exit:
        """The end at the head of the node's own block."""
        if path.fails is None or path.length == 0:
            return node.exit
        return self.maker.exit(node.block, state, path.steps)

    def _end(self, steps: Steps, path: Path) -> None:
        match steps.peer.block.end:
            case b.Jump() | b.Enter() as end:
                self._jump(steps, end, path)
            case b.Branch() as end:
                self._branch(steps, end, path)
            case b.Call() as end:
                self._call(steps, end, path)
            case b.Return() as end:
                self._return(steps, end, path)
            case _:
                raise Untranslatable

    def _follow(self, node: Node, peer: BlockPeer, state: State, path: Path) -> None:
        """The node goes on to a block."""
        if path.length >= MAX_PATH_NODES:
            self.maker.jump(node, peer, state, path)
        else:
            node.end = Next(self._node(peer, state, path.after(node)))

    # Jumps and branches

    def _jump(self, steps: Steps, end: b.Jump | b.Enter, path: Path) -> None:
        target = steps.peer.target(end.label)
        params = target.block.params
        given = steps.taken(list(end.args), steps.owned.end)
        slots = {name: steps.renamed(name, value) for name, value in zip(params, given, strict=False)}
        slots |= {name: steps.state.slots[name] for name in params[len(given) :]}
        state = State(slots, steps.state.frames, steps.state.facts)
        path = path.on(steps.peer.block.cost)
        if isinstance(end, b.Enter) or target.block.label in joins(target.procedure):
            self.maker.jump(steps.node, target, state, path)
        else:
            self._follow(steps.node, target, state, path)

    def _branch(self, steps: Steps, end: b.Branch, path: Path) -> None:
        test, (then, other) = steps.operand(end.test), steps.owned.edges
        path = path.on(steps.peer.block.cost)
        if isinstance(test, Constant) and type(test.value) is bool:
            self._edge(steps, steps.node, then if test.value else other, steps.state, path)
            return
        if not isinstance(test, Place) or test.kind != "boolean":
            raise Untranslatable
        path, nodes = path.after(steps.node), []
        for edge, state in ((then, steps.state.assuming(test)), (other, steps.state.copy())):
            between = Node(steps.peer, path.steps, steps.node.exit)
            self._edge(steps, between, edge, state, path)
            nodes.append(between)
        steps.node.end = Fork(test, *nodes)

    def _edge(self, steps: Steps, node: Node, edge: Edge, state: State, path: Path) -> None:
        """On to a target of a branch, what only the other one needs being dropped."""
        target = steps.peer.target(edge.label)
        dropping = Steps(self.builder, steps.peer, state, node)
        for name in edge.dropped:
            dropping.release(state.slots[name])
        if target.block.label in joins(target.procedure):
            self.maker.jump(node, target, state, path)
        else:
            self._follow(node, target, state, path)

    # Calls

    def _call(self, steps: Steps, end: b.Call, path: Path) -> None:
        called = steps.operand(end.fn)
        if not isinstance(called, Closure):
            raise Untranslatable
        procedure, code = called.procedure, called.procedure.code
        if code is None or code.arity != len(end.args):
            raise Untranslatable
        _, *arguments = steps.taken([end.fn, *end.args], steps.owned.end)
        entry = procedure.blocks[code.entry.block.label]
        slots = self._captures(steps, called, entry)
        names = entry.block.params[len(slots) :]
        slots |= {n: steps.renamed(n, value) for n, value in zip(names, arguments, strict=True)}
        frames = self._frames(steps, end, procedure, entry, path)
        state = State(slots, frames, steps.state.facts)
        size = state.size()
        if end.ret is not None:
            frames[-1].size = size
        steps.release(called)
        self._enter(steps.node, Call(entry, size, len(frames)), state, path.on(steps.peer.block.cost))

    def _captures(self, steps: Steps, called: Closure, entry: BlockPeer) -> dict[str, Abstract]:
        """What a call passes beside the arguments: captures, and the environment itself."""
        code = called.procedure.code
        assert code is not None
        names = entry.block.params[: len(code.procedure.captures)]
        slots: dict[str, Abstract] = {}
        for i, name in enumerate(names):
            match called.environment:
                case Virtual(cells=cells):
                    slots[name] = steps.renamed(name, cells[i])
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
        self, steps: Steps, end: b.Call, procedure: ProcedurePeer, entry: BlockPeer, path: Path
    ) -> list[Frame]:
        """The frames under a call."""
        frames, shown = steps.state.frames, procedure.code is not None and procedure.code.shown
        if end.ret is not None:
            target = steps.peer.target(end.ret)
            saved = {name: steps.state.slots[name] for name in target.block.params[1:]}
            return [*frames, Frame(target, saved, steps.peer if shown else None, entry, 0, path.calls)]
        if shown and end.span is not None:
            if not frames:
                steps.node.effects.append(SetCall(self.builder.reference(steps.peer)))
            elif frames[-1].call is None:
                frames[-1].call = steps.peer
        return frames

    def _enter(self, node: Node, call: Call, state: State, path: Path) -> None:
        """A procedure that is being run already, not of something smaller, is a head; frames are pushed if it
        is to return to itself.
        """
        again = [other for other in path.calls if other.entry is call.entry and other.size <= call.size]
        below = state.frames[:-1] if state.frames and state.frames[-1].entered is call.entry else state.frames
        recurs = any(frame.entered is call.entry and frame.size <= call.size for frame in below)
        recurs = recurs or any(other.depth < call.depth for other in again)
        if recurs or len(state.frames) > MAX_FRAMES:
            self._push(node, state)
        if recurs or again:
            self.maker.jump(node, call.entry, state, path)
        else:
            self._follow(node, call.entry, state, replace(path, calls=(*path.calls, call)))

    def _push(self, node: Node, state: State) -> None:
        for frame in state.frames:
            self.pushed.setdefault(frame.block, tuple(frame.saved.values()))
        making = Materialiser(self.builder)
        making.frames(state)
        node.effects += making.effects

    # Returns

    def _return(self, steps: Steps, end: b.Return, path: Path) -> None:
        value = steps.taken([end.operand], steps.owned.end)[0]
        path = path.on(steps.peer.block.cost)
        frames = steps.state.frames
        if not frames:
            steps.node.end = Return(())
            self.returns.append((steps.node, tuple(steps.node.effects), path, value, steps.state))
            steps.node.effects.clear()
            return
        *below, frame = frames
        first = frame.block.block.params[0]
        slots = {first: steps.renamed(first, value), **frame.saved}
        state = State(slots, below, steps.state.facts)
        self._follow(steps.node, frame.block, state, replace(path, calls=frame.calls))

    def _more_cases(self) -> bool:
        """Cases of returns for frames that have been pushed meanwhile."""
        found = False
        for node, effects, path, value, state in self.returns:
            assert isinstance(node.end, Return)
            known = {point for point, _ in node.end.cases}
            for peer, saved in list(self.pushed.items()):
                point = self.builder.point(peer)
                if point not in known:
                    case = self._case(node, effects, peer, point, saved, value, state.copy(), path)
                    node.end = Return((*node.end.cases, (point, case)))
                    found = True
        return found

    def _case(
        self,
        node: Node,
        effects: tuple[Effect, ...],
        peer: BlockPeer,
        point: int,
        saved: tuple[Abstract, ...],
        value: Abstract,
        state: State,
        path: Path,
    ) -> Node:
        """What returns to a frame of the machine's stack. What the node would have done in the end it does,
        once the frame is known: else the unit is left before.
        """
        case = Node(node.block, node.steps, node.exit)
        first, *names = peer.block.params
        places = []
        slots: dict[str, Abstract] = {}
        for name, was in zip(names, saved, strict=True):
            kind = was.kind if isinstance(was, Place | Constant) else "value"
            places.append(self.builder.place(name, kind))
        case.ops.append(Peek(point, tuple(places)))
        for name, place, was in zip(names, places, saved, strict=True):
            slots[name] = self._peeked(case, place, was)
        case.effects += [*effects, Pop(point, tuple(places))]
        slots[first] = Steps(self.builder, node.block, state, case).renamed(first, value)
        self.maker.jump(case, peer, State(slots, []), path)
        return case

    def _peeked(self, case: Node, place: Place, was: Abstract) -> Abstract:
        """What a frame has saved, seen to be of the kind that the unit's own has."""
        if place.kind != "value":
            return place
        tag = tag_of(was)
        if not isinstance(was, Closure):
            case.ops.append(Expect(place, tag))
            hint = was.hint if isinstance(was, Held) else None
            return Constant(None) if tag == "NOTHING" else Held(place, tag, hint)
        case.ops.append(Expect(place, tag, self.builder.reference(was.procedure)))
        if was.environment is None:
            return Closure(was.procedure, None)
        environment = self.builder.place(f"{place.name}_environment", "value")
        case.ops.append(Enclosed(environment, place))
        return Closure(was.procedure, Held(environment, "ENVIRONMENT"))


@cache
def joins(procedure: ProcedurePeer) -> frozenset[str]:
    """The blocks of a procedure that several others jump or branch to."""
    found: dict[str, int] = {}
    for peer in procedure.blocks.values():
        if isinstance(peer.block.end, b.Jump | b.Branch):
            for label in b.targets(peer.block.end):
                found[label] = found.get(label, 0) + 1
    return frozenset(label for label, count in found.items() if count > 1)
