"""Runs of functions within a step, inlined: what `*j`, `checkpoint-*j` and `py.gradient` do to a known
closure.

In: a node whose block is such a step. Out: the nodes of the function's blocks, in which only the function's
own operations are, and at the end of each of its paths an InnerGradient (translate/nested).

What always holds: within such a run nothing is done. Its steps and births do not count; references wait
until it ends; ops that cannot continue, and whatever has no rule, exit to where the step begins. So it
consists of paths without headers: a join is translated for each path that leads to it, and so is a turn of
a loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Protocol

from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.translate.nested.dual_gradient import dual_gradient
from checkpoint.ctarget.translate.nested.inner_ops import inner_gradient
from checkpoint.ctarget.translate.nested.region import Region, region
from checkpoint.ctarget.translate.ops.check_ops import Apart, Enclosed, Same
from checkpoint.ctarget.translate.ops.dual_ops import OpenDual
from checkpoint.ctarget.translate.ops.object_ops import Birth, Element, Load
from checkpoint.ctarget.translate.ops.operation import Op
from checkpoint.ctarget.translate.ops.places import Constant, DualParts, Place, Source, reals
from checkpoint.ctarget.translate.ops.scalar_ops import Copy
from checkpoint.ctarget.translate.specialise.builder import Builder
from checkpoint.ctarget.translate.specialise.path import Inner, PathSoFar
from checkpoint.ctarget.translate.specialise.steps import Steps, Untranslatable
from checkpoint.ctarget.translate.specialise.values import (
    Abstract,
    Call,
    Closure,
    Frame,
    Held,
    State,
    Virtual,
    dual_parts,
    is_dual,
)
from checkpoint.ctarget.translate.units.graph import Exit, Node
from checkpoint.ctarget.translate.units.sections import settled

GRADIENTS = frozenset(("*j", "checkpoint-*j", "py.gradient"))
MAX_ACTIVE = 6  # calls of one procedure that have not returned
MAX_FRAMES = 48  # virtual ones
MAX_NESTED = 2  # runs around one another


class Nodes(Protocol):
    """Makes the nodes of a unit (ends.py)."""

    builder: Builder

    def captures(self, steps: Steps, called: Closure, entry: BlockPeer) -> dict[str, Abstract]:
        """Return what a call passes beside the arguments."""

    def follow(self, node: Node, peer: BlockPeer, state: State, path: PathSoFar) -> None:
        """Continue a node with the node of a block."""

    def jump(self, steps: Steps, end: b.Jump, path: PathSoFar) -> None:
        """Continue a node with the block that a jump leads to."""


def is_inner(peer: BlockPeer) -> bool:
    """Return whether a block is a step that takes a gradient."""
    steps = peer.block.steps
    return bool(steps) and isinstance(steps[0], t.Compute) and steps[0].op in GRADIENTS


def begin(nodes: Nodes, steps: Steps, exit: Exit, path: PathSoFar) -> None:
    """Continue a node that is at such a step with the function that the step runs."""
    step, uses = steps.peer.block.steps[0], steps.owned.steps[0]
    assert isinstance(step, t.Compute)
    for name in steps.owned.head:
        steps.release(steps.state.slots.pop(name))
    called, argument, cotangent = (steps.operand(operand) for operand in step.operands[:3])
    code = called.procedure.code if isinstance(called, Closure) else None
    if not isinstance(called, Closure) or code is None or code.arity != 1 or _nesting(path) >= MAX_NESTED:
        raise Untranslatable
    entry = called.procedure.blocks[code.entry.block.label]
    places: list[Place] = []
    entered = _entered(steps, step.name, argument, places)
    first = len(steps.node.ops)
    if not places:
        raise Untranslatable
    seeds = None if isinstance(cotangent, Virtual) and cotangent.tag == "UNIT" else cotangent
    marker = Frame(steps.peer, dict(steps.state.slots), None, entry, 0, path.calls)
    frames = [*steps.state.frames, marker]
    primals = Steps(nodes.builder, steps.peer, steps.state, steps.node, is_inner=True)
    slots = nodes.captures(primals, called, entry)
    (param,) = entry.block.params[len(slots) :]
    state = State({**slots, param: entered}, frames, steps.state.facts)
    path = _with_arguments(path, steps.node.ops[:first])
    inner = Inner(step, uses, steps.peer, exit, path, len(frames), entered, tuple(places), seeds, first=first)
    call = Call(entry, state.size(nodes.builder.unrolls), len(frames))
    within = replace(path, calls=(call,), exit=steps.node.exit, inner=inner)
    nodes.follow(steps.node, entry, state, within)


def enter(nodes: Nodes, node: Node, call: Call, state: State, path: PathSoFar) -> None:
    """Continue a node within such a run with the entry of a procedure."""
    active = sum(other.entry is call.entry for other in path.calls)
    if active >= MAX_ACTIVE or len(state.frames) > MAX_FRAMES:
        raise Untranslatable
    nodes.follow(node, call.entry, state, replace(path, calls=(*path.calls, call)))


def _with_arguments(path: PathSoFar, ops: list[Op]) -> PathSoFar:
    """Return the path to a step behind the ops that copy its argument: one around the step has these."""
    if path.inner is None:
        return path
    return replace(path, inner=replace(path.inner, ops=(*path.inner.ops, *ops[path.inner.first :])))


def _nesting(path: PathSoFar) -> int:
    return 0 if path.inner is None else 1 + _nesting(path.inner.path)


def _entered(steps: Steps, name: str, value: Abstract, places: list[Place]) -> Abstract:
    """Return an argument as it enters, each of its reals in a new place, which is added to `places`."""
    match value:
        case Place(kind="real") | Constant(value=float()):
            places.append(steps.builder.place(f"{name}_at", "real"))
            steps.node.ops.append(Copy(places[-1], value))
            return places[-1]
        case Virtual(tag="DUAL"):
            entered = steps.primal(steps.copied(f"{name}_at", value))
            assert isinstance(entered, Place)
            places.append(entered)
            return entered
        case Place() | Constant():
            return value
        case Held(tag="PAIR" | "TUPLE") if value.hint is not None and value.hint.fields:
            fields = range(len(value.hint.fields))
            found = [steps.load(f"{name}_{i}", value, i, steps.peer) for i in fields]
            cells = [_entered(steps, name, cell, places) for cell in found]
            return Virtual(value.tag, cells, steps.builder.place(f"{name}_birth", "integer"))
        case Virtual(tag="PAIR" | "TUPLE"):
            cells = [_entered(steps, name, cell, places) for cell in value.cells]
            return Virtual(value.tag, cells, steps.builder.place(f"{name}_birth", "integer"))
    raise Untranslatable


def leave(nodes: Nodes, steps: Steps, value: Abstract, path: PathSoFar) -> None:
    """Continue a node that returns from such a run with what follows the step."""
    inner, node = path.inner, steps.node
    assert inner is not None
    behind, first = inner.after(node), len(node.ops)
    *below, marker = steps.state.frames
    state = State(dict(marker.saved), below, steps.state.facts)
    outer = Steps(nodes.builder, inner.peer, state, node, is_inner=inner.path.inner is not None)
    result = _differentiated(outer, inner, behind.ops, value)
    for i in inner.uses.moved:
        operand = inner.step.operands[i]
        assert isinstance(operand, str)
        outer.release(outer.state.slots.pop(operand))
    keeps, drops = settled((*behind.counts, *node.effects))
    node.effects = [*keeps, *drops]
    outer.state.slots[inner.step.name] = result
    for name in inner.uses.dropped:
        outer.release(outer.state.slots.pop(name))
    end = inner.peer.block.end
    assert isinstance(end, b.Jump)
    nodes.jump(outer, end, _around(inner, path, behind.ops, first))


def _around(inner: Inner, path: PathSoFar, ops: tuple[Op, ...], first: int) -> PathSoFar:
    """Return the path behind the step. Of the run, a run around it has only the derivative, and what it
    read.
    """
    after = replace(inner.path, length=path.length, parted=path.parted)
    if after.inner is None:
        return after
    read = [op for op in ops if isinstance(op, Load | Element | Enclosed | OpenDual)]
    return replace(after, inner=replace(after.inner, ops=(*after.inner.ops, *read), first=first))


def _differentiated(outer: Steps, inner: Inner, ops: tuple[Op, ...], value: Abstract) -> Abstract:
    """Add the gradient to a node; return the result of the step."""
    results, seeds = _matched(value, inner.seeds)
    found, owners = region(inner.places, ops, results)
    outer.node.ops += [Apart(one, other) for one, other in combinations(owners, 2)]
    name = inner.step.name
    duals = (
        {}
        if outer.is_inner
        else {x: outer.builder.duals[x] for x in found.inputs if x in outer.builder.duals}
    )
    if duals or any(isinstance(seed, DualParts) for seed in seeds):
        values, cotangents = _at_duals(outer, inner, found, duals, seeds)
    else:
        values, cotangents = _at_reals(outer, inner, found, seeds)
    made = _born(outer, name)
    made.cells += [_rebuilt(outer, name, value, values), _rebuilt(outer, name, inner.argument, cotangents)]
    return made


def _at_reals(
    outer: Steps, inner: Inner, found: Region, seeds: Sequence[Source]
) -> tuple[list[Abstract], list[Abstract]]:
    """Add the gradient; return the values, and the cotangents of the argument."""
    name, builder = inner.step.name, outer.builder
    values = [builder.place(f"{name}_value", "real") for _ in found.results]
    cotangents = [builder.place(f"{name}_cotangent", "real") for _ in inner.places]
    outer.node.ops.append(inner_gradient(found, seeds, values, cotangents))
    return list(values), list(cotangents)


def _at_duals(
    outer: Steps, inner: Inner, found: Region, duals: Mapping[Place, DualParts], seeds: Sequence[Source]
) -> tuple[list[Abstract], list[Abstract]]:
    """Add the gradient at duals, which must have one tag; return what _at_reals does, all of them duals."""
    found_duals = [each for each in [*duals.values(), *seeds] if isinstance(each, DualParts)]
    tag, *others = dict.fromkeys([each.tag for each in found_duals])
    for other in others:
        outer.node.ops.append(Same(tag, other))
        outer.state.share_tag(tag, other)
    names = [
        *[f"{inner.step.name}_value"] * len(found.results),
        *[f"{inner.step.name}_cotangent"] * len(inner.places),
    ]
    made = [outer.builder.dual(name, tag) for name in names]
    to = [place for _, parts in made for place in reals([parts])]
    outer.node.ops.append(dual_gradient(found, duals, seeds, to, len(inner.places)))
    numbers: list[Abstract] = [number for number, _ in made]
    return numbers[: len(found.results)], numbers[len(found.results) :]


def _matched(value: Abstract, seeds: Abstract | None) -> tuple[list[Source], list[Source]]:
    """Return the reals of a result, and their cotangents."""
    match value, seeds:
        case ((Place(kind="real") | Constant(value=float())), None):
            return [value], [Constant(1.0)]
        case ((Place(kind="real") | Constant(value=float())), (Place(kind="real") | Constant(value=float()))):
            return [value], [seeds]
        case ((Place(kind="real") | Constant(value=float())), Virtual(tag="DUAL")):
            return [value], [dual_parts(seeds)]
        case Virtual(tag="PAIR" | "TUPLE"), Virtual() if seeds is not None:
            if value.tag != seeds.tag or len(value.cells) != len(seeds.cells):
                raise Untranslatable
            pairs = [_matched(*both) for both in zip(value.cells, seeds.cells, strict=True)]
            return [x for xs, _ in pairs for x in xs], [y for _, ys in pairs for y in ys]
    raise Untranslatable


def _born(steps: Steps, name: str, tag: str = "PAIR") -> Virtual:
    """Return a new object, whose cells are still to be added."""
    birth = steps.builder.place(f"{name}_birth", "integer")
    if not steps.is_inner:
        steps.node.ops.append(Birth(birth))
    return Virtual(tag, [], birth)


def _rebuilt(steps: Steps, name: str, value: Abstract, numbers: list[Abstract]) -> Abstract:
    """Return a value of the same structure of the next numbers; what has no cotangent becomes nothing."""
    if isinstance(value, Virtual) and value.tag != "DUAL":
        made = _born(steps, name, value.tag)
        made.cells += [_rebuilt(steps, name, cell, numbers) for cell in value.cells]
        return made
    is_number = is_dual(value) or (isinstance(value, Place | Constant) and value.kind == "real")
    return numbers.pop(0) if is_number else Constant(None)
