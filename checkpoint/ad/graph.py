"""Traversals of values as graphs: finding their numbers, replacing them, entering a run.

Sharing counts: an object that is reached twice is visited once and rebuilt once. The order in which
`numbers` finds locations (depth first, parts from the left) is the canonical order; everything that
pairs locations with tangents or cotangents uses it. Nothing here recurses, however deep a value is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from checkpoint.ad.arrays import SYMBOLIC_ZERO, Array, Discrete, Native, Renewal, dead
from checkpoint.ad.containers import MUTABLE_CONTAINERS, Layout, Types
from checkpoint.ad.numbers import NUMBERS, Dual, Number, real_part, renewed, with_outermost
from checkpoint.ad.storage import CONSTANT, FROZEN, NEVER
from checkpoint.ad.values import Capsule, Failure, Foreign, Symbol
from checkpoint.ad.walk import DESCEND, Branch, fold, fold_shared

ATOMS = frozenset((bool, int, str, type(None), Symbol, Failure, Foreign, Layout, Native, Types, range))
NON_DIFFERENTIABLE = ATOMS | {Discrete}  # what has no derivative


def parts_of(value: Any) -> tuple[Any, ...]:
    """What a container holds."""
    return value if type(value) is tuple else value.parts()


def with_parts(value: Any, parts: tuple[Any, ...]) -> Any:
    """The like of a container, holding other parts."""
    return parts if type(value) is tuple else value.with_parts(parts)


def reach(root: Any) -> tuple[list[Number], list[Any]]:
    """What a value reaches, once each, in the canonical order: its numbers, and all else but atoms."""
    found: list[Number] = []
    others: list[Any] = []
    seen = set()
    open_tags: frozenset[int] = frozenset()  # of all capsules met so far
    stack = [root]
    while stack:
        value = stack.pop()
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
        stack.extend(reversed(value if kind is tuple else value.parts()))
    return found, others


def numbers(root: Any) -> list[Number]:
    """The number objects that a value reaches, once each, in the canonical order."""
    return reach(root)[0]


def highest_capsule_tag(root: Any) -> int:
    """The tag counter above which no capsule that a value reaches has seen a tag."""
    return max([value.state.tags for value in reach(root)[1] if type(value) is Capsule], default=0)


def reaches_mutable(root: Any) -> bool:
    """Whether a value reaches what a run may change: a list, a dictionary, an array."""
    found, others = reach(root)
    kinds = set(map(type, others))
    return not MUTABLE_CONTAINERS.isdisjoint(kinds) or Discrete in kinds or any(map(_is_array, found))


def _is_array(number: Number) -> bool:
    return type(number) is not float and type(real_part(number)) is Array


def transform(root: Any, done: dict[int, Any], special: Callable[[Any], Any], births: bool = False) -> Any:
    """Rebuild a value from the bottom up, sharing kept.

    A list or dictionary is always rebuilt: no two runs may hold one. Arrays are up to `done` and `special`.
    done: results by the identity of what they replace; must hold every number.
    special: called for each other value before its parts; DESCEND to rebuild it from its parts.
    births: objects keep theirs.
    """

    def build(value: Any, parts: list[Any]) -> Any:
        result = _reuse(value, tuple(parts))
        if births and result is not value and hasattr(value, "birth"):
            result.birth = value.birth
        return result

    return fold_shared(root, done, special, parts_of, build)


def _reuse(value: Any, parts: tuple[Any, ...]) -> Any:
    """The value itself where no part has changed: what holds no number stays shared with the old."""
    old = parts_of(value)
    if type(value) not in MUTABLE_CONTAINERS and all(
        new is part for new, part in zip(parts, old, strict=True)
    ):
        return value
    return with_parts(value, parts)


def atom_or_descend(value: Any) -> Any:
    """For `transform`: atoms stand for themselves."""
    return value if type(value) in ATOMS else DESCEND


def replace(root: Any, old: Iterable[Number], new: Iterable[Number], births: bool = False) -> Any:
    """The value with each of its numbers replaced by its counterpart."""
    table = {id(number): other for number, other in zip(old, new, strict=True)}
    return transform(root, table, atom_or_descend, births)


def renew(value: Any) -> Any:
    """The value with every location a new one, so that it shares none with what it was made from."""
    if type(value) is float:
        return value * 1.0
    renewal = Renewal()
    if type(value) is Array:
        return renewal(value)
    table = {id(number): renewed(number, renewal) for number in numbers(value)}
    return transform(value, table, _renewing(renewal))


def _renewing(renewal: Renewal) -> Callable[[Any], Any]:
    """For `transform`: atoms stand for themselves, arrays of integers are renewed."""

    def special(value: Any) -> Any:
        if type(value) is Discrete:
            return renewal(value)
        return value if type(value) in ATOMS else DESCEND

    return special


def settled(root: Any, steps: int) -> Any:
    """A value as it is after so many steps of the run that it is from, for another run or for keeping.

    What is stale is dead, all else is not stale, and no run that goes on can hold the same lists.
    Reals are the same objects, and objects keep their births.
    """
    if type(root) is Array:
        return _settled(root, steps, Renewal())
    if not reaches_mutable(root):
        return root
    renewal = Renewal()

    def special(value: Any) -> Any:
        kind = type(value)
        if kind in MUTABLE_CONTAINERS and value.stale <= steps + 1:
            return value.dead()
        if kind in NUMBERS or kind is Discrete:
            return _settled(value, steps, renewal)
        return value if kind in ATOMS else DESCEND

    root = transform(root, {}, special, births=True)
    for value in reach(root)[1]:
        if type(value) in MUTABLE_CONTAINERS and value.stale:
            value.stale = NEVER
    return root


def _settled(value: Any, steps: int, renewal: Renewal) -> Any:
    """A number, or array of integers, as `settled` leaves it."""
    array = value if type(value) is Discrete else real_part(value)
    if type(array) is float:
        return value
    if array.memory.stale <= steps + 1:
        return dead()
    renewal.memory(array.memory).stale = NEVER
    return renewal(value) if type(value) is Discrete else renewed(value, renewal)


def with_own_tags_outermost(capsule: Capsule) -> Capsule:
    """A new capsule as `walk` wants it: its own tags are outside of those of derivatives around it."""
    tags = sorted(capsule.open_tags, reverse=True)
    if not tags:
        return capsule
    found = numbers(capsule)
    outermost = [with_outermost(number, tags) for number in found]
    arranged: Capsule = replace(capsule, found, outermost, births=True)
    return arranged


def enter(root: Any) -> Any:
    """A copy of an argument as it enters a run: every path of its data is a location of its own.

    Closures, capsules and opaques within it keep their inner sharing. Its lists and dictionaries are
    frozen, but for those of capsules, whose runs go on with them.
    """
    if type(root) is float:
        return root * 1.0
    renewal = Renewal(FROZEN)
    if type(root) is Array:
        return renewal(root)

    def opened(value: Any) -> Any:
        kind = type(value)
        if kind in NUMBERS:
            return renewed(value, renewal)
        if kind in ATOMS:
            return value
        if kind is Discrete:
            return renewal(value)
        if kind is not tuple and value.enters_as_graph:
            return _freeze(renew(value))
        return Branch(parts_of(value), lambda parts: _frozen(with_parts(value, tuple(parts))))

    return fold(root, opened)


def _frozen(value: Any) -> Any:
    if type(value) in MUTABLE_CONTAINERS:
        value.owner = FROZEN
    return value


def _freeze(root: Any) -> Any:
    """Freeze what may change of what a new value reaches, but for what is in capsules."""
    seen = set()
    pending = [root]
    while pending:
        value = pending.pop()
        kind = type(value)
        if kind in ATOMS or kind is Capsule or id(value) in seen:
            continue
        seen.add(id(value))
        if kind in NUMBERS or kind is Discrete:
            _freeze_array(value)
            continue
        pending.extend(parts_of(_frozen(value)))
    return root


def constant(root: Any) -> Any:
    """The value, of whose arrays no cotangent is wanted: a program has read it from its surroundings."""
    if type(root) in ATOMS or type(root) is float:
        return root
    for part in (found for group in reach(root) for found in group):
        if type(part) is Array or type(part) is Discrete:
            part.memory.owner = CONSTANT
    return root


def _freeze_array(value: Any) -> None:
    array = value if type(value) is Discrete else real_part(value)
    if type(array) is not float and array.memory.owner not in (CONSTANT, SYMBOLIC_ZERO):
        array.memory.owner = FROZEN
