"""Operands and results of functions of arrays: the numbers in them, and their native form.

An operand is an array, a real, or an object that modifies the function (an axis, a dtype, a slice), or a
list, a tuple or a proper list of pairs of these. Its *native* form is what a library's function takes: the
library's own arrays, Python's own containers, no derivatives. `value_of` makes a value of a native result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from checkpoint.ad.array_library import libraries, shares, zeros_beside
from checkpoint.ad.arrays import Array, Discrete, Memory, Native, array_of, single
from checkpoint.ad.containers import ITEMS, TUPLE, Layout, List, Object, Record
from checkpoint.ad.numbers import (
    DERIVED,
    INTEGERS,
    NUMBERS,
    Dual,
    Node,
    primal_at,
    real_part,
    tangent_at,
    zero,
)
from checkpoint.ad.opaque import array_or_held
from checkpoint.ad.storage import changed_elsewhere
from checkpoint.ad.tables import Table, elements_of, held
from checkpoint.ad.values import Closure, Pair, list_value
from checkpoint.ad.walk import Branch, fold
from checkpoint.errors import RunError, an

_SIMPLE = frozenset((float, int, bool, str, type(None)))
_REAL = frozenset((float,))
MANY = 8  # items of a container, from which on reals are treated together


def natives_of(now: Any, operands: Sequence[Any]) -> list[Any] | None:
    """Return the native operands; None if an operand is a container or carries a derivative."""
    natives = []
    for operand in operands:
        kind = type(operand)
        if kind is Array or kind is Discrete:
            if now.steps >= operand.memory.stale:  # storage.check, without its call
                raise changed_elsewhere(operand)
            natives.append(operand.data)
        elif kind in _SIMPLE:
            natives.append(operand)
        else:
            return None
    return natives


def natives_without_derivatives(now: Any, operands: Sequence[Any]) -> list[Any] | None:
    """Return the native operands; None if a number in them carries a derivative."""
    natives = natives_of(now, operands)
    if natives is None and not any(type(x) in DERIVED for operand in operands for x in leaves(operand)):
        natives = [native(now, operand) for operand in operands]
    return natives


def native(now: Any, operand: Any) -> Any:
    """Return the native form of an operand, without derivatives."""
    kind = type(operand)
    if kind is Array or kind is Discrete:
        if now.steps >= operand.memory.stale:  # storage.check, without its call
            raise changed_elsewhere(operand)
        return operand.data
    if kind is Dual or kind is Node:
        return native(now, real_part(operand))
    if kind is List:
        return (
            list(operand.items) if of_reals(operand.items) else [native(now, item) for item in operand.items]
        )
    if kind is Closure:
        return _class_of(operand)
    if kind is Record:
        if (
            type(first := operand.items[0] if operand.items else None) is Closure
            and operand.layout is not TUPLE
        ):
            return _class_of(first)  # of a class that takes any number of arguments
        parts = [native(now, item) for item in operand.items]
        return slice(*parts) if operand.layout.cls is slice else tuple(parts)
    if kind is Pair:
        return _of_pairs(now, operand)
    if kind is Object and ITEMS in operand.layout.index:
        return _plain(operand)
    if kind is Table:
        return elements_of(operand.value)
    return operand.value if kind is Native else operand


def _plain(x: Object) -> Any:
    """Return the integer or text that an object of a derived class is; refuse a real, for its derivatives."""
    found = x.items[x.layout.index[ITEMS]]
    if type(found) in (int, str):
        return found
    cls = x.layout.cls.__name__
    raise RunError(f"{an(cls)} cannot be here: pass what it holds as a number, list or dict of Python's own")


def _class_of(procedure: Closure) -> Any:
    """Return the class for which a procedure stands, which may be a dtype; else the procedure."""
    return procedure.lam.stands_for if isinstance(procedure.lam.stands_for, type) else procedure


def _of_pairs(now: Any, pairs: Any) -> list[Any]:
    found = []
    while type(pairs) is Pair:
        found.append(native(now, pairs.car))
        pairs = pairs.cdr
    return found


def leaves(operand: Any) -> Sequence[Any]:
    """Return the numbers in an operand, in their order, each as often as it occurs; not to be changed."""
    kind = type(operand)
    if kind in NUMBERS:
        return (operand,)
    if kind is List or kind is Record:
        items: Sequence[Any] = operand.items
        if NUMBERS.issuperset(map(type, items)):  # the usual case
            return items
        return [number for item in items for number in leaves(item)]
    found: list[Any] = []
    while type(operand) is Pair:
        found.extend(leaves(operand.car))
        operand = operand.cdr
    return found


def _identity(value: Any) -> Any:
    return value


def with_leaves(
    operand: Any, replace: Callable[[Any], Any], otherwise: Callable[[Any], Any] = _identity
) -> Any:
    """Return an operand with its numbers replaced, and its other leaves replaced by `otherwise`."""
    kind = type(operand)
    if kind in NUMBERS:  # the usual case
        return replace(operand)

    def opened(item: Any) -> Any:
        kind = type(item)
        if kind in NUMBERS:
            return replace(item)
        if kind is List:
            return Branch(item.items, List)
        if kind is Record:
            return Branch(item.items, lambda parts: Record(item.layout, tuple(parts)))
        if kind is Pair:
            return Branch((item.car, item.cdr), lambda parts: Pair(*parts))
        return otherwise(item)

    return fold(operand, opened)


def holds_array(operands: Sequence[Any]) -> bool:
    """Return whether an operand is an array, with or without derivatives."""
    for operand in operands:
        kind = type(operand)
        if kind is Array or kind is Discrete:
            return True
        if (kind is Dual or kind is Node) and type(real_part(operand)) is Array:
            return True
    return False


def of_reals(items: Sequence[Any]) -> bool:
    """Return whether items are many, and reals without derivatives alone, which are then treated together."""
    return len(items) >= MANY and type(items[0]) is float and set(map(type, items)) == _REAL


def is_many_reals(operand: Any) -> bool:
    """Return whether an operand is a tuple or list of many reals, none with a derivative."""
    return type(operand) in (List, Record) and of_reals(operand.items)


# Under one tag


def primal_of(operand: Any, tag: int) -> Any:
    """Return an operand with the primals of its numbers under one tag."""
    if type(operand) is Dual:
        return operand.primal if operand.tag == tag else primal_at(operand, tag)
    if type(operand) in NUMBERS or not leaves(operand):
        return operand
    return with_leaves(operand, lambda x: primal_at(x, tag))


def has_tag(operand: Any, tag: int) -> bool:
    """Return whether a number of an operand has a tangent under one tag."""
    for number in leaves(operand):
        if type(number) is Dual and (number.tag == tag or tangent_at(number, tag) is not None):
            return True
    return False


def tangent_of(operand: Any, tag: int) -> Any:
    """Return the tangent of an operand; zero for numbers without one, for integers and for booleans."""
    if type(operand) is Dual and operand.tag == tag:  # the usual case
        return single(operand.tangent)

    def other(number: Any) -> Any:
        found = tangent_at(number, tag)
        return zero(primal_at(number, tag)) if found is None else found

    return with_leaves(operand, other, exact_zero)


def exact_zero(value: Any) -> Any:
    """Return the tangent of an integer, a boolean or an array of these, which is zero; others themselves."""
    if type(value) is Discrete:
        return Discrete(zeros_beside(value.data, value.data.shape, value.data.dtype), Memory())
    return 0 if type(value) in INTEGERS else value


def parts_of(tangent: Any) -> list[Any]:
    """Return the tangents of a result's numbers from the result's tangent; None means zero."""
    if isinstance(tangent, tuple):
        return [part for item in tangent for part in parts_of(item)]
    return [None] if tangent is None else list(leaves(tangent))


# Results


class Items(list[Any]):
    """A native result that denotes a proper list of pairs; it has no derivative."""


def value_of(now: Any, result: Any, shown: Sequence[Any] = ()) -> Any:
    """Return a native result (an array, a number, a tuple or list of these) as a value of the language.

    shown: the arrays whose elements the result may show; it then shares their memory.
    """
    kind = type(result)
    if kind in libraries:
        for array in shown:
            if shares(result, array.data):
                return array_of(result, array.memory)
        return array_or_held(result, Memory(now.owner))
    if kind is float:
        return result * 1.0
    if isinstance(result, tuple):
        names = getattr(kind, "_fields", ())
        layout = Layout(kind, names) if names else TUPLE
        if of_reals(result):
            return Record(layout, tuple([item * 1.0 for item in result]))
        return Record(layout, tuple([value_of(now, item, shown) for item in result]))
    if kind is list:
        return List([value_of(now, item, shown) for item in result], owner=now.owner)
    if kind is Items:
        return list_value([value_of(now, item, shown) for item in result])
    if result is None or kind in (int, bool, str):
        return result
    return held(result)
