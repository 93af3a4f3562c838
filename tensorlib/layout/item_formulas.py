"""Formulas on the items of arrays (checkpoint/scalars/formulas.py), each as one step: of each item, of all
items in the tree of `reduce`, and of the first 1, 2, ... items in that of `scan`
(checkpoint/lang/python/library/combinators.py).

In: a formula's text; a list of arrays with one axis, the columns of its inputs, which are those of one item
where pairs are combined; a list of reals, the inputs that all items share. Out: a tuple of arrays, the
columns of its results.

The values of levels are made again in the reversal: they are as many as the items, and cost a part of what
their cotangents do. Where nothing is shared, engine c does all levels of `reduce` as those here are done,
but at once (ctemplates/scalars/formula_trees.h). A shared real receives the sum over the items of a level in
the tree of `reduce`, and these sums are added as the levels are reversed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from checkpoint.ad.library import silently
from checkpoint.prims.arrays import tensor
from checkpoint.scalars.formula_derivatives import cotangents, on_duals, tangents
from checkpoint.scalars.formulas import fill, parsed, reduced, reduced_reversed
from tensorlib.layout.combining import total
from tensorlib.layout.moving import call

Columns = Sequence[Any]


class _Applied:
    """A formula applied to items, level by level. received: the cotangents of the shared reals."""

    def __init__(self, xp: Any, text: str, columns: Columns, shared: Sequence[float]) -> None:
        self.xp = xp
        self.text = text
        length = columns[0].shape
        self.shared = [xp.broadcast_to(xp.full_like(columns[0][:1], x), length) for x in shared]
        self.received = [0.0 for _ in shared]

    def fill(self, columns: Columns, into: Columns) -> None:
        """Write the results for some items."""
        with silently():
            fill(self.xp, self.text, [*columns, *self._shared_by(columns)], into)

    def made(self, columns: Columns) -> list[Any]:
        """Return the results for some items, new arrays."""
        found = [self.empty(columns[0]) for _ in parsed(self.text).results]
        self.fill(columns, found)
        return found

    def pull(self, columns: Columns, given: Columns, into: Columns) -> None:
        """Write the cotangents of items into arrays; given: those of the results."""
        shared = self._shared_by(columns)
        own = [self.empty(columns[0]) for _ in shared]
        with silently():
            fill(self.xp, cotangents(self.text), [*columns, *shared, *given], [*into, *own])
        self.received = [x + float(total(self.xp, y)) for x, y in zip(self.received, own, strict=True)]

    def empty(self, like: Any) -> Any:
        """Return an array like another, whose elements are not set."""
        return self.xp.empty_like(like, shape=like.shape)

    def _shared_by(self, columns: Columns) -> list[Any]:
        return [x[: columns[0].shape[0]] for x in self.shared]


def _rules(value: Callable[..., Any], reverse: Callable[..., Any]) -> dict[str, Any]:
    """Return the fields of a record of functions that take an application, and columns or cotangents."""

    def computed(xp: Any, text: str, columns: Any, shared: Any) -> tuple[Any, ...]:
        return tuple(value(_Applied(xp, text, columns, shared), columns))

    def pull(
        xp: Any, wanted: Any, g: Any, y: Any, saved: Any, text: str, columns: Any, shared: Any
    ) -> list[Any]:
        applied = _Applied(xp, text, columns, shared)
        found = {1: reverse(applied, columns, y, g), 2: applied.received}
        return [found[position] for position in wanted]

    return {"value": computed, "pull": pull}


# Each item alone


def _mapped(applied: _Applied, columns: Columns) -> list[Any]:
    return applied.made(columns)


def _mapped_reversed(applied: _Applied, columns: Columns, y: Columns, g: Columns) -> list[Any]:
    received = list(map(applied.empty, columns))
    applied.pull(columns, g, received)
    return received


# All items


def _halves(columns: Columns, even: int) -> list[Any]:
    """Return the columns of the left items of all pairs, then of the right ones."""
    return [*[x[0:even:2] for x in columns], *[x[1:even:2] for x in columns]]


def _levels(applied: _Applied, columns: Columns) -> tuple[list[tuple[Columns, Any]], Columns, Any]:
    """Return the levels of `reduce`, each with what is left over from those before, and the last of both."""
    levels, over = list[tuple[Columns, Any]](), None
    while (count := columns[0].shape[0]) > 1:
        levels.append((columns, over))
        even = count // 2 * 2
        if count % 2:
            last = [x[even:] for x in columns]
            over = last if over is None else applied.made([*last, *over])
        columns = applied.made(_halves(columns, even))
    return levels, columns, over


def _reduced(applied: _Applied, columns: Columns) -> list[Any]:
    found = [applied.empty(x[:1]) for x in columns]
    if not applied.shared and reduced(applied.text, columns, found):
        return found
    _, top, over = _levels(applied, columns)
    return [applied.xp.array(x) for x in top] if over is None else applied.made([*top, *over])


def _reduced_reversed(applied: _Applied, columns: Columns, y: Columns, g: Columns) -> list[Any]:
    whole = list(map(applied.empty, columns))
    if not applied.shared and reduced_reversed(applied.text, cotangents(applied.text), columns, g, whole):
        return whole
    levels, top, over = _levels(applied, columns)
    received, left_over = [applied.xp.array(x) for x in g], None
    if over is not None:
        received, left_over = (list(map(applied.empty, x)) for x in (top, over))
        applied.pull([*top, *over], g, [*received, *left_over])
    for below, before in reversed(levels):
        count, whole = below[0].shape[0], list(map(applied.empty, below))
        applied.pull(_halves(below, count // 2 * 2), received, _halves(whole, count // 2 * 2))
        if count % 2:
            left_over = _last_reversed(applied, below, before, left_over, whole)
        received = whole
    return received


def _last_reversed(applied: _Applied, below: Columns, before: Any, given: Any, whole: Columns) -> Any:
    """Write the cotangent of a level's odd item; return that of what was left over before, if anything."""
    if before is None:
        for to, g in zip(whole, given, strict=True):
            to[-1:] = g
        return None
    received = list(map(applied.empty, before))
    applied.pull([*[x[-1:] for x in below], *before], given, [*[x[-1:] for x in whole], *received])
    return received


