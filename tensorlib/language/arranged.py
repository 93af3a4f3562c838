"""Functions of the language that are other records: their operands in the order and the form of these.

In: a record, and a function that arranges the operands of the language as the record's. Out: a record of the
language, with the rules of the other one.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from checkpoint.ad.accumulators import Scattered
from checkpoint.ad.array_library import dtype_kind, namespace, namespace_of_dtype
from checkpoint.ad.operands import native
from checkpoint.ad.pullbacks import RESULT
from checkpoint.ad.record import OperandError
from checkpoint.ad.tensors import ALWAYS, Tensor
from checkpoint.prims.arrays import parameters_of, tensor
from tensorlib.language.operands import Rule, as_real, is_tensor, whole
from tensorlib.layout.moving import call, shape_of
from tensorlib.networks.composed import along
from tensorlib.rules import fitted, raw

Places = tuple[int | None, ...]


def arranged(
    name: str, record: Tensor, arrange: Rule, places: Places, result: Rule = as_real, **fields: Any
) -> Tensor:
    """Register a record with operands arranged in another way.

    arrange(*operands): the operands of the record, of native ones and of numbers of the language.
    places: for each operand that is a tensor its position in the record, in ascending order; None for others.
    result: what is made of the record's value.
    """
    active = tuple([i for i, place in enumerate(places) if place is not None and record.vjp(place)])

    def value(xp: Any, *operands: Any) -> Any:
        return result(record.value(xp, *checked(operands)))

    def checked(operands: tuple[Any, ...]) -> Any:
        for position, (operand, place) in enumerate(zip(operands, places, strict=True), 1):
            if place is not None and not is_tensor(operand):
                raise OperandError(f"operand {position} is neither a real nor a tensor")
        try:
            return arrange(*operands)
        except TypeError as error:
            raise OperandError(str(error)) from None

    def saves(xp: Any, wanted: tuple[int, ...], *operands: Any) -> tuple[Any, tuple[Any, ...]]:
        assert record.saves is not None
        y, saved = record.saves(xp, _at(places, wanted), *checked(operands))
        return result(y), saved

    def pull(xp: Any, wanted: tuple[int, ...], g: Any, y: Any, saved: Any, *operands: Any) -> list[Any]:
        given = arrange(*operands)
        g, y = _beside(g, operands), _beside(y, operands)
        if record.pull is None:
            found = [_rule(record, i)(xp, g, y, *given) for i in _at(places, wanted)]
        else:
            found = list(record.pull(xp, _at(places, wanted), g, y, saved, *given))
        return [_as_operand(xp, each, operands[i]) for each, i in zip(found, wanted, strict=True)]

    def composition(*operands: Any) -> Any:
        given = [x if i in active else native(ALWAYS, x) for i, x in enumerate(operands)]
        return call(record.name, *arrange(*given))

    state_operands(value, len(places), arrange)
    return tensor(
        name,
        value,
        saves=saves if record.saves is not None else None,
        pull=pull,
        jvps=along(composition, *active, count=len(places)),
        needs=_needs(record, places),
        convention=record.convention,
        **fields,
    )


def state_operands(value: Any, count: int, like: Rule) -> None:
    """State the parameters of a variadic value, and the module that has the function."""
    names = ["xp", *[f"operand_{i}" for i in range(1, count + 1)]]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    value.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])
    value.__module__ = like.__module__  # where the table of functions lists it


def _at(places: Places, wanted: tuple[int, ...]) -> tuple[int, ...]:
    return tuple([place for i in wanted if (place := places[i]) is not None])


def _rule(record: Tensor, position: int) -> Rule:
    rule = record.vjp(position)
    assert rule is not None
    return rule


def _as_operand(xp: Any, found: Any, operand: Any) -> Any:
    return found if type(found) is Scattered else fitted(xp, found, operand)


def _beside(number: Any, operands: tuple[Any, ...]) -> Any:
    """Return a real, which a result without axes is, as an array of the library of the operands."""
    if type(number) is not float:
        return number
    dtypes = [x.dtype for x in operands if dtype_kind(getattr(x, "dtype", np.dtype(bool))) == "f"]
    return namespace_of_dtype(dtypes[0]).asarray(number, dtype=dtypes[0]) if dtypes else np.asarray(number)


def _needs(record: Tensor, places: Places) -> tuple[tuple[int, ...], ...] | None:
    """Return the operands that the cotangent of each reads, where the record says so."""
    if record.needs is None:
        return None
    own = {place: i for i, place in enumerate(places) if place is not None}
    own[RESULT] = own[parameters_of(record.value)[0] - 1] = RESULT
    last = len(record.needs) - 1
    read = [() if place is None else record.needs[min(place, last)] for place in places]
    others = [i for i, place in enumerate(places) if place is None]
    return tuple([(*[own[i] for i in positions if i in own], *others) for positions in read])


# Parts of `arrange`


def sizes_of(t: Any) -> tuple[int, ...]:
    """Return the shape of a tensor, native or a number of the language."""
    return shape_of(raw(t))


def places_in(t: Any) -> int:
    """Return the number of axes of places of a tensor of samples, channels, places."""
    count = len(sizes_of(t)) - 2
    if not 1 <= count <= 3:
        raise ValueError(
            f"operand 1 has {count + 2} axes, not 3, 4 or 5: samples, channels, and one to three of places"
        )
    return count


def each(sizes: Any, count: int) -> tuple[int, ...]:
    """Return a size for each axis of places: one for all, or a list of them."""
    if type(sizes) is float:
        return (whole(sizes),) * count
    if not isinstance(sizes, list) or len(sizes) != count:
        raise TypeError(f"a size is a real, or a list of {count} of them, one for each axis of places")
    return tuple([whole(n) for n in sizes])


def as_array(t: Any) -> Any:
    """Return a tensor as it is, and a real as a tensor without axes."""
    return np.asarray(t) if type(t) is float else t


def as_indices(t: Any) -> Any:
    """Return a tensor of whole numbers as one of integers."""
    t = as_array(t)
    if dtype_kind(t.dtype) in "iu":
        return t
    xp = namespace((t,))
    if dtype_kind(t.dtype) != "f" or bool(xp.any(xp.floor(t) != t)):
        raise TypeError("indices are whole numbers")
    return xp.astype(t, xp.int64)
