"""Functions of the user's own as one step: calls of what checkpoint.primitive makes.

    (py.call-primitive f a ...)      f: a Foreign, a constant of the program

The function and its derivatives run on Python's own objects, with floats for reals, and must give what
depends on their arguments alone: they may be called again when a run is recomputed. What they set of a
library (np.seterr) is put back after each call, for it would not hold for what ran before.

Under a tape the call is one block, whose pullback calls `vjp`; on duals it calls `jvp`. These are the user's
own code, so they have no derivatives in turn: where one would be needed, which is in a derivative of a
derivative, the run ends and says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from checkpoint.ad.array_library import libraries, remembered
from checkpoint.ad.containers import TUPLE, Record
from checkpoint.ad.graph import enter, numbers, replace
from checkpoint.ad.library import is_of_library
from checkpoint.ad.numbers import Block, Dual, Node, highest_tag, without_tape
from checkpoint.ad.record import VARIADIC, OperandError
from checkpoint.ad.tangent import cotangent_of, lift, match, split
from checkpoint.ad.values import Foreign
from checkpoint.errors import RunError, an
from checkpoint.prims.operators import Context
from checkpoint.prims.python.native import from_native, native
from checkpoint.prims.python.support import operator
from checkpoint.prims.python.tangents import conjugated, cotangent_from, tangent_from


def _call(context: Context, foreign: Any, *operands: Any) -> Any:
    """Return the value at operands that may hold any number."""
    if type(foreign) is not Foreign:
        raise OperandError("operand 1 is not a primitive of the user's")
    arguments = enter(Record(TUPLE, operands))
    found = numbers(arguments)
    tag = highest_tag(found)
    if tag is not None:
        return _on_duals(foreign, arguments, tag)
    if any(type(number) is Node for number in found):
        return _on_tape(foreign, arguments, found)
    return _value(foreign, arguments)


def _value(foreign: Foreign, arguments: Record) -> Any:
    """Return the value at operands of floats."""
    result = _undisturbed(foreign.value, *native(arguments))
    return language(result, f"the value of {foreign.name}")


def _undisturbed(function: Callable[..., Any], *given: Any) -> Any:
    """Return what the user's code returns; the settings of libraries, which hold for the run, stay."""
    restore = remembered()
    try:
        return function(*given)
    finally:
        restore()


def language(result: Any, what: str) -> Any:
    """Return a Python object as a value of the language; RunError for what no program can take."""

    def other(thing: Any) -> Any:
        if isinstance(thing, float):
            return float(thing)
        kind = f"{type(thing).__module__}.{type(thing).__qualname__}"
        if is_of_library(thing) and type(thing) in libraries:
            raise RunError(
                f"{what} holds {an(kind)}, and its library was imported while the program ran: import it "
                f"before"
            )
        raise RunError(
            f"{what} holds {an(kind)}, which no program can take: return numbers, in tuples, lists, dicts, "
            f"named tuples or dataclasses"
        )

    return from_native(result, other, owner=None)


def _on_duals(foreign: Foreign, arguments: Record, tag: int) -> Any:
    if foreign.jvp is None:
        raise RunError(f"{foreign.name} has no jvp, and forward mode needs it: {_STATE_JVP}")
    primals, tangents = split(arguments, tag)
    if any(type(number) in (Dual, Node) for number in numbers(Record(TUPLE, (primals, tangents)))):
        raise RunError(_too_deep(foreign))
    y = _value(foreign, primals)
    given = _undisturbed(foreign.jvp, native(tangents), native(y), *native(primals))
    tangent = tangent_from(y, given, f"the tangent that the jvp of {foreign.name} returned")
    return lift(enter(y), enter(tangent), tag)


_STATE_JVP = "give it one, checkpoint.primitive(value, vjp=..., jvp=...), or use reverse mode"


def _too_deep(foreign: Foreign) -> str:
    return (
        f"the jvp of {foreign.name} is the user's own, so it has no derivative: a derivative of a "
        f"derivative needs {foreign.name} written in Python that can be differentiated"
    )


def _on_tape(foreign: Foreign, arguments: Record, found: list[Any]) -> Any:
    """Return the value, taped as one block; the result's numbers are leaves of the tape."""
    if foreign.vjp is None:
        raise RunError(
            f"{foreign.name} has no vjp, and reverse mode needs it: "
            f"give it one, checkpoint.primitive(value, vjp=..., jvp=...), or use forward mode"
        )
    plain = replace(arguments, found, [without_tape(number) for number in found])
    y = enter(_value(foreign, plain))

    def pullback(adjoints: list[float]) -> list[float]:
        return _cotangents(foreign, plain, y, cotangent_of(y, adjoints))

    tape = next(number.tape for number in found if type(number) is Node)
    outputs = numbers(y)
    leaves = [tape.leaf(number) for number in outputs]
    tape.entries.append(Block(leaves, found, pullback))
    return replace(y, outputs, leaves)


def _cotangents(foreign: Foreign, arguments: Record, y: Any, ybar: Any) -> list[float]:
    """Return what the user's vjp gives for each number of the arguments."""
    assert foreign.vjp is not None
    given = _undisturbed(foreign.vjp, native(conjugated(ybar)), native(y), *native(arguments))
    name = f"the cotangent that the vjp of {foreign.name} returned"
    if type(given) is not tuple or len(given) != len(arguments.items):
        raise RunError(
            f"the vjp of {foreign.name} must return a tuple of {len(arguments.items)}, with the cotangent of "
            f"each argument, not {given!r}"
        )
    cotangent = cotangent_from(arguments, given, name)
    return [number for _, number in match(arguments, cotangent, "cotangent")]


operator(
    "call-primitive",
    VARIADIC,
    "a function of the user's own",
    _call,
    "the user's vjp and jvp; none of these in turn",
    failures=(Exception,),
)
