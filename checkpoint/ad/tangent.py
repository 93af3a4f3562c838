"""Tangents and cotangents of values, which have the shapes of their values.

The tangent of a number is a number; that of data is data of the same shape; that of a closure, capsule or
opaque is an Opaque; that of any other value is null. The tangent of a record may be a record of another
layout, or a tuple. For any other shape a ShapeError is raised that names the path. Cotangents have the same
shapes as tangents, so the functions for `tangent` serve both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from checkpoint.ad.accumulators import contribution_of
from checkpoint.ad.arrays import stands_for_nothing, symbolic_zeros
from checkpoint.ad.containers import CONTAINERS, MUTABLE_CONTAINERS, Dict, List, Object, Record
from checkpoint.ad.graph import (
    NON_DIFFERENTIABLE,
    PLAIN_NUMBERS,
    containers_in,
    each_number,
    is_flat,
    numbers,
    parts_of,
    replace,
    transform,
    with_parts,
)
from checkpoint.ad.identity import descriptions, identity_of
from checkpoint.ad.numbers import NUMBERS, Dual, Number, fresh, primal_at, real_part, tangent_at, zero
from checkpoint.ad.values import Opaque, Pair
from checkpoint.ad.walk import DESCEND, Branch, fold
from checkpoint.errors import an

Path = tuple[Any, str]  # the path of the surrounding value (None at the top), and the last step


# What messages are made of, here and in executables (checkpoint/ctarget/alone/texts.py).
NOTHING = "nothing, which is ()"
AT, CAR, CDR, BETWEEN = " at ", "car", "cdr", ", "
ELEMENTS = ("element 0", "element 1")  # of a value of a sum
TANGENT, COTANGENT = "tangent", "cotangent"


def difference(what: str, place: str, expected: str, found: str) -> str:
    """Return the message for a tangent or cotangent of another shape than its value's, at a place in it."""
    return f"the {what}{place} must be {expected}, not {found}"


def of_holder(count: int) -> str:
    """Return a text for the tangent of a procedure or capsule that reaches so many reals."""
    reals = "1 real" if count == 1 else f"{count} reals"
    return f"that of a procedure or capsule that holds {reals}"


class ShapeError(ValueError):
    """Raised for a tangent or cotangent that does not have the shape of its value."""


def match(value: Any, tangent: Any, what: str) -> list[tuple[Number, Number]]:
    """Return each number of a value with its tangent, once for each path to it, in the order of paths.

    what: "tangent" or "cotangent", for the message of a ShapeError.
    """
    matched: list[tuple[Number, Number]] = []
    stack: list[tuple[Any, Any, Path | None]] = [(value, tangent, None)]
    while stack:
        value, tangent, path = stack.pop()
        kind = type(value)
        if kind in NUMBERS:
            if type(tangent) not in NUMBERS or _form(tangent) != _form(value):
                raise _mismatch(what, describe(value), tangent, path)
            matched.append((value, tangent))
        elif kind in NON_DIFFERENTIABLE:
            if tangent is not None:
                raise _mismatch(what, NOTHING, tangent, path)
        elif kind is not tuple and value.enters_as_graph:
            matched.extend(_match_opaque(value, tangent, what, path))
        else:
            stack.extend(_match_data(value, tangent, what, path))
    return matched


def _match_opaque(value: Any, tangent: Any, what: str, path: Path | None) -> list[tuple[Number, Number]]:
    found = numbers(value)
    check_opaque(value, len(found), tangent, what, path)
    return list(zip(found, tangent.numbers, strict=True))


def check_opaque(value: Any, count: int, tangent: Any, what: str, path: Path | None = None) -> None:
    """Raise ShapeError unless a tangent is one of a procedure or capsule, which has so many numbers."""
    identity = identity_of(value)
    if type(tangent) is Opaque and tangent.identity != identity:
        expected, actual = descriptions(identity, tangent.identity)
        raise _mismatch(what, expected, tangent, path, actual)
    if type(tangent) is not Opaque or len(tangent.numbers) != count:
        raise _mismatch(what, of_holder(count), tangent, path)


