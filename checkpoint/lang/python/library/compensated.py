"""Sums and lengths that lose less to rounding than a loop would, in the language that is translated.

In: a start and items, or coordinates. Out: what Python's own functions return, to the last bit. Those of math
(fsum, sumprod, hypot, dist) have the value that Python computes and the derivative of the plain formula.

`sum_` is builtins.sum as Python 3.12 and later have it. While the total is a float, and each item is a
float or an integer of 64 bits, Python keeps what rounding has lost of each sum of two floats in a number of
its own, and adds that at the end (Neumaier's algorithm). A total that is an integer becomes such a float with
the first float. From the first other item on Python adds with `+` alone.

What always holds: `lost` is a float where the total is one that is made good, 0 where it is an integer, and
else None. The usual step of a loop is in the loop itself, here and in control/comprehensions.py.

What is lost has derivative zero, so that each item has the derivative 1, as without it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

from checkpoint.lang.python.library.intrinsics import prim

COMPENSATED = sys.version_info >= (3, 12)  # whether this Python's sum is the one of this file


def sum_(items: Any, /, start: Any = 0) -> Any:
    """See builtins.sum."""
    total, lost = begun(start)
    for item in items:
        if prim("real?", item) and prim("real?", lost):
            lost = lost + prim("py.rounding-loss", total, item)
            total = total + item
        else:
            total, lost = added(total, lost, item)
    return ended(total, lost)


def begun(start: Any) -> Any:
    """Return the total before any item, and what is lost of it."""
    if type(start) is int:
        return start, 0
    if isinstance(start, str):
        raise TypeError("sum() can't sum strings [use ''.join(seq) instead]")
    return start, 0.0 if prim("real?", start) else None


def added(total: Any, lost: Any, item: Any) -> Any:
    """Return the total with an item, and what is lost of it, where the total or the item is no float."""
    if lost is None:
        return total + item, None
    if prim("real?", lost):
        if isinstance(item, int) and is_kept(item):
            return total + item, lost
        return prim("py.made-good", total, lost) + item, None
    if not is_kept(total):
        return total + item, None
    total = total + item
    return total, 0.0 if prim("real?", total) else 0 if isinstance(total, int) else None


def is_kept(number: Any) -> Any:
    """Return whether an integer has 64 bits; in literals, since a program reads each global at each call."""
    return -0x7FFF_FFFF_FFFF_FFFF - 1 <= number <= 0x7FFF_FFFF_FFFF_FFFF


def ended(total: Any, lost: Any) -> Any:
    """Return the sum of all items."""
    return prim("py.made-good", total, lost) if prim("real?", lost) else total


def sumprod_(p: Any, q: Any, /) -> Any:
    """See math.sumprod; its derivative by a number is the other number of the pair.

    Python sums exactly up to the first pair with another object than a number of its own, from there by `+`.
    """
    first, second = list(p), list(q)
    if len(first) != len(second):
        raise ValueError("Inputs are not the same length")
    count = 0
    while count < len(first) and not prim("py.holds-objects", (first[count], second[count])):
        count += 1
    total = prim("py.exact-sum-of-products", first[:count], second[:count])
    for x, y in zip(first, second, strict=True):
        if count > 0:
            count -= 1
            if isinstance(x, float) or isinstance(y, float):
                product = x * y
                if math.isfinite(product):
                    total = prim("py.with-derivative", total, total + product)
        else:
            total = total + x * y
    return total


def fsum_(items: Any) -> Any:
    """See math.fsum; its derivative with respect to each item is 1."""
    found = [item for item in items] if prim("py.is-array", items) else prim("py.sequence", items)  # noqa: C416
    if not are_reals(found) and prim("py.holds-objects", found):
        found = [float(item) if prim("py.is-array", item) else real_of(item) for item in found]
    total = 0.0
    exact = prim("py.exact-sum", found)
    for item in found:
        total = total + item
    return prim("py.with-derivative", exact, float(total))


def are_reals(items: Any) -> Any:
    """Return whether all items are floats."""
    for item in items:  # noqa: SIM110  # a call of `all` takes three times as long
        if not prim("real?", item):
            return False
    return True


def real_of(x: Any) -> Any:
    """Return the real that an object is by its `__float__` or `__index__`; every other value itself."""
    if isinstance(x, float | int) or prim("py.is-array", x):
        return x
    is_real = prim("py.has-attribute", x, "__float__") or prim("py.has-attribute", x, "__index__")
    return float(x) if is_real else x


def hypot_(*coordinates: Any) -> Any:
    """See math.hypot; with three and more, the derivative is that of the root of the sum of squares."""
    if len(coordinates) == 0:
        return 0.0
    if len(coordinates) == 1:
        return abs(float(coordinates[0]))
    if len(coordinates) == 2:
        return prim("py.math.hypot", coordinates[0], coordinates[1])
    if not are_reals(coordinates) and prim("py.holds-objects", coordinates):
        return hypot_(*[float(x) for x in coordinates])
    square = 0.0
    for x in coordinates:
        square = square + x * x
    if not 0.0 < square < math.inf:
        return prim("py.math.hypot", coordinates[0], hypot_(*coordinates[1:]))
    return prim("py.with-derivative", prim("py.norm", coordinates), math.sqrt(square))


def dist_(p: Any, q: Any, /) -> Any:
    """See math.dist."""
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    return hypot_(*[a - b for a, b in zip(p, q, strict=True)])


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    math.fsum: fsum_,
    math.hypot: hypot_,
    math.dist: dist_,
    **({vars(math)["sumprod"]: sumprod_} if COMPENSATED else {}),
}
