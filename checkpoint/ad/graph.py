"""Traversals of values as graphs: finding their numbers, replacing them, entering a run.

Sharing counts: an object that is reached twice is visited once and rebuilt once. The order in which
`numbers` finds locations (depth first, parts from the left) is the canonical order; everything that
pairs locations with tangents or cotangents uses it. Nothing here recurses, however deep a value is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from checkpoint.ad.containers import Layout, Types
from checkpoint.ad.numbers import NUMBERS, Dual, Number, fresh, with_outermost
from checkpoint.ad.values import Capsule, Failure, Foreign, Symbol

ATOMS = frozenset((bool, int, str, type(None), Symbol, Failure, Foreign, Layout, Types, range))


def parts_of(value: Any) -> tuple[Any, ...]:
    """What a container holds."""
    return value if type(value) is tuple else value.parts()


def with_parts(value: Any, parts: tuple[Any, ...]) -> Any:
    """The like of a container, holding other parts."""
    return parts if type(value) is tuple else value.with_parts(parts)


def walk(root: Any) -> Iterator[tuple[Any, bool]]:
    """Everything that a value reaches, once each, in the canonical order, and whether it is a number."""
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
            yield value, True
            continue
        if kind is Capsule:
            open_tags |= value.open_tags
        yield value, False
        stack.extend(reversed(parts_of(value)))


def numbers(root: Any) -> list[Number]:
    """The number objects that a value reaches, once each, in the canonical order."""
    return [value for value, is_number in walk(root) if is_number]


def highest_capsule_tag(root: Any) -> int:
    """The tag counter above which no capsule that a value reaches has seen a tag."""
    return max((value.state.tags for value, _ in walk(root) if type(value) is Capsule), default=0)


def transform(root: Any, done: dict[int, Any], special: Callable[[Any], Any]) -> Any:
    """Rebuild a value from the bottom up, sharing kept.

    done: results by the identity of what they replace; must hold every number.
    special: called for each other value before its parts; DESCEND to rebuild it from its parts.
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
        done[id(value)] = result
        stack.pop()
    return done[id(root)]


class _Descend:
    """The type of DESCEND."""


DESCEND = _Descend()


def _reuse(value: Any, parts: tuple[Any, ...]) -> Any:
    """The value itself where no part has changed: what holds no number stays shared with the old."""
    old = parts_of(value)
    if all(new is part for new, part in zip(parts, old, strict=True)):
        return value
    return with_parts(value, parts)


def atom_or_descend(value: Any) -> Any:
    """For `transform`: atoms stand for themselves."""
    return value if type(value) in ATOMS else DESCEND


def replace(root: Any, old: Iterable[Number], new: Iterable[Number]) -> Any:
    """The value with each of its numbers replaced by its counterpart."""
    table = {id(number): other for number, other in zip(old, new, strict=True)}
    return transform(root, table, atom_or_descend)


def with_own_tags_outermost(capsule: Capsule) -> Capsule:
    """A new capsule as `walk` wants it: its own tags are outside of those of derivatives around it."""
    tags = sorted(capsule.open_tags, reverse=True)
    if not tags:
        return capsule
    found = numbers(capsule)
    arranged: Capsule = replace(capsule, found, [with_outermost(number, tags) for number in found])
    return arranged


def enter(root: Any) -> Any:
    """A copy of an argument as it enters a run: every path of its data is a location of its own.

    Closures, capsules and opaques within it keep their inner sharing.
    """
    results: list[Any] = []
    pending: list[tuple[Any, int]] = [(root, -1)]  # a count of -1: not visited yet
    while pending:
        value, count = pending.pop()
        kind = type(value)
        if count >= 0:
            parts = tuple(results[len(results) - count :])
            del results[len(results) - count :]
            results.append(with_parts(value, parts))
        elif kind in NUMBERS:
            results.append(fresh(value))
        elif kind in ATOMS:
            results.append(value)
        elif kind is not tuple and value.enters_as_graph:
            found = numbers(value)
            results.append(replace(value, found, map(fresh, found)))
        else:
            parts = parts_of(value)
            pending.append((value, len(parts)))
            pending.extend((part, -1) for part in reversed(parts))
    return results[0]
