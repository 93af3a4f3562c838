"""Updates of lists, dictionaries and objects: changes in place, for everybody who refers to the container.

The value of an update is the container itself, with the birth that it has. An update first does all that can
fail, then it changes the items. One that keeps the places of the elements states what it writes; one that
moves elements (insert, reverse, ...) fills the container with copies.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from checkpoint.ad.containers import MUTABLE_CONTAINERS, Dict, List, Record, changeable
from checkpoint.ad.numbers import fresh
from checkpoint.ad.storage import Now
from checkpoint.errors import RunError, an
from checkpoint.prims.python.support import (
    INDEXED,
    WHOLE,
    check_own,
    copies_of,
    elements,
    has_fields,
    key_of,
    no_attribute,
    python_operands,
    refuse,
    update,
)

# Known before the update is made, also where it will fail: then it does not matter what they are.
Writes = list[tuple[Any, int, Any]]


def changed(now: Now, x: Any, change: Callable[[Any], object]) -> Any:
    """Change the items of x, and return x; `change` fails at once, or not at all."""
    change(changeable(now, x))
    return x


def rearranged(now: Now, x: Any, items: list[Any]) -> List:
    """Fill a list with copies of items; its locations are new."""
    changeable(now, x)[:] = copies_of(items)
    result: List = x
    return result


def dict_of(now: Now, items: dict[Any, Any]) -> Dict:
    """Return a dictionary of copies that belongs to the run."""
    return Dict({key: fresh(item) for key, item in items.items()}, owner=now.owner)


def _index(now: Now, i: Any) -> Any:
    """Return an index as Python takes it, or as Python's message names it."""
    return i if type(i) in WHOLE else python_operands(now, (i,))[0]


# x[i] = v


def _set(now: Now, x: Any, i: Any, v: Any) -> Any:
    if type(x) is List:
        place = _index(now, i)
        if isinstance(place, slice):
            raise RunError(
                "a slice that is a value cannot be assigned to: write its bounds, xs[i:j] = values"
            )
    elif type(x) is Dict:
        place = key_of(now, i)
    else:
        check_own(x)
        return refuse(now, operator.setitem, x, i, v)
    return changed(now, x, lambda items: items.__setitem__(place, fresh(v)))


def _set_writes(now: Now, x: Any, i: Any, v: Any) -> Writes:
    if type(x) is Dict:
        return [(key_of(now, i), 2, None)]
    place = _index(now, i)
    if type(x) is not List or not hasattr(place, "__index__"):
        return []
    place = operator.index(place)
    return [(place if place >= 0 else place + len(x.items), 2, None)]


def _set_place(now: Now, result: Any, x: Any, i: Any, v: Any) -> Any:
    if type(result) is Dict:
        return key_of(now, i)
    place = operator.index(_index(now, i))
    return place if place >= 0 else place + len(result.items)


_SET_PLACE = "({1} if {1} >= 0 else {1} + len({z}.items))"


# del x[i]


def _delete(now: Now, x: Any, i: Any) -> Any:
    if type(x) is Dict:
        key = key_of(now, i)
        return changed(now, x, lambda items: items.__delitem__(key))
    if type(x) is not List:
        check_own(x)
        return refuse(now, operator.delitem, x, i)
    place = _index(now, i)
    items = x.items
    if type(place) in WHOLE and place in (-1, len(items) - 1):
        return changed(now, x, lambda items: items.__delitem__(place))
    rest = list(items)
    del rest[place]
    return rearranged(now, x, rest)


def _delete_writes(now: Now, x: Any, i: Any) -> Writes | None:
    """Return what a deletion writes; None where elements move."""
    moving = type(x) is List and not (type(i) in WHOLE and i in (-1, len(x.items) - 1))
    return None if moving else []


# Methods


def _append(now: Now, x: Any, v: Any) -> Any:
    if type(x) is not List:
        raise no_attribute(x, "append")
    return changed(now, x, lambda items: items.append(fresh(v)))


def _append_place(now: Now, result: Any, x: Any, v: Any) -> int:
    return len(result.items) - 1


def _append_writes(now: Now, x: Any, v: Any) -> Writes:
    return [(len(x.items), 1, None)] if type(x) is List else []


def extend(now: Now, x: Any, ys: Any) -> Any:
    """Perform x.extend(ys), for any ys that Python iterates over."""
    if type(x) is not List:
        raise no_attribute(x, "extend")
    new = copies_of(elements(now, ys))
    return changed(now, x, lambda items: items.extend(new))


def extend_writes(now: Now, x: Any, ys: Any) -> Writes:
    """Return what `extend` writes; the elements of a string, a range, or keys hold no real."""
    if type(x) is not List or not has_fields(ys):
        return []
    start = len(x.items)
    return [(start + i, 1, i) for i in range(len(elements(now, ys)))]


