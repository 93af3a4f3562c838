"""Tells a trace (checkpoint.ad.tracing.traces) of steps that are no functions of arrays.

In: a record's name and the operands of its step. What always holds: a step that is not refused does with
arrays what it does with others of the same form: it moves them, or asks how many or of which type they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from checkpoint.ad.arrays import Discrete
from checkpoint.ad.graph import reach
from checkpoint.ad.numbers import Node
from checkpoint.ad.tracing.traces import refuse, tracing

_NONE, _FURTHER, _SECOND = slice(0, 0), slice(1, None), slice(1, 2)
# Which operands of a step may not be or hold arrays: indices, names, numbers of parts.
_KEYS: dict[str, slice] = {
    **dict.fromkeys(("py.list", "py.tuple", "py.record", "py.new", "py.append", "cons", "car", "cdr"), _NONE),
    **dict.fromkeys(("py.len", "py.is", "py.sequence", "py.tuple-of", "py.list-of"), _NONE),
    **dict.fromkeys(("py.instance", "py.item", "py.slice", "py.attribute", "py.unpack"), _FURTHER),
    **dict.fromkeys(("py.unpack-star", "py.unpack-rest", "py.is-class"), _FURTHER),
    **dict.fromkeys(("py.set", "py.set-attribute"), _SECOND),
    # Of combinators whose function is a formula: they ask for structures, shapes and dtypes.
    **dict.fromkeys(("py.item-count", "py.item-formula"), _NONE),
}
_ALL = slice(0, None)
_MOVING = frozenset(("py.leaves", "py.of-leaves"))  # operators that move arrays
_LANES = frozenset(("py.lanes", "py.lanes-at-once"))  # which say themselves if they are refused


def looked_at(name: str, operands: Sequence[Any]) -> None:
    """Refuse the present trace, if a step may look at the elements of arrays among its operands."""
    trace = tracing.get()
    if trace is not None and not trace.refusal and _holds_arrays(operands[_KEYS.get(name, _ALL)]):
        trace.refuse(f"{name} of arrays")


def operated(name: str) -> None:
    """Refuse the present trace, if there is one, unless an operator moves arrays and does nothing else."""
    if name not in _MOVING and name not in _LANES:
        refuse(name)


def _holds_arrays(operands: Sequence[Any]) -> bool:
    found, others = reach(tuple(operands))
    return not all(map(is_real, found)) or any(type(x) is Discrete for x in others)


def is_real(number: Any) -> bool:
    """Return whether a number is a float, or one on a tape."""
    return type(number.value if type(number) is Node else number) is float
