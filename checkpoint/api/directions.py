"""Derivatives of a run along one direction, and along several at once.

A direction is a tangent of all arguments that is 1 at some of their reals, and else 0. Several are taken at
once on engine interp, whose steps all see the tangents (checkpoint/prims/batched/directions.py). Numbers of
arguments by which nothing is differentiated stay without a tangent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from checkpoint.ad.arrays import Array, NotTogether, directions
from checkpoint.ad.graph import enter, numbers, replace
from checkpoint.ad.library import silently
from checkpoint.ad.numbers import Dual, elements, fresh, primal_at, zero
from checkpoint.ad.tangent import split
from checkpoint.ad.tracing.traces import constant
from checkpoint.api.call_plans import Block, CallPlans
from checkpoint.api.direction_plans import RunPlans
from checkpoint.api.units import unit
from checkpoint.functions.interface import Call
from checkpoint.functions.python_functions import PythonFunction
from checkpoint.functions.resumption import as_function
from checkpoint.functions.run import Run
from checkpoint.prims.batched.directions import Measure, Together, part, stacked

ENGINE = "interp"


class Known:
    """Keeps what earlier calls of a function have found out.

    sizes: how many directions are taken at once for arguments of a form, by the form. plans: of their runs.
    calls: the plans of calls that take all directions at once.
    """

    def __init__(self) -> None:
        self.sizes: dict[Any, int] = {}
        self.plans = RunPlans()
        self.calls = CallPlans(self.plans)


def along_each(
    call: Call,
    at: Sequence[int],
    groups: Sequence[Sequence[int]],
    again: Callable[[], Call | None],
    known: Known | None = None,
) -> tuple[Any, Iterator[Sequence[Any]]]:
    """Return a call's value, as a tree, and the tangents of its numbers along each direction, in turn.

    at: the positions of the arguments by which it is differentiated.
    groups: for each direction, at least one, the positions of the reals at which it is 1, in their order.
    again: returns the same call on ENGINE, or None if there is none.
    known: what earlier calls of the function by as many directions have found out; this call adds to it.
    """
    form = None if known is None else (_form(call), tuple(at), len(groups))
    if known is not None and form in known.sizes:
        found = _at_first(call, at, groups, again, known.sizes[form], known.plans)
        if found is not None:
            return found
        del known.sizes[form]
    measure = Measure()
    token = directions.set(measure)
    try:
        y, first, steps = _along_one(call, at, groups[0], measure.begin)
    finally:
        directions.reset(token)
    size = measure.at_once(len(groups) - 1, steps)
    if known is not None and size:
        known.sizes[form] = measure.at_once(len(groups), steps)
    return y, chain((first,), _further(call, at, groups[1:], again() if size else None, size))


def learn(
    known: Known,
    function: Callable[..., Any],
    call: Call,
    at: Sequence[int],
    given: tuple[Sequence[Any], Mapping[str, Any]],
    count: int,
    finished: Callable[[Any, Sequence[Sequence[Block]]], Any],
) -> None:
    """Let further calls like one along `count` directions, one for each real, do without entering.

    given: the arguments. finished: returns what the caller receives for a value, as a tree, and for each of
        its numbers a row of blocks, one for each number of the arguments by which it is differentiated.
    """
    if known.sizes.get((_form(call), tuple(at), count)) != count:
        return

    def finished_with(value: Any) -> Any:
        found = numbers(value)
        if any(type(x) is not Dual for x in found):
            return None
        tree = enter(replace(value, found, [fresh(x.primal) for x in found]))
        return finished(tree, [_blocks(x.tangent.stack, call, at) for x in found])

    known.calls.learn(function, call, *given, (tuple(at), count), finished_with)


def _blocks(stack: Any, call: Call, at: Sequence[int]) -> list[Block]:
    """Return the blocks that a stack of tangents has for each number of the arguments."""
    found, start = [], 0
    for number in [number for i in at for number in numbers(call.parts[i])]:
        inner = tuple(number.data.shape) if type(number) is Array else ()
        end = start + elements(number)
        found.append(Block(stack, slice(start, end), inner))
        start = end
    return found


def _form(call: Call) -> tuple[Any, ...]:
    """Return what the numbers of a call's arguments are: reals, or arrays of a library, dtype and shape."""
    return tuple(
        [
            (type(x.data), x.data.dtype, tuple(x.data.shape)) if type(x) is Array else type(x)
            for x in numbers(call.run.argument)
        ]
    )