def _insert(now: Now, x: Any, i: Any, v: Any) -> Any:
    if type(x) is not List:
        raise no_attribute(x, "insert")
    place = _index(now, i)
    items = list(x.items)
    items.insert(place, v)
    return rearranged(now, x, items)


def _reverse(now: Now, x: Any) -> Any:
    if type(x) is not List:
        raise no_attribute(x, "reverse")
    return rearranged(now, x, x.items[::-1])


def _clear(now: Now, x: Any) -> Any:
    if type(x) not in (List, Dict):
        raise no_attribute(x, "clear")
    return changed(now, x, lambda items: items.clear())


def _set_slice(now: Now, x: Any, low: Any, high: Any, stride: Any, ys: Any) -> Any:
    where = slice(*python_operands(now, (low, high, stride)))
    if type(x) is not List:
        check_own(x)
        return refuse(now, lambda x, v: operator.setitem(x, where, v), x, ys)
    items = list(x.items)
    if has_fields(ys) or type(ys) is Dict or type(ys) in INDEXED:
        items[where] = elements(now, ys)
    else:
        items[where] = python_operands(now, (ys,))[0]
    return rearranged(now, x, items)


def _delete_slice(now: Now, x: Any, low: Any, high: Any, stride: Any) -> Any:
    where = slice(*python_operands(now, (low, high, stride)))
    if type(x) is not List:
        check_own(x)
        return refuse(now, lambda x: operator.delitem(x, where), x)
    items = list(x.items)
    del items[where]
    return rearranged(now, x, items)


def _permute(now: Now, x: Any, order: Record) -> Any:
    items = x.items
    return rearranged(now, x, [items[i] for i in order.items])


def merge(now: Now, x: Any, other: Any) -> Any:
    """Return a dictionary after x.update(other)."""
    if type(x) is not Dict:
        raise no_attribute(x, "update")
    new = {key: fresh(item) for key, item in entries(now, other).items()}
    return changed(now, x, lambda items: items.update(new))


def entries(now: Now, other: Any) -> dict[Any, Any]:
    """Return what d.update(other) copies, where other is a dictionary or holds nothing."""
    if type(other) is Dict:
        items: dict[Any, Any] = other.items
        return items
    elements(now, other)
    dict(python_operands(now, (other,))[0])
    if not len(elements(now, other)):
        return {}
    raise RunError("a dictionary is made or updated from another one here: write for k, v in pairs: d[k] = v")


def merge_writes(now: Now, x: Any, other: Any) -> Writes:
    return [(key, 1, key) for key in entries(now, other)] if type(x) is Dict else []


# x[i] = v where x[i] itself has been changed


def keeps_identity(v: Any) -> bool:
    """Return whether a changed value is the object that it was before, so that nothing is put back."""
    return type(v) in MUTABLE_CONTAINERS


def _put_back(now: Now, x: Any, i: Any, v: Any) -> Any:
    if keeps_identity(v):
        return x
    check_holder(x)
    return _set(now, x, i, v)


def check_holder(x: Any) -> None:
    """Raise RunError for the change of an array that something immutable holds."""
    if type(x) is Record:
        raise RunError(
            f"an array in {an(x.layout.cls.__name__)} cannot be changed in place here: hold it in a "
            f"variable, a list or an object while it changes"
        )


def _put_back_writes(now: Now, x: Any, i: Any, v: Any) -> Writes:
    return [] if keeps_identity(v) else _set_writes(now, x, i, v)


update("set", 3, "x[i] = v of a list or dictionary: x, i, v", _set, _set_writes, _set_place, _SET_PLACE)
update(
    "put-back",
    3,
    "x[i] = v after a change of x[i], unless that has an identity: x, i, v",
    _put_back,
    _put_back_writes,
)
update("delete", 2, "del x[i] of a list or dictionary: x, i", _delete, _delete_writes)
update("append", 2, "x.append(v): x, v", _append, _append_writes, _append_place)
update("extend", 2, "x.extend(ys): x, ys", extend, extend_writes)
update("insert", 3, "x.insert(i, v): x, i, v", _insert, None)
update("reverse", 1, "x.reverse(): x", _reverse, None)
update("clear", 1, "x.clear(): x", _clear, lambda now, x: [])
update("set-slice", 5, "x[low:high:step] = ys: x, low, high, step, ys", _set_slice, None)
update("delete-slice", 4, "del x[low:high:step]: x, low, high, step", _delete_slice, None)
update("permute", 2, "x with its elements in an order, as py.order gives it: x, order", _permute, None)
update("merge", 2, "x.update(other), a dictionary: x, other", merge, merge_writes)
