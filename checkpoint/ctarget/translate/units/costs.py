"""Finds what the loops of a unit still do besides arithmetic on numbers.

In: a unit that is complete. Out: whether its hot nodes test the kinds of values, make objects or push frames;
whether they test which numbers they have. What only exits and entries do does not count.
"""

from __future__ import annotations

from collections.abc import Iterator

from checkpoint.ctarget.translate.ops.check_ops import Expect, ExpectReal
from checkpoint.ctarget.translate.ops.frame_ops import Push
from checkpoint.ctarget.translate.ops.object_ops import Load, Make
from checkpoint.ctarget.translate.ops.operation import Operation
from checkpoint.ctarget.translate.units.graph import Return, Unit
from checkpoint.ctarget.translate.units.paths import hot_nodes


def has_costs(unit: Unit) -> bool:
    """Return whether the loops of a unit test kinds, make objects, push frames, or return to what did."""
    returns = any(isinstance(node.end, Return) for header in unit.headers for node in hot_nodes(header))
    return returns or any(_is_cost(each) for each in _hot(unit))


def expects_numbers_inside(unit: Unit) -> bool:
    """Return whether the loops of a unit check numbers that they expect."""
    return any(isinstance(each, ExpectReal) for each in _hot(unit))


def _hot(unit: Unit) -> Iterator[Operation]:
    for header in unit.headers:
        for node in hot_nodes(header):
            yield from node.ops
            yield from node.effects


def _is_cost(done: Operation) -> bool:
    if isinstance(done, Load):
        return done.to.kind != "value" and not done.sure
    return isinstance(done, Expect | Make | Push)