def _match_data(value: Any, tangent: Any, what: str, path: Path | None) -> list[tuple[Any, Any, Path | None]]:
    if type(value) is Pair:
        if type(tangent) is not Pair:
            raise _mismatch(what, "a pair", tangent, path)
        return [(value.cdr, tangent.cdr, (path, CDR)), (value.car, tangent.car, (path, CAR))]
    expected, names = _SHAPES[type(value)](value)
    others = _fields(value, tangent)
    if others is None:
        raise _mismatch(what, expected, tangent, path)
    entries = [
        (part, other, (path, name)) for part, other, name in zip(parts_of(value), others, names, strict=True)
    ]
    return list(reversed(entries))


def _fields(value: Any, tangent: Any) -> Sequence[Any] | None:
    """Return the tangents of a container's parts, in their order; None if the tangent has another shape."""
    kind, other = type(value), type(tangent)
    if kind is Dict:
        if other is not Dict or tangent.items.keys() != value.items.keys():
            return None
        return [tangent.items[key] for key in value.items]
    if other is not kind and not (kind in _TUPLES and other in _TUPLES):
        return None
    found = tangent if other is tuple else tangent.parts()
    return found if len(found) == len(parts_of(value)) else None


_TUPLES = frozenset((tuple, Record, Object))


def _tuple_shape(value: tuple[Any, ...]) -> tuple[str, list[str]]:
    return f"a tuple of {len(value)}", [f"element {i}" for i in range(len(value))]


def _record_shape(value: Record | Object) -> tuple[str, list[str]]:
    layout = value.layout
    if not layout.names:
        return _tuple_shape(tuple(value.items))
    fields = "1 field" if len(value.items) == 1 else f"{len(value.items)} fields"
    return f"that of {an(layout.cls.__name__)}, with {fields}", [f"field {name}" for name in layout.names]


def _list_shape(value: List) -> tuple[str, list[str]]:
    return f"a list of {len(value.items)}", [f"element {i}" for i in range(len(value.items))]


def _dict_shape(value: Dict) -> tuple[str, list[str]]:
    keys = ", ".join(map(repr, value.items)) or "none"
    return f"a dictionary with the keys {keys}", [f"key {key!r}" for key in value.items]


_SHAPES: dict[type, Callable[[Any], tuple[str, list[str]]]] = {
    tuple: _tuple_shape,
    Record: _record_shape,
    Object: _record_shape,
    List: _list_shape,
    Dict: _dict_shape,
}


def _mismatch(
    what: str, expected: str, got: Any, path: Path | None, described: str | None = None
) -> ShapeError:
    steps = []
    while path is not None:
        path, step = path
        steps.append(step)
    place = f"{AT}{BETWEEN.join(reversed(steps))}" if steps else ""
    return ShapeError(difference(what, place, expected, described or describe(got)))


def _form(number: Number) -> Any:
    """Return the dtype and shape of an array, which its tangent must have, too; None for a real."""
    value = real_part(number)
    return None if type(value) is float else (value.data.dtype, tuple(value.data.shape))


def describe(value: Any) -> str:
    """Return a text that tells a value, as a tangent, from what was expected."""
    kind = type(value)
    if kind in NUMBERS:
        form = _form(value)
        return "a real" if form is None else f"an array of {form[0]} of shape {form[1]}"
    names = {bool: "a boolean", Pair: "a pair", Opaque: "that of another procedure or capsule"}
    if value is None:
        return "()"
    if kind in CONTAINERS:
        return _SHAPES[kind](value)[0]
    return names.get(kind, an(kind.__name__.lower()))


def lift(value: Any, tangent: Any, tag: int) -> Any:
    """Return a value with its numbers made duals; the value must have entered, so each path is a location.

    A constant array with symbolic zeros as its tangent stays what it is.
    """
    matched = match(value, tangent, "tangent")
    duals = {
        id(number): Dual(tag, number, other) for number, other in matched if not stands_for_nothing(other)
    }
    found = numbers(value)
    return replace(value, found, [duals.get(id(number), number) for number in found])


def split(value: Any, tag: int, absent: Callable[[Any], Any] = zero) -> tuple[Any, Any]:
    """Return the primal and the tangent of a value under a tag, both new.

    absent: makes the tangent of a number that has none.
    """
    found = numbers(value)
    primal = replace(value, found, [fresh(primal_at(number, tag)) for number in found])
    tangents = [tangent_at(number, tag) for number in found]
    pairs = zip(found, tangents, strict=True)
    return primal, tangent_of(value, [absent(x) if t is None else fresh(t) for x, t in pairs])


def zeros_of(value: Any) -> Any:
    """Return the zero tangent of a value."""
    return tangent_of(value, list(map(zero, numbers(value))))


