"""Traversals of values as graphs: finding their numbers, replacing them, entering a run.

Sharing is preserved: an object that two paths reach is visited once and rebuilt once. The order in which
`numbers` finds locations (depth first, parts from the left) is the canonical order; everything that pairs
locations with tangents or cotangents uses it. Nothing here recurses, so values may be of any depth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import is_
from typing import Any

from checkpoint.ad.arrays import SYMBOLIC_ZERO, Array, Discrete, Renewal
from checkpoint.ad.containers import (
    CONTAINERS,
    MUTABLE_CONTAINERS,
    Dict,
    Layout,
    Object,
    OwnCell,
    Record,
    Types,
)
from checkpoint.ad.numbers import NUMBERS, Dual, Number, real_part, renewed
from checkpoint.ad.storage import CONSTANT, FROZEN
from checkpoint.ad.tables import NATIVES
from checkpoint.ad.values import (
    Capsule,
    Closure,
    Environment,
    Failure,
    Foreign,
    Pair,
    Symbol,
    Unusable,
    is_sealed,
)
from checkpoint.ad.walk import (
    DESCEND,
    Branch,
    Cycle,
    Hollow,
    RealLists,
    entered_list,
    fold,
    fold_shared,
    reach_reals,
)
from checkpoint.errors import RunError

ATOMS = frozenset(
    (bool, int, str, bytes, type(None), Symbol, Failure, Foreign, Layout, *NATIVES, Types, Unusable, range)
)
NON_DIFFERENTIABLE = ATOMS | {Discrete}
PLAIN_NUMBERS = frozenset((float, Array))
_LEAVES = ATOMS | NUMBERS
MANY = 8  # parts of a container, from which on they are looked at together


def parts_of(value: Any) -> tuple[Any, ...]:
    """Return the parts of a container."""
    return value if type(value) is tuple else value.parts()


def with_parts(value: Any, parts: tuple[Any, ...]) -> Any:
    """Return a container of the same type with other parts."""
    return parts if type(value) is tuple else value.with_parts(parts)


def only_number(value: Any) -> Number | None:
    """Return the number in a record of nothing else; None for any other value.

    The values of many lanes are such records (checkpoint.prims.batched.values), so what is done in each of
    their steps needs no walk over a graph. Its results are always those of the walk.
    """
    if type(value) is Record and len(value.items) == 1 and type(value.items[0]) in NUMBERS:
        number: Number = value.items[0]
        return number
    return None


def reach(root: Any) -> tuple[list[Number], list[Any]]:
    """Return the numbers and the other non-atoms that a value reaches, once each, in the canonical order."""
    only = only_number(root)
    if only is not None:
        return [only], [root]
    found: list[Number] = []
    others: list[Any] = []
    seen: set[int] = set()
    open_tags: frozenset[int] = frozenset()  # of all capsules met so far
    stack = [root]
    while stack:
        value = stack.pop()
        if type(value) is Pair:
            value = reach_reals(value, seen, found, others)
        kind = type(value)
        if kind in ATOMS or id(value) in seen:
            continue
        seen.add(id(value))
        if kind in NUMBERS and not (kind is Dual and value.tag in open_tags):
            found.append(value)
            continue
        if kind is Capsule:
            open_tags |= value.open_tags
        others.append(value)
        parts = value if kind is tuple else value.parts()
        if len(parts) >= MANY and is_flat(parts):
            ids = set(map(id, parts))
            if len(ids) == len(parts) and seen.isdisjoint(ids):
                seen |= ids
                found.extend(parts)
                continue
        stack.extend(reversed(parts))
    return found, others


def reach_entered(root: Any) -> tuple[list[Number], list[Any]]:
    """Return the numbers that a value reaches which has entered, and the others in its closures and capsules.

    They are in the order of `reach`. Nothing in its data is met twice, so nothing need be remembered.
    """
    found: list[Number] = []
    others: list[Any] = []
    stack = [root]
    while stack:
        value = stack.pop()
        kind = type(value)
        if kind in NUMBERS:
            found.append(value)
        elif kind in NON_DIFFERENTIABLE:
            continue
        elif kind is not tuple and value.enters_as_graph:
            inner, more = reach(value)
            found += inner
            others += more
        else:
            parts = parts_of(value)
            if is_flat(parts):
                found.extend(parts)
            else:
                stack += [part for part in reversed(parts) if type(part) not in NON_DIFFERENTIABLE]
    return found, others


def containers_in(root: Any) -> list[Any]:
    """Return what a value reaches that is no number or atom, closed capsules whole, in canonical order."""
    others: list[Any] = []
    seen: set[int] = set()
    stack = [root]
    while stack:
        value = reach_reals(stack.pop(), seen, [], others)
        kind = type(value)
        if kind in _LEAVES or id(value) in seen:
            continue
        seen.add(id(value))
        others.append(value)
        if kind is Capsule and value.is_closed:
            continue
        parts = value if kind is tuple else value.parts()
        if len(parts) < MANY or not is_flat(parts):
            stack += [part for part in reversed(parts) if type(part) not in _LEAVES]
    return others


def is_flat(parts: Sequence[Any]) -> bool:
    """Return whether the parts of a container are all reals and arrays without derivatives.

    Walks take the parts of such a container together if they are MANY: each then costs them little.
    """
    return PLAIN_NUMBERS.issuperset(map(type, parts))


def each_number(root: Any) -> Iterator[Any]:
    """Yield what `numbers` returns, one by one, for who needs the first ones only.

    A capsule's own duals are yielded whole.
    """
    seen: set[int] = set()
    stack = [root]
    while stack:
        value = stack.pop()
        kind = type(value)
        if kind in ATOMS or id(value) in seen:
            continue
        seen.add(id(value))
        if kind in NUMBERS:
            yield value
        else:
            stack.extend(reversed(value if kind is tuple else value.parts()))


def holds_number(root: Any) -> bool:
    """Return whether a value reaches a number."""
    parts = root.parts() if type(root) in CONTAINERS else ()
    if parts and type(parts[0]) in PLAIN_NUMBERS:
        return True
    return next(each_number(root), None) is not None


def numbers(root: Any) -> list[Number]:
    """Return the number objects that a value reaches, once each, in the canonical order."""
    return reach(root)[0]


def highest_capsule_tag(root: Any) -> int:
    """Return the highest tag counter of the capsules that a value reaches; 0 if it reaches none."""
    return highest_tag_among(reach(root)[1])


def highest_tag_among(others: Iterable[Any]) -> int:
    """Return the highest tag counter of the capsules among what a value reaches, 0 without any."""
    return max([value.state.tags for value in others if type(value) is Capsule], default=0)


def transform(root: Any, done: dict[int, Any], special: Callable[[Any], Any], births: bool = False) -> Any:
    """Return a value rebuilt from the leaves up, with the same sharing.

    Mutable containers are always rebuilt, since two runs must not hold the same one; other containers are
    rebuilt where a part has changed.
    done: results by the identity of the objects that they replace; it must hold every number, or `special`
        must return its result.
    special: called for each other value before its parts; returns its result, or DESCEND to rebuild it.
    births: whether rebuilt objects have the births of the old ones.
    """
    lists = RealLists(done, special, lambda value, parts: rebuilt(value, parts, births))

    def build(value: Any, parts: list[Any]) -> Any:
        return rebuilt(value, tuple(parts), births)

    def leaf(value: Any) -> Any:
        if type(value) is Pair:
            return lists.rebuilt(value)
        result = special(value)
        if result is not DESCEND or type(value) not in MUTABLE_CONTAINERS:
            return result
        hollow = value.hollow()
        if births:
            hollow.birth = value.birth
        return Hollow(hollow)

    return fold_shared(root, done, leaf, parts_of, build, _fill)


def _fill(_: Any, hollow: Any, parts: list[Any]) -> None:
    hollow.fill(parts)


def rebuilt(value: Any, parts: tuple[Any, ...], births: bool) -> Any:
    """Return a container with other parts; itself if no part has changed, so that the old and the new one
    share it. births: whether it has the birth of the old one.
    """
    if all(map(is_, parts, parts_of(value))):
        return value
    result = with_parts(value, parts)
    if births and hasattr(value, "birth"):
        result.birth = value.birth
    return result


def atom_or_descend(value: Any) -> Any:
    """Return an atom itself, DESCEND for any other value; a `special` for `transform`."""
    return value if type(value) in ATOMS else DESCEND


def replace(root: Any, old: Iterable[Number], new: Iterable[Number], births: bool = False) -> Any:
    """Return a value with each number in `old` replaced by the one at its position in `new`."""
    table = {id(number): other for number, other in zip(old, new, strict=True)}
    only = only_number(root)
    if only is not None:
        return rebuilt(root, (table[id(only)],), births)
    return transform(root, table, atom_or_descend, births)


def renew(value: Any, renewal: Renewal | None = None) -> Any:
    """Return a copy of a value whose locations are all new, so that it shares none with the old value.

    renewal: makes the new handles on its arrays; those on the same elements, unless given.
    """
    if type(value) is float:
        return value * 1.0
    renewal = Renewal() if renewal is None else renewal
    if type(value) is Array:
        return renewal(value)
    if is_sealed(value):
        return value.unsealed()
    table = {id(number): renewed(number, renewal) for number in numbers(value)}
    return transform(value, table, _renewing(renewal))


def _renewing(renewal: Renewal) -> Callable[[Any], Any]:
    """Return a `special` for `transform` that keeps atoms and renews arrays of integers."""

    def special(value: Any) -> Any:
        if type(value) is Discrete:
            return renewal(value)
        return value if type(value) in ATOMS else DESCEND

    return special


def enter(root: Any, is_new: bool = False, renewal: Renewal | None = None) -> Any:
    """Return a copy of an argument as it enters a run: each path in its data leads to a location of its own.

    RunError: it is a part of itself.
    is_new: whether it was made of Python objects for this run alone: its arrays are locations already.
    renewal: makes the handles on its arrays; frozen ones, unless given.

    Closures, capsules and opaques in it preserve their inner sharing. Its lists, dictionaries and arrays are
    frozen, except for those in capsules, whose runs resume with them.
    """
    if type(root) is float:
        return root * 1.0
    in_closures = renewal
    renewal = renewal or Renewal(FROZEN)
    if type(root) is Array:
        return root if is_new else renewal(root)

    def opened(value: Any) -> Any:
        kind = type(value)
        if kind in NUMBERS:
            return value if is_new and kind is Array else renewed(value, renewal)
        if kind in ATOMS:
            return value
        if kind is Discrete:
            return value if is_new else renewal(value)
        if kind is not tuple and value.enters_as_graph:
            return _freeze(renew(value, in_closures))
        if kind is Pair and type(value.car) is float:
            return entered_list(value)
        item = value if kind in MUTABLE_CONTAINERS else None
        parts = parts_of(value)
        if is_new and parts and _ARRAY.issuperset(map(type, parts)):
            return value
        return Branch(parts, lambda parts: _frozen(with_parts(value, tuple(parts))), item)

    try:
        return fold(root, opened)
    except Cycle:
        raise RunError(
            "what is a part of itself (a list, a dictionary, an object) cannot be passed"
        ) from None


_ARRAY = frozenset((Array,))


def _frozen(value: Any) -> Any:
    if type(value) in MUTABLE_CONTAINERS:
        value.owner = FROZEN
    return value


def holds_atoms(f: Closure) -> bool:
    """Return whether a closure has captured atoms alone, in environments within environments."""
    pending = [f.env]
    while pending:
        for value in pending.pop().values:
            if type(value) is Environment:
                pending.append(value)
            elif type(value) not in ATOMS:
                return False
    return True


def _freeze(root: Any) -> Any:
    """Freeze the lists, dictionaries and arrays that a new value reaches outside of capsules; return it.

    A cell that is the value's own is not frozen, nor a dictionary in it.
    """
    seen, pending = set(), [root]
    while pending:
        value = pending.pop()
        kind = type(value)
        if kind in ATOMS or kind is Capsule or id(value) in seen:
            continue
        seen.add(id(value))
        if kind in NUMBERS or kind is Discrete:
            array = value if kind is Discrete else real_part(value)
            if type(array) is not float and array.memory.owner not in (CONSTANT, SYMBOLIC_ZERO):
                array.memory.owner = FROZEN
        elif kind is Object and value.layout.cls is OwnCell:
            (held,) = value.items
            pending.extend(parts_of(held) if type(held) is Dict else [held])
        else:
            pending.extend(parts_of(_frozen(value)))
    return root


def constant(root: Any) -> Any:
    """Mark the arrays of a value as CONSTANT, so that they receive no cotangents; return the value.

    Programs read such values from their surroundings.
    """
    if type(root) in ATOMS or type(root) is float:
        return root
    for part in (found for group in reach(root) for found in group):
        if type(part) is Array or type(part) is Discrete:
            part.memory.owner = CONSTANT
    return root
