"""Tangents and cotangents: shaped like the values they belong to.

A real has a number; data has data of the same shape; a closure, capsule or opaque has an Opaque; for
everything else there is nothing, which is null. Another shape is a ShapeError that names the path.
Tangents and cotangents have the same shapes, so one set of functions serves both.
"""

from __future__ import annotations

from typing import Any

from checkpoint.ad.graph import ATOMS, DESCEND, numbers, parts_of, replace, transform, with_parts
from checkpoint.ad.numbers import NUMBERS, Dual, Number, fresh, primal_at, tangent_at
from checkpoint.ad.values import Opaque, Pair

Path = tuple[Any, str]  # the path of the whole, and the last step from it


class ShapeError(ValueError):
    """A tangent or cotangent does not have the shape of its value."""


def match(value: Any, tangent: Any, what: str) -> list[tuple[Number, Number]]:
    """Each number of a value, by every path that leads to it, with its tangent; in path order."""
    matched: list[tuple[Number, Number]] = []
    stack: list[tuple[Any, Any, Path | None]] = [(value, tangent, None)]
    while stack:
        value, tangent, path = stack.pop()
        kind = type(value)
        if kind in NUMBERS:
            if type(tangent) not in NUMBERS:
                raise _mismatch(what, "a real", tangent, path)
            matched.append((value, tangent))
        elif kind in ATOMS:
            if tangent is not None:
                raise _mismatch(what, "nothing, which is ()", tangent, path)
        elif kind is not tuple and value.enters_as_graph:
            matched.extend(_match_opaque(value, tangent, what, path))
        else:
            stack.extend(_match_data(value, tangent, what, path))
    return matched


def _match_opaque(value: Any, tangent: Any, what: str, path: Path | None) -> list[tuple[Number, Number]]:
    found = numbers(value)
    if type(tangent) is not Opaque or len(tangent.numbers) != len(found):
        reals = "1 real" if len(found) == 1 else f"{len(found)} reals"
        raise _mismatch(what, f"that of a procedure or capsule that holds {reals}", tangent, path)
    return list(zip(found, tangent.numbers, strict=True))


def _match_data(value: Any, tangent: Any, what: str, path: Path | None) -> list[tuple[Any, Any, Path | None]]:
    if type(value) is Pair:
        if type(tangent) is not Pair:
            raise _mismatch(what, "a pair", tangent, path)
        return [(value.cdr, tangent.cdr, (path, "cdr")), (value.car, tangent.car, (path, "car"))]
    if type(tangent) is not tuple or len(tangent) != len(value):
        raise _mismatch(what, f"a tuple of {len(value)}", tangent, path)
    entries = [(part, tangent[i], (path, f"element {i}")) for i, part in enumerate(value)]
    return list(reversed(entries))


def _mismatch(what: str, expected: str, got: Any, path: Path | None) -> ShapeError:
    steps = []
    while path is not None:
        path, step = path
        steps.append(step)
    place = f" at {', '.join(reversed(steps))}" if steps else ""
    return ShapeError(f"the {what}{place} must be {expected}, not {_describe(got)}")


def _describe(value: Any) -> str:
    kind = type(value)
    if kind in NUMBERS:
        return "a real"
    names = {bool: "a boolean", Pair: "a pair", Opaque: "that of another procedure or capsule"}
    if value is None:
        return "()"
    return names.get(kind, f"a {kind.__name__.lower()}")


def lift(value: Any, tangent: Any, tag: int) -> Any:
    """The value with its numbers made dual; it must have entered, so that every path is a location."""
    matched = match(value, tangent, "tangent")
    duals = {id(number): Dual(tag, number, other) for number, other in matched}
    found = numbers(value)
    return replace(value, found, [duals[id(number)] for number in found])


def split(value: Any, tag: int) -> tuple[Any, Any]:
    """The primal and the tangent of a value under a tag, both new; no tangent counts as zero."""
    found = numbers(value)
    primal = replace(value, found, [fresh(primal_at(number, tag)) for number in found])
    tangents = [tangent_at(number, tag) for number in found]
    return primal, tangent_of(value, [fresh(0.0 if t is None else t) for t in tangents])


def tangent_of(value: Any, tangents: list[Number]) -> Any:
    """The tangent whose numbers belong, in the canonical order, to the numbers of a value."""
    done = {id(number): other for number, other in zip(numbers(value), tangents, strict=True)}
    reals = dict(done)

    def special(part: Any) -> Any:
        kind = type(part)
        if kind in ATOMS:
            return None
        if kind is not tuple and part.enters_as_graph:
            return Opaque(tuple([fresh(reals[id(number)]) for number in numbers(part)]))
        return DESCEND

    return transform(value, done, special)


def cotangent_of(value: Any, cotangents: list[Number]) -> Any:
    """The cotangent that gives the numbers of a value, in the canonical order, these cotangents.

    A number that several paths reach has all of it on the first path, so that `seed` gives it no more.
    """
    left = {id(number): other for number, other in zip(numbers(value), cotangents, strict=True)}
    results: list[Any] = []
    pending: list[tuple[Any, int]] = [(value, -1)]  # a count of -1: not visited yet
    while pending:
        part, count = pending.pop()
        kind = type(part)
        if count >= 0:
            parts = tuple(results[len(results) - count :])
            del results[len(results) - count :]
            results.append(with_parts(part, parts))
        elif kind in NUMBERS:
            results.append(left.pop(id(part), 0.0))
        elif kind in ATOMS:
            results.append(None)
        elif kind is not tuple and part.enters_as_graph:
            results.append(Opaque(tuple([left.pop(id(number), 0.0) for number in numbers(part)])))
        else:
            parts = parts_of(part)
            pending.append((part, len(parts)))
            pending.extend((other, -1) for other in reversed(parts))
    return results[0]


def seed(value: Any, cotangent: Any) -> list[float]:
    """The cotangent of each number of a finished run's value, in the canonical order.

    A number that several paths reach receives their cotangents in the reverse order of the paths.
    """
    totals: dict[int, float] = {}
    for number, other in reversed(match(value, cotangent, "cotangent")):
        totals[id(number)] = totals.get(id(number), 0.0) + other
    return [totals.get(id(number), 0.0) for number in numbers(value)]