def _at_first(
    call: Call,
    at: Sequence[int],
    groups: Sequence[Sequence[int]],
    again: Callable[[], Call | None],
    size: int,
    plans: RunPlans,
) -> tuple[Any, Iterator[Sequence[Any]]] | None:
    """Return what `along_each` does, without a run along one direction; None where one is needed."""
    beside: Call | None = None

    def repeat() -> tuple[Run, Callable[[], Any]] | None:
        nonlocal beside
        beside = own = again()
        return None if own is None else (own.run, lambda: _value_together(own, at, groups[:size]))

    value, tag = plans.value(call.run, (tuple(at), size), repeat), call.run.tags
    if value is None:
        return None
    if size < len(groups) and beside is None:
        beside = again()
    y = replace(value, found := numbers(value), [fresh(primal_at(number, tag)) for number in found])
    columns = _columns(found, tag, size)
    return enter(y), chain(columns, _further(call, at, groups[len(columns) :], beside, size))


def _value_together(call: Call, at: Sequence[int], groups: Sequence[Sequence[int]]) -> Any:
    """Return the value of a run along all directions, with its duals; None: it fails."""
    try:
        return _lifted_together(call, at, groups)[0]
    except (NotTogether, Exception):  # the run along one direction raises what it raises
        return None


def repeated(function: Callable[..., Any], call: Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return a call of a function at the same arguments on ENGINE, which prints nothing again; None: there is
    none.
    """
    own = as_function(function)
    if type(own) is not PythonFunction:
        return None
    beside = own.call(args, kwargs, ENGINE)
    beside.run.effects = call.run.effects
    return beside


def _further(
    call: Call, at: Sequence[int], groups: Sequence[Sequence[int]], beside: Call | None, size: int
) -> Iterator[Sequence[Any]]:
    """Yield the tangents along each direction. beside: finds `size` of them at once, as far as it can."""
    done = 0
    while beside is not None and done < len(groups):
        try:
            columns = together(beside, at, groups[done : done + size])
        except NotTogether:
            break
        done += len(columns)
        yield from columns
    for group in groups[done:]:
        yield _along_one(call, at, group, lambda: None)[1]


def _along_one(
    call: Call, at: Sequence[int], group: Sequence[int], begin: Callable[[], None]
) -> tuple[Any, Sequence[Any], int]:
    """Return the value as a tree, its tangents, and the number of steps; call `begin` when the run begins."""

    def tangent(number: Any, start: int) -> Any:
        return unit(number, start, group)

    def lifted(argument: Any, tag: int) -> Any:
        begin()
        return _lifted(call, at, argument, tag, tangent)

    value, steps = call.run.on_duals(lifted)
    y, along = split(value, call.run.tags)
    return enter(y), numbers(enter(along)), steps


def together(call: Call, at: Sequence[int], groups: Sequence[Sequence[int]]) -> list[Sequence[Any]]:
    """Return the tangents of the value's numbers along each direction; NotTogether: a step needs one.

    at, groups: as in `along_each`.
    """
    with silently():  # the run along one direction has warned
        value, tag = _lifted_together(call, at, groups)
    return _columns(numbers(value), tag, len(groups))


def _lifted_together(call: Call, at: Sequence[int], groups: Sequence[Sequence[int]]) -> tuple[Any, int]:
    """Return the value of a run along all directions, and the tag of its duals."""

    def tangents(number: Any, start: int) -> Any:
        return _several([unit(number, start, group) for group in groups])

    tag = call.run.tags
    token = directions.set(Together(tag, len(groups)))
    try:
        value, _ = call.run.on_duals(lambda argument, tag: _lifted(call, at, argument, tag, tangents))
    finally:
        directions.reset(token)
    return value, tag


def _columns(found: Sequence[Any], tag: int, count: int) -> list[Sequence[Any]]:
    """Return the tangents of numbers along each of so many directions."""
    return [[_along(number, tag, k) for number in found] for k in range(count)]


def _lifted(
    call: Call, at: Sequence[int], argument: Any, tag: int, tangent: Callable[[Any, int], Any]
) -> Any:
    """Return the procedure's argument with duals for the numbers of selected arguments.

    tangent: returns the tangent of a number, whose first real is at a place.
    """
    found, parts = numbers(argument), call.parts_of(argument)
    selected = {id(number) for i in at for number in numbers(parts[i])}
    made, start = [], 0
    for number in found:
        made.append(Dual(tag, number, tangent(number, start)) if id(number) in selected else number)
        start += elements(number)
    return replace(argument, found, made)


def _several(column: Sequence[Any]) -> Any:
    """Return the tangents of one number as Several, but zeros alone as one zero."""
    found = stacked(column)
    if not found.stack.any():
        return column[0]
    constant(found.stack)
    return found


def _along(number: Any, tag: int, k: int) -> Any:
    is_dual = type(number) is Dual and number.tag == tag
    return part(number, k) if is_dual else zero(number)
