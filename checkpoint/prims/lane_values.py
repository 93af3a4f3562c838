"""Tell the steps of `vmap` what values are: arrays, pytrees and their parts, and values in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan
from typing import Any

from checkpoint.ad.arrays import ARRAYS, described
from checkpoint.ad.containers import CONTAINERS, Dict, Record
from checkpoint.ad.numbers import real_part
from checkpoint.ad.values import Capsule, Closure, Pair
from checkpoint.ad.walk import Branch
from checkpoint.errors import an
from checkpoint.lang.python.library.stand_ins import BY_STAND_IN, COMPLEX, Overloads
from checkpoint.prims.python.native import class_name, is_set


def pytree_branch(item: tuple[Any, Any], name: str) -> Branch:
    """Return the parts of a pytree, each with its axes."""
    value, axes = item
    parts = value.parts()
    if type(axes) is int:
        return Branch([(part, axes) for part in parts], builder(value), value)
    fits = is_pytree(value) and type(axes) is type(value)
    if fits and type(value) is Dict:
        fits = axes.items.keys() == value.items.keys()
        found: Sequence[Any] = [axes.items[key] for key in value.items] if fits else ()
    elif fits:
        found = axes.parts()
        fits = len(found) == len(parts)
    if not fits:
        raise ValueError(
            f"vmap: {name} has {in_words(axes)} in the place of {in_words(value)}: write one int for all its "
            f"parts, or {in_words(value)} with an int or None for each"
        )
    return Branch(list(zip(parts, found, strict=True)), builder(value), value)


def builder(value: Any) -> Callable[[list[Any]], Any]:
    """Return a function that makes a container like this one of other parts."""
    return lambda parts: value.with_parts(tuple(parts))


def is_array(value: Any) -> bool:
    """Return whether a value is an array, with derivatives or without."""
    return type(real_part(value)) in ARRAYS


def shape_of(value: Any) -> tuple[int, ...]:
    """Return the shape of an array."""
    return tuple(real_part(value).data.shape)


def is_pytree(value: Any) -> bool:
    """Return whether a value is taken apart: a container that stands for no other object of Python's."""
    return is_container(value) and not is_complex(value) and not is_set(value)


def is_container(value: Any) -> bool:
    """Return whether a value is a pytree, a complex number or a set, which have parts to be compared."""
    if type(value) is Pair:
        return True
    if type(value) not in CONTAINERS:
        return False
    cls = getattr(getattr(value, "layout", None), "cls", None)
    return cls is not Overloads and cls not in BY_STAND_IN


def is_complex(value: Any) -> bool:
    """Return whether a value is a complex number of Python's."""
    return type(value) is Record and value.layout == COMPLEX


def check_size(value: int, lane: str) -> None:
    """Raise OverflowError for an int that no array has room for. lane: the words for what returned it."""
    if not -(2**63) <= value < 2**63:
        raise OverflowError(f"{lane} returns an int of more than 64 bits: return float(n)")


def structure(value: Any) -> Any:
    """Return what two pytrees of one structure have in common, their parts apart."""
    if type(value) is Dict:
        return Dict, frozenset(value.items)
    return type(value), getattr(value, "layout", None), len(value.parts())


def equal(x: Any, y: Any) -> bool:
    """Return whether two values have one structure and equal leaves; NaN equals NaN."""
    pending = [(x, y)]
    while pending:
        one, other = pending.pop()
        if is_container(one):
            if not is_container(other) or structure(one) != structure(other):
                return False
            if type(one) is Dict:
                pending.extend([(one.items[key], other.items[key]) for key in one.items])
            else:
                pending.extend(zip(one.parts(), other.parts(), strict=True))
        elif not _equal_leaves(real_part(one), real_part(other)):
            return False
    return True


def _equal_leaves(x: Any, y: Any) -> bool:
    if type(x) is not type(y):
        return False
    if type(x) in ARRAYS:
        same = x.data.dtype == y.data.dtype and tuple(x.data.shape) == tuple(y.data.shape)
        return same and bool(((x.data == y.data) | ((x.data != x.data) & (y.data != y.data))).all())
    return bool(x == y) or (type(x) is float and isnan(x) and isnan(y))


def in_words(value: Any) -> str:
    """Return a value in words."""
    plain = real_part(value)
    if type(plain) in ARRAYS:
        return f"an array {described(plain.data)}"
    if type(value) in (Closure, Capsule):
        return "a function" if type(value) is Closure else "a capsule"
    if value is None:
        return "None"
    if type(value) is Dict:
        return f"a dict with the keys {list(value.items)}"
    if is_pytree(value) and type(value) is not Pair:
        return f"{an(class_name(value))} of {len(value.parts())}"
    name = class_name(value)
    if name == "ndarray":
        return "an array of what is no number"
    return an(name)
