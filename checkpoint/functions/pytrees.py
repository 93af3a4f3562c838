"""Arguments and results of programs in Python: pytrees (nests) of containers, with numbers at the leaves.

    into the language    floats, ints, bools, strings, None, ranges; tuples, named tuples, lists, dicts,
                         dataclasses and other plain objects of them; functions, capsules
    back                 the same; a cotangent has the structure of the argument, with None where there is
                         nothing to differentiate

A class that is registered with optree (in the namespace "checkpoint", or globally) enters as an object
like any other; its cotangent is made by the registered function, which keeps what is no child. Lists and
dictionaries that enter belong to nobody who may change them. What cannot enter is a RunError that names
the place as Python would write it. Nothing here recurses.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

from checkpoint.ad import library as arrays
from checkpoint.ad.array_library import holds_numbers, libraries
from checkpoint.ad.arrays import Array, Memory, Native
from checkpoint.ad.arrays import entered as array_entered
from checkpoint.ad.attributes import set_own
from checkpoint.ad.containers import CONTAINERS, ITEMS, Dict, List
from checkpoint.ad.entered import SEQUENCES, Entered, value_of_arrays
from checkpoint.ad.graph import ATOMS, numbers
from checkpoint.ad.numbers import NUMBERS
from checkpoint.ad.storage import FROZEN
from checkpoint.ad.values import Opaque
from checkpoint.ad.walk import Branch, fold
from checkpoint.errors import RunError, SourceError
from checkpoint.lang.python.library.stand_ins import BY_CLASS, stand_in_of
from checkpoint.lang.python.source.class_bodies import check_leaves
from checkpoint.lang.python.source.members import base_of
from checkpoint.lang.python.source.plain_objects import items_of, with_items
from checkpoint.prims.python.native import PLAIN, NoValue, from_native, native
from checkpoint.prims.python.tangents import holds_complex

NAMESPACE = "checkpoint"


def to_language(nest: Any, name: str, other: Callable[[Any], Any], entered: Entered | None = None) -> Any:
    """Return the value of the language for an argument, a pytree.

    name: what the user calls the argument. other: gives the value of what is neither number nor container
        (a function, a capsule), or NotImplemented.
    entered: what has entered, if this is a hidden input: these are a graph together. In them, as in the
        attributes of an object of the user's own, what is no value of a program is held by reference.
    """
    kind = type(nest)
    if kind is float or kind in PLAIN:
        return nest
    if kind in libraries and holds_numbers(nest):
        return array_entered(nest, Memory(FROZEN))
    if kind is list and entered is None and _PLAIN.issuperset(map(type, nest)):
        return List(list(nest), owner=FROZEN)
    whole = value_of_arrays(nest) if kind in SEQUENCES and entered is None else None
    if whole is not None:
        return whole

    def leaf(thing: Any) -> Any:
        if thing is Ellipsis:
            return Native(thing)
        if arrays.is_of_library(thing):
            if type(thing) in libraries and holds_numbers(thing):
                return from_native(thing, leaf)
            dtype = arrays.dtype_of(thing)
            if dtype is not None:
                return Native(dtype)
        if isinstance(thing, float):
            return float(thing)
        value = other(thing)
        if value is NotImplemented:
            raise NoValue(thing)
        return value

    try:
        return from_native(nest, leaf, entered=entered)
    except (NoValue, SourceError):
        return _holder(nest, name, entered).value(leaf)


def _holder(nest: Any, name: str, entered: Entered | None) -> Any:
    from checkpoint.functions.holding import Holder  # noqa: PLC0415  (few programs need it, and its imports)

    return Holder(nest, name, entered)


def to_python(value: Any, function: Callable[[Any], Any]) -> Any:
    """Return the pytree for a value of the language; `function` gives the callable for a closure."""
    if type(value) is float:
        return value
    check_leaves(value)
    return native(value, None, function)


def cotangent_to_python(nest: Any, cotangent: Any) -> Any:
    """Return the cotangent of an argument in its structure, with None where it holds no real."""
    if type(cotangent) is float:
        return cotangent
    if type(cotangent) is Array:
        return cotangent_leaf(nest, cotangent)
    whole = _of_numbers(nest, cotangent) if type(cotangent) in CONTAINERS else None
    return _fold(nest, cotangent, cotangent_leaf, _of_numbers) if whole is None else whole


def cotangent_leaf(item: Any, cotangent: Any) -> Any:
    """Return the cotangent of a leaf as the caller's own; None where there is nothing to differentiate."""
    if type(cotangent) is Opaque and not cotangent.numbers:
        return None
    if type(cotangent) is not Array:
        return cotangent
    return cotangent.data if _is_array(type(item)) else cotangent.data[()]


def _of_numbers(item: Any, cotangent: Any) -> Any:
    """Return the cotangent of a list, tuple or dict of nothing but reals, or arrays; None for all others."""
    if type(item) not in SEQUENCES or not item:
        return None
    given, parts = item.values() if type(item) is dict else item, cotangent.parts()
    if _FLOAT.issuperset(map(type, parts)):
        datas = list(parts)
    elif _ARRAY.issuperset(map(type, parts)) and all(map(_is_array, set(map(type, given)))):
        datas = [part.data for part in parts]
    else:
        return None
    return dict(zip(item, datas, strict=True)) if type(item) is dict else type(item)(datas)


_ARRAY, _FLOAT, _PLAIN = frozenset((Array,)), frozenset((float,)), PLAIN | {float}


def _is_array(cls: type) -> bool:
    """Return whether the objects of a class of a library's are arrays, not scalars."""
    return hasattr(cls, "__setitem__")


