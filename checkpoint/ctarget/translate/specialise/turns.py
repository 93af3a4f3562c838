"""Which loops and recursions are followed turn by turn: those of few turns, whose number is known.

In: the State at a block where a loop begins its next turn, or a procedure is called that is active already.
Out: whether its test compares constants that are close, or looks for the end of a list that is known and
short. So loops over vectors of few elements cost nothing, and what depends on their index is known.
"""

from __future__ import annotations

from checkpoint.cps import blocks as b
from checkpoint.cps import terms as t
from checkpoint.ctarget.peers import BlockPeer
from checkpoint.ctarget.translate.ops.places import Constant
from checkpoint.ctarget.translate.specialise import block_steps
from checkpoint.ctarget.translate.specialise.builder import Builder
from checkpoint.ctarget.translate.specialise.observe import Shape
from checkpoint.ctarget.translate.specialise.steps import Steps, Untranslatable
from checkpoint.ctarget.translate.specialise.values import Abstract, Held, State, Virtual
from checkpoint.ctarget.translate.units.graph import Exit, Node

MAX_TURNS = 8  # of one loop, on one path


def are_few(builder: Builder, peer: BlockPeer, state: State) -> bool:
    """Return whether the block's test is known, and the loop is at its end soon."""
    end, unit = peer.block.end, builder.unit
    if not isinstance(end, b.Branch) or not isinstance(end.test, str):
        return False
    tapes, has_duals = unit.tapes, unit.has_duals
    tried = Steps(builder, peer, state.copy(), Node(peer, 0, Exit(-1, peer, 0, (), ())))
    try:
        block_steps.run(tried)
    except Untranslatable:
        return False
    finally:
        unit.tapes, unit.has_duals = tapes, has_duals
    if not isinstance(tried.state.slots.get(end.test), Constant):
        return False
    tests = [step for step in peer.block.steps if isinstance(step, t.Compute) and step.name == end.test]
    return len(tests) == 1 and _is_near(tests[0], state)


def _is_near(test: t.Compute, state: State) -> bool:
    values = [state.slots.get(each) if isinstance(each, str) else each.value for each in test.operands]
    found = [value.value if isinstance(value, Constant) else value for value in values]
    numbers = [float(value) for value in found if isinstance(value, int | float)]
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
