"""Arrays taken apart and put together along their first axis, as trees of combinations need it
(checkpoint/lang/python/library/combinators.py).

Each element has one place in the parts, or two where that is said; so a cotangent is written, not added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from checkpoint.ad.array_library import zeros_beside
from checkpoint.prims.arrays import tensor
from tensorlib.layout.moving import call, linear
from tensorlib.rules import positions


def _paired(xp: Any, a: Any) -> tuple[Any, ...]:
    """Return the left and the right items of all pairs, and the last item where their number is odd."""
    even = a.shape[0] // 2 * 2
    return a[0:even:2], a[1:even:2], a[even:]


def _paired_vjp(xp: Any, g: Any, y: Any, a: Any) -> Any:
    even = a.shape[0] // 2 * 2
    whole = zeros_beside(g[0], a.shape, g[0].dtype)
    whole[0:even:2], whole[1:even:2], whole[even:] = g
    return whole


def _prefixed(xp: Any, a: Any) -> tuple[Any, ...]:
    """Return the first item, the left and the right ones of all pairs, and those at 2, 4, ... once more."""
    even = a.shape[0] // 2 * 2
    return a[0:1], a[0:even:2], a[1:even:2], a[2::2]


def _prefixed_vjp(xp: Any, g: Any, y: Any, a: Any) -> Any:
    first, left, right, later = g
    even = a.shape[0] // 2 * 2
    whole = zeros_beside(left, a.shape, left.dtype)
    whole[2::2] = later
    whole[0:even:2] += left
    whole[1:even:2] = right
    whole[0:1] += first
    return whole


def _woven(xp: Any, parts: Any) -> Any:
    """Return the first item, then those of the second and the third part by turns."""
    first, odd, even = parts
    whole = zeros_beside(odd, (1 + odd.shape[0] + even.shape[0], *odd.shape[1:]), odd.dtype)
    whole[0:1], whole[1::2], whole[2::2] = first, odd, even
    return whole


def _dealt(xp: Any, a: Any, at: Any) -> tuple[Any, ...]:
    """Return the items at each of some places, which are all places, each once."""
    return tuple([a[xp.asarray(places)] for places in at])


def _dealt_vjp(xp: Any, g: Any, y: Any, a: Any, at: Any) -> Any:
    whole = zeros_beside(g[0], a.shape, g[0].dtype)
    for part, places in zip(g, at, strict=True):
        whole[xp.asarray(places)] = part
    return whole


def _gathered(xp: Any, parts: Any, at: Any, count: int) -> Any:
    """Return `count` items, those of each part at its places: the inverse of `_dealt`."""
    whole = zeros_beside(parts[0], (count, *parts[0].shape[1:]), parts[0].dtype)
    for part, places in zip(parts, at, strict=True):
        whole[xp.asarray(places)] = part
    return whole


def total(xp: Any, a: Any) -> Any:
    """Return the sum of all items, of which the left part is the greatest power of two below their number."""
    rest: Any = None
    while a.shape[0] > 1:
        left, right, last = _paired(xp, a)
        if last.shape[0]:
            rest = last if rest is None else last + rest
        a = left + right
    return a[0] if rest is None else (a + rest)[0]


def _total_vjp(xp: Any, g: Any, y: Any, a: Any) -> Any:
    whole = zeros_beside(g, a.shape, a.dtype)
    whole[...] = g
    return whole


def _first_extreme(xp: Any, a: Any, kind: str) -> Any:
    """Return the greatest or least of all items, element by element; a NaN is greater and less."""
    return xp.max(a, axis=0) if kind == "max" else xp.min(a, axis=0)


def _first_at(xp: Any, a: Any, kind: str) -> Any:
    """Return where the greatest or least items are, the first of them."""
    return xp.expand_dims(xp.argmax(a, axis=0) if kind == "max" else xp.argmin(a, axis=0), 0)


def _first_extreme_vjp(xp: Any, g: Any, y: Any, a: Any, kind: str) -> Any:
    places = xp.reshape(positions(xp, a.shape[0], a), (-1, *[1] * (a.ndim - 1)))
    return xp.where(places == _first_at(xp, a, kind), g, xp.zeros_like(g))


def _first_extreme_jvp(tangent: Any, y: Any, a: Any, kind: str) -> Any:
    at = call("np.argmax" if kind == "max" else "np.argmin", a, 0)
    return call("np.squeeze", call("np.take_along_axis", tangent, call("np.expand_dims", at, 0), 0), 0)


def running_total(xp: Any, a: Any) -> Any:
    """Return the sums of the first 1, 2, ... items, in the tree of `scan`."""
    if a.shape[0] < 2:
        return xp.array(a)
    first, left, right, later = _prefixed(xp, a)
    odd = running_total(xp, left + right)
    return _woven(xp, (first, odd, odd[: later.shape[0]] + later))


def _running_total_vjp(xp: Any, g: Any, y: Any, a: Any) -> Any:
    return xp.flip(running_total(xp, xp.flip(g, 0)), 0)


def _parted(rng: Any, sizes: Sequence[int]) -> list[Any]:
    return [rng.normal(size=(n, 2)) for n in sizes]


def _lengths(rng: Any) -> list[tuple[Any, ...]]:
    return [(rng.normal(size=n),) for n in (2, 3, 7)] + [(rng.normal(size=(4, 2)),)]


_PLACES = [np.array([3, 0]), np.array([1, 4]), np.array([2])]

linear(
    "tensorlib.paired",
    _paired,
    _paired_vjp,
    views=True,
    shape="(n, ...) -> (n // 2, ...), (n // 2, ...), (n % 2, ...)",
    samples=_lengths,
)
linear(
    "tensorlib.prefixed",
    _prefixed,
    _prefixed_vjp,
    views=True,
    shape="(n, ...) -> (1, ...), (n // 2, ...), (n // 2, ...), ((n - 1) // 2, ...)",
    samples=_lengths,
)
linear(
    "tensorlib.dealt",
    _dealt,
    _dealt_vjp,
    needs=((1,),),
    shape="(n, ...), places -> parts (m, ...), the items at some places, all of them together",
    samples=lambda rng: [(rng.normal(size=5), _PLACES), (rng.normal(size=(5, 2)), _PLACES)],
)
tensor(
    "tensorlib.woven",
    _woven,
    vjps=(lambda xp, g, y, parts: [g[0:1], g[1::2], g[2::2]],),
    jvps=(lambda tangent, y, parts: call("tensorlib.woven", tangent),),
    needs=((),),
    shape="(1, ...), (n, ...), (m, ...) -> (1 + n + m, ...), those of the last two by turns",
    samples=lambda rng: [(_parted(rng, (1, 3, 3)),), (_parted(rng, (1, 3, 2)),)],
)
tensor(
    "tensorlib.gathered",
    _gathered,
    vjps=(lambda xp, g, y, parts, at, count: [g[xp.asarray(places)] for places in at], None, None),
    jvps=(lambda tangent, y, parts, at, count: call("tensorlib.gathered", tangent, at, count), None, None),
    needs=((1,), (), ()),
    shape="parts (m, ...), places -> (n, ...), each item at its place",
    samples=lambda rng: [(_parted(rng, (2, 2, 1)), _PLACES, 5)],
)
linear(
    "tensorlib.total",
    total,
    _total_vjp,
    shape="(n, ...) -> (...), the sum in a tree",
    samples=_lengths,
)
tensor(
    "tensorlib.first_extreme",
    _first_extreme,
    vjps=(_first_extreme_vjp, None),
    jvps=(_first_extreme_jvp, None),
    needs=((0,), ()),
    shape="(n, ...) -> (...), the greatest, or least, along the first axis",
    convention="at a tie the first",
    samples=lambda rng: [
        (rng.normal(size=(4, 2)), "max"),
        (rng.normal(size=3), "min"),
    ],
)
linear(
    "tensorlib.running_total",
    running_total,
    _running_total_vjp,
    shape="that of the array",
    samples=_lengths,
)
