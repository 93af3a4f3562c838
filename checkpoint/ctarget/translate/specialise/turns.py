"""Which loops and recursions are followed turn by turn, and what follows the end of a list.

In: the State at a block where a loop begins its next turn, or a procedure is called that is active already.
Out: whether its test compares constants that are close, or looks for the end of a list that is known and
short. So loops over vectors of few elements cost nothing, and what depends on their index is known.

A list of unknown length may end within the loop or recursion that walks along it: what it has behind an
element is a CHAIN. Where a node passes one on, the unit goes on in two ways: with a PAIR, and with NOTHING.
So what a recursion does at the end of a list is part of its unit.

What always holds: no CHAIN is left where a node ends, and of each a kind was tested. Both ends have the
effects of the node, so what cannot continue in them exits before these, as if the node had not begun.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.translate.nested.numbers import TooComplex
from checkpoint.ctarget.translate.ops.check_ops import EndTest
from checkpoint.ctarget.translate.ops.places import Constant, Place
from checkpoint.ctarget.translate.specialise import block_steps
from checkpoint.ctarget.translate.specialise.builder import Builder
from checkpoint.ctarget.translate.specialise.observe import Shape
from checkpoint.ctarget.translate.specialise.path import PathSoFar
from checkpoint.ctarget.translate.specialise.steps import Steps, Untranslatable
from checkpoint.ctarget.translate.specialise.values import Abstract, Held, State, Virtual
from checkpoint.ctarget.translate.units.graph import Exit, Fork, Node
from checkpoint.lang.lanes import lane_position

MAX_TURNS = 8  # of one loop, on one path


def are_few(builder: Builder, peer: BlockPeer, state: State) -> bool:
    """Return whether the block's test is known, and the loop is at its end soon."""
    end, unit = peer.block.end, builder.unit
    tests = [step for step in peer.block.steps if isinstance(step, t.Compute) and step.name == _name_of(end)]
    if len(tests) != 1:
        return False
    tapes, has_duals = unit.tapes, unit.has_duals
    tried = Steps(builder, peer, state.copy(), Node(peer, 0, Exit(-1, peer, 0, (), ())))
    try:
        block_steps.run(tried, stop=tests[0])
        values = [tried.operand(operand) for operand in tests[0].operands]
        uses = tried.owned.steps[peer.block.steps.index(tests[0])]
        is_known = isinstance(block_steps.compute(tried, tests[0], uses), Constant)
    except Untranslatable:
        return False
    finally:
        unit.tapes, unit.has_duals = tapes, has_duals
    return is_known and _are_near(values)


def _name_of(end: b.End) -> str | None:
    """Return the name of the slot that a block's end tests, if it has one."""
    return end.test if isinstance(end, b.Branch) and isinstance(end.test, str) else None


def _are_near(values: list[Abstract]) -> bool:
    """Return whether a test of values, which is known, is another one soon."""
    numbers = [
        float(value.value) for value in values if isinstance(value, Constant) and value.value is not None
    ]
    if len(numbers) == len(values):
        return abs(numbers[0] - sum(numbers[1:])) <= MAX_TURNS
    return len(values) == 1 and isinstance(values[0], Constant | Virtual | Held) and _is_short(values[0])


def _is_short(value: Abstract) -> bool:
    """Return whether a value is a list of few elements that is known to its end."""
    for _ in range(MAX_TURNS + 1):
        match value:
            case Constant(None):
                return True
            case Virtual(tag="PAIR"):
                value = value.cells[1]
            case Held(tag="PAIR") if value.hint is not None:
                return _ends_soon(value.hint)
            case _:
                return False
    return False


def _ends_soon(shape: Shape) -> bool:
    for _ in range(MAX_TURNS):
        if shape.tag != "PAIR" or not shape.fields:
            return shape.tag == "NOTHING"
        shape = shape.fields[1]
    return False


def is_of_lanes(block: BlockPeer) -> bool:
    """Return whether a frame that returns to a block is of lanes, whose loops vectors run."""
    return lane_position(block.block.params[1:], block.code.span) >= 0


class Nodes(Protocol):
    """Makes the nodes of a unit (ends.py)."""

    builder: Builder

    def end(self, steps: Steps, path: PathSoFar) -> None:
        """End a node, whose block's steps are translated."""


def end_node(nodes: Nodes, steps: Steps, path: PathSoFar) -> None:
    """End a node, in two ways if a list that it has read may end there. Other lists are expected to go on."""
    tested = _tested(steps)
    found = [place for place in steps.state.chains() if place is not tested]
    for place in dict.fromkeys([*found[1:], *steps.unchecked]):
        if place not in found[:1]:
            steps.expect_pair(place)
    if found:
        _fork(nodes, steps, found[0], path)
    else:
        nodes.end(steps, path)


def is_behind(path: PathSoFar, peer: BlockPeer) -> bool:
    """Return whether a block is the turn behind the end of the list along which the path's header walks."""
    return path.ended and path.calls[0].entry is peer and peer not in path.turns


def asks(peer: BlockPeer, state: State, path: PathSoFar) -> bool:
    """Return whether a block does nothing but branch where a list ends, as behind `or`.

    What a path knows of that would be lost if it met others there.
    """
    end = peer.block.end
    if peer.block.steps or not isinstance(end, b.Branch) or not isinstance(end.test, str):
        return False
    test = state.slots.get(end.test)
    return test in state.facts if isinstance(test, Place) else path.ended and isinstance(test, Constant)


def _tested(steps: Steps) -> Place | None:
    """Return the value of which the branch at the end of a block asks whether it is the end of a list."""
    state = steps.state
    test = state.slots.get(_name_of(steps.peer.block.end) or "")
    return state.facts[test][0] if isinstance(test, Place) and test in state.facts else None


def _fork(nodes: Nodes, steps: Steps, chain: Place, path: PathSoFar) -> None:
    """End a node where a list goes on, and where it ends."""
    node, test = steps.node, nodes.builder.place("goes_on", "boolean")
    node.ops.append(EndTest(test, chain, "PAIR"))
    steps.state.facts[test] = (chain, "PAIR")
    effects, node.effects = node.effects, []
    path = replace(path, parted=True)
    then, other = (Node(node.block, node.steps, node.exit, effects=list(effects)) for _ in range(2))
    nodes.end(steps.at(then, steps.state.assuming(test, holds=True)), path)
    try:
        nodes.end(steps.at(other, steps.state.assuming(test, holds=False)), replace(path, ended=True))
    except (Untranslatable, TooComplex):
        other.ops.clear()
        other.effects.clear()
        other.end = other.exit
    node.end = Fork(test, then, other)
