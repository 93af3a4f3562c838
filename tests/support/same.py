"""Equality of values to the last bit: the sign of zero counts, and all NaNs are equal."""

from __future__ import annotations

import math
from typing import Any

from checkpoint.ad.arrays import Array, Discrete
from checkpoint.ad.graph import ATOMS, parts_of
from checkpoint.ad.numbers import Dual
from checkpoint.ad.values import Capsule, Closure, Failure
from checkpoint.ctarget.capsules.rest import Rest


def same_bits(a: float, b: float) -> bool:
    """Return whether two floats are the same, or both NaN."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b and math.copysign(1.0, a) == math.copysign(1.0, b)


def same_elements(a: Any, b: Any) -> bool:
    """Return whether two arrays, or scalars of a library, are the same: type, dtype, shape, elements.

    A dead handle, of an array that was changed under another name, has no elements.
    """
    if type(a) is not type(b) or a is None:
        return a is b
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind == "c":
        return same_elements(a.real, b.real) and same_elements(a.imag, b.imag)
    if a.dtype.kind == "f":
        return all(map(same_bits, a.ravel().tolist(), b.ravel().tolist()))
    return bool((a == b).all())


def same(a: Any, b: Any) -> bool:
    """Return whether two values of one engine are the same, also inside closures and capsules."""
    return difference(a, b) is None


def _read(value: Any) -> Any:
    """Return a value; of a capsule's state that engine c still has, what hybrid makes of it."""
    return value._python if type(value) is Rest else value


def difference(a: Any, b: Any) -> str | None:
    """Return the first difference of two values; None if they are the same."""
    pending = [(a, b)]
    seen: set[tuple[int, int]] = set()
    while pending:
        x, y = map(_read, pending.pop())
        if x is y or (id(x), id(y)) in seen:
            continue
        if type(x) is not type(y):
            return f"{x!r} is a {type(x).__name__} and {y!r} a {type(y).__name__}"
        if type(x) is float:
            if not same_bits(x, y):
                return f"{x!r} and {y!r}"
        elif type(x) in (Array, Discrete):
            if not same_elements(x.data, y.data):
                return f"{x.data!r} and {y.data!r}"
        elif type(x) is Dual:
            if x.tag != y.tag:
                return f"tags {x.tag} and {y.tag}"
            pending += [(x.tangent, y.tangent), (x.primal, y.primal)]
        elif type(x) is Failure:
            if (type(x.exception), x.text) != (type(y.exception), y.text):
                return f"{x.text} and {y.text}"
        elif type(x) in ATOMS:
            if x != y:
                return f"{x!r} and {y!r}"
        else:
            if not _same_kind(x, y):
                return f"two kinds of {type(x).__name__}"
            seen.add((id(x), id(y)))
            pending.extend(zip(parts_of(x), parts_of(y), strict=True))
    return None


def _same_kind(x: Any, y: Any) -> bool:
    """Return whether two containers differ at most in their parts."""
    if len(parts_of(x)) != len(parts_of(y)):
        return False
    if type(x) is Closure:
        return x.lam is y.lam
    if type(x) is Capsule:
        return (x.steps, x.engine) == (y.steps, y.engine)
    return getattr(x, "code", None) is getattr(y, "code", None)