# The first 1, 2, ... items


def _scanned(applied: _Applied, columns: Columns) -> list[Any]:
    count = columns[0].shape[0]
    if count < 2:
        return [applied.xp.array(x) for x in columns]
    odd = _scanned(applied, applied.made(_halves(columns, count // 2 * 2)))
    whole = list(map(applied.empty, columns))
    for to, x, y in zip(whole, columns, odd, strict=True):
        to[0:1], to[1::2] = x[0:1], y
    if count > 2:
        applied.fill(_behind(odd, columns), [to[2::2] for to in whole])
    return whole


def _behind(odd: Columns, columns: Columns) -> list[Any]:
    """Return what the items at 2, 4, ... are combined with, and these items."""
    later = (columns[0].shape[0] - 1) // 2
    return [*[x[:later] for x in odd], *[x[2::2] for x in columns]]


def _scanned_reversed(applied: _Applied, columns: Columns, y: Columns, g: Columns) -> list[Any]:
    xp, count = applied.xp, columns[0].shape[0]
    if count < 2:
        return [xp.array(x) for x in g]
    odd, alone = [xp.array(x[1::2]) for x in g], list[Any]()
    if count > 2:
        before, alone = ([applied.empty(x[2::2]) for x in g] for _ in range(2))
        applied.pull(_behind([x[1::2] for x in y], columns), [x[2::2] for x in g], [*before, *alone])
        for to, more in zip(odd, before, strict=True):
            to[: len(more)] += more
    halves = _halves(columns, count // 2 * 2)
    received = _scanned_reversed(applied, applied.made(halves), [x[1::2] for x in y], odd)
    whole = list(map(applied.empty, columns))
    for to in whole:
        to[count // 2 * 2 :] = 0.0
    applied.pull(halves, received, _halves(whole, count // 2 * 2))
    for to, more in zip(whole, alone, strict=False):
        to[2::2] += more
    for to, first in zip(whole, g, strict=True):
        to[0:1] += first[0:1]
    return whole


# Tangents


def _tangents_of(
    text: str, columns: Any, shared: Any, along: Any, shared_along: Any, name: str, form: Any
) -> Any:
    """Return the result of a record for a formula of items beside their tangents."""
    both = columns.with_parts((*columns.items, *along)), shared.with_parts((*shared.items, *shared_along))
    return call(name, form(text, len(shared.items)), *both)


def _jvps(name: str, form: Any) -> dict[str, Any]:
    """Return the rules for tangents of a record. form: the formula of the tangents, or of duals."""

    def by_columns(tangent: Any, y: Any, text: str, columns: Any, shared: Any) -> Any:
        zeros = [0.0 for _ in shared.items]
        return _last(_tangents_of(text, columns, shared, tangent.items, zeros, name, form), y)

    def by_shared(tangent: Any, y: Any, text: str, columns: Any, shared: Any) -> Any:
        zeros = [call("np.zeros_like", x) for x in columns.items]
        return _last(_tangents_of(text, columns, shared, zeros, tangent.items, name, form), y)

    return {"jvps": (None, by_columns, by_shared)}


def _last(results: Any, like: Any) -> tuple[Any, ...]:
    """Return the last columns of results, as many as another result has."""
    return tuple(results.items[-len(like.items) :])


# Of (a, b) and (c, d): (a c, b c s + d / 2), with a shared s.
_RECURRENCE = "5|0.5|multiply 0 2,multiply 5 3,multiply 1 2,multiply 8 4,add 9 7|6,10"


def _samples(width: int) -> Callable[[Any], list[tuple[Any, ...]]]:
    def samples(rng: Any) -> list[tuple[Any, ...]]:
        return [(_RECURRENCE, [rng.normal(size=n) for _ in range(width)], [0.75]) for n in (1, 2, 3, 7)]

    return samples


for _name, _value, _reverse, _form, _width in (
    ("tensorlib.mapped", _mapped, _mapped_reversed, tangents, 4),
    ("tensorlib.reduced", _reduced, _reduced_reversed, on_duals, 2),
    ("tensorlib.scanned", _scanned, _scanned_reversed, on_duals, 2),
):
    tensor(
        _name,
        **_rules(_value, _reverse),
        **_jvps(_name, _form),
        shape="formula, columns (n,), reals -> columns",
        samples=_samples(_width),
    )