def with_leaves(nest: Any, value: Any, leaves: Sequence[Any]) -> Any:
    """Return a pytree with another leaf for each real, and None for all other leaves.

    value: the nest in the language, as a tree. leaves: in the order of its numbers.
    """
    if holds_complex(value):
        raise RunError(
            "there is no matrix of derivatives of complex numbers: pass and return real and imaginary parts, "
            "or use vjp and jvp"
        )
    rest = iter(leaves)

    def leaf(_: Any, part: Any) -> Any:
        if type(part) in NUMBERS:
            return next(rest)
        if type(part) not in ATOMS and numbers(part):
            raise RunError("a function or capsule that holds reals has no place in a matrix of derivatives")
        return None

    return _fold(nest, value, leaf)


def _fold(
    nest: Any,
    value: Any,
    leaf: Callable[[Any, Any], Any],
    together: Callable[[Any, Any], Any] = lambda item, other: None,
) -> Any:
    """Return a pytree of the same structure, with `leaf` of its leaves and those of a value.

    together: returns the result for a whole container; None where its parts are to be visited.
    """

    def opened(pair: tuple[Any, Any]) -> Any:
        item, other = pair
        if isinstance(item, type):
            return None
        if type(other) not in CONTAINERS:
            return leaf(item, other)
        if type(item) in _FUNCTIONS:
            return None  # one of a library, with a place in the program of its own; or a method
        whole = together(item, other)
        if whole is not None:
            return whole
        pairs = list(zip(parts_of_python(item, other), other.parts(), strict=True))
        return Branch(pairs, lambda parts: rebuilt(item, other, parts))

    return fold((nest, value), opened)


_FUNCTIONS = frozenset((types.FunctionType, types.BuiltinFunctionType, types.MethodType))


def parts_of_python(item: Any, value: Any) -> Any:
    """Return the parts of a Python object, aligned with those of its value in the language."""
    if type(value) is Dict:
        return item.values()
    if type(value) is List or isinstance(item, tuple):
        return item
    if isinstance(item, set | frozenset):
        return [dict.fromkeys(item)]
    if type(item) is complex:
        return [item.real, item.imag]
    stand_in = stand_in_of(item)
    if stand_in is not None:
        return list(stand_in.taken(item).values())
    names = value.layout.names
    return [
        items_of(item)
        if name == ITEMS
        else None
        if name.startswith("(")
        else object.__getattribute__(item, name)
        for name in names
    ]


def rebuilt(item: Any, value: Any, parts: list[Any]) -> Any:
    """Return a Python object like another, of other parts, without running its class's code."""
    if type(value) is List:
        return parts
    if type(value) is Dict:
        return dict(zip(value.items, parts, strict=True))
    cls, names = type(item), value.layout.names
    if cls in (set, frozenset):
        return None  # those that enter hold no real
    if cls is tuple:
        return tuple(parts)
    if cls is complex:
        return complex(parts[0], 0.0 - parts[1])  # of the two cotangents, by the convention
    attributes = {n: part for n, part in zip(names, parts, strict=True) if not n.startswith("(")}
    if cls is dict:
        return dict(zip(item, attributes["held"].values(), strict=True))
    if cls in BY_CLASS:
        return _like(item, BY_CLASS[cls], attributes)
    registered = _registered(cls)
    if registered is not None:
        made = _by_registration(item, attributes, registered)
        if made is not None:
            return made[0]
    if base_of(cls) is not None:
        return _derived(cls, attributes, parts[value.layout.index[ITEMS]])
    return tuple.__new__(cls, parts) if issubclass(cls, tuple) else _object(cls, attributes)


def _like(item: Any, stand_in: arrays.StandIn, parts: dict[str, Any]) -> Any:
    """Return an object of a library like another, with other items, or with other parts if it has none.

    What has no derivative, and so is None, is the other object's.
    """
    changed = {"table": parts["table"]} if "table" in parts else parts
    changed = {name: part for name, part in changed.items() if part is not None}
    attributes = {**stand_in.taken(item), **changed}
    made = stand_in.empty(attributes)
    stand_in.fill(made, attributes)
    return made


def _object(cls: type, attributes: dict[str, Any]) -> Any:
    made: Any = object.__new__(cls)
    for name, part in attributes.items():
        set_own(made, name, part)
    return made


def _derived(cls: type, attributes: dict[str, Any], items: Any) -> Any:
    """Return an object of a class that derives from a type of Python's own, such as dict."""
    made = with_items(cls, base_of(cls), items)
    for name, part in attributes.items():
        set_own(made, name, part)
    return made


def _registered(cls: type) -> Any:
    """Return optree's record of a class; nothing is registered before somebody has imported optree."""
    optree = sys.modules.get("optree")
    if optree is None or issubclass(cls, tuple):
        return None
    return optree.register_pytree_node.get(cls, namespace=NAMESPACE)


def _by_registration(item: Any, attributes: dict[str, Any], registered: Any) -> tuple[Any] | None:
    """Return the object that the registered function makes of other children, or None where it cannot.

    Which attribute each child is, is learnt from an object whose attributes are marks.
    """
    marks = {name: object() for name in attributes}
    of_mark = {id(mark): name for name, mark in marks.items()}
    try:
        marked = list(registered.flatten_func(_object(type(item), marks))[0])
    except Exception:  # the user's function computes with what it is given; the marks are no numbers
        return None
    if any(id(child) not in of_mark for child in marked):
        return None
    metadata = registered.flatten_func(item)[1]
    children = [attributes[of_mark[id(child)]] for child in marked]
    return (registered.unflatten_func(metadata, children),)
