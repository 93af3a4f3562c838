"""Functions of arrays on blocks: their values, and the origins with which they are reversed.

In: the machine, a Tensor record, its operands. Out: the value; where the run is taped also the origin of the
step (checkpoint.interp.hybrid.array_origins). Numbers under derivatives are not handled here: such steps are
recorded as wholes (checkpoint.interp.hybrid.structured).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from typing import Any

from checkpoint.ad.activity import is_constant, mark_result, wanted_positions
from checkpoint.ad.array_library import functions_for, namespace
from checkpoint.ad.arrays import Array, Memory, array_of
from checkpoint.ad.containers import CONTAINERS, List, Record
from checkpoint.ad.numbers import DERIVED, NUMBERS
from checkpoint.ad.operands import is_many_reals, leaves, native, natives_of, of_reals
from checkpoint.ad.pullbacks import Pullback
from checkpoint.ad.record import Scalar
from checkpoint.ad.storage import in_place, supersede
from checkpoint.ad.tensors import (
    Tensor,
    apply,
    changes_here,
    data_to_change,
    handle,
    perform,
    plain,
    valued,
)
from checkpoint.ad.values import Pair
from checkpoint.interp.hybrid.array_origins import Elements, Place, Pulled, Unwanted, Written
from checkpoint.interp.hybrid.origins import all_born, numbered
from checkpoint.interp.hybrid.structured import CONSTANT
from checkpoint.prims.arrays import overload, scalar_on_arrays

Values = tuple[Any, ...]
Names = tuple[str | None, ...]

PULL_BYTES = 400  # on CPython: an origin with its Pullback
Origin = Pulled | Unwanted | Written
_WITH_BIRTHS = CONTAINERS | {Pair}


def on_arrays(record: Any, operands: Values) -> Tensor | None:
    """Return the record of arrays that performs a step, if there is one."""
    if isinstance(record, Tensor):
        return record
    return overload(record, operands)


def carries_derivative(operands: Values) -> bool:
    """Return whether a number in the operands is under a derivative."""
    kinds = set(map(type, operands))
    if kinds.isdisjoint(_HOLDERS):
        return not kinds.isdisjoint(DERIVED)
    others = [operand for operand in operands if not is_many_reals(operand)]
    return any(not DERIVED.isdisjoint(map(type, leaves(operand))) for operand in others)


_HOLDERS = frozenset((List, Record, Pair))


def refuse_duals(operands: Values) -> None:
    """Raise TypeError for duals, so that the step runs step by step and is recorded as a whole."""
    if carries_derivative(operands):
        raise TypeError("a dual has no origin of its own")


def literals_among(operands: Iterable[Any]) -> int:
    """Return the bits of the operands of a step, or of their names, that are literals of the program."""
    return sum([1 << i for i, operand in enumerate(operands) if not isinstance(operand, str)])


def perform_tensor(machine: Any, record: Tensor, operands: Values, literals: int) -> Any:
    """Return the value, with its birth if it is a container."""
    if not record.changes:
        result = apply(machine, record, operands, literals)
        return _made(machine, result) if type(result) in _WITH_BIRTHS else result
    return perform(machine, machine.steps + 1, record, operands, literals=literals)


def _made(machine: Any, result: Any) -> Any:
    """Give births to what a record has made: as many, in the same order, as where the step is a whole."""
    pending = [result]
    while pending:
        part = pending.pop()
        if type(part) is Pair:  # of a list in the small language
            pending += (numbered(machine, part).cdr, part.car)
        else:
            all_born(machine, part)
    return result


def perform_apart(machine: Any, record: Tensor, operands: Values, literals: int) -> Any:
    """Return the value without a change in place, as the block may fail later and run again."""
    return _made(machine, perform(machine, machine.steps + 1, record, operands, True, literals))


def on_duals(machine: Any, record: Tensor, literals: int) -> Callable[..., Any]:
    """Return the function of a step on operands of any kind, which are given with or without a tape."""
    return lambda *given: perform(machine, machine.steps + 1, record, given, literals=literals)


def on_array_reals(machine: Any, record: Scalar) -> Callable[..., Any]:
    """Return the function of a scalar step on operands with an array among them."""
    return lambda *given: scalar_on_arrays(machine, machine.steps + 1, record, given)


def perform_tensor_taped(
    machine: Any, record: Tensor, operands: Values, names: Names, literals: int
) -> tuple[Any, Origin | None]:
    """Return the value, and the origin if there is something to reverse; TypeError for duals."""
    if changes_here(record, operands):
        return _change(machine, record, operands, names, literals)
    natives = natives_of(machine, operands)
    if natives is not None and not record.variadic:
        wanted = _wanted_simply(record, operands, names, literals)
        data, saved = valued(record, natives, wanted, machine.tape.counts)
        result = handle(machine, record, operands, data, literals)
        if type(result) in NUMBERS:
            return result, _pulled_simply(machine, record, names, natives, data, wanted, saved)
    else:
        refuse_duals(operands)
        wanted = _wanted(record, operands, names, literals)
        result, natives, data, saved = plain(machine, record, operands, literals, wanted, machine.tape.counts)
    result = _made(machine, result)
    return result, _pulled(machine, record, operands, names, result, natives, data, wanted, saved)


def _wanted_simply(record: Tensor, operands: Values, names: Names, literals: int) -> tuple[int, ...]:
    """Return the positions of the operands that receive a cotangent if none is a container."""
    wanted = []
    for i, rule in enumerate(record.vjps):
        if rule is not None and names[i] is not None and not literals >> i & 1:
            operand = operands[i]
            kind = type(operand)
            if kind is float or (kind is Array and not is_constant(operand)):
                wanted.append(i)
    return tuple(wanted)


def _wanted(record: Tensor, operands: Values, names: Names, literals: int) -> tuple[int, ...]:
    """Return the positions of the operands that receive a cotangent."""
    found = wanted_positions(record, operands, lambda _: True, literals)
    return tuple([i for i in found if names[i] is not None or type(operands[i]) not in NUMBERS])


def _pulled_simply(
    machine: Any,
    record: Tensor,
    names: Names,
    natives: list[Any],
    data: Any,
    wanted: tuple[int, ...],
    saved: tuple[Any, ...] = (),
) -> Pulled | None:
    """Return the origin if no operand is a container and the result is one number, the common case."""
    if not wanted:
        return None
    pullback = Pullback(record, natives, data, wanted, saved)
    machine.tape.bytes += PULL_BYTES
    machine.tape.keep(pullback.arrays())
    return Pulled(pullback, [names[i] for i in wanted], None, is_simple=record.pull is None)


def _pulled(
    machine: Any,
    record: Tensor,
    operands: Values,
    names: Names,
    result: Any,
    natives: list[Any],
    data: Any,
    wanted: tuple[int, ...],
    saved: tuple[Any, ...] = (),
) -> Pulled | Unwanted | None:
    is_number = type(result) in NUMBERS
    if (is_number and not wanted) or (not is_number and not leaves(result)):
        return None
    results: Any = _elements(result)
    if results is None and not is_number:
        results = [place for place in places_of(result, None) if isinstance(place, tuple)]
    if not wanted:
        machine.tape.bytes += PULL_BYTES
        return Unwanted(results)
    pullback = Pullback(record, natives, data, wanted, saved)
    places: Any = _elements(operands[wanted[0]]) if len(wanted) == 1 else None
    if places is None:
        places = [place for i in wanted for place in places_of(operands[i], names[i])]
    machine.tape.bytes += PULL_BYTES
    machine.tape.keep(pullback.arrays())
    return Pulled(pullback, places, results)


def _elements(value: Any) -> Elements | None:
    """Return the elements of a container that a run has made, if they are many, and reals alone."""
    if type(value) not in (List, Record) or value.birth == CONSTANT or not of_reals(value.items):
        return None
    return Elements(value.birth, len(value.items))


def places_of(operand: Any, name: str | None) -> Iterator[Place]:
    """Iterate over the locations of the numbers of an operand, in the order of ad.operands.leaves."""
    kind = type(operand)
    if kind in NUMBERS:
        yield name
    elif kind is List or kind is Record:
        if operand.birth != CONSTANT and NUMBERS.issuperset(map(type, operand.items)):  # the usual case
            yield from zip(repeat(operand.birth), range(len(operand.items)), strict=False)
            return
        for i, item in enumerate(operand.items):
            yield from _places_in(item, operand.birth, i)
    while type(operand) is Pair:
        yield from _places_in(operand.car, operand.birth, 0)
        operand = operand.cdr


def _places_in(item: Any, birth: int, field: int) -> Iterator[Place]:
    if type(item) in NUMBERS:
        yield None if birth == CONSTANT else (birth, field)
    else:
        yield from places_of(item, None)


def _change(
    machine: Any, record: Tensor, operands: Values, names: Names, literals: int
) -> tuple[Any, Origin | None]:
    """Change an array on the tape: in place where that is worthwhile, else as a new array."""
    simply = natives_of(machine, operands)
    if simply is None:
        refuse_duals(operands)
    array = operands[0]
    data = data_to_change(machine, record, operands, array)
    natives = [native(machine, operand) for operand in operands] if simply is None else simply
    content = operands[-1]
    is_simple = type(content) in NUMBERS or not leaves(content)
    if record.writes is None or record.in_place is None or not is_simple:
        made = record.value(functions_for(record.name, natives), *natives)
        result = handle(machine, record, operands, made, literals)
        supersede(array, machine.steps + 1)
        if simply is not None and not record.variadic and type(result) in NUMBERS:
            wanted = _wanted_simply(record, operands, names, literals)
            return result, _pulled_simply(machine, record, names, natives, made, wanted)
        wanted = _wanted(record, operands, names, literals)
        return result, _pulled(machine, record, operands, names, result, natives, made, wanted)
    index = record.writes(*natives)
    xp = namespace(natives)
    old, written = None, data
    if in_place(machine, array):
        old = xp.array(data[index])
    else:
        written = xp.array(data)
    record.in_place(xp, written, *natives[1:])
    memory = Memory(machine.owner)
    memory.transient = old is not None or array.memory.transient
    supersede(array, machine.steps + 1)
    wanted_names = tuple([None if literals >> i & 1 else name for i, name in enumerate(names)])
    origin = _written(machine, record, operands, wanted_names, (written, index, old), natives)
    result = array_of(written, memory)
    mark_result(record, operands, literals, result)
    return result, origin


def _written(
    machine: Any,
    record: Tensor,
    operands: Values,
    names: Names,
    what: tuple[Any, Any, Any],
    natives: list[Any],
) -> Written:
    written, index, old = what
    is_active = type(operands[0]) is Array and not is_constant(operands[0])
    origin = Written(written, index, old, names[0] if is_active else None)
    machine.tape.bytes += PULL_BYTES
    if old is not None:
        machine.tape.keep((old,))
    last = len(operands) - 1
    given = operands[last]
    is_wanted = type(given) in NUMBERS and names[last] is not None and not is_constant(given)
    if type(operands[0]) is Array and is_wanted:
        origin.place = names[last]
        origin.pullback = Pullback(record, natives, written, (last,))
    return origin
