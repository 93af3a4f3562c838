"""Merges the params of a header that always have one value: numbers without cotangents, and objects.

In: a unit whose trees are complete. Out: the same unit. A loop within a loop holds beside its own variables
those that the outer one goes on with, and both are mostly the same: where each jump passes the same on for
several params (congruence.py), the first one stays, and the root of the header copies it to the places of
the others, which then cost nothing at a jump. Where the machine enters it is checked that they are one
(Header.merged): so it must be likely. It is where some jump passes one place for both, or two that are
merged; params that only keep what they had may differ.

What always holds: reals are not merged, since each has a cotangent of its own. The place that stays has one
reference for all of them (counted.py).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from checkpoint.ctarget.translate.ops.places import (
    Constant,
    DualParts,
    KnownClosure,
    Place,
    Source,
    View,
    places_in,
)
from checkpoint.ctarget.translate.ops.scalar_ops import Copy
from checkpoint.ctarget.translate.units.checked import check_if_asked
from checkpoint.ctarget.translate.units.congruence import Passed, congruence
from checkpoint.ctarget.translate.units.counted import Merged, count
from checkpoint.ctarget.translate.units.graph import Header, Jump, Unit
from checkpoint.ctarget.translate.units.invariants import copies, original
from checkpoint.ctarget.translate.units.paths import all_paths, reached, tree

MERGED = frozenset(("integer", "boolean", "value"))  # the kinds of params that may be merged


def merge(unit: Unit) -> None:
    """Merge the params of a unit's headers that always have one value."""
    leading = _leading(unit)
    if not leading:
        return
    merged = Merged(leading)
    for header in unit.headers:
        for node in tree(header):
            if isinstance(node.end, Jump):
                _shorten_jump(node.end, merged)
    for header in unit.headers:
        _shorten(header, leading)
        count(header, merged)
        copied = [Copy(param, first) for param, first in header.merged if param in leading]
        header.root.ops = [*copied, *header.root.ops]
    check_if_asked(unit)


def _leading(unit: Unit) -> dict[Place, Place]:
    """Return for each param that is merged the one that stays."""
    ways: dict[int, list[Mapping[Place, Source]]] = {}
    for path in all_paths(unit):
        if isinstance(path.end, Jump):
            of, to = copies(path), path.end.header
            sources = zip(to.params, path.end.sources, strict=True)
            ways.setdefault(id(to), []).append({param: original(source, of) for param, source in sources})
    headers: list[tuple[Header, Passed]] = [(header, ways.get(id(header), [])) for header in reached(unit)]
    first: dict[Place, Hashable] = {}
    for header, passed in headers:
        first |= _apart(header, passed)
    classes = congruence([(header.params, passed) for header, passed in headers], first)
    return _likely(headers, classes)


def _apart(header: Header, passed: Passed) -> dict[Place, Hashable]:
    """Return by what params differ, whatever jumps pass on: what is known of them, or that they stay."""
    found: dict[Place, Hashable] = {}
    tags = dict(zip(header.params, header.tags, strict=False))
    alone = header.params if not passed else _alone(header)
    for param in header.params:
        found[param] = (param.kind, tags.get(param))
        is_made = any(not isinstance(way[param], Place | Constant | KnownClosure) for way in passed)
        if param in alone or param.kind not in MERGED or is_made:
            found[param] = param
    return found


def _alone(header: Header) -> set[Place]:
    """Return the params that are more than the content of a register, or of a known closure in one."""
    read = set(places_in([source for effect in header.exit.effects for source in effect.reads()]))
    given = [*(header.entry or ()), *header.exit.contents]
    return read.union(places_in([each for _, each in given if isinstance(each, View | DualParts)]))


def _likely(headers: list[tuple[Header, Passed]], classes: Mapping[Place, Hashable]) -> dict[Place, Place]:
    """Return for params of a class one of them, if that is another, where some jump makes both one."""
    found = {param: param for header, _ in headers for param in header.params}
    before = 0
    while before != len(set(found.values())):
        before = len(set(found.values()))
        for header, passed in headers:
            for way in passed:
                _join(header.params, way, classes, found)
    return {param: first for param, first in found.items() if param is not first}


def _join(
    params: Sequence[Place],
    way: Mapping[Place, Source],
    classes: Mapping[Place, Hashable],
    found: dict[Place, Place],
) -> None:
    """Join the params of a class for which a way to their header passes one place on."""
    firsts: dict[Hashable, Place] = {}
    for param in params:
        source = way[param]
        if not isinstance(source, Place):
            continue
        first, other = firsts.setdefault((classes[param], found.get(source, source)), param), found[param]
        if found[first] is not other:
            found.update({each: found[first] for each in params if found[each] is other})


def _shorten_jump(jump: Jump, merged: Merged) -> None:
    """Remove the sources of merged params from a jump."""
    sources = list(zip(jump.header.params, jump.sources, strict=True))
    gone = [source for param, source in sources if param in merged.leading and param.kind == "value"]
    merged.gone[id(jump)] = [merged.leading.get(place, place) for place in places_in(gone)]
    jump.sources = tuple([merged.renamed(source) for param, source in sources if param not in merged.leading])


def _shorten(header: Header, leading: Mapping[Place, Place]) -> None:
    """Remove the merged params of a header."""
    stays = [param not in leading for param in header.params]
    header.merged += tuple([(param, leading[param]) for param in header.params if param in leading])
    if header.tags:
        header.tags = tuple([tag for tag, is_left in zip(header.tags, stays, strict=True) if is_left])
    header.params = tuple([param for param in header.params if param not in leading])