def nothing_of(value: Any) -> Any:
    """Return the cotangent of a value that receives none: zeros, for arrays such as stand for nothing.

    So the steps that have made these arrays are not reversed.
    """
    found = [real_part(number) for number in numbers(value)]
    return tangent_of(value, [fresh(0.0) if type(x) is float else symbolic_zeros(x) for x in found])


def tangent_of(value: Any, tangents: Sequence[Number], found: Sequence[Number] | None = None) -> Any:
    """Return the tangent of a value from the tangents of its numbers, which are in the canonical order.

    found: its numbers, where they are known.
    """
    found = numbers(value) if found is None else found
    reals = dict(zip(map(id, found), tangents, strict=True))
    done = dict(reals)

    def special(part: Any) -> Any:
        kind = type(part)
        if kind in NON_DIFFERENTIABLE:
            return None
        if kind is not tuple and part.enters_as_graph:
            return Opaque(tuple([fresh(reals[id(number)]) for number in numbers(part)]), identity_of(part))
        return DESCEND

    return unfrozen(transform(value, done, special))


def unfrozen(copy: Any) -> Any:
    """Return a copy of a value after removing the owners of its lists and dictionaries, the value's."""
    for part in containers_in(copy):
        _without_owner(part)
    return copy


def cotangent_of_tree(value: Any, cotangents: Iterator[Any]) -> Any:
    """Return the cotangent of a value that has entered, from the next of these, in the canonical order."""

    def opened(part: Any) -> Any:
        kind = type(part)
        if kind in NUMBERS:
            return next(cotangents)
        if kind in NON_DIFFERENTIABLE:
            return None
        if kind is not tuple and part.enters_as_graph:
            return Opaque(tuple(islice(cotangents, len(numbers(part)))), identity_of(part))
        parts = parts_of(part)
        if is_flat(parts):
            return _without_owner(with_parts(part, tuple(islice(cotangents, len(parts)))))
        return Branch(parts, lambda parts: _without_owner(with_parts(part, tuple(parts))))

    return fold(value, opened)


def _without_owner(container: Any) -> Any:
    if type(container) in MUTABLE_CONTAINERS:
        container.owner = None
    return container


def cotangent_of(value: Any, cotangents: list[Number]) -> Any:
    """Return the cotangent of a value from the cotangents of its numbers, which are in the canonical order.

    The cotangent of a number that several paths reach is on the first path and zero on the others, so that
    `seed` adds it once.
    """
    left = {id(number): other for number, other in zip(numbers(value), cotangents, strict=True)}

    def opened(part: Any) -> Any:
        kind = type(part)
        if kind in NUMBERS:
            return _popped(left, part)
        if kind in NON_DIFFERENTIABLE:
            return None
        if kind is not tuple and part.enters_as_graph:
            popped = tuple([_popped(left, number) for number in numbers(part)])
            return Opaque(popped, identity_of(part))
        return Branch(parts_of(part), lambda parts: with_parts(part, tuple(parts)))

    return unfrozen(fold(value, opened))


def _popped(left: dict[int, Number], number: Number) -> Number:
    found = left.pop(id(number), None)
    return zero(number) if found is None else found


def seed(value: Any, cotangent: Any) -> list[Any]:
    """Return the contribution to each number of a finished run's value, in the canonical order.

    The cotangents of a number that several paths reach are added, those of the last path first.
    """
    kind = type(value)
    if kind in PLAIN_NUMBERS and type(cotangent) is kind and _form(cotangent) == _form(value):
        return [0.0 + contribution_of(cotangent)]
    totals: dict[int, Any] = {}
    for number, other in reversed(match(value, cotangent, "cotangent")):
        totals[id(number)] = totals.get(id(number), 0.0) + contribution_of(other)
    return [totals.get(id(number), 0.0) for number in numbers(value)]


def is_zero(tangent: Any) -> bool:
    """Return whether all numbers of a tangent, which holds no duals, are 0."""
    if type(tangent) is float:
        return tangent == 0.0
    for number in each_number(tangent):
        if number != 0.0 if type(number) is float else _has_nonzero(number.data):
            return False
    return True


def _has_nonzero(data: Any) -> bool:
    """Return whether a library's array has a number other than 0; most have one in the first place."""
    shape = data.shape
    if shape and 0 not in shape and bool(data[(0,) * len(shape)]):
        return True
    return bool(data.any())
