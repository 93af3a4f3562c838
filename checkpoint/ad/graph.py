"""Traversals of values as graphs: finding their numbers, replacing them, entering a run.

Sharing counts: an object that is reached twice is visited once and rebuilt once. The order in which
`numbers` finds locations (depth first, parts from the left) is the canonical order; everything that
pairs locations with tangents or cotangents uses it. Nothing here recurses, however deep a value is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from checkpoint.ad.containers import CHANGING, FROZEN, NEVER, Layout, Types
from checkpoint.ad.numbers import NUMBERS, Dual, Number, fresh, with_outermost
from checkpoint.ad.values import Capsule, Failure, Foreign, Symbol

ATOMS = frozenset((bool, int, str, type(None), Symbol, Failure, Foreign, Layout, Types, range))


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


def reaches_container(root: Any) -> bool:
    """Whether a value reaches a list or dictionary."""
    return not CHANGING.isdisjoint(map(type, reach(root)[1]))


def transform(root: Any, done: dict[int, Any], special: Callable[[Any], Any], births: bool = False) -> Any:
    """Rebuild a value from the bottom up, sharing kept.

    A list or dictionary is always rebuilt: no two runs may hold one.
    done: results by the identity of what they replace; must hold every number.
    special: called for each other value before its parts; DESCEND to rebuild it from its parts.
    births: objects keep theirs.
    """
    stack = [root]
    while stack:
        value = stack[-1]
        if id(value) in done:
            stack.pop()
            continue
        result = special(value)
        if result is DESCEND:
            missing = [part for part in parts_of(value) if id(part) not in done]
            if missing:
                stack.extend(missing)
                continue
            result = _reuse(value, tuple([done[id(part)] for part in parts_of(value)]))
            if births and result is not value and hasattr(value, "birth"):
                result.birth = value.birth
        done[id(value)] = result
        stack.pop()
    return done[id(root)]


class _Descend:
    """The type of DESCEND."""


DESCEND = _Descend()


def _reuse(value: Any, parts: tuple[Any, ...]) -> Any:
    """The value itself where no part has changed: what holds no number stays shared with the old."""
    old = parts_of(value)
    if type(value) not in CHANGING and all(new is part for new, part in zip(parts, old, strict=True)):
        return value
    return with_parts(value, parts)


def atom_or_descend(value: Any) -> Any:
    """For `transform`: atoms stand for themselves."""
    return value if type(value) in ATOMS else DESCEND


def replace(root: Any, old: Iterable[Number], new: Iterable[Number], births: bool = False) -> Any:
    """The value with each of its numbers replaced by its counterpart."""
    table = {id(number): other for number, other in zip(old, new, strict=True)}
    return transform(root, table, atom_or_descend, births)


def settled(root: Any, steps: int) -> Any:
    """A value as it is after so many steps of the run that it is from, for another run or for keeping.

    What is stale is dead, all else is not stale, and no run that goes on can hold the same lists.
    Numbers are the same objects, and objects keep their births.
    """
    if not reaches_container(root):
        return root

    def special(value: Any) -> Any:
        kind = type(value)
        if kind in CHANGING and value.stale <= steps + 1:
            return value.dead()
        return value if kind in ATOMS or kind in NUMBERS else DESCEND

    root = transform(root, {}, special, births=True)
    for value in reach(root)[1]:
        if type(value) in CHANGING and value.stale:
            value.stale = NEVER
    return root


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
    results: list[Any] = []
    pending: list[tuple[Any, int]] = [(root, -1)]  # a count of -1: not visited yet
    while pending:
        value, count = pending.pop()
        kind = type(value)
        if count >= 0:
            parts = tuple(results[len(results) - count :])
            del results[len(results) - count :]
            results.append(_frozen(with_parts(value, parts)))
        elif kind in NUMBERS:
            results.append(fresh(value))
        elif kind in ATOMS:
            results.append(value)
        elif kind is not tuple and value.enters_as_graph:
            found = numbers(value)
            results.append(_freeze(replace(value, found, map(fresh, found))))
        else:
            parts = parts_of(value)
            pending.append((value, len(parts)))
            pending.extend((part, -1) for part in reversed(parts))
    return results[0]


def _frozen(value: Any) -> Any:
    if type(value) in CHANGING:
        value.owner = FROZEN
    return value


def _freeze(root: Any) -> Any:
    """Freeze the lists and dictionaries that a new value reaches, but for those in capsules."""
    seen = set()
    pending = [root]
    while pending:
        value = pending.pop()
        kind = type(value)
        if kind in ATOMS or kind in NUMBERS or kind is Capsule or id(value) in seen:
            continue
        seen.add(id(value))
        pending.extend(parts_of(_frozen(value)))
    return root
