"""`j*` within a unit: how its argument becomes duals of a new tag, and how its result is split again.

In: a block that ends with `j*` of a known procedure, at an argument and a tangent that are known completely.
Out: the state at the entry of the procedure, with duals, above a frame that returns to the machine's own
block for the end of `j*`; of that block the step that splits the result.

What always holds: numbers are copied, and births and tags taken, in the order of the machine's
(ctemplates/derivatives/forward.c).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from checkpoint.cps import blocks as b
from checkpoint.ctarget.peers import BlockPeer, outlined_peer
from checkpoint.ctarget.translate.ops.dual_ops import NewTag
from checkpoint.ctarget.translate.ops.object_ops import Birth
from checkpoint.ctarget.translate.ops.places import Constant, Place
from checkpoint.ctarget.translate.specialise.dual_steps import related
from checkpoint.ctarget.translate.specialise.path import PathSoFar
from checkpoint.ctarget.translate.specialise.steps import Steps, Untranslatable
from checkpoint.ctarget.translate.specialise.values import (
    Abstract,
    Call,
    Closure,
    Frame,
    Held,
    State,
    Virtual,
    is_dual,
)
from checkpoint.interp.hybrid.machine import LEAVE, Split

_DATA = ("PAIR", "TUPLE")


class Nodes(Protocol):
    """Makes the nodes of a unit (ends.py)."""

    def captures(self, steps: Steps, called: Closure, entry: BlockPeer) -> dict[str, Abstract]:
        """Return what a call passes beside the arguments."""


def call(nodes: Nodes, steps: Steps, end: b.Control, path: PathSoFar) -> tuple[Call, State]:
    """Return the call of the procedure of a `j*`, and the state at its entry."""
    called, argument, tangent = steps.take(list(end.args), steps.owned.end)
    code = called.procedure.code if isinstance(called, Closure) else None
    if not isinstance(called, Closure) or code is None or code.arity != 1:
        raise Untranslatable
    entry, leave = called.procedure.blocks[code.entry.block.label], outlined_peer(LEAVE)
    slots = nodes.captures(steps, called, entry)
    (param,) = entry.block.params[len(slots) :]
    tag, slots[param] = _lifted(steps, param, argument, tangent)
    for value in (called, argument, tangent):
        steps.release(value)
    frames = list(steps.state.frames)
    if end.ret is not None:
        target = steps.peer.target(end.ret)
        saved = {name: steps.state.slots[name] for name in target.block.params[1:]}
        frames.append(Frame(target, saved, None, leave, 0, path.calls, path.parted))
    frames.append(Frame(leave, {leave.block.params[1]: tag}, None, entry, 0, path.calls))
    state = State(slots, frames, steps.state.facts)
    frames[-1].size = state.size(steps.builder.unrolls)
    return Call(entry, frames[-1].size, len(frames)), state


class _Tree(NamedTuple):
    """An argument that is a pair or tuple, all of which is known."""

    tag: str
    parts: list[_Tree | Abstract]


def _lifted(steps: Steps, name: str, argument: Abstract, tangent: Abstract) -> tuple[Place, Abstract]:
    """Return a new tag, and the argument with duals for its numbers."""
    given, other = _tree(steps, name, argument), _tree(steps, name, tangent)
    pairs = list(_matched(given, other))
    if not pairs:
        raise Untranslatable
    tag = steps.builder.new_tag(name)
    steps.node.ops.append(NewTag(tag))
    primals = [steps.copied(name, number) for number, _ in pairs]
    tangents = [steps.copied(name, number) for _, number in pairs]
    duals = [Virtual("DUAL", list(parts), tag) for parts in zip(primals, tangents, strict=True)]
    return tag, _rebuilt(steps, name, given, iter(duals))


def is_number(value: Abstract | _Tree) -> bool:
    """Return whether a value is one that has a tangent."""
    is_real = isinstance(value, Place | Constant) and value.kind == "real"
    return is_real or (isinstance(value, Virtual) and is_dual(value))


def _tree(steps: Steps, name: str, value: Abstract) -> _Tree | Abstract:
    """Return a value with its parts, which are loaded where it is an object."""
    match value:
        case Held(tag="PAIR" | "TUPLE") if value.hint is not None and value.hint.fields:
            fields = range(len(value.hint.fields))
            cells = [steps.load(f"{name}_{i}", value, i, steps.peer) for i in fields]
            return _Tree(value.tag, [_tree(steps, name, cell) for cell in cells])
        case Virtual(tag="PAIR" | "TUPLE"):
            return _Tree(value.tag, [_tree(steps, name, cell) for cell in value.cells])
        case Place() | Constant():
            return value
    if not is_number(value):
        raise Untranslatable
    return value


def _matched(value: _Tree | Abstract, other: _Tree | Abstract) -> Iterator[tuple[Abstract, Abstract]]:
    """Yield the numbers of an argument, each with its tangent."""
    if isinstance(value, _Tree):
        if not isinstance(other, _Tree) or (value.tag, len(value.parts)) != (other.tag, len(other.parts)):
            raise Untranslatable
        for one, its in zip(value.parts, other.parts, strict=True):
            yield from _matched(one, its)
    elif is_number(value):
        if isinstance(other, _Tree) or not is_number(other):
            raise Untranslatable
        yield value, other
    elif other != Constant(None):
        raise Untranslatable


def _rebuilt(steps: Steps, name: str, value: _Tree | Abstract, numbers: Iterator[Abstract]) -> Abstract:
    if isinstance(value, _Tree):
        made = born(steps, name, value.tag)
        made.cells += [_rebuilt(steps, name, part, numbers) for part in value.parts]
        return made
    return next(numbers) if is_number(value) else value


def born(steps: Steps, name: str, tag: str) -> Virtual:
    """Return a new object, whose cells are still to be added."""
    birth = steps.builder.place(f"{name}_birth", "integer")
    steps.node.ops.append(Birth(birth))
    return Virtual(tag, [], birth)


# The end


def split(steps: Steps, step: Split) -> Abstract:
    """Translate the step that splits a value under a tag into a pair of its primal and its tangent."""
    value, tag = (steps.operand(operand) for operand in step.operands)
    assert isinstance(tag, Place)
    result = born(steps, step.name, "PAIR")
    for half in (_primal_at, _tangent_at):
        result.cells.append(_half(steps, value, tag, half, {}))
    for name in step.operands:
        steps.release(steps.state.slots.pop(name))
    return result


Half = Callable[[Steps, Abstract, Place], Abstract | None]


def _half(steps: Steps, value: Abstract, tag: Place, half: Half, made: dict[int, Virtual]) -> Abstract:
    """Return the copy of a value with one half of its numbers. made: the objects so far, by the old ones."""
    if is_number(value):
        found = half(steps, value, tag)
        return Constant(0.0) if found is None else steps.copied("half", found)
    if isinstance(value, Virtual) and value.tag in _DATA:
        if id(value) in made:
            made[id(value)].owners += 1
            return made[id(value)]
        new = made[id(value)] = born(steps, "half", value.tag)
        new.cells += [_half(steps, cell, tag, half, made) for cell in value.cells]
        return new
    if isinstance(value, Place | Constant):
        return value if half is _primal_at else Constant(None)
    raise Untranslatable


def _primal_at(steps: Steps, number: Abstract, tag: Place) -> Abstract:
    if not isinstance(number, Virtual):
        return number
    if related(steps, number.birth, tag) == 0:
        return number.cells[0]
    return Virtual("DUAL", [_primal_at(steps, cell, tag) for cell in number.cells], number.birth)


def _tangent_at(steps: Steps, number: Abstract, tag: Place) -> Abstract | None:
    if not isinstance(number, Virtual):
        return None
    if related(steps, number.birth, tag) == 0:
        return number.cells[1]
    found = [_tangent_at(steps, cell, tag) for cell in number.cells]
    if found == [None, None]:
        return None
    return Virtual("DUAL", [Constant(0.0) if cell is None else cell for cell in found], number.birth)
